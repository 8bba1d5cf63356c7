"""What "equal" means: a learner's answer and the wanted one, any two values, and two tokenizers.

How ``same`` and ``assert_same`` treat the cases where opinions differ:

                            same                        assert_same
    a list and a tuple      equal                       equal, and so are arrays and iterators
    1 and True              different                   equal
    1 and 1.0               equal                       equal
    0.1 + 0.2 and 0.3       equal (relative 1e-9)       different
    NaN and NaN             equal                       different
    the order of a dict     ignored                     ignored
    nothing at all          equal                       an error, because nothing was compared

A text on which two tokenizers differ is cut down before it is reported: characters are dropped from both ends and then
from the middle while the two sides keep disagreeing. Limits: the search is bounded (it tries at most ``MOST_TRIALS``
shorter texts, and about eight times the length of the failing text in all), so the result is small but not provably
the smallest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import zip_longest
from typing import Any, TypeVar

from minbpe_course.errors import NotText
from minbpe_course.learning.judge.exercise import Outcome

LONGEST_SHOWN = 300
MOST_TRIALS = 400  # shorter texts tried before a failing one is reported
SHOWN_CHARACTERS = 60  # of a text, around the first difference
SHOWN_IDS = 6  # on each side of the first differing id

Encoder = Callable[[str], Iterable[Any]]
Decoder = Callable[[Any], bytes | str]
Cut = TypeVar("Cut", str, list[int])

_MISSING = object()
_SIZED = (str, bytes, list, dict, frozenset)
NOTHING: Any = object()  # in place of a value that is not there, since None is one


# ----------------------------------------------------------------------------------------------------
# A learner's answer as plain values


def same(yours: Any, wanted: Any) -> bool:
    """Tell whether an answer equals the wanted one. Both are plain values.

    >>> same({"a": [1, 2.0]}, {"a": (1, 2)}), same([1], [1, 1]), same("a", b"a"), same(1, True)
    (True, False, False, False)
    """
    if isinstance(wanted, bool) or isinstance(yours, bool):
        return isinstance(wanted, bool) and isinstance(yours, bool) and wanted == yours
    if isinstance(wanted, (int, float)) and isinstance(yours, (int, float)):
        if isinstance(wanted, int) and isinstance(yours, int):
            return wanted == yours
        return _close(yours, wanted)
    if isinstance(wanted, (list, tuple)) and isinstance(yours, (list, tuple)):
        return len(yours) == len(wanted) and all(map(same, yours, wanted))
    if isinstance(wanted, dict) and isinstance(yours, dict):
        return len(yours) == len(wanted) and all(key in yours and same(yours[key], wanted[key]) for key in wanted)
    return type(yours) is type(wanted) and bool(yours == wanted)


def _close(yours: float, wanted: float) -> bool:
    try:
        return math.isclose(yours, wanted, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(yours) and math.isnan(wanted))
    except OverflowError:  # an integer too large for a float
        return False


def difference(yours: Any, wanted: Any) -> str:
    """Return in a few words where two plain values first differ, or "" where the values show it better.

    >>> difference([1, 2], [1, 2, 3])
    'equal up to the end of yours: 1 item is missing'
    >>> difference(b"abc", b"axc")
    "at byte 1: b'b', wanted b'x'"
    """
    unit = _unit(yours, wanted)
    if unit is None:
        return _difference_of_dicts(yours, wanted)
    for place, (mine, other) in enumerate(zip(yours, wanted)):
        if not same(mine, other):
            if unit != "index":
                mine, other = yours[place : place + 1], wanted[place : place + 1]
            return f"at {unit} {place:,}: {shown_beside(mine, other, 60)}, wanted {shown_beside(other, mine, 60)}"
    if len(yours) == len(wanted):
        return ""
    missing = len(wanted) - len(yours)
    items = counted(abs(missing), "item" if unit == "index" else unit)
    if missing > 0:
        return f"equal up to the end of yours: {items} {'is' if missing == 1 else 'are'} missing"
    return f"equal up to the end of what is wanted: {items} too many"


def _unit(yours: Any, wanted: Any) -> str | None:
    for kinds, unit in ((str, "character"), (bytes, "byte"), ((list, tuple), "index")):
        if isinstance(yours, kinds) and isinstance(wanted, kinds):
            return unit
    return None


def _difference_of_dicts(yours: Any, wanted: Any) -> str:
    if not isinstance(yours, dict) or not isinstance(wanted, dict):
        mine, other = kind_of(yours), kind_of(wanted)
        return "" if mine == other or is_number(yours, wanted) else f"yours is {mine}, wanted is {other}"
    for key, value in wanted.items():
        if key not in yours:
            return f"the key {shown(key, 60)} is missing"
        if not same(yours[key], value):
            mine = yours[key]
            return f"at key {shown(key, 60)}: {shown_beside(mine, value, 60)}, wanted {shown_beside(value, mine, 60)}"
    extra = [key for key in yours if key not in wanted]
    return f"the key {shown(extra[0], 60)} is not wanted" if extra else ""


_KINDS = {list: "a list", tuple: "a list", dict: "a dict", str: "text (str)", bytes: "bytes", int: "a whole number"}
_KINDS |= {float: "a number", bool: "True or False", set: "a set", type(None): "None"}


def kind_of(value: Any) -> str:
    """Return the type of a plain value in words for a learner; a tuple is called a list too.

    >>> kind_of((1, 2)), kind_of(b"a")
    ('a list', 'bytes')
    """
    return _KINDS[type(value)]


def is_number(*values: Any) -> bool:
    """Tell whether all of these are numbers, which ``same`` compares regardless of type.

    >>> is_number(1, 2.5), is_number(1, True)
    (True, False)
    """
    return all(type(value) in (int, float) for value in values)


def agree(ours: Outcome, theirs: Outcome) -> bool:
    """Tell whether two calls ended alike: with the same value, or with an exception of the same class.

    >>> agree(Outcome("value", [1]), Outcome("value", (1,))), agree(Outcome("value", 1), Outcome("raised", error="E"))
    (True, False)
    """
    if ours.state == "value" and theirs.state == "value":
        return same(ours.value, theirs.value)
    return ours.state == theirs.state and ours.error == theirs.error


# ----------------------------------------------------------------------------------------------------
# Any two values


class Difference(AssertionError):
    """The two sides differ, or there was nothing to compare; the message is the report."""


def assert_same(ours: Any, theirs: Any, what: str = "values") -> str:
    """Compare two values and return a one-line summary, or raise Difference with the first place where they differ.

    Lists, tuples, ranges, arrays and iterators are compared item by item regardless of type; mappings by key, sets by
    member, str and bytes by position, everything else with ``==``. Two empty collections are an error: nothing was
    compared.

    >>> assert_same([1, 2, 3], (1, 2, 3), "merges")
    'merges: 3 items, identical'
    >>> assert_same({"a": 1}, {"a": 2}, "vocabulary")
    Traceback (most recent call last):
    ...
    minbpe_course.learning.judge.equality.Difference: vocabulary: the values for key 'a' differ
      ours    1
      theirs  2
    """
    ours, theirs = _normalized(ours), _normalized(theirs)
    if not isinstance(ours, _SIZED):
        if ours != theirs:
            raise Difference(_two_sides(f"{what}: the values differ", ours, theirs))
        return f"{what}: identical"
    if ours != theirs:
        raise Difference(f"{what}: {_first_place(ours, theirs)}")
    if not ours:
        raise Difference(f"{what}: both sides are empty, so nothing was compared.")
    unit = "character" if isinstance(ours, str) else "byte" if isinstance(ours, bytes) else "item"
    return f"{what}: {counted(len(ours), unit)}, identical"


def _normalized(value: Any) -> Any:
    """Return every sequence as a list, mapping as a dict and set as a frozenset, so that only the content counts."""
    if isinstance(value, bytearray):
        return bytes(value)
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, Mapping):
        return {key: _normalized(item) for key, item in value.items()}
    if isinstance(value, AbstractSet):
        return frozenset(value)
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return list(map(_normalized, value))
    return value


def _first_place(ours: Any, theirs: Any) -> str:
    """Say where two different collections differ first."""
    if type(ours) is not type(theirs):
        return _two_sides("the values differ", ours, theirs)
    if isinstance(ours, (list, str, bytes)):
        at = _first_difference(ours, theirs)
        begin, end = (at, at + 3) if isinstance(ours, list) else (max(0, at - 20), at + 20)
        sizes = "" if len(ours) == len(theirs) else f", of {len(ours):,} and {len(theirs):,}"
        return _two_sides(f"the first difference is at index {at:,}{sizes}", ours[begin:end], theirs[begin:end])
    only = [[key for key in one if key not in other] for one, other in ((ours, theirs), (theirs, ours))]
    if any(only):
        return _two_sides("each of these is only on one side", *only)
    key = next(key for key in ours if ours[key] != theirs[key])
    return _two_sides(f"the values for key {key!r} differ", ours[key], theirs[key])


def _two_sides(title: str, ours: Any, theirs: Any) -> str:
    return f"{title}\n  ours    {one_line(repr(ours))}\n  theirs  {one_line(repr(theirs))}"


# ----------------------------------------------------------------------------------------------------
# Two tokenizers


def assert_same_ids(
    texts: str | Iterable[str], ours: Encoder, theirs: Encoder, *, decode: Decoder | None = None
) -> str:
    """Encode every text with both sides and return a one-line summary if all ids are equal.

    Parameters
    ----------
    texts : one text, or any iterable of texts. It must not be empty.
    ours, theirs : text -> ids; a list, a tuple or an array of any integer dtype (or of str, for pieces).
    decode : id -> bytes (or str), used only to name tokens and byte positions in a report.

    Raises Difference with the first failing text (cut down), the place, its bytes, and the ids of both sides. It is
    also a difference when one side raises and the other does not. If both raise, the exception of ``ours`` is raised.
    NotImplementedError (a blank exercise) passes through. Raises NotText for a text that is not a str.

    >>> assert_same_ids(["low", "lower"], lambda text: text.encode(), lambda text: list(text.encode("ascii")))
    '2 texts, 8 ids: identical'
    >>> assert_same_ids("naïve", lambda text: text.encode(), lambda text: [ord(c) for c in text])
    Traceback (most recent call last):
    ...
    minbpe_course.learning.judge.equality.Difference: the ids differ
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


class _Raised:
    """An exception in place of ids. Any two compare as equal."""

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
        raise Difference(f"{name} returned None for {_text_around(text, 0)}: is its last line a `return`?")
    return list(ids.tolist() if hasattr(ids, "tolist") else ids)


def cut_down(text: Cut, fails: Callable[[Cut], bool]) -> Cut:
    """Return a shorter text, or list, that still fails, by removing parts from its end, its front and its middle.

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


def _difference(text: str, ours: Encoder, theirs: Encoder, decode: Decoder | None, where: str) -> Difference:
    # While cutting, a difference in ids must not turn into an exception of one side, nor the other way round.
    raised = (isinstance(_outcome(ours, text), _Raised), isinstance(_outcome(theirs, text), _Raised))

    def fails(candidate: str) -> bool:
        mine, other = _outcome(ours, candidate), _outcome(theirs, candidate)
        return mine != other and (isinstance(mine, _Raised), isinstance(other, _Raised)) == raised

    small = cut_down(text, fails)
    mine, other = _outcome(ours, small), _outcome(theirs, small)
    error = next((side.error for side in (mine, other) if isinstance(side, _Raised)), None)
    difference = Difference("\n".join(_report(text, small, mine, other, decode, where)))
    difference.__cause__ = error
    return difference


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
    yield f"  text    {_text_around(small, char_at)} ({counted(len(small), 'character')}{cut})"
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


def _first_difference(mine: Sequence[Any], other: Sequence[Any]) -> int:
    return next(i for i, (a, b) in enumerate(zip_longest(mine, other, fillvalue=_MISSING)) if a is _MISSING or a != b)


def _tokens(ids: list[Any], decode: Decoder | None) -> list[bytes] | None:
    """Return each id's bytes, or None without a decoder or when it fails: that must not hide the difference."""
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


def _text_around(text: str, at: int) -> str:
    half = SHOWN_CHARACTERS // 2
    start = max(0, at - half)
    stop = start + SHOWN_CHARACTERS
    return ("…" if start else "") + _printable_repr(text[start:stop]) + ("…" if stop < len(text) else "")


def _printable_repr(text: str) -> str:
    """Return the repr with lone surrogates escaped, since no terminal can print them."""
    return repr(text).encode("utf-8", "backslashreplace").decode("utf-8")


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _is_utf8(token: bytes) -> bool:
    try:
        token.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


# ----------------------------------------------------------------------------------------------------
# Values in words


def shown(value: Any, most: int = LONGEST_SHOWN) -> str:
    """Return a value as Python would write it, shortened in the middle.

    >>> shown([1, 2]), shown("ab" * 10, most=12)
    ('[1, 2]', "'ababa…abab'")
    """
    return shortened(repr(value), most)


def shown_beside(value: Any, other: Any, most: int) -> str:
    """Return a value on one line, cut around the first difference of its text from that of ``other``.

    other : the value to compare with, or NOTHING.

    >>> shown_beside([0] * 50 + [7] + [0] * 50, [0] * 101, 20)
    '… 0, 0, 0, 7, 0, 0, …'
    """
    text = repr(value)
    if len(text) <= most or other is NOTHING:
        return shortened(text, most)
    at = next((at for at, (mine, theirs) in enumerate(zip(text, repr(other))) if mine != theirs), 0)
    start = max(0, min(at - most // 2, len(text) - most + 1))
    end = start + most - 1
    return f"{'…' * (start > 0)}{text[start:end]}{'…' * (end < len(text))}"


def shortened(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters, with a gap in the middle where it was longer.

    >>> shortened("abcdefghij", 5)
    'ab…ij'
    """
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[: most - 1 - half]}…{text[-half:]}"


def one_line(text: str, most: int = 200) -> str:
    """Return text on one line of at most ``most`` characters, every run of white space as one space.

    >>> one_line("first   second")
    'first second'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def counted(number: int, unit: str) -> str:
    """Return a number with its unit, in the plural unless the number is 1.

    >>> counted(1_204, "text"), counted(1, "id")
    ('1,204 texts', '1 id')
    """
    return f"{number:,} {unit}{'' if number == 1 else 's'}"
