"""A chat in the page: each template's ids, special tokens as single boxes, and what a user writes stays text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import tiktoken
from mistral_common.protocol.instruct.messages import AssistantMessage, UserMessage
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

from minbpe_course import use_bundled_vocabularies
from minbpe_course.playground_page.page import write_page
from tests.shared.browser import Tab, opened, serious_faults
from tests.shared.piece_cases import mistral_files
from tests.shared.playground_hands import choice, eventually, parts_shown, tokens

pytestmark = [pytest.mark.medium, pytest.mark.browser]

TALK = [
    ("system", "Be brief."),
    ("user", " What is <|im_end|>? שלום "),
    ("assistant", "A token.\n"),
    ("user", "日本 1234"),
]
# The texts of the published templates, written out.
RENDERED: dict[str, Callable[[list[tuple[str, str]]], str]] = {
    "ChatML": lambda talk: (
        "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in talk) + "<|im_start|>assistant\n"
    ),
    "Llama 3": lambda talk: (
        "<|begin_of_text|>"
        + "".join(f"<|start_header_id|>{r}<|end_header_id|>\n\n{text.strip()}<|eot_id|>" for r, text in talk)
        + "<|start_header_id|>assistant<|end_header_id|>\n\n"
    ),
    "harmony": lambda talk: (
        "".join(
            f"<|start|>{r}{'<|channel|>final' if r == 'assistant' else ''}<|message|>{text}<|end|>" for r, text in talk
        )
        + "<|start|>assistant"
    ),
}
MARKS = {
    "ChatML": ["<|im_start|>", "<|im_end|>"],
    "Llama 3": ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"],
    "harmony": ["<|start|>", "<|message|>", "<|end|>", "<|channel|>"],
}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    use_bundled_vocabularies()
    return write_page(tmp_path_factory.mktemp("chat") / "page.html", ["cl100k_base", "o200k_harmony"])


@pytest.fixture
def tab(chromium: Any, page: Path) -> Iterator[Tab]:
    with opened(chromium, viewport={"width": 1300, "height": 2500}) as made:
        yield made
        made.expect_quiet()


def show(tab: Tab, page: Path, template: str, talk: list[tuple[str, str]]) -> None:
    chat = json.dumps({"template": template, "messages": talk})
    tab.page.goto("about:blank")
    tab.page.goto(f"{page.as_uri()}#chat={quote(chat)}")


def ids_shown(tab: Tab, name: str) -> list[int]:
    # In one step: a box may be redrawn between two.
    return list(tokens(tab, name).evaluate_all("(boxes) => boxes.map((box) => Number(box.dataset.id))"))


@pytest.mark.parametrize("template", RENDERED)
def test_the_ids_are_tiktokens(tab: Tab, page: Path, template: str) -> None:
    show(tab, page, template, TALK)
    for name in ("cl100k_base", "o200k_harmony"):
        base = tiktoken.get_encoding(name)
        names = dict(base._special_tokens)
        for mark in MARKS[template]:
            names.setdefault(mark, max(*names.values(), *base._mergeable_ranks.values()) + 1)
        theirs = tiktoken.Encoding(
            "chat", pat_str=base._pat_str, mergeable_ranks=base._mergeable_ranks, special_tokens=names
        )
        # A mark that a user types is ordinary text: an extra character, which no mark contains, disguises it.
        text = RENDERED[template]([(role, said.replace("<|", "<\ue000|")) for role, said in TALK])
        wanted: list[int] = []
        for part in _between(text, MARKS[template]):
            special = part in MARKS[template]
            wanted += [names[part]] if special else theirs.encode_ordinary(part.replace("\ue000", ""))
        eventually(lambda name=name: ids_shown(tab, name), wanted)
        note = tab.page.locator(".mbp-panel", has_text=name).locator(".mbp-note")
        missing = [mark for mark in MARKS[template] if mark not in base._special_tokens]
        assert ("Not in this vocabulary" in note.inner_text()) == bool(missing)
        assert all(f"{mark} ({names[mark]})" in note.inner_text() for mark in missing)
        boxes = tab.page.locator(".mbp-panel", has_text=name).locator(".mbp-special")
        assert set(boxes.all_inner_texts()) == set(MARKS[template])
    if template != "ChatML":
        return
    # Where special tokens count in texts, what the user wrote ends the message: the attack of lesson 05.
    marks = tab.page.locator(".mbp-panel", has_text="cl100k_base").locator(".mbp-special")
    before = marks.count()
    choice(tab, "special tokens count as special").check()
    eventually(marks.count, before + 1)


def _between(text: str, marks: list[str]) -> list[str]:
    return [part for part in re.split("(" + "|".join(map(re.escape, marks)) + ")", text) if part]


def test_mistrals_template_is_mistral_commons(tab: Tab, page: Path) -> None:
    file = Path(mistral_files()["v7"]).with_name("tekken_240911.json")
    talk = [(role, text.strip()) for role, text in TALK if role != "system"]
    show(tab, page, "Mistral", talk)
    tab.page.get_by_label("Files of tokenizers").set_input_files(file)
    makers = {"user": UserMessage, "assistant": AssistantMessage}
    request = ChatCompletionRequest(messages=[makers[role](content=text) for role, text in talk])
    wanted = MistralTokenizer.from_file(str(file)).encode_chat_completion(request).tokens
    tab.page.get_by_role("checkbox", name=file.name, exact=True).wait_for()
    eventually(lambda: ids_shown(tab, file.name), wanted)


def test_a_chat_is_written_with_the_keyboard(tab: Tab, page: Path) -> None:
    tab.page.goto(f"{page.as_uri()}#text=hello+world&with=cl100k_base")
    eventually(lambda: ids_shown(tab, "cl100k_base"), [15339, 1917])
    tab.page.get_by_label("Plain text").focus()
    tab.page.keyboard.press("ArrowRight")
    keys = [*["Tab"] * 2, "ArrowDown", "Tab", "Tab"]
    for key in keys:
        tab.page.keyboard.press(key)
    assert tab.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Message 1"
    # The role of the first message is user now; the text is replaced, and the second message removed.
    tab.page.keyboard.press("Control+A")
    tab.page.keyboard.type("Hi")
    tab.page.get_by_role("button", name="Remove message 2").press("Enter")
    assert tab.page.evaluate("document.activeElement.textContent") == "Add a message"
    tab.page.keyboard.press("Enter")
    assert tab.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Message 2"
    assert tab.page.get_by_label("Role of message 2").input_value() == "assistant"
    tab.page.keyboard.type("Hello!")
    shown = lambda: tokens(tab, "cl100k_base").all_inner_texts()  # noqa: E731
    wanted = ["<|im_start|>", "user", "↵", "Hi", "<|im_end|>", "↵"]
    wanted += ["<|im_start|>", "assistant", "↵", "Hello", "!", "<|im_end|>", "↵"]
    eventually(shown, wanted)
    # A token of a message leads to its merges, but a special token does not have any.
    tokens(tab, "cl100k_base").nth(9).click()
    eventually(lambda: "".join(parts_shown(tab.page)), "Hello")
    tokens(tab, "cl100k_base").first.click()
    eventually(lambda: "special token" in tab.page.locator(".mbp-hint").inner_text(), True)
    # Back to the text, which is as it was.
    tab.page.get_by_label("Plain text").check()
    eventually(lambda: ids_shown(tab, "cl100k_base"), [15339, 1917])


@pytest.mark.parametrize(("width", "dark"), [(375, False), (1300, True)])
def test_axe_finds_nothing_serious_in_a_chat(chromium: Any, page: Path, width: int, dark: bool) -> None:
    with opened(chromium, dark=dark, viewport={"width": width, "height": 2500}) as tab:
        show(tab, page, "Llama 3", TALK)
        eventually(lambda: len(ids_shown(tab, "cl100k_base")) > 20, True)
        assert serious_faults(tab.page) == []
        assert tab.page.evaluate("document.documentElement.scrollWidth") == width
        tab.expect_quiet()
