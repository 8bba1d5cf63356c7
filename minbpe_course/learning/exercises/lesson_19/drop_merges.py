"""Exercise 19.drop_merges: one step of BPE-dropout, with the random numbers given."""

from minbpe_course.learning import Exercise, Mistake, edited
from minbpe_course.learning.exercises.lesson_13.lattices import cases_against


def dropout_step(ids, merges, dropout, draws):
    """Return the ids after one step of BPE-dropout.

    BPE-dropout makes one merge in each step, but before that it drops some of the merges that are possible. The random
    numbers are given, so that your answer can be checked.

    * **In:** `ids`, a list; `merges`, a dict from a pair of ids to the new id; `dropout`, a number from 0 to 1;
      `draws`, a list with one number for each place where a merge is possible, from left to right.
    * **Out:** a list of ids. A draw below `dropout` drops the merge in its place. Of those that were kept, make only
      the one with the smallest new id, and of equals the leftmost. If none was kept, the ids stay the same.

    With `(97, 98): 256` and `(98, 99): 257`, the ids `[97, 98, 99]` leave two places. With `dropout` 0.5 and the draws
    `[0.2, 0.9]`, the first is dropped, and the answer is `[97, 257]`; with `[0.7, 0.9]` it is `[256, 99]`.
    """
    places = [at for at in range(len(ids) - 1) if (ids[at], ids[at + 1]) in merges]
    lucky = [at for at, luck in zip(places, draws) if luck >= dropout]
    if not lucky:
        return ids[:]
    best = min(lucky, key=lambda at: merges[ids[at], ids[at + 1]])  # min keeps the first of equals
    return ids[:best] + [merges[ids[best], ids[best + 1]]] + ids[best + 2 :]


SOME, TWICE, ENDS, ALL = (
    "some merges are dropped",
    "one merge in several places",
    "dropout 0 or 1",
    "every merge is dropped",
)


_OTHER_WAYS = [edited(dropout_step, ("luck >=", f"luck {sign}")) for sign in ("<", "<=")]


def step_cases(random):
    """Yield words with merges and draws, short ones first, until each mistake has failed several times."""
    tempting = {
        SOME: ("best-or-nothing", "leftmost-kept", "draws-for-places", "draws-by-rank", "other-way-round", "all-kept"),
        TWICE: ("in-all-places", "rightmost-of-equals", "leftmost-of-all", "largest-draw", "best-or-nothing"),
        ENDS: ("equal-is-dropped",),
        ALL: ("nothing-kept",),
    }
    yield from cases_against(EXERCISE, tempting, lambda category: _drawn(random, category))


def _drawn(random, category):
    letters = [97, 98] if category == TWICE else [97, 98, 99, 256]
    ids = random.choices(letters, k=random.randint(3, 8))
    pairs = sorted(set(zip(ids, ids[1:])))
    chosen = random.sample(pairs, min(len(pairs), random.randint(2, 5)))
    merges = {pair: new_id for new_id, pair in enumerate(chosen, 257)}
    dropout = random.choice([0.0, 1.0]) if category == ENDS else random.choice([0.25, 0.5, 0.75])
    draws = [random.randrange(8) / 8 for pair in zip(ids, ids[1:]) if pair in merges]
    if category == ALL:
        draws = [draw * dropout for draw in draws]
    return ids, dict(sorted(merges.items())), dropout, draws


EXERCISE = Exercise(
    "19.drop_merges",
    "One step of dropout",
    "write",
    answer=dropout_step,
    entry="dropout_step",
    difficulty=2,
    minutes=10,
    hints=(
        "Each possible merge has its own draw. Which are kept, and which of those does BPE prefer?",
        "Lesson 19, on dropout: one step drops some of the possible merges, and makes the best of the others.",
        "collect the places whose pair is in merges, and pair them up with the draws; keep the places whose draw is "
        "not below the dropout; if none is left, return the ids as they are; of the others take the smallest new id, "
        "then the smallest place, and merge there",
    ),
    shown=(
        (SOME, [97, 98, 99], {(97, 98): 256, (98, 99): 257}, 0.5, [0.2, 0.9]),
        (SOME, [97, 98, 99, 100], {(97, 98): 257, (99, 100): 256}, 0.5, [0.8, 0.6]),
        (TWICE, [97, 98, 97, 98], {(97, 98): 256, (98, 97): 257}, 0.25, [0.5, 0.5, 0.5]),
        (ENDS, [97, 98], {(97, 98): 256}, 0.0, [0.0]),
        (ALL, [97, 98, 97, 98], {(97, 98): 256}, 0.9, [0.1, 0.8]),
        (ALL, [97], {(97, 98): 256}, 0.1, []),
    ),
    drawn=step_cases,
    mistakes=(
        Mistake(
            "best-or-nothing",
            "If the best merge is dropped, your step makes none. The next best that was kept takes its turn.",
            like=("if luck", "if at == min(places, key=lambda at: merges[ids[at], ids[at + 1]]) and luck"),
        ),
        Mistake(
            "in-all-places",
            "You merge the pair in every place. Each place has a draw of its own, and one step merges one place.",
            like=(
                "return ids[:best] +",
                """from minbpe_course.reference.pairs import merge

    pair = ids[best], ids[best + 1]
    return merge(ids, pair, merges[pair]) or""",
            ),
        ),
        Mistake(
            "all-kept",
            "You make every merge that was kept. One step makes one; the next step draws anew.",
            like=(
                "+ ids[best + 2 :]",
                "+ dropout_step(ids[best + 2 :], merges, dropout, draws[sum(at < best + 2 for at in places) :])",
            ),
            when=lambda case, outcome, wanted: len(outcome.value) < len(wanted),
        ),
        Mistake(
            "leftmost-kept",
            "You make the first merge that was kept. The one with the smallest new id comes first.",
            like=("min(lucky, key=lambda at: merges[ids[at], ids[at + 1]])", "lucky[0]"),
        ),
        Mistake(
            "rightmost-of-equals",
            "Of several places with the same new id, take the leftmost.",
            like=("min(lucky,", "min(lucky[::-1],"),
        ),
        Mistake(
            "leftmost-of-all",
            "Of equals, take the leftmost that was *kept*. Yours had been dropped.",
            like=(
                "return ids[:best]",
                "best = min(at for at in places if ids[at : at + 2] == ids[best : best + 2])\n    return ids[:best]",
            ),
        ),
        Mistake(
            "largest-draw",
            "The draws only decide which merges are kept. Of those, make the one with the smallest new id.",
            like=("min(lucky, key=lambda at: merges[ids[at], ids[at + 1]])", "places[draws.index(max(draws))]"),
        ),
        Mistake(
            "equal-is-dropped",
            "A draw that equals `dropout` keeps its merge; else dropout 0 could drop one.",
            like=("luck >= dropout", "luck > dropout"),
        ),
        Mistake(
            "draws-for-places",
            "Your draws belong to places. There is one for each *possible merge*: the second belongs to the second "
            "possible merge, wherever that is.",
            like=("zip(places, draws)", "((at, (draws + [0] * at)[at]) for at in places)"),
        ),
        Mistake(
            "draws-by-index",
            "There is one draw for each possible merge, not for each id.",
            when=lambda case, outcome, wanted: outcome.error == "IndexError",
        ),
        Mistake(
            "draws-by-rank",
            "Your draws belong to the merges from best to worst. They belong to the places from left to right.",
            like=("zip(places, draws)", "zip(sorted(places, key=lambda at: merges[ids[at], ids[at + 1]]), draws)"),
        ),
        Mistake(
            "nothing-kept",
            "If every merge is dropped, the ids stay as they are: return them.",
            like=("return ids[:]", "return None"),
        ),
        Mistake(
            "minimum-of-nothing",
            "If every merge is dropped, there is nothing to take the minimum of. Return the ids as they are.",
            when=lambda case, outcome, wanted: outcome.error == "ValueError",
        ),
        Mistake(
            "other-way-round",
            "You keep the merges that should be dropped. A draw below `dropout` drops its merge.",
            like=_OTHER_WAYS[0],
            when=lambda case, outcome, wanted: outcome.value in [wrong(*case.args) for wrong in _OTHER_WAYS],
        ),
    ),
)
