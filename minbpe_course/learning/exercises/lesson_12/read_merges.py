"""Exercise 12.read_merges: the pairs of a merges.txt with any white space and any line ends."""

from minbpe_course.learning import Exercise, Mistake


def read_merges(text):
    r"""Return the pairs of a merges.txt.

    The function below reads `merges.txt`. It works for every file that its author has tried. In other files, it loses
    whole merges, or parts of tokens. Repair it.

    * **In:** `text`, the whole file as a str, with its line ends as they are in the file.
    * **Out:** a list of pairs of str, in the order of the file.
    * A line ends with `"\n"`. A file from Windows has `"\r\n"`, and the `"\r"` is not part of a token. Nothing else
      ends a line.
    * The *first* line is a heading if it begins with `#version:`. It may be missing, and no other line is a heading.
    * Skip empty lines. The last line may have no line break.
    * A space, U+0020, separates the two parts. Any other white space belongs to a part.

    `read_merges("#version: 0.2\n# #\nĠ t\n")` is `[("#", "#"), ("Ġ", "t")]`.
    """
    ### BEGIN SOLUTION
    found = text.split("\n")
    if text.startswith("#version:"):
        found = found[1:]
    found = [row[:-1] if row.endswith("\r") else row for row in found]
    return [tuple(row.split(" ")) for row in found if row]
    ### INSTEAD
    # lines = [line for line in text.splitlines() if not line.startswith("#")]
    # return [tuple(line.split()) for line in lines]
    ### END SOLUTION


PLAIN = "a plain file"
SIGNS = "merges with number signs"
HEADINGS = "a merge that looks like a heading"
NO_HEADING = "no heading"
NO_END = "no line break at the end"
WINDOWS = "Windows line ends"
EMPTY = "empty lines"
SPACES = "other white space in a token"
ENDS = "characters that end lines elsewhere"


def cases(random):
    def letters():
        return "".join(random.choices("abctheinġĠéàĊ", k=random.randint(1, 3)))

    def merge(signs=("",)):
        left, right, sign = letters(), letters(), random.choice(signs)
        # Before the left part, inside it, and after the right one: some reader has lost tokens with each.
        place = random.randrange(3) if sign.strip("#") else 0
        return [f"{sign}{left} {right}", f"{left[:1]}{sign}{left[1:]}e {right}", f"{left} {right}{sign}"][place]

    yield PLAIN, ""
    yield PLAIN, "#version: 0.2\n"
    odd = {
        PLAIN: [""],
        SIGNS: ["#", "##"],
        SPACES: "\u3000\u00a0\t\u2009",
        ENDS: "\u2028\x85\x0b\x0c\x1c\u2029",
        NO_HEADING: [""],
        NO_END: [""],
        WINDOWS: ["", "\u00a0"],
    }
    for turn in range(3):
        for category, signs in odd.items():
            heading = [] if category == NO_HEADING else ["#version: 0.2"]
            lines = [*heading, *(merge(signs) for _ in range(3 + turn)), *([] if category == NO_END else [""])]
            yield category, ("\r\n" if category == WINDOWS else "\n").join(lines)
        yield EMPTY, f"{merge()}\n\n{merge()}\n"
        yield ENDS, f"{letters()}\r{merge()}\n"
        yield WINDOWS, f"{merge()}\r\r\n"
        yield SPACES, "\u3000 \u2003\n" * (turn + 1)
        yield NO_HEADING, f"#{merge()}\n{merge()}\n"
        yield HEADINGS, f"#version: 0.2\n{merge()}\n#version: {letters()}\n{merge()}\n"


ANY_LINES = r'text.split("\n")', "text.splitlines()"
ANY_SPACE = 'row.split(" ")', "row.split()"
NO_SIGNS = " if row]", ' if row and not row.startswith("#")]'
STRIPPED = " if row]", " if row.strip()]"
RETURN = r'row[:-1] if row.endswith("\r") else row'

EXERCISE = Exercise(
    "12.read_merges",
    "A reader that loses merges",
    "repair",
    answer=read_merges,
    minutes=15,
    points=3,
    hints=(
        "`splitlines()`, `split()` and `startswith('#')` each match more than the format says. Which parts of a merge "
        "does each of them lose?",
        "Lesson 12: its traps show the white space, and its `merges.txt` the heading and the last line.",
        "split at '\\n' only; remove one '\\r' from the end of a line; only the first line can be a heading; skip "
        "empty lines; split each line at ' ' only",
    ),
    shown=(
        (PLAIN, "#version: 0.2\nĠ t\nh e\n"),
        (SIGNS, "#version: 0.2\n# #\n## ##\n"),
        (SPACES, "#version: 0.2\na\u3000 b\n"),
        (ENDS, "#version: 0.2\na\u2028b c\n"),
        (HEADINGS, "#version: 0.2\nh e\n#version: 1\n"),
        (NO_HEADING, "h e\nt h\n"),
        (WINDOWS, "#version: 0.2\r\nh e\r\n"),
        (EMPTY, "h e\n\nt h\n"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "last-line",
            "The last line is a merge even if no line break follows it.",
            like=("text.split(", r'text[: text.rfind("\n") + 1].split('),
        ),
        Mistake(
            "headings",
            "Only the *first* line can be the heading. Further down, `#version:` is a token.",
            like=(" if row]", ' if row and not row.startswith("#version:")]'),
        ),
        Mistake(
            "any-sign-first",
            "A first line that begins with `#` is the heading only if it begins with `#version:`. `# #` is a merge.",
            like=('startswith("#version:")', 'startswith("#")'),
        ),
        Mistake(
            "comments",
            "Number signs are tokens like any other: `# #` is one of GPT-2's merges. Only the heading is not a merge.",
            like=NO_SIGNS,
        ),
        Mistake(
            "first-line",
            "The heading may be missing. Then the first line is the first merge.",
            like=('if text.startswith("#version:")', "if True"),
        ),
        Mistake(
            "any-blank",
            "`split()` splits at any white space, so a token that contains a wide space falls apart.",
            like=ANY_SPACE,
        ),
        Mistake(
            "any-blank",
            "`split()` and `strip()` take wide spaces for separators. Only U+0020 separates, and only an empty line is "
            "skipped.",
            like=(ANY_SPACE, STRIPPED),
        ),
        Mistake(
            "many-ends",
            "`splitlines()` knows ten characters that end a line. In this file, only the line feed does.",
            like=ANY_LINES,
        ),
        Mistake(
            "white-space-and-signs",
            "Two faults are left: what does `split()` do to other white space, and which merges begin with `#`?",
            like=(ANY_SPACE, NO_SIGNS),
        ),
        Mistake(
            "line-ends-and-signs",
            "Two faults are left: where does `splitlines()` end a line, and which merges begin with `#`?",
            like=(ANY_LINES, NO_SIGNS),
        ),
        Mistake(
            "line-ends-and-white-space",
            "Two faults are left: where does `splitlines()` end a line, and where does `split()` cut it?",
            like=(ANY_LINES, ANY_SPACE, (" if row]", "]")),
        ),
        Mistake(
            "strips",
            "`strip()` takes away more than a line end: a token may end in other white space.",
            like=(RETURN, "row.strip()"),
        ),
        Mistake(
            "blank-lines",
            "A line of wide spaces is not empty: it may be the merge of two of them.",
            like=STRIPPED,
        ),
        Mistake(
            "all-returns",
            "A '\\r' inside a token stays. Only the one before the line feed is part of the line end.",
            like=(RETURN, r'row.replace("\r", "")'),
        ),
        Mistake(
            "several-returns",
            "Only one '\\r' belongs to the line end. One before it is the end of a token.",
            like=(RETURN, r'row.rstrip("\r")'),
        ),
        Mistake(
            "return",
            "In a file from Windows each line ends in '\\r\\n'. The '\\r' is not part of a token.",
            like=(RETURN, "row"),
        ),
    ),
)
