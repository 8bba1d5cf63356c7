r"""Which patterns the window scanners know: the families of ``text.patterns``, each with variants.

    variant            what the pattern says instead                     who uses it
    -----------------  ------------------------------------------------  --------------------------------
    ONE_DIGIT          \p{N} for \p{N}{1,3}                              Qwen 2 to 3.5, tekken, Nemotron 3
    MARKS              [\p{L}\p{M}] for \p{L}, in the cl100k family      Qwen 3.5
    NO_CONTRACTIONS    no (?i:'s|'t|...)                                 tekken, Nemotron 3
    NO_SLASH           [\r\n]* for [\r\n/]*, in the o200k family      Kimi K2
    HAN_APART          [\p{Han}]+ first, and not in other words         Kimi K2, with NO_SLASH

A pattern is recognised by its table, so its spelling does not matter: two patterns that cut alike have equal tables.
``FINGERPRINTS`` has the hash of the rows of each variant without MARKS; a test computes them from ``pattern_of``.
"""

from __future__ import annotations

import hashlib
from functools import cache
from itertools import product

import numpy as np

from minbpe_course.splitting.pattern_table import PatternTable, compile_table
from minbpe_course.text import code_points, unicode_tables
from minbpe_course.text.pattern_parts import Characters, Property
from minbpe_course.text.patterns import (
    CL100K_FAMILY,
    CL100K_MINBPE_FAMILY,
    GPT2_FAMILY,
    GPT2_SPLIT_PATTERN,
    O200K_FAMILY,
    O200K_PATTERN,
)

# As in kernels.splitting.windows; a test compares them.
ONE_DIGIT, MARKS, NO_CONTRACTIONS, NO_SLASH, HAN_APART = 4, 8, 16, 32, 64

# Classes for HAN_APART: the kernel knows the first one, and leaves every other that it does not know to the table.
_HAN_LETTER, _HAN_OTHER = 8, 9

_LINES_OR_SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_LETTERS, _NUMBERS = r"\p{L}", r"\p{N}{1,3}"


def variants() -> list[int]:
    """Return every variant of every family, as the kernel's ``block.family``."""
    of_cl100k = [sum(chosen) for chosen in product((0, ONE_DIGIT), (0, MARKS), (0, NO_CONTRACTIONS))]
    of_o200k = [sum(chosen) for chosen in product((0, ONE_DIGIT), (0, NO_CONTRACTIONS), (0, NO_SLASH))]
    found = [GPT2_FAMILY]
    found += [family | bits for family in (CL100K_FAMILY, CL100K_MINBPE_FAMILY) for bits in of_cl100k]
    return [*found, *(O200K_FAMILY | bits for bits in of_o200k), O200K_FAMILY | NO_SLASH | HAN_APART]


def pattern_of(variant: int) -> str:
    """Return a pattern of a variant.

    >>> "{1,3}" in pattern_of(CL100K_FAMILY), "{1,3}" in pattern_of(CL100K_FAMILY | ONE_DIGIT)
    (True, False)
    """
    family = variant & 3
    if family == GPT2_FAMILY:
        return GPT2_SPLIT_PATTERN
    numbers = _NUMBERS[:5] if variant & ONE_DIGIT else _NUMBERS
    if family == O200K_FAMILY:
        pattern = O200K_PATTERN.replace(_NUMBERS, numbers)
        pattern = pattern.replace(f"{_CONTRACTIONS}?", "") if variant & NO_CONTRACTIONS else pattern
        pattern = pattern.replace("/]", "]") if variant & NO_SLASH else pattern
        apart = r"[\p{Han}]+|" + pattern.replace(r"\p{M}]", r"\p{M}&&[^\p{Han}]]")
        return apart if variant & HAN_APART else pattern
    pattern = "" if variant & NO_CONTRACTIONS else f"{_CONTRACTIONS}|"
    letters, members = (r"[\p{L}\p{M}]", r"\p{L}\p{M}") if variant & MARKS else (_LETTERS, _LETTERS)
    pattern += rf"[^\r\n\p{{L}}\p{{N}}]?{letters}+|{numbers}| ?[^\s{members}\p{{N}}]+[\r\n]*"
    return pattern + (r"|\s++\z" if family == CL100K_FAMILY else "") + _LINES_OR_SPACES


@cache
def classes_of(variant: int, engine: str) -> np.ndarray:
    """Return the class of each character for the window scanner of a variant: uint8[0x110000]."""
    classes = unicode_tables.character_classes(engine)
    if not variant & HAN_APART:
        return classes
    classes = classes.copy()
    han = code_points.matched_by(Characters((), (Property("han", False),)), "tiktoken")
    letters = np.isin(classes, (unicode_tables.UPPER, unicode_tables.LOWER, unicode_tables.EITHER))
    classes[han & letters], classes[han & ~letters] = _HAN_LETTER, _HAN_OTHER
    return classes


def fingerprint(table: PatternTable) -> str:
    """Return a hash of the rows of a table."""
    return hashlib.sha256(repr(table.rows.shape).encode() + table.rows.tobytes()).hexdigest()[:16]


def variant_of(table: PatternTable, engine: str) -> int | None:
    """Return the variant that cuts as this table does, or None.

    >>> spelled = r"\\p{N}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s"
    >>> variant_of(compile_table(spelled, "tiktoken"), "tiktoken")
    22
    """
    known = FINGERPRINTS.get(fingerprint(table))
    if known is not None:
        # Marks only change which characters are letters.
        for variant in (known, known | MARKS):
            if (compile_table(pattern_of(variant), engine).kinds == table.kinds).all():
                return variant
    return None


FINGERPRINTS: dict[str, int] = {
    "9bcd3f0e118bd664": 0, "efdf8def60e7296d": 1, "deaabe24b47dca2e": 17, "47297fb9f2aef7c1": 5,
    "9dc790f670c2a2c5": 21, "8761059d9effe1e5": 2, "557ac39da40b4325": 18, "91437b394f4297bb": 6,
    "146ebd6bdb42bdc0": 22, "0323b54ffa332176": 3, "6476b6c1330a715b": 35, "649347715b15fcba": 19,
    "ccdd6df128c8d651": 51, "e78a351676b61d44": 7, "5be563e3f20c97f2": 39, "f1fefd364fe0a087": 23,
    "4da5f9f51daec0ef": 55, "64f2832671bd4d83": 99,
}  # fmt: skip
