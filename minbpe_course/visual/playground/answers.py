"""What the kernel answers when the playground asks: cuts, words, and merges, as data that any message can carry.

A question and an answer are JSON. Bytes travel as "b" and one character for each, text as "s" and the text, so that
broken bytes and lone surrogates arrive as they left. Whatever a tokenizer raises becomes the answer's ``problem``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from minbpe_course.errors import InvalidOption, MinbpeCourseError
from minbpe_course.inspecting.tokenizer_view import Cut, Token, TokenizerView
from minbpe_course.visual.playground.word_merges import WordMerges, word_merges

MOST_TOKENS = 2_000  # sent for one text; the ids are all sent, for whoever copies them
MOST_PROBLEM = 2_000  # characters of a message
_EXACT = 2**53  # larger whole numbers are other numbers in JavaScript


class Answers:
    """Answers the questions of the playground about some tokenizers.

    cutters : name -> what makes the TokenizerView, called when it is first needed.

    >>> from minbpe_course.inspecting.tokenizer_view import view_of
    >>> answers = Answers({"gpt2": lambda: view_of("gpt2")})
    >>> answers.answer('{"kind": "cut", "name": "gpt2", "text": "hello"}')
    '{"ids": [31373], "tokens": ["bhello"], "special": [], "note": ""}'
    >>> answers.answer('{"kind": "steps", "name": "gpt3"}')
    '{"problem": "no tokenizer is called gpt3."}'
    """

    def __init__(self, cutters: Mapping[str, Callable[[], TokenizerView]]) -> None:
        self._cutter = cache(lambda name: cutters[name]())
        self._names = frozenset(cutters)
        self._kept: dict[str, WordMerges] = {}

    def answer(self, question: str) -> str:
        """Return the answer to a question, both JSON; never raises what a tokenizer does wrong."""
        try:
            return json.dumps(self._answered(json.loads(question)))
        except BaseException as problem:
            # SystemExit and the like too: the class may be somebody's first.
            return json.dumps({"problem": told(problem)})

    def _answered(self, asked: dict[str, Any]) -> Any:
        name, text = str(asked.get("name")), str(asked.get("text", ""))
        if name not in self._names:
            raise InvalidOption(f"no tokenizer is called {name}.")
        kind, specials = asked.get("kind"), bool(asked.get("specials"))
        if kind == "cut":
            most = min(int(asked.get("most", MOST_TOKENS)), MOST_TOKENS)
            return _cut_sent(self._cutter(name).cut(text, specials), most)
        if kind == "words":
            return self._merges(name).words(text)
        if kind == "wordAt":
            merges = self._merges(name)
            return merges.word_at(self._cutter(name).cut(text, specials), int(asked["place"]))
        if kind == "steps":
            return [
                {"parts": _sent(step.parts), "rank": step.rank, "at": step.at}
                for step in self._merges(name).steps(text)
            ]
        raise InvalidOption(f"nobody knows what {kind!r} asks for.")

    def _merges(self, name: str) -> WordMerges:
        if name not in self._kept:
            merges = word_merges(self._cutter(name))
            if not merges.may_change:
                self._kept[name] = merges
            return merges
        return self._kept[name]


def told(problem: BaseException) -> str:
    """Return a problem in words, of bounded length, whatever its class does.

    >>> told(ZeroDivisionError("division by zero"))
    'ZeroDivisionError: division by zero'
    """
    try:
        text = str(problem)
    except BaseException:
        text = ""
    if not isinstance(problem, MinbpeCourseError) or not text:
        text = f"{type(problem).__name__}: {text}".removesuffix(": ")
    return text if len(text) <= MOST_PROBLEM else f"{text[:MOST_PROBLEM]} …"


def _cut_sent(cut: Cut, most: int) -> dict[str, Any]:
    ids = [token_id if abs(token_id) < _EXACT else str(token_id) for token_id in cut.ids]
    return {"ids": ids, "tokens": _sent(cut.tokens[:most]), "special": sorted(cut.special)[:most], "note": cut.note}


def _sent(tokens: Sequence[Token]) -> list[str]:
    return [f"s{token}" if isinstance(token, str) else "b" + token.decode("latin-1") for token in tokens]
