"""The files that each writer writes for small models: their digests, and their beginnings where a reader can read them.

Each file is read back: by this package, which must find the same ids, and by the library whose format it is.

    .tiktoken          tiktoken, with the pattern and special tokens of the model
    tokenizer.json     tokenizers
    tekken.json        mistral-common
    .model of pieces   sentencepiece
    the others         minbpe and GPT-2's two files have no library here: only the round trip
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import sentencepiece
import tiktoken
from mistral_common.tokens.tokenizers.tekken import Tekkenizer
from tiktoken.load import load_tiktoken_bpe
from tokenizers import Tokenizer

from minbpe_course import (
    RegexTokenizer,
    SentencePieceTokenizer,
    convert,
    count_words,
    encode_corpus,
    train,
    write_counts,
)
from minbpe_course.compat.cs336 import get_tokenizer, run_train_bpe
from minbpe_course.corpus.texts import course_sections
from minbpe_course.engines.same_ids import as_vocabulary
from minbpe_course.errors import SlowPattern, UnsupportedModel
from minbpe_course.formats.any_format import FORMATS
from minbpe_course.formats.huggingface.piece_writing import probes
from minbpe_course.model import BytePairModel, PieceModel
from minbpe_course.model.piece_rules import is_text
from minbpe_course.tokenizers.loading import difference
from tests.formats.awkward_models import awkward_model, engine_of, labels, texts_for

NAMES = {
    "minbpe": "mine.model",
    "gpt2": "folder",
    "tiktoken": "mine.tiktoken",
    "huggingface": "tokenizer.json",
    "sentencepiece": "pieces.model",
    "tekken": "tekken.json",
}
TEXTS, SHOWN_LINES, SHOWN_COLUMNS = 12, 4, 90


def sections() -> list[str]:
    """Return the formats, and what else is written."""
    return [*NAMES, "other files"]


def lines(section: str) -> list[str]:
    """Return the digests of the files in one format, or of the other files."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        place = Path(folder).resolve()
        return list(_others(place) if section == "other files" else _of_format(section, place))


def _of_format(name: str, folder: Path) -> Iterator[str]:
    made = FORMATS[name]
    warnings.simplefilter("ignore", SlowPattern)
    refused = []
    for number, label in enumerate(labels()):
        record, place = awkward_model(label), folder / str(number)
        place.mkdir()
        try:
            path = made.write(record, place / NAMES[name])
        except UnsupportedModel:
            refused.append(label)
            continue
        assert difference(record, made.read(path)) is None, (name, label)
        if name in READERS and (name == "tiktoken" or made.why_not(record) is None):
            READERS[name](record, path)
        yield from _described(label, place, shown=label == "plain")
    yield "refused:"
    yield from (f"    {label}" for label in refused)


def _described(label: str, folder: Path, shown: bool = False) -> Iterator[str]:
    """Yield the name, size and digest of every file below a folder, and the first lines of those that are text."""
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            continue
        # The manifest of shards names the file that was encoded.
        data = path.read_bytes().replace(str(folder.parent).encode(), b"FOLDER")
        yield f"{label}: {path.relative_to(folder).as_posix()}, {len(data)} bytes, {_digest(data)}"
        if shown and not data.startswith((b"\x1f\x8b", b"\x93NUMPY")) and b"\0" not in data:
            for line in data.decode("utf-8").split("\n")[:SHOWN_LINES]:
                yield f"    | {line[:SHOWN_COLUMNS]}".rstrip()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


# ---- The libraries


def _same_ids(record: Any, theirs: Callable[[str], list[int]]) -> None:
    engine = engine_of(record)
    # tokenizers finds special tokens in every text, so a text that contains one is left out.
    texts = [text for text in texts_for(record, TEXTS) if not any(name in text for name in record.special_tokens)]
    for text in texts:
        assert engine.encode(text).tolist() == theirs(text), text


def _tiktoken(record: Any, path: Path) -> None:
    ranks = load_tiktoken_bpe(str(path))
    assert ranks == dict(as_vocabulary(record).ranks)
    told = "".join([record.pattern or "", *record.special_tokens])
    # tiktoken needs a pattern, and accepts no lone surrogates.
    if record.pattern is not None and is_text(told):
        specials = dict(record.special_tokens)
        theirs = tiktoken.Encoding("mine", pat_str=record.pattern, mergeable_ranks=ranks, special_tokens=specials)
        _same_ids(record, theirs.encode_ordinary)


def _tokenizers(record: Any, path: Path) -> None:
    theirs = Tokenizer.from_file(str(path))
    if isinstance(record, PieceModel):
        ours = SentencePieceTokenizer(model=record)
        for text in probes(record):
            assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids, text
        return
    _same_ids(record, lambda text: list(theirs.encode(text, add_special_tokens=False).ids))


def _mistral(record: Any, path: Path) -> None:
    theirs = Tekkenizer.from_file(path)
    assert {text: theirs.get_special_token(text) for text in record.special_tokens} == dict(record.special_tokens)
    _same_ids(record, lambda text: theirs.encode(text, bos=False, eos=False))


def _sentencepiece(record: PieceModel, path: Path) -> None:
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    assert theirs.get_piece_size() == len(record.pieces)
    assert theirs.serialized_model_proto() == path.read_bytes()
    ours = SentencePieceTokenizer(model=record)
    for text in ("", "a aab  b", "<s>x y<|x y|> é👋\n", 'ab"\\\ufeff'):
        assert ours.encode(text) == theirs.encode(text), text


READERS: dict[str, Callable[[Any, Path], None]] = {
    "tiktoken": _tiktoken,
    "huggingface": _tokenizers,
    "tekken": _mistral,
    "sentencepiece": _sentencepiece,
}


# ---- Folders, counts and shards


def _others(folder: Path) -> Iterator[str]:
    text = course_sections()["The Foundry on Ferry Street"]
    (folder / "text.txt").write_bytes(text.encode())
    os.utime(folder / "text.txt", (0, 0))
    model: BytePairModel = train(text, 300, special_tokens=["<|endoftext|>"])
    makers: dict[str, Callable[[Path], object]] = {
        "a folder for transformers": lambda place: convert(model, place / "folder", "huggingface"),
        "minbpe's .vocab": lambda place: _minbpe(model, place),
        "the files of CS336": lambda place: _cs336(folder / "text.txt", place),
        "word counts": lambda place: write_counts(count_words(text, pattern="gpt2"), place / "words.counts"),
        "rare words dropped": lambda place: write_counts(
            count_words(text, pattern="o200k_base", min_frequency=3), place / "words.counts", pattern="o200k_base"
        ),
        "shards": lambda place: _shards(folder / "text.txt", model, place),
    }
    for name, make in makers.items():
        place = folder / name
        place.mkdir()
        make(place)
        yield from _described(name, place, shown=True)


def _minbpe(model: BytePairModel, place: Path) -> None:
    RegexTokenizer.from_model(model).save(place / "mine")


def _cs336(text: Path, place: Path) -> None:
    vocab, merges = run_train_bpe(text, 300, ["<|endoftext|>"])
    convert(get_tokenizer(vocab, merges, ["<|endoftext|>"]), f"{place}/", "gpt2")


def _shards(text: Path, model: BytePairModel, place: Path) -> None:
    shards = encode_corpus(text, model, place / "tokens", part_size=1000, append="<|endoftext|>")
    ranks, specials = dict(as_vocabulary(model).ranks), dict(model.special_tokens)
    theirs = tiktoken.Encoding("mine", pat_str=str(model.pattern), mergeable_ranks=ranks, special_tokens=specials)
    wanted = [*theirs.encode_ordinary(text.read_text(encoding="utf-8")), specials["<|endoftext|>"]]
    assert [number for shard in shards for number in shard.ids.tolist()] == wanted
