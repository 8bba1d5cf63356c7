"""SentencePiece models and texts for the tests: Mistral's real models, models trained on the spot, hostile text."""

from __future__ import annotations

import io
import random
from functools import cache
from pathlib import Path
from typing import Any

import mistral_common
import sentencepiece

from minbpe_course.corpus.texts import course_text
from minbpe_course.engines.sentencepiece.bpe import PieceEngine

# Names that say nothing of the dates in the file names.
_MISTRAL = {"v1": "*.model.v1", "v2": "*.model.v2", "v3": "*.model.v3", "v7": "*.model.v7", "v7m1": "*.model.v7m1"}

_WORDS = [
    " |  |▁|▁▁|a▁b|<s>|</s>|<unk>|<0x41>|<0x0A>|ﬁ|Å|é|Ⅷ|ガ|ｶﾞ|한|한|你好|東京都|😀|👨‍👩‍👧|ſ|ẞ|½|①",
    "the| of| ing|x|aab|aabaab|9|1234|-|...|[INST]|[/INST]|[TOOL_CALLS]|[REF]|[REFERENCE_DOC_1]|[REFERENCE_DOC_19]",
    "[IMG]|<a>|<a><b>|<a><|foo bar|foo|oo b| x|ing|¶|a b|hello| world|tokenization|Straße|naïve|über",
    "return|def foo(bar):|    x = 1|Привет|мир|שלום|नमस्ते|ไทย",
]  # fmt: skip
AWKWARD = "|".join(_WORDS).split("|")
AWKWARD += [
    "\0", "\t", "\n", "\n\n", "\r\n", "\x0b", "\x7f", "\u200b", "\ufeff", "\u0301", "\u1160", "\u2585", "\u2028",
]  # fmt: skip


@cache
def mistral_files() -> dict[str, Path]:
    """Name -> path of the SentencePiece models that come with mistral-common."""
    folder = Path(mistral_common.__file__).parent / "data"
    return {name: next(folder.glob(pattern)) for name, pattern in _MISTRAL.items()}


def finish(engine: Any) -> None:
    """Make the tables that a BPE engine makes after many texts; other engines have all of theirs."""
    if isinstance(engine, PieceEngine):
        engine.tables.finish()
        engine._workers[:] = [engine._new_worker()]


def course_lines() -> list[str]:
    """Lines of the course text to train on."""
    return [line for line in course_text().splitlines() if line.strip()]


def train(lines: list[str], **options: Any) -> bytes:
    """Train a model with sentencepiece, without a word on stderr, and return its file."""
    file = io.BytesIO()
    options = {"model_type": "bpe", "minloglevel": 3, **options}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=file, **options)
    return file.getvalue()


def hostile_bytes(rng: random.Random) -> bytes:
    """Return awkward words, letters, code points and single bytes, which may not be UTF-8."""
    out = []
    for _ in range(rng.randint(0, rng.choice([3, 10, 30]))):
        kind = rng.random()
        if kind < 0.5:
            out.append(rng.choice(AWKWARD).encode())
        elif kind < 0.7:
            out.append(rng.choice("abcdefghijklmnopqrstuvwxyz ").encode())
        elif kind < 0.8:
            out.append(chr(rng.choice([rng.randrange(0xD800), rng.randrange(0xE000, 0x110000)])).encode())
        elif kind < 0.9:
            out.append(b" " * rng.randint(1, 20))
        else:
            out.append(bytes([rng.randrange(256)]))
    return b"".join(out)


def fixed_texts() -> list[bytes]:
    """The texts that find most wrong rebuilds."""
    texts = [b"", b"\0", b"a\0b", b"9" * 50, b"???", b"aab" * 33, b"x" * 700]
    texts += ["é".encode()[:1], b"\xed\xa0\x80", b"\xff" * 9]
    texts += [unit * n for unit in (b" ", b"\n", b"\t", "▁".encode()) for n in range(71)]
    texts += [b"x" + b" " * n + b"x" + b" " * m for n in range(1, 20, 3) for m in range(1, 30, 4)]
    texts += [word.encode() for word in AWKWARD]
    return texts


# ---- Models trained by sentencepiece, of all types, with normalizers and options that change how text is cut

SYMBOLS = ["<a>", "<a><b>", "▁▁", "foo bar", " x", "ing", "th", "ab", "a"]
RULES = ("identity", "nfkc", "nmt_nfkc", "nfkc_cf")

# Each of these with each type of model; the normalisers take turns.
OPTIONS: dict[str, dict[str, Any]] = {
    "as it comes": dict(),
    "bytes": dict(byte_fallback=True, remove_extra_whitespaces=False),
    "no dummy": dict(add_dummy_prefix=False, remove_extra_whitespaces=False),
    "no dummy, spaces removed": dict(add_dummy_prefix=False),
    "suffix": dict(treat_whitespace_as_suffix=True),
    "suffix, spaces kept, bytes": dict(
        treat_whitespace_as_suffix=True, remove_extra_whitespaces=False, byte_fallback=True
    ),
    "symbols": dict(user_defined_symbols=SYMBOLS, remove_extra_whitespaces=False),
    "symbols, bytes": dict(user_defined_symbols=SYMBOLS, byte_fallback=True),
    "across words": dict(split_by_whitespace=False, control_symbols=["¶", "a b"]),
    "digits, few characters": dict(split_digits=True, character_coverage=0.98, unk_surface="?"),
    "only spaces": dict(allow_whitespace_only_pieces=True, remove_extra_whitespaces=False, byte_fallback=True),
}
NAMES = [f"{kind} {name}" for kind in ("bpe", "unigram", "char", "word") for name in OPTIONS]


@cache
def trained(name: str) -> bytes:
    """The file of a model of ``NAMES``."""
    kind, _, rest = name.partition(" ")
    rule = RULES[NAMES.index(name) % len(RULES)]
    lines = random.Random(name).choices(course_lines(), k=150)
    options = {"character_coverage": 0.995, "normalization_rule_name": rule, **OPTIONS[rest]}
    return train(lines, model_type=kind, vocab_size=1100, hard_vocab_limit=False, **options)
