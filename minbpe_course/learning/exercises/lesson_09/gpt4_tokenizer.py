"""Exercise 09.GPT4Tokenizer.encode_word: the same ids with a queue, and with a cache that belongs to the object.

The class extends the one of lesson 04, which has the same name, so everything that was built on that becomes fast.
"""

from minbpe_course.learning import Case, Exercise, Mistake
from minbpe_course.learning.exercises.lesson_04.gpt4_tokenizer import GPT4Tokenizer
from minbpe_course.learning.exercises.lesson_09.encode_fast import chain, encode_fast


class GPT4Tokenizer(GPT4Tokenizer):
    """Lesson 04's tokenizer with a new encode_word, which uses a queue and remembers words.

    Everything else stays as it is: this class extends the one that has its name so far.
    """

    cached_for = None  # the merges with which this tokenizer's cache was made

    def encode_word(self, word):
        """Return the ids of one word, a str.

        Encode a word with `encode_fast`, and only if this tokenizer has not encoded it before.

        * **In:** `word`, a str. Its bytes get their ids from `self.byte_ids`, and the merges are `self.merges`.
        * **Out:** its ids, as before.

        The cache belongs to the object. Two tokenizers of this class share no words. And a tokenizer that is trained
        again forgets its words: `train` puts a *new* dict into `self.merges`. So remember in `self.cached_for` which
        dict the cache was made with; `is` tells two dicts apart, even if they are equal. As long as an object has not
        set its own `cached_for`, it finds the `None` of the class. Return a copy of the list in the cache, since the
        caller may change what you return.

        The check tries letters of several bytes, bytes in another order, two tokenizers, one that is trained twice, a
        word of 12,000 letters, and a long one that comes back.
        """
        ### BEGIN SOLUTION
        if self.cached_for is not self.merges:
            self.cache, self.cached_for = {}, self.merges
        if word not in self.cache:
            self.cache[word] = encode_fast([self.byte_ids[byte] for byte in word.encode("utf-8")], self.merges)
        return list(self.cache[word])
        ### END SOLUTION


PATTERN = r"\w+|\W"
A_WORD = "a word"
SEVERAL = "letters of several bytes"
SHUFFLED = "bytes in another order"
TWO = "two tokenizers"
TRAINED = "trained twice"
LONG = "a long word"
BACK = "a long word that comes back"


def ranks_of(letters, *tokens):
    """Return ranks: the bytes of the letters in this order, then the tokens."""
    data = dict.fromkeys(bytes([byte]) for byte in "".join(letters).encode("utf-8"))
    return {token: rank for rank, token in enumerate([*data, *(one.encode("utf-8") for one in tokens)])}


def asked(category, ranks, *words):
    return Case(category, (ranks, PATTERN), tuple(("encode_word", (word,)) for word in words), "from_ranks")


def two(ranks, others, word):
    """Return a case with two tokenizers, one after the other; the word has other ids in the second."""
    return Case(
        TWO,
        (ranks, PATTERN),
        (("encode_word", (word,)), ("from_ranks", (others, PATTERN)), ("encode_word", (word,))),
        "from_ranks",
    )


def trained(text, again, word):
    ask = "encode_word", (word,)
    return Case(TRAINED, (PATTERN,), (("train", (text, 257)), ask, ask, ("train", (again, 257)), ask))


def doubled(times):
    """Return merges that turn two letters a into one id, two of these into one, and so on."""
    return {(97, 97): 256} | {(255 + one, 255 + one): 256 + one for one in range(1, times)}


def cases(random):
    for size in range(4, 9):
        # Letters that no other case has: a cache that is shared shows in one category only.
        first = 0x1200 + 0x40 * size
        a, b, c, d = map(chr, random.sample(range(first, first + 0x40), 4))
        words = ["".join(random.choices([a, b, c], k=random.randint(2, size))) for _ in range(3)]
        yield asked(SEVERAL, ranks_of([a, b, c, d]), *words, a, "")
        x, y, z = random.sample("abcdefghijklmnopqrstuvwxyz", 3)
        size *= 2
        words = ["".join(random.choices([x, y], k=size)) for _ in range(3)]
        yield asked(SHUFFLED, ranks_of([z, y, x], y + x, x + x, y + x + y), *words, *words)
        word = "".join(random.choices([x, y, z], k=size)) + x + y + x
        yield two(ranks_of([x, y, z], x + y, y + z), ranks_of([z, y, x], y + x), word)
        yield trained(x + y, y + x, word)
    ids, merges = chain(12_000)
    yield Case(LONG, (PATTERN,), (("merges =", (merges,)), ("encode_word", ("".join(map(chr, ids)),))))

    again = ("encode_word", ("a" * 100_000,))
    yield Case(BACK, (PATTERN,), (("merges =", (doubled(12),)), *[again] * 14))


SHARED = (
    ("self.cached_for is not self.merges", 'not hasattr(type(self), "cache")'),
    ("self.cache, self.cached_for = {}, self.merges", "type(self).cache = {}"),
)

EXERCISES = (
    Exercise(
        "09.GPT4Tokenizer.encode_word",
        "A queue and a cache",
        "write",
        answer=GPT4Tokenizer,
        packages=("regex",),
        difficulty=3,
        minutes=10,
        points=3,
        hints=(
            "Where can a method keep something until it is called again? And when are the words there worth nothing?",
            "Lesson 09 counts how many words of a text have occurred before, and lists what a cache may get wrong.",
            "unless self.cached_for is self.merges: give the object an empty cache, and set self.cached_for; if the "
            "word is not in the cache: encode the ids of its bytes with encode_fast and store them; return a copy of "
            "what is stored",
        ),
        shown=(
            asked(A_WORD, ranks_of(["m", "n"], "mn"), "mn"),
            asked(SEVERAL, ranks_of(["ä", "ö"], "ä"), "äö"),
            two(ranks_of(["k", "l"], "kl"), ranks_of(["l", "k"], "kl"), "klk"),
            trained("op", "po", "opo"),
        ),
        drawn=cases,
        mistakes=(
            Mistake(
                "no-queue",
                "A long word takes too long. Does `encode_word` call `encode_fast`?",
                when=lambda case, outcome, wanted: case.category == LONG and outcome.state == "too slow",
            ),
            Mistake(
                "no-cache",
                "The ids are right, but a word that comes back is encoded again. Is the dict still there at the next "
                "call?",
                when=lambda case, outcome, wanted: case.category == BACK and outcome.state == "too slow",
            ),
            Mistake(
                "remembers-old-merges",
                "A tokenizer that is trained again still answers with the ids of its old merges.",
                like=("self.cached_for is not self.merges", "self.cached_for is None"),
            ),
            Mistake(
                "shares-its-cache",
                "Another tokenizer of this class answers with the words of the first: the cache belongs to the class, "
                "or to the notebook. It must be an attribute that each object has for itself.",
                when=lambda case, outcome, wanted: case.category in (TWO, TRAINED) and outcome.state == "value",
                like=SHARED,
            ),
            Mistake(
                "bytes-are-not-ids",
                "In published ranks, a byte is not its id: `self.byte_ids` says which id each byte has.",
                like=("self.byte_ids[byte]", "byte"),
            ),
            Mistake(
                "characters-are-not-bytes",
                "A letter may have several bytes: encode the word to UTF-8 first.",
                like=('word.encode("utf-8")', "map(ord, word)"),
            ),
        ),
    ),
)  # fmt: skip
