"""Small exercises that work, one for each kind, for authors to change into their own.

In the texts KEY, TITLE, ENTRY and SUBJECT stand for those of the new exercise.
"""

from __future__ import annotations

import json
import re

_WRITE = '''
from minbpe_course.learning import Exercise, Mistake


def ENTRY(words):
    """Return the words, each followed by its echo.

    Shout some words into a valley, and every word comes back at once. For example, `ENTRY(["hello", "you"])` is
    `["hello", "hello", "you", "you"]`.
    """
    return [word for word in words for _ in range(2)]


def cases(random):  # category, then arguments; the smallest first. Of a hidden case learners read the category
    for length in range(1, 16):
        category = "one word" if length == 1 else "several words"
        yield category, [random.choice(["hello", "you", "up", "there"]) for _ in range(length)]


EXERCISE = Exercise(
    "KEY", "TITLE", "write", "ENTRY", answer=ENTRY, difficulty=2, minutes=10, points=2, drawn=cases,
    hints=(
        "What does an echo say after the first word, before the second one is called?",
        "Any introduction to Python's lists: look for append and extend.",
        "begin with an empty list; for each word, append it twice; return the list",
    ),
    shown=(("several words", ["hello", "you"]), ("no words", [])),
    mistakes=(Mistake("all-twice", "An echo answers after every word.", like=lambda words: words + words),),
)
'''
_FILL = '''
from minbpe_course.learning import Exercise, Mistake


def ENTRY(text):
    """Return how often each letter occurs.

    One line is missing. For example, `ENTRY("abba")` is `{"a": 2, "b": 2}`.
    """
    letters = sorted(set(text))
    ### BEGIN SOLUTION
    return {letter: text.count(letter) for letter in letters}
    ### END SOLUTION


def cases(random):  # category, then arguments; the smallest first
    for length in range(1, 16):
        yield "letters that come again", "".join(random.choices("abc", k=length)) + "a"


EXERCISE = Exercise(
    "KEY", "TITLE", "fill", "ENTRY", answer=ENTRY, difficulty=1, minutes=5, points=1, drawn=cases,
    hints=(
        "Can you ask a text how often it contains a letter?",
        "The documentation of str.count has an example.",
        "a dict with an entry for each letter: the letter, and how often the text contains it",
    ),
    shown=(("letters that come again", "abba"), ("no letters", "")),
    mistakes=(Mistake("always-one", "You set each letter to 1.", like=lambda text: dict.fromkeys(text, 1)),),
)
'''
_REPAIR = '''
from minbpe_course.learning import Exercise


def ENTRY(name):
    """Return the initials of a name.

    This worked until one person pressed the space bar twice. Repair it: `ENTRY("ada  lovelace")` is `"AL"`.
    """
    ### BEGIN SOLUTION
    return "".join(word[0].upper() for word in name.split())
    ### INSTEAD
    # return "".join(word[0].upper() for word in name.split(" "))
    ### END SOLUTION


def cases(random):  # category, then arguments; the smallest first
    for length in range(1, 12):
        words = [random.choice(["Ada", "grace", "Alan", "van", "de"]) for _ in range(length)]
        yield "one or more spaces", (" " * random.randrange(1, 4)).join(words)


EXERCISE = Exercise(
    "KEY", "TITLE", "repair", "ENTRY", answer=ENTRY, difficulty=2, minutes=10, points=2, drawn=cases,
    hints=(
        "Print the parts into which the name is split. Is each of them a word?",
        "The documentation of str.split says what it does without an argument.",
        "split at any run of spaces, so that no part is empty; take the first letter of each part",
    ),
    shown=(("two spaces", "Ada  Lovelace"), ("one or more spaces", "Alan Turing")),
)
'''
_DESIGN = '''
from minbpe_course.learning import Exercise


def ENTRY(houses):
    """Return a good place to meet.

    Friends live at the numbers `houses` of a street, one far away. Walks 10 % above the shortest get half the points.
    """
    return sorted(houses)[len(houses) // 2]


def cases(random):  # category, then arguments; the smallest first
    for friends, street in enumerate(random.sample(range(999), 9), start=3):
        yield "one friend lives far away", [*(street + random.randrange(20) for _ in range(friends)), street + 900]


def measure(cases, answers):  # a number that decides about the points, and what is wrong with the answers, or None
    ways = [(house, ENTRY(*case.args), mine) for case, mine in zip(cases, answers) for house in case.args[0]]
    return 100 * sum(abs(at - mine) for at, _, mine in ways) / sum(abs(at - best) for at, best, _ in ways), None


EXERCISE = Exercise(
    "KEY", "TITLE", "design", "ENTRY", answer=ENTRY, difficulty=4, minutes=20, points=4, drawn=cases, measure=measure,
    levels=((101, 4), (110, 2)), unit="% of the shortest walks", shown=(("one friend lives far away", [1, 2, 3, 90]),),
    hints=(
        "Move the place by one house. For how many friends does the walk become longer, for how many shorter?",
        "Any introduction to statistics compares the mean and the median.",
        "put the houses in order; take the one in the middle",
    ),
)
'''
_TEST = '''
from minbpe_course.learning import Exercise, mutant


def ENTRY(SUBJECT):
    """Raise AssertionError unless SUBJECT returns the longest word, and the first of several.

    Your test is run on right and wrong functions. Half of the wrong ones caught gives one point, all of them three.
    """
    assert SUBJECT(["three", "two", "one"]) == "three"
    assert SUBJECT(["one", "two", "three"]) == "three"
    assert SUBJECT(["one", "two"]) == "one"


RIGHT = "def SUBJECT(words): return max(words, key=len)"

EXERCISE = Exercise(
    "KEY", "TITLE", "test", "ENTRY", answer=ENTRY, difficulty=2, minutes=15, points=3, subject="SUBJECT",
    hints=(
        "Where can the longest word be? And what if there are two?",
        "The documentation of Python's max says what it returns when several are the greatest.",
        "assert the answer for the longest word at either end, and for two of equal length",
    ),
    right=(RIGHT, "def SUBJECT(words): return sorted(words, key=len, reverse=True)[0]"),  # a test must accept each
    mutants=(  # wrong ones: a name, what is wrong in words, and what to replace in the right one
        mutant(RIGHT, "the-last-one", "takes the last of several longest words", ("(words,", "(words[::-1],")),
        mutant(RIGHT, "no-first-word", "never looks at the first word", ("(words,", "(words[1:] or words,")),
        mutant(RIGHT, "no-last-word", "never looks at the last word", ("(words,", "(words[:-1] or words,")),
    ),
)
'''
_FILES = {
    "write": _WRITE,
    "fill": _FILL,
    "repair": _REPAIR,
    "match": _WRITE.replace('"write"', '"match"'),
    "design": _DESIGN,
    "test": _TEST,
}


def example(kind: str, key: str, title: str, entry: str) -> str:
    """Return the source of a small exercise that works."""
    names = {'"TITLE"': json.dumps(title, ensure_ascii=False), "KEY": key, "ENTRY": entry, "SUBJECT": "longest_word"}
    return re.sub("|".join(names), lambda found: names[found[0]], _FILES[kind]).lstrip("\n")
