"""Two tokenizers side by side: the same ids for every text, or a report of the smallest difference found.

    assert_same_ids(texts, ours, theirs)   -> "1,204 texts, 88,031 ids: identical"
    assert_same(ours, theirs, what)        -> "merges: 50,000 items, identical"        (from .sameness)

A failing text is cut down before it is reported: characters are dropped from both ends and then from inside for as long
as the two sides keep disagreeing. Limits: the cutting is bounded (it tries at most ``MOST_TRIALS`` shorter texts, and
about eight times the length of the failing text in all), so what is shown is small but not provably the smallest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import Any, TypeVar

from minbpe_course.checks.sameness import Difference, assert_same, counted, one_line
from minbpe_course.errors import NotText

__all__ = ["Difference", "assert_same", "assert_same_ids"]

MOST_TRIALS = 400  # shorter texts tried before a failing one is shown
SHOWN_CHARACTERS = 60  # of a text, around the place that matters
SHOWN_IDS = 6  # on each side of the first differing id

Encoder = Callable[[str], Iterable[Any]]
Decoder = Callable[[Any], bytes | str]
Cut = TypeVar("Cut", str, list[int])

_MISSING = object()


def assert_same_ids(
    texts: str | Iterable[str],
    ours: Encoder,
    theirs: Encoder,
    *,
    decode: Decoder | None = None,
) -> str:
    """Encode every text both ways and return a one-line summary if all ids are equal.

    Parameters
    ----------
    texts : one text, or any iterable of texts. It must not be empty.
    ours, theirs : text -> ids; a list, a tuple or an array of any integer dtype (or of str, for pieces).
    decode : id -> bytes (or str), used only to name tokens and byte positions in a report.

    Raises Difference with the first failing text (cut down), the place, its bytes, and the ids of both sides. A side
    that raises where the other one answers is a difference too. NotImplementedError (a blank exercise) passes through,
    and so does the exception of ``ours`` where both sides fail. Raises NotText for whatever is no str.

    >>> assert_same_ids(["low", "lower"], lambda text: text.encode(), lambda text: list(text.encode("ascii")))
    '2 texts, 8 ids: identical'
    >>> assert_same_ids("naïve", lambda text: text.encode(), lambda text: [ord(c) for c in text])
    Traceback (most recent call last):
    ...
    minbpe_course.checks.sameness.Difference: the ids differ
      text    'ï' (1 character, cut down from a text of 5)
      bytes   c3 af
      differ  at id 0
      ours    [195, 175] (2 ids)
      theirs  [239] (1 id)
    """
    compared = total = 0
    for text in [texts] if isinstance(texts, str) else texts:
        if not isinstance(text, str):
            raise NotText(f"texts[{compared}] is {type(text).__name__}, not str: give a text or an iterable of texts.")
        mine, other = _outcome(ours, text, "ours"), _outcome(theirs, text, "theirs")
        if mine != other:
            where = "" if isinstance(texts, str) else f" for texts[{compared}]"
            raise _difference(text, ours, theirs, decode, where)
        if isinstance(mine, _Raised):
            raise mine.error
        compared += 1
        total += len(mine)
    if not compared:
        raise Difference("nothing was compared: there was not a single text to encode. Was an iterator used up before?")
    return f"{counted(compared, 'text')}, {counted(total, 'id')}: identical"


# ----------------------------------------------------------------------------------------------------
# Running the two sides


class _Raised:
    """What a side did instead of answering. Two of the same class count as the same outcome."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Raised)

    __hash__ = None  # type: ignore[assignment]


def _outcome(side: Encoder, text: str, name: str = "one side") -> list[Any] | _Raised:
    try:
        ids = side(text)
    except NotImplementedError:
        raise
    except Exception as error:
        return _Raised(error)
    if ids is None:
        raise Difference(f"{name} returned None for {_shortened(text, 0)}: is its last line a `return`?")
    return list(ids.tolist() if hasattr(ids, "tolist") else ids)


# ----------------------------------------------------------------------------------------------------
# Cutting a failing text down


def cut_down(text: Cut, fails: Callable[[Cut], bool]) -> Cut:
    """Return a shorter text, or list, that still fails: stretches go from the end, the front and then the inside.

    >>> cut_down("one, two, three", lambda text: "w" in text)
    'w'
    """
    budget = [MOST_TRIALS, 8 * len(text) + 50_000]

    def still(candidate: Cut) -> bool:
        budget[0] -= 1
        budget[1] -= len(candidate)
        return budget[0] >= 0 and budget[1] >= 0 and fails(candidate)

    size = len(text) // 2
    while size:
        while len(text) > size and still(text[:-size]):
            text = text[:-size]
        while len(text) > size and still(text[size:]):
            text = text[size:]
        size //= 2

    size = len(text) // 2
    while size:
        start = 1
        while start + size < len(text):
            candidate = text[:start] + text[start + size :]
            if still(candidate):
                text = candidate
            else:
                start += size
        size //= 2
    return text


def _difference(
    text: str,
    ours: Encoder,
    theirs: Encoder,
    decode: Decoder | None,
    where: str,
) -> Difference:
    # A difference in ids must not be traded for a crash of one side on some shorter text, nor the other way round.
    sort = (isinstance(_outcome(ours, text), _Raised), isinstance(_outcome(theirs, text), _Raised))

    def fails(candidate: str) -> bool:
        mine, other = _outcome(ours, candidate), _outcome(theirs, candidate)
        return mine != other and (isinstance(mine, _Raised), isinstance(other, _Raised)) == sort

    small = cut_down(text, fails)
    mine, other = _outcome(ours, small), _outcome(theirs, small)
    error = next((side.error for side in (mine, other) if isinstance(side, _Raised)), None)
    difference = Difference("\n".join(_report(text, small, mine, other, decode, where)))
    difference.__cause__ = error
    return difference


# ----------------------------------------------------------------------------------------------------
# Saying it


def _report(
    text: str, small: str, mine: list[Any] | _Raised, other: list[Any] | _Raised, decode: Decoder | None, where: str
) -> Iterator[str]:
    raised = isinstance(mine, _Raised) or isinstance(other, _Raised)
    at, tokens = 0, None
    if not isinstance(mine, _Raised) and not isinstance(other, _Raised):
        at, tokens = _first_difference(mine, other), _tokens(mine, decode)
    byte_at = sum(map(len, tokens[:at])) if tokens is not None else 0
    char_at = len(_utf8(small)[:byte_at].decode("utf-8", "ignore"))

    yield ("one side failed" if raised else "the ids differ") + where
    cut = f", cut down from a text of {len(text):,}" if len(small) < len(text) else ""
    yield f"  text    {_shortened(small, char_at)} ({counted(len(small), 'character')}{cut})"
    yield f"  bytes   {_bytes_shown(_utf8(small), byte_at)}"
    if not raised:
        place = f", which is byte {byte_at:,} of the text" if tokens is not None else ""
        yield f"  differ  at id {at:,}{place}"
    for name, side in (("ours", mine), ("theirs", other)):
        if isinstance(side, _Raised):
            yield f"  {name:<7} raised {type(side.error).__name__}: {one_line(str(side.error))}"
            continue
        yield f"  {name:<7} {_ids_shown(side, at)} ({counted(len(side), 'id')})"
        named = _tokens(side, decode)
        if named is not None:
            yield f"          {_tokens_shown(named, at)}"


def _first_difference(mine: list[Any], other: list[Any]) -> int:
    return next(i for i, (a, b) in enumerate(zip_longest(mine, other, fillvalue=_MISSING)) if a is _MISSING or a != b)


def _tokens(ids: list[Any], decode: Decoder | None) -> list[bytes] | None:
    """Each id's bytes, or None where nobody can say: a decoder that fails must not hide what it should explain."""
    if decode is None:
        return None
    try:
        return [token if isinstance(token, bytes) else _utf8(token) for token in map(decode, ids)]
    except Exception:
        return None


def _tokens_shown(tokens: list[bytes], at: int) -> str:
    start, stop = max(0, at - SHOWN_IDS), at + SHOWN_IDS + 1
    shown = [repr(token.decode("utf-8"))[1:-1] if _is_utf8(token) else repr(token) for token in tokens[start:stop]]
    return ("… " if start else "") + "|".join(["", *shown, ""]) + (" …" if stop < len(tokens) else "")


def _ids_shown(ids: list[Any], at: int) -> str:
    start, stop = max(0, at - SHOWN_IDS), at + SHOWN_IDS + 1
    shown = ["…"] * (start > 0) + [repr(i) for i in ids[start:stop]] + ["…"] * (stop < len(ids))
    return f"[{', '.join(shown)}]"


def _bytes_shown(data: bytes, at: int) -> str:
    start, stop = max(0, at - 12), at + 12
    return ("… " if start else "") + (data[start:stop].hex(" ") or "none") + (" …" if stop < len(data) else "")


def _shortened(text: str, at: int) -> str:
    half = SHOWN_CHARACTERS // 2
    start = max(0, at - half)
    stop = start + SHOWN_CHARACTERS
    return ("…" if start else "") + _printable_repr(text[start:stop]) + ("…" if stop < len(text) else "")


def _printable_repr(text: str) -> str:
    """Return the repr, in which a lone surrogate, which no terminal can print, is escaped whatever Python runs."""
    return repr(text).encode("utf-8", "backslashreplace").decode("utf-8")


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _is_utf8(token: bytes) -> bool:
    try:
        token.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
