"""Exercises 04.GPT4Tokenizer.*: a tokenizer that is made from published ranks."""

from itertools import chain
from pathlib import Path

import regex

from minbpe_course.learning import Case, Exercise, Mistake
from minbpe_course.learning.exercises.lesson_02.apply_merges import apply_merges
from minbpe_course.learning.exercises.lesson_03.regex_tokenizer import RegexTokenizer
from minbpe_course.learning.exercises.lesson_03.split import split
from minbpe_course.learning.exercises.lesson_04.recover_merges import merges_from_ranks
from minbpe_course.learning.exercises.lesson_04.vocabularies import (
    all_bytes,
    any_order,
    in_another_order,
    publish,
    toy,
)
from minbpe_course.reference.encoding import encode_word as encode_with_pairs
from minbpe_course.reference.recovery import split_token
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER


class GPT4Tokenizer(RegexTokenizer):
    """Make a tokenizer from published ranks.

    A tokenizer that you train gives each byte its own number as id. Here the ranks decide: `byte_ids` has the id of
    each byte. `decode` is inherited. `train` and `load` are there: they make each byte its own id again, and then do as
    RegexTokenizer does. Four methods are missing.
    """

    byte_ids = range(256)  # for a tokenizer that you train

    def train(self, text, vocab_size):
        """Learn from a text. From now on each byte is its own id."""
        self.byte_ids = range(256)
        return super().train(text, vocab_size)

    def load(self, path):
        """Read minbpe's file. From now on each byte is its own id."""
        self.byte_ids = range(256)
        return super().load(path)

    @classmethod
    def from_ranks(cls, ranks, pattern):
        """Return a tokenizer with these ranks (bytes -> id) and this pattern.

        A class method makes an object in another way than `__init__` does. `cls(pattern)` gives you a tokenizer; set
        three attributes, and return it.

        * **In:** `ranks`, a dict from the bytes of each token to its id; `pattern`, a str.
        * **Out:** the tokenizer, with `byte_ids`, a dict from each byte (a number) to its id; `merges`, as
          `merges_from_ranks` returns them; and `vocab`, a dict from id to bytes.

        ```
        made = GPT4Tokenizer.from_ranks({b"b": 0, b"a": 1, b"ab": 2}, ".+")
        made.byte_ids   ->  {98: 0, 97: 1}
        made.merges     ->  {(1, 0): 2}
        made.vocab      ->  {0: b"b", 1: b"a", 2: b"ab"}
        ```

        Tried: no merges, a few bytes, all 256 bytes in any order, a dictionary in another order, and whether
        `byte_ids` is still `range(256)` for a tokenizer that was not made from ranks.
        """
        ### BEGIN SOLUTION
        tokenizer = cls(pattern)
        tokenizer.byte_ids = {token[0]: rank for token, rank in ranks.items() if len(token) == 1}
        tokenizer.merges = merges_from_ranks(ranks)
        tokenizer.vocab = {rank: token for token, rank in ranks.items()}
        return tokenizer
        ### END SOLUTION

    def encode_word(self, word):
        """Return the ids of one word, a str: its bytes as ids, then the merges.

        * **In:** `word`, a str. The bytes of its UTF-8 get their ids from `byte_ids`.
        * **Out:** a list of ids, in which every merge of `merges` has been applied.

        ```
        made = GPT4Tokenizer.from_ranks({b"b": 0, b"a": 1, b"ab": 2}, ".+")
        made.encode_word("abb")   ->  [2, 0]
        ```

        Tried: an empty word, no merges, letters of many scripts, and a tokenizer whose bytes are their own ids.
        """
        ### BEGIN SOLUTION
        return apply_merges([self.byte_ids[byte] for byte in word.encode("utf-8")], self.merges)
        ### END SOLUTION

    def encode(self, text):
        """Return the ids of a text: split it with the pattern, and encode each word.

        * **In:** `text`, a str.
        * **Out:** one list with the ids of all words. `split` is yours from lesson 03.

        ```
        made = GPT4Tokenizer.from_ranks({b"b": 0, b"a": 1, b"ab": 2}, "b|a+")
        made.encode("abb")        ->  [1, 0, 0]          the words are a, b and b
        ```

        Tried: an empty text, one word, merges that would cross the border of two words, letters of many scripts.
        """
        ### BEGIN SOLUTION
        return [i for word in split(text, self.pattern) for i in self.encode_word(word)]
        ### END SOLUTION

    def save(self, path):
        """Write minbpe's file, or raise ValueError if it cannot hold this tokenizer.

        The file of lesson 02 has a line for the pattern and a line for each pair. It has none for the ids of the bytes,
        so a tokenizer that was made from ranks would come back as another one, and nobody would notice.

        * **In:** `path`, as for `save` in lesson 02.
        * **Out:** nothing. If `byte_ids` is not `range(256)`, raise a `ValueError` that says what the file cannot
          hold, and write nothing. Otherwise save as `RegexTokenizer` does: `super().save(path)`.

        Tried: trained tokenizers, and some that were made from ranks.
        """
        ### BEGIN SOLUTION
        if self.byte_ids != range(256):
            raise ValueError(f"not saved: {path} cannot hold byte_ids, the ids of the bytes")
        super().save(path)
        ### END SOLUTION


class Witness:
    """The same by other means: GPT-4's merges by the package, and a search for the next merge in the whole word."""

    byte_ids = range(256)

    def __init__(self, pattern):
        self.pattern = pattern

    @classmethod
    def from_ranks(cls, ranks, pattern):
        made = cls(pattern)
        by_rank = sorted(ranks, key=ranks.get)
        made.vocab = {ranks[token]: token for token in by_rank}
        made.byte_ids = {byte: ranks[bytes([byte])] for byte in range(256) if bytes([byte]) in ranks}
        halves = {token: split_token(token, ranks) for token in by_rank if len(token) > 1}
        made.merges = {(ranks[left], ranks[right]): ranks[token] for token, (left, right) in halves.items()}
        return made

    def encode_word(self, word):
        return encode_with_pairs([self.byte_ids[byte] for byte in word.encode()], self.merges)

    def encode(self, text):
        return [*chain.from_iterable(map(self.encode_word, regex.findall(self.pattern, text)))]

    def save(self, path):
        if isinstance(self.byte_ids, dict):
            raise ValueError("the ids of the bytes")
        pairs = "".join(f"{left} {right}\n" for left, right in self.merges)
        Path(path).write_bytes(f"minbpe v1\n{self.pattern}\n0\n{pairs}".encode())


TEXTS = (
    "the weather, then their bananas",
    "naïve café für größere Wörter",
    "привет, привычка!",
    "日本語 и שלום",
    "நன்றி, नमस्ते 👋🏽👋",
)
PATTERN = r"\s?\w+|\s|[^\s\w]+"
RANKS = {b"b": 0, b"a": 1, b"ab": 2}
LARGER = {b"b": 0, b"c": 1, b"a": 2, b"bc": 3, b"abc": 4, b"ab": 5}


def made(category, ranks, *script, pattern=PATTERN):
    """Return a case for a tokenizer that is made from ranks."""
    return Case(category, (ranks, pattern), script, "from_ranks")


def set_up(category, published, *script, pattern=PATTERN):
    """Return a case for a tokenizer whose attributes are set, so that a blank ``from_ranks`` does not matter."""
    byte_ids = {byte: place for place, byte in enumerate(published.order)}
    return Case(category, (pattern,), (("byte_ids =", (byte_ids,)), ("merges =", (published.merges,)), *script))


ATTRIBUTES = ((".byte_ids", ()), (".merges", ()), (".vocab", ()), (".pattern", ()))
NOT_FROM_RANKS = Case("not made from ranks", (PATTERN,), ((".byte_ids", ()),))
TRAINED = {(97, 98): 256, (256, 99): 257}


def tokenizers(random):
    yield made("no merges", toy(random, 3, 0).ranks, *ATTRIBUTES)
    for number in range(2, 7):
        yield made("a few bytes", toy(random, number, 2 * number).ranks, *ATTRIBUTES)
        yield made("in another order", in_another_order(random, toy(random, 3, number).ranks), *ATTRIBUTES)
    for number in (3, 30):
        yield made("all 256 bytes, any order", all_bytes(random, any_order(random), number).ranks, *ATTRIBUTES)
    yield NOT_FROM_RANKS


def words(random):
    yield set_up("an empty word", toy(random, 2, 2), ("encode_word", ("",)))
    for length in range(2, 10):
        order = random.sample(b"abcdefgh", 3)
        drawn = [bytes(random.choices(order, k=random.randint(2, 8))) for _ in range(30)]
        word = "".join(map(chr, random.choices(order, k=length)))
        yield set_up("merges that compete", publish(drawn, order, length), ("encode_word", (word,)))
    for order in (PRINTABLE_ORDER, *(any_order(random) for _ in range(3))):
        for text in random.sample(TEXTS, 2):
            yield set_up("letters of many scripts", all_bytes(random, order, 40), ("encode_word", (text,)))
    for text in ("abcab", "cabbc"):
        script = ("merges =", (TRAINED,)), ("encode_word", (text,))
        yield Case("bytes are their own ids", (PATTERN,), script)


def texts(random):
    yield set_up("an empty text", toy(random, 2, 2), ("encode", ("",)))
    for length in range(3, 10):
        order = random.sample(b"abc", 3)
        drawn = [bytes(random.choices(order, k=random.randint(2, 8))) for _ in range(30)]
        text = "".join(map(chr, random.choices(order, k=length)))
        published = publish(drawn, order, length)
        yield set_up("one word", published, ("encode", (text,)))
        yield set_up("merges that would cross", published, ("encode", (text,)), pattern=f"{chr(order[0])}|[abc]")
    for text in TEXTS:
        yield set_up("letters of many scripts", all_bytes(random, any_order(random), 40), ("encode", (text,)))


def files(random):
    read = ("read file", ("{folder}/a.model",))
    for number in range(4):
        merges = {tuple(random.choices(range(97, 123), k=2)): 256 + at for at in range(number)}
        merges = {pair: 256 + at for at, pair in enumerate(merges)}
        script = ("merges =", (merges,)), ("save", ("{folder}/a.model",)), read
        yield Case("trained", (r"\w+|\W",), script)
    for size in (2, 3, 4):
        yield set_up("made from ranks", toy(random, size, 3), ("save", ("{folder}/a.model",)))
    yield set_up("made from ranks", all_bytes(random, any_order(random), 3), ("save", ("{folder}/a.model",)))
    shuffled = dict(enumerate(random.sample(range(256), 256)))  # the bytes in order, with ids that are not
    yield Case("made from ranks", (PATTERN,), (("byte_ids =", (shuffled,)), ("save", ("{folder}/a.model",))))


def method(name, title, drawn, shown, hints, mistakes, **more):
    return Exercise(
        f"04.GPT4Tokenizer.{name}",
        title,
        "write",
        answer=GPT4Tokenizer,
        wanted=Witness,
        packages=("regex",),
        hints=hints,
        shown=shown,
        drawn=drawn,
        mistakes=mistakes,
        **more,
    )


TINY = publish([b"ab"], b"ba", 1)  # the same as RANKS
EXERCISES = (
    method(
        "from_ranks",
        "A tokenizer from ranks",
        tokenizers,
        (made("one merge", RANKS, *ATTRIBUTES), made("three merges", LARGER, *ATTRIBUTES), NOT_FROM_RANKS),
        (
            "You have written everything you need. Which of the three attributes does a function of yours return?",
            "Lesson 04, section 7, describes the attributes. The bytes are the tokens of length 1, as in `byte_order`.",
            "tokenizer = cls(pattern); byte_ids: for each token of length 1, token[0] -> its rank; merges: "
            "merges_from_ranks(ranks); vocab: ranks the other way round; return tokenizer",
        ),
        (
            Mistake(
                "ids-of-all-tokens",
                "`byte_ids` is for single bytes. A longer token overwrites the id of its first byte.",
                like=(" if len(token) == 1", ""),
            ),
            Mistake(
                "bytes-as-keys",
                "The keys of `byte_ids` are bytes as numbers, since a loop over `word.encode()` gives numbers. "
                "The number in the token b'a' is token[0].",
                like=("{token[0]: rank", "{token: rank"),
            ),
            Mistake(
                "id-to-byte",
                "`byte_ids` goes from the byte to its id. Yours goes from the id to the byte.",
                like=("{token[0]: rank", "{rank: token[0]"),
            ),
            Mistake(
                "ids-by-place",
                "The id of a byte is its rank, whatever the order in which the dict lists its tokens.",
                like=(
                    "{token[0]: rank for token, rank in ranks.items() if len(token) == 1}",
                    "{t[0]: place for place, t in enumerate(t for t in ranks if len(t) == 1)}",
                ),
            ),
            Mistake(
                "vocab-is-ranks",
                "`vocab` goes from the id to the bytes, because `decode` looks up ids. Ranks go the other way.",
                like=("{rank: token for token, rank in ranks.items()}", "dict(ranks)"),
            ),
            Mistake(
                "vocab-of-lesson-02",
                "`vocabulary` of lesson 02 takes id 0 for byte 0. Here the ranks say which bytes an id stands for.",
                when=lambda case, outcome, wanted: len(outcome.value[2]) >= 256 > len(wanted[2]),
            ),
            Mistake(
                "on-the-class",
                "You set an attribute of the class, so every tokenizer gets it. Set it on the new object: "
                "tokenizer.byte_ids.",
                when=lambda case, outcome, wanted: case == NOT_FROM_RANKS,
            ),
            Mistake(
                "nothing-returned",
                "`from_ranks` has to return the tokenizer. Is its last line `return tokenizer`?",
                like=("        return tokenizer\n", ""),
            ),
        ),
        difficulty=3,
        minutes=8,
        points=2,
    ),
    method(
        "encode_word",
        "The ids of a word",
        words,
        (
            set_up("one merge", TINY, ("encode_word", ("abb",))),
            set_up("no merges", publish([], [0xA9, 0xC3], 0), ("encode_word", ("é",))),
            Case("bytes are their own ids", (PATTERN,), (("merges =", (TRAINED,)), ("encode_word", ("abcab",)))),
        ),
        (
            "Where does lesson 02 begin, and what has to happen before that?",
            "Lesson 04, section 6: `hello` became five tokens, because its bytes were taken for ids.",
            "for each byte of word.encode('utf-8') its id, self.byte_ids[byte]; then apply_merges to the list of ids, "
            "with self.merges",
        ),
        (
            Mistake(
                "bytes-are-ids",
                "You begin with the bytes themselves. `self.byte_ids` has the id of each byte.",
                like=("self.byte_ids[byte]", "byte"),
            ),
            Mistake(
                "no-merges",
                "These are the ids of the bytes. Now apply the merges to them.",
                like=("self.merges)", "{})"),
            ),
            Mistake(
                "characters",
                "You look up characters. `byte_ids` has bytes: encode the word in UTF-8 first.",
                like=('word.encode("utf-8")', "map(ord, word)"),
            ),
            Mistake(
                "text-as-keys",
                "You look up a piece of text. `byte_ids` has bytes as numbers: loop over `word.encode('utf-8')`.",
                like=('word.encode("utf-8")', "word"),
            ),
        ),
        minutes=5,
        points=1,
        also=("04.encode_shuffled",),
    ),
    method(
        "encode",
        "The ids of a text",
        texts,
        (
            set_up("one word", TINY, ("encode", ("abb",))),
            set_up("merges that would cross", TINY, ("encode", ("abb",)), pattern="b|a+"),
        ),
        (
            "You have the ids of one word. A text is several words.",
            "Lesson 03 has `split`, and its RegexTokenizer does the same with other words.",
            "for each word in split(text, self.pattern): add self.encode_word(word) to one list",
        ),
        (
            Mistake(
                "not-split",
                "You merge across the borders of words. Split the text with self.pattern first.",
                like=("split(text, self.pattern)", "[text]"),
            ),
            Mistake(
                "list-of-lists",
                "This is a list for each word. The answer is one list of ids: extend it, instead of appending.",
                like=(
                    "[i for word in split(text, self.pattern) for i in self.encode_word(word)]",
                    "[self.encode_word(word) for word in split(text, self.pattern)]",
                ),
            ),
            Mistake(
                "inherited",
                "RegexTokenizer's `encode` takes each byte for its own id. Call your `encode_word` for each word.",
                like=(
                    "[i for word in split(text, self.pattern) for i in self.encode_word(word)]",
                    "super().encode(text)",
                ),
            ),
        ),
        difficulty=1,
        minutes=3,
        points=1,
    ),
    method(
        "save",
        "Refuse to lose the bytes",
        files,
        (
            Case(
                "trained",
                (r"\w+|\W",),
                (("merges =", (TRAINED,)), ("save", ("{folder}/a.model",)), ("read file", ("{folder}/a.model",))),
            ),
            set_up("made from ranks", TINY, ("save", ("{folder}/a.model",))),
        ),
        (
            "Which of your attributes does the file have no line for?",
            "Lesson 02 writes the file. Lesson 04, section 7, says what `byte_ids` is for a tokenizer that you train.",
            "if self.byte_ids != range(256): raise ValueError with a message that names byte_ids; then "
            "super().save(path)",
        ),
        (
            Mistake(
                "saves-everything",
                "You save a tokenizer that comes back as another one. Raise a ValueError if byte_ids is not "
                "range(256).",
                like=("self.byte_ids != range(256)", "False"),
            ),
            Mistake(
                "saves-nothing",
                "A tokenizer that you train keeps range(256), and can be saved. Compare with range(256): a list or a "
                "dict is never equal to a range.",
                like=("self.byte_ids != range(256)", "True"),
            ),
            Mistake(
                "refuses-and-forgets",
                "You raise the error where it belongs, but the others still have to be saved: super().save(path).",
                like=("        super().save(path)\n", ""),
            ),
        ),
        difficulty=1,
        minutes=4,
        points=1,
    ),
)
