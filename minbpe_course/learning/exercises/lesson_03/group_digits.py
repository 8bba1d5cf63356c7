"""Exercise 03.group_digits: a pattern that groups digits in threes from the right."""

import regex

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_03.samples import ENDINGS, SIGNS, WORDS
from minbpe_course.learning.exercises.lesson_03.splitters import by_pattern, loses_text

# GPT-4's pattern: the alternatives before the one for numbers, and those after it.
BEFORE_NUMBERS = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+"
AFTER_NUMBERS = r" ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"


def group_digits(text):
    r"""Split text with GPT-4's pattern, but group numbers in threes from the right.

    GPT-4 groups the digits of a number from the left, `123|456|7`. People group them from the right, `1|234|567`. That
    is easier for arithmetic, because 1234567 and 234567 then share their groups.

    Only one alternative has to change: `numbers`. Give it a pattern that takes one to three digits of a number at a
    time, so that every group has three, except the first, which may be shorter. The rest of GPT-4's pattern is already
    there. You need look-aheads: `(?=...)` continues only if `...` follows, and `(?!...)` only if it does not; neither
    takes anything.

    * **In:** `text`, a str. **Out:** the list of its words.
    * A number is a run of `\p{N}`, so ½, Ⅷ and ٣ count as digits, too.

    ```
    group_digits("1234567")      ->  ['1', '234', '567']
    group_digits("31.12.1999")   ->  ['31', '.', '12', '.', '1', '999']
    ```

    Tried: numbers of every length, several numbers in one text, numbers among words and line breaks, and numbers in
    other scripts.
    """
    ### BEGIN SOLUTION
    numbers = r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"
    ### INSTEAD
    # # YOUR CODE HERE: put  numbers = r"..."  in place of the next line
    # raise NotImplementedError("group_digits is still blank")
    ### END SOLUTION
    pattern = "|".join([BEFORE_NUMBERS, numbers, AFTER_NUMBERS])
    return [match.group() for match in regex.finditer(pattern, text)]


def with_numbers(numbers):
    return by_pattern(f"{BEFORE_NUMBERS}|{numbers}|{AFTER_NUMBERS}")


def cases(random):
    def number(length):
        return "".join(random.choices("0123456789", k=length))

    for length in range(1, 14):
        yield "a number of up to three digits" if length < 4 else "a long number", number(length)
    for length in range(1, 8):
        yield "numbers that are not 0 to 9", "".join(random.choices("½²Ⅷ٣٠७९೨１𝟗7", k=length))
    for parts in range(2, 9):
        joined = random.choice([".", ",", "-", " ", "\n", "e", " × "])
        yield "several numbers", joined.join(number(random.randint(1, 8)) for _ in range(parts))
        among = [*WORDS, *SIGNS, *ENDINGS, "\n", "  ", *(number(5) for _ in range(3))]
        yield "numbers among words", "".join(random.choices(among, k=parts))


EXERCISE = Exercise(
    "03.group_digits",
    "Thousands from the right",
    "fill",
    answer=group_digits,
    picture="""
from minbpe_course.showing import compare_tokens

compare_tokens({"GPT-4": (["123", "456", "7", " m"], None), "wanted": (["1", "234", "567", " m"], None)})
""",
    hints=(
        "Up to three digits are a word only if the rest of the number after them is a multiple of three digits.",
        "Lesson 03 goes through GPT-2's pattern sign by sign, look-aheads included, and shows how GPT-4 cuts numbers "
        "after at most three digits.",
        "one to three \\p{N}; then (?= ... ): any number of groups of three \\p{N}, then (?! ... ): no \\p{N}",
    ),
    shown=(
        ("a long number", "1234567"),
        ("a number of up to three digits", "12"),
        ("several numbers", "31.12.1999"),
        ("numbers among words", "1234567km"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "from-the-left",
            "These are GPT-4's own groups, from the left. When may the first group be shorter than three?",
            like=with_numbers(r"\p{N}{1,3}"),
        ),
        Mistake(
            "up-to-the-end-of-the-text",
            "You count the groups from the end of the text. A number ends earlier, where no further number follows.",
            like=with_numbers(r"\p{N}{1,3}(?=(?:\p{N}{3})*$)"),
        ),
        Mistake(
            "up-to-a-word-boundary",
            r"`\b` is not the end of a number: between the digits and the letters of `7km` there is none.",
            like=with_numbers(r"\p{N}{1,3}(?=(?:\p{N}{3})*\b)"),
        ),
        Mistake(
            "loses-the-last-group",
            "After the last group there is no group of three left. Does your look-ahead allow that?",
            like=with_numbers(r"\p{N}{1,3}(?=(?:\p{N}{3})+(?!\p{N}))"),
        ),
        Mistake(
            "looks-one-group-ahead",
            "Your look-ahead sees one group and no further. It has to count threes up to the end of the number.",
            like=with_numbers(r"\p{N}{1,3}(?=\p{N}{3}|(?!\p{N}))"),
        ),
        Mistake(
            "decimal-digits-only",
            r"`\d` does not match all numbers: ½ and Ⅷ are numbers too, and now nothing in the pattern matches them.",
            like=with_numbers(r"\d{1,3}(?=(?:\d{3})*(?!\d))"),
        ),
        Mistake(
            "whole-numbers",
            "Your groups may have any length. How does the pattern say one, two or three?",
            like=with_numbers(r"\p{N}+"),
        ),
        Mistake(
            "loses-text",
            "Joined, your words are not the text: nothing in the pattern matches some of the numbers.",
            when=loses_text,
        ),
    ),
    packages=("regex",),
)
