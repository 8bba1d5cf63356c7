"""Exercise 07.heap_merges: repair a trainer with a lazy heap whose new pairs are pushed too early."""

import heapq

from minbpe_course.learning.exercises.lesson_07.merging import add_pairs, merge
from minbpe_course.learning.judge.exercise import Exercise, Mistake
from minbpe_course.reference.training import train_steps


def heap_merges(words, number):
    """Return at most number merges, as pairs of ids in the order learned.

    This trainer avoids the lesson's classic bug: it replaces an outdated entry with a correct one. On most texts, its
    merges are right, but not on all. Find the other bug, and repair it.

    * **In:** `words`, a dict from word (`bytes`) to count; `number`, how many merges are wanted.
    * **Out:** a list of pairs in the order learned; ties go to the smallest pair of ids. The list is shorter if the
      pairs run out.

    For example, `heap_merges({b"abc": 2, b"abcd": 3, b"xy": 4}, 2)` has to be `[(97, 98), (256, 99)]`: once `ab` is
    merged, the pair of `ab` and `c` occurs five times.

    The check tries new pairs that occur in several words, counts that fall, ties, overlapping pairs, and more merges
    than there are pairs.
    """
    row = [(list(word), count) for word, count in words.items()]
    counts, index, merges = {}, {}, []
    for at, (ids, count) in enumerate(row):
        add_pairs(counts, ids, count)
        for pair in zip(ids, ids[1:]):
            index.setdefault(pair, set()).add(at)
    heap = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(heap)
    while heap and len(merges) < number:
        stored, pair = heapq.heappop(heap)
        if -stored != counts[pair]:
            if counts[pair]:
                heapq.heappush(heap, (-counts[pair], pair))
            continue
        new_id, born, visited = 256 + len(merges), set(), sorted(index.pop(pair))
        merges.append(pair)
        for at in visited:
            ids, count = row[at]
            add_pairs(counts, ids, -count)
            row[at] = merge(ids, pair, new_id), count
        ### BEGIN SOLUTION
        for place in visited:
            left_over, weight = row[place]
            add_pairs(counts, left_over, weight)
            for both in zip(left_over, left_over[1:]):
                index.setdefault(both, set()).add(place)
                born |= {both} if new_id in both else set()
        for both in born:  # only now are their counts complete
            heapq.heappush(heap, (-counts[both], both))
        ### INSTEAD
        # for at in visited:
        #     ids, count = row[at]
        #     add_pairs(counts, ids, count)
        #     for new_pair in zip(ids, ids[1:]):
        #         index.setdefault(new_pair, set()).add(at)
        #         if new_id in new_pair and new_pair not in born:
        #             born.add(new_pair)
        #             heapq.heappush(heap, (-counts[new_pair], new_pair))
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
        "collect the new pairs while you merge the words; push each of them once its count has stopped growing",
        "Lesson 07, where an index and a heap replace the search: when does the trainer push a new pair?",
    ),
    wanted=lambda words, number: [one.pair for one in train_steps(words, 256 + number, tie_break="smallest-pair")],
    shown=(
        ("a pair that is born in several words", {b"abc": 2, b"abcd": 3, b"xy": 4}, 2),
        # The next best pair is one whose count has fallen.
        ("counts that fall", {b"abx": 5, b"bc": 4, b"abc": 3, b"yz": 3, b"pq": 2}, 3),
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
            like=("if counts[pair]:", "if False:"),
        ),
        Mistake(
            "trusts-the-heap",
            "The first entry of the heap may be outdated: compare it with the table before you merge.",
            like=(("if -stored != counts[pair]", "if False"), ("index.pop(pair)", "index.pop(pair, ())")),
        ),
        Mistake(
            "ignores-counts",
            "A word that occurs five times counts five times.",
            like=("(list(word), count)", "(list(word), 1)"),
        ),
    ),
)
