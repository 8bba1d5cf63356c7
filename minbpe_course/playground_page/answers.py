"""Answer the questions of the notebook's playground: cuts, words, and merges, as JSON.

Bytes are sent as "b" and one character for each byte, text as "s" and the text, so that invalid UTF-8 and lone
surrogates arrive unchanged. An error in a tokenizer becomes the answer's ``problem``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from minbpe_course.errors import InvalidOption, MinbpeCourseError
from minbpe_course.inspecting.tokenizer_view import Cut, Token, TokenizerView
from minbpe_course.playground_page.word_merges import WordMerges, word_merges

MOST_TOKENS = 2_000  # sent for one text; all ids are sent, so that they can be copied
MOST_PROBLEM = 2_000  # characters of a message
_EXACT = 2**53  # larger integers are not exact in JavaScript


class Answers:
    """Answers the questions of the playground about some tokenizers.

    views : name -> a function that returns the TokenizerView, called on first use.

    >>> from minbpe_course.inspecting.tokenizer_view import view_of
    >>> answers = Answers({"gpt2": lambda: view_of("gpt2")})
    >>> answers.answer('{"kind": "cut", "name": "gpt2", "text": "hello"}')
    '{"ids": [31373], "tokens": ["bhello"], "special": [], "note": ""}'
    >>> answers.answer('{"kind": "steps", "name": "gpt3"}')
    '{"problem": "no tokenizer is called gpt3."}'
    """

    def __init__(self, views: Mapping[str, Callable[[], TokenizerView]]) -> None:
        self._cutter = cache(lambda name: views[name]())
        self._names = frozenset(views)
        self._kept: dict[str, WordMerges] = {}

    def answer(self, question: str) -> str:
        """Return the answer to a question, both JSON; never raise an error of a tokenizer."""
        try:
            return json.dumps(self._answered(json.loads(question)))
        except BaseException as problem:
            # Including SystemExit: the tokenizer may be a learner's first class.
            return json.dumps({"problem": problem_text(problem)})

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
        raise InvalidOption(f"there is no question of the kind {kind!r}.")

    def _merges(self, name: str) -> WordMerges:
        if name not in self._kept:
            merges = word_merges(self._cutter(name))
            if not merges.may_change:
                self._kept[name] = merges
            return merges
        return self._kept[name]


def problem_text(problem: BaseException) -> str:
    """Return the message of an error, of bounded length, even if its ``__str__`` fails.

    >>> problem_text(ZeroDivisionError("division by zero"))
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
