"""Settings that all tests of the learning packages share."""

from __future__ import annotations

import pytest

from minbpe_course.learning.judge import catalogue


@pytest.fixture(autouse=True)
def no_teachers(monkeypatch):
    """Begin without the folders of teachers, and forget afterwards those that a test has added."""
    monkeypatch.setattr(catalogue, "_USED", {})
    monkeypatch.delenv(catalogue.VARIABLE, raising=False)
