"""Trainers that are broken on purpose, one fault each, and the rule of the conformance suite that must name it."""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType


def broken_trainers(module: ModuleType) -> list[tuple[str, type]]:
    """Return the rule and the class of each."""
    mine = module.MyTokenizer

    class Trained(mine):
        """Learns by ``choose`` and ``count``, of what ``cut`` leaves."""

        choose = staticmethod(lambda counts: max(counts, key=counts.get))
        weight = staticmethod(lambda count: count)

        @staticmethod
        def pairs(ids):
            return pairwise(ids)

        @staticmethod
        def cut(text, pattern, special):
            parts = module.split_on_special(text, dict(special))
            return [word for part, number in parts if number is None for word in module.split_words(part, pattern)]

        @classmethod
        def train(cls, text, vocab_size, pattern, special_tokens=()):
            words: dict = {}
            for word in cls.cut(text, pattern, special_tokens):
                words[word.encode()] = words.get(word.encode(), 0) + 1
            now, merges = [(list(word), cls.weight(count)) for word, count in words.items()], {}
            while 256 + len(merges) < vocab_size:
                counts: dict = {}
                for ids, count in now:
                    for pair in cls.pairs(ids):
                        counts[pair] = counts.get(pair, 0) + count
                if not counts and not cls.raises:
                    break
                pair = cls.choose(counts)
                merges[pair] = 256 + len(merges)
                now = [(module.merge(ids, pair, merges[pair]), count) for ids, count in now]
            return cls({byte: byte for byte in range(256)}, merges, pattern, special_tokens)

        raises = False

    class EachWordOnce(Trained):
        """counts each word once"""

        weight = staticmethod(lambda count: 1)

    class GreatestPair(Trained):
        """ties to the greatest pair"""

        choose = staticmethod(lambda counts: max(counts, key=lambda pair: (counts[pair], pair)))

    class LastSeen(Trained):
        """ties to the pair seen last"""

        choose = staticmethod(lambda counts: max(reversed(counts), key=counts.get))

    class NoOverlaps(Trained):
        """counts without overlaps"""

        @staticmethod
        def pairs(ids):
            at = 0
            while at + 1 < len(ids):
                yield ids[at], ids[at + 1]
                at += 2 if ids[at : at + 2] == ids[at + 1 : at + 3] else 1

    class RunsOut(Trained):
        """max of nothing"""

        raises = True

    class AcrossWords(Trained):
        """learns from the whole text as one word"""

        @staticmethod
        def cut(text, pattern, special):
            return [part for part, number in module.split_on_special(text, dict(special)) if number is None]

    class SpecialsToo(Trained):
        """learns from special tokens"""

        @staticmethod
        def cut(text, pattern, special):
            return module.split_words(text, pattern)

    class OtherPattern(Trained):
        """encodes with another pattern than it learnt with"""

        @classmethod
        def train(cls, text, vocab_size, pattern, special_tokens=()):
            made = super().train(text, vocab_size, pattern, special_tokens)
            made.pattern = r"[^ ]+| +"
            return made

    return [
        ("learns-minbpe-s-merges", EachWordOnce), ("ties-first-seen", GreatestPair), ("ties-first-seen", LastSeen),
        ("pairs-that-overlap", NoOverlaps), ("text-runs-out", RunsOut), ("merges-stay-in-words", AcrossWords),
        ("specials-left-out", SpecialsToo), ("encodes-what-it-learnt", OtherPattern),
    ]  # fmt: skip
