r"""The interface of Stanford's CS336, assignment 1: train on a file, and make a tokenizer from the result.

    vocab, merges = run_train_bpe("corpus.txt", 10_000, ["<|endoftext|>"])
    tokenizer = get_tokenizer(vocab, merges, ["<|endoftext|>"])
    for token_id in tokenizer.encode_iterable(open("corpus.txt", encoding="utf-8")): ...

``vocab`` maps ids to bytes and ``merges`` lists pairs of bytes in the order made, as the assignment's tests expect: the
special tokens have the first ids, then come the 256 bytes, then the merges. Words are GPT-2's, no merge crosses a
special token, and of equally frequent pairs the one with the greater bytes is merged.

A tokenizer takes any such vocabulary and merges, with any ids, also GPT-2's published ones. Of special tokens that
overlap, the longest counts; a special token that the vocabulary lacks gets the next id. A vocabulary may lack bytes;
then a text with such a byte raises an error. Letters are those of tiktoken's Unicode tables.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from minbpe_course.counting.word_counter import special_texts
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.decoding import Decoder
from minbpe_course.errors import InvalidModel, UnknownToken, UnsupportedModel
from minbpe_course.kernels.common.memory import lay_tokens
from minbpe_course.model import VocabularyModel
from minbpe_course.splitting.splitter import must_be_text
from minbpe_course.text.patterns import R50K_PATTERN
from minbpe_course.tokenizers.base import ByteLevelTokenizer
from minbpe_course.trainers.byte_pair import train

Vocab = dict[int, bytes]
Merges = list[tuple[bytes, bytes]]


def run_train_bpe(
    input_path: str | os.PathLike[str], vocab_size: int, special_tokens: Iterable[str], **kwargs: Any
) -> tuple[Vocab, Merges]:
    """Train byte-level BPE on a UTF-8 file; return the vocabulary and the merges, in the order made.

    vocab_size : special tokens + 256 bytes + merges; fewer if the text runs out of pairs. special_tokens : never
    merged, and no merge crosses one; they have the first ids. The file is read in parts, so it may be larger than the
    memory. kwargs : ``num_threads``; other options (``num_processes``) are ignored, since the result does not depend on
    them.

    Raises InvalidVocabularySize, InvalidSpecialToken, UnreadableInput (the file is not UTF-8), UnusablePath.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "corpus.txt")
    >>> path.write_text("low low lower<|end|>low", encoding="utf-8")
    23
    >>> vocab, merges = run_train_bpe(path, 260, ["<|end|>"])
    >>> merges, vocab[0], vocab[1], vocab[259]
    ([(b'o', b'w'), (b'l', b'ow'), (b' ', b'low')], b'<|end|>', b'\\x00', b' low')
    """
    specials = special_texts(special_tokens)
    model = train(
        Path(input_path),
        vocab_size,
        pattern=R50K_PATTERN,
        special_tokens=specials,
        tie_break="greatest-bytes",
        num_threads=kwargs.get("num_threads"),
    )
    tokens = model.token_bytes
    vocab = {number: text.encode("utf-8") for number, text in enumerate(specials)}
    vocab.update((token_id + len(specials), token) for token_id, token in tokens.items())
    return vocab, [(tokens[left], tokens[right]) for left, right in model.merges]


def get_tokenizer(
    vocab: Mapping[int, bytes], merges: Sequence[tuple[bytes, bytes]], special_tokens: Iterable[str] | None = None
) -> AssignmentTokenizer:
    """Return the tokenizer of a vocabulary and its merges; see ``AssignmentTokenizer``.

    >>> vocab = dict(enumerate([b" ", b"a", b"c", b"e", b"h", b"t", b"th", b"he", b"the"]))
    >>> get_tokenizer(vocab, [(b"t", b"h"), (b"th", b"e")]).encode("the cat")
    [8, 0, 2, 1, 5]
    """
    return AssignmentTokenizer(vocab, merges, special_tokens)


class AssignmentTokenizer(ByteLevelTokenizer):
    """Encodes and decodes with any vocabulary and merges.

    vocab : id -> bytes · merges : pairs of bytes, the preferred one first; each must make a token of the vocabulary ·
    special_tokens : cut out of every text, the longest first. The arguments are not changed. Raises InvalidModel,
    InvalidSpecialToken.

    >>> vocab = {5 + byte: bytes([byte]) for byte in range(256)} | {1000: b"ab"}
    >>> tokenizer = AssignmentTokenizer(vocab, [(b"a", b"b")], ["<|end|>", "<|end|><|end|>"])
    >>> tokenizer.encode("ab<|end|><|end|>"), list(tokenizer.encode_iterable(["a", "b"]))
    ([1000, 1002], [1000])
    >>> tokenizer.decode([1000, 1001])
    'ab<|end|>'
    """

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        merges: Sequence[tuple[bytes, bytes]],
        special_tokens: Iterable[str] | None = None,
    ) -> None:
        self.vocab: Vocab = dict(vocab)
        self.merges: Merges = [(bytes(left), bytes(right)) for left, right in merges]
        self.special_tokens = special_texts(special_tokens or ())
        _must_be_a_vocabulary(self.vocab)
        self._special_ids = self._with_special_tokens()
        taken = set(self._special_ids.values())
        # An ordinary token may have the bytes of a special one but a different id.
        ids: dict[bytes, int] = {}
        for token_id, token in self.vocab.items():
            if token not in ids or ids[token] in taken:
                ids[token] = token_id
            elif token_id not in taken:
                raise InvalidModel(f"{token!r} is in vocab twice, as {ids[token]} and {token_id}.")
        self._ids = ids
        # Build the tables now, so that encoding needs no more memory than its text.
        self._engine.encode_list(" a")

    @property
    def model(self) -> VocabularyModel:
        """The frozen record, for ``convert`` and ``load_tokenizer``. Raises UnsupportedModel when bytes are missing."""
        if self._missing:
            raise UnsupportedModel(
                f"this vocabulary has no token for byte {min(self._missing.values())[0]:#04x}; "
                "only one with all 256 bytes can be converted."
            )
        return self._record

    def encode(self, text: str) -> list[int]:
        """Return the ids of ``text``; special tokens in it stand for themselves. Raises NotText, InvalidText, and
        UnknownToken for a byte that the vocabulary lacks."""
        ids = self._encode_to_list(must_be_text(text), self._specials)
        return self._checked(ids) if self._missing else ids

    def encode_iterable(self, iterable: Iterable[str]) -> Iterator[int]:
        """Yield the ids of a text that comes in parts, such as the lines of an open file.

        They are the ids of the whole text. About 65,000 characters are in memory at a time. Raises as ``encode`` does.
        """
        ids = self._encode_chunks(iterable, lambda _: self._specials)
        return (self._checked([token_id])[0] for token_id in ids) if self._missing else ids

    def __repr__(self) -> str:
        counts = f"{len(self.vocab):,} tokens, {len(self.merges):,} merges, {len(self.special_tokens)} special tokens"
        return f"AssignmentTokenizer({counts})"

    # Private

    def _with_special_tokens(self) -> dict[str, int]:
        """Give the next ids to special tokens that the vocabulary lacks; return all of them with their ids."""
        first: dict[bytes, int] = {}
        for token_id, token in self.vocab.items():
            first.setdefault(token, token_id)
        ids = {}
        for text in self.special_tokens:
            token = text.encode("utf-8")
            if token not in first:
                first[token] = max(self.vocab, default=-1) + 1
                self.vocab[first[token]] = token
            ids[text] = first[token]
        return ids

    @cached_property
    def _missing(self) -> dict[int, bytes]:
        """The bytes that the vocabulary lacks, with new ids above all others."""
        above = max(self.vocab, default=-1) + 1
        missing = [bytes([byte]) for byte in range(256) if bytes([byte]) not in self._ids]
        return dict(enumerate(missing, above))

    @cached_property
    def _record(self) -> VocabularyModel:
        ids = self._ids | {token: token_id for token_id, token in self._missing.items()}
        triples, used = [], set[int]()
        for number, (left, right) in enumerate(self.merges):
            for part in (left, right, left + right):
                if part not in ids:
                    raise InvalidModel(f"merge {number}, {(left, right)!r}, needs {part!r}, which is not in vocab.")
            triples.append((ids[left], ids[right], ids[left + right]))
            used.update(triples[-1])
        # A special token in vocab is an ordinary one as well only if it is a byte or a merge needs it.
        special = set(self._special_ids.values()) - used
        tokens = {token_id: token for token, token_id in ids.items() if len(token) == 1 or token_id not in special}
        return VocabularyModel(
            tokens, triples, whole_words=False, pattern=R50K_PATTERN, special_tokens=self._special_ids
        )

    @cached_property
    def _engine(self) -> BytePairEngine:
        return BytePairEngine.from_vocabulary(self._record)

    @cached_property
    def _decoder(self) -> Decoder:
        ids = sorted(self.vocab)
        text, start = lay_tokens({at: self.vocab[token_id] for at, token_id in enumerate(ids)}, len(ids))
        return Decoder(text, start, np.array(ids, dtype=np.int64), {})

    @property
    def _specials(self) -> Mapping[str, int]:
        return self._special_ids

    def _checked(self, ids: list[int]) -> list[int]:
        for token_id in ids:
            if token_id in self._missing:
                raise UnknownToken(f"the text contains the byte {self._missing[token_id]!r}, which vocab lacks.")
        return ids


def _must_be_a_vocabulary(vocab: Mapping[Any, Any]) -> None:
    for token_id, token in vocab.items():
        if not isinstance(token_id, (int, np.integer)) or isinstance(token_id, bool) or not 0 <= token_id < 1 << 31:
            raise InvalidModel(f"vocab maps ids, whole numbers from 0 to 2**31 - 1, to bytes, not {token_id!r}.")
        if not isinstance(token, bytes) or not token:
            raise InvalidModel(f"vocab[{token_id}] must be bytes, one or more, got {token!r}.")
