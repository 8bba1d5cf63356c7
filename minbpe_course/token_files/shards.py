"""A corpus as token files: one shard for each part of it, and a manifest that describes them.

    data/*.jsonl  --parts-->  encoded, here in threads or on a Dask cluster  -->  tokens/shard-00000.npy
                                                                                  tokens/shard-00001.npy
                                                                                  tokens/manifest.json

The shards depend only on the corpus, the tokenizer and the size of the parts, not on the number of workers or on
interruptions. A shard gets its name when it is complete. Finished shards are listed in ``journal.jsonl`` until the
manifest replaces it, and the same call makes only the missing ones.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np

from minbpe_course.corpus.reading import Corpus, Part, as_corpus
from minbpe_course.errors import (
    ClusterProblem,
    DifferentCheckpoint,
    InvalidOption,
    InvalidSource,
    UnreadableModel,
    UnusablePath,
)
from minbpe_course.files import read_whole, write_whole
from minbpe_course.formats.id_arrays import dtype_for
from minbpe_course.resources import memory
from minbpe_course.resources.threads import threads_of
from minbpe_course.token_files import shard_files
from minbpe_course.token_files.any_tokenizer import any_tokenizer
from minbpe_course.token_files.manifest import (
    FORM,
    VERSION,
    check_manifest,
    check_record,
    check_source,
    may_be_unfinished,
    parsed,
)
from minbpe_course.token_files.shard_making import ShardPlan, make_shard, sha256_of

PART_SIZE = 1 << 26
MANIFEST, JOURNAL = "manifest.json", "journal.jsonl"
# Seconds until a file of a worker must be visible here.
_SEEN_WITHIN = 10.0

# The number of a part, and the manifest's entry for its shard.
Made: TypeAlias = "tuple[int, dict[str, Any]]"


class ShardProgress(NamedTuple):
    """The progress: finished shards, all shards, tokens and documents in the finished ones."""

    shards: int
    all_shards: int
    tokens: int
    documents: int


def encode_corpus(
    source: Any,
    tokenizer: Any,
    folder: str | os.PathLike[str],
    *,
    engine: Any = None,
    format: str = "npy",
    part_size: int | str = PART_SIZE,
    append: str | int | None = None,
    dtype: str | None = None,
    specials: str = "raise",
    num_threads: int | None = None,
    frame: bool = False,
    progress: Callable[[ShardProgress], None] | None = None,
) -> Shards:
    """Encode files into shards in ``folder``, and return them, open.

    source : a Path, a pattern as Path, a list of Paths, or a Corpus · tokenizer : one of ours, or anything that
    ``load_tokenizer`` takes · engine : a Dask client or cluster whose workers see the files and the folder under the
    same names; without it threads of this process work, ``num_threads`` or one for each core · format : "npy" or
    "parquet" · part_size : bytes of the corpus for each shard, about, such as "64MB" · append : a special token,
    or an id, added after each document · dtype : "uint16" or "uint32", by default the smaller one that holds every
    id · specials : special tokens in the text: "raise" stops there, "none" takes them as ordinary text, "all" gives
    their ids (models of SentencePiece decide themselves) · frame : whether to put the ids of
    ``encode(text, frame=True)`` around each document; what ``append`` adds comes after them · progress : called with
    a ShardProgress after each shard.

    Each shard is encoded separately; together they have the ids of the whole documents. After an error, Ctrl-C or a
    kill the same call continues with the missing shards, also after an unreadable file was fixed. Raises
    DifferentCheckpoint when the folder holds the tokens of another corpus, tokenizer or choice, DisallowedSpecialToken,
    InvalidSource, InvalidOption, UnusablePath, ClusterProblem, and what reading raises.

    >>> import tempfile
    >>> room = Path(tempfile.mkdtemp())
    >>> _ = (room / "a.txt").write_text("hello world", encoding="utf-8")
    >>> shards = encode_corpus(room / "a.txt", "gpt2", room / "tokens", append="<|endoftext|>")
    >>> len(shards), shards[0].ids.tolist(), shards.tokens
    (1, [31373, 995, 50256], 3)
    """
    corpus: Corpus | None = as_corpus(source)
    if corpus is None:
        raise InvalidSource(
            f"give the files as paths, got {type(source).__name__}: Path('data/*.txt'), a list of Paths, or "
            "Corpus('data/*.jsonl', field='text')."
        )
    part_size = memory.number_of_bytes(part_size, "part_size")
    if part_size < 1:
        raise InvalidOption(f"part_size is a number of bytes above 0, got {part_size}.")
    shard_files.check_format(format)
    threads = threads_of(num_threads)
    chosen = any_tokenizer(tokenizer, specials=specials)
    end = append if append is None else chosen.id_of(append)
    around = chosen.around(frame, end)
    parts = corpus.parts(chosen.cutter, part_size)
    said: dict[str, Any] = {
        "form": FORM,
        "version": VERSION,
        "tokenizer": {"name": chosen.name, "sha256": chosen.sha256, "largest_id": chosen.largest},
        "format": format,
        "dtype": dtype_for(chosen.largest, dtype),
        "append": end,
        # None is what manifests of older versions say.
        "frame": chosen.frame if frame else None,
        "specials": specials,
        "part_size": part_size,
        "source": corpus.fingerprint(),
    }
    plan = ShardPlan(chosen, Path(folder).absolute(), format, said["dtype"], around, max(5, len(str(len(parts)))))
    with _Journal(Path(folder), said, parts) as journal:
        missing = [replace(part, path=str(Path(part.path).absolute())) for part in parts if part.number not in journal]
        made = _on_cluster(engine, missing, plan) if engine is not None else _in_threads(missing, plan, threads)
        with contextlib.closing(made):
            for number, record in made:
                journal.add(number, {**record, "source": {**record["source"], "path": parts[number].path}})
                if progress is not None:
                    progress(journal.progress)
        return journal.finish()


def _in_threads(parts: Sequence[Part], plan: ShardPlan, num_threads: int) -> Generator[Made, None, None]:
    """Make shards in threads of this process; yield them when they are finished."""
    todo, stop = iter(parts), threading.Event()
    threads = max(1, min(num_threads, len(parts)))
    with ThreadPoolExecutor(threads) as pool:
        out: dict[Future[dict[str, Any]], int] = {}
        try:
            while True:
                while len(out) < 2 * threads and (part := next(todo, None)) is not None:
                    out[pool.submit(make_shard, part, plan, stop.is_set)] = part.number
                if not out:
                    return
                # Yield finished shards before an error of the same moment.
                for future in sorted(wait(out, return_when=FIRST_COMPLETED).done, key=_failed):
                    yield out.pop(future), future.result()
        finally:
            stop.set()
            for future in out:
                future.cancel()


def _failed(future: Future[Any]) -> bool:
    return future.exception() is not None


def _on_cluster(engine: Any, parts: Sequence[Part], plan: ShardPlan) -> Generator[Made, None, None]:
    """Make shards on a cluster; yield them when their files are visible here."""
    from minbpe_course.counting.cluster.dask_engine import run_parts

    for at, record in run_parts(engine, make_shard, parts, plan, name="encode-shard"):
        path = plan.folder / record["file"]
        until = time.monotonic() + _SEEN_WITHIN
        while not (path.exists() and path.stat().st_size == record["bytes"]):
            if time.monotonic() > until:
                raise ClusterProblem(
                    f"a worker has written {path}, but this machine does not see it. The folder must be one that all "
                    "workers and this machine share; name another, or encode without engine= (--dask)."
                )
            time.sleep(0.05)
        yield parts[at].number, record


class _Journal:
    """The finished shards of a folder: at first one line of JSON each, in the end the manifest."""

    def __init__(self, folder: Path, said: dict[str, Any], parts: Sequence[Part]) -> None:
        self._folder, self._said, self._parts, self._number = folder, json.loads(json.dumps(said)), parts, len(parts)
        self._done: dict[int, dict[str, Any]] = {}
        self._tokens = self._documents = 0
        self._file: Any = None

    def __enter__(self) -> _Journal:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnusablePath(f"cannot make the folder {self._folder}: {error.strerror}.") from error
        for name in (MANIFEST, JOURNAL):
            for record in self._records(self._folder / name):
                path = self._folder / record["file"]
                if path.exists() and path.stat().st_size == record["bytes"]:
                    self._keep(record)
        # Rewrite the journal without an incomplete line and without shards that are gone.
        if len(self._done) < self._number:
            lines = [self._said, *self._done.values()]
            write_whole(self._folder / JOURNAL, b"".join(map(_line, lines)))
            self._file = (self._folder / JOURNAL).open("ab")
        return self

    def __exit__(self, *problem: object) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()

    def __contains__(self, number: int) -> bool:
        return number in self._done

    @property
    def progress(self) -> ShardProgress:
        """The progress so far."""
        return ShardProgress(len(self._done), self._number, self._tokens, self._documents)

    def add(self, number: int, record: dict[str, Any]) -> None:
        """Record a finished shard."""
        self._keep({"number": number, **record})
        try:
            self._file.write(_line(self._done[number]))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise UnusablePath(
                f"cannot write {self._folder / JOURNAL}: {error.strerror}. Finished shards are kept, and the "
                "same call continues with the missing ones."
            ) from error

    def _keep(self, record: dict[str, Any]) -> None:
        if record["number"] not in self._done:
            self._tokens += record["tokens"]
            self._documents += record["documents"]
        self._done[record["number"]] = record

    def finish(self) -> Shards:
        """Write the manifest, and open the shards."""
        records = [self._done[number] for number in range(self._number)]
        said = {**self._said, "tokens": self._tokens, "documents": self._documents, "shards": records}
        data = json.dumps(said, indent=1).encode("ascii") + b"\n"
        if not (self._folder / MANIFEST).exists() or read_whole(self._folder / MANIFEST) != data:
            write_whole(self._folder / MANIFEST, data)
        self.__exit__()
        (self._folder / JOURNAL).unlink(missing_ok=True)
        return open_shards(self._folder)

    def _records(self, path: Path) -> list[dict[str, Any]]:
        """Return the entries of an earlier call. Raises DifferentCheckpoint."""
        if not path.exists():
            return []
        data = read_whole(path)
        try:
            if path.name == MANIFEST:
                said = parsed(data)
                check_manifest(said)
                records = said["shards"]
            else:
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
        differing = [name for name in self._said if said.get(name) != self._said[name]]
        if differing == ["source"] and path.name == JOURNAL:
            kept = [record for record in records if self._still_holds(record, said["source"])]
            if kept or not records:
                for record in records:
                    # The folder must not contain a file without a part.
                    if record["number"] >= self._number:
                        (self._folder / record["file"]).unlink(missing_ok=True)
                return kept
        if differing:
            raise DifferentCheckpoint(
                f"{self._folder} holds the tokens of another {' and '.join(map(_named, differing))}.\n"
                "Name another folder, or delete this one to begin anew."
            )
        return [record for record in records if record["number"] < self._number]

    def _still_holds(self, record: dict[str, Any], before: dict[str, Any]) -> bool:
        """Return whether the part of a shard is unchanged, after another file was fixed."""
        now, number, source = self._said["source"], record["number"], record["source"]
        if {**now, "files": 0} != {**before, "files": 0} or number >= self._number:
            return False
        part = asdict(self._parts[number])
        unchanged = [source["path"], *next((each[1:] for each in before["files"] if each[0] == source["path"]), ())]
        return unchanged in now["files"] and source.items() <= part.items()


def _line(said: dict[str, Any]) -> bytes:
    return json.dumps(said).encode("ascii") + b"\n"


def _named(name: str) -> str:
    return {"source": "corpus (its files, their times, or how they are read)", "form": "kind"}.get(name, name)


class Shard(NamedTuple):
    """The ids of a part of a corpus, and the ends of documents, int64; the last document may continue in the next."""

    ids: np.ndarray
    ends: np.ndarray


class Shards(Sequence[Shard]):
    """The token files of a folder, opened one by one when they are used; ``open_shards`` makes it.

    folder : of the files · manifest : its content · tokens, documents : the numbers of all · dtype : of the ids.
    """

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder = folder
        self.manifest = manifest
        self.tokens: int = manifest["tokens"]
        self.documents: int = manifest["documents"]
        self.dtype = np.dtype(manifest["dtype"])

    def __repr__(self) -> str:
        return f"Shards({len(self):,} shards, {self.documents:,} documents, {self.tokens:,} tokens)"

    def __len__(self) -> int:
        return len(self.manifest["shards"])

    @overload
    def __getitem__(self, number: int) -> Shard: ...
    @overload
    def __getitem__(self, number: slice) -> list[Shard]: ...
    def __getitem__(self, number: int | slice) -> Shard | list[Shard]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        shards = self.manifest["shards"]
        record = shards[number]
        ids, ends = shard_files.read(
            self.folder / record["file"],
            self.manifest["format"],
            self.manifest["dtype"],
            unfinished=may_be_unfinished(shards, record["number"]),
        )
        if ids.size != record["tokens"] or ends.size != record["documents"]:
            raise UnreadableModel(f"{self.folder / record['file']} is not the file of the manifest: it has other ids.")
        return Shard(ids, ends)

    def each_document(self) -> Iterator[np.ndarray]:
        """Yield the ids of each whole document."""
        begun: list[np.ndarray] = []
        for ids, ends in self:
            start = 0
            for end in ends.tolist():
                yield np.concatenate([*begun, ids[start:end]]) if begun else np.asarray(ids[start:end])
                begun, start = [], end
            if start < ids.size:
                begun.append(np.asarray(ids[start:]))
        if begun:
            yield np.concatenate(begun)

    def check(self) -> None:
        """Read every file and compare it with its SHA-256. Raises UnreadableModel, naming the file."""
        for record in self.manifest["shards"]:
            path = self.folder / record["file"]
            if sha256_of(path) != record["sha256"]:
                raise UnreadableModel(f"{path} was changed since it was written: its SHA-256 differs.")


def open_shards(folder: str | os.PathLike[str]) -> Shards:
    """Open the token files that ``encode_corpus`` has written, after comparing the manifest with what is there.

    Raises UnusablePath when the manifest or a file is missing, UnreadableModel when a file has another length.

    >>> import tempfile
    >>> room = Path(tempfile.mkdtemp())
    >>> _ = (room / "a.txt").write_text("hello\\nworld\\n", encoding="utf-8")
    >>> _ = encode_corpus(Corpus(room / "a.txt", lines=True), "gpt2", room / "tokens")
    >>> shards = open_shards(room / "tokens")
    >>> shards, [ids.tolist() for ids in shards.each_document()]
    (Shards(1 shards, 2 documents, 2 tokens), [[31373], [6894]])
    """
    folder = Path(folder)
    if not (folder / MANIFEST).exists() and (folder / JOURNAL).exists():
        raise UnusablePath(f"{folder} is not finished: encode_corpus, called as before, makes the missing shards.")
    data = read_whole(folder / MANIFEST)
    try:
        manifest = parsed(data)
        check_manifest(manifest)
    except ValueError as problem:
        raise UnreadableModel(f"{folder / MANIFEST} is no manifest of token files: {problem}.") from None
    shards = Shards(folder, manifest)
    files = [(folder / record["file"], record["bytes"]) for record in manifest["shards"]]
    for path, size in files:
        if not path.exists():
            raise UnusablePath(f"{path} is missing, but the manifest lists it. Encode again into the same folder.")
        if path.stat().st_size != size:
            raise UnreadableModel(f"{path} has {path.stat().st_size:,} bytes, and the manifest says {size:,}.")
    return shards
