"""What the exercises of lesson 08 about bytes and tokens are tried on: streams, offsets, prompts that heal.

certain_text    text that nothing can change any more, and the bytes that must wait
token_offsets   in which character each token begins
heal            how far to go back at the end of a prompt, and which tokens may come then
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from minbpe_course.checks.exercise import Case, Outcome

LETTERS = "ab né Ωж♞中🙂"
WHOLE, CUT, BROKEN, NO_BEGINNING = (
    "whole characters",
    "a character that is cut off",
    "broken bytes",
    "bytes that no character begins with",
)


# ----------------------------------------------------------------------------------------------------
# What is certain in a stream


def certain_text(data: bytes) -> tuple[str, bytes]:
    """Return the text that no later byte can change, and the bytes that may still become a character.

    >>> certain_text(b"a\\xe2\\x99"), certain_text(b"a\\x99")
    (('a', b'\\xe2\\x99'), ('a\ufffd', b''))
    """
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    text = decoder.decode(data)
    return text, decoder.getstate()[0]


# Lead bytes with a second byte that no character has: too small a number, or beyond the last character. ED A0, half
# of a surrogate, is not among them: CPython's incremental decoder waits for its third byte, so either answer will do.
_NO_BEGINNINGS = (b"\xe0\x9f", b"\xf0\x8f", b"\xf4\x90", b"\xc0", b"\xc1", b"\xf5", b"\xff", b"\xf8\x88")


def data_cases(random: Random) -> Iterator[Case]:
    """Yield whole and broken texts, ends that wait, and ends that must not wait."""
    yield Case(WHOLE, (b"",))
    for at in range(14):
        text = "".join(random.choices(LETTERS, k=at // 3)).encode("utf-8")
        last = random.choice("éж♞中🙂").encode("utf-8")
        yield Case(WHOLE, (text + last,))
        longest = random.choice(["♞", "🙂", "\U0010ffff", "\ud7ff", "\u0800"]).encode("utf-8")
        yield Case(CUT, (text + longest[: random.randint(1, len(longest) - 1)],))
        yield Case(CUT, (text + "🙂".encode()[:3] if at % 2 else text + "中".encode()[:2],))
        yield Case(BROKEN, (text + random.choice([b"\x80", b"\xc3", b"\xe2\x99"]) + b"a" + last[: at % 2],))
        yield Case(NO_BEGINNING, (text + _NO_BEGINNINGS[at % len(_NO_BEGINNINGS)],))


def never_waits(data: bytes) -> tuple[str, bytes]:
    """Decode all of it."""
    return data.decode("utf-8", errors="replace"), b""


def waits_for_any_lead(data: bytes) -> tuple[str, bytes]:
    """Hold back whatever begins like a character and is too short, even if no character begins so."""
    for size in (1, 2, 3):
        tail = data[-size:]
        if len(data) >= size and tail[0] >= 0xC0:
            needed = 2 if tail[0] < 0xE0 else 3 if tail[0] < 0xF0 else 4
            if size < needed and all(0x80 <= byte < 0xC0 for byte in tail[1:]):
                return data[:-size].decode("utf-8", errors="replace"), tail
            break
    return never_waits(data)


def looks_at_one_byte(data: bytes) -> tuple[str, bytes]:
    """Hold back the last byte, if it begins a character."""
    if data and 0xC2 <= data[-1] <= 0xF4:
        return data[:-1].decode("utf-8", errors="replace"), data[-1:]
    return never_waits(data)


def waits_for_whatever_is_broken(data: bytes) -> tuple[str, bytes]:
    """Give out what decodes, and hold back everything from the first broken byte on."""
    try:
        return data.decode("utf-8"), b""
    except UnicodeDecodeError as error:
        return data[: error.start].decode("utf-8"), data[error.start :]


def drops_broken_bytes(data: bytes) -> tuple[str, bytes]:
    """Decode, and leave out what is broken."""
    _, rest = certain_text(data)
    return data[: len(data) - len(rest)].decode("utf-8", errors="ignore"), rest


def raised_on_bytes(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether bytes that are no text raised an error."""
    return outcome.error == "UnicodeDecodeError"


# ----------------------------------------------------------------------------------------------------
# Offsets


def token_offsets(tokens: Sequence[bytes]) -> list[int]:
    """Return for each token the index of the character in which it begins.

    >>> token_offsets([b"a", b"\\xe2\\x99", b"\\x9e", b"b"])
    [0, 1, 1, 2]
    """
    offsets, begun = [], 0
    for token in tokens:
        offsets.append(begun - (0x80 <= token[0] < 0xC0))
        begun += sum(not 0x80 <= byte < 0xC0 for byte in token)
    return offsets


def drifting_offsets(tokens: Sequence[bytes]) -> list[int]:
    """The faulty function that is handed out: every token counts the characters that it shows alone."""
    offsets, length = [], 0
    for token in tokens:
        offsets.append(length)
        length += len(token.decode("utf-8", errors="replace"))
    return offsets


def offsets_in_bytes(tokens: Sequence[bytes]) -> list[int]:
    """Count bytes."""
    return [sum(map(len, tokens[:at])) for at in range(len(tokens))]


def offsets_of_the_next(tokens: Sequence[bytes]) -> list[int]:
    """Count the characters that have begun, so that a token inside one gets the index of the next."""
    text = b"".join(tokens)
    return [sum(not 0x80 <= byte < 0xC0 for byte in text[:at]) for at in offsets_in_bytes(tokens)]


def offsets_without_broken(tokens: Sequence[bytes]) -> list[int]:
    """Leave out what is broken in a token by itself."""
    offsets, length = [], 0
    for token in tokens:
        offsets.append(length)
        length += len(token.decode("utf-8", errors="ignore"))
    return offsets


def offset_cases(random: Random) -> Iterator[Case]:
    """Yield texts cut between characters, inside them, and byte by byte."""
    yield Case("no token", ([],))
    for size in range(1, 11):
        text = "".join(random.choices(LETTERS, k=size))
        yield Case("tokens of whole characters", ([part.encode("utf-8") for part in _cut(random, text)],))
        inside = ("".join(random.choices("é♞中🙂", k=size)) + text).encode("utf-8")
        yield Case("tokens that begin inside a character", (_cut(random, inside),))
        yield Case("tokens of one byte", ([inside[at : at + 1] for at in range(len(inside))],))


def _cut(random: Random, whole: Any) -> list[Any]:
    places = sorted(random.sample(range(1, len(whole)), k=random.randint(0, len(whole) - 1)))
    return [whole[begin:end] for begin, end in zip([0, *places], [*places, len(whole)])]


# ----------------------------------------------------------------------------------------------------
# Healing

Healed = tuple[int, list[bytes]]


def heal(tokens: Sequence[bytes], vocabulary: Sequence[bytes]) -> Healed:
    """Return how many tokens to keep, and the tokens that may come next: as far back as one longer token could reach.

    >>> heal([b"go", b" ", b"t"], [b" ", b" t", b" to", b"t", b"to"])
    (1, [b' t', b' to'])
    """
    for at in range(len(tokens)):
        taken = b"".join(tokens[at:])
        if any(token.startswith(taken) and token != taken for token in vocabulary):
            return at, _beginning_with(taken, vocabulary)
    return len(tokens), []


def _beginning_with(taken: bytes, vocabulary: Sequence[bytes]) -> list[bytes]:
    return [token for token in vocabulary if token.startswith(taken)]


def heal_one(tokens: Sequence[bytes], vocabulary: Sequence[bytes]) -> Healed:
    """Always take one token back."""
    if not tokens:
        return 0, []
    return len(tokens) - 1, _beginning_with(tokens[-1], vocabulary)


def heal_while_it_lasts(tokens: Sequence[bytes], vocabulary: Sequence[bytes]) -> Healed:
    """Go back token by token, and stop at the first step for which there is no longer token."""
    kept, allowed = len(tokens), []
    for at in range(len(tokens) - 1, -1, -1):
        taken = b"".join(tokens[at:])
        if not any(token.startswith(taken) and token != taken for token in vocabulary):
            break
        kept, allowed = at, _beginning_with(taken, vocabulary)
    return kept, allowed


def heal_as_it_was(tokens: Sequence[bytes], vocabulary: Sequence[bytes]) -> Healed:
    """Go back wherever the rest is a token or begins one: what stood there is taken for a reason to go."""
    for at in range(len(tokens)):
        allowed = _beginning_with(b"".join(tokens[at:]), vocabulary)
        if allowed:
            return at, allowed
    return len(tokens), []


def heal_only_longer(tokens: Sequence[bytes], vocabulary: Sequence[bytes]) -> Healed:
    """Allow longer tokens only, and not what stood there."""
    kept, allowed = heal(tokens, vocabulary)
    return kept, [token for token in allowed if token != b"".join(tokens[kept:])]


def heal_first_place(tokens: Sequence[bytes], vocabulary: Sequence[bytes]) -> Healed:
    """Stop at the place nearest to the end at which a longer token begins."""
    for at in range(len(tokens) - 1, -1, -1):
        taken = b"".join(tokens[at:])
        if any(token.startswith(taken) and token != taken for token in vocabulary):
            return at, _beginning_with(taken, vocabulary)
    return len(tokens), []


LONGER, FARTHER, GAP, NOTHING = (
    "one token back",
    "several tokens back",
    "several tokens back, over one that begins nothing",
    "no longer token",
)
_VOCABULARIES = (
    [b"a", b"b", b"c", b"ab", b"abc", b"bc", b" ", b" a", b" ab", b"ca"],
    [b"h", b"t", b"p", b"ht", b"tp", b"http", b"https", b":", b"://", b"s", b"/"],
    [b"\xe2", b"\x99", b"\x9e", b"\xe2\x99", b"\xe2\x99\x9e", b"a", b" ", b" \xe2", b"a ", b"\x9ea"],
)


def heal_cases(random: Random) -> Iterator[Case]:
    """Yield prompts of every category, drawn until there are some of each."""
    yield Case(NOTHING, ([], [b"a", b"ab"]))
    yield Case(NOTHING, ([b"a", b"b"], []))
    wanted = dict.fromkeys((LONGER, FARTHER, GAP, NOTHING), 6)
    while any(wanted.values()):
        table = list(random.choice(_VOCABULARIES))
        random.shuffle(table)
        tokens = random.choices(table, k=random.randint(1, 5))
        category = _category(tokens, table)
        if wanted[category]:
            wanted[category] -= 1
            yield Case(category, (tokens, table))


def _category(tokens: list[bytes], table: list[bytes]) -> str:
    kept, _ = heal(tokens, table)
    if kept == len(tokens):
        return NOTHING
    if kept == len(tokens) - 1:
        return LONGER
    return FARTHER if heal_while_it_lasts(tokens, table)[0] == kept else GAP
