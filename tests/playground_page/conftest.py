"""The page's engine without data, for the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.playground_page.page_engine import Engine, engine_for


@pytest.fixture(scope="module")
def empty() -> Iterator[Engine]:
    with engine_for(None) as started:
        yield started
