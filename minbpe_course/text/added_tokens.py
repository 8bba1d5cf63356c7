"""Cut a text at its added tokens: special tokens, and plain ones, which are found in every text.

    "hi<|end|>    x"     special <|end|>, not allowed     plain "    "     ("hi<|end|>", 50257, "x")

The rules are those of `tokenizers`. The leftmost token comes first, and the longest of several that begin at one place.
A special token that is not allowed is ordinary text; plain tokens that begin in it are not found, since the search
continues after it. (If an allowed special token begins in it, that one is found.) A token of a tokenizer.json may have
flags:

    single_word     only where no letter, number or mark is next to it
    lstrip, rstrip  the white space before it, or after it, belongs to it
    normalized      the search for it comes after the others, in normalized text
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import regex

from minbpe_course.text import code_points
from minbpe_course.text.pattern_reading import TIKTOKEN
from minbpe_course.text.special_places import Finder, finder_of
from minbpe_course.text.unicode_tables import WHITE_SPACE

_NONE: Mapping[str, Any] = MappingProxyType({})
_MOST_SEARCHES = 16
_SPACE_BEFORE, _ASCII_BEFORE = (regex.compile(f"[{each}]*", flags=regex.REVERSE) for each in (WHITE_SPACE, "\t-\r "))
_SPACE_AFTER, _ASCII_AFTER = (regex.compile(f"[{each}]*") for each in (WHITE_SPACE, "\t-\r "))


class AddedTokens:
    """Cuts texts at added tokens.

    special, plain : text -> id · flags : text -> its flags; texts without flags may be left out · normalize : the
    function for the text between the tokens, if there are flags. ``flagged`` is True if there are; then the text
    between the tokens comes back normalized. ``normal_form`` maps the tokens that are searched for in normalized text
    to their normalized text.

    >>> tokens = AddedTokens({"<m>": 7}, {"Yes": 8}, {"<m>": {"lstrip"}, "Yes": {"normalized"}}, str.lower)
    >>> [*tokens.cut("A  <m> YES", {"<m>": 7})], [*tokens.cut("A  <m> YES", {})]
    (['a', 7, ' ', 8], ['a  <m> ', 8])
    """

    def __init__(
        self,
        special: Mapping[str, int],
        plain: Mapping[str, int] = _NONE,
        flags: Mapping[str, Collection[str]] = _NONE,
        normalize: Callable[[str], str] = str,
    ) -> None:
        self._special, self._plain = special, plain
        self._flags = {text: frozenset(said) for text, said in flags.items()}
        self._normalize = normalize
        self.flagged = bool(flags)
        self.normal_form = {text: normalize(text) for text, said in flags.items() if "normalized" in said}
        self._all = finder_of(frozenset([*special, *plain]))
        self._searches: dict[frozenset[str] | None, tuple[TokenSearch, TokenSearch]] = {}

    def may_find(self, text: str) -> bool:
        """Return False if no added token is in the text. This is fast, and may be wrong for True."""
        # Normalization may turn any text into a token.
        return bool(self.normal_form) or self._all.may_find(text)

    def cut(self, text: str, allowed: Mapping[str, int]) -> Iterator[str | int]:
        """Yield the parts of a text, each normalized if there are flags, and the ids of the tokens between them.

        allowed : the special tokens that are found.
        """
        early, late = self._searches_for(allowed)
        return self._cut_twice(text, early, late) if self.flagged else early.cut(text)

    def cut_as_written(self, text: str, allowed: Mapping[str, int]) -> Iterator[str | int]:
        """Cut as ``cut`` does, but leave the parts between the tokens as they are, not normalized."""
        early, late = self._searches_for(allowed)
        for part in early.cut(text):
            yield from late.cut(part) if isinstance(part, str) else (part,)

    def _cut_twice(self, text: str, early: TokenSearch, late: TokenSearch) -> Iterator[str | int]:
        for part in early.cut(text):
            if isinstance(part, str):
                yield from late.cut(self._normalize(part))
            else:
                yield part

    def _searches_for(self, allowed: Mapping[str, int]) -> tuple[TokenSearch, TokenSearch]:
        key = None if allowed is self._special else frozenset(allowed)
        found = self._searches.get(key)
        if found is None:
            if len(self._searches) >= _MOST_SEARCHES:
                self._searches.clear()
            found = self._searches[key] = self._search(allowed, False), self._search(allowed, True)
        return found

    def _search(self, allowed: Mapping[str, int], late: bool) -> TokenSearch:
        """Return the search in the text as it is, or in normalized text."""
        sought = {
            name: self.normal_form.get(name, name)
            for name in (*self._special, *self._plain)
            if (name in self.normal_form) == late
        }
        ids = {**allowed, **self._plain}
        return TokenSearch(
            {text: ids[name] for name, text in sought.items() if name in ids},
            {text: self._flags.get(name, frozenset()) for name, text in sought.items()},
            [text for name, text in sought.items() if name not in ids],
            [text for name, text in sought.items() if name in allowed],
        )


class TokenSearch:
    """Cuts texts at some tokens.

    ids : text -> id · flags : text -> which of single_word, lstrip, rstrip and ascii_space it has · ignored : texts
    that hide tokens that begin in them, except those in ``seen``.

    >>> [*TokenSearch({"b": 1, "<a>": 2}, {"b": {"lstrip"}}).cut("a  b<a>c")]
    ['a', 1, 2, 'c']
    """

    def __init__(
        self,
        ids: Mapping[str, int],
        flags: Mapping[str, Collection[str]] = _NONE,
        ignored: Collection[str] = (),
        seen: Collection[str] = (),
    ) -> None:
        self._ids = ids
        self._flags = {text: said for text, said in flags.items() if said}
        # Ignored tokens make no difference if there is nothing that they hide.
        self._ignored = frozenset(ignored if len(ids) > len(seen) else ())
        self._finder = finder_of(frozenset([*ids, *self._ignored]))
        self._seen = Finder(seen) if seen and self._ignored else None

    def cut(self, text: str) -> Iterator[str | int]:
        """Yield the parts of a text between the tokens, which are not empty, and the ids of the tokens."""
        for start, end, token_id in self.places(text):
            yield text[start:end] if token_id is None else token_id

    def places(self, text: str) -> Iterator[tuple[int, int, int | None]]:
        """Yield where each of these begins and ends in the text, and the id, None for a part between tokens."""
        ids, flagged = self._ids, self._flags
        done = 0
        # The last white space that belongs to a token. The search continues in it.
        space = space_end = 0
        for start, end in self._unhidden(text) if self._seen else self._finder.places(text):
            name = text[start:end]
            token_id = ids.get(name)
            if token_id is None:
                # An ignored token.
                continue
            if flagged and (flags := flagged.get(name)):
                if "single_word" in flags and (_is_word(text, start - 1) or _is_word(text, end)):
                    continue
                ascii_space = "ascii_space" in flags
                if "lstrip" in flags:
                    before = _ASCII_BEFORE if ascii_space else _SPACE_BEFORE
                    start = done if done >= start else before.match(text, done, start).start()
                if "rstrip" in flags:
                    if not space <= end < space_end:
                        after = _ASCII_AFTER if ascii_space else _SPACE_AFTER
                        space, space_end = end, after.match(text, end).end()
                    end = space_end
            if done < start:
                yield done, start, None
            # The token may be white space that the token before it has taken.
            if start < end:
                yield start, end, token_id
            done = end
        if done < len(text):
            yield done, len(text), None

    def _unhidden(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the places of tokens, where some special tokens are found and others are ignored."""
        assert self._seen is not None
        seen = dict(self._seen.occurrences(text))
        # The end of the last token, and of the last ignored one.
        done = hidden = 0
        for start, end in self._finder.occurrences(text):
            if start < done:
                continue
            if start >= hidden:
                hidden = end
                if text[start:end] not in self._ignored:
                    yield start, end
                    done = end
                    continue
            if start in seen:
                done = hidden = seen[start]
                yield start, done


def _is_word(text: str, place: int) -> bool:
    if not 0 <= place < len(text) or _word_character().match(text, place) is None:
        return False
    return not code_points.newer_than(TIKTOKEN)[ord(text[place])]


@cache
def _word_character() -> regex.Pattern:
    """Return a pattern for ``\\\\w`` in Rust and for characters newer than its tables."""
    return regex.compile(r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d]")
