"""Define the rows of the benchmarks: each names a task, a text, the contestants, and our targets.

A bar is a target: how many times as long the others must take, as a minimum and as an aim. If a bar names several
others, the fastest of each round counts. Growth, memory and start-up are not races; they have separate modules.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import product
from typing import Any

from benchmarks.published_patterns import PUBLISHED, SEQUENCES

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
    place : the environment, "peers" or "next" (tokenizers 1.0 and the encoders of the same year)
    threads : the number of threads
    said : text of the title that replaces the name of the text
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
    said: str = ""

    def size(self, mode: str) -> int:
        """Return how many bytes of the text a run uses; 0 if it leaves the row out."""
        return self.sizes[mode == FULL]

    def title(self) -> str:
        """Return the title of the row in the tables, without its section."""
        said = [self.said or TITLES[self.text]]
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
TEXT_FILES = "Encode a text file to a file of ids"
LOADING = "Open a model file"
TRAINING = "Train, one thread"
TRAINING_CORES = "Train, all cores"
PIECES = "SentencePiece: documents of 1.5 kB to flat ids"
WORD_PIECES = "WordPiece: lists of ids"
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
        above = (2.0, 2.6) if text == "english" else (2.3, 4.0)
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
    return rows


def _pattern_rows() -> list[Row]:
    least = {"english": 18, "multilingual": 15}
    least_in_steps = {"english": 10, "multilingual": 9}
    common: Options = {"sizes": (0, 4 * MB), "rounds": 7}
    rows = []
    for pattern, text in product(PUBLISHED, least):
        of_tiktoken = Bar(("tiktoken",), least[text], least[text])
        if pattern == "a made-up pattern":
            of_tiktoken = Bar(("tiktoken",), 6, 6)
            if text != "english":
                continue
        rows.append(
            Row(PATTERNS, "encode", text, "ours, array", ("tiktoken",), (of_tiktoken,), vocabulary=pattern, **common)
        )
    # tiktoken has one pattern only, so the tokenizers library is what these are compared with.
    for steps, text in product(SEQUENCES, least_in_steps):
        for who, place in (("tokenizers 0.23", "peers"), ("tokenizers 1.0", "next")):
            of_them = Bar((who,), least_in_steps[text], least_in_steps[text])
            rows.append(
                Row(PATTERNS, "encode", text, "ours, array, of a tokenizer.json", (who,),
                    (of_them,) if place == "peers" else (), who, steps, place=place, **common)
            )  # fmt: skip
    return rows


def _newer_rows() -> list[Row]:
    """Return the rows of the newest encoders, and of gigabpe."""
    rows = []
    for text in ("english", "multilingual"):
        english = text == "english"
        sizes = (2 * MB, 10 * MB) if english else (3 * MB // 2, 8 * MB)
        common: Options = {"text": text, "place": "next", "rounds": 7}
        warm, cold = (1.3, 1.0) if english else (1.8, 1.2)
        for vocabulary in ("cl100k_base", "o200k_base", "gpt2"):
            barred = vocabulary == "cl100k_base"  # the others are left out of a quick run, too
            known: Options = {
                **common, "work": "encode", "vocabulary": vocabulary, "sizes": sizes if barred else (0, sizes[1]),
            }  # fmt: skip
            for section, after, least in ((TO_ARRAY, "", warm), (EMPTIED, ", a fresh object", cold)):
                ours, theirs = f"ours, array{after}", f"gigatoken{after}"
                bars = (Bar((theirs,), least, least),) if barred else ()
                rows.append(Row(section, ours=ours, peers=(theirs,), bars=bars, **known))
        documents: Options = {
            **common, "work": "encode documents", "truth": "tiktoken, one by one", "size_of_document": 1500,
            "sizes": (3 * MB // 2, 16 * MB),
        }  # fmt: skip
        flat = "gigatoken, flat ids and offsets"
        others = tuple(f"{library}, flat ids and offsets" for library in ("fastokens", "snaptokens", "splintr-rs"))
        lists = "gigatoken, lists in one call"
        of_lists = (Bar((lists,), 2, 3.3),)
        rows += [
            Row(TO_ARRAY, "encode", ours="ours, array", peers=("fastokens",), sizes=sizes,
                bars=(Bar(("fastokens",), 1.5, 1.5),) if english else (), **common),
            Row(TO_ARRAY, "encode", ours="ours, array", peers=("snaptokens",), sizes=sizes,
                bars=(Bar(("snaptokens",), 3, 3),) if english else (), **common),
            Row(TO_ARRAY, "encode", ours="ours, array", peers=("basetenkenizer", "splintr-rs", "kitoken", "tuetoken"),
                sizes=(0, sizes[1]), **common),
            Row(DOCUMENTS, ours="ours, lists in one call", peers=(lists,), bars=of_lists, **documents),
            Row(FLAT, ours="ours, flat ids and offsets", peers=(flat,), bars=(Bar((flat,), 2, 2),), threads=2,
                **documents),
            Row(FLAT, ours="ours, flat ids and offsets", peers=others, threads=2,
                **{**documents, "sizes": (0, 16 * MB)}),
        ]  # fmt: skip
    each = (
        "gigatoken, as tiktoken one by one", "gigatoken, .tolist() one by one", "fastokens, .ids one by one",
        "snaptokens, .ids one by one", "basetenkenizer, .ids one by one", "splintr-rs, one by one",
        "tuetoken, one by one",
    )  # fmt: skip
    for characters in (10, 100, 1000):
        rows.append(
            Row(SHORT, "encode documents", "english", "ours, one by one", each, (), "tiktoken, one by one",
                characters=characters, sizes=(3 * MB, 3 * MB), most=(1_000, 1_000), unit="us", place="next", rounds=7)
        )  # fmt: skip
    decoded: Options = {"unit": "M ids/s", "place": "next", "sizes": (6 * MB, 6 * MB), "rounds": 7}
    rows += [
        Row(DECODING, "decode", "english", "ours, from a list", ("gigatoken", "fastokens", "splintr-rs"), **decoded),
        Row(DECODING, "decode", "english", "ours, from an array", ("gigatoken, from an array",), **decoded),
        # We learn what tokenizers 0.23 learns; gigatoken puts a token elsewhere in some texts, here with 10 MB.
        Row(TRAINING, "train", "english", "ours, GPT-2's pattern", ("gigatoken", "gigabpe"),
            truth="ours, GPT-2's pattern", vocab_size=4096, sizes=(3 * MB, 3 * MB), unit="s", place="next", rounds=7),
        # Too long for tiktoken, whose ids gigatoken's and ours equal in the rows above.
        Row(TEXT_FILES, "text files", "big", "ours, to a file", ("gigatoken, to a file", "gigatoken, only to memory"),
            (Bar(("gigatoken, to a file",), 1.5, 1.5),), "gigatoken, to a file", sizes=(0, 120 * MB),
            size_of_document=64_000, most=(MB, MB), unit="s", place="next", threads=2, rounds=7,
            said="everything readable here, eight times"),
    ]  # fmt: skip
    return rows


def _loading_rows() -> list[Row]:
    common: Options = {"work": "load", "text": "course", "unit": "s", "rounds": 7}
    bars = {"sentencepiece": 0.5, "tokenizers 0.23": 0.6}  # of their speed
    rows = []
    for who, place, vocabulary, said in (
        ("sentencepiece", "peers", "mistral", "Mistral's first SentencePiece model"),
        ("sentencepiece", "peers", "unigram", "a SentencePiece Unigram model"),
        ("tokenizers 0.23", "peers", "o200k_base", "tokenizer.json"),
        ("tokenizers 1.0", "next", "o200k_base", "tokenizer.json"),
    ):
        ours = "ours, SentencePiece" if who == "sentencepiece" else "ours"
        bar = (Bar((who,), bars[who], 1),) if who in bars else ()
        sizes = (MB // 10 if who == "sentencepiece" else 0, MB // 10)
        known: Options = {**common, "place": place, "vocabulary": vocabulary, "said": said, "sizes": sizes}
        rows += [
            Row(LOADING, ours=ours, peers=(who,), bars=bar, truth=who, **known),
            Row(LOADING, ours=f"{ours}, first ids", peers=(f"{who}, first ids",), truth=f"{who}, first ids", **known),
        ]
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
            Row(PIECES_UNIGRAM, "pieces", ours=flat, peers=(alone, "ours, one by one"), bars=(Bar((alone,), 2, 2),),
                **unigram),
        ]  # fmt: skip
    alone, batch = "tokenizers, .ids one by one", "tokenizers, .ids of a batch"
    for text in ("english", "multilingual"):
        for size in (40, 1500):
            of_words: Options = {"text": text, "size_of_document": size, "truth": alone, "sizes": (MB // 2, 2 * MB)}
            rows.append(
                Row(WORD_PIECES, "word pieces", ours="ours, one by one", peers=(alone,), bars=(Bar((alone,), 5, 5),),
                    **of_words)
            )  # fmt: skip
        rows.append(
            Row(WORD_PIECES, "word pieces", ours="ours, lists in one call", peers=(batch,), bars=(Bar((batch,), 5, 5),),
                threads=2, **of_words)
        )  # fmt: skip
    training: Options = {"work": "pieces, train", "truth": "sentencepiece", "unit": "s"}
    for vocab_size, size in ((4096, (3 * MB // 2, 3 * MB)), (32_000, (0, 10 * MB))):
        rows.append(
            Row(PIECES_TRAINING, text="english", ours="ours", peers=("sentencepiece",), vocab_size=vocab_size,
                sizes=size, bars=(Bar(("sentencepiece",), 1, 3),), **training)
        )  # fmt: skip
    return rows


ROWS: tuple[Row, ...] = (
    *_encode_rows(),
    *_pattern_rows(),
    *_short_rows(),
    *_document_rows(),
    *_decode_rows(),
    *_training_rows(),
    *_newer_rows(),
    *_piece_rows(),
    *_loading_rows(),
)
