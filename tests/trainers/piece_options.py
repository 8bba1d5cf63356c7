"""Random texts and options for the trainer of SentencePiece models, from a seed."""

from __future__ import annotations

import io
import random
from typing import Any

import sentencepiece

from minbpe_course.trainers.piece_training import train_sentencepiece

ALPHABETS = (
    "ab",
    "abc",
    "abcdefgh",
    "the quick brown fox ",
    "abcXYZ0123456789",
    "aя1２か漢ー가עم🙂",
    "aé\u0301\u0308o\u200d",
    "▁ a",
    "日本語カタかなー。、",
    "a\t\x1f\r\x00b",
    "ﬁﾊﾞ①Ａａß\u00a0\u3000\ufeff",
    "<s></unk>[MASK]",
    "०१५٣4",
    "\U00020000\U0010ffff\ufffeab",
)
WORDS = (
    *("the", "cat", "sat", "on", "mat", "and", "then", "2024", "naïve", "café", "добрый", "день", "東京タワー"),
    *("<s>", "[SEP]", "F1", "a1b2", "don't", "x=", "---"),
)
SYMBOLS = ("[MASK]", "<sep>", "the", "▁the", "ab", "abc", "a", "é", "か漢", "日本", "<s>", "</s>", "▁▁", "a b", "12")
MARKS = ("\u2585", "\0", "\x1f", "<unk>", "<s>", "<0x41>", "▁", "  ", " ")


def drawn_text(draw: random.Random) -> list[str]:
    """Some sentences: letters at random, words at random, or both, now and then with something awkward between."""
    letters = draw.choice(ALPHABETS) + (draw.choice(ALPHABETS) if draw.random() < 0.4 else "")
    letters += " " * draw.randrange(4)
    longest = draw.choice((3, 12, 60, 300))
    sentences = []
    for _ in range(draw.choice((1, 3, 10, 40, 120))):
        if draw.random() < 0.5:
            sentence = "".join(draw.choices(letters, k=draw.randrange(longest)))
        else:
            sentence = draw.choice((" ", "  ", "")).join(draw.choices(WORDS, k=draw.randrange(longest // 3 + 1)))
        if draw.random() < 0.05:
            at = draw.randrange(len(sentence) + 1)
            sentence = sentence[:at] + draw.choice(MARKS) * draw.randrange(1, 4) + sentence[at:]
        sentences.append(sentence)
    if draw.random() < 0.1:
        sentences.append("x" * 5000)
    return sentences


def drawn_options(draw: random.Random) -> dict[str, Any]:
    """Some options, each left out as often as not."""
    options: dict[str, Any] = {"vocab_size": draw.choice((5, 20, 40, 70, 120, 300, 330, 500, 1000, 100_000))}

    def maybe(name: str, *values: Any, chance: float = 0.3) -> None:
        if draw.random() < chance:
            options[name] = draw.choice(values)

    maybe("hard_vocab_limit", False, False, True, chance=0.8)
    maybe("normalization_rule_name", "identity", "identity", "nmt_nfkc", "nfkc", "nfkc_cf", "nmt_nfkc_cf", chance=0.8)
    maybe("character_coverage", 1.0, 1.0, 0.98, 0.99, 0.9995, 0.9995, 0.5, chance=0.6)
    for name in (
        "split_by_unicode_script", "split_by_number", "split_by_whitespace", "split_digits",
        "treat_whitespace_as_suffix", "allow_whitespace_only_pieces", "add_dummy_prefix", "remove_extra_whitespaces",
        "byte_fallback", "vocabulary_output_piece_score", "shuffle_input_sentence",
    ):  # fmt: skip
        maybe(name, True, False)
    maybe("max_sentencepiece_length", 1, 2, 4, 8, 40, 512)
    maybe("max_sentence_length", 10, 100, 10_000)
    maybe("user_defined_symbols", *(draw.sample(SYMBOLS, draw.randrange(4)) for _ in range(3)), chance=0.4)
    maybe("control_symbols", *(draw.sample(SYMBOLS, draw.randrange(3)) for _ in range(3)), chance=0.2)
    maybe("required_chars", "xyz", "aé", "漢\x00a", "☃", "", "▁", "x y", "aa", "the cat▁", "ab\u2585", chance=0.3)
    maybe("unk_id", 0, 0, 3, 4, -1, chance=0.2)
    maybe("bos_id", 1, -1, -1, 10, chance=0.2)
    maybe("eos_id", 2, 2, -1, 0, chance=0.2)
    maybe("pad_id", 3, 3, -1, -1, 0, 25, chance=0.3)
    maybe("unk_piece", "<unknown>", "ab", "", chance=0.05)
    maybe("bos_piece", "<bos>", "[CLS]", "</s>", chance=0.05)
    maybe("pad_piece", "[PAD]", "<unk>", chance=0.05)
    maybe("unk_surface", "?", " \u2047 ", "", chance=0.1)
    maybe("accept_language", ["en", "de"], "ja", chance=0.05)
    maybe("num_threads", 1, 2, 8, 2000, chance=0.1)
    maybe("self_test_sample_size", 3, chance=0.05)
    maybe("train_extremely_large_corpus", True, chance=0.05)
    return options


def outcome_of_sentencepiece(sentences: list[str], options: dict[str, Any]) -> bytes | str:
    """The file, or what kind of error."""
    file = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences), model_writer=file, model_type="bpe", minloglevel=3, **options
        )
    except Exception as error:
        return kind_of_error(str(error))
    return file.getvalue()


def outcome_of_ours(sentences: list[str], options: dict[str, Any]) -> bytes | str:
    """The file, or what kind of error."""
    file = io.BytesIO()
    try:
        train_sentencepiece(sentence_iterator=sentences, model_writer=file, **options)
    except Exception as error:
        return kind_of_error(f"{type(error).__name__}: {error}")
    return file.getvalue()


def kind_of_error(message: str) -> str:
    """Bring the message of an error, ours or theirs, to a few kinds."""
    kinds = {
        "text": (
            "sentences_.empty()",
            "all_chars_count",
            "no sentence to train on",
            "nothing but spaces",
            "sentences are longer",
        ),
        "empty": ("piece().empty()", "is empty"),
        "unknown": ("must not be defined", "is unk_piece", "has_unk", "no unknown piece"),
        "too small": ("smaller than required_chars",),
        "too high": ("too high",),
        "id": ("insert_id", "(it->first)", "_id=", "has the id", "_piece and unk_piece"),
        "twice": ("already defined", "dup.insert", "there twice"),
        "range": ("trainer_spec.", "must be from"),
        "required": ("required_chars", "0x0020", "neither a space"),
    }
    for kind, signs in kinds.items():
        if any(sign in message for sign in signs):
            return kind
    return f"another: {message}"
