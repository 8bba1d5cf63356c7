"""The engine of a tokenizer.json whose tokens are pieces: everything before and after the kernels.

    text --added tokens--> segments --normalizer--> --more added tokens--> parts --kernels--> ids

``PieceEngine`` (BPE) or ``kernels.word_unigram`` encodes the parts. The other steps are done here, in the order and
with the quirks of `tokenizers` 0.23.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, NoReturn

import numpy as np
import regex

from minbpe_course.engines.sentencepiece.bpe import PieceEngine
from minbpe_course.engines.sentencepiece.characters import characters_of
from minbpe_course.engines.sentencepiece.marked import MarkedEngine
from minbpe_course.engines.sentencepiece.normalized_text import Encoded
from minbpe_course.engines.sentencepiece.piece_decoding import decode_bytes
from minbpe_course.engines.sentencepiece.piece_layout import lay_trie
from minbpe_course.engines.sentencepiece.unigram import in_order_of_bytes
from minbpe_course.engines.sentencepiece.word_pieces import WordPieceEngine
from minbpe_course.engines.text_engine import join_ids
from minbpe_course.errors import NotAvailable
from minbpe_course.kernels.common.memory import lay_in_order
from minbpe_course.kernels.lazy import word_unigram
from minbpe_course.model import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, AddedToken, PieceModel
from minbpe_course.splitting.splitter import utf8_or_bytes
from minbpe_course.text.added_tokens import TokenSearch
from minbpe_course.text.decoder_steps import TokenStream, decoder_of
from minbpe_course.text.normalizer_steps import decomposed, normalizer
from minbpe_course.text.offsets import character_places
from minbpe_course.text.split_steps import word_cutter
from minbpe_course.text.unicode_tables import WHITE_SPACE

MARK = "▁"
_UNKNOWN_PENALTY = 10.0
_LINES = re.compile(r"\n+|[^\n]+")
_NOT_SPACE = regex.compile(f"[^{WHITE_SPACE}]+")
_AT_MARKS = regex.compile(f"{MARK}?[^{MARK}]+|{MARK}")


class PipelineEngine:
    """Encodes with one tokenizer.json, with the methods of ``PieceEngine`` except positions and samples.

    >>> from minbpe_course.model import NormalizerRules, PiecePipeline
    >>> merges = np.array([[2, 1, 3]], dtype=np.uint32)
    >>> rewriting = (("Prepend", "▁"), ("Replace", "String", " ", "▁"))
    >>> pipeline = PiecePipeline(4, merges, normalizer=rewriting, added=(AddedToken("<s>", 4),))
    >>> pieces, rules = ("<unk>", "a", "▁", "▁a", "<s>"), NormalizerRules(b"", False, False)
    >>> model = PieceModel(pieces, (0.0,) * 5, (2, 1, 1, 1, 3), normalizer=rules, pipeline=pipeline)
    >>> PipelineEngine(model).encode_list("a<s>a a")
    [3, 4, 3, 3]
    """

    def __init__(self, model: PieceModel) -> None:
        assert model.pipeline is not None
        self.model = model
        self._pipeline = pipeline = model.pipeline
        self._rewrite = normalizer(pipeline.normalizer)
        self._early = _search({token.content: token for token in pipeline.added if not token.normalized})
        late = [token for token in pipeline.added if token.normalized]
        self._late = _search({self._rewrite(token.content): token for token in reversed(late)})
        # Whether the engine of the parts normalizes and cuts them itself.
        self._cuts_itself = False
        if model.model_type == "wordpiece":
            self._cuts_itself = not late
            self._parts: Any = WordPieceEngine(model, () if late else pipeline.normalizer, pipeline.cutting)
        else:
            marked = bool(pipeline.continuing_prefix or pipeline.word_end or not pipeline.fuse_unknown)
            if pipeline.merges is not None and not model.byte_fallback:
                marked |= keeps_spaces(pipeline.normalizer, pipeline.cutting)
            self._cut_words = self._word_cutter(marked)
            if pipeline.scores is not None:
                self._parts = WordEngine(model)
            elif marked:
                self._parts = MarkedEngine(model)
            else:
                self._parts = PieceEngine(_merging_by_score(model) if pipeline.by_scores else model)
        self.decode = decoder_of(pipeline.decoder)
        # If tokenizers searches normalized text for a token, it shows the token in its normalized form.
        self.shown = list(model.pieces)
        for token in late:
            self.shown[token.id] = self._rewrite(token.content)

    @cached_property
    def special_ids(self) -> frozenset[int]:
        """The ids of the special tokens of the file."""
        special = (CONTROL, UNKNOWN) if self._pipeline.unknown_is_special else (CONTROL,)
        return frozenset(at for at, kind in enumerate(self.model.kinds) if kind in special)

    @cached_property
    def ordinary(self) -> PipelineEngine:
        """The same engine, for which special tokens are ordinary text, as in tokenizers (encode_special_tokens)."""
        other = copy(self)
        special_ids, added = self.special_ids, self._pipeline.added
        special = [token for token in added if token.id in special_ids]
        plain = [token for token in added if token.id not in special_ids]
        other._early = _search(
            {token.content: token for token in plain if not token.normalized},
            [token.content for token in special if not token.normalized],
        )
        other._late = _search(
            {self._rewrite(token.content): token for token in reversed(plain) if token.normalized},
            [self._rewrite(token.content) for token in special if token.normalized],
        )
        return other

    def cut_special(self, text: str) -> list[str | int]:
        """Return the parts of a text between its special tokens, as they are, and the ids of these.

        Added tokens that are not special and not normalized are cut out, too: a special token may overlap them.
        """
        late = [token for token in self._pipeline.added if token.normalized and token.id in self.special_ids]
        search = _search({token.content: token for token in late})
        parts: list[str | int] = []
        for part in self._early.cut(text):
            parts += search.cut(part) if isinstance(part, str) else [part]
        return parts

    def stream(self) -> TokenStream:
        """Return an object that turns tokens into text one by one."""
        return TokenStream(self.decode, self._pipeline.decoder)

    def count(self, text: str | bytes) -> int:
        """Return how many ids ``encode`` gives."""
        return sum(self._parts.count(part) if isinstance(part, str) else 1 for part in self._cut(text))

    def encode_list(self, text: str | bytes, *, first: bool = True) -> list[int]:
        """Return the ids of one text. first : whether no other is before it. Raises NotText, InvalidText."""
        parts = self._cut(text, first)
        if len(parts) == 1 and isinstance(parts[0], str):
            return self._parts.encode_list(parts[0])
        ids: list[int] = []
        for part in parts:
            if isinstance(part, str):
                ids += self._parts.encode_list(part)
            else:
                ids.append(part)
        return ids

    def encode(self, text: str | bytes) -> np.ndarray:
        """Return the ids of one text, uint32[n]."""
        return self.encode_many([text], 1)[0]

    def encode_many(
        self, texts: Iterable[str | bytes], num_threads: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many texts, uint32, and where those of each text begin, int64[n + 1]."""
        cut = [self._cut(text) for text in texts]
        ordinary = [part for parts in cut for part in parts if isinstance(part, str)]
        ids, offsets = self._parts.encode_many(ordinary, num_threads)
        if len(ordinary) == len(cut) == sum(map(len, cut)):
            return ids, offsets
        spans = iter(pairwise(offsets.tolist()))

        def ids_of(part: str | int) -> np.ndarray:
            return ids[slice(*next(spans))] if isinstance(part, str) else np.array([part], dtype=np.uint32)

        return join_ids([np.concatenate([ids[:0], *map(ids_of, parts)]) for parts in cut])

    def encode_lists(self, texts: Iterable[str | bytes], num_threads: int | None = None) -> list[list[int]]:
        """Return the ids of many texts, a list each."""
        ids, offsets = self.encode_many(texts, num_threads)
        return [ids[begin:end].tolist() for begin, end in pairwise(offsets.tolist())]

    def spell(self, text: bytes, positions: bool = False) -> Encoded:
        """Return ids in the form of ``PieceEngine.spell``, without spans.

        Raises NotAvailable for ``positions``, except of a WordPiece model.
        """
        if positions and isinstance(self._parts, WordPieceEngine):
            return self._placed(decode_bytes(text), self._parts)
        if positions:
            _refuse("which part of the text each id stands for")
        ids = self.encode(text)
        return Encoded(ids, np.zeros(len(ids), np.int32), np.empty(0, np.uint8), np.empty(0, np.int64))

    def normalize(self, text: bytes) -> bytes:
        """Return the text after the normalizer; added tokens are ordinary text."""
        return self._rewrite(decode_bytes(text)).encode("utf-8")

    def normalize_with_positions(self, text: bytes) -> NoReturn:
        """Raise NotAvailable."""
        _refuse("where each character of the normalized text comes from")

    def sample(self, *given: Any, **more: Any) -> NoReturn:
        """Raise NotAvailable."""
        _refuse("samples")

    def n_best(self, *given: Any, **more: Any) -> NoReturn:
        """Raise NotAvailable."""
        _refuse("the best encodings")

    def denormalize(self, text: str) -> str:
        """Return the text unchanged: the decoder has done everything."""
        return text

    # ---- Private

    def _placed(self, text: str, engine: WordPieceEngine) -> Encoded:
        """Return the ids of a text, and where in its UTF-8 each begins and ends."""
        table = characters_of(self._pipeline.normalizer, self._pipeline.cutting)
        if table is None:
            _refuse("which part of the text each id stands for")
        ids: list[int] = []
        places: list[tuple[int, int]] = []
        before = 0
        for start, end, token_id in self._early.places(text):
            part = text[start:end]
            size = len(part.encode("utf-8"))
            if token_id is not None:
                found: Iterable[tuple[int, Sequence[int]]] = [(token_id, (0, size))]
            elif table.marks.search(part):
                found = self._placed_in_order(part, engine)
            else:
                found = self._placed_part(part, engine)
            for one, (begin, stop) in found:
                ids.append(one)
                places.append((before + begin, before + stop))
            before += size
        nothing = np.empty(0, np.int64)
        made = np.array(ids, dtype=np.uint32), nothing, nothing, nothing, np.array(places, np.int64).reshape(-1, 2)
        return Encoded(*made)

    def _placed_in_order(self, text: str, engine: WordPieceEngine) -> Iterator[tuple[int, tuple[int, int]]]:
        """Yield ids and their places for a part with marks that may change places."""
        new, places = decomposed(
            text, any(kind == "Bert" and options[0] for kind, *options in self._pipeline.normalizer)
        )
        borders = _borders(text)
        characters = character_places(new.encode("utf-8"))
        for one, (begin, stop) in self._placed_part(new, engine):
            yield one, (borders[places[characters[begin]]], borders[places[characters[stop] - 1] + 1])

    def _placed_part(self, text: str, engine: WordPieceEngine) -> Iterator[tuple[int, tuple[int, int]]]:
        """Yield ids and their places for a part without tokens that are found before it is normalized."""
        if self._cuts_itself:
            yield from zip(*(array.tolist() for array in engine.places(text)))
            return
        # The normalizer changes characters one by one.
        made = list(map(self._rewrite, text))
        normalized = self._rewrite(text)
        borders = _borders(text)
        begins = [begin for begin, new in zip(borders, made) for _ in new]
        ends = [end for end, new in zip(borders[1:], made) for _ in new]
        for start, end, token_id in self._late.places(normalized):
            if token_id is not None:
                yield token_id, (begins[start], ends[end - 1])
                continue
            characters = character_places(normalized[start:end].encode("utf-8"))
            for one, (begin, stop) in zip(*(array.tolist() for array in engine.places(normalized[start:end]))):
                yield one, (begins[start + characters[begin]], ends[start + characters[stop] - 1])

    def _cut(self, text: str | bytes, first: bool = True) -> list[str | int]:
        """Return the parts of a text that are encoded separately, with the ids of added tokens between them."""
        if not isinstance(text, str):
            text = decode_bytes(utf8_or_bytes(text))
        elif not text.isascii():
            utf8_or_bytes(text)
        if self._cuts_itself:
            return list(self._early.cut(text))
        parts: list[str | int] = []
        for early in self._early.cut(text):
            if not isinstance(early, str):
                parts.append(early)
                continue
            for late in self._late.cut(self._rewrite(early)):
                if not isinstance(late, str) or self.model.model_type == "wordpiece":
                    parts.append(late)
                else:
                    parts += self._cut_words(late, first and not parts)
        return parts

    def _word_cutter(self, alone: bool) -> Callable[[str, bool], Sequence[str | int]]:
        """Return the pre-tokenizer as a function from a part to the texts that the kernels cut, none of them empty.

        It may give ids, too. alone : whether the engine takes one word at a time.
        """
        steps = self._pipeline.cutting
        if steps and steps[0][0] == "Lines":
            # Runs of line breaks are words; one that is a piece may be taken whole.
            pieces = self.model.pieces[: self._pipeline.known]
            whole_breaks = {piece: at for at, piece in enumerate(pieces) if steps[0][1] and not piece.strip("\n")}
            return lambda part, first: [whole_breaks.get(run, run) for run in _LINES.findall(part)]
        scheme = next((options[0] for kind, *options in steps if kind == "Metaspace"), None)

        def marked(word: str) -> str:
            return word if word.startswith(MARK) else MARK + word

        def metaspace(part: str, first: bool) -> str:
            part = part.replace(" ", MARK)
            return marked(part) if part and (scheme == "always" or (scheme == "first" and first)) else part

        kinds = [kind for kind, *_ in steps]
        whole = not (alone and self._pipeline.cut_at_marks)
        if whole and kinds == ["WhitespaceSplit", "Metaspace"] and scheme == "always" and self._pipeline.cut_at_marks:
            return lambda part, first: ["".join(map(marked, words))] if (words := _NOT_SPACE.findall(part)) else []
        if whole and kinds in ([], ["Metaspace"]):
            change = metaspace if kinds else lambda part, first: part
            return lambda part, first: [text] if (text := change(part, first)) else []
        place = kinds.index("Metaspace") if "Metaspace" in kinds else len(kinds)
        before, after = word_cutter(steps[:place]), word_cutter(steps[place + 1 :])

        def cut(part: str, first: bool) -> list[str]:
            words = [metaspace(word, first) if scheme else word for word in before(part)]
            if self._pipeline.cut_at_marks:
                words = [piece for word in words for piece in _AT_MARKS.findall(word)]
            return [piece for word in words for piece in after(word)] if place < len(kinds) - 1 else words

        return cut


def _borders(text: str) -> list[int]:
    return [0, *accumulate(len(character.encode("utf-8")) for character in text)]


def keeps_spaces(normalize: Sequence[tuple[Any, ...]], cutting: Sequence[tuple[Any, ...]]) -> bool:
    """Tell whether a word may have spaces that did not become ▁.

    >>> keeps_spaces((), (("Digits", True),)), keeps_spaces((("Replace", "String", " ", "▁"),), ())
    (True, False)
    """
    spaces = True
    for kind, *options in normalize:
        if kind == "Replace" and options[:2] == ["String", " "]:
            spaces = " " in options[2]
        elif kind in ("NFKC", "NFKD", "Precompiled", "Bert", "Nmt") or (
            kind in ("Replace", "Prepend") and " " in options[-1]
        ):
            spaces = True
        elif kind == "SentencePiece":
            spaces = False
    return spaces and not any(kind in _WITHOUT_SPACES for kind, *_ in cutting)


_WITHOUT_SPACES = ("Metaspace", "Bert", "Whitespace", "WhitespaceSplit", "ByteLevel", "Lines")


def _merging_by_score(model: PieceModel) -> PieceModel:
    """Return a model without added tokens, which are cut out already. Any piece may come from text."""
    bytes_are_pieces = model.byte_fallback
    kept = (BYTE,) if bytes_are_pieces else (BYTE, UNKNOWN)
    kinds = tuple(kind if kind in kept else NORMAL for kind in model.kinds)
    return PieceModel(model.pieces, model.scores, kinds, "bpe", bytes_are_pieces, normalizer=model.normalizer)


class WordEngine:
    """Encodes normalized text word by word with a Unigram model. A piece of the score -inf comes from no text."""

    def __init__(self, model: PieceModel) -> None:
        pipeline = model.pipeline
        assert pipeline is not None
        assert pipeline.scores is not None
        self._kernel = word_unigram.encode_words
        self._cut_at_marks = pipeline.cut_at_marks
        self._scores = pipeline.scores
        found = np.flatnonzero(np.isfinite(pipeline.scores))
        usual = pipeline.scores[found[model.flat.kinds[found] != UNUSED]]
        self._unknown_score = float(usual.min(initial=np.inf)) - _UNKNOWN_PENALTY
        self._unk_id = model.unk_id
        self._byte_ids = np.array(model.byte_ids, dtype=np.int64)
        pieces = lay_in_order([model.pieces[at].encode("utf-8") for at in found.tolist()])
        self._nodes = lay_trie(*in_order_of_bytes(*pieces, found))

    def encode(self, text: str) -> np.ndarray:
        """Return the ids of normalized text, uint32[n]."""
        data = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
        best = np.empty(data.size + 1)
        pieces, starts = np.empty(data.size + 1, dtype=np.int64), np.empty(data.size + 1, dtype=np.int64)
        out = np.empty(data.size, dtype=np.uint32)
        number = self._kernel(
            self._nodes.ctypes.data, self._scores, self._unknown_score, self._unk_id, self._byte_ids,
            self._cut_at_marks, data, best, pieces, starts, out,
        )  # fmt: skip
        return out[:number]

    def encode_list(self, text: str) -> list[int]:
        """Return the ids of normalized text."""
        ids: list[int] = self.encode(text).tolist()
        return ids

    def count(self, text: str) -> int:
        """Return how many ids ``encode`` gives."""
        return self.encode(text).size

    def encode_many(self, texts: Sequence[str], num_threads: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many texts, and where those of each text begin."""
        return join_ids([self.encode(text) for text in texts])


def _search(tokens: dict[str, AddedToken], ignored: Sequence[str] = ()) -> TokenSearch:
    names = ("lstrip", "rstrip", "ascii_space")
    flags = {text: {each for each in names if getattr(token, each)} for text, token in tokens.items()}
    return TokenSearch({text: token.id for text, token in tokens.items()}, flags, ignored)


def _refuse(what: str) -> NoReturn:
    raise NotAvailable(
        f"for a tokenizer.json it is not known here: {what}. Ask for ids or pieces, or load SentencePiece's own .model."
    )
