"""Exercise 04.ranks_from_bpe: repair a reader of ``vocab.bpe`` that loses a merge."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_04.vocabularies import all_bytes, any_order, publish, toy
from minbpe_course.text.byte_alphabet import printable_bytes


def ranks_from_bpe(text, alphabet):
    r"""Return token -> id for a file of merges; alphabet is byte -> character, in the order of the ids.

    This function reads a file of merges in the format of GPT-2's `vocab.bpe` and returns the ranks. It works for
    GPT-2's own file, but it has a bug: with files written by other programs, a merge is lost, and every id after it is
    off by one. No error is raised. The bug is real, and tiktoken 0.14 has it, too. Find it and repair it.

    * **In:** `text`, the contents of the file; `alphabet`, a dict from byte to character, in the order of the ids.
    * **Out:** a dict from the bytes of each token to its id.

    The first line of the file may be `#version: 0.2`; no other line is a version line. The file may or may not end in a
    line break. Every other line is a merge: two parts with a space between them.

    ```
    ranks_from_bpe("#version: 0.2\na b\nab c\n", {97: "a", 98: "b", 99: "c"})
        ->  {b'a': 0, b'b': 1, b'c': 2, b'ab': 3, b'abc': 4}
    ```

    The function is already right for this example. Tried: files with and without the first line, with and without the
    last line break, without merges, an empty file, merges of number signs, merges that look like the first line, all
    256 bytes.
    """
    byte_of = {character: byte for byte, character in alphabet.items()}
    ranks = {bytes([byte]): token_id for token_id, byte in enumerate(alphabet)}
    ### BEGIN SOLUTION
    merge_lines = text.splitlines()
    if merge_lines and merge_lines[0].startswith("#version"):
        del merge_lines[0]
    ### INSTEAD
    # merge_lines = text.split("\n")[1:-1]
    ### END SOLUTION
    for line in merge_lines:
        left, right = line.split(" ")
        token = bytes(byte_of[character] for character in left + right)
        ranks[token] = len(ranks)
    return ranks


def cases(random):
    alphabet = printable_bytes()

    def case(category, published, header, ended):
        spelled = ["".join(map(alphabet.get, token)) for token in published.ranks]
        lines = ["#version: 0.2"] * header + [f"{spelled[left]} {spelled[right]}" for left, right in published.merges]
        text = "\n".join(lines) + "\n" * (ended and bool(lines))
        return category, text, {byte: alphabet[byte] for byte in published.order}

    for header, ended in ((True, True), (True, False), (False, False)):
        yield case("no merges", publish([], b"ba", 0), header, ended)
    for size in range(2, 9):
        yield case("header and last line break", toy(random, size, size), True, True)
        yield case("no line break at the end", toy(random, size, size), True, False)
        yield case("no header", toy(random, size, size), False, bool(size % 2))
        words = [bytes(random.choices(b"## a", k=random.randint(2, 9))) for _ in range(20)]
        published = publish(words, random.sample(b"# a", 3), size)
        yield case("merges with number signs", published, bool(size % 2), bool(size % 3))
    for header in (True, False):
        # The line "#version: 0.2" is one of the merges, and not the first.
        words = [b"#version:"] * 5 + [b"0.2"] * 4 + [b"#version:0.2"] * 3 + [b"#version"] * random.randint(1, 9)
        published = publish(words, random.sample(b"#version:0.2", 12), 20)
        yield case("merges that look like a header", published, header, True)
        yield case("all 256 bytes", all_bytes(random, any_order(random), 30), header, header)


def loses_a_later_header(case, outcome, wanted):
    later = case.args[0].split("\n")[1:]
    return len(outcome.value) < len(wanted) and any(line.startswith("#version") for line in later)


def reads_the_header(case, outcome, wanted):
    unknown = outcome.message.strip("'")
    return outcome.error == "KeyError" and case.args[0].startswith("#version") and unknown in "#version:0.2"


LETTERS = {97: "a", 98: "b", 99: "c"}

EXERCISE = Exercise(
    "04.ranks_from_bpe",
    "The file that loses a merge",
    "repair",
    answer=ranks_from_bpe,
    difficulty=3,
    minutes=15,
    points=2,
    hints=(
        "Count: how many merges does the file have, and how many are in your ranks? Which one is missing?",
        "Lesson 04 reads GPT-2's `vocab.bpe` to check the merges. What does it do with the first line, and why may it?",
        "remove the first line only when it begins with #version; remove empty lines; keep all others",
    ),
    shown=(
        ("header and last line break", "#version: 0.2\na b\nab c\n", LETTERS),
        ("no line break at the end", "#version: 0.2\na b\nab c", LETTERS),
        ("no header", "a b\nab c\n", LETTERS),
        ("no merges", "", LETTERS),
        ("merges with number signs", "#version: 0.2\n# #\n\u0120 ##\n", {35: "#", 32: "\u0120"}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "drops-number-signs",
            "A merge may begin with a number sign, such as `# #`. Only a first line `#version` is not a merge.",
            like=("in merge_lines:", "in [line for line in merge_lines if line[0] != '#']:"),
        ),
        Mistake(
            "drops-every-header",
            "Only the first line can be the version. A later line that begins with `#version` is a merge.",
            when=loses_a_later_header,
        ),
        Mistake(
            "first-still-lost",
            "A file without the line `#version` still loses its first merge.",
            like=(' and merge_lines[0].startswith("#version")', ""),
        ),
        Mistake(
            "last-still-lost",
            "A file that does not end in a line break still loses its last merge.",
            like=("text.splitlines()", 'text.split("\\n")[:-1]'),
        ),
        Mistake(
            "strips-characters",
            "`lstrip` is given a set of characters, not the beginning of a text, and it does not stop at the end of "
            "the line.",
            like=("text.splitlines()", 'text.lstrip("#version: 0.2\\n").splitlines()'),
        ),
        Mistake(
            "header-is-a-token",
            "The line `#version: 0.2` has become a token.",
            when=lambda case, outcome, wanted: any(token.startswith(b"#version") for token in outcome.value),
        ),
        Mistake(
            "header-is-read",
            "You read the line `#version: 0.2` as a merge. It is not one, and not every file has it.",
            when=reads_the_header,
        ),
        Mistake(
            "empty-lines",
            "An empty line does not have two parts. Splitting an empty text gives an empty line, and so does a line "
            "break at the end.",
            when=lambda case, outcome, wanted: outcome.error == "ValueError" and "" in case.args[0].split("\n"),
        ),
    ),
)
