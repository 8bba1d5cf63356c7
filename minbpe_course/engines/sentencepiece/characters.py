"""What a normalizer and a pre-tokenizer do with each character, where no other character changes that.

    é      with BERT's uncased rules     LETTER    e
    ½      with NFD and others           SEVERAL   the entries of several characters
    中  !                                ALONE     a word by itself
    space  tab                           SPACE     the end of a word
    U+0000, accents                      NOTHING

``kernels.sentencepiece.word_pieces`` reads a text with this table. The slow way to the same words is
``normalizer_steps`` and ``split_steps``.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.kernels.lazy import word_pieces
from minbpe_course.text import unicode_tables
from minbpe_course.text.code_points import CODE_POINTS, has_property
from minbpe_course.text.normalizer_steps import llama_words, normalizer, small_letters
from minbpe_course.text.pattern_reading import TIKTOKEN
from minbpe_course.text.unicode_tables import ACCENT, ANY_MARK, REMOVED, WHITE_SPACE, bert_characters

Step = tuple[Any, ...]


class CharacterTable(NamedTuple):
    """One entry for each character: ``class << 24 | kind << 21 | code point``.

    entries : uint32[0x110000] · several : uint32; for an entry of kind SEVERAL, whose number is a place in it, it has
    how many entries there are, and these · marks : finds a character with a mark that is kept and may move.
    """

    entries: np.ndarray
    several: np.ndarray
    marks: re.Pattern


@lru_cache(maxsize=8)  # four megabytes each
def characters_of(steps: tuple[Step, ...], cutting: tuple[Step, ...]) -> CharacterTable | None:
    """Return the table of a normalizer and a pre-tokenizer, None if they do more than one character at a time.

    >>> table = characters_of((("Bert", True, True, True, True),), (("Bert",),)).entries
    >>> kinds = ("LETTER", "ALONE", "ALONE", "SPACE", "NOTHING")
    >>> [int(table[ord(one)]) >> 21 for one in "a!中 \\x00"] == [getattr(word_pieces, kind) for kind in kinds]
    True
    """
    shift = word_pieces.KIND_SHIFT
    kinds = _kinds(cutting)
    if kinds is None or not all(_is_local(step, steps[place:], cutting) for place, step in enumerate(steps)):
        return None
    entries = np.arange(CODE_POINTS, dtype=np.uint32) | kinds << np.uint32(shift)
    changed = np.zeros(CODE_POINTS, dtype=bool)
    accents = False
    for kind, *options in steps:
        clean, chinese, strip, lower = options if kind == "Bert" else (False, False, False, kind == "Lowercase")
        accents |= strip
        if clean:
            changed |= bert_characters(REMOVED)
            changed[list(map(ord, WHITE_SPACE))] = True
        if strip:
            changed |= bert_characters(ACCENT) | unicode_tables.composing_characters()
        if kind == "LlamaWords":
            changed[list(llama_words(*options))] = True
        if kind == "StripAccents":
            changed |= bert_characters(ANY_MARK)
        if kind in ("NFD", "NFKD"):
            changed |= unicode_tables.composing_characters()
        if kind == "NFKD":
            changed |= unicode_tables.compatible_characters()
        if lower:
            changed[list(small_letters())] = True
        if chinese:
            entries[unicode_tables.chinese_characters()] |= word_pieces.ALONE << shift
    changed[0xD800:0xE000] = False
    points = np.flatnonzero(changed).tolist()
    # No step changes a digit or what is next to it.
    made = normalizer(steps)("0".join(map(chr, points))).split("0")
    several: list[int] = []
    moving = unicode_tables.composing_characters() & accents

    def moves(character: str) -> bool:
        return bool(moving[ord(character)] and unicodedata.combining(character))

    def entry(character: str) -> int:
        point = ord(character)
        if moves(character):
            return unicodedata.combining(character) << word_pieces.CLASS_SHIFT | word_pieces.MARK << shift | point
        return int(kinds[point]) << shift | point

    for point, text in zip(points, made):
        if len(text) == 1:
            entries[point] = entry(text)
        elif text:
            entries[point] = word_pieces.SEVERAL << shift | len(several)
            several += [len(text), *map(entry, text)]
        else:
            starter = accents and bert_characters(ACCENT)[point] and not unicodedata.combining(chr(point))
            entries[point] = (word_pieces.STARTER if starter else word_pieces.NOTHING) << shift
    marks = [chr(point) for point, text in zip(points, made) if any(map(moves, text))]
    found = re.compile(f"[{''.join(marks)}]" if marks else "(?!)")
    return CharacterTable(entries, np.array(several or [0], dtype=np.uint32), found)


def _is_local(step: Step, rest: tuple[Step, ...], cutting: tuple[Step, ...]) -> bool:
    """Return whether a step of a normalizer changes each character by itself."""
    kind, *options = step
    if kind in ("NFD", "NFKD"):
        # They put marks in order, which does not matter where all marks go.
        return ("StripAccents",) in rest
    # Without a pre-tokenizer, the spaces around Chinese characters are part of a word.
    return kind in ("Lowercase", "StripAccents", "LlamaWords") or (kind == "Bert" and not (options[1] and not cutting))


def _kinds(cutting: tuple[Step, ...]) -> np.ndarray | None:
    """Return the kind of each character, uint32[0x110000], or None for a pre-tokenizer that looks further."""
    kinds = np.full(CODE_POINTS, word_pieces.LETTER, dtype=np.uint32)
    for place, (kind, *options) in enumerate(cutting):
        if kind == "Whitespace" and not place:
            kinds[~has_property("w", TIKTOKEN)] = word_pieces.SYMBOL
        elif kind == "Digits" and options == [True] and place:
            kinds[has_property("N", TIKTOKEN)] = word_pieces.ALONE
        elif kind == "Bert" or (kind == "Punctuation" and options == ["Isolated"] and place):
            kinds[unicode_tables.punctuation()] = word_pieces.ALONE
        elif kind != "WhitespaceSplit" or place:
            return None
    if cutting:
        kinds[list(map(ord, WHITE_SPACE))] = word_pieces.SPACE
    return kinds
