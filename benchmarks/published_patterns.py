"""Split patterns that are published with models, and a made-up one.

They run with the tokens of cl100k_base, since only the splitting differs. Some models split in several steps, which
only a ``tokenizer.json`` can express; tiktoken cannot take part with these.
"""

from __future__ import annotations

from typing import Any

from minbpe_course.text.patterns import O200K_PATTERN

_CL100K_LIKE = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?{letters}+|{digits}| ?[^\s{others}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
_CASED = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
_UPPER = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
_WITHOUT_HAN = f"{_CASED}|{_UPPER}|".replace(r"\p{M}]", r"\p{M}&&[^\p{Han}]]")
_REST = r"\s*[\r\n]+|\s+(?!\S)|\s+"

PUBLISHED = {
    "Llama 3, OLMo 3": _CL100K_LIKE.format(letters=r"\p{L}", digits=r"\p{N}{1,3}", others=r"\p{L}\p{N}"),
    "Llama 4": O200K_PATTERN,  # the same letters
    "Qwen 2 and 3": _CL100K_LIKE.format(letters=r"\p{L}", digits=r"\p{N}", others=r"\p{L}\p{N}"),
    "Qwen 3.5": _CL100K_LIKE.format(letters=r"[\p{L}\p{M}]", digits=r"\p{N}", others=r"\p{L}\p{M}\p{N}"),
    "tekken, Nemotron 3": rf"{_CASED}|{_UPPER}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_REST}",
    "Kimi K2": r"[\p{Han}]+|"
    + _WITHOUT_HAN.replace("+|", "+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|").replace("*|", "*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|")
    + rf"\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}",
    "GPT-NeoX": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "a made-up pattern": r" ?\p{Lu}*[^\s\p{Lu}\p{N}\p{P}\p{S}]+| ?\p{Lu}+| ?\p{N}{1,2}|[\p{P}\p{S}]{1,3}|\s+",
}

Step = dict[str, Any]
TO_BYTES: Step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def split(pattern: str) -> Step:
    """Return the step of a ``tokenizer.json`` that splits with a pattern and keeps everything."""
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


# The published file has CR and LF themselves where others write \r\n; tokenizers 1.0 knows no other spelling.
_DEEPSEEK_WORDS = (
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"""
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
).replace(r"\r\n", "\r\n")
# The steps that a text goes through, each splitting the pieces of the one before.
SEQUENCES: dict[str, list[Step]] = {
    "DeepSeek V3": [
        split(r"\p{N}{1,3}"),
        split("[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"),
        split(_DEEPSEEK_WORDS),
        TO_BYTES,
    ],
    "StarCoder": [{"type": "Digits", "individual_digits": True}, {**TO_BYTES, "use_regex": True}],
}
