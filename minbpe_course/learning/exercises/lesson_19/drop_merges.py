"""Exercise 19.drop_merges: one step of BPE-dropout, with the random numbers given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random

from minbpe_course.learning.exercises.lesson_13.lattices import cases_against
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited
from minbpe_course.reference.bpe_dropout import possible_merges
from minbpe_course.reference.pairs import Pair, merge


def dropout_step(ids, merges, dropout, draws):
    """Return the ids after one step of BPE-dropout.

    BPE-dropout makes one merge in each step, but before that it drops some of the merges that are possible. Write that
    step. The random numbers are given, so that your answer can be checked.

    * **In:** `ids`, a list; `merges`, a dict from a pair of ids to the new id; `dropout`, a number from 0 to 1;
      `draws`, a list with one number for each place where a merge is possible, from left to right.
    * **Out:** a new list of ids. A draw below `dropout` drops the merge in its place. Of those that were kept, make
      only the one with the smallest new id, and of equals the leftmost. If none was kept, return the ids as they are.

    With `(97, 98): 256` and `(98, 99): 257`, the ids `[97, 98, 99]` leave two places. With `dropout` 0.5 and the draws
    `[0.2, 0.9]`, the first is dropped, and the answer is `[97, 257]`. `places` holds the index of the left id of every
    possible merge.
    """
    places = [at for at in range(len(ids) - 1) if (ids[at], ids[at + 1]) in merges]
    ### BEGIN SOLUTION
    lucky = [at for at, luck in zip(places, draws) if luck >= dropout]
    if not lucky:
        return ids[:]
    best = min(lucky, key=lambda at: merges[ids[at], ids[at + 1]])  # min keeps the first of equals
    return ids[:best] + [merges[ids[best], ids[best + 1]]] + ids[best + 2 :]
    ### END SOLUTION


SOME, TWICE, ENDS, ALL = (
    "some merges are dropped",
    "one merge in several places",
    "dropout 0 or 1",
    "every merge is dropped",
)


def reference_dropout_step(
    ids: Sequence[int], merges: Mapping[Pair, int], dropout: float, draws: Sequence[float]
) -> list[int]:
    """Return the ids after one step; the draws belong to the possible merges from left to right.

    >>> dropout_step([97, 98, 99], {(97, 98): 256, (98, 99): 257}, 0.5, [0.2, 0.9])
    [97, 257]
    """
    possible = sorted(possible_merges(ids, merges), key=lambda one: one[1])
    kept = [one for one, draw in zip(possible, draws) if draw >= dropout]
    if not kept:
        return list(ids)
    new_id, at = min(kept)
    return [*ids[:at], new_id, *ids[at + 2 :]]


def _in_all_places(ids: Sequence[int], merges: Mapping[Pair, int], dropout: float, draws: Sequence[float]) -> list[int]:
    merged = reference_dropout_step(ids, merges, dropout, draws)
    if merged == list(ids):
        return merged
    new_id = next(new for old, new in zip([*ids], merged) if old != new)
    return merge(ids, next(pair for pair in merges if merges[pair] == new_id), new_id)


def _best_or_nothing(
    ids: Sequence[int], merges: Mapping[Pair, int], dropout: float, draws: Sequence[float]
) -> list[int]:
    possible = possible_merges(ids, merges)
    places = sorted(at for _, at in possible)
    if not possible or draws[places.index(possible[0][1])] < dropout:
        return list(ids)
    new_id, at = possible[0]
    return [*ids[:at], new_id, *ids[at + 2 :]]


def _all_kept(ids: Sequence[int], merges: Mapping[Pair, int], dropout: float, draws: Sequence[float]) -> list[int]:
    merged: list[int] = []
    at, waiting = 0, list(draws)
    while at < len(ids):
        pair = (ids[at], ids[at + 1]) if at + 1 < len(ids) else (-1, -1)
        if pair in merges and waiting and waiting.pop(0) >= dropout:
            merged.append(merges[pair])
            at += 2
        else:
            merged.append(ids[at])
            at += 1
    return merged


_OTHER_WAY = edited(reference_dropout_step, ("draw >= dropout", "draw < dropout"))
_OTHER_WAY_OR_EQUAL = edited(reference_dropout_step, ("draw >= dropout", "draw <= dropout"))

_TEMPTING = {
    SOME: ("best-or-nothing", "leftmost-kept", "draws-for-places", "draws-by-rank", "other-way-round", "all-kept"),
    TWICE: ("in-all-places", "rightmost-of-equals", "best-or-nothing"),
    ENDS: ("equal-is-dropped",),
    ALL: ("nothing-kept",),
}


def step_cases(random: Random) -> Iterator[Case]:
    """Yield words with merges and draws, short ones first, until each mistake has failed several times."""
    found = cases_against(EXERCISE, _TEMPTING, lambda category: _drawn(random, category))
    yield from sorted(found, key=lambda case: len(case.args[0]))


def _drawn(random: Random, category: str) -> tuple[list[int], dict[Pair, int], float, list[float]]:
    letters = [97, 98] if category == TWICE else [97, 98, 99, 256]
    ids = random.choices(letters, k=random.randint(3, 8))
    pairs = sorted(set(pairwise(ids)))
    chosen = random.sample(pairs, min(len(pairs), random.randint(2, 5)))
    merges = {pair: new_id for new_id, pair in enumerate(chosen, 257)}
    number = len(possible_merges(ids, merges))
    dropout = random.choice([0.0, 1.0]) if category == ENDS else random.choice([0.25, 0.5, 0.75])
    draws = [random.randrange(8) / 8 for _ in range(number)]
    if category == ALL:
        draws = [draw * dropout for draw in draws]
    return ids, dict(sorted(merges.items())), dropout, draws


EXERCISE = Exercise(
    key="19.drop_merges",
    answer=dropout_step,
    title="One step of dropout",
    kind="fill",
    entry="dropout_step",
    difficulty=2,
    minutes=12,
    points=2,
    hints=(
        "Each possible merge has its own draw. Which are kept, and which of those does BPE prefer?",
        "pair up the places with the draws; keep the places whose draw is not below the dropout; if none is left, "
        "return the ids as they are; of the others take the smallest new id, then the smallest place, and merge there",
        "Lesson 19, on dropout: one step drops some of the possible merges, and makes the best of the others.",
    ),
    wanted=reference_dropout_step,
    shown=(
        Case(SOME, ([97, 98, 99], {(97, 98): 256, (98, 99): 257}, 0.5, [0.2, 0.9])),
        Case(SOME, ([97, 98, 99, 100], {(97, 98): 257, (99, 100): 256}, 0.5, [0.8, 0.6])),
        Case(TWICE, ([97, 98, 97, 98], {(97, 98): 256, (98, 97): 257}, 0.25, [0.5, 0.5, 0.5])),
        Case(ENDS, ([97, 98], {(97, 98): 256}, 0.0, [0.0])),
        Case(ALL, ([97, 98, 97, 98], {(97, 98): 256}, 0.9, [0.1, 0.8])),
        Case(ALL, ([97], {(97, 98): 256}, 0.1, [])),
    ),
    drawn=step_cases,
    mistakes=(
        Mistake(
            "best-or-nothing",
            "If the best merge is dropped, your step makes none. The next best that was kept takes its turn.",
            like=_best_or_nothing,
        ),
        Mistake(
            "in-all-places",
            "You merge the pair in every place. Each place has a draw of its own, and one step merges one place.",
            like=_in_all_places,
        ),
        Mistake(
            "all-kept",
            "You make every merge that was kept. One step makes one; the next step draws anew.",
            like=_all_kept,
        ),
        Mistake(
            "leftmost-kept",
            "You make the first merge that was kept. The one with the smallest new id comes first.",
            like=edited(reference_dropout_step, ("min(kept)", "kept[0]")),
        ),
        Mistake(
            "rightmost-of-equals",
            "Of several places with the same new id, take the leftmost.",
            like=edited(reference_dropout_step, ("min(kept)", "min(kept, key=lambda one: (one[0], -one[1]))")),
        ),
        Mistake(
            "equal-is-dropped",
            "A draw that equals `dropout` keeps its merge; else dropout 0 could drop one.",
            like=edited(reference_dropout_step, ("draw >= dropout", "draw > dropout")),
        ),
        Mistake(
            "draws-for-places",
            "Your draws belong to places. There is one for each *possible merge*: the second belongs to the second "
            "place in `places`, wherever that is.",
            like=edited(
                reference_dropout_step,
                (
                    "zip(possible, draws) if draw",
                    "((one, (draws + [0] * len(ids))[one[1]]) for one in possible) if draw",
                ),
            ),
        ),
        Mistake(
            "draws-by-rank",
            "Your draws belong to the merges from best to worst. They belong to the places from left to right.",
            like=edited(
                reference_dropout_step,
                ("sorted(possible_merges(ids, merges), key=lambda one: one[1])", "possible_merges(ids, merges)"),
            ),
        ),
        Mistake(
            "nothing-kept",
            "If every merge is dropped, the ids stay as they are: return them.",
            like=edited(reference_dropout_step, ("return list(ids)", "return None")),
        ),
        Mistake(
            "minimum-of-nothing",
            "If every merge is dropped, there is nothing to take the minimum of. Return the ids as they are.",
            when=lambda case, outcome, wanted: outcome.state == "raised" and outcome.error == "ValueError",
        ),
        Mistake(
            "other-way-round",
            "You keep the merges that should be dropped. A draw below `dropout` drops its merge.",
            like=_OTHER_WAY,
            when=lambda case, outcome, wanted: (
                outcome.value in (_OTHER_WAY(*case.args), _OTHER_WAY_OR_EQUAL(*case.args))
            ),
        ),
    ),
)
