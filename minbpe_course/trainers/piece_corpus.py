"""From files or sentences to the counted words that pieces are made of: read, keep, normalise, cut, count.

    Corpus    words end to end, where each ends, how often each occurs, and how often each character does

Reference implementation: ``reference.piece_training.count_words`` after ``text.normalize.normalize``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.corpus.opening import unchanged
from minbpe_course.counting.word_table import WordTable
from minbpe_course.engines.sentencepiece.normalizer import Rules
from minbpe_course.engines.sentencepiece.piece_layout import first_bytes, inside, trie_of
from minbpe_course.errors import InvalidSource, InvalidTrainingOption
from minbpe_course.files import open_to_read
from minbpe_course.kernels.common.memory import Block
from minbpe_course.model import NormalizerRules
from minbpe_course.model.piece_training_rules import RARE, SPACE
from minbpe_course.splitting.splitter import Splitter, Words, utf8
from minbpe_course.trainers.training_arrays import longer

_RARE = RARE.encode()
_CODE_POINTS = 0x110000

# ▁ inside the engine, see ``engines.sentencepiece.piece_layout``.
_SPACE = 0x20


class Corpus(NamedTuple):
    """text : uint8, words end to end in which a space stands for ▁ · ends, counts : int64[words] · totals :
    int64[0x110000], how often each character occurs · characters : how many the words have."""

    text: np.ndarray
    ends: np.ndarray
    counts: np.ndarray
    totals: np.ndarray
    characters: int


class _Sentences(NamedTuple):
    """text : uint8, the kept sentences end to end · ends : int64 · counts : int64, or None where each counts once."""

    text: np.ndarray
    ends: np.ndarray
    counts: np.ndarray | None
    too_long: int


def read_corpus(plan: Any, reserved: Iterable[str], sentences: Iterable[str | bytes] | None) -> Corpus:
    """Read what the options name, or the ``sentences``. Raises InvalidTrainingOption, InvalidSource, UnusablePath."""
    from minbpe_course.kernels.training import piece_corpus as kernel

    trainer, spec = plan.trainer, plan.normalizer
    kept = _read(trainer, sentences)
    if kept.ends.size == 0:
        raise InvalidTrainingOption(_nothing(trainer, kept.too_long))
    tables = _Tables(spec, trainer.treat_whitespace_as_suffix, reserved, _is_utf8(kept.text))
    text, ends = tables.normalized(kept.text, kept.ends)
    how = kernel.BY_SPACE * trainer.split_by_whitespace + kernel.SUFFIX * trainer.treat_whitespace_as_suffix
    how += kernel.RUNS * trainer.allow_whitespace_only_pieces
    word_ends = np.empty(np.count_nonzero(text[: ends[-1]] == _SPACE) + ends.size, dtype=np.int64)
    until = np.empty(ends.size, dtype=np.int64)
    number = kernel.cut_words(tables.address, text.ctypes.data, ends, how, word_ends, until)
    words = word_ends[:number]
    if kept.counts is None:
        table = WordTable(Splitter(None))
        table.add(Words(text, text, 0, words, number))
        text, words, counts, _ = table.arrays()
    else:
        counts = np.repeat(kept.counts, np.diff(until, prepend=0))
    totals = np.zeros(_CODE_POINTS, dtype=np.int64)
    characters = kernel.count_characters(text, words, counts, totals)
    totals[0] = 0
    totals[ord(SPACE)], totals[_SPACE] = totals[_SPACE], 0
    if not totals.any():
        raise InvalidTrainingOption(
            "no character is left of the text after normalisation: it holds nothing but spaces."
        )
    return Corpus(text, words, counts, totals, characters)


class _Tables:
    """The block of the normalizer, with a trie of the reserved pieces.

    Training searches reserved pieces in normalized text only: "a\u0301" is "á" even if "a" is reserved.
    """

    def __init__(self, spec: Any, suffix: bool, reserved: Iterable[str], valid: bool) -> None:
        from minbpe_course.kernels.common import layout
        from minbpe_course.kernels.sentencepiece import normalize

        given = NormalizerRules(spec.precompiled_charsmap, spec.add_dummy_prefix, spec.remove_extra_whitespaces)
        rules = Rules(given, {}, suffix)
        if not valid:
            # The steps detect invalid UTF-8; a window would copy it.
            rules.loud[0, 0] = -1
        pieces = [data for piece in reserved if (data := inside(piece, True))]

        self._slack = normalize.SLACK
        self._block = block = Block(layout.BLOCK)
        rules.place(block)
        block.user_starts = first_bytes(pieces)
        block.users = trie_of({piece: number for number, piece in enumerate(pieces)})
        self.address = block.address

    def normalized(self, text: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Normalise sentences; return them and where they end, uint8 and int64, with bytes behind that may be read."""
        from minbpe_course.kernels.training.piece_corpus import normalize_sentences

        out_ends = np.empty_like(ends)
        out = np.empty(text.size + text.size // 8 + 2 * ends.size + 4 * self._slack, dtype=np.uint8)
        done = used = 0
        while True:
            done, used = normalize_sentences(self.address, text.ctypes.data, ends, done, used, out, out_ends)
            if done == ends.size:
                return out, out_ends
            out = longer(out, 2 * out.size + self._block.text_wanted, used)


def _is_utf8(text: np.ndarray) -> bool:
    try:
        str(text.data, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _nothing(trainer: Any, too_long: int) -> str:
    longest = trainer.max_sentence_length
    if too_long:
        return (
            f"all {too_long:,} sentences are longer than max_sentence_length={longest:,} bytes, and longer ones are "
            "left out. Put one sentence on a line, or give a larger max_sentence_length."
        )
    return "there is no sentence to train on: what was given is empty, or all of it holds U+2585, which is reserved."


def _read(trainer: Any, sentences: Iterable[str | bytes] | None) -> _Sentences:
    longest = trainer.max_sentence_length
    if trainer.input_format == "tsv":
        lines = _lines(trainer.input) if sentences is None else _given(sentences)
        return _gather(*_weighted(lines), longest)
    if sentences is not None:
        kept, too_long = [], 0
        for sentence in _given(sentences):
            # One that is too long does not stay in memory until it is left out.
            if len(sentence) > longest:
                too_long += 1
            else:
                kept.append(sentence)
        return _gather(kept, None, longest)._replace(too_long=too_long)
    parts = [_kept_lines(_read_file(path), longest) for path in trainer.input]
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(part.text.size for part in parts)])
    return _Sentences(
        np.concatenate([part.text for part in parts]),
        np.concatenate([part.ends + start for part, start in zip(parts, starts)]),
        None,
        sum(part.too_long for part in parts),
    )


def _read_file(path: str) -> bytes:
    with open_to_read(path, pipes=True) as file, unchanged(path, file):
        return file.read()


def _kept_lines(data: bytes, longest: int) -> _Sentences:
    from minbpe_course.kernels.training.piece_corpus import keep_lines

    text = np.frombuffer(data, dtype=np.uint8)
    out = np.empty_like(text)
    ends = np.empty(np.count_nonzero(text == 10) + 1, dtype=np.int64)
    kept, too_long = keep_lines(text, longest, out, ends)
    ends = ends[:kept].copy()
    return _Sentences(out[: ends[-1] if kept else 0], ends, None, too_long)


def _gather(sentences: list[bytes], counts: list[int] | None, longest: int) -> _Sentences:
    keep = [0 < len(sentence) <= longest and _RARE not in sentence for sentence in sentences]
    kept = [sentence for sentence, good in zip(sentences, keep) if good]
    return _Sentences(
        np.frombuffer(b"".join(kept), dtype=np.uint8),
        np.cumsum(np.fromiter(map(len, kept), dtype=np.int64, count=len(kept))),
        None if counts is None else np.array([c for c, good in zip(counts, keep) if good], dtype=np.int64),
        sum(len(sentence) > longest for sentence in sentences),
    )


def _lines(paths: Iterable[str]) -> Iterator[bytes]:
    for path in paths:
        lines = _read_file(path).split(b"\n")
        yield from lines[:-1] if not lines[-1] else lines


def _given(sentences: Iterable[str | bytes]) -> Iterator[bytes]:
    if isinstance(sentences, (str, bytes, os.PathLike)):
        raise InvalidSource(
            "sentence_iterator must yield sentences, and this is one text: give text.splitlines(), or input=path."
        )
    try:
        each = iter(sentences)
    except TypeError:
        raise InvalidSource(f"sentence_iterator must yield sentences, got {type(sentences).__name__}.") from None
    for number, sentence in enumerate(each):
        if not isinstance(sentence, (str, bytes)):
            raise InvalidSource(f"sentence {number} is neither str nor bytes: {type(sentence).__name__}.")
        try:
            data = sentence if isinstance(sentence, bytes) else str.encode(sentence)
        except UnicodeEncodeError:
            data = utf8(str(sentence))  # says where the lone surrogate is
        yield data.rstrip(b"\r\n")


def _weighted(lines: Iterable[bytes]) -> tuple[list[bytes], list[int]]:
    sentences, counts = [], []
    for number, line in enumerate(lines, start=1):
        parts = line.split(b"\t")
        if len(parts) != 2:
            raise InvalidSource(f"line {number} must be a sentence, a tab and a count: {line[:60]!r}.")
        text = parts[1].strip()
        if not text.lstrip(b"+-").isdigit() or not 0 < int(text) < 1 << 62:
            raise InvalidSource(f"line {number}: the count must be a whole number from 1 up, got {parts[1][:60]!r}.")
        sentences.append(parts[0])
        counts.append(int(text))
    return sentences, counts
