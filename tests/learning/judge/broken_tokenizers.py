"""Tokenizers and trainers with one fault each, and the rule of the conformance suite that must find it.

Each is the tokenizer of ``answers_as_tokenizer`` with some parts of its source replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from minbpe_course.learning.judge.answer_code import BEGIN, END
from minbpe_course.learning.judge.callers import implementation_of
from minbpe_course.learning.judge.exercise import changed
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN
from tests.shared.lesson_code import notebook_of, parts_of

_CLASS = """
class MyTokenizer:
    def __init__(self, byte_ids, merges, pattern, special_tokens=()):
        self.byte_ids, self.merges, self.pattern = byte_ids, merges, pattern
        self.special_tokens = dict(special_tokens)
        self.token_bytes = {number: bytes([byte]) for byte, number in byte_ids.items()}
        for (left, right), number in merges.items():
            self.token_bytes[number] = self.token_bytes[left] + self.token_bytes[right]
        for name, number in self.special_tokens.items():
            self.token_bytes[number] = bytes(utf8_encode(name))
        self.known_words = {}

    @classmethod
    def train(cls, text, vocab_size, pattern, special_tokens=()):
        names, words, merges = list(dict(special_tokens)), {}, {}
        for piece in split_on_special(text, names):
            for word in () if piece in names else split_words(piece, pattern):
                word = bytes(utf8_encode(word))
                words[word] = words.get(word, 0) + 1
        rows = {word: list(word) for word in words}
        for new_id in range(256, vocab_size):
            counts = {}
            for word, ids in rows.items():
                for pair, count in count_pairs(ids).items():
                    counts[pair] = counts.get(pair, 0) + count * words[word]
            if not counts:
                break
            commonest = max(counts, key=counts.get)
            merges[commonest] = new_id
            rows = {word: merge(ids, commonest, new_id) for word, ids in rows.items()}
        return cls({byte: byte for byte in range(256)}, merges, pattern, special_tokens)

    @classmethod
    def from_ranks(cls, ranks, pattern, special_tokens=()):
        byte_ids = {byte: ranks[bytes([byte])] for byte in byte_order(ranks)}
        return cls(byte_ids, merges_from_ranks(ranks), pattern, special_tokens)

    def encode(self, text, allowed_special="none_raise"):
        allowed, ids = allowed_set(text, list(self.special_tokens), allowed_special), []
        for piece in split_on_special(text, sorted(allowed)):
            if piece in allowed:
                ids.append(self.special_tokens[piece])
                continue
            for word in split_words(piece, self.pattern):
                if word not in self.known_words:
                    letters = [self.byte_ids[byte] for byte in utf8_encode(word)]
                    self.known_words[word] = list(apply_merges(letters, self.merges))
                ids += self.known_words[word]
        return ids

    def decode(self, ids):
        return utf8_decode(b"".join(self.token_bytes[number] for number in ids))
"""


def answers_as_tokenizer() -> str:
    """Return the source of a tokenizer made of the answers to lessons 01 to 05."""
    parts = [part for lesson in ("01", "02", "03", "04", "05") for part in parts_of(notebook_of(lesson))]
    parts = [part for part in dict.fromkeys(parts) if part[0].kind != "test" and not part[0].method]
    sources = [source for _, role, source in parts if role in ("given", "answer")]
    lines = "\n".join([*sources, _CLASS]).split("\n")
    return "\n".join(line for line in lines if line.strip() not in (BEGIN, END))


def broken(source: str) -> Iterator[tuple[str, str, type]]:
    """Yield the name of the fault, the rule that must catch it, and the class."""
    for rule, name, *replacements in FAULTS:
        kind = implementation_of(changed(source, *replacements), "MyTokenizer")
        assert isinstance(kind, type)
        yield name, rule, kind


def _first_in_encode(*lines: str) -> tuple[str, str]:
    old = "        allowed, ids = allowed_set"
    return old, "".join(f"        {line}\n" for line in lines) + old


_IDS = "        return ids\n\n    def decode"
_BYTES = 'b"".join(self.token_bytes[number] for number in ids)'
_TEXT = f"        return utf8_decode({_BYTES})"
_MADE = "        self.byte_ids, self.merges, self.pattern = byte_ids, merges, pattern"
_MERGED = "ids = merge(ids, pair, merges[pair])"
_COMMONEST = "commonest = max(counts, key=counts.get)"
_ALIASED = """\
known = self.known_words[word]
                ids += known if ids else []
                ids = ids or known"""
_LONGEST_TOKEN = """\
                    numbers = {token: number for number, token in self.token_bytes.items()}
                    data, found = utf8_encode(word), []
                    while data:
                        size = next(size for size in range(len(data), 0, -1) if data[:size] in numbers)
                        found.append(numbers[data[:size]])
                        data = data[size:]
                    self.known_words[word] = found
"""

FAULTS: tuple[tuple[Any, ...], ...] = (
    # Texts
    ("ids-are-numbers", "ids as text", (_IDS, _IDS.replace("ids", "[str(number) for number in ids]"))),
    ("text-is-text", "decode returns bytes", ("return utf8_decode(b", "return (b")),
    ("empty", "an id for nothing", (_IDS, _IDS.replace("ids", "ids or [0]"))),
    ("spaces-survive", "reads CRLF as LF", _first_in_encode(r'text = text.replace("\r\n", "\n")')),
    ("letters-survive", "normalises to NFC", _first_in_encode('text = unicodedata.normalize("NFC", text)')),
    (
        "long-texts-survive",
        "calls itself for each letter",
        _first_in_encode("walk = lambda at: at == len(text) or walk(at + 1)", "walk(0)"),
    ),
    ("surrogates", "surrogates raise", _first_in_encode('text.encode("utf-8")')),
    (
        "no-borders-of-its-own",
        "chunks of 1,024 characters",
        _first_in_encode(
            "if len(text) > 1024:",
            "    chunks = [text[at : at + 1024] for at in range(0, len(text), 1024)]",
            "    return [number for chunk in chunks for number in self.encode(chunk, allowed_special)]",
        ),
    ),
    # Ids
    (
        "bytes-by-rank",
        "bytes numbered by themselves",
        (_MADE, f"        byte_ids = {{byte: byte for byte in range(256)}}\n{_MADE}"),
    ),
    (
        "earliest-merge-first",
        "the longest token first",
        ("                    self.known_words[word] = list(apply_merges(letters, self.merges))\n", _LONGEST_TOKEN),
    ),
    (
        "leftmost-first",
        "equal pairs from the right",
        (_MERGED, "ids = merge(ids[::-1], pair[::-1], merges[pair])[::-1]"),
    ),
    ("pattern-is-obeyed", "always cuts like GPT-2", (_MADE, f"        pattern = {GPT2_SPLIT_PATTERN!r}\n{_MADE}")),
    (
        "joining",
        "line by line",
        _first_in_encode(
            "lines = text.splitlines(keepends=True)",
            "if len(lines) > 1:",
            "    return [number for line in lines for number in self.encode(line, allowed_special)]",
        ),
    ),
    (
        "ranks-in-any-order",
        "ranks by the order of the dict",
        (
            "        byte_ids = {byte: ranks[",
            "        tokens = sorted(ranks, key=lambda token: len(token) > 1)\n"
            "        ranks = dict(zip(tokens, sorted(ranks.values())))\n"
            "        byte_ids = {byte: ranks[",
        ),
    ),
    (
        "ids-of-gpt2",
        "the last ten thousand merges are missing",
        (_MADE, f"        merges = dict([*merges.items()][:-10_000]) if len(merges) > 20_000 else merges\n{_MADE}"),
    ),
    # Special tokens
    (
        "specials-asked-for",
        "special tokens are text even when asked for",
        _first_in_encode('allowed_special = "none" if allowed_special != "none_raise" else allowed_special'),
    ),
    (
        "specials-not-asked-for",
        "special tokens count even when they are not allowed",
        _first_in_encode('allowed_special = "all" if allowed_special in ("none", set()) else allowed_special'),
    ),
    ("specials-refused", "never raises", ('allowed_special="none_raise"', 'allowed_special="none"')),
    (
        "specials-overlap",
        "the shortest special token first",
        ("sorted(names, key=len, reverse=True)\n    pat", "sorted(names, key=len)\n    pat"),
    ),
    (
        "specials-decoded",
        "special tokens are not decoded",
        (_BYTES, _BYTES.replace("in ids", "in ids if number not in self.special_tokens.values()")),
    ),
    # Decoding, state and speed
    (
        "bytes-joined-first",
        "decodes each id on its own",
        (_TEXT, '        return "".join(utf8_decode(self.token_bytes[number]) for number in ids)'),
    ),
    ("broken-bytes", "broken bytes raise", (_TEXT, f'        return {_BYTES}.decode("utf-8")')),
    (
        "unknown-ids",
        "-1 is the last token",
        (_TEXT, f"        tokens = [self.token_bytes[number] for number in sorted(self.token_bytes)]\n{_TEXT}"),
        ("(self.token_bytes[number] for number in ids)", "(tokens[number] for number in ids)"),
    ),
    (
        "same-twice",
        "appends to the list in its own cache",
        ("ids += self.known_words[word]", _ALIASED),
    ),
    (
        "tokenizers-apart",
        "a cache that belongs to the class",
        ("class MyTokenizer:", "KNOWN = {}\n\nclass MyTokenizer:"),
        ("self.known_words = {}", "self.known_words = KNOWN"),
    ),
    (
        "arguments-kept",
        "decode takes the ids out of the list",
        (_TEXT, f"        ids = [ids.pop(0) for _ in range(len(ids))]\n{_TEXT}"),
    ),
    (
        "time-of-a-word",
        "looks at every stretch of a word",
        _first_in_encode(
            "import time",
            "ends = time.process_time() + 1.2e-9 * max(map(len, text.split()), default=0) ** 3",
            "while time.process_time() < ends:  # the clock by which the rule measures: other programs do not count",
            "    pass",
        ),
    ),
    (
        "time-of-a-text",
        "copies the text for every other letter",
        _first_in_encode("for at in range(0, len(text), 2):", '    sum(text[at:].encode("utf-8", "replace"))'),
    ),
    # Training
    ("learns-minbpe-s-merges", "counts each word once", ("+ count * words[word]", "+ count")),
    (
        "ties-first-seen",
        "ties to the greatest pair",
        (_COMMONEST, "commonest = max(counts, key=lambda pair: (counts[pair], pair))"),
    ),
    (
        "pairs-that-overlap",
        "counts without overlaps",
        (
            "    for pair in zip(ids, ids[1:]):\n        counts[pair]",
            "    before = None\n"
            "    for pair in zip(ids, ids[1:]):\n"
            "        before = pair if pair != before else None\n"
            "        if before is None:\n"
            "            continue\n"
            "        counts[pair]",
        ),
    ),
    (
        "text-runs-out",
        "max of nothing",
        (f"            if not counts:\n                break\n            {_COMMONEST}", f"            {_COMMONEST}"),
    ),
    (
        "merges-stay-in-words",
        "learns from the whole text as one word",
        ("in names else split_words(piece, pattern)", "in names else [piece]"),
    ),
    (
        "specials-left-out",
        "learns from special tokens",
        ("in split_on_special(text, names)", "in [text]"),
    ),
    (
        "encodes-what-it-learned",
        "encodes with another pattern than it learnt with",
        ("range(256)}, merges, pattern,", 'range(256)}, merges, r"[^ ]+| +",'),
    ),
)
