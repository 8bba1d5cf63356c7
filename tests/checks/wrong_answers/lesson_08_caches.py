"""Wrong answers to the exercises of lesson 08 about caches, and good ones that are not good enough."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

CACHES = [
    Wrong(
        "08.cache_hits",
        "how many words are in it",
        """
        def cache_hits(words, size):
            counts = Counter(words)
            return len(counts.most_common(size))
        """,
        hint="different-words",
    ),
    Wrong(
        "08.cache_hits",
        "the first time is a miss",
        """
        def cache_hits(words, size):
            counts = Counter(words)
            return sum(count - 1 for word, count in counts.most_common(size))
        """,
        hint="starts-empty",
    ),
    Wrong(
        "08.cache_hits",
        "the words that come first",
        """
        def cache_hits(words, size):
            counts = Counter(words)
            return sum(list(counts.values())[:size])
        """,
        hint="any-words",
    ),
    Wrong(
        "08.cache_hits",
        "what is not in it",
        """
        def cache_hits(words, size):
            counts = Counter(words)
            return sum(count for word, count in counts.most_common()[size:])
        """,
        hint="the-others",
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
