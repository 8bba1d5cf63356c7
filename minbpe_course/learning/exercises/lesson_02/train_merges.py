"""Exercise 02.train_merges: learn merges from words and their counts."""

from itertools import groupby

from minbpe_course.learning.exercises.lesson_02.count_pairs import count_pairs
from minbpe_course.learning.exercises.lesson_02.merge import merge
from minbpe_course.learning.exercises.lesson_02.samples import SCRIPTS, drawn_words
from minbpe_course.learning.judge.exercise import Exercise, Mistake
from minbpe_course.reference.training import train_steps


def train_merges(words, number):
    """Return at most number merges, as pairs of ids in the order learned.

    Train on words: count the pairs, choose one, merge it, and repeat. No merge reaches from one word into the next. If
    several pairs share the highest count, take the one that comes first when you read the words, *as they are at that
    point*, in the order of the dict. When no pair is left, stop and return the merges you have.

    * **In:** `words`, a dict from word (`bytes`) to count; `number`, how many merges to make.
    * **Out:** a list of pairs of ids, in the order learned. Merge number 0 makes id 256, merge number 1 makes id 257,
      and so on.

    ```
    train_merges({b"low": 5, b"lower": 2, b"newest": 6}, 2)   ->  [(119, 101), (108, 111)]
    train_merges({b"abc": 1}, 5)                              ->  [(97, 98), (256, 99)]
    ```

    In the first example, `we` occurs 2 + 6 times; after that, `lo` occurs 7 times. Your list is compared with the
    merges of the package's trainer, on words you have not seen: ties, other scripts, bytes that are not text, more
    merges than there are pairs, no words. Here are the first six merges for the three words:
    """
    now = [(list(word), count) for word, count in words.items()]
    merges = []
    for new_id in range(256, 256 + number):
        counts = count_pairs(now)
        if not counts:
            break
        commonest = max(counts, key=counts.get)
        merges.append(commonest)
        now = [(merge(ids, commonest, new_id), count) for ids, count in now]
    return merges


def count_apart(words):
    """Count only those pairs of a word that do not overlap."""
    runs = [(run, count) for ids, count in words for _, run in groupby(zip(ids, ids[1:]))]
    return count_pairs([(pair, count) for run, count in runs for pair in list(run)[::2]])


def decides_ties_otherwise(case, outcome, wanted):
    """Tell whether the first wrong merge occurs as often as the right one."""
    at = next(at for at, (mine, right) in enumerate(zip(outcome.value, wanted)) if mine != right)
    now = [(list(word), count) for word, count in case.args[0].items()]
    for new_id, pair in enumerate(wanted[:at], 256):
        now = [(merge(ids, pair, new_id), count) for ids, count in now]
    counts = count_pairs(now)
    return counts[outcome.value[at]] == counts[wanted[at]]


def fails_when_pairs_run_out(case, outcome, wanted):
    of_nothing = any(word in outcome.message for word in ("empty", "range", "None", "unpack"))
    return outcome.state == "raised" and of_nothing and len(wanted) < case.args[1]


def cases(random):
    yield "no words at all", {}, 3
    yield "no merges asked for", {b"abc": 2}, 0
    yield "words too short for a pair", {b"a": 3, b"b": 1}, 2
    yield "an empty word", {b"": 7, b"ab": 1}, 1
    yield "counts that decide", {b"ab": 1, b"ac": 1, b"bc": 9}, 1
    for size in range(2, 8):
        for letters in SCRIPTS[:3]:
            category = "ties" if letters == "abc" else "counts that decide"
            yield category, drawn_words(random, size, size, letters, 3 if category == "ties" else 99), size
        yield "overlapping pairs", {b"a" * (size + 1): random.randint(1, 9), b"ba": 5, b"aaab": 2}, 5
        yield "more merges than there are pairs", drawn_words(random, 3, 4, "ab", 5), 40
    for letters in SCRIPTS[3:]:
        for size in (3, 5):
            yield "words in other scripts", drawn_words(random, size, 4, letters, 4), 8


EXERCISE = Exercise(
    "02.train_merges",
    "Train on words",
    "match",
    answer=train_merges,
    picture="""
from minbpe_course.reference.training import train_steps

for step in train_steps({b"low": 5, b"lower": 2, b"newest": 6}, 256 + 6):
    print(step.new_id, step.pair, step.token, f"{step.count} times, chosen from {len(step.tied)}")
""",
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Keep each word once, as a list of ids with its count, and change these lists after every merge.",
        "repeat number times: count by word; no pair left? stop; take the first pair with the highest count; append "
        "it to the result; merge it in every word",
        "Lesson 02 has the training loop, shows what happens when the pairs run out, and explains the rule for ties.",
    ),
    wanted=lambda words, number: [step.pair for step in train_steps(words, 256 + number)],
    shown=(
        ("counts that decide", {b"low": 5, b"lower": 2, b"newest": 6}, 2),
        ("ties", {b"aaabdaaabac": 1}, 3),
        ("more merges than there are pairs", {b"abc": 1}, 5),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "fails-when-pairs-run-out",
            "When every word has become a single id, no pair is left: stop and return the merges made so far.",
            when=fails_when_pairs_run_out,
        ),
        Mistake(
            "ignores-counts",
            "A word that occurs six times counts six times. You count each word once.",
            like=("(list(word), count)", "(list(word), 1)"),
        ),
        Mistake(
            "crosses-words",
            "The end of one word and the beginning of the next are not a pair.",
            like=(
                "[(list(word), count) for word, count in words.items()]",
                '[(b"".join(word * count for word, count in words.items()), 1)]',
            ),
        ),
        Mistake(
            "takes-the-last-of-the-tied",
            "Of several pairs with the same count, take the one that was seen first, not the one seen last.",
            like=("max(counts", "max(reversed(counts)"),
        ),
        Mistake(
            "takes-the-greatest-of-the-tied",
            "You decide a tie by the ids of the pair. Take the pair that comes first in the words.",
            like=("counts.get", "lambda pair: (counts[pair], pair)"),
        ),
        Mistake(
            "takes-the-smallest-of-the-tied",
            "You decide a tie by the ids of the pair. Take the pair that comes first in the words.",
            like=("max(counts", "max(sorted(counts)"),
        ),
        Mistake(
            "counts-apart",
            "aaa has two pairs of neighbors. Counting is not merging: each of two overlapping pairs counts.",
            like=("count_pairs(", "count_apart("),
        ),
        Mistake(
            "stops-at-pairs-that-occur-once",
            "Merging pairs that occur only once is of little use, but here you are asked to do it.",
            like=("if not counts:", "if max(counts.values(), default=0) < 2:"),
        ),
        Mistake(
            "ties-by-another-order",
            "At your first wrong merge two pairs are equally frequent. Which of them comes first in the words as they "
            "are by then?",
            when=decides_ties_otherwise,
        ),
    ),
)
