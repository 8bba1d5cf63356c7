"""Freeze the Unicode properties and the case folding of the installed tiktoken into minbpe_course/text/data.

    python -m tools.unicode_properties          write the table
    python -m tools.unicode_properties check    compare it with tiktoken; exit status 1 if anything differs

The tool matches every code point with tiktoken. The `regex` module only supplies the names to try: it knows the aliases
of a newer Unicode, and the tool leaves out each name that tiktoken refuses. Takes three minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import regex._regex_core as regex_core
import tiktoken

from minbpe_course.files import write_whole
from minbpe_course.text import code_points, properties

EVERYTHING = "".join(map(chr, [*range(0xD800), *range(0xE000, properties.CODE_POINTS)]))
BYTES = {bytes([byte]): byte for byte in range(256)}
VERSIONS = (
    *("1.1", "2.0", "2.1", "3.0", "3.1", "3.2", "4.0", "4.1", "5.0", "5.1", "5.2", "6.0", "6.1", "6.2", "6.3"),
    *("7.0", "8.0", "9.0", "10.0", "11.0", "12.0", "12.1", "13.0", "14.0", "15.0", "15.1", "16.0", "17.0", "18.0"),
)
WITH_VALUES = {
    "gc": "GENERALCATEGORY",
    "sc": "SCRIPT",
    "scx": "SCRIPTEXTENSIONS",
    "gcb": "GRAPHEMECLUSTERBREAK",
    "wb": "WORDBREAK",
    "sb": "SENTENCEBREAK",
}


def engine(pattern: str) -> tiktoken.Encoding | None:
    """Return an encoding whose ids are the bytes that ``pattern`` matches, or None if tiktoken refuses the pattern."""
    try:
        return tiktoken.Encoding("asked", pat_str=pattern, mergeable_ranks=BYTES, special_tokens={})
    except ValueError:
        return None


def members(pattern: str, text: str = EVERYTHING) -> np.ndarray:
    """Return which code points of ``text`` a pattern for one character matches, bool[0x110000]."""
    asked = engine(f"(?:{pattern})+")
    if asked is None:
        raise SystemExit(f"tiktoken refuses {pattern[:100]}")
    matched = asked.encode_to_numpy(text, disallowed_special=()).astype(np.uint8).tobytes().decode("utf-8")
    found = np.zeros(properties.CODE_POINTS, dtype=bool)
    found[np.frombuffer(matched.encode("utf-32-le"), dtype="<u4")] = True
    return found


def names_to_ask() -> Iterator[tuple[str, tuple]]:
    """Yield (name to write between the braces, key shared by all names of the same set)."""
    tables = regex_core.PROPERTIES
    singles: dict[str, list] = {}
    for name, (number, *_) in tables.items():
        singles.setdefault(name, []).append(("property", number))
    for short, long in WITH_VALUES.items():
        number, values = tables[long][:2]
        prefixes = [name for name, (other, *_) in tables.items() if other == number]
        for value, code in values.items():
            if short in ("gc", "sc"):
                singles.setdefault(value, []).append((short, code))
            for prefix in prefixes:
                yield f"{prefix}={value}", (short, code)
    for name in ("ANY", "ASSIGNED", "ASCII"):
        yield f"gc={name}", (name,)
        singles.setdefault(name, []).append(name)
    for version in VERSIONS:
        for spelled in (version, "V" + version.replace(".", "_")):
            yield f"age={spelled}", ("age", version)
    for name, meanings in singles.items():
        yield name, tuple(meanings)


def read_properties() -> dict[str, np.ndarray]:
    """Ask tiktoken which code points each name matches; names with the same meaning share one array."""
    asked: dict[tuple, np.ndarray] = {}
    found: dict[str, np.ndarray] = {}
    for name, key in names_to_ask():
        if engine(f"\\p{{{name}}}") is None:
            continue
        if key not in asked:
            asked[key] = members(f"\\p{{{name}}}")
        found[properties.normalized(name)] = asked[key]
    found[properties.WORD] = members(r"\w")
    return found


def read_cases() -> list[tuple[int, ...]]:
    """Ask tiktoken which characters are equal where case is ignored: groups in ascending order."""
    seen = np.zeros(properties.CODE_POINTS, dtype=bool)
    groups = []
    text = "".join(
        c
        for c in EVERYTHING
        if len({c, c.lower(), c.upper(), c.title(), c.casefold()}) > 1
        or len(regex_core._regex.get_all_cases(regex_core.IGNORECASE, ord(c))) > 1
    )
    for character in text:
        if seen[ord(character)]:
            continue
        codes = tuple(np.flatnonzero(members(f"(?i:\\x{{{ord(character):x}}})", text)).tolist())
        seen[list(codes)] = True
        if len(codes) > 1:
            groups.append(codes)
    rest = np.ones(properties.CODE_POINTS, dtype=bool)
    rest[[code for group in groups for code in group]] = False
    rest[0xD800:0xE000] = False
    spelled = "".join(f"\\x{{{first:x}}}-\\x{{{last:x}}}" for first, last in code_points.ranges_of(rest))
    if (members(f"(?i:[{spelled}])") != rest).any():
        raise SystemExit("some characters have another case that was not asked for")
    return groups


def main(arguments: list[str]) -> int:
    """Write or compare the table; return the exit status."""
    if arguments not in ([], ["check"]):
        print(__doc__)
        return 2
    packed = properties.pack(read_properties(), read_cases())
    if not arguments:
        write_whole(properties.DATA_FILE, packed)
        print(f"tiktoken {tiktoken.__version__}: {len(packed)} bytes written")
        return 0
    differs = packed != properties.DATA_FILE.read_bytes()
    print(f"tiktoken {tiktoken.__version__}: the properties {'differ' if differs else 'are the same'}")
    return int(differs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
