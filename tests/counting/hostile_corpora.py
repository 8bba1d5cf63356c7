"""Corpora that are hard to cut, their word counts found in the plainest way, and files of every kind with them.

documents = hostile_documents(random.Random(7))
counted_plainly(documents, pattern, special_tokens)      word -> [count, first place], by ``regex`` alone
written(folder, documents, "json lines", "gz")           the files of a corpus, and the options to read them
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import regex

from minbpe_course.corpus import parts
from minbpe_course.counting import sources, spill_to_disk
from minbpe_course.text.patterns import named_pattern

SPECIAL_TOKENS = ["<|endoftext|>", "<|end|>", "<|", "\n\n#", "é|"]

# Separators of words, things like special tokens, and characters of several code points or bytes.
FRAGMENTS = [
    "<|endoftext|>", "<|endof", "text|>", "<|end|>", "<|", "|>", "|", "\n\n#", "\n\n", "#", "é|", "e\u0301|",
    "\r\n", "\r", "\n", "\r\r\n", " \r\n \r", "\n \n", "\t", " ", "  ", "    ", "\u0085", "\u00a0", "\u3000", "\u2028",
    "\u0085 ", "\u00a0 ", " \u00a0", "\u3000  ", "\u200b", "\u200d", "\ufeff", "\0", "\x1c", "\x1f ", "\u180e",
    "'s", "'S", "'ll", "'LL", "'ſ", "’s", "'", "''", "n't", "'re ", " 'tis",
    "1", "12", "123", "1234", "²", "٣٤", "Ⅷ", "1,000.5", "-1",
    "a", "A", "word", "Word", " word", "Ünïcöde", "e\u0301", "\u0301", "\u0301\u0302", "ſ", "K", "ı", "İ", "ß", "ǅ",
    "中文字", "ひらがな", "한국어", "ไทย", "हिन्दी", "עברית", "ﷺ", "\u0600", "\u06dd",
    "👩‍💻", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇫", "😀", "\U000e0067", "\U0001fffe", "𝔘𝔫𝔦", "\U0010ffff",
    "!", "...", "?!", "/", "//\n", "_", "__x__", "<", ">", "\\", "\"", "`", "$", "%", "&", "€", "·",
    "x" * 40, "9" * 70, " " * 50, "\n" * 30, "!" * 33, "ab" * 30, "é" * 20, "中" * 30, "\u0301" * 25,
]  # fmt: skip


def hostile_text(chance: random.Random, most: int = 80) -> str:
    """Return random fragments, often of few kinds, so that all combinations of borders occur."""
    kinds = chance.sample(FRAGMENTS, chance.choice([2, 3, 5, 9, len(FRAGMENTS)]))
    return "".join(chance.choices(kinds, k=chance.randint(0, most)))


def hostile_documents(chance: random.Random, number: int = 6, most: int = 80) -> list[str]:
    return [hostile_text(chance, most) for _ in range(chance.randint(1, number))]


def counted_plainly(
    documents: Iterable[str], pattern: str | None, special_tokens: Sequence[str] = ()
) -> dict[bytes, list[int]]:
    """Return word -> [count, first place]: remove special tokens, the leftmost and longest first, and let ``regex``
    find the words between them."""
    names = sorted(special_tokens, key=len, reverse=True)
    border = re.compile("|".join(map(re.escape, names))) if names else None
    words = regex.compile(named_pattern(pattern)).findall if pattern is not None else (lambda text: [text])
    found: dict[bytes, list[int]] = {}
    place = 0
    for document in documents:
        for between in border.split(document) if border else [document]:
            for word in words(between):
                spelled = word.encode("utf-8")
                if spelled:
                    found.setdefault(spelled, [0, place])[0] += 1
                    place += len(spelled)
    return found


# ---- Files

ALONE: dict[str, Callable[[bytes], bytes]] = {
    "gz of several members": lambda data: gzip.compress(data, 1, mtime=0),
    "bz2": lambda data: bz2.compress(data, 1),
    "xz": lambda data: lzma.compress(data, preset=0),
}
try:
    import zstandard
except ImportError:
    pass
else:
    ALONE["zst"] = zstandard.compress


def in_thirds(pack: Callable[[bytes], bytes], data: bytes) -> bytes:
    third = len(data) // 3
    return b"".join(map(pack, (data[:third], data[third : 2 * third], data[2 * third :])))


PACKED: dict[str, Callable[[bytes], bytes]] = {"": bytes, "gz": ALONE["gz of several members"]}
PACKED |= {name: partial(in_thirds, pack) for name, pack in ALONE.items()}

# A line cannot contain a line end; a string in JSON can.
KINDS = ("text", "json lines", "lines")


def written(folder: Path, documents: Sequence[str], kind: str, packed: str = "") -> tuple[list[Path], dict[str, Any]]:
    """Write documents into files, return these and the options of ``Corpus``. Texts get a file each."""
    folder.mkdir(parents=True, exist_ok=True)
    suffix = f".{packed.split()[0]}" if packed else ""
    if kind == "text":
        contents = {f"{number:04}.txt": document for number, document in enumerate(documents)}
    elif kind == "lines":
        contents = {"all.txt": "".join(f"{document}\n" for document in documents)}
    else:
        lines = [json.dumps({"n": 1, "text": each}, ensure_ascii=len(each) % 2 == 0) for each in documents]
        contents = {"all.jsonl": "\n".join(lines)}
    paths = []
    for name, text in contents.items():
        paths.append(folder / (name + suffix))
        paths[-1].write_bytes(PACKED[packed](text.encode("utf-8")))
    return paths, {"text": {}, "lines": {"lines": True}, "json lines": {"field": "text"}}[kind]


def one_line(document: str) -> str:
    """Return a document without line ends, for a file of lines."""
    return document.replace("\r", "").replace("\n", "")


# ---- Small steps, so that short texts meet every border


def shrink(monkeypatch: Any, *, memory: int, block: int, part: int = 1 << 25, given: int = 0) -> None:
    """Count with so much memory, in blocks of characters and parts of bytes, without waiting for the disk."""
    monkeypatch.setattr("minbpe_course.resources.memory.for_work", lambda _: memory)
    monkeypatch.setattr("minbpe_course.files.os.fsync", lambda _: None)
    for name, value in {"_LEAST_TABLE": 1, "_SMALLEST_BLOCK": block, "_LARGEST_BLOCK": block, "_PLACES": 64}.items():
        monkeypatch.setattr(spill_to_disk, name, value)
    monkeypatch.setattr(sources, "_GIVEN", given or 2 * block)
    monkeypatch.setattr(sources, "PART", part)


def in_small_steps(monkeypatch: Any, chance: random.Random) -> dict[str, int]:
    """Choose random sizes, most of them tiny; return them."""
    sizes = {
        "part": chance.choice([1, 2, 7, 33, 200, 1 << 20]),
        "window": chance.choice([1, 5, 64, 1 << 14]),
        "block": chance.choice([1, 3, 20, 1 << 16]),
        "memory": chance.choice([1, 2_000, 40_000, 1 << 24]),
        "threads": chance.choice([1, 1, 2, 3]),
    }
    shrink(monkeypatch, memory=sizes["memory"], block=sizes["block"], part=sizes["part"], given=sizes["block"])
    monkeypatch.setattr(spill_to_disk, "_SMALLEST_BLOCK", 1)
    monkeypatch.setattr(parts, "_WINDOW", sizes["window"])
    return sizes
