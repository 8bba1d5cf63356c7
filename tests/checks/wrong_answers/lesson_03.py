"""Wrong answers to the exercises of lesson 03, and what the check says about each."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

WRONG = [
    Wrong(
        "03.group_digits",
        "exactly three",
        r"""
        def group_digits(text):
            numbers = r"\p{N}{3}"
            pattern = "|".join([BEFORE_NUMBERS, numbers, AFTER_NUMBERS])
            return [match.group() for match in regex.finditer(pattern, text)]
        """,
        hint="loses-text",
    ),
    Wrong(
        "03.group_digits",
        "leaves the dots",
        """
        def group_digits(text):
            numbers = ...
            pattern = "|".join([BEFORE_NUMBERS, numbers, AFTER_NUMBERS])
            return [match.group() for match in regex.finditer(pattern, text)]
        """,
        hint="raised",
    ),
    Wrong(
        "03.first_difference",
        "always none",
        """
        def first_difference(one, other, alphabet, longest):
            return None
        """,
        hint="finds-none",
    ),
    Wrong(
        "03.first_difference",
        "begins with the empty text, ends too early, sorts",
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
    Wrong(
        "03.gpt4_words",
        "drops white space",
        """
        def gpt4_words(text):
            return text.split()
        """,
        hint="loses-text",
    ),
    Wrong(
        "03.test_split",
        "accepts everything",
        """
        def test_split(split):
            split('a')
        """,
        hint="misses:loses-the-end",
    ),
    Wrong(
        "03.test_split",
        "the first law only",
        r"""
        def test_split(split):
            for text in ["", "a  b", "x\r\n", "né 中文 ", "a1!"]:
                assert "".join(split(text)) == text
        """,
        hint="misses:space-after",
    ),
    Wrong(
        "03.test_split",
        "law and example",
        r"""
        def test_split(split):
            for text in ["", "a  b", "x\r\n", "né 中文 ", "a1!"]:
                assert "".join(split(text)) == text
            assert split("We'll pay  $3") == ["We", "'ll", " pay", " ", " $", "3"]
        """,
        hint="misses:contractions-in-capitals",
        points=1,
    ),
    Wrong(
        "03.test_split",
        "expects GPT-4",
        """
        def test_split(split):
            assert split('1234') == ['123', '4']
        """,
        hint="rejects-right",
    ),
    Wrong(
        "03.test_split",
        "one text",
        """
        def test_split(split):
            assert split("We'll pay  $3") == ["We", "'ll", " pay", " ", " $", "3"]
        """,
        hint="misses:loses-the-end",
    ),
    Wrong(
        "03.test_split",
        "still blank",
        """
        def test_split(split):
            raise NotImplementedError
        """,
        hint="",
        state="not started",
    ),
    Wrong(
        "03.code_words",
        "split at white space",
        """
        def code_words(text):
            return text.split()
        """,
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
        "returns the pattern",
        r"""
        def code_words(text):
            return r" ?[a-z]+|[A-Z]|\s"
        """,
        hint="returns-text",
    ),
    Wrong(
        "03.code_words",
        "never cuts",
        """
        def code_words(text):
            return [text] if text else []
        """,
        hint="below the level",
    ),
    Wrong(
        "03.code_words",
        "single characters",
        """
        def code_words(text):
            return list(text)
        """,
        hint="below the level",
    ),
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
        "humps only",
        r"""
        import regex

        def code_words(text):
            return regex.findall(r" ?\p{Lu}?\p{Ll}+| ?\p{Lu}+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|[\s\S]", text)
        """,
        hint="below the level",
        points=1,
    ),
]
