"""Small exercises that work, one for each kind, for authors to change into their own.

In the texts KEY, TITLE, ENTRY and SUBJECT stand for those of the new exercise.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Template:
    """The file of an exercise in ``checks``, its task and its answer."""

    file: str
    task: str
    answer: str
    subject: str = ""

    def of(self, key: str, title: str, entry: str) -> Template:
        """Return the template with the names of a new exercise."""
        names = {'"TITLE"': json.dumps(title, ensure_ascii=False), "KEY": key, "ENTRY": entry, "SUBJECT": self.subject}

        def named(text: str) -> str:
            return re.sub("|".join(names), lambda match: names[match[0]], text).strip("\n")

        file = self.file.replace('    entry="ENTRY",\n', "") if key.partition(".")[2] == entry else self.file
        return replace(self, file=named(file) + "\n", task=named(self.task), answer=named(self.answer))


_ECHO = '''
"""Exercise KEY."""

from minbpe_course.learning import Case, Exercise, Mistake


def _wanted(words):  # the right answer: it computes what every case wants
    return [word for word in words for _ in range(2)]


def _drawn(random):  # the hidden cases, smallest first, from a random.Random; arguments are always a tuple
    for length in range(1, 16):
        category = "one word" if length == 1 else "several words"  # all that a learner reads of a hidden case
        yield Case(category, ([random.choice(["hello", "you", "up", "there"]) for _ in range(length)],))


def _says_it_all_twice(words):  # a typical mistake: answers with the same results get its hint
    return words + words


EXERCISE = Exercise(
    "KEY",
    title="TITLE",
    kind="write",
    entry="ENTRY",
    difficulty=2,  # 1 to 5
    minutes=10,
    points=2,
    hints=(  # a nudge, the steps in words, where to read
        "What does an echo say after the first word, before the second one is called?",
        "begin with an empty list; for each word, append it twice; return the list",
        "Any introduction to Python's lists: look for append and extend.",
    ),
    wanted=_wanted,
    shown=(Case("several words", (["hello", "you"],)), Case("no words", ([],))),  # learners see these
    drawn=_drawn,
    mistakes=(Mistake("all-twice", "An echo answers after every word, not after the last.", like=_says_it_all_twice),),
)
'''
_ECHO_TASK = """
Shout some words into a valley, and every word comes back at once.

* **In:** `words`, a list of strings.
* **Out:** a new list in which every word is followed by its echo.

For example, `ENTRY(["hello", "you"])` is `["hello", "hello", "you", "you"]`.
"""
_WRITE = Template(
    _ECHO,
    _ECHO_TASK,
    '''
def ENTRY(words):
    """Return the words, each followed by its echo."""
    ### BEGIN SOLUTION
    return [heard for word in words for heard in (word, word)]
    ### END SOLUTION
''',
)
_FILL = Template(
    '''
"""Exercise KEY."""

from minbpe_course.learning import Case, Exercise, Mistake


def _wanted(text):  # the right answer: it computes what every case wants
    return {letter: text.count(letter) for letter in text}


def _drawn(random):  # the hidden cases, smallest first, from a random.Random; arguments are always a tuple
    for length in range(2, 20):
        category = "few letters" if length < 5 else "many letters"  # all that a learner reads of a hidden case
        yield Case(category, ("".join(random.choice("abc") for _ in range(length)),))


def _says_one(text):  # a typical mistake: answers with the same results get its hint
    return dict.fromkeys(text, 1)


EXERCISE = Exercise(
    "KEY",
    title="TITLE",
    kind="fill",
    entry="ENTRY",
    difficulty=1,  # 1 to 5
    minutes=5,
    points=1,
    hints=(  # a nudge, the steps in words, where to read
        "The dict is the memory: what does it know about a letter before this one is counted?",
        "take the number that the dict has for this letter, or 0; add one; store it again",
        "The documentation of dict.get says what its second argument is for.",
    ),
    wanted=_wanted,
    shown=(Case("few letters", ("abba",)), Case("no letters", ("",))),  # learners see these
    drawn=_drawn,
    mistakes=(Mistake("never-adds", "A letter that comes again counts one more.", like=_says_one),),
)
''',
    """
How often does each letter occur in a text? One line is missing.

* **In:** `text`, a string.
* **Out:** a dict from letter to number.

For example, `ENTRY("abba")` is `{"a": 2, "b": 2}`.
""",
    '''
def ENTRY(text):
    """Return how often each letter occurs."""
    tally = {}
    for letter in text:
        ### BEGIN SOLUTION
        tally[letter] = tally.get(letter, 0) + 1
        ### END SOLUTION
    return tally
''',
)
_REPAIR = Template(
    '''
"""Exercise KEY."""

from minbpe_course.learning import Case, Exercise, Mistake


def _wanted(name):  # the right answer: it computes what every case wants
    return "".join(word[0].upper() for word in name.split())


def _planted(name):  # the answer as learners get it, with its bug; the notebook has the same lines
    return "".join(word[0].upper() for word in name.split(" "))


def _drawn(random):  # the hidden cases, smallest first, from a random.Random; arguments are always a tuple
    for length in range(1, 12):
        words = [random.choice(["Ada", "grace", "Alan", "van", "de"]) for _ in range(length)]
        yield Case("one space between words", (" ".join(words),))
        yield Case("more space than needed", (" " * random.randrange(3) + "  ".join(words) + " ",))


def _keeps_small_letters(name):  # a typical mistake: answers with the same results get its hint
    return "".join(word[0] for word in name.split())


EXERCISE = Exercise(
    "KEY",
    title="TITLE",
    kind="repair",
    entry="ENTRY",
    difficulty=2,  # 1 to 5
    minutes=10,
    points=2,
    hints=(  # a nudge, the steps in words, where to read
        "Print the parts into which the name is split. Is each of them a word?",
        "split at any run of spaces, so that no part is empty; take the first letter of each part",
        "The documentation of str.split says what it does without an argument.",
    ),
    wanted=_wanted,
    planted=_planted,
    shown=(Case("more space than needed", ("Ada  Lovelace",)), Case("one space between words", ("Alan Turing",))),
    drawn=_drawn,
    mistakes=(Mistake("small-letters", "Initials are capital letters.", like=_keeps_small_letters),),
)
''',
    """
This function makes initials from a name. It worked for years, until one person pressed the space bar twice. Repair it.

* **In:** `name`, a string with at least one word.
* **Out:** the first letters of its words, as capitals.

For example, `ENTRY("ada lovelace")` is `"AL"`, however many spaces there are.
""",
    '''
def ENTRY(name):
    """Return the initials of a name."""
    ### BEGIN SOLUTION
    return "".join(word[0].upper() for word in name.split())
    ### INSTEAD
    # return "".join(word[0].upper() for word in name.split(" "))
    ### END SOLUTION
''',
)
_DESIGN = Template(
    '''
"""Exercise KEY."""

from minbpe_course.learning import Case, Exercise


def _walks(houses, place):
    return sum(abs(house - place) for house in houses)


def _drawn(random):  # the hidden cases, smallest first, from a random.Random; arguments are always a tuple
    for friends in range(3, 12):
        street = random.randrange(1000)
        houses = [street + random.randrange(20) for _ in range(friends)]
        yield Case("one friend lives far away", ([*houses, street + random.randrange(500, 900)],))


def _measured(cases, answers):  # the number that decides about the points, and what is wrong with the answers, or None
    if not all(isinstance(answer, (int, float)) for answer in answers):
        return 0.0, "Return the number of a house."
    shortest = sum(_walks(*case.args, sorted(case.args[0])[len(case.args[0]) // 2]) for case in cases)
    return 100 * sum(_walks(*case.args, answer) for case, answer in zip(cases, answers)) / shortest, None


EXERCISE = Exercise(
    "KEY",
    title="TITLE",
    kind="design",
    entry="ENTRY",
    difficulty=4,  # 1 to 5
    minutes=20,
    points=4,
    hints=(  # a nudge, the steps in words, where to read
        "Move the place by one house. For how many friends does the walk become longer, for how many shorter?",
        "put the houses in order; take the one in the middle",
        "Any introduction to statistics compares the mean and the median.",
    ),
    shown=(Case("one friend lives far away", ([1, 2, 3, 90],)),),  # learners see these
    drawn=_drawn,
    measure=_measured,
    levels=((101, 4), (110, 2)),  # up to 101 gives 4 points, up to 110 gives 2
    unit="% of the shortest walks",
)
''',
    """
Some friends live in one long street. Where should they meet, so that all their walks together are short? One of them
always lives far away.

* **In:** `houses`, a list of house numbers.
* **Out:** the number of the house to meet at.

Your answers are compared with the shortest walks: at most 1 % more gives all points, 10 % more gives half of them.
""",
    '''
def ENTRY(houses):
    """Return a good place to meet."""
    ### BEGIN SOLUTION
    return sorted(houses)[len(houses) // 2]
    ### END SOLUTION
''',
)
_TEST = Template(
    '''
"""Exercise KEY."""

from minbpe_course.learning import Exercise, mutant

# Right implementations: a learner's test must accept each.
_RIGHT = """
def SUBJECT(words):
    best = words[0]
    for word in words[1:]:
        if len(word) > len(best):
            best = word
    return best
"""
_OTHER = """
def SUBJECT(words):
    return max(words, key=len)
"""

EXERCISE = Exercise(
    "KEY",
    title="TITLE",
    kind="test",
    entry="ENTRY",
    difficulty=2,  # 1 to 5
    minutes=15,
    points=3,
    hints=(  # a nudge, the steps in words, where to read
        "Where can the longest word be? And what if there are two?",
        "assert the answer for a list of one word, for the longest word at either end, and for two of equal length",
        "The documentation of Python's max says what it returns when several are the greatest.",
    ),
    subject="SUBJECT",
    right=(_RIGHT, _OTHER),
    mutants=(  # wrong ones: a name, what is wrong in words, and what to replace in the right one
        mutant(_RIGHT, "the-last-one", "takes the last of several longest words", ("> len(best)", ">= len(best)")),
        mutant(_RIGHT, "shortest", "takes the shortest word", ("> len(best)", "< len(best)")),
        mutant(_RIGHT, "no-first-word", "never looks at the first word", ("words[0]", "words[-1]")),
        mutant(_RIGHT, "no-last-word", "never looks at the last word", ("words[1:]", "words[1:-1]")),
    ),
)
''',
    """
Now find the bugs of others. Write a test that is given a function `SUBJECT` and raises an exception if it is
wrong; an `assert` will do.

* **In:** `SUBJECT`, a function that should return the longest of a list of words, and the first of several.
* **Out:** nothing. A right function must pass.

Your test is run on right and wrong functions. Half of the wrong ones caught gives one point, all of them three.
""",
    '''
def ENTRY(SUBJECT):
    """Raise AssertionError unless SUBJECT returns the longest word."""
    ### BEGIN SOLUTION
    assert SUBJECT(["one"]) == "one"
    assert SUBJECT(["three", "two", "one"]) == "three"
    assert SUBJECT(["one", "two", "three"]) == "three"
    assert SUBJECT(["one", "two"]) == "one"
    ### END SOLUTION
''',
    subject="longest_word",
)
TEMPLATES = {
    "write": _WRITE,
    "fill": _FILL,
    "repair": _REPAIR,
    "match": replace(_WRITE, file=_ECHO.replace('kind="write"', 'kind="match"')),
    "design": _DESIGN,
    "test": _TEST,
}
