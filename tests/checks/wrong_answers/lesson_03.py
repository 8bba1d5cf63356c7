"""What learners write in the exercises of lesson 03 before they are right."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong
from tests.checks.wrong_answers.scanners_03 import GPT4_WORDS, MARKED_WORDS


def _group(line: str) -> str:
    return f"""
def group_digits(text):
    {line}
    pattern = "|".join([BEFORE_NUMBERS, numbers, AFTER_NUMBERS])
    return [match.group() for match in regex.finditer(pattern, text)]
"""


GROUP_DIGITS = [
    Wrong("03.group_digits", "as GPT-4 has it", _group(r'numbers = r"\p{N}{1,3}"'), hint="from-the-left"),
    Wrong(
        "03.group_digits",
        "looks for the end of the text",
        _group(r'numbers = r"\p{N}{1,3}(?=(\p{N}{3})*$)"'),
        hint="up-to-the-end-of-the-text",
    ),
    Wrong(
        "03.group_digits",
        "wants a further group",
        _group(r'numbers = r"\p{N}{1,3}(?=(?:\p{N}{3})+(?!\p{N}))"'),
        hint="loses-the-last-group",
    ),
    Wrong(
        "03.group_digits",
        "one group ahead",
        _group(r'numbers = r"\p{N}{1,3}(?=\p{N}{3}|(?!\p{N}))"'),
        hint="looks-one-group-ahead",
    ),
    Wrong(
        "03.group_digits",
        "digits as in re",
        _group(r'numbers = r"\d{1,3}(?=(?:\d\d\d)*(?!\d))"'),
        hint="decimal-digits-only",
    ),
    Wrong("03.group_digits", "any length", _group(r'numbers = r"\p{N}+"'), hint="whole-numbers"),
    Wrong("03.group_digits", "exactly three", _group(r'numbers = r"\p{N}{3}"'), hint="loses-text"),
    Wrong("03.group_digits", "the line left as dots", _group("numbers = ..."), hint="raised"),
]

SPLIT_WORDS = [
    Wrong(
        "03.split_words",
        "findall and nothing else",
        """
        import regex

        def split_words(text, pattern):
            return regex.findall(pattern, text)
        """,
        hint="returns-groups",
    ),
    Wrong(
        "03.split_words",
        "matches only",
        """
        import regex

        def split_words(text, pattern):
            return [m[0] for m in regex.finditer(pattern, text) if m[0]]
        """,
        hint="leaves-out-the-rest",
    ),
    Wrong(
        "03.split_words",
        "stops at the last match",
        """
        import regex

        def split_words(text, pattern):
            words, last = [], 0
            for m in regex.finditer(pattern, text):
                if m.end() > m.start():
                    if m.start() > last:
                        words.append(text[last:m.start()])
                    words.append(m.group())
                    last = m.end()
            return words
        """,
        hint="forgets-the-end",
    ),
    Wrong(
        "03.split_words",
        "empty matches cut",
        """
        import regex

        def split_words(text, pattern):
            words, last = [], 0
            for m in regex.finditer(pattern, text):
                words.append(text[last:m.start()])
                words.append(m.group())
                last = m.end()
            words.append(text[last:])
            return [w for w in words if w]
        """,
        hint="cuts-at-empty-matches",
    ),
    Wrong(
        "03.split_words",
        "split with brackets round it",
        """
        import regex

        def split_words(text, pattern):
            return [w for w in regex.split("(" + pattern + ")", text) if w]
        """,
        hint="repeats-groups",
    ),
    Wrong(
        "03.split_words",
        "keeps what is empty",
        """
        import regex

        def split_words(text, pattern):
            words, last = [], 0
            for m in regex.finditer(pattern, text):
                words += [text[last:m.start()], m.group()]
                last = m.end()
            return words + [text[last:]]
        """,
        hint="keeps-empty-words",
    ),
    Wrong(
        "03.split_words",
        "one more alternative",
        r"""
        import regex

        def split_words(text, pattern):
            return [m[0] for m in regex.finditer(pattern + r"|[\s\S]", text) if m[0]]
        """,
        hint="gaps-in-characters",
    ),
]

FIRST_DIFFERENCE = [
    Wrong(
        "03.first_difference",
        "counts words",
        """
        import itertools, regex

        def first_difference(one, other, alphabet, longest):
            for n in range(1, longest + 1):
                for t in map("".join, itertools.product(alphabet, repeat=n)):
                    if len(regex.findall(one, t)) != len(regex.findall(other, t)):
                        return t
        """,
        hint="compares-counts",
    ),
    Wrong(
        "03.first_difference",
        "full length only",
        """
        import itertools, regex

        def first_difference(one, other, alphabet, longest):
            for t in map("".join, itertools.product(alphabet, repeat=longest)):
                if regex.findall(one, t) != regex.findall(other, t):
                    return t
        """,
        hint="only-the-longest",
    ),
    Wrong(
        "03.first_difference",
        "range ends too early",
        """
        import itertools, regex

        def first_difference(one, other, alphabet, longest):
            for n in range(1, longest):
                for t in map("".join, itertools.product(alphabet, repeat=n)):
                    if regex.findall(one, t) != regex.findall(other, t):
                        return t
        """,
        hint="stops-too-early",
    ),
    Wrong(
        "03.first_difference",
        "permutations",
        """
        import itertools, regex

        def first_difference(one, other, alphabet, longest):
            for n in range(1, longest + 1):
                for t in map("".join, itertools.permutations(alphabet, n)):
                    if regex.findall(one, t) != regex.findall(other, t):
                        return t
            return None
        """,
        hint="no-repeats",
    ),
    Wrong(
        "03.first_difference",
        "combinations with replacement",
        """
        import itertools, regex

        def first_difference(one, other, alphabet, longest):
            for n in range(1, longest + 1):
                for t in map("".join, itertools.combinations_with_replacement(alphabet, n)):
                    if regex.findall(one, t) != regex.findall(other, t):
                        return t
            return None
        """,
        hint="one-order-only",
    ),
    Wrong(
        "03.first_difference",
        "sorts the alphabet",
        """
        import itertools, regex

        def first_difference(one, other, alphabet, longest):
            for n in range(1, longest + 1):
                for t in map("".join, itertools.product(sorted(set(alphabet)), repeat=n)):
                    if regex.findall(one, t) != regex.findall(other, t):
                        return t
            return None
        """,
        hint="sorted-alphabet",
    ),
    Wrong(
        "03.first_difference",
        "always none",
        "def first_difference(one, other, alphabet, longest):\n    return None",
        hint="finds-none",
    ),
    Wrong(
        "03.first_difference",
        "begins with no text, ends too early, sorts",
        """
        import itertools, regex

        def first_difference(one, other, alphabet, longest):
            for n in range(longest):
                for t in map("".join, itertools.product(sorted(alphabet), repeat=n)):
                    if regex.findall(one, t) != regex.findall(other, t):
                        return t
        """,
        hint="finds-none",
    ),
]


def _test(*lines: str) -> str:
    return "def test_split(split):\n" + "".join(f"    {line}\n" for line in lines)


LAW = '    assert "".join(split(text)) == text'
TEXTS = 'for text in ["", "a  b", "x\\r\\n", "né 中文 ", "a1!"]:'
FIRST_EXAMPLE = 'assert split("We\'ll pay  $3") == ["We", "\'ll", " pay", " ", " $", "3"]'

TEST_SPLIT = [
    Wrong("03.test_split", "accepts everything", _test("split('a')"), hint="misses:loses-the-end"),
    Wrong("03.test_split", "the first law only", _test(TEXTS, LAW), hint="misses:blank-behind"),
    Wrong(
        "03.test_split",
        "law and example",
        _test(TEXTS, LAW, FIRST_EXAMPLE),
        hint="misses:contractions-in-capitals",
        points=1,
    ),
    Wrong(
        "03.test_split",
        "expects GPT-4",
        _test("assert split('1234') == ['123', '4']"),
        hint="rejects-right",
    ),
    Wrong("03.test_split", "one text", _test(FIRST_EXAMPLE), hint="misses:loses-the-end"),
    Wrong("03.test_split", "still blank", _test("raise NotImplementedError"), hint="", state="not started"),
]

CODE_WORDS = [
    Wrong(
        "03.code_words",
        "split at white space",
        "def code_words(text):\n    return text.split()",
        hint="loses-white-space",
    ),
    Wrong(
        "03.code_words",
        "a pattern with a hole",
        r"""
        import regex

        def code_words(text):
            return regex.findall(r"\s+|[A-Za-z]+|\d|[^\w\s]+", text)
        """,
        hint="loses-text",
    ),
    Wrong(
        "03.code_words",
        "gives the pattern",
        'def code_words(text):\n    return r" ?[a-z]+|[A-Z]|\\s"',
        hint="returns-text",
    ),
    Wrong(
        "03.code_words",
        "never cuts",
        "def code_words(text):\n    return [text] if text else []",
        hint="below the level",
    ),
    Wrong("03.code_words", "single characters", "def code_words(text):\n    return list(text)", hint="below the level"),
    Wrong(
        "03.code_words",
        "as GPT-2",
        r"""
        import regex

        def code_words(text):
            return regex.findall(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", text)
        """,
        hint="below the level",
    ),
    Wrong(
        "03.code_words",
        "humps and nothing else",
        r"""
        import regex

        def code_words(text):
            return regex.findall(r" ?\p{Lu}?\p{Ll}+| ?\p{Lu}+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|[\s\S]", text)
        """,
        hint="below the level",
        points=1,
    ),
]

WRONG = [*GROUP_DIGITS, *SPLIT_WORDS, *FIRST_DIFFERENCE, *MARKED_WORDS, *GPT4_WORDS, *TEST_SPLIT, *CODE_WORDS]
