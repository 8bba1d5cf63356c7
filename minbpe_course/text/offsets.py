"""From places in bytes to places in characters, for offsets into a text that is a ``str``.

    "é x"    bytes     C3 A9 20 78 end
             places     0  0  1  2   3

Broken UTF-8 has places too: as sentencepiece does, the first byte of a character says how many bytes it takes.
"""

from __future__ import annotations

import numpy as np


def character_places(data: bytes) -> list[int]:
    r"""Return for each byte, and for the end, how many characters begin before the one that it belongs to.

    >>> character_places("é x".encode()), character_places(b"\xe2\x82")
    ([0, 0, 1, 2, 3], [0, 0, 1])
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _places_of_broken(data)
    begins = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    places: list[int] = (np.cumsum(begins) - 1).tolist()
    return [*places, places[-1] + 1 if places else 0]


def _places_of_broken(data: bytes) -> list[int]:
    places: list[int] = []
    number = at = 0
    while at < len(data):
        lead = data[at]
        length = min(1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4, len(data) - at)
        places += [number] * length
        number += 1
        at += length
    return [*places, number]


def places_of_characters(positions: list[int], source: bytes, output: bytes) -> list[int]:
    """Turn byte positions into character positions: of each character of ``output``, and of its end, in ``source``.

    positions : for each byte of ``output``, and for its end, the byte of ``source`` that it comes from. Of a character
    the last byte decides.

    >>> places_of_characters([0, 0, 0, 0, 0, 2, 3], "é!".encode(), "▁é!".encode())
    [0, 0, 1, 2]
    """
    of_source, of_output = character_places(source), character_places(output)
    result = [0] * (of_output[-1] + 1)
    for place, position in zip(of_output, positions):
        if position < len(of_source):
            result[place] = of_source[position]
    return result
