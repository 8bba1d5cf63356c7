"""The pictures of lesson 10 have every state and every letter of the table."""

from __future__ import annotations

from matplotlib.patches import Circle

from minbpe_course.reference.pattern_table import PatternTable
from minbpe_course.visual.charts import automata
from tests.visual.charts.drawings import texts


def table_of(pattern: str) -> dict:
    """Return (threads, letter) -> (threads, ended) for the letters a and b, and for the end of the text."""
    made, found = PatternTable(pattern), {}
    todo = [(made.entry,)]
    for threads in todo:
        for letter in ("a", "b", ""):
            found[threads, letter] = made.follow(threads, made.kind(letter))
            after = found[threads, letter][0]
            todo += [after] * (bool(after) and after not in todo)
    return found


def test_an_automaton_has_its_states_its_letters_and_double_frames(draw):
    drawn = {pattern: table_of(pattern) for pattern in ("a|ab", "ab|a", "a+b|a")}
    panels = draw(automata.draw_automata, drawn)
    labels = {axes.get_title(loc="left"): sorted(filter(None, texts(axes))) for axes in panels}
    assert labels == {
        "a|ab": ["0", "1", "a"],
        "ab|a": ["0", "1", "2", "a", "b"],
        "a+b|a": ["0", "1", "2", "3", "a", "a", "a", "b", "b"],
    }
    circles = [sum(isinstance(patch, Circle) for patch in axes.patches) for axes in panels]
    assert circles == [2 + 1, 3 + 2, 4 + 2]
