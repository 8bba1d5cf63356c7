"""The page's engine at work: in Node where there is one, else in Chromium, and nowhere else.

    with engine_for(page_data(["gpt2"])) as engine:
        engine.ids("gpt2", ["hello world"])        [[31373, 995]]

One program for both: it reads a request and gives an answer, both JSON. Text travels in escapes, so that lone
surrogates arrive as they are. MINBPE_COURSE_ENGINE=chromium in the environment asks for the browser.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from minbpe_course.playground_page.sources import source as javascript
from tests.shared.browser import launched, why_no_browser
from tests.shared.patience import PATIENCE

PROGRAM = r"""
let engine = null;
const kept = new Map();
let parts = { createEngine };
const two = (byte) => byte.toString(16).padStart(2, "0");
const hex = (token) => typeof token === "string" ? token : Array.from(token, two).join("");
const toBase64 = (bytes) => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
};
const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
const WAYS = {
  open: ({ name, bytes, options }) => engine.open(name, fromBase64(bytes), options),
  data: ({ data, key }) => { kept.set(key, data); return WAYS.use({ key }); },
  use: async ({ key }) => { engine = await parts.createEngine(kept.get(key)); return engine.names; },
  source: ({ text }) => { parts = new Function(`${text}return { createEngine };`)(); return null; },
  cut: ({ name, texts, specials, tokens }) => texts.map((text) => {
    const cut = engine.cut(name, text, { specials });
    return tokens ? [cut.ids, cut.tokens.map(hex), cut.special] : cut.ids;
  }),
  steps: ({ name, texts }) => texts.map((text) => engine.steps(name, text).map(({ ids, parts, rank, at }) =>
    [ids, parts.map(hex), rank, at])),
  wordAt: ({ name, text, places, specials }) => places.map((place) => {
    try { return engine.wordAt(name, text, place, { specials }); } catch { return null; }
  }),
  classes: async ({ packed }) => toBase64(classesOfRuns(await unpack(packed))),
  unpack: async ({ packed }) => toBase64(await unpack(packed)),
  words: ({ name, texts }) => texts.map((text) => {
    try { return engine.words(name, text); } catch { return null; }
  }),
};
async function answer(line) {
  try {
    const request = JSON.parse(line);
    return JSON.stringify({ answer: await WAYS[request.way](request) });
  } catch (error) {
    return JSON.stringify({ error: String(error) });
  }
}
"""

NODE = """
require("node:readline").createInterface({ input: process.stdin, crlfDelay: Infinity })
  .on("line", async (line) => process.stdout.write(await answer(line) + "\\n"));
"""
AT_A_TIME = 2000


class Engine:
    """The engine with some data, asked by function calls. ``ask`` sends one request and returns its answer."""

    def __init__(self, send: Any) -> None:
        self._send = send

    def ask(self, way: str, **request: Any) -> Any:
        found = json.loads(self._send(json.dumps({"way": way, **request})))
        if "error" in found:
            raise RuntimeError(found["error"])
        return found["answer"]

    def open(self, name: str, data: bytes, **options: Any) -> dict[str, Any]:
        """Open a file in the engine, as when it is dropped onto the page."""
        return dict(self.ask("open", name=name, bytes=base64.b64encode(data).decode("ascii"), options=options))

    def ids(self, name: str, texts: Sequence[Any], specials: bool = False) -> list[list[int]]:
        found: list[list[int]] = []
        for begin in range(0, len(texts), AT_A_TIME):
            some = list(texts[begin : begin + AT_A_TIME])
            found += self.ask("cut", name=name, texts=some, specials=specials, tokens=False)
        return found

    def cuts(self, name: str, texts: Sequence[str], specials: bool = False) -> list[tuple[list[int], list, list[int]]]:
        """ids, tokens (bytes as hexadecimal digits) and the places of special tokens, of each text."""
        found = []
        for begin in range(0, len(texts), AT_A_TIME):
            some = list(texts[begin : begin + AT_A_TIME])
            found += self.ask("cut", name=name, texts=some, specials=specials, tokens=True)
        return [(ids, tokens, special) for ids, tokens, special in found]


@contextmanager
def engine_for(data: dict[str, Any] | None, source: str | None = None) -> Iterator[Engine]:
    """Start the engine, or skip the test with the reason. source : another engine than the one of the package."""
    program = (source or javascript("engine/engine.js")) + PROGRAM
    node = None if os.environ.get("MINBPE_COURSE_ENGINE") == "chromium" else shutil.which("node")
    with in_node(node, program) if node else in_chromium(program) as engine:
        if data is not None:
            engine.ask("data", data=data)
        yield engine


@contextmanager
def in_node(node: str, program: str) -> Iterator[Engine]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "engine.js"
        path.write_text(program + NODE, encoding="utf-8")
        process = subprocess.Popen([node, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdin is not None
        assert process.stdout is not None

        def send(line: str) -> str:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            return process.stdout.readline()

        try:
            yield Engine(send)
        finally:
            process.stdin.close()
            process.stdout.close()
            process.wait(timeout=PATIENCE)


@contextmanager
def in_chromium(program: str) -> Iterator[Engine]:
    reason = why_no_browser()
    if reason:
        pytest.skip(f"neither Node nor a browser is here: {reason}")
    with launched() as browser:
        page = browser.new_page()
        page.set_content("<!doctype html><meta charset=utf-8>")
        page.add_script_tag(content=program)
        yield Engine(lambda line: page.evaluate("(line) => answer(line)", line))
