r"""Exercise 07.test_growth: write a test that accepts two right trainers and rejects wrong and quadratic ones.

Each trainer returns its merges and their cost:

    train({b"low": 5, b"lower": 2, b"newest": 6}, 2)      ({(119, 101): 256, (108, 111): 257}, 55)

The second number counts steps: one for each neighbour or entry that the trainer reads. A right trainer makes the right
merges, and its steps grow about as its words do. Some wrong ones make wrong merges; the others are right and quadratic:
for twice the words and twice the merges they need four times the steps. The number of steps itself does not matter.

They use the standard library only, since each runs in a separate process. Each wrong one is a right one with one
thing changed.
"""

import random
from functools import partial
from inspect import getsource

from minbpe_course.learning.exercises.lesson_07.heap_merges import heap_merges
from minbpe_course.learning.exercises.lesson_07.merging import add_pairs, first_byte, merge
from minbpe_course.learning.judge.exercise import Exercise, changed, mutant


def test_growth(train):
    """Raise AssertionError unless train makes the right merges and its steps do not grow quadratically.

    A trainer can be right and still be useless if it needs four times the work for twice the text. Write a test that
    finds this out *without a clock*, because another machine takes a different number of seconds.

    * **In:** `train`, someone else's trainer. `train(counts, number)` takes a dict from word to count, and returns
      `(merges, steps)`: the merges as `learn_from_words` returns them (of tied pairs the one that comes first in the
      words), and the number of steps it took. The steps are the pairs and entries it looked at, however its author
      counts them.
    * **Out:** nothing. Raise an exception if the merges are wrong, or if the steps grow quadratically.

    Your test is run on two correct trainers, one of which counts nine steps where the other counts one, and on eleven
    wrong ones. Six of them make wrong merges, in ways that you know by now. Five make the right merges but are
    quadratic. Catching half of them earns one point, catching all of them three. One call may take two seconds, so a
    few hundred words are enough. To see growth, use more words, not longer ones. Growth shows more clearly if the words
    are made of many different letters. `merge` and `add_pairs` are given again. For example, this test catches few of
    them:

    ```python
    def test_growth(train):
        merges, steps = train({b"low": 5, b"lower": 2, b"newest": 6}, 2)
        assert merges == {(119, 101): 256, (108, 111): 257}
    ```

    The picture shows what growth looks like for words made of random letters, with as many merges as words.
    """

    def slowly(counts, number):
        rows, learned = [(list(word), weight) for word, weight in counts.items()], {}
        for fresh in range(256, 256 + number):
            table = {}
            for row, weight in rows:
                add_pairs(table, row, weight)
            if not table:
                return learned
            chosen = max(table, key=table.get)
            learned[chosen] = fresh
            rows = [(merge(row, chosen, fresh), weight) for row, weight in rows]
        return learned

    def some_words(size, letters, longest):
        lengths = [random.randint(1, longest) for _ in range(size)]
        return {bytes(random.choices(letters, k=length)): random.randint(1, 9) for length in lengths}

    random.seed(7)
    small = [({b"abc": 2, b"abcd": 3, b"xy": 4}, 2), ({}, 3), ({b"aaaaa": 2, b"aab": 3}, 9), ({b"ba": 1, b"ab": 1}, 1)]
    small += [(some_words(8, b"abcd", 5), 8) for _ in range(20)]
    for words, number in small:
        learned, _ = train(dict(words), number)
        wanted = slowly(words, number)
        assert learned == wanted, f"{words}, {number} merges: {learned}, wanted {wanted}"

    spent = [train(some_words(size, b"abcdefghij", 9), size)[1] for size in (40, 320)]
    assert spent[1] < 20 * spent[0], f"{spent[0]} steps, and {spent[1]} for eight times the words and merges"


# The repaired trainer of 07.heap_merges, which counts its steps.
HEAP = changed(
    "import heapq\n\n" + "\n\n".join(getsource(one) for one in (merge, add_pairs, first_byte, heap_merges)),
    ("def heap_merges", "def train"),
    (
        "sizes, pairs, index, merges = [1] * 256, {}, {}, {}",
        "sizes, pairs, index, merges, steps = [1] * 256, {}, {}, {}, 0",
    ),
    ("index.setdefault(pair, []).append(at)", "index.setdefault(pair, []).append(at)\n            steps += 1"),
    ("stored = ", "steps += 1\n        stored = "),
    ("words[at] = merge", "steps += len(words[at])\n            words[at] = merge"),
    ("left_over = words[place]", "left_over = words[place]\n            steps += len(left_over)"),
    ("return merges", "return merges, steps"),
)

# Keeps all words in one linked list and pushes each change at once, so that no entry has to be corrected later. It
# counts every step nine times, and is right: the exercise leaves it to the author what a step is.
EAGER = r"""
from heapq import heappop, heappush


def train(counts, number):
    row = [(None, 0), *((token, count) for word, count in counts.items() for token in (*word, None))]
    ids, weights = map(list, zip(*row))
    after, before = [*range(1, len(row) + 1)], [*range(-1, len(row) - 1)]
    places, totals, heap, merges, touched, seen = {}, {}, [], {}, set(), 0

    def change(at, sign):
        nonlocal seen
        seen += 1
        if ids[at] is None or ids[after[at]] is None:
            return
        pair = ids[at], ids[after[at]]
        totals[pair] = totals.get(pair, 0) + sign * weights[at]
        if sign == 1:
            places.setdefault(pair, {})[at] = True
        else:
            del places[pair][at]
        touched.add(pair)

    def entry(pair):
        return (-totals[pair], next(iter(places[pair])), pair) if places[pair] else None

    for at in range(len(ids)):
        change(at, 1)
    while len(merges) < number:
        for pair in filter(entry, touched):
            heappush(heap, entry(pair))
        touched.clear()
        while heap and heap[0] != entry(heap[0][2]):
            heappop(heap)
            seen += 1
        if not heap:
            break
        pair = heappop(heap)[2]
        merges[pair] = 256 + len(merges)
        for at in list(places[pair]):
            if at in places[pair]:
                other = after[at]
                for near in (before[at], at, other):
                    change(near, -1)
                ids[at], after[at] = merges[pair], after[other]
                before[after[at]] = at
                for near in (before[at], at):
                    change(near, 1)
    return merges, 9 * seen
"""


wrong = partial(mutant, HEAP)
QUADRATIC = "makes the right merges, but its steps grow with the square"
# Places in HEAP that the wrong ones change.
MERGES = "merges[pair] = new_id"
PUSH = "heapq.heappush(heap, entry(both))"
READ_ALL = "steps += sum(map(len, words))"

MUTANTS = (
    wrong("counts-again", QUADRATIC, (MERGES, f"{MERGES}\n        {READ_ALL} * 2")),
    wrong(
        "searches-all-words",
        QUADRATIC,
        (MERGES, f"{MERGES}\n        {READ_ALL}"),
        ("index.pop(pair)", "[at for at, ids in enumerate(words) if pair in zip(ids, ids[1:])]"),
    ),
    wrong("searches-the-table", QUADRATIC, (MERGES, f"{MERGES}\n        steps += len(pairs)")),
    wrong(
        "builds-the-heap-again",
        QUADRATIC,
        (
            PUSH,
            """pass
        heap = [entry(one) for one, count in pairs.items() if count]
        heapq.heapify(heap)
        steps += len(heap)""",
        ),
    ),
    wrong(
        "visits-everything-now-and-then",
        QUADRATIC,
        (MERGES, f"{MERGES}\n        if len(merges) % 8 == 1:\n            {READ_ALL} * 12"),
    ),
    wrong(
        "throws-outdated-entries-away",
        "throws outdated entries of its heap away",
        ("heapq.heappush(heap, entry(pair))\n            continue", "continue"),
    ),
    wrong(
        "pushes-too-early",
        "stores counts that are too low",
        (PUSH, "pass"),
        (
            "born.setdefault(both, []).append(place)",
            f"""if both in index:
                    index[both].append(place)
                else:
                    index[both] = [place]
                    {PUSH}""",
        ),
    ),
    wrong("never-looks", "trusts outdated entries of its heap", ("if stored != entry(pair)", "if False")),
    wrong(
        "words-once",
        "counts each word once, however often it occurs",
        ("list(counts.values())", "[1] * len(counts)"),
    ),
    wrong("smallest-of-the-tied", "breaks ties in another way", ("index[pair][0], byte, pair", "pair")),
    wrong(
        "one-too-many",
        "makes another number of merges than it was asked for",
        ("len(merges) < number", "len(merges) <= number"),
    ),
)

EXERCISE = Exercise(
    "07.test_growth",
    "A test for growth",
    "test",
    answer=test_growth,
    picture="""
from random import Random

from minbpe_course.reference.incremental_training import heap_steps, recounting_steps
from minbpe_course.learning.charts.lines import draw_lines, slopes

sizes, looked = [50, 100, 200, 400], {"counts again": [], "index and heap": []}
for size in sizes:
    draw = Random(size)
    made = {bytes(draw.choices(b"abcdefghij", k=6)): 1 + at % 9 for at in range(size)}
    for name, rung in zip(looked, (recounting_steps, heap_steps)):
        steps = rung(made, 256 + size)
        looked[name].append(sum(step.looked_at for step in steps))
lines = {f"{name}: slope {slope}": zip(sizes, looked[name]) for name, slope in slopes(sizes, looked).items()}
draw_lines(lines, "Twice the words and twice the merges", "words, and merges", "looks", log="xy")
""",
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "One run says nothing about growth. Make words, make twice as many, and compare the steps of both"
        " runs. What else has to double for a trainer that counts again to become quadratic?",
        "Lesson 07 measures how the work grows, with more merges and with more text.",
        "for the merges: compare with a slow trainer of your own on many small sets of words; for the "
        "growth: random words, as many merges as words; twice as many of both must need fewer than three "
        "times the steps",
    ),
    subject="train",
    right=(HEAP, EAGER),
    mutants=MUTANTS,
)
