"""Return the words of a text and the merges of one word, for any tokenizer with merges.

    word_merges(view_of("gpt2"))
        .words("hello world")            ["hello", " world"]: no merge crosses from one to the next
        .steps("hello")                  the parts before the first merge and after each one, its rank, and its index

Merges come from the model record (ours), the ranks of tiktoken's class, a SentencePiece BPE model, or the ``merges`` of
a learner's class like minbpe's; ``reference`` replays them. A unigram model, Hugging Face's classes and classes without
merges raise NoMerges with the reason.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from minbpe_course.errors import NoMerges, UnsupportedModel
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.inspecting.tokenizer_view import Cut, Token, TokenizerView
from minbpe_course.model import BYTE, NORMAL, UNUSED, BytePairModel
from minbpe_course.reference import encoding as byte_level
from minbpe_course.reference import pieces as sentencepiece_bpe
from minbpe_course.reference.pairs import Pair
from minbpe_course.splitting.words import Splitter, repaired
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
    """Return the words and merges of a tokenizer. Raises NoMerges if it has no merges to show.

    >>> from minbpe_course.inspecting.tokenizer_view import view_of
    >>> [(step.parts, step.rank) for step in word_merges(view_of("gpt2")).steps("the")]
    [((b't', b'h', b'e'), None), ((b't', b'he'), 2), ((b'the',), 913)]
    """
    tokenizer = view.tokenizer
    tiktoken, sentencepiece = sys.modules.get("tiktoken"), sys.modules.get("sentencepiece")
    if isinstance(tokenizer, MinbpeShaped):
        return OfRecord(tokenizer.model)
    if isinstance(tokenizer, Encoding) and isinstance(tokenizer._record, BytePairModel):
        return OfRecord(tokenizer._record)
    if isinstance(tokenizer, Encoding) or (tiktoken and isinstance(tokenizer, tiktoken.Encoding)):
        try:
            record = getattr(tokenizer, "_record", None)
            engine = "tiktoken" if record is None else record.pattern_engine
            return OfRanks(tokenizer._mergeable_ranks, tokenizer._pat_str, engine)
        except UnsupportedModel as problem:
            raise NoMerges(f"{view.name} has no merges that can be shown one by one: {problem}") from None
    if sentencepiece and isinstance(tokenizer, sentencepiece.SentencePieceProcessor):
        model = sentencepiece_proto.from_bytes(tokenizer.serialized_model_proto())
        tokenizer = SentencePieceTokenizer(model=model)
    if isinstance(tokenizer, SentencePieceTokenizer):
        return OfPieces(tokenizer)
    merges = getattr(tokenizer, "merges", None)
    if isinstance(merges, Mapping) and merges:
        return OfOwnClass(tokenizer, merges)
    raise NoMerges(
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
        """Return the word that contains token ``place`` of a cut. Raises NoMerges for a special token."""
        raise NotImplementedError

    def steps(self, word: str) -> list[WordStep]:
        """Return the parts of a word before the first merge and after each one. Raises NoMerges if it is too long."""
        size = len(repaired(word).encode("utf-8"))
        if size > LONGEST_WORD:
            raise NoMerges(f"this word has {size:,} bytes; steps are shown for words of up to {LONGEST_WORD} bytes.")
        return list(self._steps(repaired(word)))

    def _steps(self, word: str) -> Iterator[WordStep]:
        raise NotImplementedError


class _ByteLevel(WordMerges):
    """Common to byte-level tokenizers: words by a pattern, ids of bytes, and ``reference.encoding``."""

    pattern: str | None
    engine: str | None = None
    byte_ids: Sequence[int]
    ranks: Any  # like a dictionary: pair of ids -> the id that it becomes

    @cached_property
    def _splitter(self) -> Splitter:
        return Splitter(self.pattern or None, keep_all=False, engine=self.engine)

    def words(self, text: str) -> list[str]:
        return [word.decode("utf-8", "replace") for word in self._splitter.words(repaired(text))]

    def word_at(self, cut: Cut, place: int) -> str:
        if place in cut.special:
            raise NoMerges("this is a special token: it has an id of its own, and no merges make it.")
        begin = max((at for at in cut.special if at < place), default=-1) + 1
        end = min((at for at in cut.special if at > place), default=len(cut.tokens))
        parts = [bytes_of(token) for token in cut.tokens[begin:end]]
        words = self._splitter.words(b"".join(parts).decode("utf-8", "replace"))
        return _reached(words, sum(map(len, parts[: place - begin])))

    def _steps(self, word: str) -> Iterator[WordStep]:
        now = [self.byte_ids[byte] for byte in word.encode("utf-8")]
        yield WordStep(tuple(map(self._token, now)))
        # The reference merges all occurrences of a pair at once; here one at a time, with the same result.
        for step in byte_level.encode_steps(now, self.ranks):
            if step.pair is None or step.new_id is None:
                continue
            at = 0
            while at + 1 < len(now):
                if (now[at], now[at + 1]) == step.pair:
                    now[at : at + 2] = [step.new_id]
                    yield WordStep(tuple(map(self._token, now)), self._rank(step.new_id), at)
                at += 1

    def _token(self, token_id: int) -> bytes:
        """Return the bytes of an id."""
        raise NotImplementedError

    def _rank(self, new_id: int) -> int:
        """Return the position of the merge that makes an id."""
        raise NotImplementedError


class OfRecord(_ByteLevel):
    """The merges of a model record.

    >>> OfRecord(BytePairModel([(97, 97), (256, 98)])).steps("aab")[-1]
    WordStep(parts=(b'aab',), rank=1, at=0)
    """

    may_change = True

    def __init__(self, model: BytePairModel) -> None:
        self.model = model
        self.pattern = model.pattern
        self.byte_ids = model.byte_ids
        self.ranks = model.ranks

    def _token(self, token_id: int) -> bytes:
        return self.model.token_bytes[token_id]

    def _rank(self, new_id: int) -> int:
        return bisect_left(self.model.merge_ids, new_id)


class OfRanks(_ByteLevel):
    """The merges that tiktoken's table of bytes -> rank implies: two neighbours merge if their bytes are in it."""

    def __init__(self, ranks: Mapping[bytes, int], pattern: str, engine: str | None = "tiktoken") -> None:
        self.pattern = pattern
        self.engine = engine
        self.byte_ids = [ranks[bytes([byte])] for byte in range(256)]
        self.ranks = _JoinedRanks(ranks)
        self._made = sorted(rank for token, rank in ranks.items() if len(token) > 1)

    def _token(self, token_id: int) -> bytes:
        return self.ranks.tokens[token_id]

    def _rank(self, new_id: int) -> int:
        return bisect_left(self._made, new_id)


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


class OfOwnClass(_ByteLevel):
    """The merges of a learner's class like minbpe's: ``merges``, and optionally ``pattern`` and ``byte_shuffle``.

    >>> class Mine:
    ...     merges = {(97, 97): 256}
    >>> [step.parts for step in OfOwnClass(Mine(), Mine.merges).steps("aab")]
    [(b'a', b'a', b'b'), (b'aa', b'b')]
    """

    may_change = True

    def __init__(self, tokenizer: Any, merges: Mapping[Any, Any]) -> None:
        self.pattern = getattr(tokenizer, "pattern", None)
        if not isinstance(self.pattern, str):
            self.pattern = None
        shuffle = getattr(tokenizer, "byte_shuffle", None)
        self.byte_ids = [shuffle[byte] for byte in range(256)] if isinstance(shuffle, Mapping) else range(256)
        self.ranks = dict(merges)
        self._order = sorted(set(merges.values()))
        self._tokens = {token_id: bytes([byte]) for byte, token_id in enumerate(self.byte_ids)}
        for (left, right), new_id in sorted(merges.items(), key=lambda item: item[1]):
            if left not in self._tokens or right not in self._tokens:
                raise NoMerges(
                    f"its merges cannot be shown: {(left, right)} becomes {new_id}, but no merge with a smaller id "
                    f"makes {right if left in self._tokens else left}."
                )
            self._tokens[new_id] = self._tokens[left] + self._tokens[right]

    def _token(self, token_id: int) -> bytes:
        return self._tokens[token_id]

    def _rank(self, new_id: int) -> int:
        return bisect_left(self._order, new_id)


class OfPieces(WordMerges):
    """The merges of a SentencePiece BPE model: characters join, and the rank is the score without its sign.

    Words are parts of the normalised text, returned as they would be typed.
    """

    def __init__(self, tokenizer: SentencePieceTokenizer) -> None:
        self.tokenizer = tokenizer
        self.model = model = tokenizer.model
        if model.model_type != "bpe":
            scored = "it takes the cut with the best sum of scores" if model.model_type == "unigram" else "it looks up"
            raise NoMerges(f"a SentencePiece model of type {model.model_type} has no merges: {scored} (lesson 10).")
        joining = [piece for piece, kind in zip(model.pieces, model.kinds) if kind in (NORMAL, UNUSED)]
        # Usually pieces have a ▁ only at the beginning (or at the end), so that merges stay within a word.
        self._marks_first = not any(MARK in piece.lstrip(MARK) for piece in joining)
        self._marks_last = not self._marks_first and not any(MARK in piece.rstrip(MARK) for piece in joining)

    def words(self, text: str) -> list[str]:
        """Return the words of a text as they would be typed."""
        return [self._as_typed(word) for word in self._parts_of(repaired(text))]

    def word_at(self, cut: Cut, place: int) -> str:
        """Return the word of a token as it would be typed. Raises NoMerges for a user-defined piece."""
        if place in cut.special:
            raise NoMerges("this piece was given to the model from outside; no merges make it.")
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
        """Return the text to type for this part; for a lone ▁ there is none, because the model adds one first."""
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
    raise NoMerges("this token is in no word: the tokens joined are not the text.")


def bytes_of(token: Token) -> bytes:
    """Return the bytes of a token."""
    return token if isinstance(token, bytes) else token.encode("utf-8", "surrogatepass")
