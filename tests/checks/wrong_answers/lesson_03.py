"""Wrong answers to the exercises of lesson 03, and what the check says about each."""

# ruff: noqa: F811
from __future__ import annotations

from tests.checks.wrong_answers import Shelf

WRONG = Shelf()

WRONG.edit("03.group_digits", "exactly three", "loses-text", (r"{1,3}(?=(?:\p{N}{3})*(?!\p{N}))", "{3}"))


@WRONG.add("03.first_difference", "always none", "finds-none")
def first_difference(one, other, alphabet, longest):
    return None


@WRONG.add("03.gpt4_words", "drops white space", "loses-text")
def gpt4_words(text):
    return text.split()


@WRONG.add("03.test_split", "accepts everything", "misses:loses-the-end")
def test_split(split):
    split("a")


@WRONG.add("03.test_split", "the first law only", "misses:space-after")
def test_split(split):
    for text in ["", "a  b", "x\r\n", "né 中文 ", "a1!"]:
        assert "".join(split(text)) == text


@WRONG.add("03.test_split", "law and example", "misses:contractions-in-capitals", points=1)
def test_split(split):
    for text in ["", "a  b", "x\r\n", "né 中文 ", "a1!"]:
        assert "".join(split(text)) == text
    assert split("We'll pay  $3") == ["We", "'ll", " pay", " ", " $", "3"]


@WRONG.add("03.test_split", "expects GPT-4", "rejects-right")
def test_split(split):
    assert split("1234") == ["123", "4"]


@WRONG.add("03.code_words", "split at white space", "loses-white-space")
def code_words(text):
    return text.split()


@WRONG.add("03.code_words", "a pattern with a hole", "loses-text")
def code_words(text):
    import regex

    return regex.findall(r"\s+|[A-Za-z]+|\d|[^\w\s]+", text)


@WRONG.add("03.code_words", "returns the pattern", "returns-text")
def code_words(text):
    return r" ?[a-z]+|[A-Z]|\s"


@WRONG.add("03.code_words", "humps only", "below the level", points=1)
def code_words(text):
    import regex

    return regex.findall(r" ?\p{Lu}?\p{Ll}+| ?\p{Lu}+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|[\s\S]", text)
