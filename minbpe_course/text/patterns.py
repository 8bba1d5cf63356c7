"""The split patterns that published tokenizers use, their names, and which of them have a dedicated scanner.

A split pattern cuts text into words before any merge; no token crosses a cut. The same tokenizer is published with
different patterns in different places, and the differences matter less than they seem:

    family                minbpe's name  tiktoken's names                    where the two spellings differ
    --------------------  -------------  ----------------------------------  ----------------------------
    GPT2_FAMILY           minbpe_gpt2    gpt2 r50k_base p50k_base p50k_edit  nowhere: ++ and $ only save time
    CL100K_FAMILY                        cl100k_base                         white space that ends a text stays
    CL100K_MINBPE_FAMILY  minbpe_gpt4                                        whole in the first, not the second
    O200K_FAMILY                         o200k_base o200k_harmony

The engine that runs a pattern decides which characters are letters, numbers or spaces, because each engine has the
tables of one Unicode version: minbpe runs its patterns in `regex`, tiktoken in Rust (see ``engine_of``).

Limits: a scanner exists for a pattern only if it is, character for character, one of the spellings below. Any other
regular pattern is compiled to a table (``splitting.pattern_table``); the rest is run by `regex`, correct and slower.
"""

from __future__ import annotations

import difflib
import re
from types import MappingProxyType

from minbpe_course.errors import InvalidPattern

# As minbpe writes them.
GPT2_SPLIT_PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
GPT4_SPLIT_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"""
)

# As tiktoken 0.14 writes them.
R50K_PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
CL100K_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"""
    r"""|\s+(?!\S)|\s"""
)
O200K_ALTERNATIVES = (
    r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
    r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
    r"""\p{N}{1,3}""",
    r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
    r"""\s*[\r\n]+""",
    r"""\s+(?!\S)""",
    r"""\s+""",
)
O200K_PATTERN = "|".join(O200K_ALTERNATIVES)

# Phrases, for the last stage of training tokens of several words (``reference.superwords``). As in the paper, numbers
# are cut, and a colon before a space ends a phrase. An empty line ends one too, so that text can be read in pieces.
SUPERWORDS_PATTERN = r"\p{N}{1,3}|(?:[^\p{N}:\r\n]|:(?! )|(?:\r\n?|\n)(?![\r\n]))+(?::|[\r\n]+)?|:|[\r\n]+"

PATTERNS = MappingProxyType(
    {
        "gpt2": R50K_PATTERN,
        "r50k_base": R50K_PATTERN,
        "p50k_base": R50K_PATTERN,
        "p50k_edit": R50K_PATTERN,
        "cl100k_base": CL100K_PATTERN,
        "o200k_base": O200K_PATTERN,
        "o200k_harmony": O200K_PATTERN,
        "minbpe_gpt2": GPT2_SPLIT_PATTERN,
        "minbpe_gpt4": GPT4_SPLIT_PATTERN,
        "superwords": SUPERWORDS_PATTERN,
    }
)

# The numbers by which kernels.split knows a family of equal patterns. It keeps its own copy; a test compares the two.
GPT2_FAMILY, CL100K_FAMILY, CL100K_MINBPE_FAMILY, O200K_FAMILY = range(4)

# Other spellings in use that cut the same: the GPT-2 release, and tiktoken before its possessive quantifiers.
GPT2_RELEASE_PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
CL100K_FIRST_PATTERN = (
    r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"""
    r"""|\s+(?!\S)|\s+"""
)

_FAMILIES = {
    GPT2_SPLIT_PATTERN: GPT2_FAMILY,
    R50K_PATTERN: GPT2_FAMILY,
    GPT2_RELEASE_PATTERN: GPT2_FAMILY,
    CL100K_PATTERN: CL100K_FAMILY,
    GPT4_SPLIT_PATTERN: CL100K_MINBPE_FAMILY,
    CL100K_FIRST_PATTERN: CL100K_MINBPE_FAMILY,
    O200K_PATTERN: O200K_FAMILY,
}
_TIKTOKEN_PATTERNS = frozenset({R50K_PATTERN, CL100K_PATTERN, O200K_PATTERN})


def named_pattern(name_or_pattern: str) -> str:
    """Return the pattern with this name; any other text is a pattern itself and is returned. Raises InvalidPattern.

    >>> named_pattern("minbpe_gpt4") == GPT4_SPLIT_PATTERN
    True
    >>> named_pattern(r"[a-z]+|[^a-z]+")
    '[a-z]+|[^a-z]+'
    """
    text = checked_pattern(name_or_pattern)
    return PATTERNS.get(text, text)


def checked_pattern(pattern: object) -> str:
    """Return a split pattern as a plain str. Raises InvalidPattern for another type."""
    if not isinstance(pattern, str):
        raise InvalidPattern(f"a split pattern must be a str, got {type(pattern).__name__}.")
    # A subclass of str may say anything about its characters.
    return str.__str__(pattern)


def close_names(pattern: str) -> list[str]:
    """Return the names of known patterns that ``pattern`` resembles, the closest first; it may be a misspelled name.

    >>> close_names("cl100k"), close_names("gpt-2"), close_names(r"\\p{L}+")
    (['cl100k_base'], ['gpt2'], [])
    """
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", pattern):
        return []
    found = difflib.get_close_matches(pattern.lower(), PATTERNS, n=1)
    return found or [name for name in PATTERNS if len(pattern) > 3 and pattern.lower().replace("-", "") in name]


def scanner_for(pattern: str) -> int | None:
    """Return the family number that the kernel ``split.split_words`` wants, or None for a pattern without a scanner.

    Takes a pattern, not a name: ``scanner_for(named_pattern("gpt2"))``.

    >>> scanner_for(CL100K_PATTERN) == CL100K_FAMILY, scanner_for(r"\\w+|\\W+")
    (True, None)
    """
    return _FAMILIES.get(pattern)


def engine_of(pattern: str) -> str:
    """Return whose Unicode tables decide for this pattern: "tiktoken" for tiktoken's own spellings, else "regex".

    The answer is a name that ``unicode_tables.character_classes`` takes.

    >>> engine_of(O200K_PATTERN), engine_of(GPT4_SPLIT_PATTERN)
    ('tiktoken', 'regex')
    """
    return "tiktoken" if pattern in _TIKTOKEN_PATTERNS else "regex"
