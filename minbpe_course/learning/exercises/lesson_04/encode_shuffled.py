"""Exercise 04.encode_shuffled: encode a word with ids in which the bytes are shuffled."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_04.vocabularies import WORDS, all_bytes, any_order, publish
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER


def encode_shuffled(word, order, merges):
    """Return the ids of a word (str), given the bytes of the first ids and the merges.

    Encode one word with a published vocabulary. Its bytes get their ids from `order`. After that, everything works as
    in lesson 02: of all the pairs that are in the merges, merge the one with the lowest new id, and repeat.

    * **In:** `word`, a `str`; `order`, the bytes of the first ids, as `byte_order` returns them; `merges`, a dict from
      pair to new id, as `merges_from_ranks` will return it.
    * **Out:** a list of ids.

    ```
    encode_shuffled("abc", [98, 99, 97], {(0, 1): 3, (2, 3): 4})   ->  [4]

        a b c        bytes 97 98 99
        2 0 1        their ids: b is 0, c is 1, a is 2
        2 3          0 1 merges to 3
        4            2 3 merges to 4
    ```

    Tried: an empty word, no merges, merges that compete, runs of one letter, letters of many scripts, emoji and rarer
    characters, and a vocabulary that is not shuffled at all. Many wrong answers get that last one right.
    """
    id_of = {byte: token_id for token_id, byte in enumerate(order)}
    encoded = [id_of[byte] for byte in word.encode("utf-8")]
    while True:
        candidates = [pair for pair in zip(encoded, encoded[1:]) if pair in merges]
        if not candidates:
            return encoded
        oldest = min(candidates, key=merges.get)
        spot = list(zip(encoded, encoded[1:])).index(oldest)
        encoded[spot : spot + 2] = [merges[oldest]]


RARE = ["\x00", "é", "\u200d\u200d", "\u202eabc", "\ufeffthe", "\U0010ffff", "\uffff", "Ġthe", "🏳️\u200d🌈", "தமிழ்"]


def cases(random):
    def case(category, word, published):
        return category, word, published.order, published.merges

    yield "an empty word", "", [98, 97], {}
    yield "no merges", "ab", [98, 97], {}
    for length in range(2, 16):
        order = random.sample(b"abcdefgh", 2 + length % 3)
        words = [bytes(random.choices(order, k=random.randint(2, 8))) for _ in range(30)]
        word = "".join(map(chr, random.choices(order, k=length)))
        yield case("merges that compete", word, publish(words, order, 2 + length // 2))
    for length in range(2, 9):
        words = [b"-" * random.randint(2, 9) for _ in range(9)]
        yield case("a run of one letter", "-" * length, publish(words, b"-", 4))
    yield case("all 256 bytes in natural order", random.choice(WORDS), all_bytes(random, range(256), 40))
    for order in (PRINTABLE_ORDER, *(any_order(random) for _ in range(4))):
        published = all_bytes(random, order, 40)
        yield case("letters of many scripts", random.choice(WORDS), published)
        yield case("rare characters", random.choice(RARE), published)


EXERCISE = Exercise(
    "04.encode_shuffled",
    "From a word to published ids",
    "write",
    answer=encode_shuffled,
    difficulty=2,
    minutes=15,
    points=2,
    hints=(
        "`order` answers the question: which byte has id 3? You need the opposite: which id has byte 97?",
        "Lesson 04, section 5: `byte_ids` is the table you need.",
        "ids = the place in order of each byte of word.encode(); then merge as in lesson 02: as long as some pair is "
        "among the merges, the one with the lowest new id",
    ),
    shown=(
        ("two merges", "abc", [98, 99, 97], {(0, 1): 3, (2, 3): 4}),
        ("no merges", "ab", [98, 97], {}),
        ("merges that compete", "aab", [97, 98], {(0, 1): 2, (0, 0): 3}),
        ("letters of many scripts", "é", [0xA9, 0xC3], {}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "id-is-byte",
            "You begin with the bytes themselves. Here the id of a byte is its place in order.",
            like=("id_of[byte]", "byte"),
        ),
        Mistake(
            "wrong-direction",
            "order[n] is the byte with the id n. Look up the id of a byte: the table the other way round.",
            like=("id_of[byte]", "order[byte]"),
        ),
        Mistake(
            "leftmost-pair",
            "You merge the first pair that can merge. The lowest new id goes first, wherever the pair is.",
            like=("min(candidates, key=merges.get)", "candidates[0]"),
        ),
        Mistake(
            "highest-rank",
            "You merge the pair with the highest new id first. The lowest one is the oldest merge, and goes first.",
            like=("min(candidates", "max(candidates"),
        ),
        Mistake(
            "characters",
            "You look up characters. A letter beyond ASCII is several bytes, and each byte has an id.",
            like=('word.encode("utf-8")', "map(ord, word)"),
        ),
    ),
)
