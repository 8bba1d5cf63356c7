"""Wrong answers to the exercises of lesson 08, and what the check says about each."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

WRONG = [
    Wrong(
        "08.token_offsets",
        "decoded up to there, with what is broken",
        """
        def token_offsets(tokens):
            offsets, data = [], b""
            for token in tokens:
                offsets.append(len(data.decode("utf-8", errors="replace")))
                data += token
            return offsets
        """,
        hint="next-character",
    ),
    Wrong(
        "08.token_offsets",
        "always one back",
        """
        def token_offsets(tokens):
            offsets, begun = [], 0
            for token in tokens:
                offsets.append(max(0, begun - 1))
                begun += sum(byte & 0xC0 != 0x80 for byte in token)
            return offsets
        """,
        hint="",
    ),
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
        "08.certain_text",
        "three bytes always wait",
        """
        def certain_text(data):
            border = max(0, len(data) - 3)
            return data[:border].decode("utf-8", errors="replace"), data[border:]
        """,
        hint="",
    ),
    Wrong(
        "08.stays_apart",
        "the wrong halves",
        """
        def stays_apart(left, right, ranks):
            halves = {token: pair for pair, token in ranks.items()}
            before = float("inf")
            while ranks.get((left, right), before) >= before:
                if left in halves and left > right:
                    before, left = left, halves[left][0]
                elif right in halves:
                    before, right = right + 1, halves[right][1]
                else:
                    return True
            return False
        """,
        hint="",
    ),
    Wrong(
        "08.stays_apart",
        "no token has these letters",
        """
        def stays_apart(left, right, ranks):
            spelled = {byte: bytes([byte]) for byte in range(256)}
            for (a, b), token in ranks.items():
                spelled[token] = spelled[a] + spelled[b]
            return spelled[left] + spelled[right] not in spelled.values()
        """,
        hint="only-the-two",
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
        "the text comes back",
        """
        def test_encode(encode):
            for ranks in VOCABULARIES:
                spelled = {byte: bytes([byte]) for byte in range(256)}
                for (left, right), new_id in ranks.items():
                    spelled[new_id] = spelled[left] + spelled[right]
                for word in (b"", b"a", b"abba" * 20, b"aaab", b"babaab" * 9):
                    assert b"".join(spelled[i] for i in encode(word, ranks)) == word
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
        "keeps what came first",
        """
        class WordCache:
            def __init__(self, size):
                self.size, self.words = size, set()

            def ask(self, word):
                if word in self.words:
                    return None
                if len(self.words) == self.size:
                    return word
                self.words.add(word)
        """,
        hint="below the level",
    ),
    Wrong(
        "08.word_cache",
        "the oldest goes",
        """
        class WordCache:
            def __init__(self, size):
                self.size, self.words = size, []

            def ask(self, word):
                if word in self.words:
                    return None
                self.words.append(word)
                return self.words.pop(0) if len(self.words) > self.size else None
        """,
        hint="below the level",
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
