"""Exercise 05.count_between: count the words of a training text that has special tokens in it."""

import re

from minbpe_course.learning import Exercise, Mistake, edited
from minbpe_course.learning.exercises.lesson_05.samples import END, PAD
from minbpe_course.learning.exercises.lesson_05.split_on_special import split_on_special


def words_of(part):
    """Return the words of a text, each with the white space before it."""
    return re.findall(r"\s*\S+|\s+", part)


def count_between(text, names):
    """Return how often each word occurs in the text between the special tokens.

    Training texts are full of special tokens: between two documents, around every message of a chat. If the trainer
    sees them as ordinary text, it learns `<|`, `end` and `|>`, and words that reach from one document into the next. So
    count the words *between* them.

    * **In:** `text`, a str; `names`, a list of the names of the special tokens, perhaps empty.
    * **Out:** a dict from word to the number of times it occurs. The words are those that `words_of` finds in each
      ordinary part. No special token is counted, and no word reaches across one.

    `count_between("to be<|end|>or to be", ["<|end|>"])` is `{"to": 1, " be": 2, "or": 1, " to": 1}`. Your
    `split_on_special` may help.

    Tried: a word on both sides of a special token, white space next to one, several side by side, one that begins like
    another, and characters with a meaning in a regular expression.
    """
    counts = {}
    for part in split_on_special(text, names):
        for word in () if part in names else words_of(part):
            counts[word] = counts.get(word, 0) + 1
    return counts


ALIKE = "one begins like another"
# category -> (special tokens in the order in which they are listed, the parts of a text)
TEXTS = {
    "a word on both sides": ([END, PAD], ["in", "to", " to", END, PAD]),
    "white space next to a special token": ([END], [" ", "\n", "a", " b", END]),
    "special tokens side by side": ([END, PAD], [END, PAD, END, "a b"]),
    ALIKE: (["<|a|>", "<|a|><|b|>"], ["<|a|>", "<|b|>", "a ", "b"]),
    "characters with a meaning in a regular expression": (["a.b", "[end]"], ["a.b", "axb", "[end]", "e", " n"]),
}


def cases(random):
    for length in range(1, 9):
        for category, (names, parts) in TEXTS.items():
            # Without the longer token the order in which they are tried would not matter.
            end = names[-1] if category == ALIKE else ""
            yield category, "".join(random.choices(parts, k=length)) + end, names
        yield "no special token", " ".join(random.choices(["to", "be", "or"], k=length)), []


def closed_up(text, names, joint):
    return count_between(joint.join(part for part in split_on_special(text, names) if part not in names), [])


def split_by(pattern):
    """Return the answer with another split; the pattern is source. Without special tokens it matches nothing."""
    parts = f'[part or "" for part in re.split("|".join({pattern}) or "$^", text)]'
    return edited(count_between, ("split_on_special(text, names)", parts))


EXERCISE = Exercise(
    "05.count_between",
    "Words between special tokens",
    "write",
    answer=count_between,
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "Which parts of the text does training see? You already have a function that finds them.",
        "Lesson 05 trains its `MyTokenizer` this way: `train` adds up the counts of all ordinary parts.",
        "for each part of split_on_special that is not a name, count the words of that part alone; add up",
    ),
    shown=(
        ("a word on both sides", f"in{END}to", [END]),
        ("white space next to a special token", f"to be{END} or to be", [END]),
        ("no special token", "to be", []),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "special-tokens-counted",
            "Special tokens are still in your words. Training must not spend merges on their spelling.",
            like=lambda text, names: count_between(text, []),
        ),
        Mistake(
            "joined-across",
            "Your text closes up where a special token was, so two halves become a word that nobody wrote.",
            like=lambda text, names: closed_up(text, names, ""),
        ),
        Mistake(
            "space-instead",
            "You put a space where the special token was, so the next word begins with a space that isn't in the text.",
            like=lambda text, names: closed_up(text, names, " "),
        ),
        Mistake(
            "in-the-order-listed",
            "One special token begins like another, and you found the shorter one. Try the longest first.",
            like=split_by("map(re.escape, names)"),
        ),
        Mistake(
            "not-escaped",
            "A special token is text, not a pattern: `.` and `[` mean themselves. See `re.escape`.",
            like=split_by("sorted(names, key=len, reverse=True)"),
        ),
    ),
)
