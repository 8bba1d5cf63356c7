"""What one thread encodes text with that is normalised first, as SentencePiece's is."""

from __future__ import annotations

import numpy as np

from minbpe_course.engines.text_worker import OUT_SLACK, TextWorker
from minbpe_course.errors import InvalidText
from minbpe_course.kernels.common.memory import ID

# Room for text at first, and how much of it is kept between calls.
FIRST_TEXT, MOST_KEPT_TEXT = 1 << 13, 1 << 23

# A table of rules may make a text longer, but not without end: to so many bytes, or so many times its size.
LONGEST_TEXT, MOST_GROWTH = 1 << 26, 64


class NormalizedTextWorker(TextWorker):
    """A worker with room for normalised text, which encodes the parts of a text between user-defined pieces."""

    _spelling: int

    def encode_parts_with(self, part_encoder: int, spelling: int) -> None:
        """Say which kernels encode a part: one that is fast, and one that notes what each id stands for."""
        from minbpe_course.kernels.sentencepiece import documents, segments

        block = self.block
        block.splitter = segments.split_segments.address
        block.encoder = documents.encode_document.address
        block.part_encoder = part_encoder
        self._spelling = spelling
        self._text(FIRST_TEXT)

    def mend(self, reason: int) -> None:
        """Bring what the encoder came back for."""
        from minbpe_course.kernels.common import layout

        if reason == layout.NEEDS_TEXT:
            self._text(room_to_grow(self.block.text_wanted, self.block.end - self.block.at))
        elif reason == layout.NEEDS_OUT:
            self._more_out()
        else:
            super().mend(reason)

    def spell(self, text: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Encode normalised text, uint8 with room for reading behind it; return its ids, uint32, and how many bytes
        each stands for, ▁ counted as three, int32.
        """
        from minbpe_course.kernels.sentencepiece import normalize

        block = self.block
        own, own_size, own_encoder = block.kept["text"], block.text_size, block.part_encoder
        most = text.size * block.ids_a_byte + 2 * OUT_SLACK
        spans = np.empty(most, dtype=np.int32)
        begin = text.ctypes.data
        block.text, block.text_size, block.text_end = text, text.size, begin + text.size
        block.at = block.end = begin
        block.limit = begin + text.size + normalize.SLACK
        block.spans, block.part_encoder = spans, self._spelling
        block.first_out = 0
        try:
            ids = self.encode(np.empty(most, dtype=ID))
        finally:
            block.text, block.text_size, block.part_encoder = own, own_size, own_encoder
            block.spans = 0
        return ids, spans[: ids.size]

    def _text(self, size: int) -> None:
        from minbpe_course.kernels.sentencepiece import normalize

        # Read in windows, up to 64 bytes behind what was written.
        self.block.text = np.empty(size + 2 * normalize.SLACK, dtype=np.uint8)
        self.block.text_size = size + normalize.SLACK

    def _more_out(self) -> None:
        """Make room for the ids of the text that was normalised just now, and as much for those behind it."""

        block = self.block
        used = (block.out - self._out.ctypes.data) >> 2
        most = (block.text_end - block.text) * block.ids_a_byte
        out = np.empty(2 * self._out.size + most + 2 * OUT_SLACK, dtype=ID)
        out[:used] = self._out[:used]
        self._out = out
        block.out, block.out_end = out, out.ctypes.data + out.nbytes
        block.out = out.ctypes.data + 4 * used

    def _filled(self) -> np.ndarray:

        if self.block.text_size > MOST_KEPT_TEXT:
            self._text(FIRST_TEXT)
        return super()._filled()


def room_to_grow(wanted: int, size: int) -> int:
    """Return how many bytes a normalised text is given that wants so many: ``wanted``, or InvalidText.

    >>> room_to_grow(100, 10)
    100
    """
    if wanted > max(LONGEST_TEXT, MOST_GROWTH * size):
        raise InvalidText(
            f"the rules of this model make {size:,} bytes of text longer than {wanted // 2:,}: its table is damaged."
        )
    return wanted
