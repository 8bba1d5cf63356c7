r"""How a text is split into words: ``normalizer`` and ``pre_tokenizer`` of a tokenizer.json.

    {"type": "ByteLevel", "use_regex": true}                                     GPT-2's pattern
    [{"type": "Split", "pattern": {"Regex": "..."}}, {"type": "ByteLevel"}]      another pattern
    {"type": "ByteLevel", "use_regex": false}                                    no pattern
    [{"type": "Digits"}, {"type": "ByteLevel", "use_regex": true}]               GPT-2's pattern, digits apart
    {"type": "ByteLevel", "add_prefix_space": true}                              prefix_space
    any other sequence                                                           split_steps

`tokenizers` 0.x runs patterns with Oniguruma; `tokenizers` 1.0.0rc3 accepts only a dozen patterns, compared letter for
letter. So a pattern that splits like one of those is written as that one. A pattern that tiktoken would read
differently, or that can leave text between two matches, stays a step of ``split_steps``.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, NamedTuple

import regex

from minbpe_course.errors import InvalidPattern, UnreadableModel, UnsupportedModel, UnsupportedPattern
from minbpe_course.formats.json_text import Value
from minbpe_course.model import VocabularyModel
from minbpe_course.model.vocabulary import Step
from minbpe_course.splitting.pattern_table import NotRegular, compile_table
from minbpe_course.text import patterns
from minbpe_course.text.normalize import Charsmap
from minbpe_course.text.pattern_reading import ONIGURUMA, TIKTOKEN, read_pattern
from minbpe_course.text.pattern_writing import to_oniguruma
from minbpe_course.text.regex_runner import span_finder
from minbpe_course.text.split_steps import BEHAVIORS

# One pattern for Digits followed by GPT-2's pattern. White space before a digit stays whole: for the second step, the
# text ends there.
_DIGITS_APART = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{{L}}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+|\s+(?![^\s\p{{N}}])|\s+"
DIGITS_ONE_BY_ONE = _DIGITS_APART.format(digits=r"\p{N}")
DIGITS_TOGETHER = _DIGITS_APART.format(digits=r"\p{N}+")
_DIGITS = {True: DIGITS_ONE_BY_ONE, False: DIGITS_TOGETHER}

# A line break, then other white space to the end. If no token matches this, it does not matter whether white space at
# the end of a text is split after its last line break: no merge crosses that place.
_OVER_THE_LAST_BREAK = regex.compile(rb"[\r\n][\t\x0b\x0c \x80-\xff]+\Z")


_WORDS = {"BertPreTokenizer": "Bert", "Whitespace": "Whitespace", "WhitespaceSplit": "WhitespaceSplit"}
_FORMS = ("NFC", "NFD", "NFKC", "NFKD", "Nmt", "Lowercase", "StripAccents")
# The names of steps that have shorter ones here, and their options in the order of a step.
_BERT = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")


class Splitting(NamedTuple):
    """How a text becomes words; the fields are those of a VocabularyModel."""

    pattern: str | None
    engine: str | None
    normalization: tuple[Step, ...]
    split_steps: tuple[Step, ...]
    prefix_space: bool


def read_splitting(document: Value) -> Splitting:
    """Read how a text is split into words. Raises UnreadableModel, UnsupportedModel."""
    normalization = read_normalizer(document.get("normalizer"))
    pattern, steps, prefix_space = _splitting(document.get("pre_tokenizer"))
    engine = TIKTOKEN if pattern is not None and patterns.engine_of(pattern) != TIKTOKEN else None
    return Splitting(pattern, engine, normalization, steps, prefix_space)


def read_normalizer(value: Value, of_pieces: bool = False) -> tuple[Step, ...]:
    """Read the steps of a normalizer, as ``text.normalizer_steps`` runs them. Raises UnreadableModel, UnsupportedModel.

    of_pieces : whether the tokens are pieces of text, so that a table of SentencePiece's is allowed.
    """
    return tuple(_normalizer_step(step, of_pieces) for step in value.steps("normalizers"))


def _normalizer_step(step: Value, of_pieces: bool) -> Step:
    kind = step.get("type").text()
    if kind in _FORMS:
        return (kind,)
    if kind == "Replace":
        return read_replacement(step)
    if kind == "Prepend":
        if not step.get("prepend").text():
            step.get("prepend").unsupported("tokenizers repeats characters after it added an empty text.")
        return kind, step.get("prepend").text()
    if kind == "Strip":
        return kind, step.get("strip_left").required_flag(), step.get("strip_right").required_flag()
    if kind == "Precompiled" and of_pieces:
        return kind, _table(step.get("precompiled_charsmap"))
    if kind == "BertNormalizer":
        clean, chinese, accents, lower = map(step.get, _BERT)
        lowercase = lower.required_flag()
        strip = lowercase if accents.value is None else accents.flag()
        return "Bert", clean.required_flag(), chinese.required_flag(), strip, lowercase
    more = ", Precompiled" if of_pieces else ""
    step.get("type").unsupported(
        f"The supported normalizers are {', '.join(_FORMS)}{more}, BertNormalizer, Replace, Prepend and Strip."
    )


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
    """Return the pattern or the steps, and whether a space is added before every text."""
    values = value.steps("pretokenizers")
    kinds = [one.get("type").text() for one in values]
    steps = tuple(split_step(one, kind) for one, kind in zip(values, kinds))
    if kinds == ["ByteLevel"]:
        before, gpt2 = steps[0][1:]
        return patterns.R50K_PATTERN if gpt2 else None, (), before
    if kinds == ["Digits", "ByteLevel"] and steps[1] == ("ByteLevel", False, True):
        return _DIGITS[steps[0][1]], (), False
    if kinds == ["Split", "ByteLevel"] and steps[1] == ("ByteLevel", False, False):
        pattern = _one_pattern(*steps[0][1:])
        if pattern is not None:
            return pattern, (), False
    return None, steps, False


def split_step(value: Value, kind: str) -> Step:
    """Read one step of a pre_tokenizer, as ``text.split_steps`` runs it. Raises UnreadableModel, UnsupportedModel."""
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
    if kind == "CharDelimiterSplit":
        delimiter = value.get("delimiter").text()
        if len(delimiter) != 1:
            value.get("delimiter").unreadable("one character")
        return "Split", "String", delimiter, "Removed", False
    if kind in _WORDS:
        return (_WORDS[kind],)
    value.get("type").unsupported(
        f"The supported steps are Split, CharDelimiterSplit, Digits, Punctuation, ByteLevel, {', '.join(_WORDS)}."
    )


def _behavior(value: Value) -> str:
    if value.text() not in BEHAVIORS:
        value.unreadable(f"one of {', '.join(BEHAVIORS)}")
    return value.text()


def check_byte_level(value: Value) -> None:
    """Check a ByteLevel step of any part of the file. Raises UnreadableModel."""
    value.get("add_prefix_space").required_flag()
    value.get("trim_offsets").required_flag()
    value.get("use_regex").flag(default=True)


def _searched(value: Value) -> tuple[str, str]:
    """Read a search pattern: an Oniguruma pattern ("Regex") or a literal text ("String")."""
    said = value.an_object()
    kind = next(iter(said), "")
    if len(said) != 1 or kind not in ("Regex", "String"):
        value.unreadable('{"Regex": "..."} or {"String": "..."}')
    given = value.get(kind)
    if not given.text():
        given.unsupported("An empty text matches everywhere.")
    try:
        # Patterns with a scanner need no check, which would take long.
        if patterns.scanner_for(given.text()) is None:
            span_finder(kind, given.text())
    except UnsupportedPattern as error:
        given.unsupported(str(error))
    except InvalidPattern as error:
        given.unreadable(f"a regular expression ({error})")
    return kind, given.text()


def _one_pattern(source: str, said: str, behavior: str, inverted: bool) -> str | None:
    """Return the pattern of a Split that tiktoken reads alike and that leaves no text between two matches, or None.

    Then nothing is removed or merged with a match.
    """
    if source != "Regex" or not (behavior == "Isolated" or (behavior == "Removed" and inverted)):
        return None
    try:
        alike = read_pattern(said, ONIGURUMA) == read_pattern(said, TIKTOKEN)
        complete = patterns.scanner_for(said) is not None or not compile_table(said, TIKTOKEN).gaps
    except (InvalidPattern, NotRegular):
        return None
    return said if alike and complete else None


# Writing


def splitting_document(model: VocabularyModel) -> tuple[Any, Any]:
    """Return the normalizer and the pre_tokenizer of a record. Raises UnsupportedPattern, InvalidPattern."""
    normalizer = _normalizer_document(model.normalization_steps)
    if model.split_steps:
        steps = [step_document(step) for step in model.split_steps]
        return normalizer, steps[0] if len(steps) == 1 else {"type": "Sequence", "pretokenizers": steps}
    splits = _pattern_document(model)
    if not model.prefix_space:
        return normalizer, splits[0] if len(splits) == 1 else {"type": "Sequence", "pretokenizers": splits}
    if len(splits) > 1:
        raise UnsupportedModel(
            "tokenizers adds a space before the text only with GPT-2's pattern or none; with another pattern it would "
            "add one before every word."
        )
    return normalizer, splits[0] | {"add_prefix_space": True}


def _normalizer_document(steps: tuple[Step, ...]) -> Any:
    documents = [step_document(step) for step in steps]
    if len(documents) < 2:
        return documents[0] if documents else None
    return {"type": "Sequence", "normalizers": documents}


def step_document(step: Step) -> dict[str, Any]:
    """Return one step of a normalizer, a pre_tokenizer or a decoder."""
    kind, *said = step
    if kind == "LlamaWords":
        raise UnsupportedModel(
            "tokenizers has no step that does what llama.cpp does to words: it removes more marks and control "
            "characters, and all but the first part of a Korean syllable. Take the tokenizer.json or vocab.txt that "
            "the model was published with."
        )
    if kind == "Bert":
        return {"type": "BertNormalizer", **dict(zip(_BERT, said))} if said else {"type": "BertPreTokenizer"}
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
        "Strip": ["strip_left", "strip_right"] if len(said) == 2 else ["content", "start", "stop"],
        "WordPiece": ["prefix", "cleanup"],
    }
    return {"type": kind, **dict(zip(names.get(kind, ()), said))}


def _pattern_document(model: VocabularyModel) -> list[dict[str, Any]]:
    """Return the pre_tokenizer steps that split like the pattern."""
    pattern = model.pattern
    if pattern is None:
        return [_byte_level(use_regex=False)]
    engine = model.pattern_engine or patterns.engine_of(pattern)
    family = patterns.scanner_for(pattern) if engine == TIKTOKEN else None
    if family == patterns.GPT2_FAMILY:
        return [_byte_level(use_regex=True)]
    for one_by_one, digits in _DIGITS.items():
        if pattern == digits and engine == TIKTOKEN:
            return [{"type": "Digits", "individual_digits": one_by_one}, _byte_level(use_regex=True)]
    if family == patterns.CL100K_FAMILY and not any(map(_OVER_THE_LAST_BREAK.search, model.token_bytes.values())):
        family = patterns.CL100K_MINBPE_FAMILY
    if family == patterns.CL100K_MINBPE_FAMILY:
        spelled = patterns.CL100K_FIRST_PATTERN
    else:
        spelled = to_oniguruma(pattern, engine)
    split = {"type": "Split", "pattern": {"Regex": spelled}, "behavior": "Isolated", "invert": False}
    return [split, _byte_level(use_regex=False)]


def _byte_level(*, use_regex: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": use_regex}
