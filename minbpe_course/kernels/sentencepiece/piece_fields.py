"""The pieces at the beginning of a SentencePiece file, read in one pass, in the form in which nearly all are written.

    0A size  0A size text  15 score (4 bytes)  [18 kind]        one piece: its text, its score, perhaps its kind

Anything else ends the reading: longer texts, other orders, unknown fields. ``formats.sentencepiece_proto`` reads those.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.compiled import compiled

NORMAL, LAST_KIND = 1, 6
SHORTEST = 10  # bytes of a piece with one byte of text


@compiled
def read_pieces(data, begin, texts, starts, scores, kinds, ends):
    """Read pieces from ``data[begin]`` on; return how many.

    texts : uint8[len(data)], gets the text of each piece and a NUL · starts : int64[n + 1], where each begins ·
    scores : uint8[n, 4], the bytes of each float32 · kinds : uint8[n] · ends : int64[2], gets where the reading ended
    and how many bytes of ``texts`` were written.
    """
    size = data.size - 16
    at = begin
    used = 0
    number = 0
    starts[0] = 0
    while at < size and number < kinds.size and data[at] == 0x0A and data[at + 2] == 0x0A:
        text = at + 4
        score = text + np.int64(data[at + 3])
        stop = at + 2 + np.int64(data[at + 1])
        if data[at + 1] > 0x7F or data[at + 3] > 0x7F or score == text or score + 5 > stop or stop > size:
            break
        if data[score] != 0x15:
            break
        kind = NORMAL
        if score + 7 == stop and data[score + 5] == 0x18 and 1 <= data[score + 6] <= LAST_KIND:
            kind = data[score + 6]
        elif score + 5 != stop:
            break
        first = used
        for place in range(text, score):
            texts[used] = data[place]
            if data[place] == 0:
                break
            used += 1
        if used - first != score - text:
            # A NUL would look like the end of the text.
            used = first
            break
        texts[used] = 0
        used += 1
        for k in range(4):
            scores[number, k] = data[score + 1 + k]
        kinds[number] = kind
        number += 1
        starts[number] = used
        at = stop
    ends[0] = at
    ends[1] = used
    return number
