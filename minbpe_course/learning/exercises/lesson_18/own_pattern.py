"""Exercise 18.own_pattern: a pattern that loses nothing and leaves the words of any script whole."""

import regex

from minbpe_course.learning import Case, Exercise, Mistake
from minbpe_course.learning.judge.exercise import breaks

LONGEST = 400  # characters of a pattern
SECONDS = 1.0


def own_pattern(digits):
    """Return a pattern for your tokenizer, as a str for `regex`.

    `regex.findall(pattern, text)` cuts a text into words. Four rules:

    1. The words joined are the text, whatever it contains.
    2. Letters and their marks (`\\p{L}` and `\\p{M}`) that follow each other stay in one word, together with one space
       before them.
    3. A word contains letters or digits (`\\p{N}`), not both.
    4. Digits that follow each other are cut from the left into groups of `digits`; the last group may be shorter.

    * **In:** `digits`, how many digits a word has at most.
    * **Out:** a str. Everything that the rules leave open is your choice: whether a space goes with a number, line
      ends, apostrophes, punctuation.

    With `regex.findall(own_pattern(2), "தமிழ் 123!")`, you might get `["தமிழ்", " ", "12", "3", "!"]`.
    """
    return rf" ?[\p{{L}}\p{{M}}]+|\p{{N}}{{1,{digits}}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+|\s+(?!\S)|\s"


def complaint(case, answer):
    """Return the rule that a pattern breaks, or None."""
    (digits,) = case.args
    if not isinstance(answer, str) or not 0 < len(answer) <= LONGEST:
        return f"a pattern, which is a str of at most {LONGEST} characters"
    try:
        pattern = regex.compile(answer)
        for text in case.held:
            words = [found.group() for found in pattern.finditer(text, timeout=SECONDS)]
            if broken := _broken(digits, text, words):
                return broken
    except regex.error as error:
        return f"a pattern that regex can read: {error}"
    except TimeoutError:
        return "a pattern that is not slow on short texts"
    return None


def _broken(digits, text, words):
    if "".join(words) != text:
        return f"a pattern that loses nothing: of {text!r}, these words are found: {words!r}"
    borders, at = {0}, 0
    for word in words:
        at += len(word)
        borders.add(at)
        if regex.search(r"[\p{L}\p{M}]", word) and regex.search(r"\p{N}", word):
            return f"words of letters or digits, not both: {word!r} has both"
    for run in regex.finditer(r" ?[\p{L}\p{M}]+", text):
        if not borders.isdisjoint(range(run.start() + 1, run.end())):
            return f"letters and marks in one word, with the space before them: {run.group()!r} is cut, {words!r}"
    for run in regex.finditer(r"\p{N}+", text):
        wanted = {*range(run.start() + digits, run.end(), digits)}
        if wanted != borders.intersection(range(run.start() + 1, run.end())):
            return f"digits in groups of {digits}, from the left: {run.group()!r} is cut otherwise, {words!r}"
    return None


LETTERS, MARKS, DIGITS, ANYTHING = "letters", "letters with marks", "digits", "anything else"
WORDS = ["low", "été", "Ωμέγα", "中文", "Ж"]
MARKED = ["தமிழ்", "हिन्दी", "ภาษาไทย", "e\u0301te\u0301", "ಕನ್ನಡ", "عَرَبِيّ"]
OTHERS = ["!?", "\n\n", "\r\n  x", "\t", "   ", "don't", "_", "🙂👩\u200d💻", "\x00", "\u200d", "a  b", " \n a", "€5"]


def tried(category, digits, *texts):
    return Case(category, (digits,), held=texts)


def cases(random):
    for size in range(1, 6):
        digits = random.randint(1, 4)
        number = "".join(random.choices("0123456789٣५", k=size + digits))
        yield tried(LETTERS, digits, " ".join(random.choices(WORDS, k=size)), *random.sample(WORDS, 2))
        yield tried(MARKS, digits, " ".join(random.choices(MARKED, k=size)), *random.sample(MARKED, 2))
        yield tried(DIGITS, digits, f"low{number}", f"{number}low", number, f"{number[:size]} {number}")
        yield tried(ANYTHING, digits, "".join(random.choices(OTHERS, k=size)), *random.sample(OTHERS, 4))


EXERCISE = Exercise(
    "18.own_pattern",
    "A pattern of your own",
    "write",
    answer=own_pattern,
    difficulty=3,
    minutes=8,
    points=3,
    hints=(
        "Begin with a pattern that you know, and find the rule that it breaks. Which alternative takes a character "
        "that no other one takes?",
        "Lesson 03, on GPT-4's pattern, and lesson 18, on what it does to Tamil.",
        "four alternatives, joined by |: an optional space and letters and marks, ` ?[\\p{L}\\p{M}]+`; one to `digits` "
        "of `\\p{N}`; an optional space and whatever is neither whitespace nor one of these; whitespace",
    ),
    accept=complaint,
    shown=(
        tried(LETTERS, 3, "low lower"),
        tried(MARKS, 3, "தமிழ்", "ஒரு தமிழ் கதை"),
        tried(DIGITS, 2, "low1", "12345"),
        tried(ANYTHING, 1, "a!\n\n b", " ", "don't"),
    ),
    drawn=cases,
    packages=("regex",),
    mistakes=(
        Mistake(
            "cuts-marks",
            "A vowel sign is a mark (`\\p{M}`), not a letter (`\\p{L}`). Does your class of letters contain both?",
            when=lambda case, outcome, wanted: (
                case.category == MARKS and "with the space" in (complaint(case, outcome.value) or "")
            ),
            like=(r"[\p{{L}}\p{{M}}]+|", r"\p{{L}}+|\p{{M}}|"),
        ),
        Mistake(
            "loses",
            "Some characters are in no word. Let the last alternatives take whatever the others leave.",
            when=breaks(complaint, "loses nothing"),
            like=(r"|\s+(?!\S)|\s", ""),
        ),
        Mistake(
            "letters-and-digits",
            "A word has letters and digits in it. `\\w` contains both.",
            when=breaks(complaint, "not both"),
            like=(r"[\p{{L}}\p{{M}}]+", r"[\p{{L}}\p{{M}}\w]+"),
        ),
        Mistake(
            "groups-of-digits",
            "Digits must be cut into groups of `digits`. `{1,3}` repeats one to three times, and in an f-string a "
            "brace is written twice.",
            when=breaks(complaint, "digits in groups"),
            like=("{{1,{digits}}}", "+"),
        ),
        Mistake(
            "no-space",
            "The space before a word belongs to the word: ` ?` before the letters.",
            when=breaks(complaint, "with the space"),
            like=('rf" ?[', 'rf"['),
        ),
        Mistake(
            "not-a-pattern",
            "`regex` cannot read this. Is each bracket closed, and is it a raw string?",
            when=breaks(complaint, "can read"),
            like=('rf" ?[', 'rf" ?(['),
        ),
    ),
)
