"""Exercises 05.MyTokenizer.*: the learner's tokenizer gets special tokens. The class is written from an empty cell.

Each method is tried by itself: the cases set the attributes that it reads. The pattern joins punctuation, so that a
merge may reach over the end of a name that is ordinary text.
"""

from minbpe_course.learning import Case, Exercise, Mistake
from minbpe_course.learning.exercises.lesson_02.vocabulary import vocabulary
from minbpe_course.learning.exercises.lesson_03.count_words import count_words
from minbpe_course.learning.exercises.lesson_03.learn_from_words import learn_from_words
from minbpe_course.learning.exercises.lesson_04.gpt4_tokenizer import GPT4Tokenizer
from minbpe_course.learning.exercises.lesson_05.allowed_set import allowed_set
from minbpe_course.learning.exercises.lesson_05.samples import END, END_LINE, PAD, draw_text
from minbpe_course.learning.exercises.lesson_05.split_on_special import split_on_special


class MyTokenizer(GPT4Tokenizer):
    """Your tokenizer, with special tokens.

    It does all that `GPT4Tokenizer` does, and has one more table, `special_tokens`, a dict from name to id. A new
    tokenizer has an empty one of its own.
    """

    ### BEGIN SOLUTION
    def __init__(self, pattern):
        super().__init__(pattern)
        self.special_tokens = {}

    @classmethod
    def from_ranks(cls, ranks, pattern, special_tokens=()):
        """Return a tokenizer with these ranks, this pattern and these special tokens.

        * **In:** `ranks` and `pattern` as in lesson 04; `special_tokens`, a dict from name to id. Without it, there are
          none.
        * **Out:** a `MyTokenizer` with `merges`, `byte_ids` and `vocab` as in lesson 04, and `special_tokens`, a dict.

        `MyTokenizer.from_ranks(ranks, pattern, {"<|end|>": 300}).special_tokens` is `{"<|end|>": 300}`.
        """
        tokenizer = super().from_ranks(ranks, pattern)
        tokenizer.register_special_tokens(dict(special_tokens))
        return tokenizer

    def register_special_tokens(self, special_tokens):
        """Take these special tokens, a dict from name to id, in place of those from before.

        * **In:** a dict from name to id. Don't change it, and keep a copy.
        * **Out:** nothing. The attribute `special_tokens` is the new table.

        After `register_special_tokens({"<|end|>": 300})`, `special_tokens` is `{"<|end|>": 300}`.
        """
        self.special_tokens = dict(special_tokens)

    def train(self, text, vocab_size):
        """Learn from the words between the special tokens of a text; return the tokenizer.

        The names of special tokens are neither counted nor part of a word. `vocab_size` includes the 256 bytes and the
        merges, not the special tokens. From then on each byte is its own id, as in `train` of lesson 04.

        * **In:** `text`, which may contain any of the registered special tokens; `vocab_size`.
        * **Out:** the tokenizer itself, with new `merges` and `vocab`.

        With the special token `<|end|>`, `train("ab<|end|>ab", 300)` learns one merge, `{(97, 98): 256}`.
        """
        counts = {}
        for part in split_on_special(text, list(self.special_tokens)):
            if part not in self.special_tokens:
                for word, times in count_words(part, self.pattern).items():
                    counts[word] = counts.get(word, 0) + times
        self.byte_ids = range(256)
        self.merges = learn_from_words(counts, vocab_size - 256)
        self.vocab = vocabulary(self.merges)
        return self

    def encode(self, text, allowed_special="none_raise"):
        """Return the ids of a text; the special tokens that are allowed get their own.

        * **In:** `text`; `allowed_special`, as for `allowed_set`.
        * **Out:** a list of ids. A name that is not allowed is ordinary text like any other. `ValueError` where
          `allowed_set` raises it.
        * A text may contain halves of characters (surrogates). Two that belong together count as the character, any
          other as U+FFFD.

        With the special token `<|end|>`, whose id is 300, `encode("a<|end|>", "all")` returns `[97, 300]`.
        """
        # Written as UTF-16, two halves that belong together are a character again.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        allowed = allowed_set(text, list(self.special_tokens), allowed_special)
        ids = []
        for part in split_on_special(text, sorted(allowed)):
            if part in allowed:
                ids.append(self.special_tokens[part])
            else:
                ids += super().encode(part)
        return ids

    def decode(self, ids):
        """Return the text of ids, with the names of special tokens.

        * **In:** a list of ids. Don't change it.
        * **Out:** a str. Join the bytes of all ids, then decode them; bytes that are not UTF-8 become U+FFFD. Raise an
          error, no matter which, for an id that is neither in `vocab` nor a special token's.

        With the special token `<|end|>`, whose id is 300, `decode([97, 300])` returns `"a<|end|>"`.
        """
        names = {number: name.encode("utf-8") for name, number in self.special_tokens.items()}
        found = [names[i] if i in names else self.vocab[i] for i in ids]
        return b"".join(found).decode("utf-8", "replace")

    ### INSTEAD
    # ...
    ### END SOLUTION


class AnyError(MyTokenizer):
    """The right answer, whose errors of decode are of the most general class, so that any other is right, too."""

    def decode(self, ids):
        try:
            return super().decode(ids)
        except KeyError as error:
            raise Exception(f"{error} is an unknown id") from None


PATTERN = r" ?\w+|\s|[^\w\s]+"
RANKS = {b"b": 0, b"a": 1, b">": 2, b"ab": 3, b"!": 4, b">!": 5}
MERGES = {(62, 33): 256, (97, 98): 257, (60, 124): 258, (256, 33): 259}
VOCAB = vocabulary(MERGES)
STOP = "🛑"
SPECIALS = {END: 300, PAD: 301}
ALIKE = {END: 300, END_LINE: 301, STOP: 302}
NONE_YET = "no special tokens were registered"
WORDS = ["ab", "low", " ab", "er", "!", "!!", "<|", "|>", "\n", "é"]
NO_TABLE = Mistake(
    "no-table",
    "A new tokenizer has no attribute special_tokens. Give it an empty dict of its own, in `__init__`. "
    "Does yours call super().__init__(pattern)?",
    when=lambda case, outcome, wanted: (
        outcome.error == "AttributeError"
        and "'MyTokenizer'" in outcome.message
        and "'special_tokens'" in outcome.message
    ),
)
OLD_SIGNATURE = "positional argument"


def is_inherited(case, outcome, wanted):
    """Tell whether the method does not know the argument that is new in this lesson."""
    return outcome.error == "TypeError" and OLD_SIGNATURE in outcome.message


# ----------------------------------------------------------------------------------------------------
# from_ranks and register_special_tokens


def made(category, *specials):
    return Case(category, (RANKS, PATTERN, *specials), ((".special_tokens", ()), (".merges", ())), "from_ranks")


def made_cases(random):
    yield made("no special tokens are given")
    for size in range(1, 4):
        names = random.sample([END, PAD, END_LINE, STOP], size)
        yield made("special tokens", {name: 300 + random.randrange(100) for name in names})


FROM_RANKS = Exercise(
    "05.MyTokenizer.from_ranks",
    "Made from ranks and names",
    "write",
    answer=MyTokenizer,
    difficulty=2,
    minutes=4,
    points=1,
    packages=("regex",),
    keeps_input=True,
    hints=(
        "Most of the work is done in lesson 04. What is new here?",
        "Lesson 05, section 5. In a class method, `super().from_ranks(ranks, pattern)` makes an object of your class.",
        "@classmethod; make it with super(); register dict(special_tokens) on it; return it",
    ),
    shown=(
        made("special tokens", {END: 300}),
        made("no special tokens are given"),
        made("special tokens", {END: 300, PAD: 301}),
    ),
    drawn=made_cases,
    mistakes=(
        Mistake(
            "inherited",
            "from_ranks does not take three arguments: this is the one of lesson 04, or `special_tokens=()` is "
            "missing. Write it as a @classmethod, whose first argument is cls.",
            when=is_inherited,
        ),
        Mistake(
            "names-lost",
            "The special tokens that were given are not in the attribute special_tokens of the new tokenizer.",
            when=lambda case, outcome, wanted: bool(wanted[0]) and not outcome.value[0],
        ),
        Mistake(
            "tuple-not-dict",
            "The default of special_tokens is an empty tuple, and the attribute must be a dict: dict(special_tokens).",
            when=lambda case, outcome, wanted: not isinstance(outcome.value[0], dict),
        ),
        NO_TABLE,
        Mistake(
            "plain-object",
            "from_ranks returns no tokenizer of this class. Does it end in a return? In a class method, use "
            "super().from_ranks(...) or cls(...), and not the name of the older class.",
            when=lambda case, outcome, wanted: outcome.error == "AttributeError",
        ),
    ),
)


def registered(category, *tables):
    steps = [("register_special_tokens", (table,)) for table in tables]
    return Case(category, (PATTERN,), (*steps, (".special_tokens", ())))


def registered_cases(random):
    for size in (1, 2, 3):
        tables = [
            {name: 300 + random.randrange(100) for name in random.sample([END, PAD, END_LINE, STOP], size)}
            for _ in range(2)
        ]
        yield registered("registered once", tables[0])
        yield registered("registered twice", *tables)
    yield registered("registered twice", {END: 300}, {})


REGISTER = Exercise(
    "05.MyTokenizer.register_special_tokens",
    "A second table",
    "write",
    answer=MyTokenizer,
    difficulty=1,
    minutes=3,
    points=1,
    packages=("regex",),
    keeps_input=True,
    hints=(
        "One line, once the tokenizer has a table.",
        "Lesson 05, section 1: where are the special tokens of GPT-4, and what does that table look like?",
        "self.special_tokens becomes a new dict with what is in the argument",
    ),
    shown=(
        registered("registered once", {END: 300}),
        registered("registered twice", {END: 300}, {PAD: 301}),
    ),
    drawn=registered_cases,
    mistakes=(
        Mistake(
            "missing",
            "MyTokenizer has no method register_special_tokens yet.",
            when=lambda case, outcome, wanted: outcome.error == "AttributeError" and "register" in outcome.message,
        ),
        NO_TABLE,
        Mistake(
            "adds-to-the-old",
            "The new table replaces the one from before. A dict in the class would even belong to all tokenizers.",
            like=("self.special_tokens = dict(special_tokens)", "self.special_tokens.update(special_tokens)"),
            when=lambda case, outcome, wanted: outcome.value[-1].items() > wanted[-1].items(),
        ),
        Mistake(
            "turned-around",
            "special_tokens maps names to ids, like the argument. `decode` can turn it around.",
            like=(
                "self.special_tokens = dict(special_tokens)",
                "self.special_tokens = {number: name for name, number in special_tokens.items()}",
            ),
        ),
        Mistake(
            "returns-something",
            "The table is right. Return nothing: registering changes the tokenizer and makes no new one.",
            when=lambda case, outcome, wanted: outcome.value[-1] == wanted[-1],
        ),
    ),
)


# ----------------------------------------------------------------------------------------------------
# train


def trained(category, specials, text, vocab_size, *more):
    given = () if specials is None else (("special_tokens =", (specials,)),)
    return Case(category, (PATTERN,), (*given, ("train", (text, vocab_size)), (".merges", ()), *more))


OLD_BYTES = Case(
    "made from ranks before",
    (PATTERN,),
    (("byte_ids =", ({98: 0, 97: 1},)), ("special_tokens =", ({},)), ("train", ("abab", 257)), ("encode", ("ab",))),
)


def trained_cases(random):
    yield trained("a word in several parts", SPECIALS, f"ab ab{END}er{END}er{END}er", 257)
    yield trained("nothing to learn", SPECIALS, "", 260)
    yield trained("nothing to learn", SPECIALS, END * 4, 260)
    for length in (4, 8, 12, 16):
        text = draw_text(random, [*WORDS, *WORDS, END, END, PAD], length)
        yield trained("a word in several parts", SPECIALS, f"lo lo{END}er" * 2 + f"{text}{END}er", 259)
        yield trained("special tokens in the text", SPECIALS, text, 264)
        yield trained("punctuation before a special token", SPECIALS, f"no!{END}" * length, 262)
        yield trained("special tokens that begin alike", ALIKE, draw_text(random, ["ab", "\n", *ALIKE], length), 262)
        yield trained(
            "special tokens between words", SPECIALS, "lo" + END + "w lo" * 2 + draw_text(random, WORDS, 9), 262
        )
        yield trained("no special token in the text", SPECIALS, draw_text(random, WORDS, length), 262)
        yield trained(NONE_YET, None, draw_text(random, [*WORDS, END], length), 262)
    yield trained("the vocabulary", SPECIALS, f"low{END}low", 257, (".vocab", ()))
    yield OLD_BYTES


TRAIN = Exercise(
    "05.MyTokenizer.train",
    "Learn nothing from special tokens",
    "write",
    answer=MyTokenizer,
    difficulty=3,
    minutes=8,
    points=3,
    packages=("regex",),
    hints=(
        "You have a function for each of the steps: one splits at names, one counts words, one learns from counts.",
        "Lesson 05, section 5; `train` of your RegexTokenizer in lesson 03 has the same last three lines.",
        "split at the special tokens; for each part that is not one: add its counts of words to those so far; learn "
        "vocab_size - 256 merges from them; vocab; return self",
    ),
    shown=(
        trained("special tokens in the text", {END: 300}, f"ab{END}ab", 300),
        trained("special tokens between words", {END: 300}, f"a{END}b" * 3, 258),
        trained("no special token in the text", {END: 300}, "low lower lowest", 259),
        trained("punctuation before a special token", {END: 300}, f"no!{END}" * 2, 259),
    ),
    drawn=trained_cases,
    mistakes=(
        Mistake(
            "old-bytes",
            "After training, each byte is its own id, but byte_ids still has those of the ranks. Set "
            "self.byte_ids = range(256).",
            like=("        self.byte_ids = range(256)\n", ""),
            when=lambda case, outcome, wanted: case.category == OLD_BYTES.category,
        ),
        NO_TABLE,
        Mistake(
            "returns-nothing",
            "The merges are right. train must also return self, as it does in lessons 02 and 03.",
            when=lambda case, outcome, wanted: wanted[-1] == outcome.value[-1] and len(case.script) < 4,
        ),
        Mistake(
            "inherited",
            "Here is a merge from the name of a special token. This is what the train of lesson 03 learns: it counts "
            "the whole text.",
            like=(
                ("for part in split_on_special(text, list(self.special_tokens)):", "for part in [text]:"),
                ("if part not in self.special_tokens:", "if True:"),
            ),
        ),
        Mistake(
            "learns-from-names",
            "The text is split, but the parts that are special tokens are counted as well. Leave them out.",
            like=("if part not in self.special_tokens:", "if part:"),
        ),
        Mistake(
            "joined-over-the-gap",
            "Without the special token between them, two words have become one. Count each part by itself; deleting "
            "the names from the text is not enough.",
            like=(
                "for part in split_on_special(text, list(self.special_tokens)):",
                "for part in [''.join(one for one in split_on_special(text, list(self.special_tokens)) "
                "if one not in self.special_tokens)]:",
            ),
        ),
        Mistake(
            "counts-overwritten",
            "A word may be in several parts. Add up what each of them counts; dict.update would replace it.",
            like=("counts[word] = counts.get(word, 0) + times", "counts[word] = times"),
        ),
        Mistake(
            "last-part-only",
            "Only the words of the last part were learned from. Add up the counts of all parts, then learn once.",
            like=("counts[word] = counts.get(word, 0) + times", "counts = count_words(part, self.pattern)"),
        ),
        Mistake(
            "special-tokens-take-room",
            "vocab_size includes the 256 bytes and the merges. Special tokens do not count.",
            like=("vocab_size - 256", "max(0, vocab_size - 256 - len(self.special_tokens))"),
        ),
        Mistake(
            "vocab-missing",
            "vocab must have the bytes and the merges, as in lesson 03, and no special tokens.",
            when=lambda case, outcome, wanted: case.category == "the vocabulary",
        ),
    ),
)


# ----------------------------------------------------------------------------------------------------
# encode


def encoded(category, specials, *arguments):
    given = () if specials is None else (("special_tokens =", (specials,)),)
    return Case(category, (PATTERN,), (("merges =", (MERGES,)), *given, ("encode", arguments)))


def encoded_cases(random):
    yield encoded("an empty text", SPECIALS, "")
    yield encoded(NONE_YET, None, f"ab{END}")
    for length in range(1, 9):
        text = draw_text(random, [*WORDS, END, END, PAD], length)
        yield encoded("all are allowed", SPECIALS, text + END, "all")
        yield encoded("none are allowed", SPECIALS, f"{text}{END}!", "none")
        yield encoded("a special token that nobody allowed", SPECIALS, text + END)
        yield encoded("nothing to raise for", SPECIALS, draw_text(random, WORDS, length))
        yield encoded("a set of names", SPECIALS, f"{END}{text}!{PAD}!", {random.choice([END, PAD])})
        yield encoded("names that begin alike", ALIKE, draw_text(random, ["ab", "\n", *ALIKE], length), "all")
        half = random.choice(["\ud83d", "\uded1", "\udc00\ud800"])
        yield encoded("half a character", SPECIALS, f"ab{half}{text}{half}", "all")
        yield encoded("two halves of a character", ALIKE, f"{text}\ud83d\ude00", "none")
    yield encoded("two halves of a character", ALIKE, "ab\ud83d\uded1", "all")
    yield encoded("a word that is none of the three", SPECIALS, "ab", "ALL")


ENCODE = Exercise(
    "05.MyTokenizer.encode",
    "Encode what is between the special tokens",
    "write",
    answer=MyTokenizer,
    difficulty=3,
    minutes=10,
    points=3,
    packages=("regex",),
    hints=(
        "Which special tokens count in this text? Where are they? What about the text between them?",
        "Lesson 05, sections 2, 3, 5: `repaired`, `allowed_set`, `split_on_special`, and `super().encode` for a part.",
        "repair the text; ask allowed_set which names count; split at those only; in a plain for loop: the id of a "
        "special token, or the ids that super().encode gives for the part",
    ),
    shown=(
        encoded("all are allowed", {END: 300}, f"a{END}", "all"),
        encoded("none are allowed", {END: 300}, f"a{END}!", "none"),
        encoded("a special token that nobody allowed", {END: 300}, f"a{END}"),
        encoded("nothing to raise for", {END: 300}, "ab"),
        encoded("a set of names", SPECIALS, f"a{END}{PAD}", {PAD}),
        encoded("half a character", {END: 300}, "a\ud83d", "none"),
        encoded("two halves of a character", {END: 300}, "a\ud83d\ude00", "none"),
    ),
    drawn=encoded_cases,
    mistakes=(
        NO_TABLE,
        Mistake(
            "inherited",
            "encode does not take two arguments: it is still the one of lesson 04, which knows no special tokens.",
            when=is_inherited,
        ),
        Mistake(
            "calls-itself",
            "self.encode calls the method that you are writing, again and again. For the parts between special tokens "
            "call the older one, super().encode(part).",
            when=lambda case, outcome, wanted: outcome.error == "RecursionError",
        ),
        Mistake(
            "super-in-a-comprehension",
            "Before Python 3.12, super() without arguments does not work inside a comprehension. Use a plain for loop.",
            when=lambda case, outcome, wanted: "super(type, obj)" in outcome.message or "super()" in outcome.message,
        ),
        Mistake(
            "list-in-a-list",
            "There is a list inside the list of ids. super().encode returns several: use += or extend.",
            when=lambda case, outcome, wanted: any(isinstance(one, list) for one in outcome.value[-1]),
        ),
        Mistake(
            "half-characters-raise",
            "The text contains half a character, which UTF-8 cannot hold. Repair the text before anything else.",
            when=lambda case, outcome, wanted: outcome.error == "UnicodeEncodeError",
        ),
        Mistake(
            "half-becomes-a-question-mark",
            "Half a character must become U+FFFD. With errors='replace', `encode` writes a question mark, and two "
            "halves that belong together are lost, too.",
            like=(
                'text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")',
                'text.encode("utf-8", "replace").decode("utf-8")',
            ),
        ),
        Mistake(
            "half-is-dropped",
            "Half a character must become U+FFFD; here it is missing.",
            like=(
                'text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")',
                'text.encode("utf-8", "ignore").decode("utf-8")',
            ),
        ),
        Mistake(
            "halves-stay-apart",
            "Two halves side by side are one character, as tiktoken reads them. Here each has become U+FFFD.",
            when=lambda case, outcome, wanted: case.category == "two halves of a character",
        ),
        Mistake(
            "allows-by-default",
            "Without a second argument nothing is allowed, and a special token in the text is an error: pass "
            "allowed_special on to allowed_set; its default is 'none_raise'.",
            when=lambda case, outcome, wanted: "nobody" in case.category and outcome.state == "value",
        ),
        Mistake(
            "splits-at-what-is-not-allowed",
            "A name that is not allowed is ordinary text, and a merge may reach over its end. Split only at the names "
            "that are allowed.",
            like=("split_on_special(text, sorted(allowed))", "split_on_special(text, sorted(self.special_tokens))"),
        ),
        Mistake(
            "signals-that-nobody-allowed",
            "A special token that is not allowed got its id. Ask whether the part is among the allowed names.",
            like=(
                ("split_on_special(text, sorted(allowed))", "split_on_special(text, sorted(self.special_tokens))"),
                ("if part in allowed:", "if part in self.special_tokens:"),
            ),
        ),
        Mistake(
            "names-are-spelled",
            "A special token that is allowed has one id, the one in special_tokens.",
            like=("if part in allowed:", "if False:"),
        ),
    ),
)


# ----------------------------------------------------------------------------------------------------
# decode


def decoded(category, specials, ids):
    given = () if specials is None else (("special_tokens =", (specials,)),)
    vocab = {i: VOCAB[i] for i in sorted({*ids}) if i in VOCAB}
    return Case(category, (PATTERN,), (("vocab =", (vocab,)), *given, ("decode", (ids,))))


def decoded_cases(random):
    yield decoded("no ids", SPECIALS, [])
    yield decoded(NONE_YET, None, [97, 257])
    for length in range(1, 9):
        ids = random.choices([97, 98, 32, 257, 259], k=length)
        number = random.choice([*SPECIALS.values()])
        yield decoded("special tokens", SPECIALS, [*ids, number, *ids[:2]])
        yield decoded("ordinary ids", SPECIALS, ids)
        yield decoded("a character in several ids", ALIKE, [*ids, *random.choice(["é", "世", "🛑"]).encode(), 302])
        yield decoded("bytes that are not UTF-8", SPECIALS, [*ids, random.choice([128, 255, 0xE4]), number, 97])
        yield decoded("an unknown id", SPECIALS, [*ids, random.choice([260, 299, 302, 10**6, -1])])


DECODE = Exercise(
    "05.MyTokenizer.decode",
    "Look in both tables",
    "write",
    answer=MyTokenizer,
    difficulty=2,
    minutes=5,
    points=2,
    packages=("regex",),
    keeps_input=True,
    wanted=AnyError,
    hints=(
        "An id is in one of two tables, and one of them is the wrong way around.",
        "Lesson 05, section 5. `decode` of lesson 02 joins all bytes before it decodes them, and so must this one.",
        "turn special_tokens around; for each id the bytes of the name, or those in vocab; join; decode with "
        "errors='replace'",
    ),
    shown=(
        decoded("special tokens", {END: 300}, [97, 300]),
        decoded("ordinary ids", {END: 300}, [97, 257]),
        decoded("an unknown id", {END: 300}, [97, 299]),
        decoded("a character in several ids", {END: 300}, [195, 169, 300]),
        decoded("bytes that are not UTF-8", {END: 300}, [195, 300]),
    ),
    drawn=decoded_cases,
    mistakes=(
        NO_TABLE,
        Mistake(
            "one-table-only",
            "This id is a special token's, so it is not in vocab. Look in both tables. minbpe's GPT4Tokenizer has the "
            "same bug.",
            when=lambda case, outcome, wanted: outcome.error == "KeyError",
        ),
        Mistake(
            "skips-unknown-ids",
            "An id that is in neither table must raise an error. Skipped, it hides that two programs use different "
            "vocabularies.",
            when=lambda case, outcome, wanted: case.category == "an unknown id" and outcome.state == "value",
        ),
        Mistake(
            "broken-bytes-raise",
            "A model may produce bytes that are not UTF-8. Decode with errors='replace'.",
            when=lambda case, outcome, wanted: outcome.error == "UnicodeDecodeError",
        ),
        Mistake(
            "decodes-each-id",
            "A character may be spread over several ids. Join the bytes of all ids, then decode once.",
            like=(
                'b"".join(found).decode("utf-8", "replace")',
                '"".join(one.decode("utf-8", "replace") for one in found)',
            ),
        ),
        Mistake(
            "drops-special-tokens",
            "The name of the special token is missing from the text.",
            like=('names = {number: name.encode("utf-8")', 'names = {number: b""'),
        ),
        Mistake(
            "drops-broken-bytes",
            "Bytes that are not UTF-8 are missing. They become U+FFFD.",
            like=('.decode("utf-8", "replace")', '.decode("utf-8", "ignore")'),
        ),
    ),
)

EXERCISES = (REGISTER, FROM_RANKS, TRAIN, ENCODE, DECODE)
