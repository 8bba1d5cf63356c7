"""Exercise 06.test_normalize: write a test that accepts two right normalizers and rejects ten wrong ones."""

from __future__ import annotations

from minbpe_course.checks.exercise import Exercise, Mutant

_RIGHT = (
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


def _mutant(name: str, category: str, value: str) -> Mutant:
    return Mutant(name, f"def normalize(text):\n    return {value}\n", category)


EXERCISE = Exercise(
    key="06.test_normalize",
    title="A test for the normaliser",
    kind="test",
    entry="test_normalize",
    difficulty=3,
    minutes=15,
    points=3,
    hints=(
        "Ask of each promise: which text would show that it is broken? Nothing, one space, two, one in front.",
        "assert normalize(text) == wanted, for a list of (text, wanted) that you have worked out by hand.",
        "Lesson 06, section 3: the texts that are compared with sentencepiece there.",
    ),
    subject="normalize",
    right=_RIGHT,
    mutants=(
        _mutant("no-prefix", "puts nothing in front", 'text.replace(" ", "▁")'),
        _mutant("prefix-of-nothing", "puts a mark in front of an empty text", '"▁" + text.replace(" ", "▁")'),
        _mutant("one-space", "marks only the first space", '"▁" + text.replace(" ", "▁", 1) if text else ""'),
        _mutant("strips", "loses spaces at the ends", '"▁" + text.strip(" ").replace(" ", "▁") if text else ""'),
        _mutant(
            "joins", "loses one of two spaces", '"▁" + "▁".join(text.split(" ")).replace("▁▁", "▁") if text else ""'
        ),
        _mutant(
            "prefix-once",
            "adds no mark where the text begins with a space",
            '(text if text.startswith(" ") else " " + text).replace(" ", "▁") if text else ""',
        ),
        _mutant("tabs", "takes a tab for a space", '"▁" + text.replace(" ", "▁").replace("\\t", "▁") if text else ""'),
        _mutant(
            "lines", "takes a line feed for a space", '"▁" + text.replace(" ", "▁").replace("\\n", "▁") if text else ""'
        ),
        _mutant(
            "typed-mark", "drops a ▁ that was typed", '"▁" + text.replace("▁", "").replace(" ", "▁") if text else ""'
        ),
        _mutant("behind", "puts the mark at the end of the text", 'text.replace(" ", "▁") + "▁" if text else ""'),
    ),
)
