"""Exercises 03.RegexTokenizer.*: the tokenizer splits before it merges."""

from itertools import chain

from minbpe_course.learning import Case, Exercise, Mistake
from minbpe_course.learning.exercises.lesson_02.apply_merges import apply_merges
from minbpe_course.learning.exercises.lesson_02.basic_tokenizer import BasicTokenizer
from minbpe_course.learning.exercises.lesson_02.vocabulary import vocabulary
from minbpe_course.learning.exercises.lesson_03.count_words import count_words
from minbpe_course.learning.exercises.lesson_03.learn_from_words import learn_from_words
from minbpe_course.learning.exercises.lesson_03.split import split
from minbpe_course.learning.exercises.lesson_03.splitters import by_pattern
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN


class RegexTokenizer(BasicTokenizer):
    """A tokenizer whose tokens stay inside the words of a pattern.

    Write the three methods. `decode`, `save` and `load` come from `BasicTokenizer`.
    """

    def __init__(self, pattern):
        """Make a tokenizer without merges that splits with this pattern."""
        ### BEGIN SOLUTION
        super().__init__()
        self.pattern = pattern
        ### END SOLUTION

    def train(self, text, vocab_size):
        """Learn `merges` and `vocab` from the words of a text; return the tokenizer.

        Count the words of the text, and learn from them until there are `vocab_size` ids, 256 of them bytes.
        `RegexTokenizer(pattern).train("no, no", 257).merges` is `{(110, 111): 256}`.
        """
        ### BEGIN SOLUTION
        self.merges = learn_from_words(count_words(text, self.pattern), vocab_size - 256)
        self.vocab = vocabulary(self.merges)
        return self
        ### END SOLUTION

    def encode(self, text):
        """Return the ids of a text, a list. No merge crosses from one word to the next.

        Split the text, and encode one word at a time, as `BasicTokenizer` does: `super().encode(word)`.
        """
        ### BEGIN SOLUTION
        ids = []
        for word in split(text, self.pattern):
            ids += super().encode(word)
        return ids
        ### END SOLUTION


class Witness:
    """The same by the package's reference implementations."""

    def __init__(self, pattern):
        self.pattern, self.merges = pattern, {}

    @property
    def vocab(self):
        vocab = dict(enumerate(bytes([byte]) for byte in range(256)))
        for (left, right), new_id in self.merges.items():
            vocab[new_id] = vocab[left] + vocab[right]
        return vocab

    def _words(self, text):
        words = by_pattern(self.pattern)(text)
        if len("".join(words)) < len(text):
            raise ValueError("the pattern loses some of the text")
        return [word.encode("utf-8") for word in words]

    def train(self, text, vocab_size):
        self.merges = {step.pair: step.new_id for step in train_steps(self._words(text), vocab_size)}
        return self

    def encode(self, text):
        return [token for word in self._words(text) for token in encode_word(word, self.merges)]

    def decode(self, ids):
        return b"".join(self.vocab[token] for token in ids).decode("utf-8", "replace")


WORDS = r" ?\w+|\W"
PATTERNS = (WORDS, r"\p{L}+|\P{L}+", r"\s+|\S+", r"\p{L}+|[^\p{L}]", GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN)
PARTS = ("We", " saw", " the", " dog", " cat", ".", "!", "?", " né", " дом", "\n", "it's", " 1234", "  ", "na", "na")


def trained(category, pattern, text, vocab_size, *after):
    return Case(category, (pattern,), (("train", (text, vocab_size)), *after))


def training_cases(random):
    yield trained("a text", GPT4_SPLIT_PATTERN, "", 260, (".merges", ()))
    yield trained("a pattern that loses text", r"\w+", "no!", 257)
    for size in range(2, 9):
        text = "".join(random.choices(PARTS, k=3 * size))
        yield trained("a text", random.choice(PATTERNS), text, 256 + size, (".merges", ()))
        yield trained("words that follow each other", WORDS, " the dog." * size, 258 + size, (".merges", ()))
        yield trained("the vocabulary", WORDS, text, 258, (".vocab", ()))
        yield trained("two trainings", WORDS, text, 259, ("train", ("banana" * size, 258)), (".merges", ()))
        yield Case(
            "a new tokenizer", (random.choice(PATTERNS),), ((".pattern", ()), (".merges", ()), ("decode", ([97],)))
        )


def encoding(category, pattern, merges, text):
    return Case(category, (pattern,), (("merges =", (merges,)), ("encode", (text,))))


def encoding_cases(random):
    yield encoding("no merges", WORDS, {}, "no")
    yield encoding("the empty text", WORDS, {}, "")
    yield encoding("a pattern that loses text", r"\w+", {}, "no!")
    yield encoding("merges across words", WORDS, {(46, 46): 256}, "...")
    for size in range(2, 9):
        text = "".join(random.choices(PARTS, k=2 * size))
        pattern = random.choice(PATTERNS)
        merges = {step.pair: step.new_id for step in train_steps(by_bytes(pattern, text), 256 + size)}
        yield encoding("a trained tokenizer", pattern, merges, text)
        across = {step.pair: step.new_id for step in train_steps([text.encode("utf-8")], 256 + 3 * size)}
        yield encoding("merges across words", random.choice(PATTERNS), across, text)
        yield encoding("no merges", pattern, {}, text)


def by_bytes(pattern, text):
    return [word.encode("utf-8") for word in by_pattern(pattern)(text)]


class CallsSuperInside(BasicTokenizer):
    def __init__(self, pattern):
        super().__init__()
        self.pattern = pattern

    def encode(self, text):
        return list(chain.from_iterable(super().encode(word) for word in split(text, self.pattern)))


class EncodesTheWholeText(BasicTokenizer):
    """Encodes the whole text and never splits it."""

    def __init__(self, pattern):
        super().__init__()
        self.pattern = pattern

    def encode(self, text):
        return apply_merges(list(text.encode("utf-8")), self.merges)


INIT = Mistake(
    "forgets-super",
    "Your object lacks an attribute that `BasicTokenizer.__init__` makes. Call `super().__init__()` in yours.",
    when=lambda case, outcome, wanted: outcome.error == "AttributeError",
    like=("        super().__init__()\n", ""),
)
FORGETS_PATTERN = Mistake(
    "forgets-the-pattern",
    "Your object forgets its pattern. Store it in `__init__`, after `super().__init__()`, which sets it to an empty "
    "text.",
    like=(("        super().__init__()\n", ""), ("self.pattern = pattern", "super().__init__()")),
)

EXERCISES = (
    Exercise(
        "03.RegexTokenizer.train",
        "Train on words",
        "write",
        answer=RegexTokenizer,
        wanted=Witness,
        difficulty=2,
        minutes=6,
        hints=(
            "All the work is in functions that you have already: one counts the words, one learns from them, one gives "
            "the bytes of each id.",
            "Lesson 03, section 5; and `train` in your BasicTokenizer, which is almost the same.",
            "merges = learn_from_words(the counted words, vocab_size without the 256 bytes); vocab = "
            "vocabulary(merges); return self",
        ),
        shown=(
            trained("a text", WORDS, "no, no", 257, (".merges", ())),
            Case("a new tokenizer", (WORDS,), ((".pattern", ()), (".merges", ()), ("decode", ([97],)))),
            trained("words that follow each other", WORDS, "a cat! a hat!", 258, (".merges", ())),
            trained("the vocabulary", WORDS, "no, no", 257, ("decode", ([256],))),
        ),
        drawn=training_cases,
        mistakes=(
            FORGETS_PATTERN,
            Mistake(
                "returns-nothing",
                "The merges are right, but `train` returns None. End with `return self`, so that "
                "`RegexTokenizer(pattern).train(...)` is the tokenizer.",
                like=("        return self\n", ""),
            ),
            Mistake(
                "forgets-the-vocabulary",
                "`merges` is right, but `vocab` is still that of a tokenizer without merges. Set it in `train`, too.",
                like=("        self.vocab = vocabulary(self.merges)\n", ""),
            ),
            Mistake(
                "forgets-the-merges",
                "The tokenizer has learned nothing: store the merges in `self.merges`.",
                like=(("self.merges = learn", "merges = learn"), ("vocabulary(self.merges)", "vocabulary(merges)")),
            ),
            Mistake(
                "counts-the-bytes",
                "You learn 256 merges too many: `vocab_size` includes the 256 bytes.",
                like=("vocab_size - 256", "vocab_size"),
            ),
            Mistake(
                "learns-across-words",
                "Some of your merges cross from one word to the next: you learn from the whole text, as "
                "`BasicTokenizer` does. Learn from the counted words.",
                like=(
                    "self.merges = learn_from_words(count_words(text, self.pattern), vocab_size - 256)",
                    "super().train(text, vocab_size)",
                ),
            ),
            Mistake(
                "another-pattern",
                "You don't split with the pattern that the tokenizer was made with. Use `self.pattern`.",
                like=("count_words(text, self.pattern)", "count_words(text, GPT4_SPLIT_PATTERN)"),
            ),
            Mistake(
                "adds-to-old-merges",
                "A second training must begin anew: replace the merges of the first one.",
                like=(
                    "self.merges = learn_from_words(count_words(text, self.pattern), vocab_size - 256)",
                    "self.merges = self.merges | learn_from_words(count_words(text, self.pattern), vocab_size - 256)",
                ),
            ),
            INIT,
        ),
        packages=("regex",),
    ),
    Exercise(
        "03.RegexTokenizer.encode",
        "Encode words",
        "write",
        answer=RegexTokenizer,
        wanted=Witness,
        difficulty=2,
        minutes=6,
        hints=(
            "You can encode a whole text already. What happens to a merge that crosses two words, if you encode one "
            "word at a time?",
            "Lesson 03, section 5: `super().encode(word)` encodes one word.",
            "an empty list; for each word of split(text, self.pattern): add the ids of super().encode(word) to the "
            "list; return the list",
        ),
        shown=(
            encoding("a trained tokenizer", WORDS, {(110, 111): 256}, "no, no"),
            encoding("merges across words", WORDS, {(111, 44): 256}, "no, no"),
            encoding("the empty text", WORDS, {}, ""),
        ),
        drawn=encoding_cases,
        mistakes=(
            FORGETS_PATTERN,
            Mistake(
                "merges-across-words",
                "You encode the whole text at once, so a merge may cross from one word to the next. Split first.",
                like=EncodesTheWholeText,
            ),
            Mistake(
                "a-list-for-each-word",
                "You return a list of lists. One text has one list of ids: `ids += ...` or `ids.extend(...)`, not "
                "`ids.append(...)`.",
                like=("ids += super().encode(word)", "ids.append(super().encode(word))"),
            ),
            Mistake(
                "first-word-only",
                "You return the ids of the first word only. Is your `return` inside the loop?",
                like=("        return ids\n", "            return ids\n        return ids\n"),
            ),
            Mistake(
                "last-word-only",
                "You return the ids of the last word only: add to the list instead of replacing it.",
                like=("ids += ", "ids = "),
            ),
            Mistake(
                "no-merges",
                "You return the bytes of the words. Apply the merges to each word: `super().encode(word)`.",
                like=("super().encode(word)", "list(word.encode('utf-8'))"),
            ),
            Mistake(
                "another-pattern",
                "You don't split with the pattern that the tokenizer was made with. Use `self.pattern`.",
                like=("split(text, self.pattern)", "split(text, GPT4_SPLIT_PATTERN)"),
            ),
            Mistake(
                "super-in-an-expression",
                "`super()` without arguments doesn't work inside a generator expression, nor inside a list "
                "comprehension before Python 3.12. Write a plain loop.",
                when=lambda case, outcome, wanted: (
                    outcome.error in ("TypeError", "RuntimeError") and "super" in outcome.message
                ),
                like=CallsSuperInside,
            ),
        ),
        packages=("regex",),
    ),
)
