r"""The split patterns that llama.cpp knows by name: ``tokenizer.ggml.pre`` of a GGUF file.

    "llama-bpe"     one pattern                  "deepseek-llm"     six, each splits the parts of the one before

llama.cpp runs some patterns by code of its own, and all others with every category of Unicode collapsed to one byte. So
they are not always those of the model's tokenizer.json: capital and small letters are told apart in ASCII only, white
space is in no range of characters, and "afmoe" leaves what is before a number with its first digits. The
patterns here are what it does.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from minbpe_course.errors import UnsupportedModel
from minbpe_course.text.patterns import GPT2_RELEASE_PATTERN


class Splitting(NamedTuple):
    """How llama.cpp splits under one name.

    patterns : what matches is a part, and so is what is between matches · whole_words : a word that is a token is taken
    whole · add_bos : whether bos is added unless the file says something else.
    """

    patterns: tuple[str, ...]
    whole_words: bool = False
    add_bos: bool = False


_SUFFIX = "'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]"
_SPACES = r"|\s+(?!\S)|\s+"
_LINES = r"|\s*[\r\n]+" + _SPACES
_BEFORE = r"[^\r\n\p{L}\p{N}]?"
# Letters but a to z, and letters but A to Z.
_UPPER, _LOWER = r"[^\P{L}a-z]", r"[^\P{L}A-Z]"
# Letters and marks but some.
_NO_SIGNS = r"[^\p{{C}}\p{{Z}}\p{{N}}\p{{P}}\p{{S}}{}]"
_HAN = "\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002ebef\uf900-\ufaff\U0002f800-\U0002fa1f"


def _words(
    numbers: str, *, letters: str = r"\p{L}+", signs: str = r" ?[^\s\p{L}\p{N}]+[\r\n]*", rest: str = _LINES
) -> str:
    """Return a pattern like GPT-4's: a word with one sign before it, numbers, signs, white space."""
    return f"(?:{_SUFFIX})|{_BEFORE}{letters}|{numbers}|{signs}{rest}"


def _cased(upper: str, lower: str, suffix: str, numbers: str) -> str:
    """Return a pattern like GPT-4o's, in which a capital letter after a small one begins a word."""
    words = f"{_BEFORE}{upper}*{lower}+{suffix}|{_BEFORE}{upper}+{lower}*{suffix}"
    return rf"{words}|{numbers}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*{_LINES}"


def _marked(signs: str, rest: str) -> str:
    """Return DeepSeek's pattern for words, in which marks are letters."""
    return (
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
        rf"| ?[\p{{P}}\p{{S}}]+{signs}{rest}"
    )


_GPT4 = _words(r"\p{N}{1,3}")
_QWEN = _words(r"\p{N}")
_DIGITS_APART = (r"\p{N}", GPT2_RELEASE_PATTERN)
# From U+0800 on, without the white space there.
_CJK = r"[ࠀ-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-一一-龥가-\ud7ff]+"
_KANA = "[一-龥぀-ゟ゠-ヿ]+"
_DEEPSEEK = (r"\p{N}{1,3}", _KANA, _marked(r"[\r\n]*", _LINES))
_GPT4O = Splitting((_cased(_UPPER, _LOWER, f"(?:{_SUFFIX})?", r"\p{N}{1,3}"),))
# Groups of three digits from the right; the first group keeps what is before the number.
_FROM_THE_RIGHT = r"\P{N}*\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"
_PHRASES = r" ?[^(\s|.,!?…。，、।۔،)]+"
_LATIN_GREEK_CYRILLIC = (
    "A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-"
    "\u1f7dᾀ-ᾴᾶ-ᾼ\u1fbeῂ-ῄῆ-ῌῐ-\u1fd3ῖ-\u1fdbῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤ\u2126ℨ\u212a-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-"
    "ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃"
)
# (llama.cpp writes one character of this set in its normal form, so it has thousands more.)
_ASIAN = "[一-鿿㐀-䶿\u8c48-\ufaff\u3040-ゟ゠-ヿ･-ﾟ⼀-\u2fdfเ-\u0e7f\u0e80-\u0effក-\u17ffက-႟ꩠ-ꩿꧠ-\ua9ff가-\ud7afᄀ-ᇿ]+"
_SPACES_BY_POWERS = "".join(rf"|\s{{{1 << power}}}(?!\S)" for power in range(9, 1, -1)) + r"|\s{1,2}(?!\S)|\s"

# Each name once; those in one row split alike.
_ROWS: tuple[tuple[str, Splitting], ...] = (
    (
        "gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert jina-v1-en jina-v2-code "
        "roberta-bpe mpt olmo jais trillion granite-docling exaone4",
        Splitting((GPT2_RELEASE_PATTERN,)),
    ),
    (
        "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
        Splitting((_GPT4,), whole_words=True, add_bos=True),
    ),
    ("dbrx smaug-bpe chatglm-bpe", Splitting((_GPT4,))),
    ("glm4 glm5", Splitting((_GPT4,), whole_words=True)),
    (
        "qwen2 deepseek-r1-qwen kormo f2llmv2 stablelm2 hunyuan solar-open megrez grok-2",
        Splitting((_QWEN,)),
    ),
    ("starcoder refact command-r smollm codeshell exaone minerva-7b mellum2", Splitting(_DIGITS_APART)),
    ("deepseek-v3 hunyuan-dense joyai-llm hy_v4", Splitting(_DEEPSEEK)),
    ("gpt-4o llama4 kanana2 talkie minimax-m2", _GPT4O),
    ("poro-chat bloom gpt3-finnish", Splitting((_PHRASES,))),
    ("viking", Splitting((_PHRASES, r"\p{N}"))),
    ("bailingmoe bailingmoe2 llada-moe", Splitting((_words(r"\p{N}", rest=r"|\s*[\r\n]" + _SPACES),))),
    (
        "default",
        Splitting((r"[\p{P}\$\+<=>\^~\|]+", GPT2_RELEASE_PATTERN, r"\p{N}+", "[0-9][0-9][0-9]")),
    ),
    ("falcon", Splitting((r"[\p{P}\$\+<=>\^~\|`]+", GPT2_RELEASE_PATTERN, "[0-9][0-9][0-9]"))),
    (
        "deepseek-llm",
        Splitting(
            (
                r"[\r\n]",
                rf"\s?[{_LATIN_GREEK_CYRILLIC}]+",
                r"\s?[!-/:-~！-／：-～‘-‟、-。]+",
                r"\s+\z",
                _CJK,
                r"\p{N}+",
            )
        ),
    ),
    (
        "deepseek-coder",
        Splitting((r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _CJK, r"\p{N}")),
    ),
    ("spark2_5", Splitting((r"\p{N}{1,3}", _KANA, _marked("", r"|[\r\n]" + _SPACES), r"\p{N}"))),
    (
        "youtu",
        Splitting(
            (
                "[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|" + _KANA,
                _cased(r"[\p{L}\p{M}]", r"[\p{L}\p{M}]", f"(?:{_SUFFIX})?", r"\p{N}"),
            ),
            whole_words=True,
        ),
    ),
    ("qwen35", Splitting((_words(r"\p{N}", letters=r"[\p{L}\p{M}]+", signs=r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"),))),
    ("tekken", Splitting((_cased(_UPPER, _LOWER, "", r"\p{N}"),), whole_words=True, add_bos=True)),
    (
        "granite-embed-multi-97m",
        Splitting(
            (_cased(_NO_SIGNS.format("a-z"), _NO_SIGNS.format("A-Z"), f"(?:{_SUFFIX})?", r"\p{N}{1,3}"),),
            whole_words=True,
        ),
    ),
    (
        "chameleon",
        Splitting(
            (
                "<sentinel:[0-9]+>",
                "IMGIMG[A-I]{1,4}Z",
                r"[\t\n]|    |  ",
                r"\p{N}",
                r"[\p{P}!-/:-@\[-`{-~]",
                GPT2_RELEASE_PATTERN,
            ),
            add_bos=True,
        ),
    ),
    (
        "tiny_aya cohere2moe",
        Splitting(
            (_FROM_THE_RIGHT, _cased(r"[\p{L}\p{M}]", r"[\p{L}\p{M}]", f"(?:{_SUFFIX})?", r"\p{N}{1,3}")),
        ),
    ),
    (
        "kimi-k2",
        Splitting(
            (
                rf"[{_HAN}]+|{_BEFORE}[^\P{{L}}{_HAN}]+(?:{_SUFFIX})?|\p{{N}}{{1,3}}"
                rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*{_LINES}",
            )
        ),
    ),
    ("superbpe", Splitting((r"\p{N}+", r"[\s\S]+?(?=(?:[0-9]{3})+(?![0-9]))"))),
    ("seed-coder", Splitting((_words(r"\p{N}", signs=r" ?[^\s\p{L}\p{N}\r\n]+"),))),
    ("ufakzeka", Splitting((_QWEN.removeprefix(f"(?:{_SUFFIX})|"),))),
    ("afmoe", Splitting((_FROM_THE_RIGHT, _ASIAN, _marked(r"[\r\n]*", _LINES)))),
    ("laguna", Splitting((r"[^\n]+|\n+", _QWEN))),
    (
        "exaone-moe",
        Splitting(
            (
                _words(
                    r"\p{N}",
                    letters=r"\p{L}(?:[\p{L}\p{M}]| \p{L})*",
                    signs=r" ?[^\s\p{L}\p{N}]+[\r\n/]?",
                    rest=r"|\s*[\r\n]" + _SPACES,
                ),
            )
        ),
    ),
    ("minicpm5", Splitting((r"\p{N}{1,3}", _words(r"\p{N}+")), whole_words=True)),
    ("jais-2", Splitting((_words(r"\p{N}{1,3}", rest=r"|\s*[\r\n]+" + _SPACES_BY_POWERS),))),
)

SPLITTINGS: Mapping[str, Splitting] = MappingProxyType({name: made for names, made in _ROWS for name in names.split()})


def splitting_named(name: str, file: str) -> Splitting:
    """Return how llama.cpp splits under this name. Raises UnsupportedModel, which lists the names.

    >>> splitting_named("qwen2", "x.gguf") is splitting_named("megrez", "x.gguf")
    True
    """
    if name in SPLITTINGS:
        return SPLITTINGS[name]
    near = difflib.get_close_matches(name, SPLITTINGS, 1)
    guessed = f" Is it split like {near[0]!r}?" if near else ""
    raise UnsupportedModel(
        f"{file}: tokenizer.ggml.pre is {name!r:.80}, a name for a split pattern that is not known here.{guessed}\n"
        f"The known names are {', '.join(sorted(SPLITTINGS))}.\nIf you know the pattern (it is in the model's "
        f"tokenizer.json), say it: load_tokenizer({file!r}, pattern=...)"
    )
