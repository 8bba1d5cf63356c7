"""Exercise 06.test_normalize: write a test that accepts two right normalizers and rejects ten wrong ones."""

from functools import partial

from minbpe_course.learning import Exercise, mutant


def test_normalize(normalize):
    """Raise AssertionError unless normalize keeps all its promises.

    You are given `normalize(text)`. It should turn every space into `▁` and put one more `▁` at the front, unless the
    text is empty. Everything else should stay the same.

    | text | normalized |
    |---|---|
    | `"Hello world"` | `"▁Hello▁world"` |
    | `"a  b "` | `"▁a▁▁b▁"` |
    | `""` | `""` |

    Is it right? Write the test.

    * **In:** `normalize`, a function from str to str. Call it as often as you like.
    * **Out:** nothing. The test raises `AssertionError` if a result is wrong (a plain `assert` will do).

    Your test is run on two correct functions, which it must accept, and on ten wrong ones, each with one small bug,
    which it must reject. Catching all ten earns three points, catching five earns one. For example, this test accepts
    the correct functions but misses most of the bugs:

    ```python
    def test_normalize(normalize):
        assert normalize("Hello world") == "▁Hello▁world"
    ```
    """
    promises = {
        "": "",
        "Hello world": "▁Hello▁world",
        " in front": "▁▁in▁front",
        "behind ": "▁behind▁",
        "two  or   three": "▁two▁▁or▁▁▁three",
        "tab\tand\nline": "▁tab\tand\nline",
        "a▁mark": "▁a▁mark",
        " ": "▁▁",
    }
    for spelled, promised in promises.items():
        assert normalize(spelled) == promised, spelled


RIGHT = (
    """
def normalize(text):
    return "▁" + text.replace(" ", "▁") if text else ""
""",
    """
def normalize(text):
    marked = ["▁" if character == " " else character for character in text]
    if marked:
        marked.insert(0, "▁")
    return "".join(marked)
""",
)


wrong = partial(mutant, RIGHT[0])
MARKED = '"▁") if'

EXERCISE = Exercise(
    "06.test_normalize",
    "A test for the normalizer",
    "test",
    answer=test_normalize,
    difficulty=3,
    minutes=15,
    points=3,
    hints=(
        "For each promise, ask which text would show that it is broken: no text, one space, two spaces, a space at "
        "the front?",
        "Lesson 06, where the space is a letter: what sentencepiece makes of spaces there.",
        "assert normalize(text) == wanted, for a list of (text, wanted) that you have worked out by hand",
    ),
    subject="normalize",
    right=RIGHT,
    mutants=(
        wrong("no-prefix", "puts nothing in front", ('"▁" + ', "")),
        wrong("prefix-of-nothing", "puts a mark in front of an empty text", (' if text else ""', "")),
        wrong("one-space", "marks only the first space", (MARKED, '"▁", 1) if')),
        wrong("strips", "loses spaces at the ends", ("text.replace", 'text.strip(" ").replace')),
        wrong("joins", "loses one of two spaces", (MARKED, '"▁").replace("▁▁", "▁") if')),
        wrong(
            "prefix-once",
            "adds no mark where the text begins with a space",
            ('"▁" + text.', '(text if text.startswith(" ") else " " + text).'),
        ),
        wrong("tabs", "takes a tab for a space", (MARKED, '"▁").replace("\\t", "▁") if')),
        wrong("lines", "takes a line feed for a space", (MARKED, '"▁").replace("\\n", "▁") if')),
        wrong("typed-mark", "drops a ▁ that was typed", ("text.replace", 'text.replace("▁", "").replace')),
        wrong("behind", "puts the mark at the end of the text", ('"▁" + ', ""), (MARKED, '"▁") + "▁" if')),
    ),
)
