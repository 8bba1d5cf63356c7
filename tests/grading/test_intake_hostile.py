"""Learners who would be somebody else by the names of their files, or keep a grader busy: it stays their own matter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from minbpe_course.errors import NoSubmissions
from minbpe_course.grading import intake
from minbpe_course.grading.archives import Member
from minbpe_course.grading.intake import Submission, take_in
from minbpe_course.grading.layouts import Owner, gradescope_owners
from tests.grading.test_intake import laid
from tests.shared.submission_cases import answer_cell, code_cell, notebook, zipped

ANSWER = notebook(answer_cell("def double(n): return n + n"))

BOB = b"submission_1:\n  :submitters:\n  - :name: Bob\n    :sid: bob\n"
TAKING_OVER = {
    "metadata of Gradescope": {"eve/submission_metadata.yml": BOB, "eve/submission_1/02.ipynb": ANSWER},
    "metadata, deeper": {"eve/x/submission_metadata.yml": BOB, "eve/x/submission_1/02.ipynb": ANSWER},
    "a folder of nbgrader": {"eve/submitted/bob/ps1/02.ipynb": ANSWER},
    "a folder of Moodle": {"eve/Bob_5_assignsubmission_file_/02.ipynb": ANSWER},
    "names of Canvas": {"eve/bob_5_12345_02.ipynb": ANSWER},
    "a gradebook": {"eve/gradebook.sqlite": b"", "eve/02.ipynb": ANSWER},
}


@pytest.mark.parametrize("as_zip", [False, True], ids=["unpacked", "zip"])
@pytest.mark.parametrize("name", TAKING_OVER)
def test_nobody_chooses_by_the_names_of_their_files_who_the_others_are(tmp_path: Path, name, as_zip) -> None:
    files = {"ada/02.ipynb": ANSWER, "bob/02.ipynb": ANSWER, **TAKING_OVER[name]}
    found = take_in(laid(tmp_path, files, as_zip=as_zip))
    assert found.layout == "a folder for each learner"
    assert [(one.owner.id, len(one.notebooks()[0])) for one in found.submissions] == [
        ("ada", 1),
        ("bob", 1),
        ("eve", 1),
    ]


def test_a_learner_alone_cannot_be_somebody_else_by_a_folder(tmp_path: Path) -> None:
    with pytest.raises(NoSubmissions, match=r"folder eve/submitted.*if it is a learner's"):
        take_in(laid(tmp_path, {"eve/submitted/bob/ps1/02.ipynb": ANSWER}, as_zip=False))
    work = {"class/eve/submission_metadata.yml": BOB, "class/eve/submission_1/02.ipynb": ANSWER}
    (tmp_path / "zip").mkdir()
    assert "bob" not in [one.owner.id for one in take_in(laid(tmp_path / "zip", work, as_zip=True)).submissions]


def test_a_folder_called_submitted_among_others_is_asked_about(tmp_path: Path) -> None:
    files = {"submitted/ada/ps1/02.ipynb": ANSWER, "slides/02.ipynb": ANSWER}
    with pytest.raises(NoSubmissions, match="folder submitted beside slides"):
        take_in(laid(tmp_path, files, as_zip=False))


def test_a_number_typed_by_somebody_else_makes_nobody_that_person() -> None:
    people = [
        ("Bob", "1912", "bob@example.org"),
        ("Eve", "1912", "eve@example.org"),
        ("Ada", "1815", "ada@example.org"),
    ]
    text = "".join(
        f"submission_{at}:\n  :submitters:\n  - :name: {name}\n    :sid: '{sid}'\n    :email: {email}\n"
        for at, (name, sid, email) in enumerate(people)
    )
    owners = [owner.id for (owner,) in gradescope_owners(text).values()]
    assert owners == ["bob@example.org", "eve@example.org", "1815"]


def test_damaged_files_use_up_what_may_be_read_as_well(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(intake, "MOST_BYTES", 50_000)
    damaged = bytearray(zipped({f"{n}.ipynb": bytes(10_000) for n in range(100)}))
    for at in [found.start() for found in re.finditer(b"PK\1\2", damaged)]:
        damaged[at + 16 : at + 20] = b"\1\2\3\4"  # the checksum
    (eve,) = take_in(laid(tmp_path, {"eve/work.zip": bytes(damaged)}, as_zip=False)).submissions
    problems = eve.notebooks()[1]
    assert 3 < sum("is damaged" in problem for problem in problems) < 7
    assert "the others were not read" in problems[-1]


def test_code_without_an_end_is_not_searched(tmp_path: Path) -> None:
    flood = notebook(code_cell("x\n" * 900_000))
    (eve,) = take_in(laid(tmp_path, {f"eve/{n}.ipynb": flood for n in range(9)}, as_zip=False)).submissions
    notebooks, problems = eve.notebooks()
    assert sum(len(cell.source) for one in notebooks for cell in one.cells) < 6 << 20
    assert any("characters of code" in problem for problem in problems)


def test_whatever_reading_stumbles_over_is_a_sentence() -> None:
    def stumble() -> bytes:
        raise LookupError("nobody has thought of this")

    found = Submission(Owner("eve"), (Member("eve/a.ipynb", 1, stumble), Member("eve/b.ipynb", 1, lambda: ANSWER)))
    assert [len(part) for part in found.notebooks()] == [1, 1]
    assert "eve/a.ipynb could not be read (LookupError)" in found.notebooks()[1]
