r"""The design exercise of lesson 03: programs to cut, and what a way to cut them is worth.

    every other program is read       its 200 most frequent words become tokens, beside the 256 bytes
    the programs between are paid     a word that is a token costs 1, any other word costs its bytes

A word that is too long never comes again, a word that is too short is one of many; what pays is to cut where the
writer of the program joined. The price is told in percent of what GPT-4o's pattern pays for the same programs.

Merges are left out on purpose: with few of them a tokenizer that never cuts does well by learning whole lines, and it
takes much longer to train.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from minbpe_course.checks.exercise import Case
from minbpe_course.checks.lesson_03.ways import by_pattern
from minbpe_course.text.patterns import O200K_PATTERN

PROGRAM = "a program"
TOKENS = 200
PROGRAMS = 24

VERBS = ("get", "set", "load", "save", "count", "find", "parse", "read", "write", "merge", "split", "check", "build")
NOUNS = (
    "user", "order", "price", "item", "line", "token", "file", "index", "word", "table",
    "page", "name", "value", "total", "city", "date", "score", "path", "group", "field",
)  # fmt: skip

ODD_LINES = (
    "",
    "x",
    "x = 1  \n",
    "\tif a:\r\n\t\tb()\r\n",
    "naïve_größe = 'Ärger'\n",
    '名前 = "中文"  # ありがとう\n',
    "\n\n\n",
    "   ",
    "a\x0cb\u2028c\xa0d",
    "print('👩\u200d💻')\\\n",
    "lambda _: _ ** -0.5e-10\n",
    "e\u0301 = 'हिन्दी'\n",
    "s = '\ud83d'\n",
)


def program_cases(random: Random) -> Iterator[Case]:
    """Odd lines, which only must not lose anything, and programs, which are measured.

    >>> len([*program_cases(Random(0))]) - len(ODD_LINES)
    24
    """
    for line in ODD_LINES:
        yield Case("an odd line", (line,))
    for number in range(PROGRAMS):
        # Two of each style in turn, so that both halves have as many of either.
        yield Case(PROGRAM, (program(random, camel_case=number % 4 >= 2),))


def program(random: Random, *, camel_case: bool) -> str:
    """Return a Python program of a class and some functions, all names made of two or three English words.

    >>> compile(program(Random(0), camel_case=True), "a program", "exec") is None
    False
    """

    def noun() -> str:
        return random.choice(NOUNS)

    def number() -> str:
        large = f"{random.randrange(1_000, 100_000)}"
        return random.choice([f"{random.randrange(10)}", f"{random.randrange(100)}", large, f"{random.random():.2f}"])

    def joined(words: Sequence[str]) -> str:
        return words[0] + "".join(map(str.title, words[1:])) if camel_case else "_".join(words)

    def variable() -> str:
        return joined(random.sample(NOUNS, 2))

    def function() -> str:
        return joined([random.choice(VERBS), *random.sample(NOUNS, 2)])

    lines = [f"LIMIT_{noun().upper()} = {number()}", "", "", f"class {noun().title()}{noun().title()}:"]
    for method in (True, True, False, False):
        i = "    " if method else ""
        me, self = ("self, ", "self.") if method else ("", "")
        a, b, c, d = (variable() for _ in range(4))
        lines += [
            *([] if method else [""]),
            f"{i}def {function()}({me}{a}, {b}={number()}):",
            f'{i}    """{random.choice(VERBS).title()} the {noun()} of each {noun()}."""',
        ]
        bodies = [
            [f"{c} = {self}{a}[{number()}] + {b}"],
            [f"for {c} in {a}:", f"    {self}{b} += {c}  # {noun()}, not {noun()}"],
            [f"if {a} != {number()}:", f"    return {function()}({d}, {a})"],
            [f'{self}{d} = {{"{noun()}": {number()}, "{noun()}": {b}}}'],
            [f"while {a} < LIMIT_{noun().upper()}:", f"    {a} = {a} * {number()}"],
            [f"{c} = [{self}{function()}({b}) for {b} in {a}]"],
        ]
        body = [line for part in random.sample(bodies, 3) for line in part]
        lines += [f"{i}    {line}" for line in [*body, f"return {random.choice([a, b, c])}"]] + [""]
    return "\n".join(lines)


def nothing_lost(case: Case, words: Any) -> str | None:
    """Return a complaint unless the answer is a list of words that joined are the text.

    >>> nothing_lost(Case("an odd line", ("a b",)), ["a", " b"]) is None
    True
    >>> nothing_lost(Case("an odd line", ("a b",)), ["a", "b"])
    'words that joined are the text; yours part from it at character 1'
    """
    (text,) = case.args
    if not isinstance(words, (list, tuple)) or not all(isinstance(word, str) for word in words):
        return "a list of words, each of them text (str)"
    if "" in words:
        return "a list of words, none of them empty"
    whole = "".join(words)
    if whole == text:
        return None
    parted = next((at for at, (a, b) in enumerate(zip(whole, text)) if a != b), min(len(whole), len(text)))
    return f"words that joined are the text; yours part from it at character {parted}"


def percent_of_gpt4o(cases: tuple[Case, ...], answers: list[Any]) -> tuple[float, None]:
    """Return the price of these words in percent of the price of GPT-4o's words for the same programs.

    >>> cases = tuple(program_cases(Random(0)))
    >>> percent_of_gpt4o(cases, [list(case.args[0]) for case in cases])[0] > 300
    True
    """
    programs = [(case.args[0], words) for case, words in zip(cases, answers) if case.category == PROGRAM]
    return 100 * price([words for _, words in programs]) / _price_of_gpt4o(tuple(text for text, _ in programs)), None


@lru_cache(maxsize=64)
def _price_of_gpt4o(programs: tuple[str, ...]) -> int:
    return price([*map(by_pattern(O200K_PATTERN), programs)])


def price(programs: Sequence[Sequence[str]], tokens: int = TOKENS) -> int:
    """Return what every second program costs, when the frequent words of the others are tokens.

    >>> price([["return", " x"], ["return", " yes"]])
    5
    """
    seen = Counter(word for words in programs[::2] for word in words if len(word.encode("utf-8")) > 1)
    known = {word for word, _ in seen.most_common(tokens)}
    paid = Counter(word for words in programs[1::2] for word in words)
    return sum(count * (1 if word in known else len(word.encode("utf-8"))) for word, count in paid.items())
