"""The state of a folder of token files: which shards a corpus has, and which of them earlier calls have made.

    manifest.json    the finished shards of a whole corpus
    journal.jsonl    what is being made, and a line for each finished shard, until the manifest replaces it
    lock             which process works here, while one does

A corpus may grow. The added files get new shards, after those that are there.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections import Counter
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, NamedTuple

from minbpe_course.corpus.reading import Corpus, Part
from minbpe_course.counting.folder_lock import FolderLock
from minbpe_course.errors import DifferentCheckpoint, MissingFile, UnreadableModel, UnusablePath
from minbpe_course.files import read_whole, write_whole
from minbpe_course.splitting.boundaries import Cutter
from minbpe_course.token_files.manifest import check_manifest, check_record, check_source, parsed
from minbpe_course.token_files.shard_making import ShardWork, packed, source_of

MANIFEST, JOURNAL = "manifest.json", "journal.jsonl"
# Temporary names of ``files`` that a killed process leaves behind.
_LEFT_OVER = re.compile(r"\.(?:shard-[0-9]{5,}\.(?:npy|parquet)|manifest\.json|journal\.jsonl)\.[0-9a-f]{12}\.part")

_ANEW = "Name another folder, or delete this one to begin anew."


class ShardProgress(NamedTuple):
    """The progress: finished shards, all shards, tokens and documents in the finished ones."""

    shards: int
    all_shards: int
    tokens: int
    documents: int


class Journal:
    """The shards of a corpus in a folder, which is locked inside ``with``.

    said : the fields of the manifest but for the corpus and the shards · missing : the shards to make.

    Raises DifferentCheckpoint, FolderInUse, UnreadableModel, UnusablePath.
    """

    def __init__(self, folder: Path, said: dict[str, Any], corpus: Corpus, cutter: Cutter, part_size: int) -> None:
        self._folder, self._said, self._part_size = folder, said, part_size
        parts = corpus.parts(cutter, part_size)
        self._source = corpus.fingerprint(parts)
        self._files = {each[0]: each for each in self._source["files"]}
        self._parts: dict[str, list[Part]] = {}
        for part in parts:
            self._parts.setdefault(part.path, []).append(part)
        self._works: list[ShardWork] = []
        self._done: dict[int, dict[str, Any]] = {}
        self._total: Counter[str] = Counter()
        self._file: Any = None
        self._lock: FolderLock | None = None

    def __enter__(self) -> Journal:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnusablePath(f"cannot make the folder {self._folder}: {error.strerror}.") from error
        self._look()
        # Several processes may open a finished corpus at once, also where they may not write.
        if self.missing or any(
            path.name == JOURNAL or _LEFT_OVER.fullmatch(path.name) for path in self._folder.iterdir()
        ):
            self._lock = FolderLock(self._folder)
            try:
                self._begin()
            except BaseException:
                self.__exit__()
                raise
        return self

    def __exit__(self, *problem: object) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
        if self._lock is not None:
            self._lock.release(remove=True)

    @property
    def missing(self) -> list[ShardWork]:
        """The shards to make."""
        return [work for work in self._works if work.number not in self._done]

    @property
    def progress(self) -> ShardProgress:
        """The progress so far."""
        return ShardProgress(len(self._done), len(self._works), self._total["tokens"], self._total["documents"])

    def add(self, record: dict[str, Any]) -> None:
        """Record a finished shard."""
        self._count(record)
        try:
            self._file.write(_line(record))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise UnusablePath(
                f"cannot write {self._folder / JOURNAL}: {error.strerror}. Finished shards are kept, and the "
                "same call continues with the missing ones."
            ) from error

    def finish(self) -> None:
        """Write the manifest, unless nothing was to be done."""
        if self._lock is None:
            return
        _, _, tokens, documents = self.progress
        records = [_line(self._done[number]).decode("ascii") for number in range(len(self._works))]
        # A line for each field and each shard.
        fields = {**self._said, "tokens": tokens, "documents": documents}
        lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in fields.items()]
        data = "{\n" + ",\n".join([*lines, '"shards": [\n' + ",".join(records) + "]"]) + "\n}\n"
        if not (self._folder / MANIFEST).exists() or read_whole(self._folder / MANIFEST) != data.encode("ascii"):
            write_whole(self._folder / MANIFEST, data.encode("ascii"))
        if self._file is not None:
            self._file.close()
        (self._folder / JOURNAL).unlink(missing_ok=True)

    # ---- What earlier calls have made

    def _begin(self) -> None:
        """Remove shards and files that are no longer needed, and begin the journal."""
        records = self._look()
        self._tidy(records)
        # Rewrite the journal without an incomplete line and without shards that are gone.
        if self.missing:
            write_whole(self._folder / JOURNAL, b"".join(map(_line, [self._said, *self._done.values()])))
            self._file = (self._folder / JOURNAL).open("ab")

    def _look(self) -> list[dict[str, Any]]:
        """Plan the shards, find those that earlier calls have made, and return those of the journal."""
        self._works, self._done, self._total = [], {}, Counter()
        finished, finished_records = self._read(MANIFEST)
        begun, begun_records = self._read(JOURNAL)
        for said in (finished, begun if begun_records else {}):
            if said:
                self._must_be_of(said)
        if finished:
            self._must_have(finished["source"]["files"])
        elif begun_records and not self._unchanged(begun):
            raise DifferentCheckpoint(f"{self._folder} holds the tokens of other files.\n{_ANEW}")
        self._plan(finished, begun)
        for said, records in ((finished, finished_records), (begun, begun_records)):
            self._keep(said, records)
        return begun_records

    def _read(self, name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Return what an earlier call says about its work and its shards. Raises UnreadableModel."""
        path = self._folder / name
        try:
            data = read_whole(path)
        except MissingFile:
            return {}, []
        try:
            if name == MANIFEST:
                said = parsed(data)
                check_manifest(said)
                return said, said["shards"]
            # The last line may be incomplete.
            said, *records = map(parsed, data[: data.rfind(b"\n") + 1].splitlines() or [b"{}"])
            if said:
                check_source(said.get("source"))
            for record in records:
                check_record(record, said.get("format"))
        except ValueError as problem:
            raise UnreadableModel(
                f"{path} is not what was written there: {problem}. Delete the folder {self._folder} to begin anew."
            ) from None
        return said, records

    def _must_be_of(self, said: dict[str, Any]) -> None:
        """Raise DifferentCheckpoint if an earlier call wanted something else from its files."""
        asked = {name: value for name, value in self._said.items() if name != "source"}
        differing = [_NAMES.get(name, name) for name in asked if said.get(name) != asked[name]]
        source = self._source.keys() - {"files"}
        differing += [name for name in sorted(source) if said["source"].get(name) != self._source[name]]
        if differing:
            raise DifferentCheckpoint(f"{self._folder} holds the tokens of another {' and '.join(differing)}.\n{_ANEW}")

    def _must_have(self, files: list[list[Any]]) -> None:
        """Raise DifferentCheckpoint unless the corpus has these files, unchanged."""
        for each in files:
            if self._files.get(each[0]) != each:
                what = "was changed since then" if each[0] in self._files else "is not among the files now"
                raise DifferentCheckpoint(
                    f"{self._folder} holds the tokens of {each[0]}, which {what}.\n{_ANEW} Files may only be added."
                )

    def _plan(self, finished: dict[str, Any], begun: dict[str, Any]) -> None:
        """Distribute the files among shards: those of earlier calls first, so that their shards stay as they are."""
        earlier = [each[0] for said in (finished, begun) if said for each in said["source"]["files"]]
        paths = [path for path in dict.fromkeys([*earlier, *self._files]) if path in self._files]
        added = list(finished["source"]["added"]) if finished else []
        if len(paths) > sum(added):
            added.append(len(paths) - sum(added))
        self._said["source"] = {**self._source, "files": [self._files[path] for path in paths], "added": added}
        for begin, number in zip(accumulate(added, initial=0), added):
            parts = chain.from_iterable(self._parts.get(path, ()) for path in paths[begin : begin + number])
            for together in packed(parts, self._part_size):
                self._works.append(ShardWork(len(self._works), together))

    def _unchanged(self, said: dict[str, Any]) -> set[str]:
        """Return the files of an earlier call that the corpus has unchanged."""
        return {each[0] for each in said["source"]["files"] if self._files.get(each[0]) == each}

    def _keep(self, said: dict[str, Any], records: list[dict[str, Any]]) -> None:
        """Keep the shards whose files are unchanged, and which the plan has at the same number."""
        unchanged = self._unchanged(said) if records else set()
        for record in records:
            number, path = record["number"], self._folder / record["file"]
            planned = list(map(source_of, self._works[number].parts)) if number < len(self._works) else []
            made = [{name: value for name, value in each.items() if name != "documents"} for each in record["sources"]]
            same = planned == made and unchanged.issuperset(each["path"] for each in made)
            known = number in self._done
            if same and not known and path.exists() and path.stat().st_size == record["bytes"]:
                self._count(record)

    def _count(self, record: dict[str, Any]) -> None:
        self._done[record["number"]] = record
        self._total.update(tokens=record["tokens"], documents=record["documents"])

    def _tidy(self, records: list[dict[str, Any]]) -> None:
        """Delete shards that are no longer planned, and what killed processes left behind."""
        # A worker of a cluster whose caller was killed may still write one of these, but its shard is not used.
        strays = [path for path in self._folder.iterdir() if _LEFT_OVER.fullmatch(path.name)]
        for path in [*strays, *(self._folder / each["file"] for each in records if each["number"] >= len(self._works))]:
            with contextlib.suppress(OSError):
                path.unlink()


# Where the name of a field alone would not say what was another.
_NAMES = {
    "form": "kind",
    "append": "choice of append (--end-with)",
    "frame": "choice of frame (--frame)",
    "specials": "choice of specials (--specials)",
    "part_size": "part_size (--shard-size)",
}


def _line(said: dict[str, Any]) -> bytes:
    return json.dumps(said).encode("ascii") + b"\n"
