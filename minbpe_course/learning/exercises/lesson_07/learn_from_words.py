"""Exercise 07.learn_from_words: the merges of lesson 03, with an index and a lazy heap.

Ties go to the pair that comes first in the words as they are then, so an entry of the heap has the first place of its
pair. Like the count, it can only get worse, because bytes do not move. That is why the heap may be lazy.
"""

import heapq

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_02.merge import merge
from minbpe_course.learning.exercises.lesson_07.first_place import first_place
from minbpe_course.learning.exercises.lesson_07.heap_merges import cases as some_words
from minbpe_course.learning.exercises.lesson_07.merging import add_pairs
from minbpe_course.reference.incremental_training import heap_steps


def learn_from_words(counts, number):
    """Return up to number merges, {pair: new id}, with an index and a lazy heap.

    These are the merges of lesson 03.

    * **In:** `counts`, a dict from word (bytes) to how often it occurs; `number`, how many merges are wanted.
    * **Out:** a dict from pair to new id, from 256 on. Of pairs with the same count, merge the one that comes first in
      the words as they are at that point. The dict is shorter if the pairs run out.

    Before the first merge, set up the words as lists of ids, the weighted count of each pair, and the **index**: for
    each pair, the numbers of the words that contain it, ascending. The **heap** has one entry for each pair: minus its
    count, its `first_place`, and the pair itself. Then, until there are enough merges:

    1. Pop an entry. If its pair is gone, drop it. If it is outdated, push the current one in its place.
    2. Otherwise merge the pair in the words that the index lists. Correct the counts with `add_pairs`, and note the new
       pairs in the index.
    3. When *all* these words are done, push an entry for each new pair.

    For example, `learn_from_words({b"abc": 2, b"abcd": 3, b"xy": 4}, 2)` is `{(97, 98): 256, (256, 99): 257}`.

    The check tries ties, counts that fall, new pairs that occur in several words, overlapping pairs, more merges than
    there are pairs, and thousands of words.
    """
    words, weights = [list(word) for word in counts], list(counts.values())
    pairs, index, sizes, merges = {}, {}, [1] * 256, {}
    for at, ids in enumerate(words):
        add_pairs(pairs, ids, weights[at])
        for pair in set(zip(ids, ids[1:])):
            index.setdefault(pair, []).append(at)

    def entry(pair):
        return -pairs[pair], first_place(pair, index[pair], words, sizes), pair

    heap = [entry(pair) for pair in pairs]
    heapq.heapify(heap)
    while heap and len(merges) < number:
        stored = heapq.heappop(heap)
        pair = stored[-1]
        if not pairs[pair]:
            continue
        if stored != entry(pair):
            heapq.heappush(heap, entry(pair))
            continue
        merges[pair] = new_id = 256 + len(merges)
        sizes.append(sizes[pair[0]] + sizes[pair[1]])
        born = {}
        for at in index[pair]:
            add_pairs(pairs, words[at], -weights[at])
            words[at] = merge(words[at], pair, new_id)
            add_pairs(pairs, words[at], weights[at])
            for found in {both for both in zip(words[at], words[at][1:]) if new_id in both}:
                born.setdefault(found, []).append(at)
        index |= born
        for found in born:  # only now are their counts complete
            heapq.heappush(heap, entry(found))
    return merges


MANY = "thousands of words"


def cases(random):
    yield from some_words(random)
    letters = bytes(random.sample(range(97, 123), 20))
    words = {bytes(random.choices(letters, k=random.randint(3, 9))): random.randint(1, 30) for _ in range(5000)}
    yield MANY, words, 700


EXERCISE = Exercise(
    "07.learn_from_words",
    "Learn from words, fast",
    "write",
    answer=learn_from_words,
    difficulty=4,
    minutes=20,
    points=5,
    hints=(
        "Begin with the trainer of lesson 03, and take one search away at a time: first the one for the best pair, "
        "then the one for its words. When is an entry of the heap still true?",
        "Lesson 07: the sections on the index, on ties, and on the heap each explain one part.",
        "entry(pair) = (minus count, first place, pair). Pop; if the count is 0, drop it; if entry(pair) differs from "
        "what you popped, push entry(pair); otherwise it is the next merge. For each word in index[pair]: take its "
        "pairs off the counts, merge, add its pairs again, and note the word for each pair with the new id. "
        "After these words, push an entry for each of the new pairs",
    ),
    wanted=lambda counts, number: {step.pair: step.new_id for step in heap_steps(counts, 256 + number)},
    shown=(
        ("a word", {b"abc": 1}, 1),
        ("ties", {b"ba": 1, b"ab": 1}, 1),
        ("a pair that is born in several words", {b"abc": 2, b"abcd": 3, b"xy": 4}, 2),
        # The next best pair is one whose count has fallen.
        ("counts that fall", {b"abx": 5, b"bc": 4, b"abc": 3, b"yz": 3, b"pq": 2}, 3),
        ("more merges than there are pairs", {b"abc": 1}, 5),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "reads-everything-again",
            "The merges are right, but for thousands of words they take too long. What still reads all words, or the "
            "whole table of pairs, for each merge?",
            when=lambda case, outcome, wanted: case.category == MANY and outcome.state == "too slow",
        ),
        Mistake(
            "no-new-pairs",
            "Pairs that contain a new id are never pushed, so they can never be merged.",
            like=("for found in born:", "for found in ():"),
        ),
        Mistake(
            "throws-outdated-entries-away",
            "An outdated entry is not worthless: its pair is still there, with a lower count. Push its current entry.",
            like=("            heapq.heappush(heap, entry(pair))\n            continue", "            continue"),
        ),
        Mistake(
            "trusts-the-heap",
            "The entry that you pop may be outdated: compare it with the current one before you merge.",
            like=("if stored != entry(pair)", "if False"),
        ),
        Mistake(
            "pushes-too-early",
            "You push a new pair before all words are done. Its count is still growing, and an entry that is too low "
            "never gets to the front.",
            like=(
                ("born.setdefault(found, []).append(at)\n", "born.setdefault(found, []).append(at)\n                "
                 "early.setdefault(found, pairs[found])\n"),
                ("born = {}", "born, early = {}, {}"),
                ("heapq.heappush(heap, entry(found))", "heapq.heappush(heap, (-early[found], *entry(found)[1:]))"),
            ),
        ),
        Mistake(
            "smallest-pair",
            "You decide a tie by the ids of the pair. The pair that comes first in the words wins: its place belongs "
            "before the pair.",
            like=("first_place(pair, index[pair], words, sizes), pair", "pair"),
        ),
        Mistake(
            "only-the-word",
            "Two tied pairs may begin in the same word. Which comes first there?",
            like=("words, sizes), pair", "words, sizes)[0], pair"),
        ),
        Mistake(
            "ignores-counts",
            "A word that occurs five times counts five times.",
            like=("list(counts.values())", "[1] * len(counts)"),
        ),
        Mistake(
            "order-of-the-table",
            "A corrected table lists its pairs in the order in which they were first added. That is not where they are "
            "in the words now.",
            like=("first_place(pair, index[pair], words, sizes), pair", "list(pairs).index(pair), pair"),
        ),
    ),
)  # fmt: skip
