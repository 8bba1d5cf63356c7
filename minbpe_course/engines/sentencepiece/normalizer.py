"""The normaliser of a SentencePiece model, as arrays for ``kernels.normalize``."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from minbpe_course.engines.sentencepiece.piece_layout import first_bytes, outside, outside_positions, trie_of
from minbpe_course.errors import InvalidText
from minbpe_course.kernels.common.memory import Block
from minbpe_course.kernels.lazy import layout, machine, normalize
from minbpe_course.model import USER_DEFINED, NormalizerRules, PieceModel
from minbpe_course.model.piece_rules import NUL, is_text
from minbpe_course.text.normalize import Charsmap

# The longest text that a table of rules may make: so many bytes, or so many times the size of the text.
LONGEST_TEXT, MOST_GROWTH = 1 << 20, 64


class PieceNormalizer:
    """The normaliser and the denormaliser of a model, for text before encoding and after decoding.

    >>> PieceNormalizer(PieceModel(("<unk>", "a"), (0.0, -1.0), (2, 1))).normalize(b"a a").decode()
    '▁a▁a'
    """

    def __init__(self, model: PieceModel) -> None:
        self.model = model

    @cached_property
    def rules(self) -> Rules:
        """The normaliser."""
        return Rules(self.model.normalizer, raw_users(self.model), self.model.treat_whitespace_as_suffix)

    @cached_property
    def _denormalizer(self) -> Rules | None:
        rules = self.model.denormalizer
        return Rules(rules, {}, suffix=False) if rules.charsmap else None

    def normalize(self, text: bytes) -> bytes:
        """Return the normalised text."""
        return outside(normalized_with_positions(self.rules, text)[0].tobytes(), self.rules.escape)

    def normalize_with_positions(self, text: bytes) -> tuple[bytes, list[int]]:
        """Return the normalised text and, for each of its bytes and its end, where in ``text`` it comes from."""
        out, positions = normalized_with_positions(self.rules, text)
        if positions[out.size] < 0:
            return b"", []
        if self.rules.escape:
            positions = outside_positions(out, positions)
        return outside(out.tobytes(), self.rules.escape), positions.tolist()

    def denormalize(self, text: str) -> str:
        """Return the text after the model's denormaliser, if it has one."""
        rules = self._denormalizer
        if rules is None:
            return text
        out, _ = normalized_with_positions(rules, text.encode("utf-8", "surrogateescape"))
        return outside(out.tobytes(), rules.escape).decode("utf-8", "replace")


def normalized_with_positions(rules: Rules, text: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return the normalised text inside the engine, uint8, and the position of each byte and of the end, int64."""
    block = Block(layout.BLOCK)
    rules.place(block)
    data = np.frombuffer(text or b"\0", dtype=np.uint8)
    block.at = data
    block.end = data.ctypes.data + len(text)
    room = 2 * len(text) + 4 * normalize.SLACK
    while True:
        out = np.empty(room, dtype=np.uint8)
        places = np.empty(room + 1, dtype=np.int64)
        block.text, block.text_size, block.positions = out, room, places
        if machine.run(block.normalizer, block.address) == layout.DONE:
            used = block.text_end - out.ctypes.data
            return out[:used], places[: used + 1]
        room = room_to_grow(block.text_wanted, len(text))


def room_to_grow(wanted: int, size: int) -> int:
    """Return ``wanted``, the bytes that a normalised text needs, or raise InvalidText if that is too many."""
    if wanted > max(LONGEST_TEXT, MOST_GROWTH * size):
        raise InvalidText(
            f"the rules of this model make {size:,} bytes of text longer than {wanted // 2:,}: its table is damaged."
        )
    return wanted


def _children(units: np.ndarray, node: int) -> np.ndarray:
    """Return for each byte where the child of the node is whose unit is at ``node``, -1 for none, int64[256]."""
    unit = int(units[node])
    places = (node ^ (unit >> 10) << ((unit & 0x200) >> 6)) ^ np.arange(256)
    inside_table = places < len(units)
    safe = np.where(inside_table, places, 0)
    return np.where(inside_table & (units[safe] & 0x800000FF == np.arange(256)), places, -1)


def _ranges(loud: np.ndarray) -> np.ndarray:
    """Return up to three ranges (first, number) of the bytes that are True, int64[3, 2]; -1 in the first for more."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], loud, [False]])))
    begins, ends = edges[::2], edges[1::2]
    found = np.zeros((3, 2), dtype=np.int64)
    if len(begins) > 3:
        found[0, 0] = -1
    else:
        found[: len(begins), 0] = begins
        found[: len(begins), 1] = ends - begins
    return found


class Rules:
    """The tables of a normaliser; ``place(block)`` enters them into a block, as engines do for their workers.

    user_defined : the pieces to copy, bytes -> id. See ``kernels.normalize`` for the arrays.
    """

    def __init__(self, rules: NormalizerRules, user_defined: dict[bytes, int], suffix: bool) -> None:
        charsmap = Charsmap(rules.charsmap)
        self.units = np.asarray(charsmap.table, dtype=np.uint32)
        self.strings = np.frombuffer(charsmap.strings or b"\0", dtype=np.uint8)
        self.starts = starts = first_bytes(user_defined)
        loud = (starts[:128] & 1).astype(bool)
        high = bool((starts[128:] & 1).any())
        if len(self.units):
            high = True
            root = _children(self.units, 0)
            starts[root >= 0] |= 2
            for byte in np.flatnonzero(root[:128] >= 0).tolist():
                # A rule of this byte alone, or of it and more ASCII: no byte is copied without a look at the rules.
                node = int(root[byte])
                more = _children(self.units, node)[:128] >= 0
                loud[byte] |= bool(int(self.units[node]) >> 8 & 1 or more.any())
        self.loud = _ranges(loud)
        self.trie = trie_of(user_defined)
        self.flags = (
            normalize.DUMMY_PREFIX * rules.add_dummy_prefix
            | normalize.REMOVE_SPACES * rules.remove_extra_whitespaces
            | normalize.ESCAPE * rules.escape_whitespaces
            | normalize.SUFFIX * suffix
            | normalize.HIGH_BYTES * high
        )
        self.escape = rules.escape_whitespaces

    def place(self, block: Block) -> None:
        """Enter the tables into a block."""
        block.rule_starts, block.loud, block.flags = self.starts, self.loud, self.flags
        block.units, block.unit_count = self.units, len(self.units)
        block.strings, block.strings_size = self.strings, len(self.strings)
        block.raw_users, block.normalizer = self.trie, normalize.normalize.address


def raw_users(model: PieceModel) -> dict[bytes, int]:
    """Return the user-defined pieces as they occur in text before normalisation; a pipeline looks for its own."""
    if model.pipeline is not None:
        return {}
    pieces = ((model.flat.piece(at), at) for at in model.ids_of_kind(USER_DEFINED))
    return {piece.encode("utf-8"): at for piece, at in pieces if piece != NUL and is_text(piece)}
