"""A cell gets its part by its content when its id says nothing, as the ids of JupyterLab do."""

from __future__ import annotations

import copy
from typing import Any

from minbpe_course.learning.assignments.normalise import FOLDER_SETUP, normalised, parts_of_cells
from minbpe_course.learning.assignments.parts import source_of
from minbpe_course.learning.judge.exercise import Exercise

ECHO = Exercise("week1.echo", "An echo", "write")
STILL = Exercise("week1.stillness", "Stillness", "write", entry="hush")
BOTH = (ECHO, STILL)
ANSWER = "def {}(words):\n    ### BEGIN SOLUTION\n    return words\n    ### END SOLUTION"


def markdown(source: str, **more: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": f"{abs(hash(source)):x}", "metadata": more, "source": source}


def code(source: str, **more: Any) -> dict[str, Any]:
    return {**markdown(source, **more), "cell_type": "code"}


def parts(*cells: dict[str, Any]) -> list[str]:
    found = parts_of_cells(cells, BOTH)
    return [f"{part.exercise.key} {part.role}" if part else "" for part in found]


def test_parts_follow_from_titles_cards_entries_checks_and_tags() -> None:
    assert parts(
        markdown("# Week 1"),
        markdown("### An echo\n\nSay it twice."),
        code("LIMIT = 3", tags=["given"]),
        code("1 + 1"),
        code(ANSWER.format("echo")),
        code('check("week1.echo", echo)'),
        markdown("Some more words.\n\n**`week1.stillness`** · write a function"),
        code("import math\n\n" + ANSWER.format("hush")),
        code("check('week1.stillness')"),
        code("progress()"),
    ) == [
        "", "week1.echo text", "week1.echo given", "", "week1.echo answer", "week1.echo check",
        "week1.stillness text", "week1.stillness answer", "week1.stillness check", "",
    ]  # fmt: skip


def test_a_task_and_an_answer_are_enough() -> None:
    cells = [markdown("# Week 1"), markdown("Say it twice."), code(ANSWER.format("echo"))]
    assert parts(*cells) == ["", "week1.echo text", "week1.echo answer"]
    made = normalised({"cells": cells}, [ECHO], FOLDER_SETUP)["cells"]
    assert [source_of(cell) for cell in made] == [
        "# Week 1",
        FOLDER_SETUP,
        f"### An echo\n\n{ECHO.card()}\n\nSay it twice.",
        ANSWER.format("echo"),
        'check("week1.echo", echo)',
        "progress()",
    ]
    assert [cell["id"] for cell in made][1:] == [
        "week1-setup", "week1-echo-text", "week1-echo", "week1-echo-check", "week1-progress",
    ]  # fmt: skip
    assert normalised({"cells": made}, [ECHO], FOLDER_SETUP)["cells"] == made


def test_a_heading_alone_is_no_task_and_one_task_serves_one_exercise() -> None:
    assert parts(markdown("# Week 1"), code(ANSWER.format("echo"))) == ["", "week1.echo answer"]
    assert parts(markdown("Two in a row."), code(ANSWER.format("echo")), code(ANSWER.format("hush"))) == [
        "week1.echo text", "week1.echo answer", "week1.stillness answer",
    ]  # fmt: skip


def test_copied_cells_are_those_of_the_exercise_that_they_define() -> None:
    """Copying the cells of an exercise is the usual way to begin another."""
    first = [markdown("Say it twice."), code(ANSWER.format("echo"))]
    cells = normalised({"cells": first}, [ECHO], FOLDER_SETUP)["cells"][1:-1]
    copied = copy.deepcopy(cells)
    for number, cell in enumerate(copied):
        cell["id"] = f"{number}-copied"
    copied[1]["source"] = ANSWER.format("hush")
    copied[2]["source"] = 'check("week1.stillness", hush)'
    assert parts(*cells, *copied)[3:] == ["week1.stillness text", "week1.stillness answer", "week1.stillness check"]
    made = normalised({"cells": [*cells, *copied]}, BOTH)["cells"]
    text = next(source_of(cell) for cell in made if cell["id"] == "week1-stillness-text")
    assert text == f"### Stillness\n\n{STILL.card()}\n\nSay it twice."
