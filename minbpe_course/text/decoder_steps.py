"""The decoder of a tokenizer.json whose tokens are pieces of text: steps that turn tokens into text.

("Replace", "String", "▁", " ")   in each token
("ByteFallback",)                 tokens like <0x41> become the characters that their bytes spell
("ByteLevel",)                    the characters that spell bytes become these bytes, as one text
("Fuse",)                         joins the tokens into one
("Strip", " ", 1, 0)              removes up to 1 space at the start of each token, none at its end
("Metaspace", "▁", True)          replaces ▁ by a space, and removes it at the start of the first token
("WordPiece", "##", True)         a space before every token but the first and those with the mark, which goes; cleanup
                                  takes away spaces before punctuation and English endings
("BPEDecoder", "</w>")            a space in place of the ending, nothing at the end of the last token
"""

from __future__ import annotations

import operator
import re
import string
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby, takewhile
from typing import Any, Literal

from minbpe_course.text.byte_alphabet import BYTE_OF
from minbpe_course.text.normalizer_steps import longest, replacement

_CODES = {ord(character): byte for character, byte in BYTE_OF.items()}
_ONE_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>\Z")


def decoder_of(steps: Sequence[tuple[Any, ...]] | None) -> Callable[[list[str]], str]:
    """Return the function that turns tokens into text; without a decoder it joins them with spaces.

    >>> steps = [("Replace", "String", "▁", " "), ("ByteFallback",), ("Fuse",), ("Strip", " ", 1, 0)]
    >>> decoder_of(steps)(["▁a", "<0x41>", "▁b"]), decoder_of(None)(["a", "b"])
    ('aA b', 'a b')
    """
    if steps is None:
        return " ".join
    made = [_step(*step) for step in steps]

    def decode(tokens: list[str]) -> str:
        most = longest(sum(map(len, tokens)))
        for step in made:
            tokens = step(tokens, most)
        return "".join(tokens)

    return decode


class TokenStream:
    """Turns the tokens of one text into text, one by one, as the function ``decode`` turns all of them at once.

    steps : those of ``decode``. Where they let a later token change the text of earlier ones, or are not known, the
    text comes at the end.

    >>> steps = [("Replace", "String", "▁", " "), ("ByteFallback",), ("Fuse",), ("Strip", " ", 1, 0)]
    >>> stream = TokenStream(decoder_of(steps), steps)
    >>> [stream.push(token) for token in ("▁a", "<0x41>", "▁b")], stream.finish()
    (['a', '', 'A b'], '')
    """

    def __init__(self, decode: Callable[[list[Any]], str], steps: Sequence[tuple[Any, ...]] | Literal[False] | None):
        self._decode = decode
        # A token that stays as it is. In front of later tokens, it is there instead of those that came before.
        letters = string.ascii_letters if steps is not False and _is_local(steps or ()) else ""
        self._letter = next((each for each in letters if decode([each]) == each), None)
        self._begun = False
        self._held: list[Any] = []
        self._left_out = ""

    def leave_out(self) -> None:
        """Leave out the text of the tokens so far, as far as it is certain, where it would come at the end."""
        self._left_out = self._decode(self._held) if self._letter is None else ""

    def push(self, token: Any) -> str:
        """Return the text that is certain with this token."""
        self._held.append(token)
        # The text of a byte depends on all bytes next to it.
        return "" if self._letter is None or _ONE_BYTE.match(token) else self.finish()

    def finish(self) -> str:
        """Return the text of the tokens that wait."""
        if self._begun:
            text = self._decode([self._letter, *self._held])[1:]
        elif not (text := self._decode(self._held)):
            # The next token may also begin with text that is removed at the beginning.
            return ""
        self._begun = True
        self._held.clear()
        # Later tokens may complete a character, which was U+FFFD until then.
        same = takewhile(bool, map(operator.eq, self._left_out, text))
        return text[sum(same) :]


def _is_local(steps: Sequence[tuple[Any, ...]]) -> bool:
    """Return whether tokens, except bytes, become text one by one, once the first character is there."""
    kinds = [step[0] for step in steps]
    fused = steps[kinds.index("Fuse") + 1 :] if "Fuse" in kinds else ()
    local = all(step[0] == "Fuse" or (step[0] == "Strip" and not step[3]) for step in fused)
    # Several tokens may spell one character, and the last token ends without a space.
    return local and not {"ByteLevel", "BPEDecoder"} & set(kinds)


def _step(kind: str, *options: Any) -> Callable[[list[str], int], list[str]]:
    """Return the function of one step; its second argument is the most characters that all tokens may have."""
    if kind == "Replace":
        replace = replacement(*options)
        return lambda tokens, most: _replaced(tokens, replace, most)
    change = partial(_DECODERS[kind], *options)
    return lambda tokens, most: change(tokens)


def _replaced(tokens: list[str], replace: Callable[[str, int], str], most: int) -> list[str]:
    """Replace in each token; all together have at most ``most`` characters."""
    out = []
    for token in tokens:
        out.append(replace(token, most))
        most -= len(out[-1])
    return out


def _byte_fallback(tokens: list[str]) -> list[str]:
    out: list[str] = []
    for is_byte, run in groupby(tokens, lambda token: _ONE_BYTE.match(token) is not None):
        if not is_byte:
            out += run
            continue
        data = bytes(int(token[3:-1], 16) for token in run)
        try:
            out.append(data.decode("utf-8"))
        except UnicodeDecodeError:
            out += ["\ufffd"] * len(data)
    return out


def _byte_level(tokens: list[str]) -> list[str]:
    spelled = (token.translate(_CODES) if BYTE_OF.keys() >= set(token) else None for token in tokens)
    data = [token.encode() if text is None else text.encode("latin-1") for token, text in zip(tokens, spelled)]
    return [b"".join(data).decode("utf-8", "replace")]


def _fuse(tokens: list[str]) -> list[str]:
    return ["".join(tokens)]


def _strip(content: str, start: int, stop: int, tokens: list[str]) -> list[str]:
    def strip(token: str) -> str:
        begin = end = 0
        while begin < min(start, len(token)) and token[begin] == content:
            begin += 1
        while end < min(stop, len(token)) and token[-1 - end] == content:
            end += 1
        return token[begin : max(len(token) - end, begin)]

    return list(map(strip, tokens))


def _metaspace(mark: str, strips_first: bool, tokens: list[str]) -> list[str]:
    return [token.replace(mark, "" if strips_first and not at else " ") for at, token in enumerate(tokens)]


# In this order, as in `tokenizers`.
_CLEANED = [(f" {sign}", sign) for sign in (".", "?", "!", ",")] + [(" ' ", "'")]
_CLEANED += [(f" {end}", end) for end in ("n't", "'m")] + [(" do not", " don't")]
_CLEANED += [(f" {end}", end) for end in ("'s", "'ve", "'re")]


def _word_piece(mark: str, cleanup: bool, tokens: list[str]) -> list[str]:
    made = []
    for at, token in enumerate(tokens):
        if at:
            token = token[len(mark) :] if token.startswith(mark) else f" {token}"
        for written, wanted in _CLEANED if cleanup else ():
            token = token.replace(written, wanted)
        made.append(token)
    return made


def _without_ending(ending: str, tokens: list[str]) -> list[str]:
    return [token.replace(ending, " " if at < len(tokens) - 1 else "") for at, token in enumerate(tokens)]


_DECODERS: dict[str, Callable[..., list[str]]] = {
    "ByteFallback": _byte_fallback,
    "ByteLevel": _byte_level,
    "Fuse": _fuse,
    "Strip": _strip,
    "Metaspace": _metaspace,
    "WordPiece": _word_piece,
    "BPEDecoder": _without_ending,
}
