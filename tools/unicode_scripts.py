"""Write the table of scripts that SentencePiece's trainer uses, by asking the installed sentencepiece::

    python -m tools.unicode_scripts            write minbpe_course/text/data/scripts-sentencepiece.zlib
    python -m tools.unicode_scripts check      compare, write nothing; exit status 1 where something differs

A model is trained on words of two characters. A word becomes a piece if both are of one script. So every code point is
tested with "!" (if it joins, its script is common, or inherited if it also joins "a"), the others with the first of
them, and so on, script by script. Takes two minutes.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable

import numpy as np
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from minbpe_course.files import write_whole
from minbpe_course.text import unicode_tables

# NUL, the border of words, the space, ▁ and the sign for rare characters are never asked about by their script.
NOT_ASKED = {0x00, 0x1F, 0x20, 0x2581, 0x2585}
AT_A_TIME = 100_000


def pieces_of(words: Iterable[str]) -> set[str]:
    """Return those of the words of two characters that sentencepiece makes pieces of."""
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(words),
        model_writer=file,
        model_type="bpe",
        vocab_size=2_000_000,
        hard_vocab_limit=False,
        character_coverage=1.0,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        minloglevel=2,
    )
    proto = sentencepiece_model_pb2.ModelProto()  # type: ignore[attr-defined]
    proto.ParseFromString(file.getvalue())
    return {piece.piece for piece in proto.pieces if len(piece.piece) == 2}


def goes_with(points: list[int], other: str) -> list[int]:
    """Return the code points that form a piece with ``other`` after them."""
    found = []
    for begin in range(0, len(points), AT_A_TIME):
        some = points[begin : begin + AT_A_TIME]
        pieces = pieces_of(chr(point) + other for point in some)
        found += [point for point in some if chr(point) + other in pieces]
    return found


def read_scripts() -> np.ndarray:
    """Ask sentencepiece for the script of every code point, uint8[0x110000]."""
    table = np.full(unicode_tables.CODE_POINTS, unicode_tables.COMMON, dtype=np.uint8)
    asked = [
        point for point in range(unicode_tables.CODE_POINTS) if not 0xD800 <= point < 0xE000 and point not in NOT_ASKED
    ]
    common = goes_with(asked, "!")
    table[goes_with(common, "a")] = unicode_tables.INHERITED
    known = set(common)
    left = [point for point in asked if point not in known]
    script = 2
    while left:
        members = goes_with(left, chr(left[0]))
        table[members] = script
        script += 1
        known = set(members)
        left = [point for point in left if point not in known]
    return table


def main(arguments: list[str]) -> int:
    """Write or compare the table; return the exit status."""
    if arguments not in ([], ["check"]):
        print(__doc__)
        return 2
    table = read_scripts()
    if not arguments:
        packed = unicode_tables.pack(table, unicode_tables.SCRIPT_BITS)
        write_whole(unicode_tables.data_file("scripts-sentencepiece"), packed)
        print(f"sentencepiece {sentencepiece.__version__}: {len(packed)} bytes written")
        return 0
    differing = np.flatnonzero(table != unicode_tables.scripts())
    names = ", ".join(f"U+{point:04X}" for point in differing[:10])
    print(f"sentencepiece {sentencepiece.__version__}: {differing.size} code points differ {names}")
    return int(differing.size > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
