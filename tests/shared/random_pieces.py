"""SentencePiece models and texts at random: small ones, in which everything overlaps, ties and nests."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from functools import cache
from typing import Any

from sentencepiece import sentencepiece_model_pb2

from tests.shared.cases import mixed_texts
from tests.shared.piece_cases import RULES, hostile_bytes, train

# The same in every run, so that no change is refused for what it has not changed. MINBPE_COURSE_SEED asks for others.
SEED = int(os.environ.get("MINBPE_COURSE_SEED") or 1)
TYPES = {"unigram": 1, "bpe": 2, "word": 3, "char": 4}
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6

_ALPHABETS = ("ab", "ab▁", "aab▁▁é", "abc ▁<>", "x東京▁", "🤗a▁ﬁ", "019▁", "\t\na ▁", "<s>/▁", "éé́ｶﾞ▁")
_SYMBOLS = ("<a>", "<a><b>", "▁▁", "foo bar", " x", "ab", "a", "aa", "aaa", "b▁", "▁a", "<", "東", "9", " ", "ﬁ")
_SCORES: tuple[Callable[[random.Random], float], ...] = (
    lambda rng: -float(rng.randrange(200)),
    lambda rng: rng.choice([-1.0, -2.0]),
    lambda rng: rng.choice([0.0, -0.0]),
    lambda rng: rng.uniform(-9, 9),
    lambda rng: rng.choice([-1e9, 1e30, -1e30, 1e-40, -1e-40, 5.0]),
    lambda rng: rng.gauss(-10, 3),
)


@cache
def charsmap(rule: str) -> bytes:
    """The table of rules that sentencepiece ships under a name."""
    data = train(["a b c"] * 9, vocab_size=8, normalization_rule_name=rule)
    table: bytes = sentencepiece_model_pb2.ModelProto.FromString(data).normalizer_spec.precompiled_charsmap
    return table


def random_model(rng: random.Random, kind: str | None = None) -> bytes:
    """A model that no trainer would make, as sentencepiece's own message."""
    proto = sentencepiece_model_pb2.ModelProto()
    kind = kind or rng.choice(list(TYPES))
    spec = proto.trainer_spec
    spec.model_type = TYPES[kind]
    spec.byte_fallback = rng.random() < 0.35
    spec.treat_whitespace_as_suffix = rng.random() < 0.25
    if rng.random() < 0.3:
        spec.unk_surface = rng.choice(["", "?", "▁", " \u2047 "])
    for role in ("unk_piece", "bos_piece", "eos_piece", "pad_piece"):
        if rng.random() < 0.1:
            setattr(spec, role, rng.choice(["a", "ab", "<s>", "</s>", "<unk>", "<UNK>", "<mask>", "¶", ""]))
    _put_rules(rng, proto.normalizer_spec)
    if rng.random() < 0.3:
        _put_rules(rng, proto.denormalizer_spec)

    pieces = _random_pieces(rng, kind, spec.byte_fallback)
    if rng.random() < 0.5:
        rng.shuffle(pieces)
    for piece, score, kind_of_piece in pieces:
        proto.pieces.add(piece=piece, score=score, type=kind_of_piece)
    data: bytes = proto.SerializeToString()
    return data


def _put_rules(rng: random.Random, spec: Any) -> None:
    spec.add_dummy_prefix = rng.random() < 0.5
    spec.remove_extra_whitespaces = rng.random() < 0.5
    spec.escape_whitespaces = rng.random() < 0.85
    spec.precompiled_charsmap = charsmap(rng.choice(RULES))


def _random_pieces(rng: random.Random, kind: str, byte_fallback: bool) -> list[tuple[str, float, int]]:
    alphabet = rng.choice(_ALPHABETS)
    if rng.random() < 0.3:
        alphabet += rng.choice(_ALPHABETS)
    # Of word models only whole words matter, and they begin with a space.
    texts = {character for character in alphabet if rng.random() < 0.8}
    for _ in range(rng.choice([3, 10, 40])):
        text = "".join(rng.choices(alphabet, k=rng.choice([1, 2, 2, 3, 3, 4, 6])))
        texts.add("▁" + text if kind == "word" and rng.random() < 0.7 else text)
    if rng.random() < 0.3:
        # Each of these is one letter longer than the one before.
        texts |= {alphabet[0] * length for length in range(1, rng.choice([5, 20, 80]))}
    scores, unused = rng.choice(_SCORES), rng.choice([0.0, 0.2, 0.6])
    found = {
        text: (scores(rng), UNUSED if rng.random() < unused else NORMAL)
        for text in sorted(texts)  # sorted: the order of a set is not the same in every run
    }
    for text in rng.sample(_SYMBOLS, rng.choice([0, 0, 2, 5])) + rng.choices(sorted(texts), k=rng.choice([0, 0, 3])):
        found[text] = (rng.choice([0.0, scores(rng)]), USER_DEFINED)
    for text in ["<s>", "</s>", *rng.choices(["<pad>", "¶", "a", "▁b", "<mask>"], k=2)]:
        if rng.random() < 0.8:
            found[text] = (0.0, CONTROL)
    unknown = "<unk>" if rng.random() < 0.9 else rng.choice(["<UNK>", "▁?"])
    if not byte_fallback or rng.random() < 0.85:
        found[unknown] = (0.0, UNKNOWN)
    if byte_fallback:
        found |= {f"<0x{byte:02X}>": (0.0, BYTE) for byte in range(256)}
    return [(text, score, kind_of_piece) for text, (score, kind_of_piece) in found.items()]


def random_texts(rng: random.Random, data: bytes, number: int) -> list[bytes]:
    """Return texts for a model: of its pieces, of its characters, of hostile bytes, and of every other kind."""
    proto = sentencepiece_model_pb2.ModelProto.FromString(data)
    own = [piece.piece for piece in proto.pieces if piece.type != BYTE]
    letters = sorted({character for piece in own for character in piece} | set(" x"))
    others = mixed_texts(rng.randrange(2**32), number)
    texts: list[bytes] = []
    for _ in range(number):
        way = rng.random()
        if way < 0.35:
            parts = rng.choices(own, k=rng.choice([1, 2, 4, 9, 30]))
            text = rng.choice(["", "", " ", "  "]).join(parts)
            texts.append((text.replace("▁", " ") if rng.random() < 0.7 else text).encode())
        elif way < 0.65:
            texts.append("".join(rng.choices(letters, k=rng.choice([1, 3, 8, 20, 60]))).encode())
        elif way < 0.85:
            texts.append(hostile_bytes(rng))
        else:
            texts.append(next(others).encode())
    return texts
