"""Define the rows of the benchmarks: each names a task, a text, the contestants, and our targets.

A bar is a target: how many times as long the others must take, as a minimum and as an aim. If a bar names several
others, the fastest of each round counts. Growth, memory and start-up are not races; they have separate modules.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import product
from typing import Any

from benchmarks.published_patterns import PUBLISHED

Options = dict[str, Any]  # common to several rows
QUICK, FULL = "quick", "full"
MB = 1_000_000
CORES = max(2, os.cpu_count() or 2)


@dataclass(frozen=True)
class Bar:
    """``against`` must take ``minimum`` times as long as we do, and should take ``aim`` times as long."""

    against: tuple[str, ...]
    minimum: float
    aim: float


@dataclass(frozen=True)
class Row:
    """One race.

    ours : our contestant, which the ratios are for
    peers : the other contestants
    sizes : bytes of the text in a quick and in a full run; 0 leaves the row out
    characters : length of one document, or 0 for the whole text
    size_of_document : the same in bytes
    most : the largest number of documents in a quick and in a full run
    unit : the unit in which the speed is shown
    place : the environment, "peers" or "next" (tokenizers 1.0)
    threads : the number of threads
    """

    section: str
    work: str
    text: str
    ours: str
    peers: tuple[str, ...]
    bars: tuple[Bar, ...] = ()
    truth: str = "tiktoken"
    vocabulary: str = "cl100k_base"
    vocab_size: int = 0
    sizes: tuple[int, int] = (3 * MB, 10 * MB)
    characters: int = 0
    size_of_document: int = 0
    most: tuple[int, int] = (1_000, 10_000)
    unit: str = "MB/s"
    place: str = "peers"
    threads: int = 1
    rounds: int = 5

    def size(self, mode: str) -> int:
        """Return how many bytes of the text a run uses; 0 if it leaves the row out."""
        return self.sizes[mode == FULL]

    def title(self) -> str:
        """Return the title of the row in the tables, without its section."""
        said = [TITLES[self.text]]
        if self.vocab_size:
            said.append(f"{self.vocab_size:,} tokens")
        elif self.vocabulary not in PIECE_MODELS:
            said.append(self.vocabulary.removesuffix("_base"))
        if self.characters:
            said.append(f"{self.characters:,} characters each")
        if self.threads > 1:
            said.append(f"{self.threads} threads")
        return ", ".join(said)


TITLES = {
    "english": "English and code",
    "multilingual": "multilingual",
    "names": "names in 100+ languages, hardly a word twice",
    "course": "text of the course, 20 scripts",
    "big": "everything readable here",
}

# The models of the SentencePiece rows; the section names the model.
PIECE_MODELS = ("mistral", "unigram")

TO_ARRAY = "Encode a text to an array"
FRESH = "Encode a str that was never converted to UTF-8"
PATTERNS = "Encode with the patterns of other models"
EMPTIED = "Encode with word caches emptied"
TO_LIST = "Encode a text to a list"
SHORT = "Encode one short string to a list"
DOCUMENTS = "Encode documents of 1.5 kB, lists"
FLAT = "Encode documents of 1.5 kB to flat ids"
DECODING = "Decode a million ids"
TRAINING = "Train, one thread"
TRAINING_CORES = "Train, all cores"
PIECES = "SentencePiece: documents of 1.5 kB to flat ids"
PIECES_LISTS = "SentencePiece: documents of 1.5 kB to lists"
PIECES_WHOLE = "SentencePiece: a text to an array"
PIECES_UNIGRAM = "SentencePiece: Unigram, documents of 1.5 kB to flat ids"
PIECES_TRAINING = "SentencePiece: train BPE, one thread"


def _encode_rows() -> list[Row]:
    peers = ("tiktoken", "tiktoken, array", "quicktok", "rs_bpe")
    slow = ("ffbpe", "tokenizers 0.23")
    minimum = {
        ("cl100k_base", "english"): (16, 27),
        ("cl100k_base", "multilingual"): (14, 21),
        ("o200k_base", "english"): (12, 20),
        ("o200k_base", "multilingual"): (10, 16),
    }
    rows = []
    for (vocabulary, text), (least, aim) in minimum.items():
        sizes = (2 * MB, 10 * MB) if text == "english" else (3 * MB // 2, 8 * MB)
        common: Options = {"text": text, "vocabulary": vocabulary, "sizes": sizes}
        above = (1.8, 2.6) if text == "english" else (2.3, 4.0)
        next_object = Bar(("tokenizers 1.0",), *above)
        of_lists: tuple[Bar, ...] = (Bar(("quicktok",), 2.5, 4.5),)
        if vocabulary == "cl100k_base":  # with o200k tiktoken is a third faster, so there is no bar for it
            of_lists = (Bar(("tiktoken",), 10, 18), *of_lists)
        rows += [
            Row(TO_ARRAY, "encode", ours="ours, array", peers=peers, bars=(Bar(("tiktoken",), least, aim),), **common),
            Row(TO_ARRAY, "encode", ours="ours, array", peers=("tokenizers 1.0", "tokenizers 1.0, .ids_array"),
                bars=(next_object,), place="next", **common),
            Row(FRESH, "encode", ours="ours, array, fresh str", peers=("tiktoken, fresh str",), **common),
            Row(FRESH, "encode", ours="ours, array, fresh str", peers=("tokenizers 1.0, fresh str",), place="next",
                **common),
            Row(EMPTIED, "encode", ours="ours, array, caches emptied", peers=("tokenizers 1.0, a fresh object",),
                bars=(Bar(("tokenizers 1.0, a fresh object",), 1.4, 2.2),), place="next", **common),
            Row(TO_LIST, "encode", ours="ours, list", peers=("tiktoken", "quicktok", "rs_bpe"), bars=of_lists,
                **common),
            Row(TO_LIST, "encode", ours="ours, list", peers=("tokenizers 1.0, .ids",),
                bars=(Bar(("tokenizers 1.0, .ids",), 1.8, 3.2),), place="next", **common),
        ]  # fmt: skip
    small: Options = {"ours": "ours, array", "peers": peers, "sizes": (MB // 10, MB // 10)}
    rows += [
        Row(TO_ARRAY, "encode", "english", "ours, array", slow, sizes=(0, 2 * MB)),
        Row(TO_ARRAY, "encode", "names", "ours, array", peers, sizes=(MB, 3 * MB)),
        Row(TO_ARRAY, "encode", "course", **small),
        Row(TO_ARRAY, "encode", "english", "ours, array", peers, vocabulary="gpt2", sizes=(0, 10 * MB)),
    ]
    for pattern, text in product(PUBLISHED, ("english", "multilingual")):
        least = {"english": 18, "multilingual": 15}
        rows.append(
            Row(PATTERNS, "encode", text, "ours, array", ("tiktoken",), (Bar(("tiktoken",), least[text], least[text]),),
                vocabulary=pattern, sizes=(0, 4 * MB), rounds=7)
        )  # fmt: skip
    return rows


def _short_rows() -> list[Row]:
    bars = {10: (2.2, 3.2), 100: (7, 12), 1000: (12, 23)}
    rows = []
    for characters, (least, aim) in bars.items():
        common: Options = {"characters": characters, "sizes": (3 * MB, 3 * MB), "most": (1_000, 1_000), "unit": "us"}
        rows += [
            Row(SHORT, "encode documents", "english", "ours, one by one",
                ("tiktoken, one by one", "quicktok, one by one", "rs_bpe, one by one"),
                (Bar(("tiktoken, one by one",), least, aim),), "tiktoken, one by one", **common),
            Row(SHORT, "encode documents", "english", "ours, one by one", ("tokenizers 1.0, .ids one by one",),
                truth="tiktoken, one by one", place="next", **common),
        ]  # fmt: skip
    return rows


def _document_rows() -> list[Row]:
    either = ("tiktoken, one by one", "tiktoken, batch")
    next_either = ("tokenizers 1.0, .ids one by one", "tokenizers 1.0, .ids of a batch")
    rows = []
    for text in ("english", "multilingual"):
        common: Options = {
            "text": text,
            "size_of_document": 1500,
            "sizes": (3 * MB // 2, 16 * MB),
            "truth": "tiktoken, one by one",
        }
        rows += [
            Row(DOCUMENTS, "encode documents", ours="ours, lists in one call",
                peers=(*either, "quicktok, one by one", "ours, one by one"), bars=(Bar(either, 8, 11),), **common),
            Row(DOCUMENTS, "encode documents", ours="ours, lists in one call", peers=next_either,
                bars=(Bar(next_either, 1.8, 2.6),), place="next", **common),
            Row(FLAT, "encode documents", ours="ours, flat ids and offsets", threads=2,
                peers=(*either, "quicktok, flat ids and offsets", "ours, lists in one call"),
                bars=(Bar(either, 25, 40),), **common),
            Row(FLAT, "encode documents", ours="ours, flat ids and offsets", threads=2, place="next",
                peers=("tokenizers 1.0, .ids of a batch",), **common),
        ]  # fmt: skip
    return rows


def _decode_rows() -> list[Row]:
    common: Options = {"work": "decode", "text": "english", "ours": "ours, from a list", "sizes": (6 * MB, 6 * MB)}
    return [
        Row(DECODING, peers=("tiktoken", "quicktok", "rs_bpe", "ours, from an array"),
            bars=(Bar(("tiktoken",), 2, 4),), unit="M ids/s", **common),
        Row(DECODING, peers=("tokenizers 1.0", "tokenizers 1.0, from an array"),
            bars=(Bar(("tokenizers 1.0",), 1.3, 2.5),), unit="M ids/s", place="next", **common),
    ]  # fmt: skip


def _training_rows() -> list[Row]:
    ours: Options = {"work": "train", "truth": "rustbpe", "unit": "s"}
    small: Options = {"text": "english", "vocab_size": 4096, "sizes": (3 * MB, 10 * MB), **ours}
    large: Options = {"text": "big", "vocab_size": 32768, "sizes": (0, 120 * MB), **ours}
    hugging = Bar(("tokenizers 0.23",), 20, 30)
    cores: Options = {"threads": CORES, "size_of_document": 64_000, "most": (MB, MB)}
    small_bars = (Bar(("rustbpe",), 9, 13), Bar(("ffbpe",), 4.5, 6.5))
    of_hugging: Options = {"ours": "ours, ties as in tokenizers", "peers": ("tokenizers 0.23",), "bars": (hugging,)}
    return [
        Row(TRAINING, peers=("rustbpe", "ffbpe"), ours="ours", bars=small_bars, **small),
        Row(TRAINING, **of_hugging, **{**small, "truth": "tokenizers 0.23"}),
        Row(TRAINING, peers=("rustbpe", "ffbpe"), ours="ours", bars=(Bar(("rustbpe",), 9, 14),), **large),
        Row(TRAINING, **of_hugging, **{**large, "truth": "tokenizers 0.23"}),
        Row(TRAINING, "train", "english", "ours, ties as in minbpe", ("minbpe's algorithm",),
            (Bar(("minbpe's algorithm",), 5000, 5000),), "minbpe's algorithm", vocab_size=512,
            sizes=(0, MB // 5), unit="s"),
        Row(TRAINING_CORES, peers=("rustbpe", "ffbpe"), ours="ours", bars=(Bar(("rustbpe",), 6, 9),), **cores, **small),
        Row(TRAINING_CORES, peers=("rustbpe", "ffbpe"), ours="ours", bars=(Bar(("rustbpe",), 6, 9),), **cores, **large),
    ]  # fmt: skip


def _piece_rows() -> list[Row]:
    alone, batch = "sentencepiece, one by one", "sentencepiece, batch"
    next_either = ("tokenizers 1.0, .ids one by one", "tokenizers 1.0, .ids of a batch")
    flat, lists = "ours, flat ids and offsets", "ours, lists in one call"
    rows = []
    for text in ("english", "multilingual"):
        common: Options = {
            "text": text, "vocabulary": "mistral", "size_of_document": 1500, "truth": alone, "sizes": (MB // 2, 4 * MB),
        }  # fmt: skip
        whole: Options = {
            "text": text, "vocabulary": "mistral", "truth": "sentencepiece", "sizes": (2 * MB, 10 * MB),
        }  # fmt: skip
        unigram: Options = {**common, "vocabulary": "unigram", "sizes": (MB // 2, 2 * MB)}
        rows += [
            Row(PIECES, "pieces", ours=flat, peers=(alone, "ours, arrays one by one"), bars=(Bar((alone,), 16, 30),),
                **common),
            Row(PIECES, "pieces", ours=flat, peers=(batch,), bars=(Bar((batch,), 11, 11),), threads=2, **common),
            # tokenizers 1.0 caches some thousands of whole documents. With fewer documents than that, it would not
            # encode anything after the first round.
            Row(PIECES, "pieces", ours=flat, peers=next_either, bars=(Bar(next_either, 4, 4),), place="next",
                **{**common, "sizes": (5 * MB, 10 * MB), "most": (10_000, 10_000)}),
            Row(PIECES_LISTS, "pieces", ours=lists, peers=(alone, "ours, one by one"), bars=(Bar((alone,), 8, 18),),
                **common),
            Row(PIECES_WHOLE, "pieces, whole", ours="ours, array", peers=("sentencepiece", "ours, list"),
                bars=(Bar(("sentencepiece",), 30, 30),), **whole),
            Row(PIECES_UNIGRAM, "pieces", ours=flat, peers=(alone, "ours, one by one"), bars=(Bar((alone,), 3, 3),),
                **unigram),
        ]  # fmt: skip
    training: Options = {"work": "pieces, train", "truth": "sentencepiece", "unit": "s"}
    for vocab_size, size in ((4096, (3 * MB // 2, 3 * MB)), (32_000, (0, 10 * MB))):
        rows.append(
            Row(PIECES_TRAINING, text="english", ours="ours", peers=("sentencepiece",), vocab_size=vocab_size,
                sizes=size, bars=(Bar(("sentencepiece",), 1, 3),), **training)
        )  # fmt: skip
    return rows


ROWS: tuple[Row, ...] = (
    *_encode_rows(),
    *_short_rows(),
    *_document_rows(),
    *_decode_rows(),
    *_training_rows(),
    *_piece_rows(),
)
