r"""How a text is split into words: ``normalizer`` and ``pre_tokenizer`` of a tokenizer.json, and what a record says.

    {"type": "ByteLevel", "use_regex": true}                                     GPT-2's pattern
    [{"type": "Split", "pattern": {"Regex": "..."}}, {"type": "ByteLevel"}]      a pattern of its own
    {"type": "ByteLevel", "use_regex": false}                                    no pattern
    [{"type": "Digits"}, {"type": "ByteLevel", "use_regex": true}]               GPT-2's pattern, digits apart
    {"type": "ByteLevel", "add_prefix_space": true}                              prefix_space
    any other sequence                                                           split_steps

`tokenizers` 0.x runs patterns with Oniguruma; `tokenizers` 1.0.0rc3 knows a dozen by heart, letter for letter, and
refuses every other. So a pattern that cuts as one of those is written as that one. Where text stands between two
matches, ``"behavior": "Isolated"`` makes it a word of its own; a pattern that might leave such text is read with one
alternative more, which takes it.

One pattern runs on compiled scanners or at least in one pass; steps run one after the other, in Python.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, NamedTuple

import regex

from minbpe_course.errors import InvalidPattern, UnreadableModel, UnsupportedModel, UnsupportedPattern
from minbpe_course.formats.json_text import Value
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.model.vocabulary import Step
from minbpe_course.text import patterns
from minbpe_course.text.normalize import Charsmap
from minbpe_course.text.oniguruma import TABLES, from_oniguruma, takes_every_character, to_oniguruma
from minbpe_course.text.pattern_running import span_finder
from minbpe_course.text.split_steps import BEHAVIORS

# Digits and GPT-2's pattern, one behind the other, in one. White space before a digit is kept whole, since for the
# second of the two the text ends there.
_DIGITS_APART = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{{L}}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+|\s+(?![^\s\p{{N}}])|\s+"
DIGITS_ONE_BY_ONE = _DIGITS_APART.format(digits=r"\p{N}")
DIGITS_TOGETHER = _DIGITS_APART.format(digits=r"\p{N}+")
_DIGITS = {True: DIGITS_ONE_BY_ONE, False: DIGITS_TOGETHER}

# A line break and then white space without one, to the end. With no such token it is all the same whether white space
# that ends a text is cut behind its last line break: no merge reaches over that place.
_OVER_THE_LAST_BREAK = regex.compile(rb"[\r\n][\t\x0b\x0c \x80-\xff]+\Z")


_FORMS = ("NFC", "NFD", "NFKC", "NFKD", "Lowercase")


class Cutting(NamedTuple):
    """How a text becomes words, in the words of a VocabularyModel."""

    pattern: str | None
    engine: str | None
    normalization: tuple[Step, ...]
    split_steps: tuple[Step, ...] = ()
    prefix_space: bool = False


def read_cutting(document: Value) -> Cutting:
    """Read how a text is split into words. Raises UnreadableModel, UnsupportedModel."""
    normalization = read_normalizer(document.get("normalizer"))
    pattern, steps, prefix_space = _splitting(document.get("pre_tokenizer"))
    engine = TABLES if pattern is not None and patterns.engine_of(pattern) != TABLES else None
    return Cutting(pattern, engine, normalization, steps, prefix_space)


def read_normalizer(value: Value, precompiled: bool = False) -> tuple[Step, ...]:
    """Read the steps of a normalizer, as ``text.normalizer_steps`` runs them. Raises UnreadableModel, UnsupportedModel.

    precompiled : whether a table of SentencePiece's is allowed.
    """
    return tuple(_normalizer_step(step, precompiled) for step in value.steps("normalizers"))


def _normalizer_step(step: Value, precompiled: bool) -> Step:
    kind = step.get("type").text()
    if kind in _FORMS:
        return (kind,)
    if kind == "Replace":
        return read_replacement(step)
    if kind == "Prepend":
        return kind, step.get("prepend").text()
    if kind == "Strip":
        return kind, step.get("strip_left").required_flag(), step.get("strip_right").required_flag()
    if kind == "Precompiled" and precompiled:
        return kind, _table(step.get("precompiled_charsmap"))
    step.get("type").unsupported(f"The supported normalizers are {', '.join(_FORMS)}, Replace, Prepend and Strip.")


def read_replacement(step: Value) -> Step:
    """Read a Replace of a normalizer or a decoder."""
    return "Replace", *_searched(step.get("pattern")), step.get("content").text()


def _table(value: Value) -> bytes:
    """Read a table of SentencePiece's normalizer, in base64."""
    if value.value is None:
        return b""
    try:
        table = base64.b64decode(value.text(), validate=True)
        Charsmap(table)
    except (binascii.Error, ValueError, UnreadableModel) as error:
        raise UnreadableModel(f"{value.name}, {value.path}: not a table of SentencePiece's ({error}).") from error
    return table


def _splitting(value: Value) -> tuple[str | None, tuple[Step, ...], bool]:
    """The pattern, or the steps, and whether a space is put before every text."""
    values = value.steps("pretokenizers")
    kinds = [one.get("type").text() for one in values]
    if "ByteLevel" not in kinds:
        value.unsupported("Only byte-level tokenizers are read, with ByteLevel among the steps of the pre_tokenizer.")
    steps = tuple(_split_step(one, kind) for one, kind in zip(values, kinds))
    if kinds == ["ByteLevel"]:
        before, gpt2 = steps[0][1:]
        return patterns.R50K_PATTERN if gpt2 else None, (), before
    if kinds == ["Digits", "ByteLevel"] and steps[1] == ("ByteLevel", False, True):
        return _DIGITS[steps[0][1]], (), False
    if kinds == ["Split", "ByteLevel"] and steps[1] == ("ByteLevel", False, False):
        pattern = _one_pattern(values[0], *steps[0][1:])
        if pattern is not None:
            return pattern, (), False
    return None, steps, False


def _split_step(value: Value, kind: str) -> Step:
    if kind == "ByteLevel":
        check_byte_level(value)
        return kind, value.get("add_prefix_space").flag(), value.get("use_regex").flag(default=True)
    if kind == "Split":
        source, said = _searched(value.get("pattern"))
        return kind, source, said, _behavior(value.get("behavior")), value.get("invert").required_flag()
    if kind == "Digits":
        return kind, value.get("individual_digits").required_flag()
    if kind == "Punctuation":
        behavior = value.get("behavior")
        return kind, _behavior(behavior) if "behavior" in value else "Isolated"
    value.get("type").unsupported("The steps known here are Split, Digits, Punctuation and ByteLevel.")


def _behavior(value: Value) -> str:
    if value.text() not in BEHAVIORS:
        value.unreadable(f"one of {', '.join(BEHAVIORS)}")
    return value.text()


def check_byte_level(value: Value) -> None:
    """Check a step of the type ByteLevel, wherever it stands. Raises UnreadableModel."""
    value.get("add_prefix_space").required_flag()
    value.get("trim_offsets").required_flag()
    value.get("use_regex").flag(default=True)


def _searched(value: Value) -> tuple[str, str]:
    """Read a pattern of Oniguruma, or a text that stands for itself."""
    said = value.an_object()
    kind = next(iter(said), "")
    if len(said) != 1 or kind not in ("Regex", "String"):
        value.unreadable('{"Regex": "..."} or {"String": "..."}')
    given = value.get(kind)
    if not given.text():
        given.unsupported("An empty text is found everywhere.")
    try:
        # Patterns with a scanner need no check, and checking these long ones takes longest.
        if kind == "String" or patterns.scanner_for(from_oniguruma(given.text())) is None:
            span_finder(kind, given.text())
    except UnsupportedPattern as error:
        given.unsupported(str(error))
    except InvalidPattern as error:
        given.unreadable(f"a regular expression ({error})")
    return kind, given.text()


def _one_pattern(step: Value, source: str, said: str, behavior: str, inverted: bool) -> str | None:
    """The one pattern that a Split is, in the dialect of tiktoken; None where one cannot say it."""
    pattern = from_oniguruma(said) if source == "Regex" else regex.escape(said, special_only=True, literal_spaces=True)
    if covers(pattern, TABLES):
        # Nothing is between two matches, so there is nothing to be removed, or to be merged with a match.
        return pattern if behavior == "Isolated" or (behavior == "Removed" and inverted) else None
    return with_the_rest(pattern) if behavior == "Isolated" else None


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
    normalizer = _normalizer_document(cutting.normalization)
    if cutting.split_steps:
        steps = [_step_document(step) for step in cutting.split_steps]
        return normalizer, steps[0] if len(steps) == 1 else {"type": "Sequence", "pretokenizers": steps}
    splits = _pattern_document(cutting, model)
    if not cutting.prefix_space:
        return normalizer, splits[0] if len(splits) == 1 else {"type": "Sequence", "pretokenizers": splits}
    if len(splits) > 1:
        raise UnsupportedModel(
            "a space is put before every text there only where GPT-2's pattern splits it, or none does; with another "
            "pattern every word would get one."
        )
    return normalizer, splits[0] | {"add_prefix_space": True}


def _normalizer_document(steps: tuple[Step, ...]) -> Any:
    documents = [_step_document(step) for step in steps]
    if len(documents) < 2:
        return documents[0] if documents else None
    return {"type": "Sequence", "normalizers": documents}


def _step_document(step: Step) -> dict[str, Any]:
    """One step of a normalizer or a pre_tokenizer."""
    kind, *said = step
    if kind == "Split":
        return {"type": kind, "pattern": {said[0]: said[1]}, "behavior": said[2], "invert": said[3]}
    if kind == "Replace":
        return {"type": kind, "pattern": {said[0]: said[1]}, "content": said[2]}
    if kind == "ByteLevel":
        return _byte_level(use_regex=said[1]) | {"add_prefix_space": said[0]}
    names = {
        "Digits": ["individual_digits"],
        "Punctuation": ["behavior"],
        "Prepend": ["prepend"],
        "Strip": ["strip_left", "strip_right"],
    }
    return {"type": kind, **dict(zip(names.get(kind, ()), said))}


def _pattern_document(cutting: Cutting, model: BytePairModel | VocabularyModel) -> list[dict[str, Any]]:
    """The steps of the pre_tokenizer that split as one pattern does."""
    pattern = cutting.pattern
    if pattern is None:
        return [_byte_level(use_regex=False)]
    engine = cutting.engine or patterns.engine_of(pattern)
    family = patterns.scanner_for(pattern) if engine == TABLES else None
    if family == patterns.GPT2_FAMILY:
        return [_byte_level(use_regex=True)]
    for one_by_one, digits in _DIGITS.items():
        if pattern == digits and engine == TABLES:
            return [{"type": "Digits", "individual_digits": one_by_one}, _byte_level(use_regex=True)]
    if family == patterns.CL100K_FAMILY and not _joins_over_breaks(model):
        family = patterns.CL100K_MINBPE_FAMILY
    if family == patterns.CL100K_MINBPE_FAMILY:
        spelled = patterns.CL100K_FIRST_PATTERN
    else:
        spelled = to_oniguruma(pattern, engine)
    split = {"type": "Split", "pattern": {"Regex": spelled}, "behavior": "Isolated", "invert": False}
    return [split, _byte_level(use_regex=False)]


def _joins_over_breaks(model: BytePairModel | VocabularyModel) -> bool:
    return any(_OVER_THE_LAST_BREAK.search(token) for token in model.token_bytes.values())


def _byte_level(*, use_regex: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": use_regex}
