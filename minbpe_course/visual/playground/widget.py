"""The playground in a notebook: type, and any mix of tokenizers answers from the kernel, your own class included.

Needs anywidget, which this file alone imports. Each tokenizer answers in a thread of its own, so that a slow one keeps
neither the others nor the cells of the notebook from their work.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from minbpe_course.errors import MissingPackage, NotText
from minbpe_course.inspecting.tokenizer_view import TokenizerView, view_of
from minbpe_course.visual.playground.answers import Answers
from minbpe_course.visual.playground.sources import free_name, source, style

OFFERED = ("gpt2", "cl100k_base", "o200k_base")


def playground(text: str = "", *tokenizers: Any, specials: bool = False) -> Any:
    """Return a widget for a notebook: type, and see how each tokenizer cuts the text, and how a word is merged.

    text : what stands there at first · tokenizers : whatever ``show`` takes: names of encodings, tokenizers of ours, of
    tiktoken, sentencepiece or tokenizers, paths of ``.model`` files, objects of your own class; without any, three
    published encodings, which can always be switched on · specials : whether special tokens in the text are recognised.

    Raises MissingPackage without anywidget, NotText, and what ``view_of`` raises for something that is no tokenizer.

    >>> from minbpe_course import BasicTokenizer
    >>> playground("aaabdaaabac", BasicTokenizer().train("aaabdaaabac", 259), "gpt2")
    playground('aaabdaaabac', 'BasicTokenizer', 'gpt2')
    """
    if not isinstance(text, str):
        raise NotText(f"the text comes first and is a str, got {type(text).__name__}: playground('hello', 'gpt2').")
    cutters: dict[str, Callable[[], TokenizerView]] = {}
    for tokenizer in tokenizers or OFFERED:
        made = view_of(tokenizer)
        cutters[free_name(made.name, cutters)] = partial(_itself, made)
    chosen = list(cutters)
    for name in OFFERED:
        cutters.setdefault(name, partial(view_of, name))
    start = {"text": text, "names": list(cutters), "chosen": chosen, "specials": bool(specials)}
    return _widget_class()(Answers(cutters), start)


def _itself(made: TokenizerView) -> TokenizerView:
    return made


class Line:
    """Work done one after the other in a thread, which lives only while there is some.

    >>> done = threading.Event()
    >>> Line(lambda item: item.set()).add(done)
    >>> done.wait(10)
    True
    """

    def __init__(self, work: Callable[[Any], None]) -> None:
        self._work = work
        self._waiting: deque[Any] = deque()
        self._lock = threading.Lock()
        self._at_work = False

    def add(self, item: Any) -> None:
        """Put an item at the end of the line."""
        with self._lock:
            self._waiting.append(item)
            if self._at_work:
                return
            self._at_work = True
        # A class that never comes back must not keep the kernel from ending.
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._at_work = False
                    return
                item = self._waiting.popleft()
            self._work(item)


@cache
def _widget_class() -> type:
    try:
        import anywidget
        import traitlets
    except ImportError as problem:
        raise MissingPackage(
            'the playground needs anywidget, which is not installed: pip install "minbpe-course[widgets]"\n'
            "Without it: show(text, tokenizer), and in a terminal minbpe-course playground --out page.html"
        ) from problem

    class Playground(anywidget.AnyWidget):
        """One playground; its views ask, and ``Answers`` answers."""

        _esm = source("widget.js")
        _css = style()
        setup = traitlets.Unicode("{}").tag(sync=True)

        def __init__(self, answers: Answers, start: dict[str, Any]) -> None:
            self._start = start
            self._answers = answers
            self._lines = {name: Line(self._answer) for name in start["names"]}
            super().__init__(setup=json.dumps(start))
            self.on_msg(self._asked)

        def __repr__(self) -> str:
            text = self._start["text"]
            given = [text if len(text) <= 40 else f"{text[:39]}…", *self._start["chosen"]]
            return f"playground({', '.join(map(repr, given))})"

        def _asked(self, _: Any, content: Any, __: Any) -> None:
            if isinstance(content, dict) and content.get("name") in self._lines:
                self._lines[content["name"]].add(content)

        def _answer(self, content: dict[str, Any]) -> None:
            answer = self._answers.answer(str(content.get("question")))
            self.send({"view": content.get("view"), "number": content.get("number"), "answer": answer})

    return Playground
