"""Find the added tokens of a tokenizer.json in a text, with all the flags that they can have.

    single_word     only where no letter, number or mark is next to it
    lstrip, rstrip  the white space before it, or after it, belongs to it
    normalized      the search for it comes after the others, in normalized text

Tokens without any of these are found by ``special_places``; the search is the same: the leftmost, the longest there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache

import regex

from minbpe_course.text import code_points
from minbpe_course.text.oniguruma import TABLES
from minbpe_course.text.special_places import special_token_places
from minbpe_course.text.unicode_tables import WHITE_SPACE

_NO_FLAGS: frozenset[str] = frozenset()


class AddedTokens:
    """Cuts texts at added tokens.

    flags : text -> its flags; texts without flags may be left out · normalize : the function for the
    text between the tokens. ``late`` is True if some tokens are searched for in normalized text; ``normal_form`` maps
    those to their normalized text.

    >>> tokens = AddedTokens({"<m>": {"lstrip"}, "Yes": {"normalized"}}, str.lower)
    >>> [*tokens.cut("A  <m> YES", {"<m>": 7, "Yes": 8})]
    [('a', None), ('  <m>', 7), (' ', None), ('yes', 8)]
    """

    def __init__(self, flags: Mapping[str, Collection[str]], normalize: Callable[[str], str]) -> None:
        self._flags = {text: frozenset(said) for text, said in flags.items()}
        self._normalize = normalize
        self.late = any("normalized" in said for said in flags.values())
        self.normal_form = {text: normalize(text) for text, said in flags.items() if "normalized" in said}

    def cut(self, text: str, allowed: Mapping[str, int]) -> Iterator[tuple[str, int | None]]:
        """Yield (normalized text, None) and (text, id of the added token that takes it). allowed : text -> id."""
        early = {name: name for name in allowed if name not in self.normal_form}
        late = {self.normal_form[name]: name for name in allowed if name in self.normal_form}
        for part, name in self._found(text, early):
            if name is not None:
                yield part, allowed[name]
                continue
            for piece, later in self._found(self._normalize(part), late):
                if piece or later is not None:
                    yield piece, None if later is None else allowed[later]

    def _found(self, text: str, looked_for: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
        """Yield (text, None) and (text, token). looked_for : text to search for -> its token."""
        done = 0
        for start, end in special_token_places(text, looked_for):
            name = looked_for[text[start:end]]
            flags = self._flags.get(name, _NO_FLAGS)
            if "single_word" in flags and (_is_word(text, start - 1) or _is_word(text, end)):
                continue
            if "lstrip" in flags:
                start = max(len(text[:start].rstrip(WHITE_SPACE)), done)
            if "rstrip" in flags:
                end = len(text) - len(text[end:].lstrip(WHITE_SPACE))
            if done < start:
                yield text[done:start], None
            # The token may be white space that the token before it has taken.
            if start < end:
                yield text[start:end], name
            done = end
        if done < len(text):
            yield text[done:], None


def _is_word(text: str, place: int) -> bool:
    if not 0 <= place < len(text) or _word_character().match(text, place) is None:
        return False
    return not code_points.newer_than(TABLES)[ord(text[place])]


@cache
def _word_character() -> regex.Pattern:
    """What ``\\\\w`` matches in Rust, and characters that are newer than its tables."""
    return regex.compile(r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d]")
