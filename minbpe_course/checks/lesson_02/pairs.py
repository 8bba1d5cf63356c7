"""Lesson 02, the two verbs: counting pairs by word, merging one, and the learner's own test of a merge.

Limits: a test sees its subject's answers only, never whether the list that it handed over was changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from random import Random
from typing import Any

from minbpe_course.checks.equality import same
from minbpe_course.checks.exercise import Case, Exercise, Mistake, Mutant, Outcome
from minbpe_course.reference import pairs

Pair = tuple[int, int]
Words = list[tuple[list[int], int]]

# ----------------------------------------------------------------------------------------------------
# 02.count_pairs


def _count_pairs(words: Words) -> dict[Pair, int]:
    counts: dict[Pair, int] = {}
    for ids, count in words:
        pairs.get_stats(ids, counts, count)
    return counts


def _in_order(case: Case, answer: Any) -> str | None:
    """Compare the counts, and then the order in which they stand."""
    wanted = _count_pairs(*case.args)
    if not same(answer, wanted):
        return ""
    return None if list(answer) == list(wanted) else "the same counts, in the order in which the pairs are first seen"


def _counting(line: Callable[[dict[Pair, int], Pair, int], int]) -> Callable[[Words], dict[Pair, int]]:
    """Return what the exercise's loop does with another line inside."""

    def count_pairs(words: Words) -> dict[Pair, int]:
        counts: dict[Pair, int] = {}
        for ids, count in words:
            for pair in pairwise(ids):
                counts[pair] = line(counts, pair, count)
        return counts

    return count_pairs


def _count_once_a_word(words: Words) -> dict[Pair, int]:
    counts: dict[Pair, int] = {}
    for ids, count in words:
        for pair in dict.fromkeys(pairwise(ids)):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def _words(random: Random, number: int, longest: int, letters: int, most: int) -> Words:
    words = []
    for _ in range(number):
        length = random.randint(1, longest)
        words.append(([random.randrange(97, 97 + letters) for _ in range(length)], random.randint(1, most)))
    return words


def _count_cases(random: Random) -> Iterator[Case]:
    yield Case("no words", ([],))
    yield Case("words of one id", (_words(random, 3, 1, 3, 9),))
    for number in range(2, 9):
        yield Case("words that occur once", (_words(random, number, 5, 4, 1),))
        yield Case("words that occur often", (_words(random, number, 5, 9, 50),))
        yield Case("one pair in several words", (_words(random, number, 4, 2, 9),))
        run = [random.randrange(256)] * random.randint(3, 7)
        yield Case("overlapping pairs", ([*_words(random, number, 4, 3, 9), (run, random.randint(2, 9))],))


COUNT_PAIRS = Exercise(
    key="02.count_pairs",
    title="Count by word",
    kind="fill",
    entry="count_pairs",
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "A word that occurs five times holds each of its pairs five times.",
        "new number of this pair = number so far, 0 if it is new, + how often this word occurs",
        'Lesson 02, "Two verbs": `get_stats` has the same line for a single text, where everything occurs once.',
    ),
    wanted=_count_pairs,
    accept=_in_order,
    shown=(
        Case("words that occur often", ([([1, 2, 3], 5)],)),
        Case("one pair in several words", ([([1, 2], 5), ([3, 1, 2], 2)],)),
        Case("overlapping pairs", ([([7, 7, 7], 2)],)),
    ),
    drawn=_count_cases,
    mistakes=(
        Mistake(
            "forgets-the-count",
            "Each pair of a word was counted once, however often the word occurs.",
            like=_counting(lambda counts, pair, count: counts.get(pair, 0) + 1),
        ),
        Mistake(
            "keeps-only-the-last",
            "A pair may stand in several words, or twice in one: what was counted before must not be forgotten.",
            like=_counting(lambda counts, pair, count: count),
        ),
        Mistake(
            "starts-at-one",
            "How often has a pair been seen before it is seen for the first time?",
            like=_counting(lambda counts, pair, count: counts.get(pair, 1) + count),
        ),
        Mistake(
            "counts-once-a-word",
            "7 7 7 holds the pair (7, 7) two times: pairs may overlap when they are counted.",
            like=_count_once_a_word,
        ),
        Mistake(
            "another-order",
            "The counts are right, but the pairs no longer stand in the order in which they are first seen.",
            when=lambda case, outcome, wanted: same(outcome.value, wanted),
        ),
    ),
)

# ----------------------------------------------------------------------------------------------------
# 02.merge


def _merge_cases(random: Random) -> Iterator[Case]:
    yield Case("nothing to merge", ([], (1, 2), 9))
    yield Case("one id", ([1], (1, 1), 256))
    for length in range(2, 30):
        ids = [random.randrange(3) for _ in range(length)]
        left, right = random.randrange(3), random.randrange(3)
        category = "overlapping pairs" if left == right else "several places"
        yield Case(category, (ids, (left, right), 256 + random.randrange(100)))
        if length % 3 == 0:
            yield Case("the pair at the end", ([*ids, left, right], (left, right), 300))
            yield Case("bytes", (bytes(97 + token for token in ids), (97 + left, 97 + right), 256))
            pair = (left, right) if left != right else (left, (left + 1) % 3)
            yield Case("the new id is half of the pair", (ids, pair, pair[0]))
    yield Case("large ids", ([100_000, 7, 199_999, 100_000, 7], (100_000, 7), 200_000))


def _merge_everywhere(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    """Look at every neighbouring pair, even when its left half was just merged away."""
    merged = []
    for at, token in enumerate(ids):
        if at + 1 < len(ids) and (token, ids[at + 1]) == pair:
            merged.append(new_id)
        elif at == 0 or (ids[at - 1], token) != pair:
            merged.append(token)
    return merged


def _merge_from_the_right(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    return pairs.merge(list(ids)[::-1], (pair[1], pair[0]), new_id)[::-1]


def _merge_once(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    for at in range(len(ids) - 1):
        if (ids[at], ids[at + 1]) == pair:
            return [*ids[:at], new_id, *ids[at + 2 :]]
    return list(ids)


def _merge_without_moving_on(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    return [new_id if pair == tuple(ids[at : at + 2]) else token for at, token in enumerate(ids)]


def _merge_until_none_is_left(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    now = list(ids)
    for _ in range(len(ids)):
        now = _merge_once(now, pair, new_id)
    return now


def _merge_without_the_end(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    return [*pairs.merge(ids[:-1], pair, new_id), *ids[-1:]]


def _nothing_merged(case: Case, outcome: Outcome, wanted: list[int]) -> bool:
    return isinstance(outcome.value, (list, tuple, bytes)) and list(outcome.value) == list(case.args[0])


MERGE = Exercise(
    key="02.merge",
    title="Merge a pair",
    kind="write",
    entry="merge",
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "Walk from left to right with an index of your own: after a merge it moves by two.",
        "while ids are left: does the pair stand here? yes: write new_id, go two on; no: write this id, go one on",
        'Lesson 02, "Two verbs": the case `aaa` shows why the loop cannot be a plain `for`.',
    ),
    wanted=pairs.merge,
    keeps_input=True,
    shown=(
        Case("several places", ([1, 2, 3, 1, 2], (1, 2), 4)),
        Case("the pair at the end", ([3, 1, 2], (1, 2), 4)),
        Case("overlapping pairs", ([1, 1, 1], (1, 1), 2)),
        Case("the new id is half of the pair", ([1, 2, 2], (1, 2), 1)),
    ),
    drawn=_merge_cases,
    mistakes=(
        Mistake(
            "merges-overlaps",
            "In 1 1 1 there is one pair to merge, not two: once the middle is used up it cannot be used again.",
            like=_merge_everywhere,
        ),
        Mistake("merges-once", "The pair may stand in several places, and all of them are merged.", like=_merge_once),
        Mistake(
            "keeps-the-right-half",
            "The new id takes the place of both halves. Where does your walk go on after a merge?",
            like=_merge_without_moving_on,
        ),
        Mistake(
            "walks-from-the-right",
            "The first two of three equal ids are merged, not the last two: the walk begins at the left.",
            like=_merge_from_the_right,
        ),
        Mistake(
            "reads-its-own-writing",
            "An id that you have just written is not read again, even if it and its neighbour look like the pair.",
            like=_merge_until_none_is_left,
        ),
        Mistake(
            "misses-the-end",
            "A pair may stand at the very end. Which is the last place at which your walk looks for it?",
            like=_merge_without_the_end,
        ),
        Mistake("nothing-merged", "Your answer still has the pair in it.", when=_nothing_merged),
    ),
)

# ----------------------------------------------------------------------------------------------------
# 02.test_merge

_RIGHT = (
    """
def merge(ids, pair, new_id):
    merged, at = [], 0
    while at < len(ids):
        found = list(ids[at : at + 2]) == list(pair)
        merged.append(new_id if found else ids[at])
        at += 2 if found else 1
    return merged
""",
    """
def merge(ids, pair, new_id):
    left, right = pair
    merged, waiting = [], False
    for token in ids:
        if waiting and token == right:
            merged[-1], waiting = new_id, False
        else:
            merged.append(token)
            waiting = token == left
    return merged
""",
    """
def merge(ids, pair, new_id):
    ids, starts, free = list(ids), set(), 0
    for at in range(len(ids) - 1):
        if at >= free and ids[at] == pair[0] and ids[at + 1] == pair[1]:
            starts.add(at)
            free = at + 2
    return [new_id if at in starts else token for at, token in enumerate(ids) if at - 1 not in starts]
""",
)


def _mutant(name: str, category: str, *changes: tuple[str, str]) -> Mutant:
    """Return the first right implementation with something replaced in it."""
    source = _RIGHT[0]
    for old, new in changes:
        if old not in source:
            raise ValueError(f"the mutant {name} replaces what is not there: {old}")
        source = source.replace(old, new)
    return Mutant(name, source, category)


def _mutants() -> Iterable[Mutant]:
    found, step = "list(ids[at : at + 2]) == list(pair)", "at += 2 if found else 1"
    yield _mutant("first-only", "merges the first place only", (found, f"{found} and new_id not in merged"))
    yield _mutant("either-order", "takes the pair in either order", (found, "sorted(ids[at : at + 2]) == sorted(pair)"))
    yield _mutant("left-half", "looks at the left half of the pair only", (found, "ids[at : at + 1] == [pair[0]]"))
    yield _mutant("end", "misses a pair at the very end", (found, f"{found} and at + 2 < len(ids)"))
    yield _mutant("tail", "loses an id that is left over at the end", ("at < len(ids)", "at < len(ids) - 1"))
    yield _mutant("empty", "falls over when there are no ids", ("at = [], 0", "at = [], 0 * ids[0]"))
    yield _mutant("always-256", "writes 256 whatever the new id is", ("new_id if found", "256 if found"))
    yield _mutant(
        "overlaps",
        "merges places that overlap",
        (step, "at += 2 if found and list(ids[at + 1 : at + 3]) != list(pair) else 1"),
    )
    yield _mutant(
        "from-the-right",
        "walks from right to left",
        ("merged, at = [], 0", "ids, pair, merged, at = ids[::-1], pair[::-1], [], 0"),
        ("return merged", "return merged[::-1]"),
    )
    yield _mutant(
        "remembers",
        "remembers the ids of the call before",
        ("new_id):", "new_id, merged=[]):"),
        ("merged, at = [], 0", "at = 0"),
    )


TEST_MERGE = Exercise(
    key="02.test_merge",
    title="Write the test",
    kind="test",
    entry="test_merge",
    difficulty=2,
    minutes=15,
    points=3,
    hints=(
        "One example proves little. Which inputs are special: the shortest, the pair in special places, equal halves?",
        "a table of (ids, pair, new_id, wanted); for each row: assert list(merge(ids, pair, new_id)) == wanted, ids",
        'Lesson 02, "Two verbs": the text beside `merge` says what may overlap and what may not. '
        'And "Encoding" ends with the texts that nobody tries.',
    ),
    subject="merge",
    right=_RIGHT,
    mutants=tuple(_mutants()),
)
