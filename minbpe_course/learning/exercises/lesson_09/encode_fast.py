"""Exercise 09.encode_fast: encode one word with a queue of possible merges and linked neighbors.

A right answer costs time in proportion to the length of the word, give or take a logarithm. The category LONG has
words for which looking at all pairs again after each merge takes longer than a check allows.
"""

import heapq

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps


def encode_fast(ids, merges):
    """Return the ids that are left when no merge is possible; the smallest new id goes first.

    The ids are those of `apply_merges`, and a long word no longer takes hours. Keep every merge that is possible in a
    heap, and link each id to its neighbors. A merge then costs two new entries, and never a look at the whole word.

    * **In:** `ids`, a list of ids, which stays as it is; `merges`, a dict from pair to new id.
    * **Out:** a list of ids. Equal pairs are merged from left to right.

    ```
    encode_fast([97, 97, 97], {(97, 97): 256})                         ->  [256, 97]
    encode_fast([97, 98, 99], {(98, 99): 256, (97, 98): 257})          ->  [97, 256]
    encode_fast([97, 98, 99], {(97, 98): 256, (256, 99): 257})         ->  [257]
    ```

    In the second example, the heap holds both merges at first. When `bc` has become 256, the entry for `ab` is stale:
    the id after `a` is not `b` anymore. Leave stale entries in the heap, and recognize them when they come out.

    The check tries ties, overlapping pairs, stale entries, merges with new ids, a single id, no ids at all, and a
    word of 12,000 ids that are all merged into one.
    """
    ids, size = list(ids), len(ids)
    before, after = list(range(-1, size - 1)), list(range(1, size + 1))
    heap = [(merges[pair], at) for at, pair in enumerate(zip(ids, ids[1:])) if pair in merges]
    heapq.heapify(heap)
    while heap:
        new_id, at = heapq.heappop(heap)
        gone = after[at]
        if gone == size or merges.get((ids[at], ids[gone])) != new_id:
            continue  # stale
        ids[at], ids[gone] = new_id, None
        after[at] = after[gone]
        if after[at] < size:
            before[after[at]] = at
        for left, right in ((before[at], at), (at, after[at])):
            if left >= 0 and right < size and (ids[left], ids[right]) in merges:
                heapq.heappush(heap, (merges[ids[left], ids[right]], left))
    return [one for one in ids if one is not None]


A_WORD = "a word"
TIES = "equal pairs, overlapping"
STALE = "entries that are stale"
NEW_IDS = "merges with new ids"
FEW = "one id, or none"
LONG = "a long word"


def chain(length):
    """Return ids and merges that turn them into one id: each merge makes the only pair for the next one.

    >>> chain(3)
    ([127, 1, 2], {(127, 1): 256, (256, 2): 257})
    """
    ids = [127, *(at % 127 for at in range(1, length))]  # 127 once, so that nothing else merges
    merges = {(ids[0], ids[1]): 256} | {(254 + at, ids[at]): 255 + at for at in range(2, length)}
    return ids, merges


def learned(words, number):
    return {step.pair: step.new_id for step in train_steps(words, 256 + number)}


def cases(random):
    yield FEW, [], {(97, 98): 256}
    yield FEW, [random.randrange(256)], {}
    for size in range(3, 12):
        letters = random.sample(range(97, 123), 3)
        words = [bytes(random.choices(letters, k=random.randint(2, 8))) for _ in range(9)]
        merges = learned(words, size)
        yield A_WORD, list(random.choice(words)), merges
        yield NEW_IDS, random.choices(letters, k=2 * size), merges
        one, other, third = letters
        yield TIES, [one] * size + [other], {(one, one): 256, (one, other): 257}
        yield TIES, [one] * size, {(one, one): 256, (256, one): 257}
        # The later of two overlapping merges comes first, and often.
        stale = {(other, third): 256, (one, other): 257, (one, 256): 259, (257, third): 258}
        yield STALE, random.choices(letters, [4, 4, 2], k=size), stale
        yield STALE, [one, other, third] * (size // 2) + [one, other], stale
    yield LONG, *chain(12_000)


def rescan(ids, merges):
    """Merge from the left whatever can be merged."""
    made = []
    for one in ids:
        made.append(one)
        while len(made) > 1 and (made[-2], made[-1]) in merges:
            made[-2:] = [merges[made[-2], made[-1]]]
    return made


EXERCISE = Exercise(
    "09.encode_fast",
    "Encode a word with a queue",
    "write",
    answer=encode_fast,
    difficulty=4,
    minutes=15,
    points=4,
    keeps_input=True,
    hints=(
        "Which pairs change when one merge is made? Only those belong into the heap again. And how do you know, "
        "without searching, which id is now to the left of a place?",
        "Lesson 09 shows the three lists before and after a merge, and what a stale entry is.",
        "entries (new id, place); for each place that has a right neighbor: push its merge, if there is one. While "
        "the heap has entries: pop one; skip it unless the pair at its place still makes that id; write the new id, "
        "set the right neighbor's id to None, link past it in both directions; push the merges at the place before "
        "and at this place. Return the ids that are not None",
    ),
    wanted=lambda ids, merges: encode_word(ids, merges) if len(ids) < 1000 else [max(merges.values())],
    shown=(
        (A_WORD, [97, 98, 99], {(97, 98): 256}),
        (TIES, [97, 97, 97], {(97, 97): 256}),
        (STALE, [97, 98, 99], {(98, 99): 256, (97, 98): 257}),
        (NEW_IDS, [97, 98, 99], {(97, 98): 256, (256, 99): 257}),
        (FEW, [97], {(97, 98): 256}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "looks-at-the-whole-word",
            "The ids are right, but a long word takes too long: after a merge, something still runs over the whole "
            "word. A search, a copy of the list, and `del ids[at]` do.",
            when=lambda case, outcome, wanted: case.category == LONG and outcome.state == "too slow",
        ),
        Mistake(
            "merges-what-is-gone",
            "You merge a pair that is not there anymore. Before you trust an entry: does the pair at its place still "
            "make this id?",
            like=("merges.get((ids[at], ids[gone])) != new_id", "ids[at] is None"),
        ),
        Mistake(
            "forgets-the-left",
            "The new id forms a new pair with the id to its left, too.",
            like=("((before[at], at), (at, after[at]))", "[(at, after[at])]"),
        ),
        Mistake(
            "forgets-the-right",
            "The new id forms a new pair with the id to its right, too.",
            like=("((before[at], at), (at, after[at]))", "[(before[at], at)]"),
        ),
        Mistake(
            "pushes-no-new-pairs",
            "A merge makes new pairs, and your heap never hears of them.",
            like=("((before[at], at), (at, after[at]))", "()"),
        ),
        Mistake(
            "rightmost-first",
            "Of equal pairs, the leftmost goes first. Is the place in your entries?",
            like=(
                ("(merges[pair], at)", "(merges[pair], -at)"),
                ("ids[right]], left)", "ids[right]], -left)"),
                ("gone = after[at]", "at = -at\n        gone = after[at]"),
            ),
        ),
        Mistake(
            "left-to-right",
            "You merge from the left whatever can be merged. Of all possible merges, the one with the smallest new id "
            "goes first.",
            like=rescan,
        ),
        Mistake(
            "one-way-links",
            "After a merge, the id behind the gap must know its new left neighbor. Is `before` up to date?",
            like=("before[after[at]] = at", "pass"),
        ),
        Mistake(
            "leaves-gaps",
            "The places that were merged away hold no ids: leave them out of the answer.",
            like=(" if one is not None", ""),
        ),
    ),
)  # fmt: skip
