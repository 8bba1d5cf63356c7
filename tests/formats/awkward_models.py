"""Models that are hard to store, by name: each must survive every format, or be refused for the right reason.

    awkward_model("specials in each other")     the record        labels()      all names

``BYTE_PAIRS`` gives BytePairModels, ``VOCABULARIES`` VocabularyModels, ``PIECES`` PieceModels. Records are made when
they are asked for, each once. ``texts_for`` gives texts on which a change of a model shows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.learning.judge import assert_same_ids
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER
from minbpe_course.text.patterns import CL100K_PATTERN, O200K_PATTERN, R50K_PATTERN
from tests.shared.cases import hostile_text
from tests.shared.small_models import trained

Record = Any

SHUFFLED = bytes(reversed(range(256)))
A, B, C = b"abc"
NEW_LINE, RETURN, SPACE = b"\n\r "
# Runs of 0xFF, halves of characters, NUL, line ends: tokens that are not valid UTF-8, or that end a line.
ODD_MERGES = [
    (97, 97),
    (256, 98),
    (255, 0),
    (255, 255),
    (195, 169),
    (240, 159),
    (257, 257),
    (13, 10),
    (10, 10),
    (32, 32),
]
# "bc" is preferred to "ab", so "abc" is never made, though it is a token: who takes whole words, or goes by tokens
# instead of merges, gives another id.
NEVER_MADE = [(B, C), (A, B), (257, C)]
TWO_WAYS = [(A, A), (256, A), (A, 256), (257, A)]  # ids 257 and 258 are both "aaa"


def _specials(*texts: str, first: int) -> dict[str, int]:
    return {text: first + at for at, text in enumerate(texts)}


def _with(*texts: str, pattern: str | None = R50K_PATTERN) -> Callable[[], BytePairModel]:
    merges = [(A, A), (256, B), (SPACE, A)]
    return lambda: BytePairModel(merges, pattern=pattern, special_tokens=_specials(*texts, first=259))


BYTE_PAIRS: Mapping[str, Callable[[], BytePairModel]] = {
    "no merges": BytePairModel,
    "no merges, a pattern": lambda: BytePairModel(pattern=CL100K_PATTERN),
    "no merges, one special": lambda: BytePairModel(pattern=R50K_PATTERN, special_tokens={"<|endoftext|>": 256}),
    "no pattern": lambda: BytePairModel([(A, A), (256, B)], special_tokens={"<|endoftext|>": 258}),
    "plain": _with("<|endoftext|>"),
    "pattern of cl100k": _with("<|endoftext|>", pattern=CL100K_PATTERN),
    "pattern of minbpe": _with(
        "<|endoftext|>", pattern=r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+"
    ),
    "pattern with a leading space": lambda: BytePairModel([(A, A), (SPACE, A)], pattern=r" ?\w+| +|[^\w ]+"),
    "pattern of one space": lambda: BytePairModel([(A, A), (SPACE, A)], pattern=" |[^ ]+"),
    "pattern in lines": lambda: BytePairModel([(A, A)], pattern="(?x)\n  a+ # the letter\r\n| [^a]+\t\n"),
    "pattern with quotes": lambda: BytePairModel([(A, A)], pattern=r"""["'\\/]+|[^"'\\/]+"""),
    "pattern with odd characters": lambda: BytePairModel([(A, A)], pattern="[a\u2028\u0085\x0c\ufeff\U0001f600]+|[^a]"),
    "pattern with a surrogate": lambda: BytePairModel([(A, A)], pattern="[a\ud800]+|[^a]"),
    "specials with spaces": _with("<|end of text|>", " x", "x ", " ", "   "),
    "specials with line ends": _with("a\nb", "\n", "\r\n", "\r", "<|a|>\r\n", "\t", "\x0b", "\u2028", "\u0085", "\x00"),
    "specials in each other": _with("<|a|>", "<|a|><|b|>", "|>", "a", "<|", "aa", "ab", "b|><|"),
    "specials in Unicode": _with("👋", "👋🏽", "é", "e\u0301", "\ufeff", "ＡＢＣ", "ﬁ", "\U0010ffff", "\u0130"),
    "specials with quotes": _with('"', "'", "\\", '\\"\n 9', "\\u0041", "{}", "[]", "</s>", "#", "&amp;"),
    "specials like lines": _with("#version: 0.2", "#version", "a b", "minbpe v1", "0", "259", "IQ== 0", "merges 2"),
    "specials like tokens": _with("aa", "aab", " a", "Ġa", "Ġ", "Ċ", "a", "!", "<0x0A>", "ÿ"),
    "two names for one special": lambda: BytePairModel([(A, A)], special_tokens={"x": 257, "y": 257, "z": 258}),
    "specials far away": lambda: BytePairModel(
        [(A, A)], pattern=R50K_PATTERN, special_tokens={"x": 10**6, "y": 2**31 - 1}
    ),
    "odd bytes": lambda: BytePairModel(ODD_MERGES, pattern=R50K_PATTERN, special_tokens={"<|endoftext|>": 266}),
    "odd bytes, no pattern": lambda: BytePairModel(ODD_MERGES),
    "bytes backwards": lambda: BytePairModel(ODD_MERGES, SHUFFLED, CL100K_PATTERN, {"<|x|>": 266}),
    "bytes in GPT-2's order": lambda: BytePairModel(
        [(64, 64), (256, 65)], PRINTABLE_ORDER, R50K_PATTERN, {"<|x|>": 258}
    ),
    "skipped ids": lambda: BytePairModel(
        [(A, A), (256, B), (257, C)],
        pattern=R50K_PATTERN,
        special_tokens={"<|x|>": 258, "<|y|>": 300},
        skipped_ids=(258,),
    ),
    "skipped ids unused": lambda: BytePairModel([(A, A), (256, B)], skipped_ids=(257, 9_999)),
    "a token never made": lambda: BytePairModel(NEVER_MADE, pattern=R50K_PATTERN, special_tokens={"<|x|>": 259}),
    "a token made two ways": lambda: BytePairModel(TWO_WAYS, pattern=R50K_PATTERN),
    "a pair twice": lambda: BytePairModel([(A, A), (A, A), (256, 257)]),
    "long tokens": lambda: BytePairModel([(A, A), *[(at, at) for at in range(256, 268)]], pattern=R50K_PATTERN),
    "trained": lambda: trained(7, merges=120, pattern=R50K_PATTERN),
    "trained, shuffled": lambda: trained(8, merges=120, shuffled=True, pattern=O200K_PATTERN),
}


def _tokens(*more: bytes, first: int = 0, order: bytes = bytes(range(256))) -> dict[int, bytes]:
    """The bytes from id ``first`` on, then ``more``."""
    return {first + at: token for at, token in enumerate([*(order[at : at + 1] for at in range(256)), *more])}


def _vocabulary(tokens: Mapping[int, bytes], merges: Any = None, **fields: Any) -> Record:
    return VocabularyModel(tokens, merges, **{"pattern": R50K_PATTERN, **fields})


def _merged(tokens: Mapping[int, bytes], merges: Any, **fields: Any) -> Record:
    return _vocabulary(tokens, merges, whole_words=False, **fields)


def _offset(count: int) -> dict[str, int]:
    return {f"<SPECIAL_{at}>": at for at in range(count)}


VOCABULARIES: Mapping[str, Callable[[], Record]] = {
    "ranks, specials first": lambda: _vocabulary(
        _tokens(b"aa", b"aab", b" a", b"\xff\xff", "é".encode(), first=3), special_tokens=_offset(3)
    ),
    "ranks, one special": lambda: _vocabulary(
        _tokens(b"aa", first=1), special_tokens={"<unk>": 0}, pattern=CL100K_PATTERN
    ),
    "ranks, specials with a surrogate": lambda: _vocabulary(
        _tokens(b"aa", first=2), special_tokens={"<unk>": 0, "\ud800": 1}, pattern=CL100K_PATTERN
    ),
    "ranks, no special": lambda: _vocabulary(_tokens(b"aa", b"aab", b"\r\n", b"\n\n"), pattern=CL100K_PATTERN),
    "ranks, a token nothing makes": lambda: _vocabulary(_tokens(b"abcd", b"aa", b"xyz")),
    "ranks, many ways to a token": lambda: _vocabulary(_tokens(b"ab", b"bc", b"abc", b"abcd", b"bcd", b"cd")),
    "ranks, no pattern": lambda: _vocabulary(_tokens(b"aa", b"aaa", b" a"), pattern=None),
    "ranks with holes": lambda: _vocabulary(
        {at * 3 + 1: token for at, token in _tokens(b"aa", b"aab", b"\xff\xff").items()},
        special_tokens={"<|x|>": 0, "<|y|>": 2},
    ),
    "ranks to the last id": lambda: _vocabulary({**_tokens(b"aa"), 2**32 - 1: b"aaa"}, special_tokens={"<|x|>": 2**31}),
    "bytes last": lambda: _merged(
        {0: b"aa", 1: b"ab", 2: b"aab", **_tokens(first=3)},
        ((3 + A, 3 + A, 0), (3 + A, 3 + B, 1), (0, 3 + B, 2)),
        special_tokens={"<|x|>": 259},
    ),
    "merges, specials first": lambda: _merged(
        _tokens(b"aa", b"aab", first=2), ((2 + A, 2 + A, 258), (258, 2 + B, 259)), special_tokens={"<s>": 0, "</s>": 1}
    ),
    "merges with holes": lambda: _merged(
        {**_tokens(), 300: b"aa", 400: b"aab"}, ((A, A, 300), (300, B, 400)), special_tokens={"<|x|>": 350}
    ),
    "merges in another order than ids": lambda: _merged(
        _tokens(b"bc", b"ab", b"abc"), ((A, B, 257), (B, C, 256), (257, C, 258))
    ),
    "many merges to a token": lambda: _merged(
        _tokens(b"ab", b"bc", b"abc"), ((B, C, 257), (A, B, 256), (A, 257, 258), (256, C, 258))
    ),
    "no whole words": lambda: _merged(_tokens(b"bc", b"ab", b"abc"), ((B, C, 256), (A, B, 257), (257, C, 258))),
    "whole words": lambda: _vocabulary(
        _tokens(b"bc", b"ab", b"abc"), ((B, C, 256), (A, B, 257), (257, C, 258)), whole_words=True
    ),
    "a token without a merge": lambda: _merged(_tokens(b"ab", b"xyz"), [(A, B, 256)]),
    "a word without a merge": lambda: _vocabulary(_tokens(b"ab", b"xyz"), ((A, B, 256),), whole_words=True),
    "NFC": lambda: _merged(_tokens("é".encode()), [(0xC3, 0xA9, 256)], normalization="NFC"),
    "plain added tokens": lambda: _vocabulary(
        _tokens(b"aa"),
        special_tokens={"<|x|>": 257, "<think>": 258, "aa b": 259},
        plain_tokens=frozenset({"<think>", "aa b"}),
    ),
    "a frame": lambda: _merged(
        _tokens(b"aa"), [(A, A, 256)], special_tokens={"<s>": 257, "</s>": 258}, frame=([257], [258, 258])
    ),
    "engine of tiktoken": lambda: _vocabulary(_tokens(b"aa"), pattern=r"\p{L}+|\P{L}+", pattern_engine="tiktoken"),
    "engine of regex": lambda: _vocabulary(_tokens(b"aa"), pattern=CL100K_PATTERN, pattern_engine="regex"),
    "whole words that change nothing": lambda: _vocabulary(
        _tokens(b"aa", b"aab", first=1), ((1 + A, 1 + A, 257), (257, 1 + B, 258)), special_tokens={"<s>": 0}
    ),
    "no merges at all": lambda: _vocabulary(_tokens(), ()),
}


def _pieces(*pieces: str, **fields: Any) -> Callable[[], PieceModel]:
    def make() -> PieceModel:
        named = ["<unk>", *pieces]
        scores = [0.0, *(-float(at) for at in range(1, len(named)))]
        return PieceModel(tuple(named), tuple(scores), (2, *[1] * (len(named) - 1)), **fields)

    return make


PIECES: Mapping[str, Callable[[], PieceModel]] = {
    "pieces": _pieces("a", "b", "aa", "aab", "▁a", "▁", model_type="bpe"),
    "pieces in Unicode": _pieces("é", "👋", "\u2028", "\n", "\r\n", " x", '"', "\\", "\ufeff", model_type="bpe"),
    "pieces of bytes": lambda: _pieces("a", "aa", "▁", model_type="bpe")().with_byte_fallback(),
    "pieces no UTF-8": _pieces("a", b"a\xff".decode("utf-8", "surrogateescape"), model_type="bpe"),
    "pieces with kinds": lambda: _pieces("a", "b", "<s>", "<|x y|>", model_type="bpe")().with_kinds(
        {"<s>": "CONTROL", "<|x y|>": "USER_DEFINED", "b": "UNUSED"}
    ),
    "unigram": _pieces("a", "b", "aa", "▁", model_type="unigram"),
}

_ALL: Mapping[str, Callable[[], Record]] = {**BYTE_PAIRS, **VOCABULARIES, **PIECES}


def labels() -> list[str]:
    """All names."""
    return list(_ALL)


@cache
def awkward_model(label: str) -> Record:
    """The record of this name; the same object each time."""
    return _ALL[label]()


def texts_for(record: Record, count: int, seed: int = 7) -> list[str]:
    """Texts of this model's tokens and of awkward characters."""
    rng = random.Random(seed)
    tokens = [token.decode("utf-8", "replace") for token in list(record.token_bytes.values())[:3000]]
    texts = []
    for _ in range(count):
        parts = [hostile_text(rng, 5)]
        for _ in range(rng.randint(0, 8)):
            parts.append(rng.choice([rng.choice(tokens), "".join(rng.choices("abc \r\n", k=rng.randint(1, 9)))]))
        rng.shuffle(parts)
        texts.append("".join(parts))
    return texts


def engine_of(record: Record) -> BytePairEngine:
    """Return the engine of a record of bytes."""
    make = BytePairEngine.from_model if isinstance(record, BytePairModel) else BytePairEngine.from_vocabulary
    return make(record, repair=True)


def assert_theirs(record: Record, encode: Callable[[str], list[int]], texts: Iterable[str]) -> None:
    """Check that another program encodes texts as the engine of a record does."""
    engine = engine_of(record)
    assert_same_ids(list(texts), lambda text: engine.encode(text).tolist(), encode)
