"""Freeze the character classes of the installed tiktoken and regex into minbpe_course/text/data (for maintainers).

    python -m tools.unicode_tables          write both tables, the general categories of tiktoken, and the characters
                                            that normalizers of tokenizers change
    python -m tools.unicode_tables check    only say which code points differ from the stored tables; exit code 1 if any

Each engine is asked, not believed: the classes are read by matching every code point, so the tables are those of the
engine's own build. After a change of versions, put the new ones into ``minbpe_course.text.unicode_tables.VERSIONS``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import regex
import tiktoken
from tokenizers import normalizers, pre_tokenizers

from minbpe_course.files import write_whole
from minbpe_course.text import unicode_tables as tables
from minbpe_course.text.unicode_tables import CATEGORIES

# The first class that matches wins, so that \r and \n are newlines before they are spaces.
QUESTIONS = (
    (r"[\r\n]", tables.NEWLINE),
    (r"\s", tables.SPACE),
    (r"[\p{Lu}\p{Lt}]", tables.UPPER),
    (r"\p{Ll}", tables.LOWER),
    (r"[\p{Lm}\p{Lo}]", tables.EITHER),
    (r"\p{M}", tables.MARK),
    (r"\p{N}", tables.NUMBER),
)


def read_classes(matching: Callable[[str, str], str]) -> np.ndarray:
    """Ask an engine for the class of every code point, uint8[0x110000].

    matching : (pattern for one character, text) -> the characters of the text that match it, joined.
    """
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, tables.CODE_POINTS)]))
    classes = np.full(tables.CODE_POINTS, tables.OTHER, dtype=np.uint8)
    for pattern, number in reversed(QUESTIONS):
        found = np.frombuffer(matching(pattern, everything).encode("utf-32-le"), dtype="<u4")
        classes[found] = number
    return classes


def read_categories(matching: Callable[[str, str], str]) -> np.ndarray:
    """Ask an engine for the general category of every code point, uint8[0x110000]: places in CATEGORIES.

    Surrogates, which no text holds, are given the category that they have.
    """
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, tables.CODE_POINTS)]))
    found = np.full(tables.CODE_POINTS, 255, dtype=np.uint8)
    for place, category in enumerate(CATEGORIES):
        text = matching(f"\\p{{{category}}}", everything) if category != "Cs" else ""
        found[np.frombuffer(text.encode("utf-32-le"), dtype="<u4")] = place
    found[0xD800:0xE000] = CATEGORIES.index("Cs")
    if (found == 255).any():
        raise SystemExit(f"no category has U+{int((found == 255).argmax()):04X}")
    return found


def read_composing() -> np.ndarray:
    """Ask tokenizers which characters NFC changes, moves, or makes one with others: uint8[0x110000], 0 or 1."""
    nfc, nfd = normalizers.NFC().normalize_str, normalizers.NFD().normalize_str
    found = np.zeros(tables.CODE_POINTS, dtype=np.uint8)
    for point in [*range(0xD800), *range(0xE000, tables.CODE_POINTS)]:
        parts = nfd(chr(point))
        # A mark of any class lets the mark of class 1 pass; any other character keeps it after the mark of class 240.
        passed = nfc(f"a\u0345{chr(point)}\u0334")
        if parts != chr(point) or passed.index("\u0334") < passed.index("\u0345"):
            found[[point, *map(ord, parts)]] = 1
    return found


def read_compatible() -> np.ndarray:
    """Ask tokenizers which characters NFKD changes: uint8[0x110000], 0 or 1."""
    return _changed(normalizers.NFKD().normalize_str, range(tables.CODE_POINTS))


def read_punctuation() -> np.ndarray:
    """Ask tokenizers which characters Punctuation splits at: uint8[0x110000], 0 or 1."""
    split = pre_tokenizers.Punctuation("removed").pre_tokenize_str
    return _changed(lambda one: "".join(word for word, _ in split(one)), range(tables.CODE_POINTS))


def read_bert() -> np.ndarray:
    """Ask tokenizers what its normalizers take away: uint8[0x110000], see ``unicode_tables.bert_characters``."""
    bert = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False}
    steps = {
        tables.REMOVED: normalizers.BertNormalizer(**bert | {"clean_text": True}),
        tables.ACCENT: normalizers.BertNormalizer(**bert | {"strip_accents": True}),
        tables.ANY_MARK: normalizers.StripAccents(),
    }
    found = np.zeros(tables.CODE_POINTS, dtype=np.uint8)
    for point in [*range(0xD800), *range(0xE000, tables.CODE_POINTS)]:
        for flag, step in steps.items():
            found[point] |= flag * (step.normalize_str(f"x{chr(point)}x") == "xx")
    return found


def _changed(change: Callable[[str], str], points: range) -> np.ndarray:
    found = np.zeros(tables.CODE_POINTS, dtype=np.uint8)
    for point in points:
        if not 0xD800 <= point < 0xE000:
            found[point] = change(chr(point)) != chr(point)
    return found


def matching_in_regex(pattern: str, text: str) -> str:
    return "".join(regex.findall(pattern, text))


def matching_in_tiktoken(pattern: str, text: str) -> str:
    """tiktoken drops what its pattern does not match; with only the 256 bytes as vocabulary, ids are bytes."""
    encoding = tiktoken.Encoding(
        "classes", pat_str=pattern, mergeable_ranks={bytes([byte]): byte for byte in range(256)}, special_tokens={}
    )
    return bytes(encoding.encode_ordinary(text)).decode("utf-8")


READERS = {"tiktoken": matching_in_tiktoken, "regex": matching_in_regex}
INSTALLED = {"tiktoken": tiktoken.__version__, "regex": regex.__version__}


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["check"]):
        print(__doc__)
        return 2
    worst = 0
    for engine in tables.ENGINES:
        classes = read_classes(READERS[engine])
        if arguments:
            differing = np.flatnonzero(classes != tables.character_classes(engine))
            names = ", ".join(f"U+{point:04X}" for point in differing[:10])
            print(f"{engine} {INSTALLED[engine]}: {differing.size} code points differ {names}")
            worst = max(worst, int(differing.size > 0))
        else:
            packed = tables.pack(classes)
            write_whole(tables.data_file(f"classes-{engine}"), packed)
            print(f"{engine} {INSTALLED[engine]}: {len(packed)} bytes written")
    categories = read_categories(matching_in_tiktoken)
    if arguments:
        differing = np.flatnonzero(categories != tables.categories())
        print(f"categories of tiktoken {INSTALLED['tiktoken']}: {differing.size} code points differ")
        worst = max(worst, int(differing.size > 0))
    else:
        packed = tables.pack(categories, tables.CATEGORY_BITS)
        write_whole(tables.data_file("categories-tiktoken"), packed)
    for what, name, there, read in (
        ("NFC changes", "composing-tokenizers", tables.composing_characters, read_composing),
        ("NFKD changes", "compatible-tokenizers", tables.compatible_characters, read_compatible),
        ("Punctuation splits at", "punctuation-tokenizers", tables.punctuation, read_punctuation),
        ("BERT's normalizer removes", "bert-tokenizers", tables.removed_characters, read_bert),
    ):
        table = read()
        if arguments:
            differing = np.flatnonzero(table != there())
            print(f"characters that {what} in tokenizers: {differing.size} code points differ")
            worst = max(worst, int(differing.size > 0))
        else:
            write_whole(tables.data_file(name), tables.pack(table))
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
