"""SentencePiece Unigram on normalized text: the cut with the best sum of float32 scores.

    ▁Hello|▁world|▁Hello ...       no piece goes across these places (see ``segments``): every path passes them
      -3.1  -8.9    -12.0          so a segment depends on the text before it by one number, the best sum there

The sums of a segment begin with that number, because they are rounded: after another sum, the same segment may be cut
differently. Text is as ``normalize`` writes it: valid UTF-8, with one byte for ▁ if the model escapes spaces.

    nodes          the trie, see ``piece_trie``
    scores         float32 of each id; a user-defined piece has the one that its bytes give it
    lengths        uint32 of each id: its bytes
    unknown_score  the bits of a float32 · longest  bytes of the longest piece
    sum            the bits of the best sum up to at, when the encoder comes back for something
    scratch        12 bytes for each byte of a segment, and 64 more
    spans          0, or int32: how many bytes, ▁ counted as three, each id stands for

Reference implementation: ``reference.unigram``.
"""

from __future__ import annotations

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import helper
from minbpe_course.kernels.sentencepiece.piece_trie import character_size
from minbpe_course.kernels.sentencepiece.unigram_search import UNKNOWN, path_of, search, trace

SPACE = 0x20


@helper
def _width(byte, escapes):
    """Return the bytes of the user's text for a character that begins with ``byte``, and its bytes here."""
    size = character_size(byte)
    return (3 if escapes and byte == SPACE else size), size


@helper
def _seen(at, end, escapes):
    """Return how many bytes of the user's text those from ``at`` to ``end`` stand for."""
    size = end - at
    while escapes and at < end:
        size += 2 if machine.load8(at) == SPACE else 0
        at += 1
    return size


@helper
def write_path(block, at, number, out):
    """Write the ids of the path, and their spans; return the new ``out``."""
    path = path_of(block)
    lengths = block.lengths
    byte_ids = block.byte_ids
    unknown = block.unknown
    escapes = block.escapes != 0
    first = block.first_out
    spans = block.spans - first
    spell = spans != -first
    for k in range(number):
        piece = machine.load32(path + 4 * (number - 1 - k))
        if piece != UNKNOWN:
            size = machine.load32(lengths + 4 * piece)
            machine.store32(out, piece)
            if spell:
                machine.store32(out + spans, _seen(at, at + size, escapes))
            out += 4
            at += size
            continue
        byte = machine.load8(at)
        width, size = _width(byte, escapes)
        if byte_ids != 0:
            for place in range(width):
                if width != size:
                    byte = 0xE2 if place == 0 else 0x96 if place == 1 else 0x81
                else:
                    byte = machine.load8(at + place)
                machine.store32(out, machine.load32(byte_ids + 4 * byte))
                if spell:
                    machine.store32(out + spans, 1)
                out += 4
        elif out > first and machine.load32(out - 4) == unknown:
            # Unknown characters side by side become one id; no other piece has it.
            if spell:
                machine.store32(out - 4 + spans, machine.load32(out - 4 + spans) + width)
        else:
            machine.store32(out, unknown)
            if spell:
                machine.store32(out + spans, width)
            out += 4
        at += size
    return out


@machine.addressed
def encode_part(address):
    """Encode the normalized text from ``at`` to ``end``, the whole text, to ``out``; return DONE, or what is missing.

    A ``part_encoder`` of ``documents``. When something is missing it is called again, with ``at`` and ``sum`` as it
    left them.
    """
    block = layout.block_at(address)
    if block.at == block.text:
        block.sum = 0
    stop = block.end
    splitter = block.splitter
    ends = block.ends
    out = block.out
    total = machine.float_of(block.sum)
    while block.at < stop:
        at = block.at
        number = machine.call(splitter, address)
        for k in range(number):
            end = machine.loadi64(ends + 8 * k)
            size = end - at
            if block.scratch_size < 12 * size + 64:
                block.scratch_wanted = 12 * size + 64
                block.at = at
                block.out = out
                block.sum = machine.bits_of(total)
                return layout.NEEDS_SCRATCH
            search(block, at, end, total)
            out = write_path(block, at, trace(block, at, end), out)
            total = machine.float_of(machine.load32(block.scratch + 8 * size))
            at = end
    block.out = out
    return layout.DONE
