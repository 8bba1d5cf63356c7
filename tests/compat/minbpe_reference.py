"""A plain reimplementation of minbpe, which the drop-in tests compare with.

Slow on purpose, one loop per sentence of the description: count every pair, merge the most frequent (the first seen
of those), name it 256 and up; to encode, always take the pair that was learned earliest. Where minbpe fails (no pair
left, its text format losing blanks) so does this.
"""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import regex


class MinbpeTwin:
    """A tokenizer of minbpe's, with a split pattern or (``pattern=""``) without one."""

    def __init__(self, pattern=""):
        self.pattern = pattern
        self.merges = {}
        self.special_tokens = {}

    def words(self, text):
        """The text cut by the pattern; without one it is a single word."""
        return regex.findall(self.pattern, text) if self.pattern else [text]

    @property
    def vocab(self):
        """Bytes, then every merge; special tokens as they are spelled."""
        table = {number: bytes([number]) for number in range(256)}
        for (left, right), new_id in self.merges.items():
            table[new_id] = table[left] + table[right]
        return table | {number: name.encode("utf-8") for name, number in self.special_tokens.items()}

    def train(self, text, vocab_size):
        words = [list(word.encode("utf-8")) for word in self.words(text)]
        self.merges = {}
        for new_id in range(256, vocab_size):
            counts = {}
            for word in words:
                for pair in pairwise(word):
                    counts[pair] = counts.get(pair, 0) + 1
            best = max(counts, key=counts.get)
            self.merges[best] = new_id
            words = [replaced(word, best, new_id) for word in words]

    def encode_ordinary(self, text):
        ids = []
        for word in self.words(text):
            parts = list(word.encode("utf-8"))
            while known := [pair for pair in pairwise(parts) if pair in self.merges]:
                earliest = min(known, key=self.merges.get)
                parts = replaced(parts, earliest, self.merges[earliest])
            ids += parts
        return ids

    def encode(self, text, allowed_special="none_raise"):
        if allowed_special == "none_raise":
            if any(name in text for name in self.special_tokens):
                raise AssertionError("a special token in the text")
            wanted = []
        elif allowed_special == "all":
            wanted = list(self.special_tokens)
        else:
            wanted = [name for name in self.special_tokens if allowed_special != "none" and name in allowed_special]
        if not wanted:
            return self.encode_ordinary(text)
        ids = []
        for part in regex.split("(" + "|".join(map(regex.escape, wanted)) + ")", text):
            ids += [self.special_tokens[part]] if part in wanted else self.encode_ordinary(part)
        return ids

    def decode(self, ids):
        vocab = self.vocab
        return b"".join(vocab[number] for number in ids).decode("utf-8", errors="replace")

    def model_file(self):
        """The text of ``prefix.model``."""
        lines = ["minbpe v1", self.pattern, str(len(self.special_tokens))]
        lines += [f"{name} {number}" for name, number in self.special_tokens.items()]
        lines += [f"{left} {right}" for left, right in self.merges]
        return "".join(line + "\n" for line in lines)

    def vocab_file(self):
        """The text of ``prefix.vocab``, as it is after a load, when the special tokens are in the vocabulary."""
        vocab = self.vocab
        parents = {new_id: pair for pair, new_id in self.merges.items()}
        lines = []
        for number, token in vocab.items():
            line = f"[{visible(token)}] {number}"
            if number in parents:
                left, right = parents[number]
                line = f"[{visible(vocab[left])}][{visible(vocab[right])}] -> {line}"
            lines.append(line + "\n")
        return "".join(lines)

    @classmethod
    def from_model_file(cls, text):
        """Read a ``.model`` the way minbpe does: every line stripped, every special token cut at blanks."""
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        if lines[-1] == "":
            lines.pop()
        header, pattern, count = (line.strip() for line in lines[:3])
        assert header == "minbpe v1"
        self = cls(pattern)
        for line in lines[3 : 3 + int(count)]:
            name, number = line.split()
            self.special_tokens[name] = int(number)
        for new_id, line in enumerate(lines[3 + int(count) :], start=256):
            left, right = map(int, line.split())
            self.merges[left, right] = new_id
        return self


def replaced(ids, pair, new_id):
    """The ids with every occurrence of the pair, from the left, made one id."""
    out, at = [], 0
    while at < len(ids):
        if tuple(ids[at : at + 2]) == pair:
            out.append(new_id)
            at += 2
        else:
            out.append(ids[at])
            at += 1
    return out


def visible(token):
    text = token.decode("utf-8", errors="replace")
    return "".join(f"\\u{ord(sign):04x}" if unicodedata.category(sign).startswith("C") else sign for sign in text)
