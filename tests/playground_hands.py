"""Hands and eyes for the playground in a browser: type, wait until every panel has answered, read what it shows."""

from __future__ import annotations

import json
import time
from typing import Any

# In JavaScript: put a text into the box as typing or pasting does, and wait until every panel shows it.
_PUT = """async ([selector, json, seconds]) => {
  const root = document.querySelector(selector);
  const area = root.querySelector(".mbp-text");
  area.value = JSON.parse(json);
  area.dispatchEvent(new Event("input", { bubbles: true }));
  const until = performance.now() + 1000 * seconds;
  const panels = () => [...root.querySelectorAll(".mbp-panel")];
  while (!panels().every((panel) => panel.dataset.answered === root.dataset.asked)) {
    if (performance.now() > until) throw new Error("a panel does not answer");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return panels().map((panel) => ({
    name: panel.querySelector(".mbp-title").textContent,
    counts: panel.querySelector(".mbp-counts").textContent,
    problem: panel.querySelector(".mbp-problem").hidden ? "" : panel.querySelector(".mbp-problem").textContent,
    ids: [...panel.querySelectorAll(".mbp-box")].map((box) => / id (-?\\d+)/.exec(box.getAttribute("aria-label"))[1]),
    shown: [...panel.querySelectorAll(".mbp-box")].map((box) => box.textContent),
    more: panel.querySelector(".mbp-more").hidden ? "" : panel.querySelector(".mbp-more").textContent,
  }));
}"""
ROOT = "#playground .mbp, .jp-OutputArea .mbp"


def put(page: Any, text: str, seconds: float = 30) -> dict[str, dict[str, Any]]:
    """Put a text into the box and return what each panel shows of it, by the name of its tokenizer."""
    panels = page.evaluate(_PUT, [ROOT, json.dumps(text), seconds])
    return {panel.pop("name"): panel for panel in panels}


def ids_shown(page: Any, text: str) -> dict[str, list[int]]:
    """Put a text into the box and return the ids in each panel."""
    return {name: list(map(int, panel["ids"])) for name, panel in put(page, text).items()}


def in_a_text_box(text: str) -> str:
    """Return what a text box makes of a text: every line break is a line feed there."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parts_shown(page: Any) -> list[str]:
    """Return the parts of the word as they are drawn."""
    return list(page.locator(".mbp-parts .mbp-part").all_inner_texts())


def eventually(look: Any, wanted: Any, seconds: float = 10) -> None:
    """Fail when ``look()`` does not become what is wanted in time, with what it is."""
    until = time.monotonic() + seconds
    while (seen := look()) != wanted and time.monotonic() < until:
        time.sleep(0.02)
    assert seen == wanted
