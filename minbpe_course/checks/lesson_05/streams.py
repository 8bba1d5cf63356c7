"""The design of lesson 05: cutting a stream at its special tokens while holding back as little as may be.

    SpecialStream        the reference: what it holds back cannot be told yet, whatever comes
    stream_cases         chunks of all sizes
    complaint, measured  whether the pieces are right, and how much more than needed was held back

What counts as held back: the characters that were fed and not yet given out, after each chunk. Giving out too early is
no way to win, since what was given out must, joined, be the cut of the whole text.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from minbpe_course.checks.equality import same, shown
from minbpe_course.checks.exercise import Case, Outcome
from minbpe_course.checks.lesson_05.cases import CHAT, END, END_LINE, PAD, split_on_special

Piece = tuple[str, "int | None"]


class SpecialStream:
    """Cuts text that arrives in chunks; gives out each piece as soon as nothing that follows can change it.

    >>> stream = SpecialStream({"<|end|>": 300})
    >>> stream.feed("Hi<|e"), stream.feed("nd|>"), stream.finish()
    ([('Hi', None)], [('<|end|>', 300)], [])
    """

    def __init__(self, special_tokens: Mapping[str, int]) -> None:
        self._specials = dict(special_tokens)
        self._held = ""

    def feed(self, chunk: str) -> list[Piece]:
        """Take the next chunk and return the pieces that are certain now."""
        self._held += chunk
        return self._certain(ended=False)

    def finish(self) -> list[Piece]:
        """Return what was held back: nothing more will come."""
        return self._certain(ended=True)

    def _certain(self, *, ended: bool) -> list[Piece]:
        pieces: list[Piece] = []
        begun = at = 0
        while at < len(self._held):
            rest = self._held[at:]
            if not ended and any(name.startswith(rest) and name != rest for name in self._specials):
                break
            name = max((name for name in self._specials if rest.startswith(name)), key=len, default="")
            if not name:
                at += 1
                continue
            pieces += [(self._held[begun:at], None)] * (at > begun)
            pieces.append((name, self._specials[name]))
            begun = at = at + len(name)
        pieces += [(self._held[begun:at], None)] * (at > begun)
        self._held = self._held[at:]
        return pieces


_TEXTS: dict[str, tuple[dict[str, int], list[str]]] = {
    "ordinary text": (CHAT, ["What is ", "2 + 2", "? ", "a < b", " | ", "né ", "世界", "\n"]),
    "special tokens": (CHAT, [*CHAT, "Hi", " ", "\n", "user\n"]),
    "halves of special tokens": (CHAT, [*CHAT, "<|im_", "<|", "<", "start|>", "<|im_end|", ">"]),
    "one begins like another": ({END: 0, END_LINE: 301, PAD: 302}, [END, END_LINE, "\n", PAD, "ok", "<|e"]),
    "special tokens that overlap": ({"ab": 300, "bcd": 301, "abcde": 302}, ["a", "b", "c", "d", "e", "ab", "abcd"]),
    "a token that begins like its own end": ({"aab": 300, "--->": 301}, ["a", "aa", "b", "-", "--", ">"]),
}


def stream_cases(random: Random) -> Iterator[Case]:
    """Yield texts in chunks of one character, of a few, and whole."""
    yield _fed("nothing is fed", {END: 300}, [])
    yield _fed("no special token is known", {}, ["<|end", "|>"])
    # The end of the longest name may begin another one; that is no reason to wait, nor to cut there.
    yield _fed("special tokens that overlap", {"ab": 300, "abx": 301, "xy": 302}, ["abx", "y"])
    for size in range(1, 8):
        for category, (specials, pieces) in _TEXTS.items():
            text = "".join(random.choices(pieces, k=size + 2))
            longest = random.choice([1, 3, 6, 12])
            chunks, at = [], 0
            while at < len(text):
                step = random.randint(0 if longest > 1 else 1, longest)
                chunks.append(text[at : at + step])
                at += step
            yield _fed(category, specials, chunks)


def _fed(category: str, specials: dict[str, int], chunks: list[str]) -> Case:
    feeds = tuple(("feed", (chunk,)) for chunk in chunks)
    return Case(category, (specials,), script=(*feeds, ("finish", ())))


def complaint(case: Case, answer: Any) -> str | None:
    """Return None when the pieces, joined, are the cut of the whole text, else what they should be.

    >>> complaint(_fed("", {"<|end|>": 300}, ["a", "b"]), [[("a", None)], [], [("b", None)]]) is None
    True
    """
    if len(answer) != len(case.script):
        return f"{len(case.script)} answers, one to each call"
    pieces = _joined(answer)
    if pieces is None:
        return "each call returns a list of pairs: (text, None) or (special token, its id)"
    if len(pieces) > len(_text(case)):
        return f"at most {len(_text(case))} pieces, since there are no more characters; yours are {len(pieces)}"
    wanted = split_on_special(_text(case), case.args[0])
    return None if same(pieces, wanted) else f"all together {shown(wanted)}, and yours are {shown(pieces)}"


def _joined(answer: Any) -> list[Piece] | None:
    """Return all pieces with neighbouring text made one, or None for what is no list of lists of pairs."""
    given: list[Piece] = []
    for listed in answer:
        if not isinstance(listed, (list, tuple)) or not all(map(_is_piece, listed)):
            return None
        given += listed
    pieces: list[Piece] = []
    for is_text, run in itertools.groupby(given, key=lambda piece: piece[1] is None):
        if is_text:
            text = "".join(text for text, _ in run)
            pieces += [(text, None)] * bool(text)
        else:
            pieces += [(name, number) for name, number in run if name]
    return pieces


def _is_piece(pair: Any) -> bool:
    if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not isinstance(pair[0], str):
        return False
    return pair[1] is None or (isinstance(pair[1], int) and not isinstance(pair[1], bool))


def _text(case: Case) -> str:
    return "".join(args[0] for method, args in case.script if method == "feed")


def _pieces(outcome: Outcome) -> list[Piece]:
    return (_joined(outcome.value) if outcome.state == "value" else None) or []


def rest_lost(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether less text came out than went in."""
    return outcome.state == "value" and sum(len(text) for text, _ in _pieces(outcome)) < len(_text(case))


def cut_by_a_border(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether ordinary text came out with a special token in it."""
    return any(number is None and name in text for text, number in _pieces(outcome) for name in case.args[0])


def too_eager(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether a special token came out where a longer one stands."""
    right = split_on_special(_text(case), case.args[0])
    for (text, number), (longer, its_id) in zip(_pieces(outcome), right):
        if text != longer:
            return number is not None and its_id is not None and longer.startswith(text)
    return False


def measured(cases: tuple[Case, ...], answers: list[Any]) -> tuple[float, str | None]:
    """Return how many characters a chunk were held back beyond the least, over all cases; there is never a complaint.

    >>> measured((_fed("", {}, ["ab", "c"]),), [[[], [("abc", None)], []]])
    (1.0, None)
    """
    chunks = more = 0
    for case, answer in zip(cases, answers):
        stream, fed, given, least = SpecialStream(case.args[0]), 0, 0, 0
        for (method, args), pieces in zip(case.script, answer):
            if method != "feed":
                continue
            fed += len(args[0])
            given += sum(len(text) for text, _ in pieces)
            least += sum(len(text) for text, _ in stream.feed(*args))
            chunks += 1
            more += max(0, least - given)
    return more / max(1, chunks), None
