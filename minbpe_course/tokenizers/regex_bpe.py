"""Byte-level BPE inside the words that a split pattern finds."""

from __future__ import annotations

import regex

from minbpe_course.model import BytePairModel
from minbpe_course.splitting.splitter import compile_pattern, must_be_text
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN, named_pattern
from minbpe_course.tokenizers.minbpe_base import AllowedSpecial, MinbpeShaped


class RegexTokenizer(MinbpeShaped):
    """BPE in which no merge crosses the end of a word.

    pattern : a regular expression in the dialect of the ``regex`` library, or the name of a known one ("gpt2",
    "cl100k_base", "o200k_base"); GPT-4's by default. Raises InvalidPattern.

    >>> tokenizer = RegexTokenizer().train("hi hi hi there", vocab_size=258)
    >>> tokenizer.decode_tokens_bytes(tokenizer.encode("hi hi"))
    [b'hi', b' hi']
    """

    def __init__(self, pattern: str | None = None) -> None:
        pattern = GPT4_SPLIT_PATTERN if pattern is None else named_pattern(pattern)
        compile_pattern(pattern)
        super().__init__(BytePairModel(pattern=pattern))

    def encode(self, text: str, allowed_special: AllowedSpecial = "none_raise", *, frame: bool = False) -> list[int]:
        if not self._encodes_itself():
            return super().encode(text, allowed_special)
        self._refresh()
        allowed = self._allowed(text, allowed_special)
        if not allowed:
            return self.encode_ordinary(text)
        names = "|".join(map(regex.escape, sorted(allowed, key=len, reverse=True)))
        ids: list[int] = []
        for part in regex.split(f"({names})", text):
            ids += [allowed[part]] if part in allowed else self.encode_ordinary(part)
        return ids

    def encode_ordinary(self, text: str, *, frame: bool = False) -> list[int]:
        if type(self)._encode_chunk is RegexTokenizer._encode_chunk:
            return super().encode_ordinary(text)
        words = self.compiled_pattern.finditer(must_be_text(text))
        return [token_id for word in words for token_id in self._encode_chunk(word[0].encode("utf-8"))]

    def _encode_chunk(self, text_bytes: bytes) -> list[int]:
        """Return the ids of one word. A class that overrides this encodes words with it, as in minbpe."""
        self._refresh()
        return self._engine.merge_word(text_bytes)

    def _encodes_itself(self) -> bool:
        own = type(self)
        same = own._encode_chunk is RegexTokenizer._encode_chunk
        return not (same and own.encode_ordinary is RegexTokenizer.encode_ordinary)

    @property
    def compiled_pattern(self) -> regex.Pattern:
        """The split pattern, compiled by ``regex``.

        It finds the words that are encoded, except that a known pattern uses the Unicode tables of its library. A
        program may assign another one, of ``regex`` or ``re``.
        """
        return compile_pattern(self.pattern)

    @compiled_pattern.setter
    def compiled_pattern(self, compiled: regex.Pattern) -> None:
        flags = compiled.flags & ~compile_pattern(compiled.pattern).flags
        letters = "".join(letter for letter in "imsx" if flags & regex.RegexFlag[letter.upper()])
        self.pattern = f"(?{letters}){compiled.pattern}" if letters else compiled.pattern
