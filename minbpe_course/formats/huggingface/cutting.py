r"""How a text is cut into words: ``normalizer`` and ``pre_tokenizer`` of a tokenizer.json, and the pattern of a record.

    {"type": "ByteLevel", "use_regex": true}                                     GPT-2's pattern
    [{"type": "Split", "pattern": {"Regex": "..."}}, {"type": "ByteLevel"}]      a pattern of its own
    {"type": "ByteLevel", "use_regex": false}                                    no pattern
    [{"type": "Digits"}, {"type": "ByteLevel", "use_regex": true}]               GPT-2's pattern, digits apart

`tokenizers` 0.x runs patterns with Oniguruma; `tokenizers` 1.0.0rc3 knows a dozen by heart, letter for letter, and
refuses every other. So a pattern that cuts as one of those is written as that one. Where text stands between two
matches, ``"behavior": "Isolated"`` makes it a word of its own; a pattern that might leave such text is read with one
alternative more, which takes it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import regex

from minbpe_course.errors import InvalidPattern
from minbpe_course.formats.huggingface.strict_json import Value
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.text import patterns
from minbpe_course.text.oniguruma import TABLES, from_oniguruma, takes_every_character, to_oniguruma
from minbpe_course.text.pattern_running import runner_for

# Digits and GPT-2's pattern, one behind the other, in one. White space before a digit is kept whole, since for the
# second of the two the text ends there.
_DIGITS_APART = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{{L}}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+|\s+(?![^\s\p{{N}}])|\s+"
DIGITS_ONE_BY_ONE = _DIGITS_APART.format(digits=r"\p{N}")
DIGITS_TOGETHER = _DIGITS_APART.format(digits=r"\p{N}+")
_DIGITS = {True: DIGITS_ONE_BY_ONE, False: DIGITS_TOGETHER}

# A line break and then white space without one, to the end. With no such token it is all the same whether white space
# that ends a text is cut behind its last line break: no merge reaches over that place.
_OVER_THE_LAST_BREAK = regex.compile(rb"[\r\n][\t\x0b\x0c \x80-\xff]+\Z")


class Cutting(NamedTuple):
    """How a text becomes words: the pattern, the engine whose dialect and tables it follows, and NFC or None."""

    pattern: str | None
    engine: str | None
    normalization: str | None


def read_cutting(document: Value) -> Cutting:
    """Read how a text is cut. Raises UnreadableModel, UnsupportedModel."""
    normalization = _normalization(document.get("normalizer"))
    pattern = _pattern(document.get("pre_tokenizer"))
    engine = TABLES if pattern is not None and patterns.engine_of(pattern) != TABLES else None
    return Cutting(pattern, engine, normalization)


def _normalization(value: Value) -> str | None:
    if value.value is None:
        return None
    kind = value.get("type").text()
    if kind == "NFC":
        return "NFC"
    if kind == "Sequence":
        found = [_normalization(one) for one in value.get("normalizers").items()]
        return "NFC" if "NFC" in found else None
    value.unsupported("Only the normalizer NFC is done here.")


def _pattern(value: Value) -> str | None:
    steps = _steps(value)
    kinds = [step.get("type").text() for step in steps]
    if not kinds or kinds[-1] != "ByteLevel":
        value.unsupported("Only byte-level tokenizers are read, whose last (or only) pre_tokenizer is ByteLevel.")
    last = steps[-1]
    check_byte_level(last)
    if last.get("add_prefix_space").flag():
        last.get("add_prefix_space").unsupported("A space put before every text is not done here.")
    gpt2 = last.get("use_regex").flag(default=True)
    if kinds == ["ByteLevel"]:
        return patterns.R50K_PATTERN if gpt2 else None
    if kinds == ["Split", "ByteLevel"] and not gpt2:
        return _split(steps[0])
    if kinds == ["Digits", "ByteLevel"] and gpt2:
        return _DIGITS[steps[0].get("individual_digits").required_flag()]
    value.unsupported(
        f"Text is cut in several steps here ({', '.join(kinds)}{' with its own pattern' if gpt2 else ''}), "
        "and one pattern cannot say them."
    )


def check_byte_level(value: Value) -> None:
    """Check a step of the type ByteLevel, wherever it stands. Raises UnreadableModel."""
    value.get("add_prefix_space").required_flag()
    value.get("trim_offsets").required_flag()
    value.get("use_regex").flag(default=True)


def _steps(value: Value) -> list[Value]:
    if value.value is None:
        return []
    if value.get("type").text() != "Sequence":
        return [value]
    return [step for one in value.get("pretokenizers").items() for step in _steps(one)]


def _split(step: Value) -> str:
    given = step.get("pattern")
    said = given.an_object()
    if set(said) == {"Regex"}:
        pattern = _of_oniguruma(given.get("Regex"))
    elif set(said) == {"String"}:
        text = given.get("String").text()
        if not text:
            given.unsupported("An empty text cuts nothing.")
        pattern = regex.escape(text, special_only=True, literal_spaces=True)
    else:
        given.unreadable('{"Regex": "..."} or {"String": "..."}')
    behavior, inverted = step.get("behavior").text(), step.get("invert").required_flag()
    if behavior == "Removed" and inverted:
        # Only what matches is kept; text between matches is refused when there is any.
        return pattern
    if behavior != "Isolated":
        step.get("behavior").unsupported("Only Isolated is done here, and Removed with invert.")
    return pattern if covers(pattern, TABLES) else with_the_rest(pattern)


def _of_oniguruma(value: Value) -> str:
    try:
        pattern = from_oniguruma(value.text())
        runner_for(pattern)
    except InvalidPattern as error:
        value.unsupported(str(error))
    return pattern


def covers(pattern: str, engine: str) -> bool:
    """Whether no text can stand between two matches of a pattern."""
    return patterns.scanner_for(pattern) is not None or takes_every_character(pattern, engine)


def with_the_rest(pattern: str) -> str:
    """A pattern that also makes a word of the text that ``pattern`` leaves between two matches.

    >>> with_the_rest("[a-z]+")
    '(?:[a-z]+)|(?:(?!(?:[a-z]+))[\\\\s\\\\S])+'
    """
    return f"(?:{pattern})|(?:(?!(?:{pattern}))[\\s\\S])+"


# Writing


def cutting_document(cutting: Cutting, model: BytePairModel | VocabularyModel) -> tuple[Any, Any]:
    """The normalizer and the pre_tokenizer of a record. Raises UnsupportedPattern, InvalidPattern."""
    normalizer = {"type": "NFC"} if cutting.normalization else None
    pattern = cutting.pattern
    if pattern is None:
        return normalizer, _byte_level(use_regex=False)
    engine = cutting.engine or patterns.engine_of(pattern)
    family = patterns.scanner_for(pattern) if engine == TABLES else None
    if family == patterns.GPT2_FAMILY:
        return normalizer, _byte_level(use_regex=True)
    for one_by_one, digits in _DIGITS.items():
        if pattern == digits and engine == TABLES:
            steps = [{"type": "Digits", "individual_digits": one_by_one}, _byte_level(use_regex=True)]
            return normalizer, {"type": "Sequence", "pretokenizers": steps}
    if family == patterns.CL100K_FAMILY and not _joins_over_breaks(model):
        family = patterns.CL100K_MINBPE_FAMILY
    if family == patterns.CL100K_MINBPE_FAMILY:
        spelled = patterns.CL100K_FIRST_PATTERN
    else:
        spelled = to_oniguruma(pattern, engine)
    split = {"type": "Split", "pattern": {"Regex": spelled}, "behavior": "Isolated", "invert": False}
    return normalizer, {"type": "Sequence", "pretokenizers": [split, _byte_level(use_regex=False)]}


def _joins_over_breaks(model: BytePairModel | VocabularyModel) -> bool:
    return any(_OVER_THE_LAST_BREAK.search(token) for token in model.token_bytes.values())


def _byte_level(*, use_regex: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": use_regex}
