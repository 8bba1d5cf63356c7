"""Exercise 03.count_words: count the words of a text."""

from collections import Counter

import regex

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_03.samples import SIGNS, WORDS
from minbpe_course.learning.exercises.lesson_03.split import GROUPS, PUBLISHED, WHOLE, split
from minbpe_course.learning.exercises.lesson_03.splitters import by_pattern
from minbpe_course.learning.judge.equality import same


def count_words(text, pattern):
    r"""Return {word as UTF-8 bytes: count}, in the order of first appearance.

    A trainer doesn't need the text, only its words and how often each occurs. Split the text with your `split`, and
    count. The keys are bytes, because merges join bytes. Keep the order in which the words first appear: it decides
    between tied pairs later.

    * **In:** `text`, a str; `pattern`. **Out:** a dict.

    For example, `count_words("no, no", r"\w+|\W")` is `{b'no': 2, b',': 1, b' ': 1}`.

    Tried: words that occur often, words in other scripts, patterns with groups, the published patterns, patterns that
    lose text (`split` raises the `ValueError`), and the empty text.
    """
    counts = {}
    for word in split(text, pattern):
        data = word.encode("utf-8")
        counts[data] = counts.get(data, 0) + 1
    return counts


def counted(text, pattern):
    words = by_pattern(pattern)(text)
    if len("".join(words)) < len(text):
        raise ValueError("the pattern loses some of the text")
    return dict(Counter(word.encode("utf-8") for word in words))


def complaint(case, answer):
    wanted = counted(*case.args)
    if not same(answer, wanted):
        return ""
    return None if list(answer) == list(wanted) else "the same counts, in the order in which the words first appear"


def cases(random):
    yield "the empty text", "", r"\w"
    yield "a pattern that loses text", "no!", r"\w+"
    for size in (1, 2, 3, 4, 6, 8, 12):
        few = random.sample((*WORDS, *SIGNS), min(size, 4))
        yield "words that occur often", "".join(random.choices(few, k=2 * size)), random.choice(WHOLE)
        other = random.choices((" Ärger", " дом", " 中文", " né", "😀", "…"), k=size)
        yield "other scripts", "".join(other), random.choice((*PUBLISHED, *WHOLE))
        yield "a published pattern", "".join(random.choices((*WORDS, *SIGNS, "\n"), k=2 * size)), PUBLISHED[size % 3]
        yield "a pattern with groups", "".join(random.choices(few, k=2 * size)), random.choice(GROUPS)


EXERCISE = Exercise(
    "03.count_words",
    "Count the words",
    "write",
    answer=count_words,
    difficulty=1,
    minutes=4,
    hints=(
        "You counted pairs in lesson 02. Here you count words, and your `split` returns them.",
        "Lesson 03, section 4: the example has strings as words, and bytes as keys.",
        "an empty dict; for each word of split(text, pattern): its UTF-8 bytes are the key; new count = count so far, "
        "0 if there is none, + 1; return the dict",
    ),
    wanted=counted,
    accept=complaint,
    shown=(
        ("words that occur often", "no, no", r"\w+|\W"),
        ("other scripts", "Ärger", r"\w+"),
        ("the empty text", "", r"\w"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "keys-are-text",
            "The keys are strings. Merges join bytes, so encode each word: `word.encode('utf-8')`.",
            like=lambda text, pattern: dict(Counter(split(text, pattern))),
        ),
        Mistake(
            "forgets-earlier-words",
            "A word may occur again: add to its earlier count instead of replacing it.",
            like=("counts.get(data, 0) + 1", "1"),
        ),
        Mistake(
            "starts-at-one",
            "How often has a word been seen before you see it for the first time?",
            like=("data, 0", "data, 1"),
        ),
        Mistake(
            "counts-bytes",
            "You count single bytes. Count the words: each word, encoded, is one key.",
            like=lambda text, pattern: dict(
                Counter(bytes([one]) for word in split(text, pattern) for one in word.encode())
            ),
        ),
        Mistake(
            "keys-are-lists-of-ids",
            "The keys are tuples of numbers. `bytes` can be keys, too: `word.encode('utf-8')` is all you need.",
            like=lambda text, pattern: dict(Counter(tuple(word.encode()) for word in split(text, pattern))),
        ),
        Mistake(
            "ignores-the-pattern",
            "`str.split` knows nothing of your pattern, and throws the whitespace away. Use your own `split`.",
            like=lambda text, pattern: dict(Counter(word.encode() for word in text.split())),
        ),
        Mistake(
            "uses-findall",
            "`findall` drops what the pattern doesn't match, and if the pattern has groups it returns them in place of "
            "the match. Your `split` takes care of both.",
            like=lambda text, pattern: dict(Counter(word.encode() for word in regex.findall(pattern, text))),
        ),
        Mistake(
            "another-order",
            "The counts are right, but the words are not in the order in which they first appear. `most_common`, "
            "`sorted` and a set all change it.",
            when=lambda case, outcome, wanted: same(outcome.value, wanted),
            like=lambda text, pattern: dict(sorted(counted(text, pattern).items())),
        ),
    ),
    packages=("regex",),
)
