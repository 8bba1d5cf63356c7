"""Split patterns that are published with models and have no name in ``text.patterns``.

They run with the tokens of cl100k_base, since only the splitting differs.
"""

from __future__ import annotations

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
    "Qwen 2 and 3": _CL100K_LIKE.format(letters=r"\p{L}", digits=r"\p{N}", others=r"\p{L}\p{N}"),
    "Qwen 3.5": _CL100K_LIKE.format(letters=r"[\p{L}\p{M}]", digits=r"\p{N}", others=r"\p{L}\p{M}\p{N}"),
    "tekken, Nemotron 3": rf"{_CASED}|{_UPPER}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_REST}",
    "Kimi K2": r"[\p{Han}]+|"
    + _WITHOUT_HAN.replace("+|", "+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|").replace("*|", "*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|")
    + rf"\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}",
    "GPT-NeoX": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
}
