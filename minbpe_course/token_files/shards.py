"""A corpus as token files: shards of about the same size, and a manifest that describes them.

    data/*.jsonl  --parts, packed-->  encoded, here in threads or on a Dask cluster  -->  tokens/shard-00000.npy
                                                                                          tokens/shard-00001.npy
                                                                                          tokens/manifest.json

A large file is cut into several shards, and small ones share one. The shards depend only on the corpus, the tokenizer
and the size of the parts, not on the number of workers or on interruptions. A shard gets its name when it is complete.
``journal`` says which are missing.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from minbpe_course.corpus.reading import Corpus, as_corpus
from minbpe_course.errors import (
    ClusterProblem,
    DisallowedSpecialToken,
    InvalidOption,
    InvalidSource,
    UnreadableModel,
    UnusablePath,
)
from minbpe_course.files import read_whole
from minbpe_course.formats.id_arrays import dtype_for
from minbpe_course.resources import memory
from minbpe_course.resources.threads import threads_of
from minbpe_course.token_files import shard_files
from minbpe_course.token_files.any_tokenizer import any_tokenizer
from minbpe_course.token_files.journal import JOURNAL, MANIFEST, Journal, ShardProgress
from minbpe_course.token_files.manifest import FORM, VERSION, check_manifest, may_be_unfinished, parsed
from minbpe_course.token_files.shard_making import ShardPlan, ShardWork, make_shard, sha256_of

PART_SIZE = 1 << 26
# Seconds until a file of a worker must be visible here.
_SEEN_WITHIN = 10.0
# Shards that stay open after use.
_OPEN = 32


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
    "parquet" · part_size : bytes of the corpus for each shard, about, such as "64MB"; small files share a shard ·
    append : a special token, or an id, added after each document · dtype : "uint16" or "uint32", by default the smaller
    one that holds every id · specials : special tokens in the text: "raise" stops there, "none" takes them as ordinary
    text, "all" gives their ids (models of SentencePiece decide themselves) · frame : whether to put the ids of
    ``encode(text, frame=True)`` around each document; what ``append`` adds comes after them · progress : called with a
    ShardProgress after each shard.

    Each shard is encoded separately; together they have the ids of the whole documents. After an error, Ctrl-C or a
    kill the same call continues with the missing shards, also after an unreadable file was fixed. When files were added
    to the corpus, the same call encodes only these, into further shards. Raises DifferentCheckpoint when the folder
    holds the tokens of a file that was changed or removed, of another tokenizer or choice, FolderInUse,
    DisallowedSpecialToken, InvalidSource, InvalidOption, UnusablePath, ClusterProblem, and what reading raises.

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
    said: dict[str, Any] = {
        "form": FORM,
        "version": VERSION,
        "tokenizer": {"name": chosen.name, "sha256": chosen.sha256, "largest_id": chosen.largest},
        "format": format,
        "dtype": dtype_for(chosen.largest, dtype),
        "append": end,
        # None is what manifests of older versions say.
        "frame": list(map(list, chosen.frame)) if frame else None,
        "specials": specials,
        "part_size": part_size,
    }
    plan = ShardPlan(chosen, Path(folder).absolute(), format, said["dtype"], around)
    with Journal(Path(folder), said, corpus, chosen.cutter, part_size) as journal:
        missing = journal.missing
        made = _on_cluster(engine, missing, plan) if engine is not None else _in_threads(missing, plan, threads)
        with contextlib.closing(made):
            try:
                for record in made:
                    journal.add(record)
                    if progress is not None:
                        progress(journal.progress)
            except DisallowedSpecialToken as problem:
                if journal.progress.shards:
                    also = f"{folder} has shards made with specials='raise': delete it then, or name another folder."
                    raise DisallowedSpecialToken(f"{problem}\n{also}") from None
                raise
        journal.finish()
    return open_shards(folder)


def _in_threads(
    missing: Sequence[ShardWork], plan: ShardPlan, num_threads: int
) -> Generator[dict[str, Any], None, None]:
    """Make shards in threads of this process; yield their entries when they are finished."""
    todo, stop = iter(missing), threading.Event()
    threads = max(1, min(num_threads, len(missing)))
    with ThreadPoolExecutor(threads) as pool:
        out: set[Future[dict[str, Any]]] = set()
        try:
            while True:
                while len(out) < 2 * threads and (work := next(todo, None)) is not None:
                    out.add(pool.submit(make_shard, work, plan, stop.is_set))
                if not out:
                    return
                # Yield finished shards before an error of the same moment.
                for future in sorted(wait(out, return_when=FIRST_COMPLETED).done, key=_failed):
                    out.remove(future)
                    yield future.result()
        finally:
            stop.set()
            for future in out:
                future.cancel()


def _failed(future: Future[Any]) -> bool:
    return future.exception() is not None


def _on_cluster(engine: Any, missing: Sequence[ShardWork], plan: ShardPlan) -> Generator[dict[str, Any], None, None]:
    """Make shards on a cluster; yield their entries when their files are visible here."""
    from minbpe_course.counting.cluster.dask_engine import run_parts

    # The workers may have another working directory.
    sent = [
        ShardWork(number, [replace(part, path=str(Path(part.path).absolute())) for part in parts])
        for number, parts in missing
    ]
    for at, record in run_parts(engine, make_shard, sent, plan, name="encode-shard"):
        path = plan.folder / record["file"]
        until = time.monotonic() + _SEEN_WITHIN
        while not (path.exists() and path.stat().st_size == record["bytes"]):
            if time.monotonic() > until:
                raise ClusterProblem(
                    f"a worker has written {path}, but this machine does not see it. The folder must be one that all "
                    "workers and this machine share; name another, or encode without engine= (--dask)."
                )
            time.sleep(0.05)
        named = [{**source, "path": part.path} for source, part in zip(record["sources"], missing[at].parts)]
        yield {**record, "sources": named}


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
        self._document_ends = np.cumsum([record["documents"] for record in manifest["shards"]])
        # The shards used last, the latest at the end. Those of Parquet are in memory as a whole.
        self._open: dict[int, Shard] = {}
        self._most = _OPEN if manifest["format"] == "npy" else 1
        self._opening = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Shards, (self.folder, self.manifest)

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
        record = self.manifest["shards"][number]
        with self._opening:
            shard = self._open.pop(record["number"], None) or self._opened(record)
            self._open[record["number"]] = shard
            if len(self._open) > self._most:
                del self._open[next(iter(self._open))]
        return shard

    def _opened(self, record: dict[str, Any]) -> Shard:
        ids, ends = shard_files.read(
            self.folder / record["file"],
            self.manifest["format"],
            self.manifest["dtype"],
            unfinished=may_be_unfinished(self.manifest["shards"], record["number"]),
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

    def document(self, number: int) -> np.ndarray:
        """Return the ids of the whole document ``number``, from 0, in the order of ``each_document``.

        Returns uint16[n] or uint32[n]. Raises IndexError for any other number.
        """
        if not 0 <= number < self.documents:
            raise IndexError(f"document {number} of {self.documents:,}")
        last = int(np.searchsorted(self._document_ends, number, side="right"))
        ids, ends = self[last]
        place = number - int(self._document_ends[last]) + ends.size
        parts = [ids[ends[place - 1] if place else 0 : ends[place]]]
        while place == 0 and last > 0:
            last -= 1
            ids, ends = self[last]
            place = ends.size
            parts.append(ids[ends[-1] if place else 0 :])
        return np.concatenate(parts[::-1])

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
