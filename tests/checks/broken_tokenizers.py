"""Tokenizers and trainers with one fault each, and the rule of the conformance suite that must find it.

``broken(module)`` makes them from a collected ``my_tokenizer``: subclasses of its MyTokenizer, changed in one place.
"""

from __future__ import annotations

import re
import time
import unicodedata
from itertools import pairwise
from types import ModuleType
from typing import Any, ClassVar

from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN


def broken(module: ModuleType) -> list[tuple[str, str, type]]:
    """Return the name of the fault, the rule that must catch it, and the class."""
    made = [
        *_of_texts(module.MyTokenizer),
        *_of_ids(module),
        *_of_specials(module),
        *_of_laws(module),
        *_of_training(module),
    ]
    return [(kind.__doc__ or kind.__name__, rule, kind) for rule, kind in made]


def _of_texts(mine: Any) -> list[tuple[str, type]]:
    class Strings(mine):
        """ids as text"""

        def encode(self, text, *more):
            return [str(number) for number in super().encode(text, *more)]

    class Bytes(mine):
        """decode returns bytes"""

        def decode(self, ids):
            return super().decode(ids).encode()

    class NeverEmpty(mine):
        """an id for nothing"""

        def encode(self, text, *more):
            return super().encode(text, *more) or [0]

    class Strips(mine):
        """strips the text"""

        def encode(self, text, *more):
            return super().encode(text.strip(" "), *more)

    class UnixLines(mine):
        """reads CRLF as LF"""

        def encode(self, text, *more):
            return super().encode(text.replace("\r\n", "\n"), *more)

    class Composes(mine):
        """normalises to NFC"""

        def encode(self, text, *more):
            return super().encode(unicodedata.normalize("NFC", text), *more)

    class NoMark(mine):
        """drops the byte order mark"""

        def encode(self, text, *more):
            return super().encode(text.removeprefix("\ufeff"), *more)

    class TwoBytes(mine):
        """nothing beyond U+FFFF"""

        def encode(self, text, *more):
            return super().encode("".join(c if ord(c) < 0x10000 else "\ufffd" for c in text), *more)

    class Recursive(mine):
        """calls itself for each letter"""

        def encode(self, text, *more):
            def walk(at):
                return 0 if at == len(text) else 1 + walk(at + 1)

            assert walk(0) == len(text)
            return super().encode(text, *more)

    class Strict(mine):
        """surrogates raise"""

        def encode(self, text, *more):
            text.encode("utf-8")
            return super().encode(text, *more)

    class Chunks(mine):
        """chunks of 1,024 characters"""

        def encode(self, text, *more):
            parts = [text[at : at + 1024] for at in range(0, len(text), 1024)]
            return [number for part in parts for number in super(Chunks, self).encode(part, *more)]

    return [
        ("ids-are-numbers", Strings), ("text-is-text", Bytes), ("empty", NeverEmpty), ("blanks-survive", Strips),
        ("blanks-survive", UnixLines), ("letters-survive", Composes), ("letters-survive", NoMark),
        ("letters-survive", TwoBytes), ("long-texts-survive", Recursive), ("surrogates", Strict),
        ("no-borders-of-its-own", Chunks),
    ]  # fmt: skip


def _of_ids(module: ModuleType) -> list[tuple[str, type]]:
    mine = module.MyTokenizer

    def words(self, text, encode_word):
        return [number for word in module.split_words(text, self.pattern) for number in encode_word(word.encode())]

    class ByteOrder(mine):
        """bytes numbered by themselves"""

        def __init__(self, byte_ids, merges, pattern, special_tokens=()):
            super().__init__({byte: byte for byte in range(256)}, merges, pattern, special_tokens)

    class Longest(mine):
        """the longest token first"""

        def encode(self, text, *more):
            numbers = {token: number for number, token in self.token_bytes.items()}

            def longest(data):
                ids = []
                while data:
                    size = next(size for size in range(len(data), 0, -1) if data[:size] in numbers)
                    ids.append(numbers[data[:size]])
                    data = data[size:]
                return ids

            return words(self, text, longest)

    class FirstPair(mine):
        """the first pair in the text"""

        at = 0

        def encode(self, text, *more):
            def first(data):
                ids = [self.byte_ids[byte] for byte in data]
                while found := [at for at, pair in enumerate(pairwise(ids)) if pair in self.merges]:
                    at = found[self.at]
                    ids[at : at + 2] = [self.merges[ids[at], ids[at + 1]]]
                return ids

            return words(self, text, first)

    class Rightmost(mine):
        """equal pairs from the right"""

        def encode(self, text, *more):
            def right(data):
                ids = [self.byte_ids[byte] for byte in data]
                while found := [
                    (self.merges[pair], -at) for at, pair in enumerate(pairwise(ids)) if pair in self.merges
                ]:
                    number, at = min(found)
                    ids[-at : -at + 2] = [number]
                return ids

            return words(self, text, right)

    class OwnPattern(mine):
        """always cuts like GPT-2"""

        def __init__(self, byte_ids, merges, pattern, special_tokens=()):
            super().__init__(byte_ids, merges, GPT2_SPLIT_PATTERN, special_tokens)

    class Lines(mine):
        """line by line"""

        def encode(self, text, *more):
            lines = text.splitlines(keepends=True)
            return [number for line in lines for number in super(Lines, self).encode(line, *more)]

    class DictOrder(mine):
        """ranks by the order of the dict"""

        @classmethod
        def from_ranks(cls, ranks, pattern, special_tokens=()):
            singles = [token for token in ranks if len(token) == 1]
            others = [token for token in ranks if len(token) > 1]
            lowest = sorted(ranks.values())
            if [ranks[token] for token in others] == sorted(ranks[token] for token in others):
                return super().from_ranks(ranks, pattern, special_tokens)
            return super().from_ranks(dict(zip([*singles, *others], lowest)), pattern, special_tokens)

    class Forgets(mine):
        """the last ten thousand merges are missing"""

        def __init__(self, byte_ids, merges, pattern, special_tokens=()):
            kept = dict(list(merges.items())[:-10_000] if len(merges) > 20_000 else merges)
            super().__init__(byte_ids, kept, pattern, special_tokens)

    return [
        ("bytes-by-rank", ByteOrder), ("earliest-merge-first", Longest), ("earliest-merge-first", FirstPair),
        ("leftmost-first", Rightmost), ("pattern-is-obeyed", OwnPattern), ("joining", Lines),
        ("ranks-in-any-order", DictOrder), ("ids-of-gpt2", Forgets),
    ]  # fmt: skip


def _of_specials(module: ModuleType) -> list[tuple[str, type]]:
    mine = module.MyTokenizer

    class Deaf(mine):
        """special tokens are text even when asked for"""

        def encode(self, text, allowed_special="none_raise"):
            return super().encode(text, "none" if allowed_special != "none_raise" else allowed_special)

    class AllOrNothing(mine):
        """a set allows everything"""

        def encode(self, text, allowed_special="none_raise"):
            return super().encode(
                text, "all" if isinstance(allowed_special, set) and allowed_special else allowed_special
            )

    class Gullible(mine):
        """special tokens count even when they are not allowed"""

        def encode(self, text, allowed_special="none_raise"):
            return super().encode(text, "all" if allowed_special in ("none", set()) else allowed_special)

    class Silent(mine):
        """never raises"""

        def encode(self, text, allowed_special="none"):
            return super().encode(text, "none" if allowed_special == "none_raise" else allowed_special)

    def cut(self, text, order, escape):
        names = order(self.special_tokens)
        return re.split("(" + "|".join(map(escape, names)) + ")", text) if names else [text]

    class Shortest(mine):
        """the shortest special token first"""

        order, escape = staticmethod(lambda names: sorted(names, key=len)), staticmethod(re.escape)

        def encode(self, text, allowed_special="none_raise"):
            if allowed_special != "all":
                return super().encode(text, allowed_special)
            ids = []
            for part in cut(self, text, self.order, self.escape):
                ids += (
                    [self.special_tokens[part]] if part in self.special_tokens else super().encode(part or "", "none")
                )
            return ids

    class Unescaped(Shortest):
        """special tokens as a pattern"""

        order, escape = staticmethod(lambda names: sorted(names, key=len, reverse=True)), staticmethod(str)

    class Mute(mine):
        """special tokens are not decoded"""

        def decode(self, ids):
            return super().decode([number for number in ids if number not in self.special_tokens.values()])

    return [
        ("specials-asked-for", Deaf), ("specials-asked-for", AllOrNothing), ("specials-not-asked-for", Gullible),
        ("specials-refused", Silent), ("specials-overlap", Shortest), ("specials-overlap", Unescaped),
        ("specials-decoded", Mute),
    ]  # fmt: skip


def _of_laws(module: ModuleType) -> list[tuple[str, type]]:
    mine = module.MyTokenizer

    class OneByOne(mine):
        """decodes each id on its own"""

        def decode(self, ids):
            return "".join(super(OneByOne, self).decode([number]) for number in ids)

    class Raises(mine):
        """broken bytes raise"""

        def decode(self, ids):
            return b"".join(self.token_bytes[number] for number in ids).decode("utf-8")

    class Ignores(mine):
        """broken bytes vanish"""

        def decode(self, ids):
            return b"".join(self.token_bytes[number] for number in ids).decode("utf-8", "ignore")

    class FromTheEnd(mine):
        """-1 is the last token"""

        def decode(self, ids):
            tokens = [self.token_bytes[number] for number in sorted(self.token_bytes)]
            return b"".join(tokens[number] for number in ids).decode("utf-8", "replace")

    class Skips(mine):
        """unknown ids are skipped"""

        def decode(self, ids):
            return super().decode([number for number in ids if number in self.token_bytes])

    class Aliased(mine):
        """appends to the list in its own cache"""

        def encode(self, text, *more):
            cache = self.__dict__.setdefault("cache", {})
            words = module.split_words(text, self.pattern)
            if len(words) < 2 or any(name in text for name in self.special_tokens):
                return super().encode(text, *more)
            ids = cache.setdefault(words[0], super().encode(words[0]))
            ids += [number for word in words[1:] for number in super(Aliased, self).encode(word)]
            return list(ids)

    class Shared(mine):
        """a cache that belongs to the class"""

        words: ClassVar[dict] = {}

        def __init__(self, *more):
            super().__init__(*more)
            self.known_words = self.words

    class Pops(mine):
        """decode takes the ids out of the list"""

        def decode(self, ids):
            taken = []
            while ids:
                taken.append(ids.pop(0))
            return super().decode(taken)

    class Empties(mine):
        """from_ranks empties the ranks"""

        @classmethod
        def from_ranks(cls, ranks, pattern, special_tokens=()):
            made = super().from_ranks(ranks, pattern, special_tokens)
            ranks.popitem()
            return made

    class Cubic(mine):
        """looks at every stretch of a word"""

        def encode(self, text, *more):
            ends = time.process_time() + 1.2e-9 * max(map(len, text.split()), default=0) ** 3
            while time.process_time() < ends:  # the clock by which the rule measures: other programs do not count
                pass
            return super().encode(text, *more)

    class Quadratic(mine):
        """copies the text for every other letter"""

        def encode(self, text, *more):
            for at in range(0, len(text), 2):
                sum(text[at:].encode("utf-8", "replace"))
            return super().encode(text, *more)

    return [
        ("bytes-joined-first", OneByOne), ("broken-bytes", Raises), ("broken-bytes", Ignores),
        ("unknown-ids", FromTheEnd), ("unknown-ids", Skips), ("same-twice", Aliased), ("tokenizers-apart", Shared),
        ("arguments-kept", Pops), ("arguments-kept", Empties), ("time-of-a-word", Cubic), ("time-of-a-text", Quadratic),
    ]  # fmt: skip


def _of_training(module: ModuleType) -> list[tuple[str, type]]:
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
