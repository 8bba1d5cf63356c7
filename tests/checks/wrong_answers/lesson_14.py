"""Wrong answers to the exercises of lesson 14."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong
from tests.checks.wrong_answers.lesson_14_tests import TESTS

_UNBEATEN = """
        def unbeaten(rows):
            def beats(one, other):
                pairs = list(zip(one[1:], other[1:]))
                return {how}
            return [row[0] for row in rows if not any(beats(other, row) for other in rows{others})]
"""

_ENCODE = """
        def encode_parts(word, ranks):
            parts = [word[at : at + 1] for at in range(len(word))]
            while True:
                found = [({key}, at) for at in range(len(parts) - 1) if parts[at] + parts[at + 1] in ranks]
                if not found:
                    return [ranks[part] for part in parts]
                _, at = min(found)
                parts[at : at + 2] = [parts[at] + parts[at + 1]]
"""

_SHRINK = """
        def shrink(text):
            if not is_wrong(text):
                return text
            size, again = {start}, True
            while size:
                at, again = 0, False
                while at < len(text):
                    shorter = text[:at] + text[at + size :]
                    if is_wrong(shorter):
                        text, again = shorter, True
                        {behind}
                    else:
                        at += size
                size = {following}
            return text
"""


def _shrink(
    start: str = "len(text) // 2", behind: str = "pass", following: str = "size // 2 if size > 1 else again"
) -> str:
    return _SHRINK.format(start=start, behind=behind, following=following)


WRONG = [
    Wrong(
        "14.id_bits",
        "the logarithm, rounded up",
        """
        import math

        def id_bits(ids):
            return len(ids) * max(1, math.ceil(math.log2(max(ids, default=1) or 1)))
        """,
        hint="one-too-few",
    ),
    Wrong(
        "14.id_bits",
        "each its own",
        """
        def id_bits(ids):
            return sum(max(1, number.bit_length()) for number in ids)
        """,
        hint="own-widths",
    ),
    Wrong(
        "14.id_bits",
        "different ids",
        """
        def id_bits(ids):
            return len(ids) * max(1, (len(set(ids)) - 1).bit_length())
        """,
        hint="different-ids",
    ),
    Wrong(
        "14.id_bits",
        "zeros for nothing",
        """
        def id_bits(ids):
            return len(ids) * max(ids, default=0).bit_length()
        """,
        hint="no-width",
    ),
    Wrong(
        "14.unbeaten",
        "equal ones beat each other",
        _UNBEATEN.format(how="one is not other and all(a >= b for a, b in pairs)", others=""),
        hint="equals-beat",
    ),
    Wrong(
        "14.unbeaten",
        "better everywhere",
        _UNBEATEN.format(how="all(a > b for a, b in pairs)", others=""),
        hint="better-everywhere",
    ),
    Wrong(
        "14.unbeaten",
        "two numbers",
        _UNBEATEN.format(how="all(a >= b for a, b in pairs[:2]) and any(a > b for a, b in pairs[:2])", others=""),
        hint="two-numbers",
    ),
    Wrong(
        "14.unbeaten",
        "the best of each",
        """
        def unbeaten(rows):
            firsts = [max(numbers) for numbers in zip(*[row[1:] for row in rows])]
            return [row[0] for row in rows if any(a == b for a, b in zip(row[1:], firsts))]
        """,
        hint="best-in-one",
    ),
    Wrong(
        "14.unbeaten",
        "the best score",
        """
        def unbeaten(rows):
            best = max(a * b * c for _, a, b, c in rows)
            return [name for name, a, b, c in rows if a * b * c == best]
        """,
        hint="one-score",
    ),
    Wrong(
        "14.unbeaten",
        "sorted by name",
        _UNBEATEN.format(how="all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)", others="")
        .replace("return [row[0]", "return sorted(row[0]")
        .replace("in rows)]", "in rows))"),
        hint="",
    ),
    Wrong("14.encode_parts", "the first pair", _ENCODE.format(key="0"), hint="first-possible"),
    Wrong(
        "14.encode_parts",
        "the newest merge",
        _ENCODE.format(key="-ranks[parts[at] + parts[at + 1]]"),
        hint="newest-first",
    ),
    Wrong(
        "14.encode_parts",
        "the longest token",
        """
        def encode_parts(word, ranks):
            ids = []
            while word:
                size = max(size for size in range(1, len(word) + 1) if word[:size] in ranks)
                ids.append(ranks[word[:size]])
                word = word[size:]
            return ids
        """,
        hint="longest-token",
    ),
    Wrong("14.shrink", "goes on behind what went", _shrink(behind="at += size"), hint="moves-on"),
    Wrong("14.shrink", "one round of letters", _shrink(following="size // 2"), hint="once"),
    Wrong("14.shrink", "letters only", _shrink(start="1", following="int(again)"), hint="letters-only"),
    Wrong(
        "14.shrink",
        "right ones too",
        """
        def shrink(text):
            wrong, size = is_wrong(text), len(text) // 2
            while size:
                at, again = 0, 0
                while at < len(text):
                    shorter = text[:at] + text[at + size :]
                    if is_wrong(shorter) == wrong:
                        text, again = shorter, 1
                    else:
                        at += size
                size = size // 2 if size > 1 else again
            return text
        """,
        hint="shrinks-the-right",
    ),
    Wrong(
        "14.choose_tokens",
        "whole words",
        """
        def choose_tokens(words, budget):
            return sorted(words, key=words.get, reverse=True)[:budget]
        """,
        hint="below the level",
    ),
    Wrong(
        "14.choose_tokens",
        "the commonest two letters",
        """
        from collections import Counter

        def choose_tokens(words, budget):
            counts = Counter()
            for word, count in words.items():
                for at in range(len(word) - 1):
                    counts[word[at : at + 2]] += count
            return [pair for pair, _ in counts.most_common(budget)]
        """,
        hint="below the level",
        points=2,
    ),
    Wrong(
        "14.choose_tokens",
        "all words",
        """
        def choose_tokens(words, budget):
            return list(words)
        """,
        hint="too-many",
    ),
    Wrong(
        "14.choose_tokens",
        "the commonest bytes",
        """
        from collections import Counter

        def choose_tokens(words, budget):
            counts = Counter(byte for word in words for byte in word)
            return [bytes([byte]) for byte, _ in counts.most_common(min(budget, 2))]
        """,
        hint="single-bytes",
    ),
    Wrong(
        "14.choose_tokens",
        "ends, as often as they come",
        """
        def choose_tokens(words, budget):
            return [word[-2:] for word in words][: min(2, budget)] * 1 if len(words) > 3 else [b"lo", b"lo"]
        """,
        hint="twice",
    ),
    *TESTS,
]
