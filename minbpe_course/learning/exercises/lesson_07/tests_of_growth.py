r"""Exercise 07.test_growth: write a test that accepts two right trainers and rejects wrong and quadratic ones.

Each trainer returns its merges and their cost:

    train({b"low": 5, b"lower": 2, b"newest": 6}, 2)      ([(119, 101), (108, 111)], 55)

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
from minbpe_course.learning.exercises.lesson_07.merging import add_pairs, merge
from minbpe_course.learning.judge.exercise import Exercise, changed, mutant


def test_growth(train):
    """Raise AssertionError unless train makes the right merges and its steps do not grow quadratically.

    A trainer can be right and still be useless if it needs four times the work for twice the text. Write a test that
    finds this out *without a clock*, because another machine takes a different number of seconds.

    * **In:** `train`, someone else's trainer. `train(words, number)` takes a dict from word to count, and returns
      `(merges, steps)`: the merges as in `heap_merges` (ties go to the smallest pair of ids), and the number of steps
      it took. The steps are the pairs and entries it looked at, however its author counts them.
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
        assert merges == [(119, 101), (108, 111)]
    ```

    The picture shows what growth looks like for words made of random letters, with as many merges as words.
    """

    def slowly(words, number):
        rows, learned = [(list(word), weight) for word, weight in words.items()], []
        for fresh in range(256, 256 + number):
            table = {}
            for row, weight in rows:
                add_pairs(table, row, weight)
            if not table:
                return learned
            learned.append(min(table, key=lambda chosen: (-table[chosen], chosen)))
            rows = [(merge(row, learned[-1], fresh), weight) for row, weight in rows]
        return learned

    def some_words(size, letters, longest):
        lengths = [random.randint(1, longest) for _ in range(size)]
        return {bytes(random.choices(letters, k=length)): random.randint(1, 9) for length in lengths}

    random.seed(7)
    small = [({b"abc": 2, b"abcd": 3, b"xy": 4}, 2), ({}, 3), ({b"aaaaa": 2, b"aab": 3}, 9)]
    small += [(some_words(8, b"abcd", 5), 8) for _ in range(5)]
    for words, number in small:
        learned, _ = train(dict(words), number)
        wanted = slowly(words, number)
        assert [tuple(chosen) for chosen in learned] == wanted, f"{words}, {number} merges: {learned}, wanted {wanted}"

    spent = [train(some_words(size, b"abcdefghij", 9), size)[1] for size in (12, 48)]
    assert spent[1] < 8 * spent[0], f"{spent[0]} steps, and {spent[1]} for four times the words and merges"


# The repaired trainer of 07.heap_merges, which counts its steps.
HEAP = changed(
    "import heapq\n\n" + "\n\n".join(getsource(one) for one in (merge, add_pairs, heap_merges)),
    ("def heap_merges", "def train"),
    ("counts, index, merges = {}, {}, []", "counts, index, merges, steps = {}, {}, [], 0"),
    ("index.setdefault(pair, set()).add(at)", "index.setdefault(pair, set()).add(at)\n            steps += 1"),
    ("stored, pair =", "steps += 1\n        stored, pair ="),
    ("row[at] =", "steps += len(ids)\n            row[at] ="),
    ("left_over, weight = row[place]", "left_over, weight = row[place]\n            steps += len(left_over)"),
    ("return merges", "return merges, steps"),
)

# Pushes each change at once, so that no entry has to be corrected later. It counts every step nine times, and is right:
# the exercise leaves it to the author what a step is.
EAGER = r"""
from heapq import heappop, heappush


def train(words, number):
    row = [[list(word), count] for word, count in words.items()]
    counts, holders, heap, merges, seen = {}, {}, [], [], 0

    def read(at, sign, touched):
        ids, count = row[at]
        for pair in zip(ids, ids[1:]):
            counts[pair] = counts.get(pair, 0) + sign * count
            touched.add(pair)
            if sign == 1:
                holders.setdefault(pair, set()).add(at)
        return len(ids)

    touched = set()
    for at in range(len(row)):
        seen += read(at, 1, touched)
    while len(merges) < number:
        for pair in touched:
            if counts[pair]:
                heappush(heap, (-counts[pair], *pair))
        while heap and counts[heap[0][1:]] != -heap[0][0]:
            heappop(heap)
            seen += 1
        if not heap:
            break
        _, left, right = heappop(heap)
        merges.append((left, right))
        touched = set()
        for at in holders.pop((left, right)):
            seen += read(at, -1, touched)
            merged = []
            for token in row[at][0]:
                if merged and merged[-1] == left and token == right:
                    merged[-1] = 255 + len(merges)
                else:
                    merged.append(token)
            row[at][0] = merged
            seen += read(at, 1, touched)
    return merges, 9 * seen
"""


wrong = partial(mutant, HEAP)
QUADRATIC = "makes the right merges, but its steps grow with the square"
# Places in HEAP that the wrong ones change.
MERGES = "merges.append(pair)"
PUSH = "heapq.heappush(heap, (-counts[both], both))"
READ_ALL = "steps += sum(len(ids) for ids, _ in row)"

MUTANTS = (
    wrong("counts-again", QUADRATIC, (MERGES, f"{MERGES}\n        {READ_ALL} * 2")),
    wrong(
        "searches-all-words",
        QUADRATIC,
        (MERGES, f"{MERGES}\n        {READ_ALL}"),
        ("sorted(index.pop(pair))", "[at for at, (ids, _) in enumerate(row) if pair in zip(ids, ids[1:])]"),
    ),
    wrong("searches-the-table", QUADRATIC, (MERGES, f"{MERGES}\n        steps += len(counts)")),
    wrong(
        "builds-the-heap-again",
        QUADRATIC,
        (
            PUSH,
            """pass
        heap = [(-count, pair) for pair, count in counts.items() if count]
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
        ("if counts[pair]:", "if False:"),
    ),
    wrong(
        "pushes-too-early",
        "stores counts that are too low",
        (PUSH, "pass"),
        (
            "born |= {both} if new_id in both else set()",
            f"""if new_id in both and both not in born:
                    born.add(both)
                    {PUSH}""",
        ),
    ),
    wrong("never-looks", "trusts outdated entries of its heap", ("-stored != counts[pair]", "not counts[pair]")),
    wrong(
        "words-once",
        "counts each word once, however often it occurs",
        ("(list(word), count)", "(list(word), 1)"),
    ),
    wrong(
        "greatest-of-the-tied",
        "breaks ties in another way",
        ("(-count, pair) for", "(-count, (-pair[0], -pair[1])) for"),
        ("heapq.heappop(heap)", "heapq.heappop(heap)\n        pair = -pair[0], -pair[1]"),
        ("(-counts[pair], pair)", "(-counts[pair], (-pair[0], -pair[1]))"),
        ("(-counts[both], both)", "(-counts[both], (-both[0], -both[1]))"),
    ),
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
from minbpe_course.learning.charts.lines import draw_lines
from minbpe_course.learning.charts.training import slopes

sizes, looked = [50, 100, 200, 400], {"counts again": [], "index and heap": []}
for size in sizes:
    draw = Random(size)
    made = {bytes(draw.choices(b"abcdefghij", k=6)): 1 + at % 9 for at in range(size)}
    for name, rung in zip(looked, (recounting_steps, heap_steps)):
        steps = rung(made, 256 + size, tie_break="smallest-pair")
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
        "for the merges: compare with a slow trainer of your own on many small sets of words; for the "
        "growth: random words, as many merges as words; twice as many of both must need fewer than three "
        "times the steps",
        "Lesson 07 measures how the work grows, with more merges and with more text.",
    ),
    subject="train",
    right=(HEAP, EAGER),
    mutants=MUTANTS,
)
