"""What one thread encodes with, whatever the model: a block of addresses, room for short texts, scratch memory.

    place, encode          one text
    encode_places          many, with ``kernels.calls.encode_many``

The encoder comes back when something is missing; ``mend`` brings it, and the encoder goes on.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minbpe_course.kernels.common.memory import TEXT_SLACK, Block

# Words that the splitter hands over at a time.
ROOM = 256

# Ids that a text may have beyond one a byte: the kernels store four at a time.
OUT_SLACK = 4

FIRST_SCRATCH = 1 << 13


class TextWorker:
    """The state of one encoding thread: not to be used by two at a time.

    block : the addresses of a vocabulary, which become this worker's own · splitter, encoder : addresses of kernels ·
    objects : what ``kernels.lists.block`` gave.
    """

    def __init__(self, block: Block, splitter: int, encoder: int, objects: int = 0) -> None:
        from minbpe_course.kernels.common import layout
        from minbpe_course.kernels.splitting import split

        self.block = block
        self.address = block.address
        block.splitter, block.encoder = splitter, encoder
        block.ends = np.empty(ROOM + split.SLACK, dtype=np.int64)
        block.room = ROOM
        block.tail = np.zeros(2 * TEXT_SLACK + 64, dtype=np.uint8)
        self.short_out = block.short_out = np.empty(layout.SHORT_IDS, dtype=np.uint32)
        block.objects = objects
        self._scratch(FIRST_SCRATCH)

    def clear(self) -> None:
        """Forget what earlier texts have shown."""
        raise NotImplementedError

    def mend(self, reason: int) -> None:
        """Bring what the encoder came back for."""
        from minbpe_course.kernels.common import layout

        assert reason == layout.NEEDS_SCRATCH, reason
        self._scratch(2 * self.block.scratch_wanted)

    def place(self, begin: int, size: int) -> None:
        """Say where the text to encode lies."""

        block = self.block
        block.at = begin
        block.end = block.limit = begin + size

    def encode(self, out: np.ndarray) -> np.ndarray:
        """Encode the text that was placed; return its ids, in ``out`` if that is large enough.

        out : uint32, OUT_SLACK more than the text has bytes.
        """
        from minbpe_course.kernels.common import layout, machine

        block = self.block
        self._out = out
        block.out, block.out_end = out, out.ctypes.data + out.nbytes
        while True:
            reason = machine.run(block.encoder, block.address)
            if reason == layout.DONE:
                return self._filled()
            self.mend(reason)

    def encode_places(
        self, kernel: Callable[..., int], places: np.ndarray, begin: int, end: int, offsets: np.ndarray, out: np.ndarray
    ) -> np.ndarray:
        """Encode the texts ``begin`` to ``end`` of ``places`` one behind the other with ``kernels.calls.encode_many``;
        return their ids, in ``out`` if that is large enough. ``offsets[k + 1]`` becomes where those of text k end.
        """

        block = self.block
        self._out = out
        block.out, block.out_end = out, out.ctypes.data + out.nbytes
        again = 0
        while True:
            first = self._out.ctypes.data
            begin = kernel(self.address, places.ctypes.data, begin, end, offsets.ctypes.data, first, again)
            if begin == end:
                return self._filled()
            self.mend(block.reason)
            again = 1

    def _filled(self) -> np.ndarray:
        """Take the ids out: the array they are in, cut to size."""

        out = self._out
        used = (self.block.out - out.ctypes.data) >> 2
        del self._out, self.block.kept["out"]
        if not out.flags.owndata:
            return out[:used]
        out.resize(used, refcheck=False)
        return out

    def _scratch(self, size: int) -> None:

        self.block.scratch = np.empty(size, dtype=np.uint8)
        self.block.scratch_size = size
