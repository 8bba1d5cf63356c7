"""Keep every mark of a class in one SQLite file, committed one by one, so that the grader can be killed at any moment.

    learner   one row per learner: id, as the platform names them; folder, of the reports, next to this file; names,
              e-mail; timestamp, when handed in; problems, what was odd about the files; worked, the lessons in which
              an answer was begun
    mark      one row per learner and question: the fields of a Verdict; sandbox, the rung; text, its beginning if it
              is long, shape and length of the answer; answer, a hash of what was handed in; rules, a fingerprint;
              graded_at, UTC
    about     the format of this file, a salt, the salted hash of the secret seed

A mark is made from ``answer``, ``rules`` and the seed, and is made again only when one of them changes. The seed is
never written down: this file does not help to draw the hidden cases.

Limits: one grader at a time, ensured by a lock that ends with its process. To read while a grader works, open the file
read-only. Texts are UTF-8, lists and counts are JSON.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import re
import secrets
import sqlite3
import threading
import unicodedata
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, fields
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from minbpe_course.errors import GradebookProblem, UnusableSeed
from minbpe_course.learning.judge.exercise import Verdict
from minbpe_course.learning.submissions.layouts import Owner

NAME, LOCK = "gradebook.sqlite", ".grading-now"
FORMAT = "4"
LONGEST_FOLDER = 60
LONGEST_SOURCE = 20_000  # characters of an answer that are stored; a class may hand in thousands of long ones

# Device names of Windows, and the names of the class's own reports.
_RESERVED_FOLDERS = {"con", "prn", "aux", "nul", "gradebook", "grades", "summary"}
_RESERVED_FOLDERS |= {f"{kind}{digit}" for kind in ("com", "lpt") for digit in "0123456789"}


@dataclass(frozen=True)
class Learner:
    """One row of the table of learners."""

    id: str
    folder: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    timestamp: str = ""
    problems: tuple[str, ...] = ()
    worked: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Their name where it is known, else their id."""
        return f"{self.first_name} {self.last_name}".strip() if self.first_name else self.id


@dataclass(frozen=True)
class Kept:
    """One row of the table of marks: the mark, the rung that the answer ran on, and what the mark was made from.

    text : the answer, as it is read back its beginning; None if nothing was handed in. shape : see ``answer_text``.
    length : of the whole text, once it is stored.
    """

    mark: Verdict
    sandbox: str
    text: str | None = None
    shape: str = ""
    answer: str = ""
    rules: str = ""
    length: int = 0

    @property
    def lesson(self) -> str:
        """The lesson of its exercise, "02"."""
        return self.mark.key.partition(".")[0]


_VERDICT = [one.name for one in fields(Verdict)]
_KEPT = [one.name for one in fields(Kept) if one.name != "mark"]
_JSON = ("failures", "tried", "notes", "helpers")
_COLUMNS = ("learner", *_VERDICT, *_KEPT, "graded_at")
SCHEMA = f"""
CREATE TABLE about (name PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE learner (
    id PRIMARY KEY, folder UNIQUE, first_name, last_name, email, timestamp, problems, worked
) WITHOUT ROWID;
CREATE TABLE mark ({", ".join(_COLUMNS)}, PRIMARY KEY (learner, key)) WITHOUT ROWID;
"""


@contextmanager
def _explained(what: str, advice: str = "Name another folder with --out.") -> Iterator[None]:
    """Turn an error of the system, or of the database, into a GradebookProblem that says what to do."""
    try:
        yield
    except (OSError, sqlite3.Error, ValueError, TypeError) as error:
        raise GradebookProblem(f"{what}: {getattr(error, 'strerror', error)}. {advice}") from None


class Gradebook:
    """The gradebook of a folder, created if it is missing. Use it in a ``with``; any thread may call it.

    Raises GradebookProblem when another grader works in this folder or the file is of another kind, UnusableSeed when
    it was begun with another seed.
    """

    def __init__(self, folder: Path, seed: str, *, fresh: bool = False) -> None:
        self.path = folder / NAME
        self._guard = threading.Lock()
        with ExitStack() as opened:
            opened.enter_context(closing(_only_grader(folder)))
            with _explained(f"{self.path} cannot be removed"):
                for end in ("", "-wal", "-shm", "-journal") if fresh else ():
                    (folder / (NAME + end)).unlink(missing_ok=True)
            with _explained(f"{self.path} cannot be opened"):
                self._base = sqlite3.connect(self.path, check_same_thread=False, timeout=10)
            opened.enter_context(closing(self._base))
            self._make_tables()
            opened.callback(self._join_files)
            self._check_seed(seed.encode("utf-8", "surrogateescape"))
            self._resources = opened.pop_all()

    def __enter__(self) -> Gradebook:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Write everything into the one file and release the lock."""
        self._resources.close()

    def _join_files(self) -> None:
        with suppress(sqlite3.Error):  # another program is reading; the next run writes it
            self._base.execute("PRAGMA journal_mode = DELETE")

    @contextmanager
    def _working(self) -> Iterator[sqlite3.Connection]:
        """Let one thread use the database."""
        advice = (
            "Every mark made so far is kept. If the disk is full or the folder is gone, fix that and run it again; if "
            "the file is damaged, name another folder with --out, or begin again with --fresh."
        )
        with self._guard, _explained(f"{self.path} cannot be used any longer", advice):
            yield self._base

    def enrol(self, owner: Owner, timestamp: str, problems: Sequence[str], worked: Iterable[str] = ()) -> None:
        """Store a learner; the folder of their reports never changes.

        worked : the lessons in which they began an answer; those of earlier runs stay.
        """
        with self._working() as base, base:
            row = base.execute("SELECT folder, worked FROM learner WHERE id = ?", (_text(owner.id),)).fetchone()
            if row is None:
                taken = {name.casefold() for (name,) in base.execute("SELECT folder FROM learner")}
                folder = folder_name(owner.id, taken)
            else:
                folder = row[0]
            lessons = sorted({*worked, *(json.loads(row[1]) if row else ())})
            values = (owner.id, folder, owner.first_name, owner.last_name, owner.email, timestamp)
            row = (*map(_text, values), json.dumps(list(problems)), json.dumps(lessons))
            base.execute("INSERT OR REPLACE INTO learner VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def keep(self, learner: str, kept: Kept) -> None:
        """Commit one mark in place of an earlier one. It survives a killed process once this returns.

        ``LONGEST_SOURCE`` characters of the text of its answer are stored.
        """
        row: dict[str, Any] = {**vars(kept.mark), **vars(kept), "learner": learner}
        row |= {name: json.dumps(row[name]) for name in _JSON}
        row |= {"text": kept.text and kept.text[:LONGEST_SOURCE], "length": len(kept.text or "")}
        row["graded_at"] = datetime.now(timezone.utc).isoformat(timespec="seconds")
        with self._working() as base, base:
            base.execute(
                f"INSERT OR REPLACE INTO mark ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})",
                [_text(row[name]) if isinstance(row[name], str) else row[name] for name in _COLUMNS],
            )

    def learners(self) -> list[Learner]:
        """Return all learners in the order of their ids."""
        with self._working() as base:
            return [_learner(row) for row in base.execute("SELECT * FROM learner ORDER BY id")]

    def learner(self, id: str) -> Learner:
        """Return one learner. Raises KeyError for an unknown id."""
        with self._working() as base:
            row = base.execute("SELECT * FROM learner WHERE id = ?", (_text(id),)).fetchone()
            if row is not None:
                return _learner(row)
        raise KeyError(id)

    def marks(self, learner: str) -> list[Kept]:
        """Return the marks of a learner in the order of their keys."""
        return [kept for _, kept in self._select("WHERE learner = ?", _text(learner))]

    def all_marks(self) -> list[tuple[str, Kept]]:
        """Return every mark with the id of its learner."""
        return self._select("")

    def _select(self, where: str, *values: str) -> list[tuple[str, Kept]]:
        with self._working() as base:
            rows = base.execute(f"SELECT {', '.join(_COLUMNS)} FROM mark {where} ORDER BY learner, key", values)
            return [(row[0], _kept(dict(zip(_COLUMNS, row)))) for row in rows]

    def _make_tables(self) -> None:
        with _explained(
            f"{self.path} cannot be used as a gradebook", "Name another folder with --out, or begin again with --fresh."
        ):
            tables = {name for (name,) in self._base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            # With a write-ahead log a commit does not wait for the disk, and survives a killed process.
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = NORMAL")
            if not tables:
                # In one transaction: a grader killed here leaves no tables rather than some.
                self._base.executescript(f"BEGIN; {SCHEMA} COMMIT;")
            elif not {"about", "learner", "mark"} <= tables:
                raise ValueError("it is an SQLite file of another program")

    def _check_seed(self, seed: bytes) -> None:
        """Compare the seed with the hash in the file, or write the hash into a new file."""
        with self._working() as base:
            about = dict(base.execute("SELECT name, value FROM about"))
            salt = bytes.fromhex(about.get("salt") or secrets.token_hex(16))
        if about.get("format", FORMAT) != FORMAT:
            raise GradebookProblem(
                f"{self.path} was written by another version of the course (format {about['format']}). "
                "Name another folder with --out, or begin again with --fresh."
            )
        # Slow on purpose: a gradebook that leaks must not let anyone find a short seed by trying.
        hashed = hashlib.pbkdf2_hmac("sha256", seed, salt, 100_000).hex()
        if "seed" in about:
            if not hmac.compare_digest(about["seed"], hashed):
                raise UnusableSeed(
                    f"{self.path} was begun with another seed, and one gradebook cannot hold marks under two seeds."
                    "\nType the seed of the first run, or another --out, or --fresh to throw the old marks away."
                )
            return
        with self._working() as base, base:
            base.executemany(
                "INSERT INTO about VALUES (?, ?)", [("format", FORMAT), ("salt", salt.hex()), ("seed", hashed)]
            )


def folder_name(name: str, taken: Container[str] = ()) -> str:
    r"""Return a folder name that every system can keep: letters, digits, "_", "-" and inner dots, of a bounded length.

    taken : the names in use, in lower case. A name that had to be changed, or is in use, ends in a short hash of the
    original, so that two people never share a folder.

    >>> folder_name("ada_12"), folder_name("../../etc/passwd")
    ('ada_12', 'etc_passwd-3754d6cb')
    """
    plain = unicodedata.normalize("NFC", name)
    made = "".join(letter if letter.isalnum() or letter in "_-." else "_" for letter in plain)
    made = re.sub(r"_{2,}|\.{2,}", "_", made).strip("._-")[:LONGEST_FOLDER].rstrip("._-")
    reserved = made.partition(".")[0].casefold() in _RESERVED_FOLDERS
    if made and made == plain and not reserved and made.casefold() not in taken:
        return made
    # A learner may be named like another one's hashed folder, on purpose: then try the next hash.
    for turn in itertools.count():
        mark = hashlib.sha256(name.encode("utf-8", "surrogatepass") + b"\0" * turn).hexdigest()[:8]
        found = f"{made or 'learner'}-{mark}"
        if found.casefold() not in taken:
            break
    return found


def _only_grader(folder: Path) -> sqlite3.Connection:
    """Lock a folder: a transaction on an empty SQLite file, which the system ends with the process."""
    with _explained(f"{folder} cannot be written"):
        folder.mkdir(parents=True, exist_ok=True)
        lock = sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            lock.close()
            if "locked" not in str(error):
                raise
            wait = "Wait for it, or name another folder with --out."
            raise GradebookProblem(f"another grader is at work in {folder}. {wait}") from None
        return lock


def _text(value: str) -> str:
    return value.encode("utf-8", "replace").decode("utf-8")


def _learner(row: Sequence[Any]) -> Learner:
    return Learner(*row[:6], *(tuple(json.loads(text)) for text in row[6:]))


def _kept(row: dict[str, Any]) -> Kept:
    values = {name: json.loads(row[name]) if name in _JSON else row[name] for name in _VERDICT}
    values |= {"points": float(row["points"]), "out_of": int(row["out_of"])}
    values |= {"hidden": bool(row["hidden"]), "notes": tuple(values["notes"]), "helpers": tuple(values["helpers"])}
    return Kept(Verdict(**values), *(row[name] for name in _KEPT))
