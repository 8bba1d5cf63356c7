"""Store the tables of the normalizers that the installed sentencepiece contains::

    python -m tools.normalizer_tables          write minbpe_course/text/data/normalizer-*.xz

``tests/text/test_normalize.py`` compares them with the installed sentencepiece.
"""

from __future__ import annotations

import lzma

import sentencepiece

from minbpe_course.files import write_whole
from minbpe_course.formats.sentencepiece_options import normalizer_options
from minbpe_course.text import normalize


def installed_table(name: str) -> bytes:
    """Return the table of a normalizer of the installed sentencepiece."""
    options = normalizer_options()
    options.read(sentencepiece.SentencePieceNormalizer(rule_name=name).serialized_normalizer_spec())
    return bytes(options.precompiled_charsmap)


if __name__ == "__main__":
    for name in set(normalize.RULE_NAMES) - {"identity"}:
        packed = lzma.compress(installed_table(name), preset=9 | lzma.PRESET_EXTREME)
        write_whole(normalize.table_file(name), packed)
        print(f"{name} of sentencepiece {sentencepiece.__version__}: {len(packed)} bytes written")
