"""Exercise 17.test_prune: prunings as source text, right and wrong, for the test that the learner writes.

Each source defines ``prune(merges, dropped)``: a list of pairs, of which the n-th makes the id 256 + n, and a list of
ids of merges. It returns the merges that stay, with their new ids, and raises ValueError when one of them needs a merge
that goes.
"""

from minbpe_course.learning import Exercise, mutant

VOCABULARY = [(120, 120), (97, 98), (257, 99), (121, 257), (258, 258), (99, 258), (260, 259)]


def test_prune(prune):
    """Raise AssertionError if prune does not do what it promises.

    Pruning can go wrong in many ways while English still looks right. Write the test that finds them.

    A correct `prune(merges, dropped)` takes a list of pairs of ids, where the n-th pair (counted from 0) makes the id
    256 + n, and a list of the ids of the merges to remove (in any order, none twice). It returns the merges that stay,
    in their order, with their new ids. If a merge that *stays* is made from one that goes, it raises `ValueError`. It
    does not change its arguments.

    * **In:** `prune`, a function.
    * **Out:** nothing if `prune` is correct; `AssertionError` if it is not (a plain `assert` will do).

    Your test is run on three correct implementations, written quite differently, and on eleven wrong ones. It runs
    several times on each, and its verdict must not change. Catching all eleven earns 3 points, six to ten earn 1.
    """
    from itertools import combinations

    def expected(gone):
        numbers = [one for one in range(256, 256 + len(VOCABULARY)) if one not in gone]
        moved = {before: 256 + place for place, before in enumerate(numbers)}
        chosen = [VOCABULARY[one - 256] for one in numbers]
        if any(half > 255 and half not in moved for both in chosen for half in both):
            return "ValueError"
        return [tuple(moved.get(half, half) for half in both) for both in chosen]

    for size in range(len(VOCABULARY) + 1):
        for gone in combinations(range(256 + len(VOCABULARY) - 1, 255, -1), size):
            given = list(VOCABULARY)
            try:
                answered = [tuple(both) for both in prune(given, list(gone))]
            except ValueError:
                answered = "ValueError"
            assert answered == expected(gone), gone
            assert given == VOCABULARY, "the list that was given has changed"


_PLAIN = """
def prune(merges, dropped):
    new, kept = {}, []
    for place, (left, right) in enumerate(merges):
        if 256 + place in dropped:
            continue
        if left in dropped or right in dropped:
            raise ValueError(f"{256 + place} needs one that goes")
        new[256 + place] = 256 + len(kept)
        kept.append((new.get(left, left), new.get(right, right)))
    return kept
"""

RIGHT = (
    _PLAIN,
    """
def prune(merges, dropped):
    gone = set(dropped)
    stays = [token for token in range(256, 256 + len(merges)) if token not in gone]
    pairs = [merges[token - 256] for token in stays]
    if any(half in gone for pair in pairs for half in pair):
        raise ValueError("a merge that stays needs one that goes")
    names = dict(enumerate(range(256)))
    names.update({old: 256 + place for place, old in enumerate(stays)})
    return [(names[left], names[right]) for left, right in pairs]
""",
    """
from bisect import bisect_left

def prune(merges, dropped):
    gone = sorted(set(dropped))
    def renamed(token):
        if token in gone:
            raise ValueError(f"{token} goes, and is needed")
        return token - bisect_left(gone, token) if token > 255 else token
    return [
        (renamed(left), renamed(right)) for number, (left, right) in enumerate(merges, 256) if number not in gone
    ]
""",
)

_KEEPS = "        new[256 + place] ="

EXERCISE = Exercise(
    "17.test_prune",
    "Is it pruned right?",
    "test",
    answer=test_prune,
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "prune promises two things: what it returns, and when it raises ValueError. For each: what could an "
        "implementation forget, and which merges would show that?",
        "Lesson 17, on pruning, and the exercise `17.drop_merges`: its bug is one of the eleven.",
        "write prune yourself, inside the test; take a vocabulary of about six merges, in which both halves of a merge "
        "are merges, and try all sets of ids: either both raise, or both return the same list; give prune a copy, and "
        "check that the copy has not changed",
    ),
    subject="prune",
    right=RIGHT,
    mutants=(
        mutant(
            _PLAIN,
            "old-names",
            "keeps the old ids in the pairs",
            ("(new.get(left, left), new.get(right, right))", "(left, right)"),
        ),
        mutant(_PLAIN, "left-only", "gives new ids to the left halves only", ("new.get(right, right)", "right")),
        mutant(_PLAIN, "right-only", "gives new ids to the right halves only", ("new.get(left, left)", "left")),
        mutant(
            _PLAIN,
            "all-alike",
            "moves every id of a merge by as many places as merges go",
            (
                "(new.get(left, left), new.get(right, right))",
                "(left - by if left > 255 else left, right - by if right > 255 else right)",
            ),
            ("        kept.append", "        by = len(dropped)\n        kept.append"),
        ),
        mutant(_PLAIN, "never-raises", "never raises", ("left in dropped or right in dropped", "False")),
        mutant(
            _PLAIN,
            "left-looked-at",
            "checks only left halves before it raises",
            ("left in dropped or right in dropped", "left in dropped"),
        ),
        mutant(
            _PLAIN,
            "drops-more",
            "silently drops merges that need a dropped one",
            ("new, kept = {}, []", "new, kept, dropped = {}, [], list(dropped)"),
            ('raise ValueError(f"{256 + place} needs one that goes")', "dropped += [256 + place]"),
            (_KEEPS, "        else:\n    " + _KEEPS),
            ("        kept.append", "            kept.append"),
        ),
        mutant(
            _PLAIN,
            "looks-too-early",
            "raises although the merge that needs a dropped one goes, too",
            ("        if 256 + place in dropped:\n            continue\n", ""),
            (_KEEPS, "        if 256 + place in dropped:\n            continue\n" + _KEEPS),
        ),
        mutant(_PLAIN, "off-by-one", "assumes that ids begin with 257", ("if 256 + place in", "if 257 + place in")),
        mutant(_PLAIN, "sorted", "reorders the merges", ("return kept", "return sorted(kept)")),
        mutant(
            _PLAIN,
            "eats-its-input",
            "removes merges from the list that it was given",
            ("return kept", "merges[:] = kept\n    return kept"),
        ),
    ),
)
