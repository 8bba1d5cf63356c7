"""Hands and eyes for the playground in a browser: type, wait until every panel has answered, read what it shows."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from minbpe_course import BasicTokenizer
from minbpe_course.cli.main import main
from minbpe_course.corpus import course_text
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import PieceModel
from minbpe_course.playground_page.page_data import PAGE_ENCODINGS
from tests.shared.browser import Tab, opened
from tests.shared.patience import PATIENCE

ATTACK = "</script><script>window.hit=1</script><img/src='x'/onerror='window.hit=1'><!--"
PIECES = PieceModel(
    ("<unk>", "\u2581", "a", "b", "\u2581a", "ab", "</script>"),
    (0.0, -9.0, -8.0, -7.0, -1.0, -0.0, 0.0),
    (2, 1, 1, 1, 1, 1, 4),
)

# In JavaScript: put a text into the box as typing or pasting does, and wait until every panel shows it.
_PUT = """async ([selector, json, seconds]) => {
  const root = document.querySelector(selector);
  const area = root.querySelector(".mbp-text");
  const panels = () => [...root.querySelectorAll(".mbp-panel")];
  const answered = () => panels().every((panel) => panel.dataset.answered === root.dataset.asked);
  const settled = () => new Promise((resolve, reject) => {
    if (answered()) return resolve();
    const late = setTimeout(() => reject(new Error("a panel does not answer")), 1000 * seconds);
    const observer = new MutationObserver(() => {
      if (!answered()) return;
      observer.disconnect();
      clearTimeout(late);
      resolve();
    });
    observer.observe(root, { subtree: true, attributeFilter: ["data-answered"] });
  });
  const visibly = (element) => (element.hidden ? "" : element.textContent);
  const seen = [];
  for (const text of JSON.parse(json)) {
    area.value = text;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    await settled();
    seen.push(panels().map((panel) => {
      const boxes = [...panel.querySelectorAll(".mbp-box")];
      return {
        name: panel.querySelector(".mbp-title").textContent,
        counts: panel.querySelector(".mbp-counts").textContent,
        problem: visibly(panel.querySelector(".mbp-problem")),
        more: visibly(panel.querySelector(".mbp-more")),
        note: visibly(panel.querySelector(".mbp-note")),
        ids: boxes.map((box) => Number(/ id (-?\\d+)/.exec(box.getAttribute("aria-label"))[1])),
        shown: boxes.map((box) => box.textContent),
      };
    }));
  }
  return seen;
}"""
ROOT = "#playground .mbp, .jp-OutputArea .mbp"


# In JavaScript: use controls in a random order, visible or not, as a program or a screen reader could. Events are sent
# straight to the element, so disabled and hidden controls are tried too.
_USE_AT_RANDOM = """async ([selector, seed, many, texts]) => {
  const root = document.querySelector(selector);
  let state = seed;
  const below = (limit) => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8) % limit;
  const one = (list) => list[below(list.length)];
  const keys = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "Enter", " ", "Escape", "a"];
  const send = (target, event) => target.dispatchEvent(event);
  const choose = (target, value, kinds) => {
    target.value = value;
    for (const kind of kinds) send(target, new Event(kind, { bubbles: true }));
  };
  for (let step = 0; step < many; step += 1) {
    const kind = one(["button", "button", "input[type=range]", "input[type=checkbox]", ".mbp-word", "select",
      ".mbp-text", ".mbp-stage", ".mbp-box", ".mbp-box"]);
    const target = one([...root.querySelectorAll(kind)]);
    if (target === undefined) continue;
    if (below(3) === 0) send(target, new KeyboardEvent("keydown", { key: one(keys), bubbles: true, cancelable: true }));
    else if (kind === ".mbp-word" || kind === ".mbp-text") choose(target, one(texts), ["input", "change"]);
    else if (kind === "input[type=range]") choose(target, String(below(12) - 2), ["input", "change"]);
    else if (kind === "select") choose(target, one([...target.options]).value, ["input", "change"]);
    else if (target.disabled) send(target, new MouseEvent("click", { bubbles: true }));
    else target.click();
    if (below(4) === 0) await new Promise((go) => setTimeout(go, below(12)));
  }
}"""


def use_at_random(page: Any, seed: int, many: int) -> None:
    """Send ``many`` random clicks, keys and changes to the controls of the playground."""
    texts = ["", "hello world", "a", "naïve 日本 שלום", "<|endoftext|>", "x" * 201, "\ud800", "  lower lowest", ATTACK]
    page.evaluate(_USE_AT_RANDOM, [ROOT, seed, many, texts])


def step_controls(page: Any) -> dict[str, tuple[bool, bool]]:
    """Return for each control that steps through merges whether it can be seen, and whether it can be used."""
    names = [("button", name) for name in ("First step", "Step back", "Step forth", "Last step")]
    found = {
        name: page.get_by_role(role, name=name, exact=True, include_hidden=True)
        for role, name in [*names, ("slider", "Step")]
    }
    return {name: (control.is_visible(), control.is_enabled()) for name, control in found.items()}


def put_each(page: Any, texts: list[str], seconds: float = 30) -> list[dict[str, dict[str, Any]]]:
    """Put one text after the other into the box and return what each panel showed of it, by its tokenizer's name."""
    seen = page.evaluate(_PUT, [ROOT, json.dumps(texts), seconds])
    return [{panel.pop("name"): panel for panel in panels} for panels in seen]


def put(page: Any, text: str, seconds: float = 30) -> dict[str, dict[str, Any]]:
    """Put a text into the box and return what each panel shows of it, by the name of its tokenizer."""
    return put_each(page, [text], seconds)[0]


def in_a_text_box(text: str) -> str:
    """Return what a text box makes of a text: every line break is a line feed there."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parts_shown(page: Any) -> list[str]:
    """Return the parts of the word as they are drawn."""
    return list(page.locator(".mbp-parts .mbp-part").all_inner_texts())


def eventually(look: Any, wanted: Any, seconds: float = PATIENCE) -> None:
    """Fail when ``look()`` does not become what is wanted in time, with what it is."""
    until = time.monotonic() + seconds
    while (seen := look()) != wanted and time.monotonic() < until:
        time.sleep(0.02)
    assert seen == wanted


@pytest.fixture(scope="session")
def own_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a model of our own, with a special token that would like to be markup."""
    tokenizer = BasicTokenizer().train(course_text()[:5_000], 300)
    tokenizer.register_special_tokens({"<|end|>": 300, ATTACK: 301})
    prefix = tmp_path_factory.mktemp("models") / "mine"
    tokenizer.save(prefix)
    return prefix.with_suffix(".model")


@pytest.fixture(scope="session")
def playground_page(tmp_path_factory: pytest.TempPathFactory, own_model: Path) -> Path:
    """The page as the command writes it, with two models: "mine" and "pieces"."""
    folder = tmp_path_factory.mktemp("page")
    sentencepiece_proto.write(PIECES, folder / "pieces.model")
    out = folder / "page.html"
    assert main(["playground", "--out", str(out), "--model", str(own_model), str(folder / "pieces.model")]) == 0
    return out


@pytest.fixture(scope="module")
def one_playground_tab(chromium: Any, playground_page: Path) -> Iterator[Tab]:
    """The tab behind ``playground_tab``."""
    with opened(chromium) as tab:
        tab.page.goto(playground_page.as_uri())
        put(tab.page, "hello")
        yield tab


@pytest.fixture
def playground_tab(one_playground_tab: Tab) -> Iterator[Tab]:
    """Yield a tab with the page, which many tests use one after the other; all its messages are recorded."""
    for name in (*PAGE_ENCODINGS, "mine", "pieces"):
        choice(one_playground_tab, name).check()
    choice(one_playground_tab, "special tokens count as special").uncheck()
    yield one_playground_tab
    one_playground_tab.expect_quiet()
    assert one_playground_tab.page.evaluate("window.hit") is None


def choice(tab: Tab, name: str) -> Any:
    """Return the box to tick with this name."""
    return tab.page.get_by_role("checkbox", name=name, exact=True)


def tokens(tab: Tab, name: str) -> Any:
    """Return the boxes of the tokens of one tokenizer."""
    return tab.page.get_by_role("listbox", name=f"Tokens of {name}").get_by_role("option")
