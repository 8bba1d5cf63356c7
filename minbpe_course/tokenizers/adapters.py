"""One interface for byte-level tokenizers and SentencePiece models: texts to ids, ids to bytes, words counted.

Code that works through files of texts uses ``any_tokenizer`` and does not care about the kind of tokenizer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.sentencepiece.long_texts import LongPieces, can_be_cut, first_place
from minbpe_course.errors import DisallowedSpecialToken, InvalidOption, InvalidSpecialToken
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.kernels.lazy import raw_bytes
from minbpe_course.model import BYTE, NORMAL, VocabularyModel
from minbpe_course.model.frames import NO_FRAME, Frame
from minbpe_course.splitting.boundaries import Cutter
from minbpe_course.splitting.long_texts import LongText
from minbpe_course.text.special_places import find_special_token

AnyTokenizer: TypeAlias = "ByteLevelAdapter | SentencePieceAdapter"


class ForbiddenSpecial(DisallowedSpecialToken):
    """A special token in a text of a batch, with the ``number`` of the text and the ``position`` in it."""

    def __init__(self, number: int, position: int, token: str) -> None:
        super().__init__(f"the text contains the special token {token!r}.")
        self.number = number
        self.position = position
        self.token = token


class _Adapter:
    """The common part of both adapters.

    name : shown to people · specials : "raise", "none" or "all".
    """

    def __init__(self, name: str, tokenizer: Any, specials: str) -> None:
        if specials not in ("raise", "none", "all"):
            raise InvalidOption(f"specials={specials!r} is not understood: say 'raise', 'none' or 'all'.")
        self.name = name
        self.tokenizer = tokenizer
        self.specials = specials

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.tokenizer, self.specials)

    @property
    def ids(self) -> np.ndarray:
        """All ids in use, int64, ascending."""
        raise NotImplementedError

    @property
    def frame(self) -> Frame:
        """The ids before and after every text, as the tokenizer's file says."""
        found: Frame = self.tokenizer._frame
        return found

    @cached_property
    def largest(self) -> int:
        """The largest id."""
        return int(self.ids[-1])

    def encode(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of all texts, uint32, and where those of each begin, int64[n + 1], on one thread."""
        raise NotImplementedError

    def encode_utf8(self, data: bytes, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Encode like ``encode``; text k is the UTF-8 ``data[bounds[k, 0]:bounds[k, 1]]``, bounds : int64[n, 2].

        Raises ForbiddenSpecial.
        """
        return self.encode([data[begin:end].decode("utf-8") for begin, end in bounds.tolist()])

    def unknown(self, ids: np.ndarray) -> int | None:
        """Return the place of the first id that no token has, if there is one."""
        places = np.minimum(np.searchsorted(self.ids, ids), self.ids.size - 1)
        wrong = np.flatnonzero(self.ids[places] != ids)
        return int(wrong[0]) if wrong.size else None

    def id_of(self, token: str | int) -> int:
        """Return the id of a token, a special one or a piece; a number is an id. Raises InvalidSpecialToken."""
        if isinstance(token, str):
            return self._named_id(token)
        if not 0 <= token <= self.largest or self.unknown(np.array([token])) is not None:
            raise InvalidSpecialToken(f"{token} is no id of {self.name}.")
        return token

    def around(self, frame: bool, append: str | int | None) -> Frame:
        """Return the ids before and after each document: the frame if wanted, then ``append``."""
        before, after = self.frame if frame else NO_FRAME
        return before, after if append is None else (*after, self.id_of(append))

    def _named_id(self, token: str) -> int:
        raise NotImplementedError

    def _parse_id(self, token: str, names: Sequence[str], kind: str) -> int:
        if token.isascii() and token.isdigit() and self.unknown(np.array([int(token[:18])])) is None:
            return int(token)
        known = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        raise InvalidSpecialToken(
            f"{token!r} is no {kind} of {self.name}, and no id. " + (f"There are: {known}" if names else "It has none.")
        )


class ByteLevelAdapter(_Adapter):
    """An Encoding.

    exact : whether decoding gives back the text that was encoded.
    """

    exact = True

    def long_text(self, *, gather: int | None = None) -> LongText:
        """Return an object that cuts a long text into parts that may be encoded one by one."""
        found: LongText = self.tokenizer._long_text(self._looked_for, gather)
        return found

    @property
    def cutter(self) -> Cutter:
        """The places where files may be cut into parts that are encoded one by one."""
        return _ByteLevelBoundaries(self)

    @property
    def _looked_for(self) -> Collection[str]:
        # A special token that is ordinary text hides plain tokens, so no text is cut in it.
        return () if self.specials == "none" and not self.tokenizer._plain else self._added

    @cached_property
    def sha256(self) -> str:
        """A hash of the vocabulary: tokens and their ids, and how a text is split."""
        tables, record = self.tokenizer._engine.tables, getattr(self.tokenizer, "_record", None)
        merges = getattr(record, "merges", None) if isinstance(record, VocabularyModel) else None
        said = {
            "pattern": self.tokenizer._pat_str,
            "special_tokens": sorted(self._added.items(), key=lambda item: item[1]),
            "normalization": getattr(record, "normalization", None),
            **_beyond(record),
            "merges": None if merges is None else [list(map(int, merge)) for merge in merges],
        }
        digest = hashlib.sha256(json.dumps(said).encode("ascii"))
        text = tables.token_text.tobytes()
        for number in np.argsort(tables.ids).tolist():
            token = text[int(tables.token_start[number]) : int(tables.token_start[number + 1])]
            digest.update(int(tables.ids[number]).to_bytes(4, "little") + len(token).to_bytes(4, "little") + token)
        return digest.hexdigest()

    @cached_property
    def _specials(self) -> Mapping[str, int]:
        found: Mapping[str, int] = self.tokenizer._special_tokens
        return found

    @cached_property
    def _added(self) -> Mapping[str, int]:
        """The special tokens and the plain ones, which are found in every text."""
        return {**self._specials, **self.tokenizer._plain}

    def encode(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of all texts, uint32, and where those of each begin, int64[n + 1], on one thread.

        Raises ForbiddenSpecial.
        """
        options: dict[str, Any] = {"disallowed_special": ()}
        if self.specials != "none" and self._may_hold_added(texts):
            if self.specials == "raise":
                self._refuse(texts)
            else:
                options = {"allowed_special": "all"}
        ids, offsets = self.tokenizer.encode_batch_to_array(texts, num_threads=1, **options)
        return ids, offsets

    def encode_utf8(self, data: bytes, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See ``_Adapter``. Without added tokens in the data, the kernels read the bytes where they are."""
        engine: BytePairEngine = self.tokenizer._engine
        if not data or not engine.reads_utf8 or self._has_mark(data):
            return super().encode_utf8(data, bounds)
        places = bounds.astype(np.int64)
        places[:, 1] -= bounds[:, 0]
        places[:, 0] += np.frombuffer(data, dtype=np.uint8).ctypes.data
        return engine.encode_places(places, 1)

    def _has_mark(self, data: bytes) -> bool:
        """Return whether the common beginning of all added tokens, if these matter, is in the data."""
        if not self._looked_for:
            return False
        mark = self.tokenizer._mark.encode("utf-8", "surrogatepass")
        if len(mark) < 2:
            return mark in data
        found = raw_bytes.has_pair(np.frombuffer(data, dtype=np.uint8).ctypes.data, len(data), mark[0], mark[1])
        return bool(found) and mark in data

    def decode(self, ids: np.ndarray, *, begins: bool = True) -> bytes:
        """Return the bytes of ids; begins : whether a text begins with them. Raises InvalidTokenId."""
        data: bytes = self.tokenizer.decode_bytes(ids)
        return data

    def last_cut(self, ids: np.ndarray) -> int:
        """Return the last place where ids may be cut to be decoded in parts."""
        return len(ids)

    def words(self, texts: Sequence[str]) -> int:
        """Return how many words the split pattern finds; an added token counts as one."""
        engine, added = self.tokenizer._engine, self.tokenizer._added
        if not self._may_hold_added(texts):
            return sum(self._words_of(engine.prepared(text)) for text in texts)
        # ``cut`` has normalized the parts if some tokens have flags.
        prepare = engine.prefixed if added.flagged else engine.prepared
        number = 0
        for text in texts:
            for part in added.cut(text, {} if self.specials == "none" else self._specials):
                number += self._words_of(prepare(part)) if isinstance(part, str) else 1
        return number

    def _words_of(self, text: str) -> int:
        return sum(run.number for run in self.tokenizer._engine.splitter.runs(text))

    @cached_property
    def ids(self) -> np.ndarray:
        """All ids in use, int64, ascending."""
        added = np.fromiter(self._added.values(), dtype=np.int64, count=len(self._added))
        return np.union1d(np.asarray(self.tokenizer._engine.tables.ids, dtype=np.int64), added)

    def _named_id(self, token: str) -> int:
        """Return the id of an added token or of a number as text."""
        if token in self._added:
            return self._added[token]
        return self._parse_id(token, list(self._specials), "special token")

    def _may_hold_added(self, texts: Sequence[str]) -> bool:
        """Return whether an added token that matters may be in one of the texts."""
        return bool(self._looked_for) and not all(map(self.tokenizer._holds_no_added, texts))

    def _refuse(self, texts: Sequence[str]) -> None:
        for number, text in enumerate(texts):
            found = find_special_token(text, self._specials)
            if found is not None:
                raise ForbiddenSpecial(number, *found)


class SentencePieceAdapter(_Adapter):
    """A SentencePieceTokenizer, with the methods of ``ByteLevelAdapter``."""

    exact = False

    @cached_property
    def sha256(self) -> str:
        """A hash of the model."""
        model = self.tokenizer.model
        if model.pipeline is None:
            return hashlib.sha256(sentencepiece_proto.to_bytes(model)).hexdigest()
        return hashlib.sha256(repr((model.pieces, model.kinds, model.pipeline.key())).encode("utf-8")).hexdigest()

    def long_text(self, *, gather: int | None = None) -> LongText:
        """Return an object that cuts a long text into parts that may be encoded one by one."""
        return LongPieces(self.tokenizer.model, gather=gather)

    @property
    def cutter(self) -> Cutter:
        """The places where files may be cut into parts that are encoded one by one."""
        return _SentencePieceBoundaries(self)

    def encode(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of all texts, uint32, and where those of each begin, int64[n + 1], on one thread."""
        ids, ends = self.tokenizer.encode_batch_to_array(texts, num_threads=1)
        return ids, np.concatenate([np.zeros(1, dtype=np.int64), ends])

    def decode(self, ids: np.ndarray, *, begins: bool = True) -> bytes:
        """Return the bytes of ids; begins : whether a text begins with them. Raises InvalidPieceId."""
        # After another piece, no leading space is removed.
        before = [] if begins else [self._anchor]
        text: str = self.tokenizer.decode([*before, *ids.tolist()])
        return text.encode("utf-8", "surrogateescape")[len(before) :]

    def last_cut(self, ids: np.ndarray) -> int:
        """Return the last place where ids may be cut to be decoded in parts, 0 for none. No character is cut."""
        model = self.tokenizer.model
        if self._anchor < 0 or model.denormalizer.charsmap or model.pipeline is not None:
            return 0
        known = (ids >= 0) & (ids < len(model))
        kinds = np.where(known, self._kinds[np.where(known, ids, 0)], BYTE)
        places = np.flatnonzero(kinds != BYTE)
        return int(places[-1]) if places.size else 0

    @cached_property
    def _kinds(self) -> np.ndarray:
        return np.array(self.tokenizer.model.kinds)

    @cached_property
    def _anchor(self) -> int:
        """The id of a piece of one byte that is not a space, or -1."""
        model = self.tokenizer.model
        letters = (at for at, piece in enumerate(model.pieces) if len(piece) == 1 and "!" <= piece <= "~")
        return next((at for at in letters if model.kinds[at] == NORMAL), -1)

    def words(self, texts: Sequence[str]) -> int:
        """Return how many words spaces separate; such a model has no split pattern."""
        return sum(len(text.split()) for text in texts)

    @cached_property
    def ids(self) -> np.ndarray:
        """All ids, int64, ascending."""
        return np.arange(len(self.tokenizer.model))

    def _named_id(self, token: str) -> int:
        """Return the id of a piece or of a number as text."""
        pieces = self.tokenizer.model.pieces
        if token in pieces:
            return int(pieces.index(token))
        controls = [piece for at, piece in enumerate(pieces) if self.tokenizer.is_control(at)]
        return self._parse_id(token, controls, "piece")


class _ByteLevelBoundaries(Cutter):
    """The places where a text may be cut for a byte-level tokenizer."""

    def __init__(self, adapter: ByteLevelAdapter) -> None:
        engine = adapter.tokenizer._engine
        super().__init__(engine.splitter.pattern, adapter._looked_for)
        self._adapter = adapter
        self._splitter = engine.splitter
        if engine.composes and self._between is not None:
            self._between = self._between.stable
        self._whole = adapter.tokenizer._needs_whole_texts

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._adapter,)

    def long_text(self, *, gather: int | None = None) -> LongText:
        """See ``Cutter``."""
        return self._adapter.long_text(gather=gather)

    @property
    def cuts(self) -> bool:
        """See ``Cutter``."""
        return not self._whole and super().cuts


def _beyond(record: object) -> dict[str, Any]:
    """Return the part of ``sha256`` that only a tokenizer.json can have."""
    if not isinstance(record, VocabularyModel) or not (record.only_in_huggingface or record.plain_tokens):
        return {}
    flags = sorted(record.special_flags.items())
    said = [record.prefix_space, record.split_steps, record.word_end, flags]
    if record.plain_tokens:
        said.append(sorted(record.plain_tokens))
    if record.lacking:
        said.append([list(record.lacking), record.unknown, record.fuse_unknown])
    return {"beyond": [said]}


class _SentencePieceBoundaries(Cutter):
    """The places where a text may be cut for a SentencePiece model: before a space."""

    def __init__(self, adapter: SentencePieceAdapter) -> None:
        super().__init__(None)
        self._adapter = adapter
        model = adapter.tokenizer.model
        self._cuts = can_be_cut(model)
        # How many characters at the beginning of a part to skip: the space that the model adds itself.
        self.between = int(model.normalizer.add_dummy_prefix)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._adapter,)

    @property
    def cuts(self) -> bool:
        """See ``Cutter``."""
        return self._cuts

    def long_text(self, *, gather: int | None = None) -> LongText:
        """See ``Cutter``."""
        return self._adapter.long_text(gather=gather)

    def first_place(self, text: str, start: int, stop: int) -> int | None:
        """See ``Cutter``."""
        return first_place(text, start, stop)
