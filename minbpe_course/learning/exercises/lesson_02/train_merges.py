"""Exercise 02.train_merges: learn merges from a text."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_02.count_pairs import count_pairs
from minbpe_course.learning.exercises.lesson_02.merge import merge
from minbpe_course.learning.exercises.lesson_02.samples import SCRIPTS, draw_text
from minbpe_course.reference.training import train_steps


def learn_merges(ids, number):
    """Return up to number merges, a dict from pair to new id, in the order learned.

    Train: count the pairs, choose the most frequent one, merge it, and repeat. If several pairs share the highest
    count, take the one that comes first in the ids, *as they are at that point*. When no pair is left, stop and return
    the merges you have.

    * **In:** `ids`, the ids of the bytes of a text, a list or a `bytes` object; `number`, how many merges to make.
    * **Out:** a dict from pair to new id. The first merge makes id 256, the second 257, and so on.

    ```
    learn_merges(b"aaabdaaabac", 2)   ->  {(97, 97): 256, (256, 97): 257}
    learn_merges(b"abc", 5)           ->  {(97, 98): 256, (256, 99): 257}
    ```

    In the first example, `aa` occurs four times. After that, `aa` + `a` and `a` + `b` both occur twice, and `aa` + `a`
    comes first. Your merges are compared with those of the package's trainer, on texts you have not seen: ties, other
    scripts, bytes that are not text, more merges than there are pairs, no ids.
    """
    merges = {}
    for new_id in range(256, 256 + number):
        counts = count_pairs(ids)
        if not counts:
            break
        commonest = max(counts, key=counts.get)
        merges[commonest] = new_id
        ids = merge(ids, commonest, new_id)
    return merges


def decides_ties_otherwise(case, outcome, wanted):
    """Tell whether the first wrong merge occurs as often as the right one."""
    ids = case.args[0]
    for mine, (pair, new_id) in zip(outcome.value, wanted.items()):
        counts = count_pairs(ids)
        if mine != pair:
            return counts.get(mine) == counts[pair]
        ids = merge(ids, pair, new_id)
    return False


def cases(random):
    yield "no ids at all", [], 3
    yield "no merges asked for", b"abab", 0
    yield "more merges than there are pairs", [random.randrange(256)], 2
    yield "counts that decide", b"cabab", 1
    for size in range(2, 8):
        yield "counts that decide", draw_text(random, "lower ", 6 * size), size
        yield "ties", list(draw_text(random, "abc", 2 * size)), size
        yield "overlapping pairs", b"b" + b"a" * (3 + size) + draw_text(random, "aab", size), 4
        yield "more merges than there are pairs", draw_text(random, "ab", 2 + size), 40
    for letters in SCRIPTS[3:]:
        for size in (3, 9):
            yield "texts in other scripts", draw_text(random, letters, size), 8


EXERCISE = Exercise(
    "02.train_merges",
    "Train",
    "write",
    answer=learn_merges,
    entry="learn_merges",
    also=("02.learn_merges",),
    difficulty=2,
    minutes=6,
    points=3,
    hints=(
        "Your `count_pairs` and `merge` do the work. What is left is the choice, the new id, and when to stop.",
        "Lesson 02, section 2: what to do when several pairs share the highest count, and when no pair is left.",
        "for each new id from 256: count; no pair left? stop; take the first pair with the highest count, as "
        "`max(counts, key=counts.get)` does; note it with its new id; merge it in the ids",
    ),
    wanted=lambda ids, number: {step.pair: step.new_id for step in train_steps([bytes(ids)], 256 + number)},
    shown=(
        ("counts that decide", b"cabab", 1),
        ("ties", b"aaabdaaabac", 3),
        ("more merges than there are pairs", b"abc", 5),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "fails-when-pairs-run-out",
            "When all the ids have become one, no pair is left: stop and return the merges made so far.",
            when=lambda case, outcome, wanted: outcome.state == "raised" and len(wanted) < case.args[1],
        ),
        Mistake(
            "takes-the-last-of-the-tied",
            "Of several pairs with the same count, take the one that was seen first, not the one seen last.",
            like=("max(counts", "max(reversed(counts)"),
        ),
        Mistake(
            "takes-the-greatest-of-the-tied",
            "You decide a tie by the ids of the pair. Take the pair that comes first in the ids.",
            like=("counts.get", "lambda pair: (counts[pair], pair)"),
        ),
        Mistake(
            "ids-from-0",
            "Your first merge makes id 0, which is a byte already. It makes 256.",
            like=("range(256, 256 + number)", "range(number)"),
        ),
        Mistake(
            "ids-not-merged",
            "You learn the same pair again and again: count anew after each merge, in the ids with the pair merged.",
            like=("        ids = merge(ids, commonest, new_id)\n", ""),
        ),
        Mistake(
            "number-is-the-vocabulary",
            "`number` is how many merges to make, not the size of the vocabulary.",
            like=("256 + number", "number"),
        ),
        Mistake(
            "from-id-to-pair",
            "The keys are the pairs: pair -> new id, not new id -> pair.",
            like=("merges[commonest] = new_id", "merges[new_id] = commonest"),
        ),
        Mistake(
            "stops-at-pairs-that-occur-once",
            "Merging pairs that occur only once is of little use, but here you are asked to do it.",
            like=("if not counts:", "if max(counts.values(), default=0) < 2:"),
        ),
        Mistake(
            "ties-by-another-order",
            "At your first wrong merge two pairs are equally frequent. Which of them comes first in the ids as they "
            "are by then?",
            when=decides_ties_otherwise,
        ),
    ),
)
