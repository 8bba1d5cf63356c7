"""The playground in a notebook: type, and any mix of tokenizers answers from the kernel, including your own class.

This is the only module that imports anywidget. Each tokenizer answers in its own thread, so that a slow one does not
delay the others or the cells of the notebook.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from minbpe_course.errors import NotText
from minbpe_course.extras import needed
from minbpe_course.inspecting.tokenizer_view import TokenizerView, view_of
from minbpe_course.playground_page.answers import Answers
from minbpe_course.playground_page.sources import source, style
from minbpe_course.showing.drawing import free_name

DEFAULT_ENCODINGS = ("gpt2", "cl100k_base", "o200k_base")


def playground(text: str = "", *tokenizers: Any, specials: bool = False) -> Any:
    """Return a widget for a notebook: type, and see how each tokenizer cuts the text, and how a word is merged.

    text : the initial text · tokenizers : the same as for ``show``: names of encodings, tokenizers of this package, of
    tiktoken, sentencepiece or tokenizers, paths of ``.model`` files, objects of your own class; the default is three
    published encodings, which can always be switched on · specials : whether special tokens in the text are recognised.

    Raises MissingPackage without anywidget, NotText, and the errors of ``view_of`` for other objects.

    >>> from minbpe_course import BasicTokenizer
    >>> playground("aaabdaaabac", BasicTokenizer().train("aaabdaaabac", 259), "gpt2")
    playground('aaabdaaabac', 'BasicTokenizer', 'gpt2')
    """
    if not isinstance(text, str):
        raise NotText(f"the text comes first and is a str, got {type(text).__name__}: playground('hello', 'gpt2').")
    views: dict[str, Callable[[], TokenizerView]] = {}
    for tokenizer in tokenizers or DEFAULT_ENCODINGS:
        made = view_of(tokenizer)
        views[free_name(made.name, views)] = partial(_identity, made)
    chosen = list(views)
    for name in DEFAULT_ENCODINGS:
        views.setdefault(name, partial(view_of, name))
    start = {"text": text, "names": list(views), "chosen": chosen, "specials": bool(specials)}
    return _widget_class()(Answers(views), start)


def _identity(made: TokenizerView) -> TokenizerView:
    return made


class WorkQueue:
    """Do work in order in a thread that runs only while there is work."""

    def __init__(self, work: Callable[[Any], None]) -> None:
        self._work = work
        self._waiting: deque[Any] = deque()
        self._lock = threading.Lock()
        self._running = False

    def add(self, item: Any) -> None:
        """Add an item to the end of the queue."""
        with self._lock:
            self._waiting.append(item)
            if self._running:
                return
            self._running = True
        # A daemon, because a tokenizer that never returns must not keep the kernel from ending.
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running = False
                    return
                item = self._waiting.popleft()
            self._work(item)


@cache
def _widget_class() -> type:
    without = "Without it: show(text, tokenizer), and in a terminal minbpe-course playground --out page.html"
    with needed("the playground in a notebook", "anywidget", otherwise=without):
        import anywidget
        import traitlets

    class Playground(anywidget.AnyWidget):
        """One playground; its views send questions to ``Answers``."""

        _esm = source("widget.js")
        _css = style()
        setup = traitlets.Unicode("{}").tag(sync=True)

        def __init__(self, answers: Answers, start: dict[str, Any]) -> None:
            self._start = start
            self._answers = answers
            self._queues = {name: WorkQueue(self._answer) for name in start["names"]}
            super().__init__(setup=json.dumps(start))
            self.on_msg(self._asked)

        def __repr__(self) -> str:
            text = self._start["text"]
            given = [text if len(text) <= 40 else f"{text[:39]}…", *self._start["chosen"]]
            return f"playground({', '.join(map(repr, given))})"

        def _asked(self, _: Any, content: Any, __: Any) -> None:
            if isinstance(content, dict) and content.get("name") in self._queues:
                self._queues[content["name"]].add(content)

        def _answer(self, content: dict[str, Any]) -> None:
            answer = self._answers.answer(str(content.get("question")))
            self.send({"view": content.get("view"), "number": content.get("number"), "answer": answer})

    return Playground
