"""Define what "equal" means: a learner's answer and the wanted one, any two values, and two tokenizers.

How ``same`` and ``assert_same`` treat the cases where opinions differ:

                            same                        assert_same
    a list and a tuple      equal                       equal, and so are arrays and iterators
    1 and True              different                   equal
    1 and 1.0               equal                       equal
    0.1 + 0.2 and 0.3       equal (relative 1e-9)       different
    NaN and NaN             equal                       different
    the order of a dict     ignored                     ignored
    nothing at all          equal                       an error, because nothing was compared

A text on which two tokenizers differ is cut down before it is reported: parts are dropped, large
ones first, while the two sides keep disagreeing. Limits: the search is bounded (it tries at most ``MOST_TRIALS``
shorter texts, and about eight times the length of the failing text in all), so the result is small but not provably
the smallest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

from minbpe_course.errors import NotText
from minbpe_course.learning.judge.exercise import Outcome

LONGEST_SHOWN = 300
MOST_TRIALS = 400  # shorter texts tried before a failing one is reported
SHOWN_CHARACTERS, SHOWN_BYTES, SHOWN_IDS = 30, 12, 6  # on each side of the first difference

Encoder = Callable[[str], Iterable[Any]]
Decoder = Callable[[Any], bytes | str]
Cut = TypeVar("Cut", str, list[int])

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
    if isinstance(yours, dict) and isinstance(wanted, dict):
        return _difference_of_dicts(yours, wanted)
    unit = _unit(yours, wanted)
    if not unit:
        mine, other = kind_of(yours), kind_of(wanted)
        return "" if mine == other or is_number(yours, wanted) else f"yours is {mine}, wanted is {other}"
    place = first_difference(yours, wanted)
    if place is None:
        return ""
    missing = len(wanted) - len(yours)
    items = counted(abs(missing), "item" if unit == "index" else unit)
    if place == len(yours):
        return f"equal up to the end of yours: {items} {'is' if missing == 1 else 'are'} missing"
    if place == len(wanted):
        return f"equal up to the end of what is wanted: {items} too many"
    at = place if unit == "index" else slice(place, place + 1)
    return f"at {unit} {place:,}: {_one_beside_another(yours[at], wanted[at])}"


def first_difference(one: Any, other: Any) -> int | None:
    """Return the first index at which two texts, two bytes or two lists differ, or None.

    >>> first_difference("abc", "abd"), first_difference([1], [1, 2]), first_difference([1], (1,))
    (2, 1, None)
    """
    if not _unit(one, other):
        return None
    places = (at for at, (mine, theirs) in enumerate(zip(one, other)) if not same(mine, theirs))
    return next(places, None if len(one) == len(other) else min(len(one), len(other)))


def _unit(yours: Any, wanted: Any) -> str:
    for unit, kinds in (("character", str), ("byte", bytes), ("index", (list, tuple))):
        if isinstance(yours, kinds) and isinstance(wanted, kinds):
            return unit
    return ""


def _difference_of_dicts(yours: dict[Any, Any], wanted: dict[Any, Any]) -> str:
    for key, value in wanted.items():
        if key not in yours:
            return f"the key {shown(key, 60)} is missing"
        if not same(yours[key], value):
            return f"at key {shown(key, 60)}: {_one_beside_another(yours[key], value)}"
    extra = [key for key in yours if key not in wanted]
    return f"the key {shown(extra[0], 60)} is not wanted" if extra else ""


def _one_beside_another(mine: Any, other: Any) -> str:
    return f"{shown_beside(mine, other, 60)}, wanted {shown_beside(other, mine, 60)}"


_KINDS = {list: "a list", tuple: "a list", dict: "a dict", str: "text (str)", bytes: "bytes", int: "a whole number"}
_KINDS |= {float: "a number", bool: "True or False", set: "a set", type(None): "None"}


def kind_of(value: Any) -> str:
    """Return the type of a plain value in words for a learner; a tuple is called a list too.

    >>> kind_of((1, 2)), kind_of(b"a")
    ('a list', 'bytes')
    """
    return _KINDS.get(type(value), type(value).__name__)


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


def assert_same(yours: Any, wanted: Any, what: str = "values") -> str:
    """Compare two values and return a one-line summary, or raise Difference with the first place where they differ.

    Lists, tuples, ranges, arrays and iterators are compared item by item regardless of type; mappings by key, sets by
    member, str and bytes by position, everything else with ``==``. Two empty collections are an error: nothing was
    compared.

    >>> assert_same([1, 2, 3], (1, 2, 3), "merges")
    'merges: 3 items, identical'
    >>> assert_same({"a": 1}, {"a": 2}, "vocabulary")
    Traceback (most recent call last):
    ...
    minbpe_course.learning.judge.equality.Difference: vocabulary: at key 'a': 1, wanted 2
      yours   {'a': 1}
      wanted  {'a': 2}
    """
    yours, wanted = _normalized(yours), _normalized(wanted)
    if yours != wanted:
        raise Difference(
            f"{what}: {difference(yours, wanted) or 'the values differ'}"
            f"\n  yours   {one_line(shown_beside(yours, wanted, 200))}"
            f"\n  wanted  {one_line(shown_beside(wanted, yours, 200))}"
        )
    if not isinstance(yours, (str, bytes, list, dict, set)):
        return f"{what}: identical"
    if not yours:
        raise Difference(f"{what}: both sides are empty, so nothing was compared.")
    unit = _unit(yours, wanted) or "item"
    return f"{what}: {counted(len(yours), unit.replace('index', 'item'))}, identical"


def _normalized(value: Any) -> Any:
    """Return every sequence as a list, mapping as a dict and set as a set, so that only the content counts."""
    if isinstance(value, bytearray):
        return bytes(value)
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, Mapping):
        return {key: _normalized(item) for key, item in value.items()}
    if isinstance(value, AbstractSet):
        return set(value)
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return list(map(_normalized, value))
    return value


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
        (mine, error), (other, _) = _outcome(ours, text, "ours"), _outcome(theirs, text, "theirs")
        if mine != other:
            where = "" if isinstance(texts, str) else f" for texts[{compared}]"
            raise _difference(text, ours, theirs, decode, where)
        if error is not None:
            raise error
        compared += 1
        total += len(mine or ())
    if not compared:
        raise Difference("nothing was compared: there was not a single text to encode. Was an iterator used up before?")
    return f"{counted(compared, 'text')}, {counted(total, 'id')}: identical"


def _outcome(side: Encoder, text: str, name: str = "one side") -> tuple[list[Any] | None, Exception | None]:
    """Return the ids, or None and the exception."""
    try:
        ids = side(text)
    except NotImplementedError:
        raise
    except Exception as error:
        return None, error
    if ids is None:
        raise Difference(f"{name} returned None for {shown(text, SHOWN_CHARACTERS)}: is its last line a `return`?")
    return list(ids.tolist() if hasattr(ids, "tolist") else ids), None


def cut_down(text: Cut, fails: Callable[[Cut], bool]) -> Cut:
    """Return a shorter text, or list, that still fails, by removing parts, large ones first: of its ends, then of all.

    >>> cut_down("one, two, three", lambda text: "w" in text)
    'w'
    """
    budget = [MOST_TRIALS, 8 * len(text) + 50_000]

    def still(candidate: Cut) -> bool:
        budget[0] -= 1
        budget[1] -= len(candidate)
        return budget[0] >= 0 and budget[1] >= 0 and fails(candidate)

    for ends in (True, False):
        size = len(text) // 2
        while size:
            start = 0
            while start < len(text) > size:
                candidate = text[:start] + text[start + size :]
                if still(candidate):
                    text = candidate
                else:
                    start = len(text) - size if ends and not start else start + size
            size //= 2
    return text


def _difference(text: str, ours: Encoder, theirs: Encoder, decode: Decoder | None, where: str) -> Difference:
    def raised(text: str) -> list[bool] | None:
        (mine, _), (other, _) = _outcome(ours, text), _outcome(theirs, text)
        return None if mine == other else [mine is None, other is None]

    # While cutting, a difference in ids must not turn into an exception of one side, nor the other way round.
    kind = raised(text)
    small = cut_down(text, lambda candidate: raised(candidate) == kind)
    sides = {"ours": _outcome(ours, small), "theirs": _outcome(theirs, small)}
    difference = Difference("\n".join(_report(text, small, sides, decode, where)))
    difference.__cause__ = next((error for _, error in sides.values() if error), None)
    return difference


def _report(
    text: str,
    small: str,
    sides: dict[str, tuple[list[Any] | None, Exception | None]],
    decode: Decoder | None,
    where: str,
) -> Iterator[str]:
    mine, other = (ids for ids, _ in sides.values())
    raised = mine is None or other is None
    at = 0 if raised else first_difference(mine, other) or 0
    tokens = None if raised else _tokens(mine, decode)
    byte_at = sum(map(len, tokens[:at])) if tokens is not None else 0
    data = _utf8(small)
    char_at = len(data[:byte_at].decode("utf-8", "ignore"))

    yield ("one side failed" if raised else "the ids differ") + where
    cut = f", cut down from a text of {len(text):,}" if len(small) < len(text) else ""
    yield f"  text    {_around(small, char_at, SHOWN_CHARACTERS, repr)} ({counted(len(small), 'character')}{cut})"
    yield f"  bytes   {_around(data, byte_at, SHOWN_BYTES, lambda some: some.hex(' ') or 'none')}"
    if not raised:
        place = f", which is byte {byte_at:,} of the text" if tokens is not None else ""
        yield f"  differ  at id {at:,}{place}"
    for name, (ids, error) in sides.items():
        if ids is None:
            yield f"  {name:<7} raised {type(error).__name__}: {one_line(str(error))}"
            continue
        yield f"  {name:<7} {_around(ids, at, SHOWN_IDS, repr)} ({counted(len(ids), 'id')})"
        named = _tokens(ids, decode)
        if named is not None:
            yield f"          {_around(named, at, SHOWN_IDS, lambda some: '|'.join(['', *map(_spelled, some), '']))}"


def _tokens(ids: list[Any] | None, decode: Decoder | None) -> list[bytes] | None:
    """Return each id's bytes, or None without a decoder or when it fails: that must not hide the difference."""
    if ids is None or decode is None:
        return None
    try:
        return [token if isinstance(token, bytes) else _utf8(token) for token in map(decode, ids)]
    except Exception:
        return None


def _spelled(token: bytes) -> str:
    text = token.decode("utf-8", "replace")
    return repr(text)[1:-1] if _utf8(text) == token else repr(token)


def _around(whole: Any, at: int, most: int, write: Callable[[Any], str]) -> str:
    """Return the text of the part around a place, with dots where more was left out."""
    start, stop = max(0, at - most), at + most
    return ("… " if start else "") + write(whole[start:stop]) + (" …" if stop < len(whole) else "")


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


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
    return shortened(" ".join(text.split()), most)


def counted(number: int, unit: str) -> str:
    """Return a number with its unit, in the plural unless the number is 1.

    >>> counted(1_204, "text"), counted(1, "id")
    ('1,204 texts', '1 id')
    """
    return f"{number:,} {unit}{'' if number == 1 else 's'}"
