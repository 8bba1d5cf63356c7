"""Exercise 04.encode_by_ranks: encode a word as tiktoken does, with ranks and without merges."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_04.vocabularies import WORDS, all_bytes, any_order, publish
from minbpe_course.reference.rank_merging import merge_by_rank
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER


def encode_by_ranks(word, ranks):
    """Return the ids of a word (str), given the ranks of the tokens.

    Your `GPT4Tokenizer` recovers merges and looks up pairs of ids. tiktoken does without merges: it joins the bytes of
    two neighbors and looks up the result. Encode one word in this way.

    Begin with the single bytes of the word. Of all neighbors whose joined bytes are a token, join those with the lowest
    rank (of equals, the leftmost), and repeat until no two neighbors make a token.

    * **In:** `word`, a `str`; `ranks`, a dict from the bytes of each token to its id. It has every byte of the word.
    * **Out:** a list of ids.

    ```
    encode_by_ranks("abc", {b"b": 0, b"c": 1, b"a": 2, b"bc": 3, b"abc": 4})   ->  [4]

        a  b  c      their ranks are 2 0 1; ab is not a token, bc is 3
        a  bc        abc is 4
        abc
    ```

    Tried: an empty word, no merges, merges that compete, an older token to the right, runs of one letter, letters of
    many scripts, emoji and rarer characters, and a vocabulary that is not shuffled at all.
    """
    parts = [bytes([byte]) for byte in word.encode("utf-8")]
    while True:
        joined = [left + right for left, right in zip(parts, parts[1:])]
        known = [token for token in joined if token in ranks]
        if not known:
            return [ranks[part] for part in parts]
        spot = joined.index(min(known, key=ranks.get))
        parts[spot : spot + 2] = [joined[spot]]


RARE = ["\x00", "é", "\u200d\u200d", "\u202eabc", "\ufeffthe", "\U0010ffff", "\uffff", "Ġthe", "🏳️\u200d🌈", "தமிழ்"]

RIGHT_FIRST = {b"b": 0, b"c": 1, b"a": 2, b"d": 3, b"bc": 4, b"bcd": 5, b"abcd": 6, b"ab": 7}


def longest_first(word, ranks):
    """Take the longest token that fits, from left to right."""
    data, ids = word.encode("utf-8"), []
    while data:
        size = max(size for size in range(1, len(data) + 1) if data[:size] in ranks)
        ids.append(ranks[data[:size]])
        data = data[size:]
    return ids


def cases(random):
    yield "an empty word", "", {b"b": 0, b"a": 1}
    yield "no merges", "ab", {b"b": 0, b"a": 1}
    for length in range(2, 16):
        order = random.sample(b"abcdefgh", 2 + length % 3)
        words = [bytes(random.choices(order, k=random.randint(2, 8))) for _ in range(30)]
        word = "".join(map(chr, random.choices(order, k=length)))
        yield "merges that compete", word, publish(words, order, 2 + length // 2).ranks
    for length in range(2, 9):
        words = [b"-" * random.randint(2, 9) for _ in range(9)]
        yield "a run of one letter", "-" * length, publish(words, b"-", 4).ranks
    yield "all 256 bytes in natural order", random.choice(WORDS), all_bytes(random, range(256), 40).ranks
    for order in (PRINTABLE_ORDER, *(any_order(random) for _ in range(4))):
        ranks = all_bytes(random, order, 40).ranks
        yield "letters of many scripts", random.choice(WORDS), ranks
        yield "rare characters", random.choice(RARE), ranks


EXERCISE = Exercise(
    "04.encode_by_ranks",
    "From a word to ids, without merges",
    "write",
    answer=encode_by_ranks,
    wanted=lambda word, ranks: merge_by_rank(word.encode("utf-8"), ranks),
    difficulty=2,
    minutes=15,
    points=2,
    hints=(
        "Keep a list of parts, each of them bytes. What do you look up for two neighbors?",
        "Lesson 04, section 3 does this with the older tokens only, to recover a merge. Here all tokens count.",
        "parts = the single bytes; as long as some left + right is in ranks: join the neighbors with the lowest rank; "
        "in the end, the rank of each part",
    ),
    shown=(
        ("two merges", "abc", {b"b": 0, b"c": 1, b"a": 2, b"bc": 3, b"abc": 4}),
        ("no merges", "ab", {b"b": 0, b"a": 1}),
        ("merges that compete", "aab", {b"a": 0, b"b": 1, b"ab": 2, b"aa": 3}),
        ("an older token to the right", "abcd", RIGHT_FIRST),
        ("letters of many scripts", "é", {b"\xa9": 0, b"\xc3": 1}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "longest-token",
            "You take the longest token that fits. Build the word up from its bytes, by rank.",
            like=longest_first,
        ),
        Mistake(
            "leftmost-pair",
            "You join the first neighbors that make a token. The lowest rank goes first, wherever it is.",
            like=("min(known, key=ranks.get)", "known[0]"),
        ),
        Mistake(
            "highest-rank",
            "You join the neighbors with the highest rank first. The lowest rank is the oldest token, and goes first.",
            like=("min(known", "max(known"),
        ),
        Mistake(
            "characters",
            "You begin with characters. A letter beyond ASCII is several bytes, and each byte is a part.",
            like=('[bytes([byte]) for byte in word.encode("utf-8")]', '[letter.encode("utf-8") for letter in word]'),
        ),
        Mistake(
            "parts-not-ids",
            "These are the tokens. Return the id of each, which is its rank.",
            like=("[ranks[part] for part in parts]", "parts"),
        ),
    ),
)
