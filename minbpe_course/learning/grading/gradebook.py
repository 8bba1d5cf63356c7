"""Keep every mark of a class in one SQLite file, committed one by one, so that the grader can be killed at any moment.

    learner   one row per learner: id, as the platform names them; folder, of the reports, next to this file; names,
              e-mail; timestamp, when handed in; problems, what was odd about the files; worked, the lessons in which
              an answer was begun; found, the folder of the class that they were in; delivered, the name that Canvas or
              Moodle gave to their file or folder; gone: "missing" from it, "dropped" by a teacher, or ""
    mark      one row per learner and question: the fields of a Verdict; sandbox, the rung; text, its beginning if it
              is long, shape and length of the answer; answer, a hash of what was handed in; rules, a fingerprint;
              handed_in, when; found, the folder of the class that it is from; graded_at, UTC
    earlier   the marks that a newer one has replaced, or whose notebook is gone
    word      what a teacher said about a mark: points (none: the grader's), comment, who, when, and the
              hash of the answer; the last one counts
    about     the format of this file, a salt, the salted hash of the secret seed; the questions, the notes of reports

A mark is made from ``answer``, ``rules`` and the seed, and is made again only when one of them changes. The seed is
never written down: this file does not help to draw the hidden cases.

Limits: one grader at a time, ensured by a lock that ends with its process. To read while a grader works, open the file
read-only. Texts are UTF-8, lists and counts are JSON.
"""

from __future__ import annotations

import difflib
import hashlib
import hmac
import itertools
import json
import os
import re
import secrets
import sqlite3
import threading
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, fields
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

from minbpe_course.errors import GradingProblem
from minbpe_course.learning.judge.exercise import Verdict
from minbpe_course.learning.submissions.layouts import Owner

NAME, LOCK = "gradebook.sqlite", ".grading-now"
FORMAT = "5"
LONGEST_FOLDER = 60
LONGEST_SOURCE = 20_000  # characters of an answer that are stored; a class may hand in thousands of long ones

# Device names of Windows, and the names of the class's own reports.
_RESERVED_FOLDERS = {"con", "prn", "aux", "nul", "gradebook", "grades", "summary", "feedback"}
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
    found: str = ""
    delivered: str = ""
    gone: str = ""

    @property
    def name(self) -> str:
        """Their name where it is known, else their id."""
        return f"{self.first_name} {self.last_name}".strip() if self.first_name else self.id


@dataclass(frozen=True)
class Kept:
    """One row of the table of marks: the mark, the rung that the answer ran on, and what the mark was made from.

    text : the answer, as it is read back its beginning; None if nothing was handed in. shape : see ``answer_text``.
    length : of the whole text, once it is stored. handed_in : when, in ISO 8601, or "". found : the folder of the class
    that it is from, "" for a zip.
    """

    mark: Verdict
    sandbox: str
    text: str | None = None
    shape: str = ""
    answer: str = ""
    rules: str = ""
    length: int = 0
    handed_in: str = ""
    found: str = ""

    @property
    def lesson(self) -> str:
        """The lesson of its exercise, "02"."""
        return self.mark.key.partition(".")[0]

    @property
    def begun(self) -> bool:
        """Whether an answer was handed in."""
        return self.text is not None and self.mark.state != "not started"


@dataclass(frozen=True)
class Word:
    """A teacher's word on one mark; points : None for those of the grader. answer : the hash of the marked answer."""

    points: float | None
    comment: str
    who: str
    at: str
    answer: str = ""


_VERDICT = [one.name for one in fields(Verdict)]
_KEPT = [one.name for one in fields(Kept) if one.name != "mark"]
_JSON = ("failures", "tried", "notes", "helpers")
_COLUMNS = ("learner", *_VERDICT, *_KEPT, "graded_at")
_WHEN = _COLUMNS.index("handed_in")
_HISTORY = ("earlier", "word")
_PENDING = ("not started", "not graded")  # states that any other one outweighs
SCHEMA = f"""
CREATE TABLE about (name PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE learner (
    id PRIMARY KEY, folder UNIQUE, first_name, last_name, email, timestamp, problems, worked, found, delivered, gone
) WITHOUT ROWID;
CREATE TABLE mark ({", ".join(_COLUMNS)}, PRIMARY KEY (learner, key)) WITHOUT ROWID;
CREATE TABLE earlier ({", ".join(_COLUMNS)});
CREATE TABLE word (learner, key, points, comment, who, at, answer);
"""


@contextmanager
def _explained(what: str, advice: str = "Name another folder with --out.") -> Iterator[None]:
    """Turn an error of the system, or of the database, into a GradingProblem that says what to do."""
    try:
        yield
    except (OSError, sqlite3.Error, ValueError, TypeError) as error:
        raise GradingProblem(f"{what}: {getattr(error, 'strerror', error)}. {advice}") from None


class Gradebook:
    """The gradebook of a folder, created if it is missing. Use it in a ``with``; any thread may call it.

    Raises GradingProblem when another grader works in this folder, the file is of another kind, or it was begun with
    another seed; seed : None to read and change marks without grading.
    """

    def __init__(self, folder: Path, seed: str | None, *, fresh: bool = False) -> None:
        self.path = folder / NAME
        self._guard = threading.Lock()
        with ExitStack() as opened:
            opened.callback(_release, _only_grader(folder), folder / LOCK)
            with _explained(f"{self.path} cannot be removed"):
                for end in ("", "-wal", "-shm", "-journal") if fresh else ():
                    (folder / (NAME + end)).unlink(missing_ok=True)
            with _explained(f"{self.path} cannot be opened"):
                self._base = sqlite3.connect(self.path, check_same_thread=False, timeout=10)
            opened.enter_context(closing(self._base))
            self._make_tables()
            opened.callback(self._join_files)
            if seed is not None:
                self.check_seed(seed)
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

    def enrol(
        self,
        owner: Owner,
        timestamp: str,
        problems: Sequence[str],
        worked: Iterable[str] = (),
        found: str = "",
        delivered: str = "",
    ) -> None:
        """Store a learner; the folder of their reports never changes.

        worked : the lessons in which they began an answer; those of earlier runs stay. found : the folder of the class
        that they are in, "" for a zip. delivered : see ``delivered_name``.
        """
        with self._working() as base, base:
            row = base.execute("SELECT folder, worked FROM learner WHERE id = ?", (_text(owner.id),)).fetchone()
            folder = row[0] if row else _folder(base, owner.id)
            lessons = sorted({*worked, *(json.loads(row[1]) if row else ())})
            values = (owner.id, folder, owner.first_name, owner.last_name, owner.email, timestamp)
            row = (
                *map(_text, values),
                json.dumps(list(problems)),
                json.dumps(lessons),
                *map(_text, (found, delivered)),
                "",
            )
            _insert(base, "learner", row)

    def remember(self, name: str, value: str) -> None:
        """Store a text under a name."""
        with self._working() as base, base:
            base.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, _text(value)))

    def recall(self, name: str) -> str:
        """Return the text of ``remember``, or ""."""
        with self._working() as base:
            return str(dict(base.execute("SELECT name, value FROM about")).get(name, ""))

    def let_go(self, ids: Iterable[str], why: str) -> None:
        """Leave learners out of the class from now on; their marks stay.

        why : "missing" until a delivery has them, "dropped" until a teacher takes them back; "" takes them back.
        """
        with self._working() as base, base:
            base.executemany("UPDATE learner SET gone = ? WHERE id = ?", [(why, _text(id)) for id in ids])

    def date(self, learner: str, when: str) -> None:
        """Set the time of a learner's undated answers, or of all if each has a time; ISO 8601 and UTC."""
        with self._working() as base, base:
            change = "UPDATE mark SET handed_in = ? WHERE learner = ?"
            if not base.execute(f"{change} AND handed_in = '' AND text NOT NULL", (when, learner)).rowcount:
                base.execute(change, (when, learner))

    def keep(self, learner: str, kept: Kept) -> None:
        """Commit one mark in place of an earlier one. It survives a killed process once this returns.

        ``LONGEST_SOURCE`` characters of the text of its answer are stored.
        """
        row: dict[str, Any] = {**vars(kept.mark), **vars(kept), "learner": learner}
        row |= {name: json.dumps(row[name]) for name in _JSON}
        row |= {"text": kept.text and kept.text[:LONGEST_SOURCE], "length": len(kept.text or "")}
        row["graded_at"] = datetime.now(timezone.utc).isoformat(timespec="seconds")
        with self._working() as base, base:
            _move(base, learner, kept.mark.key)
            _insert(base, "mark", [_text(row[name]) if isinstance(row[name], str) else row[name] for name in _COLUMNS])

    def say(self, learner: str, key: str, word: Word) -> None:
        """Store what a teacher says about a mark."""
        with self._working() as base, base:
            row = (_text(learner), key, word.points, _text(word.comment), _text(word.who), word.at, word.answer)
            _insert(base, "word", row)

    def words(self) -> dict[tuple[str, str], Word]:
        """Return the last word of a teacher on each mark that has one, by learner and key."""
        with self._working() as base:
            rows = base.execute("SELECT * FROM word ORDER BY at, rowid")
            return {(row[0], row[1]): Word(*row[2:]) for row in rows}

    def merge(self, other: Gradebook) -> int:
        """Take in the learners, marks and words of another gradebook, and return how many of its marks count now.

        Of two marks, the one with a teacher's word counts, otherwise the one for an answer, otherwise the newer one.
        The other one moves to the earlier ones. A learner of either class is in the class.
        """
        ours, theirs = self._said(), other._said()
        with other._working() as base:
            rows = {name: base.execute(f"SELECT * FROM {name}").fetchall() for name in ("learner", "mark", *_HISTORY)}
        taken_over = 0
        with self._working() as base, base:
            for row in rows["learner"]:
                _enrol(base, row)
            for row in rows["mark"]:
                mine = base.execute("SELECT * FROM mark WHERE learner = ? AND key = ?", row[:2]).fetchone()
                if mine is not None and _alike(mine) == _alike(row):
                    # An unchanged answer keeps its old date.
                    row = (
                        *row[:_WHEN],
                        min(mine[_WHEN], row[_WHEN]) or max(mine[_WHEN], row[_WHEN]),
                        *row[_WHEN + 1 :],
                    )
                    base.execute("UPDATE mark SET handed_in = ? WHERE learner = ? AND key = ?", (row[_WHEN], *row[:2]))
                if mine is not None and _weight(mine, ours) >= _weight(row, theirs):
                    rows["earlier"] += [row] if mine != row else []
                    continue
                _move(base, *row[:2])
                _insert(base, "mark", row)
                taken_over += 1
            for name in _HISTORY:
                known = set(base.execute(f"SELECT * FROM {name}"))
                for row in rows[name]:
                    if row not in known:
                        _insert(base, name, row)
        return taken_over

    def _said(self) -> dict[tuple[str, str], str]:
        """Return when a teacher said something about a mark, by learner and key."""
        return {place: word.at for place, word in self.words().items() if word.points is not None or word.comment}

    def learners(self) -> list[Learner]:
        """Return the learners of the class in the order of their ids."""
        return [one for one in self.everyone() if not one.gone]

    def everyone(self) -> list[Learner]:
        """Return the learners of the class, and those who have left it, in the order of their ids."""
        with self._working() as base:
            return [_learner(row) for row in base.execute("SELECT * FROM learner ORDER BY id")]

    def learner(self, name: str) -> Learner:
        """Return the learner with an id, or with a name that only one has; also one who has left.

        Raises GradingProblem, with similar ids, for an unknown one.
        """
        rows = self.everyone()
        wanted = _text(unicodedata.normalize("NFC", name))
        names = [(one.id, f"{one.first_name} {one.last_name}".strip()) for one in rows]
        for column in zip(*names):
            if column.count(wanted) == 1:
                return rows[column.index(wanted)]
        near = [one.id for one in rows if name.casefold() in one.id.casefold()]
        ids = [one.id for one in rows]
        near = near[:5] or difflib.get_close_matches(name, ids, cutoff=0.5) or ids[:5]
        raise GradingProblem(
            f"{self.path} has no learner {name!r}. Near it: {', '.join(near) or 'nobody is in it yet'}"
        )

    def marks(self, learner: str) -> list[Kept]:
        """Return the marks of a learner in the order of their keys."""
        with self._working() as base:
            rows = base.execute("SELECT * FROM mark WHERE learner = ? ORDER BY key", (_text(learner),))
            return [_kept(dict(zip(_COLUMNS, row))) for row in rows]

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

    def check_seed(self, seed: str) -> None:
        """Compare the seed with the hash in the file, or write the hash into a new file. Raises GradingProblem."""
        with self._working() as base:
            about = dict(base.execute("SELECT name, value FROM about"))
            salt = bytes.fromhex(about.get("salt") or secrets.token_hex(16))
        if about.get("format", FORMAT) != FORMAT:
            raise GradingProblem(
                f"{self.path} was written by another version of the course (format {about['format']}). "
                "Name another folder with --out, or begin again with --fresh."
            )
        # Slow on purpose: a gradebook that leaks must not let anyone find a short seed by trying.
        hashed = hashlib.pbkdf2_hmac("sha256", seed.encode("utf-8", "surrogateescape"), salt, 100_000).hex()
        if "seed" in about:
            if not hmac.compare_digest(about["seed"], hashed):
                raise GradingProblem(
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
        path = folder / LOCK
        path.touch()
        before = path.stat().st_ino
        lock = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            lock.execute("BEGIN EXCLUSIVE")
            # A grader that ended in this moment has removed the file that is locked here.
            if not path.exists() or path.stat().st_ino != before:
                raise sqlite3.OperationalError("locked")
        except sqlite3.Error as error:
            lock.close()
            if "locked" not in str(error):
                raise
            wait = "Wait for it, or name another folder with --out."
            raise GradingProblem(f"another grader is at work in {folder}. {wait}") from None
        return lock


def _release(lock: sqlite3.Connection, path: Path) -> None:
    """Remove a lock. Windows cannot remove an open file; elsewhere, a closed one may already be the next grader's."""
    remove = partial(path.unlink, missing_ok=True)
    with closing(lock), suppress(OSError):
        for step in (lock.close, remove) if os.name == "nt" else (remove, lock.close):
            step()


def _enrol(base: sqlite3.Connection, row: Sequence[Any]) -> None:
    """Store a learner of another gradebook; of one who is here, only what is not known yet."""
    mine = base.execute("SELECT * FROM learner WHERE id = ?", row[:1]).fetchone()
    if mine is None:
        # Without their folder: a later run over a folder of this name must not take them for gone.
        new = (row[0], _folder(base, row[0]), *row[2:8], "", *row[9:])
    else:
        lists = [json.dumps(list(dict.fromkeys(json.loads(a) + json.loads(b)))) for a, b in zip(mine[6:8], row[6:8])]
        names = (a or b for a, b in zip(mine[2:6], row[2:6]))
        gone = row[10] if mine[10] == "missing" else mine[10]
        new = (*mine[:2], *names, *lists, mine[8], mine[9] or row[9], gone)
    _insert(base, "learner", new)


def _folder(base: sqlite3.Connection, id: str) -> str:
    return folder_name(id, {name.casefold() for (name,) in base.execute("SELECT folder FROM learner")})


def _weight(mark: Sequence[Any], said: Mapping[tuple[str, str], str]) -> tuple[str, int, str, str]:
    """Return what decides which of two marks counts; the larger one does."""
    learner, key, state = mark[:3]
    pending = _PENDING.index(state) if state in _PENDING else len(_PENDING)
    return said.get((learner, key), ""), pending, mark[_WHEN], mark[-1]


def _alike(mark: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(mark[_COLUMNS.index(name)] for name in ("state", "points", "text"))


def _insert(base: sqlite3.Connection, table: str, row: Sequence[Any]) -> None:
    base.execute(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def _move(base: sqlite3.Connection, learner: str, key: str) -> None:
    """Move a mark, if there is one, to the earlier ones."""
    for order in ("INSERT INTO earlier SELECT * FROM mark", "DELETE FROM mark"):
        base.execute(f"{order} WHERE learner = ? AND key = ?", (_text(learner), key))


def _text(value: str) -> str:
    return value.encode("utf-8", "replace").decode("utf-8")


def _learner(row: Sequence[Any]) -> Learner:
    problems, worked = (tuple(json.loads(text)) for text in row[6:8])
    id, folder, first, last, email, timestamp = row[:6]
    return Learner(id, folder, first, last, email, timestamp, problems, worked, *row[8:])


def _kept(row: dict[str, Any]) -> Kept:
    values = {name: json.loads(row[name]) if name in _JSON else row[name] for name in _VERDICT}
    values |= {"points": float(row["points"]), "out_of": float(row["out_of"])}
    values |= {"hidden": bool(row["hidden"]), "notes": tuple(values["notes"]), "helpers": tuple(values["helpers"])}
    return Kept(Verdict(**values), *(row[name] for name in _KEPT))
