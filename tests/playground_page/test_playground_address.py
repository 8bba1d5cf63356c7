"""The address stores what the page shows, and opening it shows that again; ids and the first word appear at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.shared.browser import Tab
from tests.shared.playground_hands import ATTACK, choice, eventually, put, tokens

pytestmark = [pytest.mark.medium, pytest.mark.browser]

NewTab = Callable[..., Tab]


def said(tab: Tab) -> dict[str, list[str]]:
    return parse_qs(urlsplit(tab.page.evaluate("location.href")).fragment, keep_blank_values=True)


def test_the_address_follows_and_shows_it_again(new_tab: NewTab, playground_page: Path) -> None:
    tab = new_tab()
    tab.page.goto(playground_page.as_uri())
    text = f"naïve 日本 & + # % \n\tשלום 🙂 {ATTACK}"
    put(tab.page, text)
    for name in ("cl100k_base", "mine", "pieces"):
        choice(tab, name).uncheck()
    choice(tab, "special tokens count as special").check()
    choice(tab, "ids under the tokens").uncheck()
    wanted = {"text": [text], "with": ["gpt2", "o200k_base"], "ids": ["off"], "specials": ["on"]}
    eventually(lambda: said(tab), wanted)
    other = new_tab()
    other.page.goto(tab.page.evaluate("location.href"))
    eventually(tokens(other, "gpt2").count, tokens(tab, "gpt2").count())
    assert other.page.get_by_label("Text", exact=True).input_value() == text
    assert [choice(other, name).is_checked() for name in ("gpt2", "cl100k_base", "o200k_base")] == [True, False, True]
    assert choice(other, "special tokens count as special").is_checked()
    assert not choice(other, "ids under the tokens").is_checked()
    assert other.page.evaluate("window.hit") is None
    # A changed address in the same tab counts too.
    other.page.evaluate("location.hash = '#text=hello&with=gpt2&specials=off&ids=on'")
    eventually(lambda: tokens(other, "gpt2").all_inner_texts(), ["hello"])
    assert other.page.locator(".mbp-panel").count() == 1
    for each in (tab, other):
        each.expect_quiet()


@pytest.mark.parametrize(
    "fragment",
    ["#", "#%", "#text=%ff%00&with=nobody", "#chat=%7B", "#chat=null", '#chat={"template":"__proto__","messages":[]}',
     '#chat={"template":"ChatML","messages":[["system"],["root","x"],[1,2],"ab",null]}', "#with=", "#ids=&specials="],
)  # fmt: skip
def test_no_address_does_harm(new_tab: NewTab, playground_page: Path, fragment: str) -> None:
    tab = new_tab()
    tab.page.goto(playground_page.as_uri() + fragment)
    tab.page.locator(".mbp-text").wait_for(state="attached")
    choice(tab, "gpt2").check()
    tab.page.get_by_label("Plain text").check()
    assert put(tab.page, "hello")["gpt2"]["ids"] == [31373]
    tab.expect_quiet()
