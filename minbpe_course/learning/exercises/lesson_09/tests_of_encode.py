"""Exercise 09.test_encode: encoders as source text, right and wrong, for the test that the learner writes.

Each source defines ``encode(word, ranks)``: ``word`` is bytes, ``ranks`` maps a pair of ids to the id that replaces it,
and the answer is a list of ids. The wrong ones are typical attempts to make the right one faster. The vocabularies
are small, trained, and different: each exposes the wrong encoders with other words.
"""

from minbpe_course.learning.judge.exercise import Exercise, Mutant, mutant

VOCABULARIES = [
    {(97, 98): 256, (97, 256): 257, (97, 257): 258, (256, 256): 259},
    {(97, 98): 256, (256, 98): 257, (257, 97): 258, (98, 256): 259},
    {(97, 97): 256, (256, 97): 257, (256, 256): 258, (257, 98): 259, (98, 257): 260},
]


def test_encode(encode):
    """Raise AssertionError if encode does not merge as byte pair encoding does.

    When people make an encoder faster, it often stays almost right, and a test with three sentences passes. Write a
    test that catches such an encoder.

    A correct `encode(word, ranks)` does exactly what byte pair encoding does: of all the merges that are possible
    anywhere, it makes the one with the smallest id (the leftmost if there are several), and repeats until no merge is
    possible.

    * **In:** `encode`, a function. It takes a word (bytes) and `ranks`, a dict from a pair of ids to the id that it
      becomes, in any order. It returns a list of ids. You are given three vocabularies. In each of them, merging the
      bytes of any single token gives that token, and all words are made of `a` and `b`.
    * **Out:** nothing if `encode` is correct; `AssertionError` if it is not (a plain `assert` will do).

    Your test is run on three correct encoders, written quite differently, and on ten wrong ones. Some of those are
    another kind of tokenizer, some lose a pair in their heap, and some remember what they should not. Your test runs
    several times on each, and its verdict must not change. Catching all ten earns 3 points, five to nine earn 1.
    """
    from itertools import product

    def slowly(word, ranks):
        possible = [(ranks[both], place) for place, both in enumerate(zip(word, word[1:])) if both in ranks]
        if not possible:
            return [*word]
        made, place = min(possible)
        return slowly([*word[:place], made, *word[place + 2 :]], ranks)

    tried = [bytes(letters) for size in range(5) for letters in product(b"ab", repeat=size)]
    tried += [b"abaabb", b"abaaba", b"aab" * 11]
    for vocabulary in VOCABULARIES:
        for ranks in (vocabulary, dict(reversed(vocabulary.items()))):
            for word in tried:
                assert list(encode(word, ranks)) == slowly(word, ranks), (word, ranks)


NAIVE = """
def naive(word, ranks):
    ids = list(word)
    while True:
        found = [(ranks[pair], at) for at, pair in enumerate(zip(ids, ids[1:])) if pair in ranks]
        if not found:
            return ids
        new_id, at = min(found)
        ids[at : at + 2] = [new_id]
"""

HEAP = """
from heapq import heappop, heappush

def encode(word, ranks):
    ids, heap = list(word), []
    before, behind = [None, *range(len(ids) - 1)], [*range(1, len(ids)), None]
    def offer(at):
        if at is not None and behind[at] is not None and (ids[at], ids[behind[at]]) in ranks:
            heappush(heap, (ranks[ids[at], ids[behind[at]]], at))
    for at in range(len(ids)):
        offer(at)
    while heap:
        new_id, at = heappop(heap)
        gone = behind[at]
        if ids[at] is None or gone is None or ranks.get((ids[at], ids[gone])) != new_id:
            continue
        ids[at], ids[gone], behind[at] = new_id, None, behind[gone]
        if behind[at] is not None:
            before[behind[at]] = at
        for neighbour in (before[at], at):
            offer(neighbour)
    return [token for token in ids if token is not None]
"""

RIGHT = (
    NAIVE + "\nencode = naive\n",
    HEAP,
    """
def encode(word, ranks):
    parts, seen = [*word], set()
    while len(parts) > 1:
        due = min(ranks.get(pair, float("inf")) for pair in zip(parts, parts[1:]))
        if due == float("inf"):
            break
        merged = []
        for part in parts:
            if merged and merged[-1] is not None and ranks.get((merged[-1], part)) == due:
                merged[-1:] = [due, None]
            else:
                merged.append(part)
        parts = [part for part in merged if part is not None]
    return parts
""",
)

SPELLED = """
def tokens_of(ranks):
    spelled = {byte: bytes([byte]) for byte in range(256)}
    for (left, right), new_id in sorted(ranks.items(), key=lambda item: item[1]):
        spelled[new_id] = spelled[left] + spelled[right]
    return {token: number for number, token in spelled.items()}
"""


def cached(key):
    return f"""{NAIVE}
KNOWN = {{}}

def encode(word, ranks):
    key = {key}
    if key not in KNOWN:
        KNOWN[key] = naive(word, ranks)
    return list(KNOWN[key])
"""


MUTANTS = (
    Mutant(
        "longest-token",
        SPELLED
        + """
def encode(word, ranks):
    known, ids = tokens_of(ranks), []
    while word:
        size = max(n for n in range(1, len(word) + 1) if word[:n] in known)
        ids.append(known[word[:size]])
        word = word[size:]
    return ids
""",
        "takes the longest token at every place",
    ),
    Mutant(
        "fewest-tokens",
        SPELLED
        + """
def encode(word, ranks):
    known, best = tokens_of(ranks), [[]]
    for end in range(1, len(word) + 1):
        begins = [at for at in range(end) if word[at:end] in known]
        at = min(begins, key=lambda at: len(best[at]))
        best.append(best[at] + [known[word[at:end]]])
    return best[-1]
""",
        "finds the shortest row of tokens",
    ),
    mutant(
        NAIVE,
        "rightmost",
        "merges equal pairs from the right",
        ("naive", "encode"),
        ("min(found)", "min(found, key=lambda one: (one[0], -one[1]))"),
    ),
    Mutant(
        "order-of-the-dict",
        """
def encode(word, ranks):
    ids = list(word)
    for pair, new_id in ranks.items():
        at = 0
        while at + 1 < len(ids):
            if (ids[at], ids[at + 1]) == pair:
                ids[at : at + 2] = [new_id]
            at += 1
    return ids
""",
        "takes the merges in the order in which the dict lists them",
    ),
    mutant(
        HEAP,
        "stale-entries",
        "merges pairs that are no longer there",
        ("ranks.get((ids[at], ids[gone])) != new_id", "False"),
    ),
    mutant(
        HEAP,
        "forgets-the-left",
        "forgets that a merge makes a new pair on the left, too",
        ("(before[at], at)", "(at,)"),
    ),
    Mutant(
        "chunks",
        NAIVE
        + """
def encode(word, ranks):
    chunks = [word[at : at + 32] for at in range(0, len(word), 32)]
    return [token for chunk in chunks for token in naive(chunk, ranks)]
""",
        "cuts long words into chunks",
    ),
    Mutant(
        "cache-by-length",
        cached("(word[:4], len(word), tuple(ranks.items()))"),
        "takes two words for the same when they begin alike and are equally long",
    ),
    Mutant("cache-for-ever", cached("word"), "remembers a word from another vocabulary"),
    Mutant(
        "one-byte",
        NAIVE + "\ndef encode(word, ranks):\n    return naive(word, ranks) if len(word) > 1 else []\n",
        "loses words of a single byte",
    ),
)

EXERCISE = Exercise(
    "09.test_encode",
    "Fast and wrong",
    "test",
    answer=test_encode,
    difficulty=4,
    minutes=20,
    points=3,
    hints=(
        "A wrong encoder fails on only a few words. Do not try to guess which: take all words of two "
        "letters up to some length, and some long ones.",
        "Lesson 09: each wrong encoder there, and each shortcut of a cache, is one of the ten.",
        "write the slow encoder of lesson 02 inside the test; for every vocabulary, as it is and with its dict "
        "reversed, and for every word: assert that both give the same ids",
    ),
    subject="encode",
    right=RIGHT,
    mutants=MUTANTS,
)
