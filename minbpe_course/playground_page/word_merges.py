"""Return the words of a text and the merges of one word, for any tokenizer with merges.

    word_merges(view_of("gpt2"))
        .words("hello world")            ["hello", " world"]: no merge crosses from one to the next
        .steps("hello")                  the parts before the first merge and after each one, its rank, and its index

Merges come from the model record (ours), the ranks of tiktoken's class, a SentencePiece BPE model, or the ``merges`` of
a learner's class like minbpe's; ``reference`` replays them. A unigram model, Hugging Face's classes and classes without
merges raise NotAvailable with the reason.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from minbpe_course.errors import NotAvailable, UnsupportedModel
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.inspecting.tokenizer_view import Cut, Token, TokenizerView
from minbpe_course.model import BYTE, NORMAL, UNUSED, BytePairModel
from minbpe_course.reference import encoding as byte_level
from minbpe_course.reference import pieces as sentencepiece_bpe
from minbpe_course.reference.pairs import Pair
from minbpe_course.showing.drawing import bytes_of
from minbpe_course.splitting.splitter import Splitter, repaired
from minbpe_course.tokenizers.encoding import Encoding
from minbpe_course.tokenizers.minbpe_base import MinbpeShaped
from minbpe_course.tokenizers.sentencepiece_tokenizer import SentencePieceTokenizer

LONGEST_WORD = 200  # bytes; each step shows all parts
MARK = "\u2581"  # SentencePiece's sign for a space: ▁

_MARKS_FIRST = re.compile(f"{MARK}+[^{MARK}]*|[^{MARK}]+")
_MARKS_LAST = re.compile(f"[^{MARK}]*{MARK}+|[^{MARK}]+")


@dataclass(frozen=True)
class WordStep:
    """The parts of a word after one merge: ``parts[at]`` is what it made. Both are None before the first.

    ``rank`` is the position of the merge, 0 for the first that was learned.
    """

    parts: tuple[Token, ...]
    rank: float | None = None
    at: int | None = None


def word_merges(view: TokenizerView) -> WordMerges:
    """Return the words and merges of a tokenizer. Raises NotAvailable if it has no merges to show.

    >>> from minbpe_course.inspecting.tokenizer_view import view_of
    >>> [(step.parts, step.rank) for step in word_merges(view_of("gpt2")).steps("the")]
    [((b't', b'h', b'e'), None), ((b't', b'he'), 2), ((b'the',), 913)]
    """
    tokenizer = view.tokenizer
    tiktoken, sentencepiece = sys.modules.get("tiktoken"), sys.modules.get("sentencepiece")
    if isinstance(tokenizer, MinbpeShaped):
        return of_record(tokenizer.model)
    if isinstance(tokenizer, Encoding) and isinstance(tokenizer._record, BytePairModel):
        return of_record(tokenizer._record)
    if isinstance(tokenizer, Encoding) or (tiktoken and isinstance(tokenizer, tiktoken.Encoding)):
        try:
            record = getattr(tokenizer, "_record", None)
            engine = "tiktoken" if record is None else record.pattern_engine
            return of_ranks(tokenizer._mergeable_ranks, tokenizer._pat_str, engine)
        except UnsupportedModel as problem:
            raise NotAvailable(f"{view.name} has no merges that can be shown one by one: {problem}") from None
    if sentencepiece and isinstance(tokenizer, sentencepiece.SentencePieceProcessor):
        model = sentencepiece_proto.from_bytes(tokenizer.serialized_model_proto())
        tokenizer = SentencePieceTokenizer(model=model)
    if isinstance(tokenizer, SentencePieceTokenizer):
        return OfPieces(tokenizer)
    merges = getattr(tokenizer, "merges", None)
    if isinstance(merges, Mapping) and merges:
        return of_own_class(tokenizer, merges)
    raise NotAvailable(
        f"{view.name} has no merges to show: it is not a tokenizer of ours, tiktoken or SentencePiece, and has no "
        "merges, a dict from pairs of ids to the id that they make."
    )


class WordMerges:
    """Words and merges of one tokenizer; made by ``word_merges``.

    may_change : whether training the tokenizer again changes them.
    """

    may_change = False

    def words(self, text: str) -> list[str]:
        """Return the words of a text; no merge crosses from one to the next."""
        raise NotImplementedError

    def word_at(self, cut: Cut, place: int) -> str:
        """Return the word that contains token ``place`` of a cut. Raises NotAvailable for a special token."""
        raise NotImplementedError

    def steps(self, word: str) -> list[WordStep]:
        """Return the parts of a word before the first merge and after each one. Raises NotAvailable for a long one."""
        size = len(repaired(word).encode("utf-8"))
        if size > LONGEST_WORD:
            raise NotAvailable(
                f"this word has {size:,} bytes; steps are shown for words of up to {LONGEST_WORD} bytes."
            )
        return list(self._steps(repaired(word)))

    def _steps(self, word: str) -> Iterator[WordStep]:
        raise NotImplementedError


class _ByteLevel(WordMerges):
    """The words that a pattern cuts, and the merges of the ids of their bytes, by ``reference.encoding``.

    ranks : like a dictionary: pair of ids -> the id that it becomes · token_bytes : id -> its bytes · made : the ids
    that merges make, ascending.
    """

    def __init__(
        self, pattern: str | None, byte_ids: Sequence[int], ranks: Any, token_bytes: Mapping[int, bytes],
        made: Sequence[int], *, engine: str | None = None, may_change: bool = True,
    ) -> None:  # fmt: skip
        self.may_change = may_change
        self._cut = pattern, engine
        self._byte_ids, self._ranks, self._token_bytes, self._made = byte_ids, ranks, token_bytes, made

    @cached_property
    def _splitter(self) -> Splitter:
        pattern, engine = self._cut
        return Splitter(pattern or None, keep_all=False, engine=engine)

    def words(self, text: str) -> list[str]:
        return [word.decode("utf-8", "replace") for word in self._splitter.words(repaired(text))]

    def word_at(self, cut: Cut, place: int) -> str:
        if place in cut.special:
            raise NotAvailable("this is a special token: it has an id of its own, and no merges make it.")
        begin = max((at for at in cut.special if at < place), default=-1) + 1
        end = min((at for at in cut.special if at > place), default=len(cut.tokens))
        parts = [bytes_of(token) for token in cut.tokens[begin:end]]
        words = self._splitter.words(b"".join(parts).decode("utf-8", "replace"))
        return _reached(words, sum(map(len, parts[: place - begin])))

    def _steps(self, word: str) -> Iterator[WordStep]:
        now = [self._byte_ids[byte] for byte in word.encode("utf-8")]
        yield WordStep(self._tokens(now))
        # The reference merges all occurrences of a pair at once; here one at a time, with the same result.
        for step in byte_level.encode_steps(now, self._ranks):
            if step.pair is None or step.new_id is None:
                continue
            at = 0
            while at + 1 < len(now):
                if (now[at], now[at + 1]) == step.pair:
                    now[at : at + 2] = [step.new_id]
                    yield WordStep(self._tokens(now), bisect_left(self._made, step.new_id), at)
                at += 1

    def _tokens(self, ids: Iterable[int]) -> tuple[bytes, ...]:
        return tuple(self._token_bytes[token_id] for token_id in ids)


def of_record(model: BytePairModel) -> WordMerges:
    """Return the merges of a model record.

    >>> of_record(BytePairModel([(97, 97), (256, 98)])).steps("aab")[-1]
    WordStep(parts=(b'aab',), rank=1, at=0)
    """
    return _ByteLevel(model.pattern, model.byte_ids, model.ranks, model.token_bytes, model.merge_ids)


def of_ranks(ranks: Mapping[bytes, int], pattern: str, engine: str | None) -> WordMerges:
    """Return the merges that tiktoken's ranks imply: two neighbours merge if their joined bytes have a rank."""
    byte_ids = [ranks[bytes([byte])] for byte in range(256)]
    made = sorted(rank for token, rank in ranks.items() if len(token) > 1)
    joined = _JoinedRanks(ranks)
    return _ByteLevel(pattern, byte_ids, joined, joined.tokens, made, engine=engine, may_change=False)


class _JoinedRanks:
    """A mapping from pairs of ids to ids for ``encode_steps``, made from bytes -> id."""

    def __init__(self, ranks: Mapping[bytes, int]) -> None:
        self._ids = ranks
        self.tokens = {rank: token for token, rank in ranks.items()}

    def __contains__(self, pair: Pair) -> bool:
        return self.tokens[pair[0]] + self.tokens[pair[1]] in self._ids

    def __getitem__(self, pair: Pair) -> int:
        return self._ids[self.tokens[pair[0]] + self.tokens[pair[1]]]

    def get(self, pair: Pair, default: float) -> float:
        return self._ids.get(self.tokens[pair[0]] + self.tokens[pair[1]], default)


def of_own_class(tokenizer: Any, merges: Mapping[Any, Any]) -> WordMerges:
    """Return the merges of a learner's class like minbpe's, which may have a ``pattern`` and a ``byte_shuffle``.

    >>> class Mine:
    ...     merges = {(97, 97): 256}
    >>> [step.parts for step in of_own_class(Mine(), Mine.merges).steps("aab")]
    [(b'a', b'a', b'b'), (b'aa', b'b')]
    """
    pattern, shuffle = getattr(tokenizer, "pattern", None), getattr(tokenizer, "byte_shuffle", None)
    byte_ids = [shuffle[byte] for byte in range(256)] if isinstance(shuffle, Mapping) else range(256)
    tokens = {token_id: bytes([byte]) for byte, token_id in enumerate(byte_ids)}
    for (left, right), new_id in sorted(merges.items(), key=lambda item: item[1]):
        if left not in tokens or right not in tokens:
            raise NotAvailable(
                f"its merges cannot be shown: {(left, right)} becomes {new_id}, but no merge with a smaller id "
                f"makes {right if left in tokens else left}."
            )
        tokens[new_id] = tokens[left] + tokens[right]
    made = sorted(set(merges.values()))
    return _ByteLevel(pattern if isinstance(pattern, str) else None, byte_ids, dict(merges), tokens, made)


class OfPieces(WordMerges):
    """The merges of a SentencePiece BPE model: characters join, and the rank is the score without its sign.

    Words are parts of the normalised text, returned as they would be typed.
    """

    def __init__(self, tokenizer: SentencePieceTokenizer) -> None:
        self.tokenizer = tokenizer
        self.model = model = tokenizer.model
        if model.model_type != "bpe":
            scored = "it takes the cut with the best sum of scores" if model.model_type == "unigram" else "it looks up"
            raise NotAvailable(f"a SentencePiece model of type {model.model_type} has no merges: {scored} (lesson 13).")
        joining = [piece for piece, kind in zip(model.pieces, model.kinds) if kind in (NORMAL, UNUSED)]
        # Usually pieces have a ▁ only at the beginning (or at the end), so that merges stay within a word.
        self._marks_first = not any(MARK in piece.lstrip(MARK) for piece in joining)
        self._marks_last = not self._marks_first and not any(MARK in piece.rstrip(MARK) for piece in joining)

    def words(self, text: str) -> list[str]:
        """Return the words of a text as they would be typed."""
        return [self._as_typed(word) for word in self._parts_of(repaired(text))]

    def word_at(self, cut: Cut, place: int) -> str:
        """Return the word of a token as it would be typed. Raises NotAvailable for a user-defined piece."""
        if place in cut.special:
            raise NotAvailable("this piece was given to the model from outside; no merges make it.")
        sizes = [
            1 if self.model.kinds[token_id] == BYTE else len(bytes_of(token))
            for token_id, token in zip(cut.ids[:place], cut.tokens)
        ]
        return self._as_typed(_reached([word.encode("utf-8") for word in self._parts_of(cut.text)], sum(sizes)))

    def _parts_of(self, text: str) -> list[str]:
        normal = self.tokenizer.normalize(text)
        if self._marks_first:
            return _MARKS_FIRST.findall(normal)
        return _MARKS_LAST.findall(normal) if self._marks_last else [normal] * bool(normal)

    def _as_typed(self, part: str) -> str:
        """Return the text to type for this part; a lone ▁ cannot be typed, because the model adds one first."""
        bare = part
        if self.model.normalizer.add_dummy_prefix:
            suffix = self.model.treat_whitespace_as_suffix
            bare = part.removesuffix(MARK) if suffix else part.removeprefix(MARK)
        spaced = bare.replace(MARK, " ")
        return next((typed for typed in (spaced, bare) if self.tokenizer.normalize(typed) == part), spaced or part)

    def _steps(self, word: str) -> Iterator[WordStep]:
        before: tuple[str, ...] = ()
        for step in sentencepiece_bpe.encode_steps(self.tokenizer.normalize(word), self.model):
            if step.score is None:
                yield WordStep(step.symbols)
            else:
                at = next(k for k, symbol in enumerate(step.symbols) if symbol != before[k])
                yield WordStep(step.symbols, abs(step.score), at)
            before = step.symbols


def _reached(words: Iterable[bytes], wanted: int) -> str:
    """Return the word that contains byte ``wanted`` of the joined words."""
    reached = 0
    for word in words:
        reached += len(word)
        if reached > wanted:
            return word.decode("utf-8", "replace")
    raise NotAvailable("this token is in no word: the tokens joined are not the text.")
