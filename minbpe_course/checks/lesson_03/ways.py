r"""Ways to cut a text for the exercises of lesson 03: the right ones, and the wrong ones that deserve a hint.

    pieces("Hello  world!\n", r"\p{L}+")     ['Hello', '  ', 'world', '!\n']

Limits: made for the short texts of an exercise; whoever wants speed takes ``kernels.split``.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable, Iterable

import regex

from minbpe_course.reference.split import split_text
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN
from minbpe_course.text.unicode_tables import character_classes

# GPT-2's pattern without contractions, and with marks wherever it has letters.
MARKS_PATTERN = r" ?[\p{L}\p{M}]+| ?\p{N}+| ?[^\s\p{L}\p{M}\p{N}]+|\s+(?!\S)|\s+"


def by_pattern(pattern: str) -> Callable[[str], list[str]]:
    r"""Return the function that cuts with this pattern and leaves out what it does not match.

    >>> by_pattern(r"\p{L}+")("a b")
    ['a', 'b']
    """
    compiled = regex.compile(pattern)
    return lambda text: [match.group() for match in compiled.finditer(text)]


def gpt4(text: str) -> list[str]:
    """Cut like GPT-4 as minbpe writes it, with the frozen classes and without a regular expression.

    >>> gpt4("I'll pay 1234!")
    ['I', "'ll", ' pay', ' ', '123', '4', '!']
    """
    return split_text(text, GPT4_SPLIT_PATTERN, character_classes("regex"))  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------------------------
# 03.group_digits


def grouped_digits(text: str) -> list[str]:
    """Cut like GPT-4, but numbers in threes from the right.

    >>> grouped_digits("1234567 m")
    ['1', '234', '567', ' m']
    """
    words: list[str] = []
    for is_number, run in itertools.groupby(gpt4(text), key=lambda word: unicodedata.category(word[0])[0] == "N"):
        if not is_number:
            words += run
            continue
        digits = "".join(run)
        ends = range(len(digits) % 3 or 3, len(digits) + 1, 3)
        words += [digits[max(0, end - 3) : end] for end in ends]
    return words


def with_numbers(numbers: str) -> Callable[[str], list[str]]:
    r"""Return GPT-4's way to cut with another alternative for numbers.

    >>> with_numbers(r"\p{N}")("12 a")
    ['1', '2', ' a']
    """
    return by_pattern(GPT4_SPLIT_PATTERN.replace(r"|\p{N}{1,3}|", f"|{numbers}|"))


# ----------------------------------------------------------------------------------------------------
# 03.split_words


def pieces(text: str, pattern: str) -> list[str]:
    r"""Cut into the matches of a pattern and whatever stands between them; empty matches count for nothing.

    >>> pieces("ab, c", r"\p{L}*")
    ['ab', ', ', 'c']
    """
    return _pieces(text, ((match.start(), match.end()) for match in regex.finditer(pattern, text)))


def _pieces(text: str, spans: Iterable[tuple[int, int]], *, skip_empty: bool = True) -> list[str]:
    words, at = [], 0
    for start, end in spans:
        if start == end and skip_empty:
            continue
        words += [text[at:start], text[start:end]]
        at = end
    return [word for word in [*words, text[at:]] if word]


def pieces_without_the_rest(text: str, pattern: str) -> list[str]:
    r"""Only what matches.

    >>> pieces_without_the_rest("a, b", r"\p{L}")
    ['a', 'b']
    """
    return [match.group() for match in regex.finditer(pattern, text) if match.group()]


def pieces_by_findall(text: str, pattern: str) -> list[str]:
    r"""What findall returns: groups, where there are some.

    >>> pieces_by_findall("ab c", r"(\p{L})\p{L}*")
    ['a', 'c']
    """
    return regex.findall(pattern, text)


def pieces_without_the_end(text: str, pattern: str) -> list[str]:
    r"""Everything up to the end of the last match.

    >>> pieces_without_the_end("a, b!", r"\p{L}")
    ['a', ', ', 'b']
    """
    ends = [match.end() for match in regex.finditer(pattern, text) if match.group()]
    return pieces(text[: max(ends, default=0)], pattern)


def pieces_cut_at_nothing(text: str, pattern: str) -> list[str]:
    r"""Empty matches cut, too.

    >>> pieces_cut_at_nothing("a, b", r"\p{L}*")
    ['a', ',', ' ', 'b']
    """
    found = ((match.start(), match.end()) for match in regex.finditer(pattern, text))
    return _pieces(text, found, skip_empty=False)


def pieces_by_split(text: str, pattern: str) -> list[str]:
    r"""The trick with a group around it all, which repeats what stands in other groups.

    >>> pieces_by_split("ab, c", r"(\p{L})\p{L}*")
    ['ab', 'a', ', ', 'c', 'c']
    """
    return [word for word in regex.split(f"({pattern})", text) if word]


def pieces_with_empty_words(text: str, pattern: str) -> list[str]:
    r"""Every gap is a word, even one of no length.

    >>> pieces_with_empty_words("a b", r"\p{L}")
    ['', 'a', ' ', 'b', '']
    """
    words, at = [], 0
    for match in regex.finditer(pattern, text):
        words += [text[at : match.start()], match.group()]
        at = match.end()
    return [*words, text[at:]]


def pieces_in_characters(text: str, pattern: str) -> list[str]:
    r"""What does not match falls into single characters.

    >>> pieces_in_characters("a, b", r"\p{L}")
    ['a', ',', ' ', 'b']
    """
    return pieces_without_the_rest(text, rf"{pattern}|[\s\S]")


# ----------------------------------------------------------------------------------------------------
# 03.first_difference


def first_difference(one: str, other: str, alphabet: str, longest: int) -> str | None:
    """Return the first text that two patterns cut differently: shorter ones first, then in the order of the alphabet.

    >>> first_difference(r"[ab]|b+", r"b+|[ab]", "ab", 3)
    'bb'
    """
    return _search(one, other, alphabet, range(1, longest + 1))


def _search(
    one: str,
    other: str,
    alphabet: str,
    lengths: Iterable[int],
    look: Callable[[list[str]], object] = list,
    texts: Callable[[str, int], Iterable[tuple[str, ...]]] = lambda alphabet, n: itertools.product(alphabet, repeat=n),
) -> str | None:
    first, second = regex.compile(one), regex.compile(other)
    for length in lengths:
        for characters in texts(alphabet, length):
            text = "".join(characters)
            if look(first.findall(text)) != look(second.findall(text)):
                return text
    return None


def difference_of_counts(one: str, other: str, alphabet: str, longest: int) -> str | None:
    """Compare only how many words there are.

    >>> difference_of_counts("aa|b|ab|a", "b|ab|a", "ab", 3)
    'aa'
    """
    return _search(one, other, alphabet, range(1, longest + 1), len)


def difference_of_the_longest(one: str, other: str, alphabet: str, longest: int) -> str | None:
    """Try only the longest texts.

    >>> difference_of_the_longest("aa|a", "a", "a", 3)
    'aaa'
    """
    return _search(one, other, alphabet, [longest])


def difference_too_early(one: str, other: str, alphabet: str, longest: int) -> str | None:
    """Stop one length too early.

    >>> difference_too_early("aa|a", "a", "a", 2) is None
    True
    """
    return _search(one, other, alphabet, range(1, longest))


def difference_without_repeats(one: str, other: str, alphabet: str, longest: int) -> str | None:
    """Use every character once at most.

    >>> difference_without_repeats("aa|a", "a", "a", 3) is None
    True
    """
    return _search(one, other, alphabet, range(1, longest + 1), texts=itertools.permutations)


def difference_with_repeats_sorted(one: str, other: str, alphabet: str, longest: int) -> str | None:
    """Use characters in one order only.

    >>> difference_with_repeats_sorted("ba|a|b", "a|b", "ab", 3) is None
    True
    """
    texts = itertools.combinations_with_replacement
    return _search(one, other, alphabet, range(1, longest + 1), texts=texts)


def difference_in_code_order(one: str, other: str, alphabet: str, longest: int) -> str | None:
    """Go by code points, not by the order of the alphabet.

    >>> difference_in_code_order("aa|bb|a|b", "a|b", "ba", 2)
    'aa'
    """
    return _search(one, other, "".join(sorted(alphabet)), range(1, longest + 1))


# ----------------------------------------------------------------------------------------------------
# 03.marked_words


def marked(letters: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a way to cut in which these Unicode categories are letters; with all of L and M it is the right one.

    >>> marked(["Lu", "Ll", "Lt", "Lo"])("e\u0301te\u0301")
    ['e', '\u0301', 'te', '\u0301']
    """
    categories = frozenset(letters)

    def cut(text: str) -> list[str]:
        kinds = [_kind(character, categories) for character in text]
        words, at = [], 0
        while at < len(text):
            end = _end(text, kinds, at)
            words.append(text[at:end])
            at = end
        return words

    return cut


def _kind(character: str, letters: frozenset[str]) -> str:
    category = unicodedata.category(character)
    if category in letters:
        return "letter"
    if category[0] == "N":
        return "number"
    return "space" if character.isspace() else "other"


def _end(text: str, kinds: list[str], at: int) -> int:
    begin = at + 1 if text[at] == " " and at + 1 < len(text) else at
    if kinds[begin] == "space":
        begin = at
    end = begin
    while end < len(text) and kinds[end] == kinds[begin]:
        end += 1
    return end - 1 if kinds[begin] == "space" and at + 1 < end < len(text) else end
