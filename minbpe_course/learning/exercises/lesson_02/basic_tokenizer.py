"""Exercises 02.BasicTokenizer.*: the methods of the learner's first tokenizer.

Each method is tried by itself: a case sets the attributes that the method needs.
"""

from pathlib import Path

from minbpe_course.formats import minbpe_text
from minbpe_course.learning import Case, Exercise, Mistake
from minbpe_course.learning.exercises.lesson_02.apply_merges import apply_merges
from minbpe_course.learning.exercises.lesson_02.samples import SCRIPTS, draw_text
from minbpe_course.learning.exercises.lesson_02.train_merges import learn_merges
from minbpe_course.learning.exercises.lesson_02.vocabulary import vocabulary
from minbpe_course.model import BytePairModel
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps


class BasicTokenizer:
    """Learn merges from a text, encode with them, and decode.

    Put the functions of this lesson together. Three attributes make up the tokenizer:

    * `merges`, a dict from pair to new id, in the order learned;
    * `vocab`, a dict from id to bytes, which follows from the merges;
    * `pattern`, a `str` that says how to split a text first. It stays empty until lesson 03.

    A `.model` file holds `pattern` and `merges` and nothing else. A subclass with more in it must not use `save`.
    """

    def __init__(self):
        self.merges = {}  # pair -> new id, in the order learned
        self.vocab = vocabulary({})  # id -> bytes
        self.pattern = ""  # for lesson 03

    def train(self, text, vocab_size):
        """Learn merges and vocab from a text, vocab_size ids with the 256 bytes; return self.

        Replace `merges` and `vocab` by what a text teaches, and forget what was learned before.

        * **In:** `text`, a `str`; `vocab_size`, how many ids there may be in all. 256 of them are the bytes.
        * **Out:** the tokenizer itself, so that `BasicTokenizer().train(text, 300)` can be kept in a variable.

        For example, `BasicTokenizer().train("aaab", 257).merges` is `{(97, 97): 256}`.
        """
        ### BEGIN SOLUTION
        self.merges = learn_merges(list(text.encode("utf-8")), vocab_size - 256)
        self.vocab = vocabulary(self.merges)
        return self
        ### END SOLUTION

    def encode(self, text):
        """Return the ids of a text, a list.

        * **In:** `text`, a `str`, which may be empty.
        * **Out:** a list of ids: those of its UTF-8 bytes, after all possible merges.

        For example, with `merges = {(97, 97): 256}`, `encode("aaab")` is `[256, 97, 98]`.
        """
        ### BEGIN SOLUTION
        return apply_merges(list(text.encode("utf-8")), self.merges)
        ### END SOLUTION

    def decode(self, ids):
        """Return the text of ids; bytes that are not UTF-8 become U+FFFD.

        * **In:** `ids`, a list of ids, all of them in `vocab`.
        * **Out:** a `str`. Join the bytes of all ids before you decode: a character may be spread over several ids.

        For example, `decode([195, 169])` is `"é"`, and `decode([195])` is `"\\ufffd"`.
        """
        ### BEGIN SOLUTION
        return b"".join(self.vocab[i] for i in ids).decode("utf-8", errors="replace")
        ### END SOLUTION

    def save(self, path):
        """Write minbpe's file: minbpe v1, the pattern, 0, and a line for each pair.

        * **In:** `path`, where to write the file, in UTF-8. Write to exactly this path.
        * **Out:** nothing. The file has a line `minbpe v1`, a line with the pattern (it may be empty), a line with the
          number of special tokens (0), and then a line for each pair, in the order learned. Their ids aren't stored.

        With `merges = {(97, 97): 256, (256, 98): 257}`, the file is

        ```
        minbpe v1

        0
        97 97
        256 98
        ```
        """
        ### BEGIN SOLUTION
        with Path(path).open("w", encoding="utf-8", newline="\n") as file:
            file.write(f"minbpe v1\n{self.pattern}\n0\n")
            for left, right in self.merges:
                file.write(f"{left} {right}\n")
        ### END SOLUTION

    def load(self, path):
        """Read such a file into pattern, merges and vocab; return self.

        * **In:** `path` of a file as `save` writes it, without special tokens.
        * **Out:** the tokenizer itself, with the `pattern`, `merges` and `vocab` of the file in place of its own.

        The first pair makes id 256, the second 257, and so on.
        """
        ### BEGIN SOLUTION
        lines = Path(path).read_text(encoding="utf-8").split("\n")
        self.pattern = lines[1]
        pairs = [tuple(map(int, line.split())) for line in lines[3:] if line]
        self.merges = {pair: new_id for new_id, pair in enumerate(pairs, 256)}
        self.vocab = vocabulary(self.merges)
        return self
        ### END SOLUTION


class Witness:
    """The same tokenizer, made of the reference implementation and of the package's reader and writer of files."""

    def __init__(self):
        self.merges, self.vocab, self.pattern = {}, {}, ""

    def train(self, text, vocab_size):
        self.vocab = {byte: bytes([byte]) for byte in range(256)}
        steps = list(train_steps([text.encode("utf-8")], vocab_size))
        self.merges = {step.pair: step.new_id for step in steps}
        self.vocab |= {step.new_id: step.token for step in steps}
        return self

    def encode(self, text):
        return encode_word(text.encode("utf-8"), self.merges)

    def decode(self, ids):
        return b"".join(map(self.vocab.get, ids)).decode("utf-8", errors="replace")

    def save(self, path):
        minbpe_text.write(BytePairModel(list(self.merges), pattern=self.pattern), path.removesuffix(".model"))

    def load(self, path):
        model = minbpe_text.read(path)
        self.pattern = model.pattern or ""
        self.merges = {tuple(map(int, pair)): new_id for new_id, pair in enumerate(model.merges, 256)}
        self.vocab = dict(model.token_bytes)
        return self


LOW = {(108, 111): 256, (256, 119): 257}
FILE = "{folder}/my.model"
PATTERNS = ("", r"[\s\S]+", r"\w+|[^\w]+", r"'(?i:[sdmt]|ll|ve|re)| ?\p{L}+", "[a-zäöüß]+|.")


def made(merges, pattern=""):
    """Return the steps that give a tokenizer its attributes."""
    return ("merges =", (merges,)), ("vocab =", (vocabulary(merges),)), ("pattern =", (pattern,))


def file_of(merges, pattern=""):
    """Return the text of a file, written by minbpe's rules."""
    return "".join(f"{line}\n" for line in ["minbpe v1", pattern, "0", *(f"{a} {b}" for a, b in merges)])


def some_merges(random):
    text = draw_text(random, random.choice(SCRIPTS), 40)
    return text, learn_merges(text, random.randrange(3, 9))


def training(category, text, size, *attributes):
    return Case(category, (), (("train", (text, size)), *((f".{name}", ()) for name in attributes)))


def train_cases(random):
    for letters in SCRIPTS[:-1]:  # all that is text
        text = draw_text(random, letters, 25).decode("utf-8")
        yield training("the merges", text, random.randrange(258, 264), "merges")
        yield training("the vocabulary", text, random.randrange(258, 262), "vocab")
        again = draw_text(random, "lower ", 20).decode("utf-8")
        steps = ("train", (text, 260)), ("train", (again, 259)), (".merges", ())
        yield Case("trained a second time", (), steps)
    yield training("more ids than there are pairs", "aba", 300, "merges")


def encode_cases(random):
    yield Case("an empty text", (), (*made(LOW), ("encode", ("",))))
    for letters in SCRIPTS[:-1]:
        text = draw_text(random, letters, 40)
        merges = learn_merges(text, random.randrange(3, 9))
        category = "text in ASCII" if text.isascii() else "letters of several bytes"
        yield Case(category, (), (*made(merges), ("encode", (text[:20].decode("utf-8", "ignore"),))))


def decode_cases(random):
    yield Case("no ids", (), (*made(LOW), ("decode", ([],))))
    for letters in SCRIPTS:
        text = draw_text(random, letters, 40)
        merges = learn_merges(text, random.randrange(3, 9))
        ids = apply_merges(text[:30], merges)
        if text.isascii():
            yield Case("text in ASCII", (), (*made(merges), ("decode", (ids,))))
            continue
        yield Case("letters spread over ids", (), (*made({}), ("decode", (list(text[:24]),))))
        yield Case("bytes that are not UTF-8", (), (*made(merges), ("decode", ([random.randrange(128, 192), *ids],))))


def save_cases(random):
    yield Case("no merges", (), (*made({}), ("save", (FILE,)), ("read file", (FILE,))))
    for pattern in PATTERNS:
        steps = made(some_merges(random)[1], pattern)
        category = "a pattern" if pattern else "an empty pattern"
        yield Case(category, (), (*steps, ("save", (FILE,)), ("read file", (FILE,))))


def load_cases(random):
    yield Case("no merges", (), (("write file", (FILE, file_of({}))), ("load", (FILE,)), (".merges", ())))
    for pattern in PATTERNS:
        merges = some_merges(random)[1]
        loaded = ("write file", (FILE, file_of(merges, pattern))), ("load", (FILE,))
        yield Case("the merges", (), (*loaded, (".merges", ())))
        yield Case("the vocabulary", (), (*loaded, (".vocab", ())))
        yield Case("the pattern", (), (*loaded, (".pattern", ())))
        yield Case("a tokenizer that was trained before", (), (*made(LOW, "x"), *loaded, (".merges", ())))
    for pattern in (r" ?\w+|\W", r"\w+|\W| "):
        loaded = ("write file", (FILE, file_of(some_merges(random)[1], pattern))), ("load", (FILE,))
        yield Case("a pattern with a space at an end", (), (*loaded, (".pattern", ())))


def contents(text):
    """Return what minbpe reads from a file: the pattern and the pairs; None where it reads nothing."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if len(lines) < 3 or lines[0].strip() != "minbpe v1" or lines[2].strip() != "0":
        return None
    try:
        return lines[1].strip(), [tuple(map(int, line.split())) for line in lines[3:]]
    except ValueError:
        return None


def complaint(case, answer):
    """Accept any file from which minbpe reads the same; its lines may end as on Windows."""
    steps = dict(case.script)
    return None if contents(answer[-1]) == contents(file_of(*steps["merges ="], *steps["pattern ="])) else ""


def method(name, title, minutes, hints, shown, drawn, *mistakes, **more):
    return Exercise(
        f"02.BasicTokenizer.{name}",
        title,
        "write",
        answer=BasicTokenizer,
        difficulty=2,
        minutes=minutes,
        points=1,
        hints=hints,
        wanted=Witness,
        shown=shown,
        drawn=drawn,
        mistakes=mistakes,
        **more,
    )


EXERCISES = (
    method(
        "train",
        "Train a tokenizer",
        2,
        (
            "You have a function for the merges and one for the vocabulary. What do they take?",
            "Lesson 02, sections 2 and 5: training works on the bytes of the text, and 256 ids are taken already.",
            "self.merges = what `learn_merges` learns from the list of UTF-8 bytes, with vocab_size - 256 merges; "
            "self.vocab = the vocabulary of these merges; return self",
        ),
        (
            training("the merges", "low lower lowest", 258, "merges"),
            training("the vocabulary", "low lower lowest", 257, "vocab"),
        ),
        train_cases,
        Mistake(
            "size-is-the-number-of-merges",
            "`vocab_size` counts the 256 bytes as well. How many merges are left to learn?",
            like=("vocab_size - 256", "vocab_size"),
        ),
        Mistake(
            "code-points",
            "You train on code points. The first 256 ids are bytes, so encode the text as UTF-8 first.",
            like=('list(text.encode("utf-8"))', "list(map(ord, text))"),
        ),
        Mistake(
            "forgets-the-vocabulary",
            "The merges are right, but `vocab` is still that of the 256 bytes. Without the new tokens, `decode` fails.",
            like=("        self.vocab = vocabulary(self.merges)\n        return self", "        return self"),
        ),
        Mistake(
            "keeps-old-merges",
            "A second training must not keep merges of the first: replace `self.merges`.",
            like=("self.merges = learn_merges(", "self.merges |= learn_merges("),
        ),
        Mistake(
            "returns-the-merges",
            "`train` returns the tokenizer, so that you can write `BasicTokenizer().train(text, 300)`: return self.",
            when=lambda case, outcome, wanted: isinstance(outcome.value[0], (dict, tuple)),
        ),
    ),
    method(
        "encode",
        "Encode a text",
        1,
        (
            "`apply_merges` takes ids. What are the ids of a text before any merge?",
            "Lesson 02, sections 3 and 5: it is one line.",
            "return what `apply_merges` makes of the list of UTF-8 bytes, with self.merges",
        ),
        (
            Case("text in ASCII", (), (*made({(97, 97): 256}), ("encode", ("aaab",)))),
            Case("letters of several bytes", (), (*made({(195, 169): 256}), ("encode", ("né",)))),
        ),
        encode_cases,
        Mistake(
            "code-points",
            "You encode code points. The first 256 ids are bytes, so encode the text as UTF-8 first.",
            like=('list(text.encode("utf-8"))', "list(map(ord, text))"),
        ),
        Mistake(
            "only-bytes",
            "These are the bytes of the text. Now apply the merges to them.",
            like=('apply_merges(list(text.encode("utf-8")), self.merges)', 'list(text.encode("utf-8"))'),
        ),
        Mistake(
            "letters",
            "You apply the merges to the letters of a `str`, which match no pair. Encode the text as UTF-8 first.",
            like=('list(text.encode("utf-8"))', "text"),
        ),
    ),
    method(
        "decode",
        "Decode ids",
        2,
        (
            "`self.vocab` has the bytes of each id. What if a character is spread over two ids?",
            "Lesson 02, section 4: join first, then decode, and don't crash on half a character.",
            'join the bytes of all ids, b"".join(...); decode them as UTF-8 with errors="replace"; return the text',
        ),
        (
            Case("text in ASCII", (), (*made({(97, 97): 256}), ("decode", ([256, 97, 98],)))),
            Case("letters spread over ids", (), (*made({}), ("decode", ([195, 169],)))),
            Case("bytes that are not UTF-8", (), (*made({}), ("decode", ([97, 195],)))),
        ),
        decode_cases,
        Mistake(
            "stops-at-half-a-character",
            'Half a character must not stop a program: `errors="replace"` writes U+FFFD in its place.',
            like=(', errors="replace"', ""),
        ),
        Mistake(
            "drops-half-a-character",
            'Bytes that are not UTF-8 vanish here. With `errors="replace"`, the reader sees that something was there.',
            like=('errors="replace"', 'errors="ignore"'),
        ),
        Mistake(
            "one-id-at-a-time",
            "You decode each id by itself, so a character that is spread over two ids is lost. Join all bytes first.",
            like=(
                'b"".join(self.vocab[i] for i in ids).decode("utf-8", errors="replace")',
                '"".join(self.vocab[i].decode("utf-8", errors="replace") for i in ids)',
            ),
        ),
        Mistake(
            "still-bytes",
            "You return bytes. Decode them as UTF-8, to get a text.",
            like=('.decode("utf-8", errors="replace")', ""),
        ),
    ),
    method(
        "save",
        "Save to a file",
        4,
        (
            "Write the example of section 5 by hand first. Which lines depend on the tokenizer?",
            "Lesson 02, section 5: the lines of a `.model` file. The ids of the merges are not stored.",
            'open the path to write, in UTF-8; write "minbpe v1", the pattern and "0", each with a line break; then, '
            "for each pair of self.merges, the two ids with a space between them, and a line break",
        ),
        (
            Case("an empty pattern", (), (*made(LOW), ("save", (FILE,)), ("read file", (FILE,)))),
            Case("a pattern", (), (*made(LOW, r"\w+"), ("save", (FILE,)), ("read file", (FILE,)))),
        ),
        save_cases,
        Mistake(
            "no-file",
            "There is no file at the path after your `save`. Write to exactly the path that is given.",
            when=lambda case, outcome, wanted: outcome.error == "FileNotFoundError",
        ),
        Mistake(
            "stores-the-ids",
            "Write the two ids of each pair only. The id that a merge makes follows from its place.",
            like=(
                'for left, right in self.merges:\n                file.write(f"{left} {right}\\n")',
                "for (left, right), new_id in self.merges.items():\n"
                '                file.write(f"{left} {right} {new_id}\\n")',
            ),
        ),
        Mistake(
            "stores-only-the-ids",
            "You write the ids that the merges make. Write the pair of each merge; its id follows from its place.",
            like=(
                'for left, right in self.merges:\n                file.write(f"{left} {right}\\n")',
                'for new_id in self.merges.values():\n                file.write(f"{new_id}\\n")',
            ),
        ),
        Mistake(
            "writes-tuples",
            "A line has two numbers with a space between them, `108 111`, not a Python tuple.",
            like=('f"{left} {right}\\n"', 'f"{(left, right)}\\n"'),
        ),
        Mistake(
            "skips-an-empty-pattern",
            "The second line is the pattern, even if it is empty. Without it, the reader takes your third line for it.",
            like=(
                'file.write(f"minbpe v1\\n{self.pattern}\\n0\\n")',
                'file.write("minbpe v1\\n" + (self.pattern and self.pattern + "\\n") + "0\\n")',
            ),
        ),
        Mistake(
            "no-number-of-special-tokens",
            "The third line is missing: `0`, the number of special tokens.",
            like=("{self.pattern}\\n0\\n", "{self.pattern}\\n"),
        ),
        Mistake(
            "no-pattern",
            "The second line is the pattern of this tokenizer, `self.pattern`. It is not always empty.",
            like=("{self.pattern}", ""),
        ),
        Mistake(
            "no-line-breaks",
            "`write` adds no line break: end each line with `\\n`.",
            when=lambda case, outcome, wanted: (
                "minbpe v1\n" not in outcome.value[-1].replace("\r\n", "\n")
                and outcome.value[-1].startswith("minbpe v1")
            ),
        ),
        accept=complaint,
    ),
    method(
        "load",
        "Load from a file",
        4,
        (
            "Three lines come first. Each later line is a pair, and its id follows from its place.",
            "Lesson 02, section 5: the lines of a `.model` file. The vocabulary is not in it; how did `train` get it?",
            "read the lines; self.pattern = the second; from the fourth on, each line is a pair of ints, and they make "
            "256, 257 and so on; self.vocab = their vocabulary; return self",
        ),
        (
            Case(
                "the merges", (), (("write file", (FILE, file_of({(97, 97): 256}))), ("load", (FILE,)), (".merges", ()))
            ),
            Case(
                "the pattern", (), (("write file", (FILE, file_of(LOW, r"\w+"))), ("load", (FILE,)), (".pattern", ()))
            ),
            Case("the vocabulary", (), (("write file", (FILE, file_of(LOW))), ("load", (FILE,)), (".vocab", ()))),
        ),
        load_cases,
        Mistake(
            "text-for-numbers",
            'What you read from a file is text: `"108"` is not 108. Make each half of a pair an `int`.',
            like=("tuple(map(int, line.split()))", "tuple(line.split())"),
        ),
        Mistake(
            "text-for-numbers-later",
            'What you read from a file is text: `"108"` is not 108. Make each half of a pair an `int`.',
            when=lambda case, outcome, wanted: isinstance(next(iter(outcome.value[-1].keys()))[0], str),
        ),
        Mistake(
            "ids-from-0",
            "The first merge of a file makes id 256, since 0 to 255 are the bytes.",
            like=("enumerate(pairs, 256)", "enumerate(pairs)"),
        ),
        Mistake(
            "forgets-the-vocabulary",
            "The merges are right, but `vocab` is that of before. Make it anew from the merges.",
            like=("        self.vocab = vocabulary(self.merges)\n        return self", "        return self"),
        ),
        Mistake(
            "forgets-the-pattern",
            "The second line is the pattern: it belongs into `self.pattern`.",
            like=("        self.pattern = lines[1]\n", ""),
        ),
        Mistake(
            "keeps-the-line-break",
            "Your pattern ends in the line break of its line. Cut it off, and nothing else.",
            like=("lines[1]", 'lines[1] + "\\n"'),
        ),
        Mistake(
            "strips-the-pattern",
            "A space at the beginning or the end of a pattern belongs to it. Cut off only the line break.",
            like=("lines[1]", "lines[1].strip()"),
        ),
        Mistake(
            "keeps-old-merges",
            "A tokenizer that is loaded forgets its earlier merges: replace `self.merges`.",
            like=("self.merges = {", "self.merges |= {"),
        ),
        Mistake(
            "reads-the-head",
            "The first three lines are no pairs: the version, the pattern, and the number of special tokens.",
            when=lambda case, outcome, wanted: outcome.error == "ValueError",
        ),
    ),
)
