"""Wrong answers to the exercises of lesson 08, and what the check says about each."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

WRONG = [
    Wrong(
        "08.certain_text",
        "an incremental decoder that is strict",
        """
        import codecs

        def certain_text(data):
            decoder = codecs.getincrementaldecoder("utf-8")()
            text = decoder.decode(data)
            return text, decoder.getstate()[0]
        """,
        hint="strict",
    ),
    Wrong(
        "08.test_encode",
        "three words",
        """
        def test_encode(encode):
            ranks = VOCABULARIES[0]
            assert encode(b"aab", ranks) == [257]
            assert encode(b"abab", ranks) == [259]
            assert encode(b"bbb", ranks) == [98, 98, 98]
        """,
        hint="misses:longest-token",
    ),
    Wrong(
        "08.test_encode",
        "short words only",
        """
        import itertools

        def test_encode(encode):
            def slow(word, ranks):
                ids = list(word)
                while found := [(ranks[p], at) for at, p in enumerate(zip(ids, ids[1:])) if p in ranks]:
                    new_id, at = min(found)
                    ids[at : at + 2] = [new_id]
                return ids

            for ranks in VOCABULARIES:
                for size in range(7):
                    for word in map(bytes, itertools.product(b"ab", repeat=size)):
                        assert encode(word, ranks) == slow(word, ranks)
        """,
        hint="misses:order-of-the-dict",
        points=1,
    ),
    Wrong(
        "08.test_encode",
        "the longest token is taken for right",
        """
        def test_encode(encode):
            assert encode(b"babb", VOCABULARIES[1]) == [98, 257]
            assert encode(b"aabab", VOCABULARIES[0]) == [257, 97, 98]
        """,
        hint="rejects-right",
    ),
    Wrong(
        "08.heal",
        "sorted",
        """
        def heal(tokens, vocabulary):
            for at in range(len(tokens)):
                taken = b"".join(tokens[at:])
                found = sorted(token for token in vocabulary if token.startswith(taken))
                if any(token != taken for token in found):
                    return at, found
            return len(tokens), []
        """,
        hint="",
    ),
    Wrong(
        "08.word_cache",
        "takes everything",
        """
        class WordCache:
            def __init__(self, size):
                self.words = {}

            def ask(self, word):
                self.words[word] = True
                return None
        """,
        hint="overflows",
    ),
    Wrong(
        "08.word_cache",
        "the oldest goes, whatever is asked",
        """
        class WordCache:
            def __init__(self, size):
                self.size, self.words = size, []

            def ask(self, word):
                if word in self.words:
                    self.words.remove(word)
                    self.words.append(word)
                    return self.words[0]
                self.words.append(word)
                return self.words.pop(0) if len(self.words) > self.size else None
        """,
        hint="goes-for-nothing",
    ),
    Wrong(
        "08.word_cache",
        "forgets to cross out what went",
        """
        class WordCache:
            def __init__(self, size):
                self.size, self.order, self.inside = size, [], set()

            def ask(self, word):
                if word in self.inside:
                    return None
                self.order.append(word)
                self.inside.add(word)
                if len(self.inside) <= self.size:
                    return None
                self.inside.discard(self.order[0])
                return self.order[0]
        """,
        hint="goes-twice",
    ),
    Wrong(
        "08.word_cache",
        "the least recently used goes",
        """
        class WordCache:
            def __init__(self, size):
                self.size, self.words = size, []

            def ask(self, word):
                known = word in self.words
                if known:
                    self.words.remove(word)
                self.words.append(word)
                return self.words.pop(0) if len(self.words) > self.size else None
        """,
        hint="below the level",
        points=2,
    ),
    Wrong(
        "08.word_cache",
        "counts since the beginning",
        """
        class WordCache:
            def __init__(self, size):
                self.size, self.words, self.counts = size, [], {}

            def ask(self, word):
                self.counts[word] = self.counts.get(word, 0) + 1
                if word in self.words:
                    self.words.remove(word)
                    self.words.append(word)
                    return None
                self.words.append(word)
                if len(self.words) <= self.size:
                    return None
                rarest = min(self.words, key=self.counts.get)
                self.words.remove(rarest)
                return rarest
        """,
        hint="below the level",
        points=3,
    ),
]
