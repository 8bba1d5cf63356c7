"""Exercise 07.heap_merges: repair a trainer with a lazy heap whose new pairs are pushed too early.

Ties go to the pair seen first, as in lesson 03, so an entry of the heap has the first place of its pair. Like the
count, it can only get worse, because bytes do not move. That is why the heap may be lazy (see
``reference.incremental_training``), and why the repair is the same as for any other rule.
"""

import heapq

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_07.merging import add_pairs, first_byte, merge
from minbpe_course.reference.training import train_steps


def heap_merges(counts, number):
    """Return up to number merges, a dict from pair to new id, from words and their counts.

    Here is somebody else's trainer with an index and a heap. It replaces an outdated entry with a correct one, as it
    must. On most texts, its merges are right, but not on all. Find the bug, and repair it.

    * **In:** `counts`, a dict from word (`bytes`) to how often it occurs; `number`, how many merges are wanted.
    * **Out:** a dict from pair to new id, from 256 on. Of pairs with the same count, merge the one that comes first in
      the words as they are at that point. The dict is shorter if the pairs run out.

    These are the merges of your `learn_from_words`. For the ties, the trainer stores three things about a
    pair in its heap: minus its count, the number of the first word that contains it, and how many bytes of that word
    come before it. Once a pair has all its places, all three can only grow. The function `entry` is right.

    For example, `heap_merges({b"abc": 2, b"abcd": 3, b"xy": 4}, 2)` has to be `{(97, 98): 256, (256, 99): 257}`:
    once `ab` is merged, the pair of `ab` and `c` occurs five times.

    The check tries new pairs that occur in several words, counts that fall, ties, overlapping pairs, and more merges
    than there are pairs.
    """
    words, weights = [list(word) for word in counts], list(counts.values())
    sizes, pairs, index, merges = [1] * 256, {}, {}, {}

    def entry(pair):
        while (byte := first_byte(words[index[pair][0]], pair, sizes)) < 0:
            index[pair].pop(0)  # this word has lost the pair
        return -pairs[pair], index[pair][0], byte, pair

    for at, ids in enumerate(words):
        add_pairs(pairs, ids, weights[at])
        for pair in set(zip(ids, ids[1:])):
            index.setdefault(pair, []).append(at)
    heap = list(map(entry, pairs))
    heapq.heapify(heap)
    while heap and len(merges) < number:
        stored = heapq.heappop(heap)
        pair = stored[-1]
        if not pairs[pair]:
            continue
        if stored != entry(pair):
            heapq.heappush(heap, entry(pair))
            continue
        new_id, visited = 256 + len(merges), index.pop(pair)
        merges[pair] = new_id
        sizes.append(sizes[pair[0]] + sizes[pair[1]])
        for at in visited:
            add_pairs(pairs, words[at], -weights[at])
            words[at] = merge(words[at], pair, new_id)
        ### BEGIN SOLUTION
        born = {}
        for place in visited:
            left_over = words[place]
            add_pairs(pairs, left_over, weights[place])
            for both in {each for each in zip(left_over, left_over[1:]) if new_id in each}:
                born.setdefault(both, []).append(place)
        index |= born
        for both in born:  # only now are their counts complete
            heapq.heappush(heap, entry(both))
        ### INSTEAD
        # for at in visited:
        #     ids = words[at]
        #     add_pairs(pairs, ids, weights[at])
        #     for new_pair in set(zip(ids, ids[1:])):
        #         if new_id in new_pair and new_pair in index:
        #             index[new_pair].append(at)
        #         elif new_id in new_pair:
        #             index[new_pair] = [at]
        #             heapq.heappush(heap, entry(new_pair))
        ### END SOLUTION
    return merges


def cases(random):
    def words(number, longest, letters, most):
        made = (bytes(random.choices(letters, k=random.randint(2, longest))) for _ in range(number))
        return {word: random.randint(1, most) for word in made}

    yield "no words at all", {}, 3
    yield "no merges asked for", {b"abc": 2}, 0
    yield "more merges than there are pairs", {b"abc": 2, b"a": 1}, 9
    for size in range(3, 9):
        letters = bytes(random.sample(range(256), 4))
        low, more = random.randint(2, 5), random.randint(2, 5)
        # A pair is born in two words, and is the best only with both counts together.
        grows = {letters[:3]: low, letters: more, letters[::-3]: low + more - 1}
        yield "a pair that is born in several words", grows, 2
        yield "counts that fall", words(3 * size, 6, letters, 20), 2 * size
        yield "ties", words(2 * size, 5, letters[:3], 2), 2 * size
        yield "overlapping pairs", {b"a" * size: 2, b"aab" * 2: 3, b"ba" * size: 1}, 6


EXERCISE = Exercise(
    "07.heap_merges",
    "The heap that knows too little",
    "repair",
    answer=heap_merges,
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "A count stored in the heap may be too high, because the trainer checks it later. Can it be too low?",
        "Lesson 07, where an index and a heap replace the two searches: when may a new pair be pushed?",
        "collect the new pairs while you merge the words; push each of them once its count has stopped growing",
    ),
    wanted=lambda counts, number: {step.pair: step.new_id for step in train_steps(counts, 256 + number)},
    shown=(
        ("a pair that is born in several words", {b"abc": 2, b"abcd": 3, b"xy": 4}, 2),
        # The next best pair is one whose count has fallen.
        ("counts that fall", {b"abx": 5, b"bc": 4, b"abc": 3, b"yz": 3, b"pq": 2}, 3),
        ("ties", {b"ba": 1, b"ab": 1}, 1),
        ("more merges than there are pairs", {b"abc": 1}, 5),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "no-new-pairs",
            "Pairs that contain a new id are never pushed, so they can never be merged.",
            like=("in born:", "in ():"),
        ),
        Mistake(
            "throws-outdated-entries-away",
            "That is the classic bug of the lesson: a pair whose count has fallen is still there, with a lower count.",
            like=("heapq.heappush(heap, entry(pair))\n            continue", "continue"),
        ),
        Mistake(
            "trusts-the-heap",
            "The first entry of the heap may be outdated: compare it with the table before you merge.",
            like=("if stored != entry(pair)", "if False"),
        ),
        Mistake(
            "smallest-pair",
            "You decide a tie by the ids of the pair. Take the pair that comes first in the words, as the entries do.",
            like=("index[pair][0], byte, pair", "pair"),
        ),
        Mistake(
            "ignores-counts",
            "A word that occurs five times counts five times.",
            like=("list(counts.values())", "[1] * len(counts)"),
        ),
    ),
)
