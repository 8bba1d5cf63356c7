"""The page from disk: ids as in Python for what is typed, merges step by step, everything within reach of the keys."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from minbpe_course.inspecting.tokenizer_view import view_of
from minbpe_course.playground_page.page_data import PAGE_ENCODINGS
from minbpe_course.playground_page.word_merges import word_merges
from tests.shared.browser import Tab
from tests.shared.cases import hostile_texts, mixed_texts
from tests.shared.playground_hands import (
    ROOT,
    choice,
    eventually,
    in_a_text_box,
    parts_shown,
    put,
    put_each,
    step_controls,
    tokens,
    use_at_random,
)
from tests.showing.test_tokens_browser import MIXED, OUT_OF_ORDER, TORN

pytestmark = [pytest.mark.medium, pytest.mark.browser]

STRINGS = 200


@pytest.mark.parametrize("specials", [False, True])
def test_the_ids_are_pythons(playground_tab: Tab, specials: bool) -> None:
    if specials:
        choice(playground_tab, "special tokens count as special").check()
    for name in ("mine", "pieces"):
        choice(playground_tab, name).uncheck()
    texts = [*mixed_texts(5 + specials, STRINGS // 2 - 40), *hostile_texts(6, 40)]
    texts = [in_a_text_box(text)[:160] for text in texts]
    shown = put_each(playground_tab.page, texts)
    assert len(shown) == STRINGS // 2
    for name in PAGE_ENCODINGS:
        made = view_of(name)
        for text, panels in zip(texts, shown):
            assert panels[name]["ids"] == list(made.cut(text, specials).ids), (name, text)


def test_typing_with_the_keyboard(playground_tab: Tab) -> None:
    put(playground_tab.page, "")
    area = playground_tab.page.get_by_label("Text", exact=True)
    area.press_sequentially("naïve 日本 words")
    wanted = [str(i) for i in view_of("gpt2").cut("naïve 日本 words").ids]
    labels = lambda: [box.get_attribute("aria-label").split()[-1] for box in tokens(playground_tab, "gpt2").all()]  # noqa: E731
    eventually(labels, wanted)
    area.press("Backspace")
    eventually(lambda: labels()[-1], str(view_of("gpt2").cut("naïve 日本 word").ids[-1]))
    area.press("Control+A")
    area.press("Delete")
    eventually(lambda: tokens(playground_tab, "gpt2").count(), 0)


def test_redrawing_a_part_ends_in_the_same_picture(playground_tab: Tab) -> None:
    """Incremental changes look like a fresh drawing, and neighbours differ in colour and line."""
    rng = random.Random(4)
    text = "one two\nthree 日本語 four\n\nfive"
    look = "() => [...document.querySelectorAll('.mbp-list')].map((list) => list.textContent)"
    same_as_before = """() => [...document.querySelectorAll('.mbp-line')].flatMap((line) => [...line.children].filter(
        (box, at, all) => at > 0 && [1, 2].some((k) => box.classList[k] === all[at - 1].classList[k])))
        .map((box) => box.textContent)"""
    for _ in range(30):
        at, gone = rng.randrange(len(text) + 1), rng.randrange(3)
        text = text[:at] + rng.choice(["", "a", " the", "\n", "é", "語", "\n\n x", "12"]) + text[at + gone :]
        after = put(playground_tab.page, text)
        drawn = playground_tab.page.evaluate(look)
        assert playground_tab.page.evaluate(same_as_before) == []
        put(playground_tab.page, "")
        assert put(playground_tab.page, text) == after
        assert playground_tab.page.evaluate(look) == drawn, text


def test_each_token_is_isolated_where_letters_run_from_right_to_left(playground_tab: Tab) -> None:
    put(playground_tab.page, MIXED)
    ids = playground_tab.page.get_by_role("checkbox", name="ids under the tokens")
    for shown in (False, True):
        ids.set_checked(shown)
        lines = playground_tab.page.locator(".mbp-panel", has_text="o200k_base").locator(".mbp-line")
        assert [line.get_attribute("dir") for line in lines.all()] == ["rtl", "ltr", "ltr"]
        assert lines.locator(".mbp-box").evaluate_all(TORN) == []
        assert lines.evaluate_all(OUT_OF_ORDER) == []


def test_the_merges_of_a_word_step_by_step(playground_tab: Tab) -> None:
    put(playground_tab.page, "some tokenization here")
    tokens(playground_tab, "cl100k_base").nth(1).click()
    steps = word_merges(view_of("cl100k_base")).steps(" tokenization")
    shown = [
        [part.decode().replace(" ", "·") for part in step.parts] for step in steps if isinstance(step.parts[0], bytes)
    ]
    eventually(lambda: parts_shown(playground_tab.page), shown[0])
    caption = playground_tab.page.locator(".mbp-caption")
    for at in range(1, len(steps)):
        assert f"rank {steps[at].rank}." in caption.inner_text()
        playground_tab.page.get_by_role("button", name="Step forth").click()
        assert parts_shown(playground_tab.page) == shown[at]
    assert playground_tab.page.get_by_role("button", name="Step forth").is_disabled()
    assert "No pair is left" in caption.inner_text()
    playground_tab.page.get_by_role("button", name="Step back").click()
    assert parts_shown(playground_tab.page) == shown[-2]
    stage = playground_tab.page.locator(".mbp-stage")
    stage.press("Home")
    assert parts_shown(playground_tab.page) == shown[0]
    stage.press("ArrowRight")
    stage.press("ArrowRight")
    stage.press("ArrowLeft")
    assert parts_shown(playground_tab.page) == shown[1]
    slider = playground_tab.page.get_by_role("slider", name="Step")
    slider.press("End")
    assert parts_shown(playground_tab.page) == shown[-1]


def test_no_step_can_be_taken_before_a_word_is_chosen(new_tab: Callable[..., Tab], playground_page: Path) -> None:
    tab = new_tab()
    # A page that begins with a text chooses a word of it; this one begins with nothing.
    tab.page.goto(f"{playground_page.as_uri()}#text=")
    put(tab.page, "hello world")
    none = dict.fromkeys(["First step", "Step back", "Step forth", "Last step", "Step"], (False, False))
    assert step_controls(tab.page) == none
    tokens(tab, "gpt2").first.click()
    eventually(lambda: parts_shown(tab.page), list("hello"))
    assert step_controls(tab.page)["Step forth"] == (True, True)
    for word in ("a" * 201, ""):
        tab.page.get_by_label("Word", exact=True).fill(word)
        assert step_controls(tab.page) == none
        assert parts_shown(tab.page) == []
    # An answer that comes after its word was deleted is not shown.
    tab.page.evaluate(
        """() => { const word = document.querySelector(".mbp-word");
            for (word.value of ["hello", ""]) word.dispatchEvent(new Event("input", { bubbles: true })); }"""
    )
    tab.page.wait_for_timeout(200)
    assert step_controls(tab.page) == none
    tab.expect_quiet()


@pytest.mark.parametrize("seed", range(3))
def test_no_order_of_clicks_and_keys_raises_an_error(
    new_tab: Callable[..., Tab], playground_page: Path, seed: int
) -> None:
    tab = new_tab()
    tab.page.goto(playground_page.as_uri())
    use_at_random(tab.page, seed, 300)
    put(tab.page, "the end")
    tab.expect_quiet()


def test_the_keyboard_reaches_every_token_and_says_its_facts(playground_tab: Tab) -> None:
    put(playground_tab.page, "hello big world\nnext")
    boxes = tokens(playground_tab, "gpt2")
    boxes.first.focus()
    tip = playground_tab.page.get_by_role("tooltip")
    assert tip.inner_text() == "id 31373 · bytes 68 65 6c 6c 6f"
    presses = {"ArrowRight": "·big", "End": "next", "ArrowLeft": "↵", "Home": "hello"}
    for key, text in [*presses.items(), ("ArrowLeft", "hello")]:
        playground_tab.page.keyboard.press(key)
        assert playground_tab.page.evaluate("document.activeElement.textContent") == text
    in_the_tab_order = f"document.querySelectorAll('{ROOT} .mbp-panel:first-child [tabindex=\"0\"]').length"
    assert playground_tab.page.evaluate(in_the_tab_order) == 1
    playground_tab.page.keyboard.press("End")
    playground_tab.page.keyboard.press("Enter")
    eventually(lambda: parts_shown(playground_tab.page), list("next"))
    boxes.nth(2).hover()
    assert tip.inner_text().startswith("id 995 ·")
    playground_tab.page.get_by_label("Text", exact=True).hover()
    eventually(tip.is_visible, False)
