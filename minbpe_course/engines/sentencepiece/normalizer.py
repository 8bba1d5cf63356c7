"""The normaliser of a SentencePiece model, as arrays for ``kernels.normalize``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from minbpe_course.engines.sentencepiece.piece_layout import lay_trie, outside, outside_positions, place_trie
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
        """The normaliser, for exact positions."""
        return Rules(self.model.normalizer, raw_users(self.model), self.model.treat_whitespace_as_suffix, exact=True)

    @cached_property
    def _denormalizer(self) -> Rules | None:
        rules = self.model.denormalizer
        return Rules(rules, {}, suffix=False, exact=True) if rules.charsmap else None

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


class RuleTables(NamedTuple):
    """A normaliser: starts uint8[256], units uint32, strings uint8, loud int64[3, 2]; see ``kernels.normalize``.

    high : whether a rule or a user-defined piece begins with a byte above ASCII.
    """

    starts: np.ndarray
    units: np.ndarray
    strings: np.ndarray
    loud: np.ndarray
    high: bool


def pack_rules(units: Sequence[int] | np.ndarray, strings: bytes, user_defined: Iterable[bytes]) -> RuleTables:
    """Lay out a normaliser from the two halves of an opened table of rules (empty for none) and the pieces to copy."""
    starts = np.zeros(256, dtype=np.uint8)
    table = np.asarray(units, dtype=np.uint32)
    for piece in user_defined:
        starts[piece[0]] |= 1
    loud = (starts[:128] & 1).astype(bool)
    if len(table):
        root = _children(table, np.zeros(1, dtype=np.int64))[0]
        starts[root >= 0] |= 2
        for byte in np.flatnonzero(root[:128] >= 0).tolist():
            # A rule of this byte alone, or of it and more ASCII: the byte must not be copied without a look at the
            # rules.
            unit = int(root[byte])
            loud[byte] |= bool(int(table[unit]) >> 8 & 1) or bool((_children(table, root[[byte]])[0, :128] >= 0).any())
    high = len(table) > 0 or bool((starts[128:] & 1).any())
    return RuleTables(starts, table, np.frombuffer(strings or b"\0", dtype=np.uint8), _ranges(loud), high)


# How ``kernels.normalize`` treats a character: look at the rules; copy it; copy it unless the next one can continue a
# rule; treat it as a space.
ASK, COPY, COPY_ALONE, SPACE_KIND = range(4)
MOST_KINDS = 0x10000


def character_kinds(units: np.ndarray, user_defined: Iterable[bytes]) -> np.ndarray:
    """Return uint8[0x10000 + 256]: the kind of each character below 0x10000, then 1 for each byte that the second
    character of a rule can begin with.
    """
    kinds = np.full(MOST_KINDS + 256, COPY, dtype=np.uint8)
    kinds[MOST_KINDS:] = 0
    if len(units):
        for size, first, end in ((1, 0, 0x80), (2, 0xC2, 0xE0), (3, 0xE0, 0xF0)):
            _note_kinds(units, size, first, end, kinds)
    kinds[ord("▁")] = ASK
    kinds[ord(" ")] = SPACE_KIND if kinds[ord(" ")] == COPY else ASK
    for piece in user_defined:
        character = piece[:3].decode("utf-8", "ignore")[:1]
        kinds[ord(character) if character else slice(MOST_KINDS)] = ASK
    return kinds


def _note_kinds(units: np.ndarray, size: int, first: int, end: int, kinds: np.ndarray) -> None:
    """Set the kinds of all characters of ``size`` bytes, of which the first is from ``first`` to before ``end``."""
    found = _children(units, np.zeros(1, dtype=np.int64))[0, first:end]
    leads = np.flatnonzero(found >= 0)
    nodes, codes = found[leads], leads + first & (0x7F, 0x1F, 0x0F)[size - 1]
    for more in range(size - 1, 0, -1):
        ends = units[nodes] >> 8 & 1 == 1
        for code in codes[ends].tolist():
            # A rule for the beginning of these characters.
            kinds[code << 6 * more : code + 1 << 6 * more] = ASK
        nodes, codes = nodes[~ends], codes[~ends]
        children = _children(units, nodes)[:, 0x80:0xC0]
        which, last = np.nonzero(children >= 0)
        nodes, codes = children[which, last], codes[which] << 6 | last
    # A unit with the label of a byte is a child of every node that has its place without that byte as its base.
    label = (units & 0x800000FF).astype(np.int64)
    parents = np.where(label < 0x100, np.arange(len(units)) ^ label, 0)
    bases, ours = _bases(units, nodes), np.zeros(len(units) | 0xFF, dtype=bool)
    ours[parents[label < 0x100]] = True
    continued = ours[bases]
    kinds[codes] = np.where(units[nodes] >> 8 & 1 == 1, ASK, np.where(continued, COPY_ALONE, COPY))
    ours[:] = False
    ours[bases] = True
    kinds[MOST_KINDS + label[(label < 0x100) & ours[parents]]] = 1


def _bases(units: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Return where the child for byte 0 of each node would be, int64."""
    unit = units[nodes].astype(np.int64)
    return nodes ^ (unit >> 10) << ((unit & 0x200) >> 6)


def _children(units: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Return for each node, whose units are at ``nodes``, and each byte the place of the child, -1 for none."""
    places = _bases(units, nodes)[:, None] ^ np.arange(256)
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

    exact : whether user-defined pieces are looked for even where they change nothing but positions.
    """

    def __init__(self, rules: NormalizerRules, user_defined: dict[bytes, int], suffix: bool, exact: bool) -> None:
        charsmap = Charsmap(rules.charsmap)
        spaced = rules.remove_extra_whitespaces and any(b" " in piece for piece in user_defined)
        wanted = user_defined if exact or len(charsmap.table) or spaced else {}
        self.tables: RuleTables = pack_rules(charsmap.table, charsmap.strings, wanted)
        # For exact positions, the normaliser goes through the text character by character.
        self.kinds = character_kinds(self.tables.units, wanted) if len(charsmap.table) and not exact else None
        self.trie = lay_trie(wanted)
        self.flags = (
            normalize.DUMMY_PREFIX * rules.add_dummy_prefix
            | normalize.REMOVE_SPACES * rules.remove_extra_whitespaces
            | normalize.ESCAPE * rules.escape_whitespaces
            | normalize.SUFFIX * suffix
            | normalize.HIGH_BYTES * self.tables.high
        )
        self.escape = rules.escape_whitespaces

    def place(self, block: Block) -> None:
        """Enter the tables into a block."""
        block.rule_starts = self.tables.starts
        block.units, block.unit_count = self.tables.units, len(self.tables.units)
        block.strings, block.strings_size = self.tables.strings, len(self.tables.strings)
        block.loud = self.tables.loud
        block.character_kinds = 0 if self.kinds is None else self.kinds
        block.flags = self.flags
        place_trie(block, "raw_user", self.trie)
        block.normalizer = normalize.normalize.address


def raw_users(model: PieceModel) -> dict[bytes, int]:
    """Return the user-defined pieces as they occur in text before normalisation; a pipeline looks for its own."""
    if model.pipeline is not None:
        return {}
    pieces = ((model.flat.piece(at), at) for at in model.ids_of_kind(USER_DEFINED))
    return {piece.encode("utf-8"): at for piece, at in pieces if piece != NUL and is_text(piece)}
