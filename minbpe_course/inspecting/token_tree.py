"""The merges that make one token from bytes, or from characters where tokens are pieces, as a tree.

tree(record, 1002)      the two tokens that become this one, the two that become each of them, and so on
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from minbpe_course.errors import NotAvailable
from minbpe_course.formats.any_format import Model
from minbpe_course.inspecting.anatomy import look_up
from minbpe_course.model import KIND_NAMES, NORMAL, UNUSED, BytePairModel, PieceModel, VocabularyModel, piece_utf8

LONGEST_TREE = 400  # bytes; each merge looks at all parts of the token


@dataclass(frozen=True)
class Node:
    """A token and the two tokens that merge into it; a byte, a character or an unmerged token has no parts.

    rank : the position of the merge, 0 first; in a SentencePiece model the score without its sign.
    """

    token_id: int
    token: bytes
    rank: float | None = None
    parts: tuple[Node, ...] = ()


def tree(record: Model, token_id: int) -> Node:
    """Return how merges make a token from bytes, or from characters where tokens are pieces.

    Raises UnknownToken, and NotAvailable with the reason if no merges make it.

    >>> [part.token for part in tree(BytePairModel([(97, 98), (256, 99)]), 257).parts]
    [b'ab', b'c']
    """
    token = look_up(record, token_id)
    if token["kind"] in ("special", "control", "unknown", "user-defined"):
        raise NotAvailable(f"{token_id} is {token['kind']}: it has an id of its own, and no merges make it.")
    if len(token["bytes"]) > LONGEST_TREE:
        raise NotAvailable(f"{token_id} has {len(token['bytes']):,} bytes; trees are drawn for up to {LONGEST_TREE:,}.")
    if isinstance(record, BytePairModel):
        return _learned(record, token_id)
    if isinstance(record, PieceModel):
        parts = _grown(*_pieces(record, token_id))
    else:
        parts = _grown(_bytes(record, token["bytes"]), (_by_rank if record.merges is None else _by_list)(record))
    if len(parts) == 1 and parts[0].token_id == token_id:
        return parts[0]
    if isinstance(record, VocabularyModel) and record.whole_words:
        # A word that is this token is taken whole; merges alone would stop here.
        return Node(token_id, token["bytes"], None, tuple(parts))
    raise NotAvailable(f"no merges make {token_id}: they stop at {' '.join(str(part.token_id) for part in parts)}.")


def _learned(record: BytePairModel, token_id: int) -> Node:
    places = {made: rank for rank, made in enumerate(record.merge_ids)} if record.skipped_ids else None

    def rank_of(made: int) -> int:
        return made - 256 if places is None else places[made]

    def node(each: int) -> Node:
        token = record.token_bytes[each]
        if each < 256:
            return Node(each, token)
        left, right = record.pairs[rank_of(each)].tolist()
        return Node(each, token, rank_of(each), (node(left), node(right)))

    return node(token_id)


# Of two neighbours: the order of their merge, the id that it makes, and the rank to show; None if they do not merge.
Joined = tuple[float, int, float] | None


def _grown(parts: list[Node], joined: Callable[[Node, Node], Joined]) -> list[Node]:
    """Merge neighbours, the best first and of equals the leftmost, until none can."""
    while len(parts) > 1:
        found = [(made[0], at, made) for at in range(len(parts) - 1) if (made := joined(parts[at], parts[at + 1]))]
        if not found:
            break
        _, at, (_, token_id, rank) = min(found)
        left, right = parts[at : at + 2]
        parts[at : at + 2] = [Node(token_id, left.token + right.token, rank, (left, right))]
    return parts


def _bytes(record: VocabularyModel, token: bytes) -> list[Node]:
    return [Node(record.byte_ids[byte], token[at : at + 1]) for at, byte in enumerate(token)]


def _by_rank(record: VocabularyModel) -> Callable[[Node, Node], Joined]:
    def joined(left: Node, right: Node) -> Joined:
        made = record.ranks.get(left.token + right.token)
        return None if made is None else (made, made, made)

    return joined


def _by_list(record: VocabularyModel) -> Callable[[Node, Node], Joined]:
    # Of a pair that is listed twice, the last place counts.
    table = {(left, right): (place, made) for place, (left, right, made) in enumerate(record.merges or ())}

    def joined(left: Node, right: Node) -> Joined:
        found = table.get((left.token_id, right.token_id))
        return None if found is None else (found[0], found[1], found[0])

    return joined


def _pieces(record: PieceModel, token_id: int) -> tuple[list[Node], Callable[[Node, Node], Joined]]:
    """Return the characters of a piece, and how two neighbours merge."""
    piece, kind = record.pieces[token_id], record.kinds[token_id]
    if record.model_type != "bpe" or kind not in (NORMAL, UNUSED):
        raise NotAvailable(
            f"no merges make {token_id}: it is a {KIND_NAMES[kind]} piece of a {record.model_type} model."
        )

    def joined(left: Node, right: Node) -> Joined:
        made = record.mergeable.get((left.token + right.token).decode("utf-8", "surrogateescape"))
        return None if made is None else (-record.scores[made], made, abs(record.scores[made]))

    return [Node(record.piece_ids.get(each, record.unk_id), piece_utf8(each)) for each in piece], joined
