"""The exercise of lesson 12 about unstable ends: the ways in which one token may stand across the end of a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from minbpe_course.checks.exercise import Case
from minbpe_course.reference.unstable import crossing_tokens

BEGINNING, INSIDE, SAME, NONE = (
    "a token that begins where the text begins",
    "a token that begins inside the text",
    "two tokens with the same future",
    "no token goes beyond the end",
)


def futures(end: bytes, vocabulary: Sequence[bytes]) -> list[bytes]:
    """Return, sorted and each once, the texts that begin with ``end`` and finish with a token that stands across it.

    >>> futures(b"xab", [b"ab", b"abc", b"b", b"bc", b"xab"])
    [b'xabc']
    """
    table = sorted(set(vocabulary))
    return sorted({end[: found.at] + token for found in crossing_tokens(end, table) for token in found.tokens})


def with_the_end_itself(end: bytes, vocabulary: Sequence[bytes]) -> list[bytes]:
    """Let a token that finishes exactly with the text pass for one that goes beyond."""
    own = [end] if any(end.endswith(token) for token in vocabulary) else []
    return sorted({*futures(end, vocabulary), *own})


def whole_end_only(end: bytes, vocabulary: Sequence[bytes]) -> list[bytes]:
    """Look only for tokens that begin with the whole text."""
    return sorted({token for token in vocabulary if token.startswith(end) and token != end}) if end else []


def last_byte_only(end: bytes, vocabulary: Sequence[bytes]) -> list[bytes]:
    """Look only for tokens that begin with the last byte."""
    return sorted({end[:-1] + token for token in vocabulary if end and token.startswith(end[-1:]) and len(token) > 1})


def anything_behind(end: bytes, vocabulary: Sequence[bytes]) -> list[bytes]:
    """Add tokens that begin behind the end."""
    return sorted({*futures(end, vocabulary), *(end + token for token in vocabulary)})


def tokens_alone(end: bytes, vocabulary: Sequence[bytes]) -> list[bytes]:
    """Return the tokens, without the text before them."""
    table = sorted(set(vocabulary))
    return sorted({token for found in crossing_tokens(end, table) for token in found.tokens})


def each_time(end: bytes, vocabulary: Sequence[bytes]) -> list[bytes]:
    """Name a future once for every token that leads to it."""
    table = sorted(set(vocabulary))
    return sorted(end[: found.at] + token for found in crossing_tokens(end, table) for token in found.tokens)


_WORDS = (
    b"style",
    b"styles",
    b"cell",
    b"cells",
    b".cell",
    b"yes",
    b"yellow",
    b"tyre",
    b"ly",
    b"e",
    b"l",
    b"s",
    b"y",
    b"t",
)


def end_cases(random: Random) -> Iterator[Case]:
    """Yield ends of every category, drawn until there are some of each; the smallest come first."""
    yield Case(NONE, (b"", [b"a", b"ab"]))
    yield Case(NONE, (b"ab", [b"a", b"b", b"ab", b"cab"]))
    wanted = dict.fromkeys((BEGINNING, INSIDE, SAME, NONE), 6)
    size = 2
    while any(wanted.values()):
        size += 1
        table = {"".join(random.choices("ab", k=random.randint(1, 4))).encode() for _ in range(4 + size // 40)}
        if size % 3 == 0:
            table |= set(random.sample(_WORDS, 9))
        if size % 5 == 0:
            table |= {b"\xe2", b"\xe2\x99", b"\xe2\x99\x9e", b"\x99\x9e"}
        source = random.choice(sorted(table))
        end = (random.choice(sorted(table)) + source)[: -random.randint(1, 2)]
        vocabulary = sorted(table)
        random.shuffle(vocabulary)
        category = _category(end, vocabulary)
        if end and wanted[category]:
            wanted[category] -= 1
            yield Case(category, (end, vocabulary))


def _category(end: bytes, vocabulary: Sequence[bytes]) -> str:
    found = list(crossing_tokens(end, sorted(vocabulary)))
    if not found:
        return NONE
    if sum(len(one.tokens) for one in found) > len(futures(end, vocabulary)):
        return SAME
    return INSIDE if found[-1].at else BEGINNING
