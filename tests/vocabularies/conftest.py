"""The witness of the vocabularies: tiktoken itself."""

from __future__ import annotations

import pytest
from tiktoken_ext import openai_public


@pytest.fixture
def witness(filled, monkeypatch):
    """Return tiktoken's record of an encoding, read by tiktoken from the rebuilt files; it checks the hashes."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(filled))
    return lambda name: openai_public.ENCODING_CONSTRUCTORS[name]()
