"""The helpers of the browser tests notice errors of a page and text that is not legible."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.shared.browser import serious_faults
from tests.shared.patience import PATIENCE

pytestmark = [pytest.mark.medium, pytest.mark.browser]

GOOD = """<!doctype html><html lang="en"><title>t</title>
<body style="background:#fff"><main><h1>Hello</h1></main></body></html>"""


def page_of(folder: Path, body: str) -> str:
    path = folder / "page.html"
    path.write_text(GOOD.replace("</main>", f"{body}</main>"), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize(
    ("body", "heard", "words"),
    [
        ("<script>console.error('oh', 3)</script>", "errors", "oh 3"),
        ("<script>null.x</script>", "errors", "uncaught: Cannot read properties of null"),
        ("<script>setTimeout(() => alert('boo'))</script>", "dialogs", "alert: boo"),
        ("<img alt='' src='https://cdn.example/x.png'>", "foreign", "https://cdn.example/x.png"),
    ],
    ids=["error", "exception", "dialog", "another host"],
)
def test_a_bad_page_is_heard(new_tab, tmp_path: Path, body: str, heard: str, words: str) -> None:
    tab = new_tab()
    tab.page.goto(page_of(tmp_path, body))
    until = time.monotonic() + PATIENCE
    while not any(said.startswith(words) for said in getattr(tab, heard)):
        assert time.monotonic() < until, tab
        tab.page.wait_for_timeout(20)
    with pytest.raises(AssertionError):
        tab.expect_quiet()


def test_what_cannot_be_read_is_seen(new_tab, tmp_path: Path) -> None:
    tab = new_tab(dark=True)
    tab.page.goto(page_of(tmp_path, "<p style='color:#ccc'>pale</p><div id='in'><img src='data:,'></div>"))
    rules = [fault.split()[0] for fault in serious_faults(tab.page)]
    assert sorted(rules) == ["color-contrast", "image-alt"]
    assert [fault.split()[0] for fault in serious_faults(tab.page, within="#in")] == ["image-alt"]
    assert serious_faults(tab.page, known=("color-contrast", "image-alt")) == []
    assert tab.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
