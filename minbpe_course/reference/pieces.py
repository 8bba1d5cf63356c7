"""SentencePiece BPE, readable: characters join, one pair at a time, always the pair whose piece has the best score.

    ▁ h e l l o       the pairs that are pieces:  (h,e) -3   (l,l) -5   (e,l) -8
    ▁ he l l o        the best score first; of equal scores the leftmost
    ▁ he ll o         after each merge only the two new pairs are examined

Scores are ranks with a minus sign: the first merge of training has -0.0, the next -1. The start is characters, not
bytes; text without a piece becomes bytes (``<0xE4>``) or the unknown piece at the end. User-defined pieces are cut out
first and never join. UNUSED pieces join like others and are split again at the end.

``encode_naive`` and ``encode_steps`` do the same; the first examines every pair before every merge. Limits: slow on
purpose. ``kernels.sentencepiece.pieces`` is the compiled version.
"""

from __future__ import annotations

import heapq
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from minbpe_course.model import UNUSED, PieceModel
from minbpe_course.text.normalize import LongestMatch

DEEPEST_UNUSED = 100  # sentencepiece 0.2.3 takes an unused piece apart to this depth and no further


class Symbol(NamedTuple):
    """A part of the normalised text; a frozen one never joins."""

    text: str
    frozen: bool = False


@dataclass(frozen=True)
class MergeStep:
    """The symbols after a merge that joined two into ``made``, whose score is ``score``; both None before the first."""

    symbols: tuple[str, ...]
    made: str | None = None
    score: float | None = None


class Token(NamedTuple):
    """A piece of the result: its id, what is shown for it, and the normalised text that it stands for."""

    id: int
    piece: str
    text: str


def score_order(score: float) -> int:
    """Return a number that sorts float32 scores as sentencepiece 0.2.3 does: by their bits, so -0.0 is below 0.0.

    >>> sorted([0.0, -1.0, -0.0, 2.5], key=score_order)
    [-1.0, -0.0, 0.0, 2.5]
    """
    bits: int = struct.unpack("<i", struct.pack("<f", score))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFF) - 1


def split_symbols(text: str, user_defined: LongestMatch) -> list[Symbol]:
    """Cut normalised text into user-defined pieces, longest first, and single characters.

    >>> [symbol.text for symbol in split_symbols("a<b>c", LongestMatch([b"<b>"]))]
    ['a', '<b>', 'c']
    """
    data = text.encode("utf-8")
    symbols, at, byte_at = [], 0, 0
    while at < len(text):
        length = user_defined.length(data, byte_at)
        piece = data[byte_at : byte_at + length].decode("utf-8") if length else text[at]
        symbols.append(Symbol(piece, frozen=length > 0))
        at += len(piece)
        byte_at += length or len(piece.encode("utf-8"))
    return symbols


@dataclass
class Merger:
    """One text on its way from characters to pieces: a linked list of symbols and a queue of the pairs that may merge.

    The queue holds (order, left, right, joined text). An entry is stale when one of its two symbols has changed since.
    """

    symbols: list[Symbol]
    mergeable: Mapping[str, int]
    scores: tuple[float, ...]
    queue: list[tuple[int, int, int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.texts = [symbol.text for symbol in self.symbols]
        self.before = list(range(-1, len(self.texts) - 1))
        self.after = [*range(1, len(self.texts)), -1][: len(self.texts)]
        self.cuts: dict[str, tuple[str, str]] = {}
        for left in range(len(self.texts) - 1):
            self.offer(left, left + 1)

    def offer(self, left: int, right: int) -> None:
        """Queue the pair if its text is a piece."""
        if left < 0 or right < 0 or self.symbols[left].frozen or self.symbols[right].frozen:
            return
        joined = self.texts[left] + self.texts[right]
        if joined in self.mergeable:
            self.cuts[joined] = self.texts[left], self.texts[right]
            # A heap gives the smallest, so the best score is the smallest order; of equal ones the smallest left.
            heapq.heappush(self.queue, (-score_order(self.scores[self.mergeable[joined]]), left, right, joined))

    def merge_next(self) -> str | None:
        """Do the best merge that is still possible and return the piece it made, or None at the end."""
        while self.queue:
            _, left, right, joined = heapq.heappop(self.queue)
            if not self.texts[left] or not self.texts[right] or self.texts[left] + self.texts[right] != joined:
                continue
            self.texts[left], self.texts[right] = joined, ""
            self.after[left] = self.after[right]
            if self.after[right] >= 0:
                self.before[self.after[right]] = left
            self.offer(self.before[left], left)
            self.offer(left, self.after[left])
            return joined
        return None

    def present(self) -> tuple[str, ...]:
        """Return the current symbols."""
        return tuple(text for text in self.texts if text)


def encode_steps(text: str, model: PieceModel, user_defined: LongestMatch | None = None) -> Iterator[MergeStep]:
    """Yield the symbols of a normalised text before the first merge and after each one.

    >>> model = PieceModel(("<unk>", "a", "b", "ab"), (0.0, -1.0, -2.0, -0.0), (2, 1, 1, 1))
    >>> [step.symbols for step in encode_steps("aab", model)]
    [('a', 'a', 'b'), ('a', 'ab')]
    """
    merger = Merger(split_symbols(text, _matcher(model, user_defined)), model.mergeable, model.scores)
    yield MergeStep(merger.present())
    while (made := merger.merge_next()) is not None:
        yield MergeStep(merger.present(), made, model.scores[model.mergeable[made]])


def encode_naive(text: str, model: PieceModel) -> list[str]:
    """Merge by looking at every pair before every merge. The pieces are those of ``encode_steps``, before the unknown
    ones.

    >>> model = PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -0.0), (2, 1, 1))
    >>> encode_naive("aaa", model)
    ['aa', 'a']
    """
    symbols = split_symbols(text, _matcher(model, None))
    while True:
        best, best_order = -1, 0
        for at, (left, right) in enumerate(pairwise(symbols)):
            joined = left.text + right.text
            if left.frozen or right.frozen or joined not in model.mergeable:
                continue
            order = score_order(model.scores[model.mergeable[joined]])
            if best < 0 or order > best_order:
                best, best_order = at, order
        if best < 0:
            return [symbol.text for symbol in symbols]
        symbols[best : best + 2] = [Symbol(symbols[best].text + symbols[best + 1].text)]


def encode_pieces(text: str, model: PieceModel, user_defined: LongestMatch | None = None) -> list[Token]:
    """Return the tokens of a normalised text.

    >>> model = PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -0.0), (2, 1, 1))
    >>> [(token.id, token.text) for token in encode_pieces("aaaxyz", model)]
    [(2, 'aa'), (1, 'a'), (0, 'xyz')]
    """
    merger = Merger(split_symbols(text, _matcher(model, user_defined)), model.mergeable, model.scores)
    while merger.merge_next() is not None:
        pass
    parts = (part for symbol in merger.present() for part in take_apart(symbol, model, merger.cuts))
    return tokens_of(parts, model)


def tokens_of(parts: Iterable[tuple[str, int]], model: PieceModel) -> list[Token]:
    """Return the tokens of a text that has been cut into (text, id): where the id is -1 the text becomes bytes or the
    unknown piece, of which neighbours become one.

    >>> model = PieceModel(("<unk>", "a"), (0.0, -1.0), (2, 1))
    >>> [(token.id, token.text) for token in tokens_of([("a", 1), ("x", -1), ("y", -1)], model)]
    [(1, 'a'), (0, 'xy')]
    """
    tokens: list[Token] = []
    for part, token_id in parts:
        if token_id >= 0:
            tokens.append(Token(token_id, part, part))
        elif model.byte_fallback:
            tokens.extend(Token(model.byte_ids[byte], f"<0x{byte:02X}>", part) for byte in part.encode("utf-8"))
        elif tokens and tokens[-1].id == model.unk_id:
            joined = tokens[-1].text + part
            tokens[-1] = Token(model.unk_id, joined, joined)
        else:
            tokens.append(Token(model.unk_id, part, part))
    return tokens


def known_id(part: str, model: PieceModel) -> int:
    """Return the id of a piece that text may become, -1 for an UNUSED one and for other text.

    >>> known_id("a", PieceModel(("<unk>", "a"), (0.0, -1.0), (2, 5)))
    -1
    """
    at = model.mergeable.get(part, -1)
    return at if at >= 0 and model.kinds[at] != UNUSED else -1


def take_apart(
    piece: str, model: PieceModel, cuts: Mapping[str, tuple[str, str]], depth: int = 0
) -> Iterator[tuple[str, int]]:
    """Yield the piece and its id, or the parts that an UNUSED one was joined from; -1 for text without a piece.

    >>> model = PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -0.0), (2, 1, 5))
    >>> list(take_apart("aa", model, {"aa": ("a", "a")}))
    [('a', 1), ('a', 1)]
    """
    if depth > DEEPEST_UNUSED:
        # Too deep: the rest keeps its id, UNUSED or not.
        yield piece, model.mergeable.get(piece, -1)
    elif known_id(piece, model) >= 0 or piece not in model.mergeable or piece not in cuts:
        yield piece, known_id(piece, model)
    else:
        for part in cuts[piece]:
            yield from take_apart(part, model, cuts, depth + 1)


def _matcher(model: PieceModel, user_defined: LongestMatch | None) -> LongestMatch:
    return LongestMatch(piece.encode("utf-8") for piece in model.user_defined) if user_defined is None else user_defined
