"""Exercise 12.keeps_ids: whether a .tiktoken file of these merges gives the same ids for every text.

A list of ranks merges two neighbours when their joined bytes are a token. That equals the merges if, and only if, no
two tokens have the same bytes and every token is the encoding of its own bytes (lesson 04, the section "Look up the
pair, or the joined bytes?").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from minbpe_course.learning.exercises.lesson_09.stays_apart import merged_from_the_left
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps


def keeps_ids(merges):
    """Return whether a list of ranks gives the same ids as the merges for every text.

    You want to turn merges into a `.tiktoken` file, a list of tokens with ranks. A program that reads this file merges
    two neighbors if their *joined bytes* are in the list, and takes a word as a whole if the word is in the list. Will
    every text still have the ids that the merges give?

    * **In:** `merges`, a list of pairs of ids. Ids below 256 are bytes; the first pair makes id 256, the next one 257,
      and so on. Merging takes the pair with the smallest id first; if ids are equal, the leftmost pair.
    * **Out:** `True` if the ids of every text stay the same, otherwise `False`.

    | `merges` | tokens | answer |
    |---|---|---|
    | `[(97, 98), (256, 99)]` | `ab`, `abc` | `True` |
    | `[(97, 98), (98, 99), (97, 257)]` | `ab`, `bc`, `abc` | `False`: `abc` gets two ids, as `ab` is first |
    | `[(97, 97), (256, 97), (97, 256)]` | `aa`, `aaa`, `aaa` | `False`: one line, two ids |
    """
    spelled = [bytes([value]) for value in range(256)]
    made_of = {}
    for a, b in merges:
        made_of[a, b] = len(spelled)
        spelled.append(spelled[a] + spelled[b])
    if len(set(spelled)) < len(spelled):
        return False

    def merged(numbers):
        while True:
            places = [(made_of[both], at) for at, both in enumerate(zip(numbers, numbers[1:])) if both in made_of]
            if not places:
                return numbers
            number, at = min(places)
            numbers = [*numbers[:at], number, *numbers[at + 2 :]]

    return all(merged(list(raw)) == [number] for number, raw in enumerate(spelled))


Merges = Sequence[tuple[int, int]]


def token_bytes(merges: Merges) -> list[bytes]:
    """Return the bytes of every id.

    >>> token_bytes([(97, 98)])[256]
    b'ab'
    """
    table = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        table.append(table[left] + table[right])
    return table


def reference_keeps_ids(merges: Merges) -> bool:
    """Return whether a list of ranks gives the ids of these merges, for every text.

    >>> keeps_ids([(97, 98), (256, 99)]), keeps_ids([(97, 98), (98, 99), (97, 257)])
    (True, False)
    """
    return _all_different(merges) and _all_reached(merges)


def _all_different(merges: Merges) -> bool:
    table = token_bytes(merges)
    return len(set(table)) == len(table)


def _all_reached(merges: Merges, encode: Callable[..., list[int]] = encode_word) -> bool:
    ranks = _ranks(merges)
    table = token_bytes(merges)
    first = {token: token_id for token_id, token in reversed(list(enumerate(table)))}
    return all(encode(list(token), ranks) == [first[token]] for token in table[256:])


def _only_one_way(merges: Merges) -> bool:
    table = token_bytes(merges)
    ways = [sum(word[:at] in table and word[at:] in table for at in range(1, len(word))) for word in table]
    return _all_different(merges) and max(ways) < 2


def _ranks(merges: Merges) -> dict[tuple[int, int], int]:
    ranks: dict[tuple[int, int], int] = {}
    for at, (left, right) in enumerate(merges):
        ranks.setdefault((left, right), 256 + at)
    return ranks


TRAINED, FORESTALLED, TWICE, BOTH = (
    "trained merges",
    "a token that another merge forestalls",
    "two tokens with the same bytes",
    "merges in another order, and still right",
)


def merge_cases(random: Random) -> Iterator[Case]:
    """Yield merges of each category, drawn until there are some of each."""
    yield Case(TRAINED, ([],))
    yield Case(BOTH, ([(98, 99), (97, 98), (97, 256)],))
    yield Case(BOTH, ([(97, 98), (98, 99), (256, 99)],))
    wanted = dict.fromkeys((TRAINED, FORESTALLED, TWICE, BOTH), 7)
    while any(wanted.values()):
        words = ["".join(random.choices("abbcd", k=random.randint(3, 9))).encode() for _ in range(9)]
        trained = [step.pair for step in train_steps(words, 256 + random.randint(3, 9))]
        for category in (TRAINED, BOTH, BOTH, BOTH):
            merges = trained if category == TRAINED else _reordered(random, trained)
            if random.random() < 0.3:
                merges = _with_equal_bytes(merges)
            if not _all_different(merges):
                category = TWICE
            elif not _all_reached(merges):
                category = FORESTALLED
            if wanted[category] and merges:
                wanted[category] -= 1
                yield Case(category, (merges,))


def _reordered(random: Random, merges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the same merges in a random order in which both halves of each still come first."""
    waiting, names, order = dict(enumerate(merges, start=256)), {byte: byte for byte in range(256)}, []
    while waiting:
        ready = [old for old, pair in waiting.items() if pair[0] in names and pair[1] in names]
        old = random.choice(ready)
        order.append(tuple(names[half] for half in waiting.pop(old)))
        names[old] = 255 + len(order)
    return order  # type: ignore[return-value]


def _with_equal_bytes(merges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Add a second merge for the bytes of a token of three bytes, if there is one."""
    table = token_bytes(merges)
    for at, (left, _) in enumerate(merges):
        token = table[256 + at]
        if len(token) == 3:
            rest = token[1:] if left > 255 else token[:2]
            if rest in table:
                made = table.index(rest)
                return [*merges, (token[0], made) if left > 255 else (made, token[2])]
            made = 256 + len(merges)
            pair = (rest[0], rest[1])
            return [*merges, pair, (token[0], made) if left > 255 else (made, token[2])]
    return merges


EXERCISE = Exercise(
    key="12.keeps_ids",
    answer=keeps_ids,
    title="Which merges does a list of ranks keep?",
    kind="write",
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "tiktoken looks up joined bytes. Where could it join bytes that these merges would not join? "
        "Lesson 04 has such a vocabulary of three tokens.",
        "make the bytes of every token; if two are equal: False; encode the bytes of every token with the merges, "
        "as lesson 02 does; if the result is not that one token: False; else True",
        "Lesson 04 asks whether to look up the pair or the joined bytes, and lesson 12 writes the `.tiktoken` file.",
    ),
    wanted=reference_keeps_ids,
    shown=(
        Case(TRAINED, ([(97, 98), (256, 99)],)),
        Case(FORESTALLED, ([(97, 98), (98, 99), (97, 257)],)),
        Case(TWICE, ([(97, 97), (256, 97), (97, 256)],)),
        Case(BOTH, ([(98, 99), (97, 256)],)),
    ),
    drawn=merge_cases,
    mistakes=(
        Mistake(
            "from-the-left",
            "Here the leftmost pair is not the one that merges first. Which pair do these merges take first?",
            like=lambda merges: _all_different(merges) and _all_reached(merges, merged_from_the_left),
        ),
        Mistake(
            "one-way-only",
            "A token that could be put together in two ways does no harm if the merges always choose the same one.",
            like=_only_one_way,
        ),
        Mistake(
            "different-only",
            "All tokens are different, and still one of them is never produced: another merge always comes first.",
            like=_all_different,
        ),
        Mistake(
            "reached-only",
            "Two merges that make the same bytes are two ids for one line. A list of ranks can hold only one of them.",
            like=_all_reached,
        ),
        Mistake(
            "pairs",
            "Look at the bytes that the pairs make, and at what happens when all merges are applied.",
            like=lambda merges: len(set(merges)) == len(merges),
        ),
    ),
)
