"""Wrong answers to the exercises of lesson 09, and what the check says about each."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

WRONG = [
    Wrong(
        "09.cache_name",
        "Latin-1",
        """
        def cache_name(address):
            return hashlib.sha1(address.encode("ascii", "replace")).hexdigest()
        """,
        hint="",
    ),
    Wrong(
        "09.read_merges",
        "strips",
        """
        def read_merges(text):
            lines = text.split("\\n")
            lines = lines[1:] if lines and lines[0].startswith("#version:") else lines
            lines = [line.strip() for line in lines]
            return [tuple(line.split(" ")) for line in lines if line]
        """,
        hint="",
    ),
    Wrong(
        "09.keeps_ids",
        "in order of length",
        """
        def keeps_ids(merges):
            table = [bytes([byte]) for byte in range(256)]
            for left, right in merges:
                table.append(table[left] + table[right])
            sizes = [len(token) for token in table]
            return sizes == sorted(sizes) and len(set(table)) == len(table)
        """,
        hint="",
    ),
    Wrong(
        "09.test_format",
        "one friendly model",
        """
        def test_format(save_and_load):
            model = {"merges": [(97, 98)], "pattern": "a+", "special_tokens": {"<|end|>": 300}}
            assert save_and_load(model) == model
        """,
        hint="misses:strips",
    ),
    Wrong(
        "09.test_format",
        "blanks and lines only",
        """
        def test_format(save_and_load):
            for odd in (" a ", "a\\nb", "a\\r\\nb", "a\\x85b\\u2028"):
                model = {"merges": [(97, 98)], "pattern": odd, "special_tokens": {"<" + odd + ">": 300}}
                assert save_and_load(model) == model
        """,
        hint="misses:replaces",
        points=1,
    ),
    Wrong(
        "09.test_format",
        "wants the very same object",
        """
        def test_format(save_and_load):
            model = {"merges": [(97, 98)], "pattern": "a+", "special_tokens": {}}
            assert save_and_load(model) is model
        """,
        hint="rejects-right",
    ),
    Wrong(
        "09.choose_alphabet",
        "the letters in order",
        """
        def choose_alphabet(tokens):
            return [chr(byte) for byte in range(256)]
        """,
        hint="unseen",
    ),
    Wrong(
        "09.choose_alphabet",
        "letters for what is there",
        """
        def choose_alphabet(tokens):
            return [chr(0x100 + byte) for byte in set(b"".join(tokens))]
        """,
        hint="not-256",
    ),
    Wrong(
        "09.choose_alphabet",
        "shares letters",
        """
        def choose_alphabet(tokens):
            return [chr(byte) if 33 <= byte < 127 else "?" for byte in range(256)]
        """,
        hint="alike",
    ),
    Wrong(
        "09.choose_alphabet",
        "the common ones, without the signs between the letters",
        """
        def choose_alphabet(tokens):
            from collections import Counter

            counts = Counter(b"".join(tokens))
            letters = {byte: chr(byte) for byte in range(128) if chr(byte).isalpha()}
            signs = [chr(c) for c in [*range(33, 65), *range(0xC0, 0x200)]]
            others = sorted((b for b in range(256) if b not in letters), key=lambda b: -counts[b])
            letters |= dict(zip(others, signs))
            return [letters[byte] for byte in range(256)]
        """,
        hint="below the level",
        points=2,
    ),
]
