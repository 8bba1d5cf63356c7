"""The gradebook: marks come back, damaged files are refused, and the seed cannot be read from it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from minbpe_course.errors import GradingProblem
from minbpe_course.learning.grading.gradebook import LONGEST_SOURCE, SCHEMA, Gradebook, Kept, Word, folder_name
from minbpe_course.learning.judge.exercise import Verdict
from minbpe_course.learning.submissions.layouts import Owner
from tests.shared.submission_cases import marks_in

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]

SEED = "a seed for the tests"
FULL = Verdict(
    *("02.merge", "not yet", 0.5, 2, "overlapping pairs", "merge(…)", "[2, 2]", "[2, 1]", "at index 1", "Look again."),
    *("merges-overlaps", {"overlapping pairs": 3}, {"overlapping pairs": 9, "empty": 1}, 1.25, "a note", True),
    *(("imports tiktoken", "Ω"), "no reason", 0.125),
    helpers=("02.count_pairs",),
)


def keep(
    book: Gradebook, mark: Verdict, learner: str = "ada", answer: str = "a", rules: str = "r", source: str = ""
) -> None:
    book.keep(learner, Kept(mark, "bubblewrap", source or None, "shape", answer, rules))


def test_a_mark_is_read_back_as_it_was_kept(tmp_path: Path) -> None:
    with Gradebook(tmp_path, SEED) as book:
        book.enrol(Owner("ada", "Ada", "Lovelace", "ada@example.org"), "2026-01-02", ["odd"])
        keep(book, FULL)
    assert {path.name for path in tmp_path.iterdir()} == {"gradebook.sqlite"}
    with Gradebook(tmp_path, SEED) as book:
        learner = book.learner("ada")
        assert (learner.name, learner.email, learner.timestamp) == ("Ada Lovelace", "ada@example.org", "2026-01-02")
        assert learner.problems == ("odd",)
        assert book.marks("ada") == [Kept(FULL, "bubblewrap", None, "shape", "a", "r")]


def test_a_text_is_stored_as_far_as_the_limit(tmp_path: Path) -> None:
    odd = "x = '\0\u202e</script>'\n"
    long = "y" * (LONGEST_SOURCE + 1)
    with Gradebook(tmp_path, SEED) as book:
        for name, source in (("ada", odd), ("bob", "\ud800"), ("eve", long), ("zoe", "")):
            book.enrol(Owner(name), "", ())
            keep(book, FULL, name, source=source)
        stored = {name: (one.text, one.length) for name, one in marks_in(book)}
    assert stored == {"ada": (odd, len(odd)), "bob": ("?", 1), "eve": (long[:-1], len(long)), "zoe": (None, 0)}


def test_another_seed_is_refused_and_says_what_to_type(tmp_path: Path) -> None:
    Gradebook(tmp_path, SEED).close()
    with pytest.raises(GradingProblem, match=r"--out.*--fresh"):
        Gradebook(tmp_path, SEED + "!")
    with Gradebook(tmp_path, SEED + "!", fresh=True) as book:
        assert book.learners() == []
    with Gradebook(tmp_path, SEED + "!"):
        pass


def test_the_seed_is_nowhere_in_the_file_and_two_files_hash_it_differently(tmp_path: Path) -> None:
    hashes = []
    for name in ("one", "two"):
        Gradebook(tmp_path / name, SEED).close()
        data = (tmp_path / name / "gradebook.sqlite").read_bytes()
        assert SEED.encode() not in data
        with closing(sqlite3.connect(tmp_path / name / "gradebook.sqlite")) as base:
            hashes.append(base.execute("SELECT value FROM about WHERE name = 'seed'").fetchone()[0])
    assert hashes[0] != hashes[1]


def test_a_second_grader_is_refused_until_the_first_has_gone(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from minbpe_course.learning.grading.gradebook import Gradebook\n"
        f"book = Gradebook(Path({str(tmp_path)!r}), {SEED!r}); print('open', flush=True); sys.stdin.read()"
    )
    first = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert first.stdout is not None
        assert first.stdout.readline().strip() == b"open"
        with pytest.raises(GradingProblem, match="another grader is at work"):
            Gradebook(tmp_path, SEED)
        with pytest.raises(GradingProblem, match="another grader is at work"):
            Gradebook(tmp_path, SEED, fresh=True)
    finally:
        first.kill()  # no chance to clean up
        first.communicate()
    with Gradebook(tmp_path, SEED), pytest.raises(GradingProblem, match="another grader"):
        Gradebook(tmp_path, SEED)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path.write_bytes(b"not a database at all, but long enough to look like one" * 50), "--out"),
        (lambda path: sqlite3.connect(path).execute("CREATE TABLE wine (year INTEGER)").connection.close(), "--out"),
    ],
    ids=["text", "another program's"],
)
def test_a_file_that_is_not_a_gradebook_is_left_unchanged(tmp_path: Path, make, says) -> None:
    path = tmp_path / "gradebook.sqlite"
    make(path)
    before = path.read_bytes()
    with pytest.raises(GradingProblem, match=says):
        Gradebook(tmp_path, SEED)
    # SQLite may change the journal mode in the header of another program's database, but not its content.
    assert path.read_bytes()[200:] == before[200:]
    path.unlink()
    Gradebook(tmp_path, SEED).close()


def read_all(folder: Path) -> None:
    with Gradebook(folder, SEED) as book:
        book.learners()
        list(marks_in(book))


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE mark SET failures = '{'", "Expecting property name"),
        ("DROP TABLE mark; CREATE TABLE mark (a)", "no such column"),
        ("UPDATE about SET value = 'no number' WHERE name = 'salt'", "non-hexadecimal"),
    ],
)
def test_a_damaged_gradebook_says_what_to_do(tmp_path: Path, statement: str, says: str) -> None:
    with Gradebook(tmp_path, SEED) as book:
        book.enrol(Owner("ada"), "", ())
        keep(book, FULL)
    base = sqlite3.connect(tmp_path / "gradebook.sqlite")
    base.executescript(statement)
    base.close()
    with pytest.raises(GradingProblem, match=r"cannot be used any longer.*begin again with --fresh") as raised:
        read_all(tmp_path)
    assert says in str(raised.value)
    with Gradebook(tmp_path, SEED, fresh=True) as book:
        assert book.learners() == []


def test_a_full_disk_is_reported_and_earlier_marks_are_kept(tmp_path: Path) -> None:
    with Gradebook(tmp_path, SEED) as book:
        book.enrol(Owner("ada"), "", ())
        keep(book, FULL)
        pages = book._base.execute("PRAGMA page_count").fetchone()[0]
        book._base.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(GradingProblem, match="is full"):
            [book.enrol(Owner(f"learner {number} " + "x" * 900), "", ()) for number in range(200)]
    with Gradebook(tmp_path, SEED) as book:
        assert [kept.mark for kept in book.marks("ada")] == [FULL]
        assert len(book.learners()) < 200


def test_a_folder_in_the_place_of_the_gradebook_and_a_file_in_that_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "gradebook.sqlite").mkdir()
    for fresh, said in ((False, "opened"), (True, "removed")):
        with pytest.raises(GradingProblem, match=f"cannot be {said}"):
            Gradebook(tmp_path, SEED, fresh=fresh)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(GradingProblem, match="cannot be written"):
        Gradebook(tmp_path / "file" / "marks", SEED)


def test_a_gradebook_of_another_version_is_refused(tmp_path: Path) -> None:
    Gradebook(tmp_path, SEED).close()
    base = sqlite3.connect(tmp_path / "gradebook.sqlite")
    base.execute("UPDATE about SET value = '99' WHERE name = 'format'")
    base.commit()
    base.close()
    with pytest.raises(GradingProblem, match="format 99"):
        Gradebook(tmp_path, SEED)


def test_a_grader_killed_before_its_first_mark_leaves_a_usable_file(tmp_path: Path) -> None:
    # The tables are there and nothing else: killed between making them and writing down the seed.
    base = sqlite3.connect(tmp_path / "gradebook.sqlite")
    base.executescript(SCHEMA)
    base.close()
    with Gradebook(tmp_path, SEED) as book:
        assert book.learners() == []


FOLDER_NAMES = [
    "../../etc/passwd", "..", "", "CON", "nul.txt", "a\\b:c", "\x00\x1b[2J", "summary.html", "名" * 200, "\ud800",
    "a\u202eb", "-rf", "$(id)<b>", ".hidden", "trailing. ",
]  # fmt: skip


@pytest.mark.parametrize("name", FOLDER_NAMES)
def test_any_name_makes_a_folder_that_every_system_can_keep(tmp_path: Path, name: str) -> None:
    made = folder_name(name)
    assert made == folder_name(name)
    assert (tmp_path / made).parent == tmp_path
    (tmp_path / made).mkdir()
    assert made.isprintable()
    assert not set(made) & set('<>:"/\\|?*$~ ')
    assert made[0] not in ".-"
    assert made[-1] not in ". "
    assert len(made.encode()) < 250
    assert made != folder_name(name, {made.casefold()})


def test_of_two_words_the_later_one_counts_with_its_mark(tmp_path: Path) -> None:
    with Gradebook(tmp_path / "a", SEED) as ours, Gradebook(tmp_path / "b", SEED) as theirs:
        for book, answer, handed_in, points, said in (
            (ours, "older", "2026-10-01", 1.5, "2026-11-02"), (theirs, "newer", "2026-10-09", 0.5, "2026-11-01"),
        ):  # fmt: skip
            book.enrol(Owner("ada"), "", ())
            book.keep("ada", Kept(FULL, "plain", answer, answer=answer, handed_in=f"{handed_in}T00:00:00+00:00"))
            book.say("ada", "02.merge", Word(points, "", "root", f"{said}T00:00:00+00:00", answer))
        assert (ours.merge(theirs), theirs.merge(ours)) == (0, 1)
        for book in (ours, theirs):
            assert [one.text for one in book.marks("ada")] == ["older"]
            assert book.words()["ada", "02.merge"].points == 1.5
