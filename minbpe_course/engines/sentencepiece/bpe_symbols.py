"""The symbols of a SentencePiece BPE model, numbered: what its text consists of while it merges.

    ▁ h e l l o     every character that is a piece or occurs in one, and every piece that merges, has a number

User-defined pieces have none: they are cut out before anything merges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from minbpe_course.engines.layouts.pieces import NO_ID, inside, is_text, score_ranks
from minbpe_course.model import NORMAL, UNUSED, USER_DEFINED, PieceModel
from minbpe_course.reference.pieces import Merger, split_symbols, take_apart
from minbpe_course.text.normalize import LongestMatch

NO_LEAVES = 0xFFFFFFFF


class PieceSymbols(NamedTuple):
    """Pieces and characters by number: first the pieces that merge, then characters that only occur in pieces.

    tokens : by number, bytes inside the engine · ids : uint32, NO_ID for an UNUSED piece or no piece · ranks : uint32 ·
    symbols : (code points, numbers + 1) of the tokens of one character · leaves : uint32, NO_LEAVES or which entry of
    ``leaf_starts`` (int64) lists what comes out in place of an UNUSED piece · leaf_parts : uint32[n, 2], id or NO_ID,
    and bytes inside · users : the user-defined pieces, bytes inside -> id
    """

    tokens: list[bytes]
    ids: np.ndarray
    ranks: np.ndarray
    symbols: tuple[np.ndarray, np.ndarray]
    leaves: np.ndarray
    leaf_starts: np.ndarray
    leaf_parts: np.ndarray
    users: dict[bytes, int]


def number_pieces(model: PieceModel) -> PieceSymbols:
    """Number the symbols of a BPE model.

    >>> model = PieceModel(("<unk>", "a", "▁a"), (0.0, -1.0, -0.0), (2, 1, 1))
    >>> symbols = number_pieces(model)
    >>> symbols.tokens, symbols.ids.tolist() == [1, 2, NO_ID], symbols.ranks[:2].tolist()
    ([b'a', b' a', b' '], True, [2, 1])
    """
    escape = model.normalizer.escape_whitespaces
    unused = _unused_leaves(model)
    kinds = np.array(model.kinds, dtype=np.uint8)
    usual = [
        (piece, piece_id)
        for piece, piece_id in model.mergeable.items()
        # User-defined pieces are cut out before anything merges, and one with a space is in no normalized text.
        if model.kinds[piece_id] != USER_DEFINED and not (escape and " " in piece)
    ]
    users = {
        data: model.mergeable[piece]
        for piece in model.user_defined
        # One that is no UTF-8 is in no text.
        if is_text(piece) and (data := inside(piece, escape)) is not None
    }
    texts = [piece for piece, _ in usual]
    made = np.array([piece_id for _, piece_id in usual], dtype=np.int64)
    ids = made.tolist()
    known = {text for text in texts if len(text) == 1}
    stray = sorted(set("".join(texts)) - known)
    texts += [character for character in stray if is_text(character)]

    count = len(texts)
    token_ids = np.full(count, NO_ID, dtype=np.uint32)
    token_ranks = np.zeros(count, dtype=np.uint32)
    token_ids[: len(made)] = np.where(kinds[made] == NORMAL, made, NO_ID)
    token_ranks[: len(made)] = score_ranks(model.scores)[made]

    leaves = np.full(count, NO_LEAVES, dtype=np.uint32)
    leaf_starts, leaf_parts = [0], []
    for number in np.flatnonzero(kinds[made] == UNUSED).tolist():
        leaves[number] = len(leaf_starts) - 1
        for leaf_id, text in unused[ids[number]]:
            leaf_parts.append((leaf_id if leaf_id >= 0 else NO_ID, len(inside(text, escape) or b"")))
        leaf_starts.append(len(leaf_parts))

    together = "\0".join(texts)  # no piece holds NUL
    tokens = (together.replace("▁", " ") if escape else together).encode("utf-8", "surrogateescape").split(b"\0")
    alone = [(number, text) for number, text in enumerate(texts) if len(text) == 1 and is_text(text)]
    characters = [(ord(" " if escape and text == "▁" else text), number + 1) for number, text in alone]
    where, what = np.array(characters, dtype=np.int64).reshape(-1, 2).T
    return PieceSymbols(
        tokens if texts else [],
        token_ids,
        token_ranks,
        (where, what.astype(np.uint32)),
        leaves,
        np.array(leaf_starts, dtype=np.int64),
        np.array(leaf_parts, dtype=np.uint32).reshape(-1, 2),
        users,
    )


def number_known(model: PieceModel) -> PieceSymbols:
    """Number the symbols of a BPE model with a pipeline: a piece's number is its id, and no other character merges.

    >>> from minbpe_course.model import PiecePipeline
    >>> merges = np.array([[1, 2, 3]], dtype=np.uint32)
    >>> pipeline = PiecePipeline(known=4, merges=merges)
    >>> model = PieceModel(("<unk>", "a", "▁", "▁a"), (0.0,) * 4, (2, 1, 1, 1), pipeline=pipeline)
    >>> number_known(model).tokens, number_known(model).ids.tolist()
    ([b'<unk>', b'a', b' ', b' a'], [0, 1, 2, 3])
    """
    assert model.pipeline is not None
    count = model.pipeline.known
    # A piece with a real space is in no text: all of them are ▁ by then. So it gets no bytes, and is never found.
    tokens = [inside(piece, True) or b"" for piece in model.pieces[:count]]
    characters = [
        (ord(token.decode("utf-8")), number + 1) for number, token in enumerate(tokens) if _is_character(token)
    ]
    where, what = np.array(characters, dtype=np.int64).reshape(-1, 2).T
    return PieceSymbols(
        tokens,
        np.arange(count, dtype=np.uint32),
        np.zeros(count, dtype=np.uint32),
        (where, what.astype(np.uint32)),
        np.full(count, NO_LEAVES, dtype=np.uint32),
        np.zeros(1, dtype=np.int64),
        np.empty((0, 2), dtype=np.uint32),
        {},
    )


def _is_character(token: bytes) -> bool:
    return 0 < len(token) <= 4 and len(token.decode("utf-8")) == 1


def _unused_leaves(model: PieceModel) -> dict[int, list[tuple[int, str]]]:
    """For every UNUSED piece, the (id, text) that come out in its place; the id is -1 for what is no piece at all.

    How a piece was joined does not depend on the text around it, so it can be looked up once.
    """
    leaves: dict[int, list[tuple[int, str]]] = {}
    if UNUSED not in model.kinds:
        return leaves
    nothing = LongestMatch()
    for piece, piece_id in model.mergeable.items():
        if model.kinds[piece_id] == UNUSED:
            leaves[piece_id] = []
            if inside(piece, model.normalizer.escape_whitespaces) is None or not is_text(piece):
                continue
            merger = Merger(split_symbols(piece, nothing), model.mergeable, model.scores)
            while merger.merge_next() is not None:
                pass
            leaves[piece_id] = [(leaf_id, leaf) for leaf, leaf_id in take_apart(piece, model, merger.cuts)]
    return leaves
