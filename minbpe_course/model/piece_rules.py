"""The rules of sentencepiece 0.2.3 for a valid list of pieces.

A piece is a str, but its bytes may be invalid UTF-8: an invalid byte becomes a lone surrogate, as in Python's file
names ("surrogateescape"). So every piece has exactly one str, and ``piece_utf8`` gives its bytes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from minbpe_course.errors import InvalidModel

# The kinds of a piece and the types of a model, numbered as in the files.
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
KIND_NAMES = {1: "NORMAL", 2: "UNKNOWN", 3: "CONTROL", 4: "USER_DEFINED", 5: "UNUSED", 6: "BYTE"}
MODEL_TYPES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}
WRITTEN_KINDS = (NORMAL, USER_DEFINED, UNUSED)  # those that can come from text
MOST_PIECE_BYTES = 7999  # sentencepiece 0.2.3 refuses longer ones
BYTE_PIECES = tuple(f"<0x{byte:02X}>" for byte in range(256))
NUL = "\0"


def piece_utf8(piece: str) -> bytes:
    r"""Return the bytes of a piece.

    >>> piece_utf8("é"), piece_utf8(b"a\xff".decode("utf-8", "surrogateescape"))
    (b'\xc3\xa9', b'a\xff')
    """
    return piece.encode("utf-8", "surrogateescape")


def is_text(piece: str) -> bool:
    r"""Return whether the bytes of a piece are valid UTF-8.

    >>> is_text("é"), is_text("\udcff")
    (True, False)
    """
    try:
        piece.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def check_pieces(
    pieces: Sequence[str], scores: Sequence[float], kinds: Sequence[int], model_type: str, byte_fallback: bool
) -> None:
    """Raise InvalidModel for a list of pieces that sentencepiece refuses to load."""
    if not len(pieces) == len(scores) == len(kinds):
        raise InvalidModel(f"{len(pieces)} pieces, {len(scores)} scores and {len(kinds)} kinds.")
    if model_type not in MODEL_TYPES.values():
        raise InvalidModel(f"unknown model type {model_type!r}; known: {', '.join(MODEL_TYPES.values())}.")
    for kind in set(kinds) - set(KIND_NAMES):
        at = kinds.index(kind)
        raise InvalidModel(f"piece {at} ({pieces[at]!r}) is of kind {kind}; the kinds are 1 to 6.")
    _check_texts(pieces, kinds)
    _check_twice(pieces, kinds, model_type)
    if kinds.count(UNKNOWN) > 1 or (UNKNOWN not in kinds and not byte_fallback):
        raise InvalidModel(f"{kinds.count(UNKNOWN)} pieces are of kind UNKNOWN; exactly one must be.")
    _check_bytes(pieces, kinds, byte_fallback)
    if model_type == "unigram":
        _check_unigram(pieces, scores, kinds)


def _check_texts(pieces: Sequence[str], kinds: Sequence[int]) -> None:
    together = "".join(pieces)
    longest = max(map(len, pieces), default=0)
    if all(pieces) and NUL not in together and is_text(together) and 4 * longest <= MOST_PIECE_BYTES:
        return  # nearly always, and much quicker than one by one
    for at, piece in enumerate(pieces):
        if not piece:
            raise InvalidModel(f"piece {at} is empty.")
        if NUL in piece and not (piece == NUL and kinds[at] == UNUSED):
            raise InvalidModel(f"piece {at} ({piece[:40]!r}) contains NUL.")
        try:
            data = piece_utf8(piece)
        except UnicodeEncodeError as error:
            raise InvalidModel(f"piece {at} ({piece[:40]!r}) holds a lone surrogate, which no file can.") from error
        if data.decode("utf-8", "surrogateescape") != piece:
            raise InvalidModel(f"piece {at} ({piece[:40]!r}) spells a character as single bytes; write the character.")
        if len(data) > MOST_PIECE_BYTES:
            raise InvalidModel(f"piece {at} ({piece[:40]!r}...) is longer than {MOST_PIECE_BYTES:,} bytes.")


def _check_twice(pieces: Sequence[str], kinds: Sequence[int], model_type: str) -> None:
    """Refuse two pieces with one text.

    BPE keeps one list. The other types keep two, and a text may be on both: of pieces that text becomes, and of the
    others. An unused NUL is on none.
    """
    if len(set(pieces)) == len(pieces):
        return
    seen: dict[tuple[str, bool], int] = {}
    for at, (piece, kind) in enumerate(zip(pieces, kinds)):
        list_of = model_type != "bpe" and kind not in WRITTEN_KINDS
        if piece != NUL and seen.setdefault((piece, list_of), at) != at:
            first = seen[piece, list_of]
            raise InvalidModel(f"pieces {first} and {at} are both {piece[:40]!r}; every piece must be there once.")


def _check_bytes(pieces: Sequence[str], kinds: Sequence[int], byte_fallback: bool) -> None:
    names = {pieces[at] for at in _places_of(BYTE, bytes(kinds))}
    if names and not byte_fallback:
        raise InvalidModel(f"{len(names)} byte pieces such as {min(names)}, but byte_fallback is off.")
    strange = names.difference(BYTE_PIECES)
    if strange:
        raise InvalidModel(
            f"the piece {min(strange)!r} is of kind BYTE but names no byte; byte pieces are <0x00> to <0xFF>."
        )
    missing = [name for name in BYTE_PIECES if name not in names]
    if byte_fallback and missing:
        raise InvalidModel(
            f"byte_fallback needs 256 byte pieces; {len(missing)} are missing, the first is {missing[0]}."
        )


def _places_of(kind: int, kinds: bytes) -> Iterator[int]:
    at = kinds.find(kind)
    while at >= 0:
        yield at
        at = kinds.find(kind, at + 1)


def _check_unigram(pieces: Sequence[str], scores: Sequence[float], kinds: Sequence[int]) -> None:
    for at, score in enumerate(scores):
        if not math.isfinite(score):
            raise InvalidModel(f"piece {at} ({pieces[at][:40]!r}) has the score {score}, which no Unigram model may.")
    if not any(kind in WRITTEN_KINDS and piece != NUL for piece, kind in zip(pieces, kinds)):
        raise InvalidModel("no piece of this Unigram model can come from text.")
