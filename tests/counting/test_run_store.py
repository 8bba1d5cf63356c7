"""An interrupted count continues from its folder, and writes the same file as an undisturbed one."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from minbpe_course.corpus.reading import Corpus
from minbpe_course.corpus.texts import course_text
from minbpe_course.counting import bounded as bounded_counting
from minbpe_course.counting import run_store, sources, spill_to_disk
from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.folder_lock import FolderLock
from minbpe_course.counting.run_store import RunStore
from minbpe_course.counting.spill_to_disk import CountingPlan, run_of_parts
from minbpe_course.counting.word_counter import TableThreads
from minbpe_course.errors import (
    CountingStopped,
    DifferentCheckpoint,
    FolderInUse,
    Interrupted,
    UnreadableCheckpoint,
    UnusablePath,
)
from minbpe_course.resources import memory
from minbpe_course.text.patterns import named_pattern
from tests.counting.hostile_corpora import shrink

pytestmark = pytest.mark.medium

PATTERN = "cl100k_base"


@pytest.fixture(autouse=True)
def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little memory, small blocks and parts, and a cut after each task."""
    shrink(monkeypatch, memory=8000, block=300, part=1500)
    monkeypatch.setattr(run_store, "FAN_IN", 4)
    monkeypatch.setattr(bounded_counting, "EVERY", 0.0)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    for number, at in enumerate((0, 9000, 4000)):
        (folder / f"{number}.txt").write_bytes(course_text()[at : at + 2500].encode("utf-8"))
    return folder / "*.txt"


def undisturbed(source, path: Path, **options) -> bytes:
    count_words(source, output=path, num_threads=1, **options)
    return path.read_bytes()


def run_python(program: str) -> str:
    """Return the output of a program in its own process."""
    root = str(Path(__file__).resolve().parents[2])
    return subprocess.run(
        [sys.executable, "-c", program], cwd=root, check=True, capture_output=True, encoding="utf-8"
    ).stdout


class Killed(BaseException):
    """An exception that no code of the package expects."""


def ending_at(step: int, problem: BaseException, monkeypatch: pytest.MonkeyPatch, name: str = "replace") -> list[int]:
    """Let every rename from the given step on fail."""
    real, steps = getattr(os, name), []

    def renamed(*given):
        steps.append(1)
        if len(steps) > step:
            raise problem
        return real(*given)

    monkeypatch.setattr(os, name, renamed)
    return steps


@pytest.mark.parametrize("threads", [1, 2])
def test_ended_before_each_rename(threads, corpus, tmp_path, monkeypatch):
    wanted = undisturbed(corpus, tmp_path / "wanted")
    steps, ended = 0, True
    while ended:
        work = tmp_path / f"work-{steps}"
        with monkeypatch.context() as patch:
            ending_at(steps, Killed(), patch)
            try:
                count_words(corpus, output=tmp_path / "found", checkpoint=work, num_threads=threads)
                ended = False
            except Killed:
                pass
        count_words(corpus, output=tmp_path / "found", checkpoint=work, num_threads=threads)
        assert (tmp_path / "found").read_bytes() == wanted
        left = sorted(path.name for path in work.iterdir())
        assert [name for name in left if name.startswith(".")] == []
        assert len([name for name in left if name.startswith("run-")]) == 1
        shutil.rmtree(work)
        (tmp_path / "found").unlink()
        steps += 1 if steps < 8 else 5
    assert steps > 40


def test_texts_and_files_that_are_interrupted_repeatedly(corpus, tmp_path, monkeypatch):
    def source():
        return iter(["first", corpus.parent / "0.txt", "", course_text()[:2000], corpus])

    options = {"special_tokens": ["the "], "num_threads": 1, "output": tmp_path / "found"}
    wanted = undisturbed(source(), tmp_path / "wanted", special_tokens=["the "])
    ended = 0
    while not (tmp_path / "found").exists() and ended < 50:
        with monkeypatch.context() as patch:
            ending_at(6 + ended, Killed(), patch)
            try:
                count_words(source(), checkpoint=tmp_path / "work", **options)
            except Killed:
                ended += 1
    assert ended > 0
    assert (tmp_path / "found").read_bytes() == wanted
    # Another call gives the same, and counts nothing again.
    monkeypatch.setattr(bounded_counting, "load_kernels", lambda _: None)
    monkeypatch.setattr(spill_to_disk, "WordTable", None)
    monkeypatch.setattr(bounded_counting.RunCounter, "__init__", lambda *_, **__: None)
    monkeypatch.setattr(bounded_counting.RunCounter, "count", lambda self, texts, *_: list(texts))
    count_words(source(), checkpoint=tmp_path / "work", **options)
    assert (tmp_path / "found").read_bytes() == wanted


def test_other_texts_are_not_continued(tmp_path, monkeypatch):
    text = course_text()[:6000]
    texts = [text[at : at + 700] for at in range(0, 6000, 700)]
    with monkeypatch.context() as patch:
        ending_at(24, Killed(), patch)
        with pytest.raises(Killed):
            count_words(texts, checkpoint=tmp_path / "work", num_threads=1)
    for others in (["x" + texts[0], *texts[1:]], texts[:1], [text], []):
        with pytest.raises(DifferentCheckpoint, match="were counted before"):
            count_words(others, checkpoint=tmp_path / "work")
    assert dict(count_words(texts, checkpoint=tmp_path / "work")) == dict(count_words(texts))


def test_an_error_names_what_differs(corpus, tmp_path):
    count_words(corpus, checkpoint=tmp_path / "work", special_tokens=["|"])
    for options, named in (
        ({"pattern": "gpt2", "special_tokens": ["|"]}, "pattern"),
        ({"special_tokens": ["|", "x"]}, "special_tokens"),
    ):
        with pytest.raises(DifferentCheckpoint, match=f"{named}.* then, .* now[\\s\\S]*checkpoint="):
            count_words(corpus, checkpoint=tmp_path / "work", **options)
    with pytest.raises(DifferentCheckpoint, match="kind: 'files' then, 'texts' now"):
        count_words("text", checkpoint=tmp_path / "work", special_tokens=["|"])
    with pytest.raises(DifferentCheckpoint, match="lines: False then, True now"):
        count_words(Corpus(corpus, lines=True), checkpoint=tmp_path / "work", special_tokens=["|"])
    with (corpus.parent / "1.txt").open("ab") as file:
        file.write(b"more")
    with pytest.raises(DifferentCheckpoint, match=r"1\.txt"):
        count_words(corpus, checkpoint=tmp_path / "work", special_tokens=["|"])


def test_memory_threads_and_places_of_the_result_may_change(corpus, tmp_path, monkeypatch):
    wanted = undisturbed(corpus, tmp_path / "wanted")
    with monkeypatch.context() as patch:
        ending_at(13, Killed(), patch)
        with pytest.raises(Killed):
            count_words(corpus, checkpoint=tmp_path / "work", num_threads=2, memory="20MB")
    monkeypatch.setattr(memory, "for_work", lambda _: 30_000)
    counts = count_words(corpus, checkpoint=tmp_path / "work", num_threads=1, memory="900MB")
    assert dict(counts) == dict(count_words(corpus))
    rare = count_words(corpus, checkpoint=tmp_path / "work", min_frequency=2)
    assert rare.dropped.words == len(counts) - len(rare) > 0
    assert count_words(corpus, checkpoint=tmp_path / "work", output=tmp_path / "found").path == tmp_path / "found"
    assert (tmp_path / "found").read_bytes() == wanted


def test_an_unreadable_file_may_be_repaired(corpus, tmp_path):
    wanted = undisturbed(corpus, tmp_path / "wanted")
    broken = corpus.parent / "1.txt"
    whole = broken.read_bytes()
    broken.write_bytes(whole[:2000] + b"\xff" + whole[2001:])
    for _ in range(2):
        with pytest.raises(CountingStopped, match=r"safe in .*work[\s\S]*checkpoint=") as caught:
            count_words(corpus, checkpoint=tmp_path / "work", output=tmp_path / "found", num_threads=1)
        assert broken.name in str(caught.value)
    journal = json.loads((tmp_path / "work" / "journal.json").read_bytes())
    assert sum(stretch[2] for stretch in journal["stretches"]) > 0, "nothing was kept"
    broken.write_bytes(whole)
    count_words(corpus, checkpoint=tmp_path / "work", output=tmp_path / "found", num_threads=2)
    assert (tmp_path / "found").read_bytes() == wanted


def test_a_full_disk_is_reported_and_loses_nothing(corpus, tmp_path, monkeypatch):
    wanted = undisturbed(corpus, tmp_path / "wanted")
    for steps in (7, 14, 21):
        with monkeypatch.context() as patch:
            ending_at(steps, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), patch)
            with pytest.raises(CountingStopped, match=f"{os.strerror(errno.ENOSPC)}[\\s\\S]*safe in") as caught:
                count_words(corpus, checkpoint=tmp_path / "work", output=tmp_path / "found", num_threads=1)
            assert caught.value.__cause__ is not None
    count_words(corpus, checkpoint=tmp_path / "work", output=tmp_path / "found")
    assert (tmp_path / "found").read_bytes() == wanted
    # Without a checkpoint nothing is left behind.
    with monkeypatch.context() as patch:
        ending_at(3, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "some file"), patch)
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            count_words(corpus, output=tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith((".", "other"))] == []


def test_ctrl_c_keeps_what_was_counted(corpus, tmp_path, monkeypatch):
    wanted = undisturbed(corpus, tmp_path / "wanted")
    monkeypatch.setattr(bounded_counting, "EVERY", 1e9)
    monkeypatch.setattr(memory, "for_work", lambda _: 10_000_000)
    read = sources.read_part

    def interrupted(part, *given, **options):
        if part.number == 3:
            raise KeyboardInterrupt
        return read(part, *given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(sources, "read_part", interrupted)
        with pytest.raises(KeyboardInterrupt, match="safe in") as caught:
            count_words(corpus, checkpoint=tmp_path / "work", num_threads=2)
        assert type(caught.value) is Interrupted
    assert "interrupted. 0 bytes" not in str(caught.value)
    count_words(corpus, checkpoint=tmp_path / "work", output=tmp_path / "found")
    assert (tmp_path / "found").read_bytes() == wanted


def test_ctrl_c_while_threads_are_busy_keeps_what_was_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_counting, "EVERY", 1e9)
    waits = []

    def interrupted(threads: TableThreads) -> None:
        waits.append(threads)
        if len(waits) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(TableThreads, "wait_for_room", interrupted)
    monkeypatch.setattr(memory, "for_work", lambda _: 10_000_000)
    texts = [f"word{number} " * 40_000 for number in range(9)]
    with pytest.raises(Interrupted, match=r"interrupted\. [1-9]"):
        count_words(iter(texts), checkpoint=tmp_path / "work", num_threads=1)


def test_runs_may_come_in_any_order_and_leave_gaps(corpus, tmp_path):
    plan = CountingPlan(named_pattern(PATTERN), memory=1 << 20)
    files = sources.FilesSource(Corpus(corpus), plan, kept=True)
    numbers = [part.number for part in files.parts]
    store = {"header": plan.header, "source": files.description}
    work = tmp_path / "work"
    with RunStore(work, **store) as opened:
        for number in numbers[1::2]:
            opened.add(run_of_parts([files.parts[number]], plan), number, number)
        assert opened.done_parts == len(numbers[1::2])
        assert opened.missing_parts(len(numbers)) == [(number, 0) for number in numbers[0::2]]
        assert opened.position == (0, 0)
    changed = corpus.parent / "0.txt"
    whole, times = changed.read_bytes(), changed.stat().st_mtime_ns
    changed.write_bytes(b"x" + whole[1:])
    with pytest.raises(DifferentCheckpoint, match=r"0\.txt"):
        count_words(corpus, checkpoint=work)
    # The rest is counted here, in the same folder.
    changed.write_bytes(whole)
    os.utime(changed, ns=(times, times))
    wanted = undisturbed(corpus, tmp_path / "wanted")
    count_words(corpus, checkpoint=work, output=tmp_path / "found", num_threads=2)
    assert (tmp_path / "found").read_bytes() == wanted
    with RunStore(work, **store, continues=lambda *_: True) as opened:
        assert opened.position >= (len(numbers), 0)
        assert opened.missing_parts(len(numbers)) == []


def test_unknown_files_stay_and_left_overs_are_removed(corpus, tmp_path):
    work = tmp_path / "work"
    count_words(corpus, checkpoint=work)
    ours = {"run-000999.counts", ".run-000998.counts.0123456789ab.part", ".journal.json.0123456789ab.part"}
    others = {"run.counts", "notes.txt", ".run-000998.counts.part", "corpus.counts", "run-1.counts"}
    for name in ours | others:
        (work / name).write_bytes(b"?")
    (work / ".run-000997.counts.0123456789ab.part.d").mkdir()
    count_words(corpus, checkpoint=work)
    left = {path.name for path in work.iterdir()}
    assert others <= left
    assert not ours & left


def test_damage_is_reported(corpus, tmp_path):
    work = tmp_path / "work"
    count_words(corpus, checkpoint=work)
    (run,) = work.glob("run-*.counts")
    data = run.read_bytes()
    run.unlink()
    with pytest.raises(UnreadableCheckpoint, match=rf"{run.name} is missing[\s\S]*delete the folder"):
        count_words(corpus, checkpoint=work)
    run.write_bytes(data[:-5])
    with pytest.raises(CountingStopped, match=run.name):
        count_words(corpus, checkpoint=work)
    run.write_bytes(data)
    for wrong in (b"", b"{}", b"[1]", b'{"form": "of another program"}', b"\xff", b"[" * 200_000):
        (work / "journal.json").write_bytes(wrong)
        with pytest.raises(UnreadableCheckpoint, match="journal"):
            count_words(corpus, checkpoint=work)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UnusablePath):
        count_words(corpus, checkpoint=tmp_path / "file")


def resealed(work: Path, change) -> None:
    """Change a journal, and give it the right checksum."""
    fields = json.loads((work / "journal.json").read_bytes())
    del fields["sha256"]
    change(fields)
    fields["sha256"] = run_store._sealed(fields)
    (work / "journal.json").write_text(json.dumps(fields), encoding="utf-8")


def described(work: Path, change) -> None:
    """Change the description of a source, and let the journal name it."""
    (path,) = work.glob("source-*.json")
    known = json.loads(path.read_bytes())
    path.unlink()
    packed = json.dumps(change(known)).encode("ascii")
    (work / run_store._source_name(packed)).write_bytes(packed)
    resealed(work, lambda fields: fields.update(source=run_store._source_name(packed)))


def two_runs(fields, name) -> None:
    """Add a span with this file, so that the next call merges it with the other and deletes both."""
    (start, stop, length, files, level), *_ = fields["stretches"]
    fields["stretches"] = [[start, stop, length, [*files, name], level]]


@pytest.mark.parametrize("name", ["../victim.counts", "/victim.counts", 5])
def test_a_journal_that_names_a_file_elsewhere_deletes_nothing(name, corpus, tmp_path):
    work, victim = tmp_path / "work", tmp_path / "victim.counts"
    count_words(corpus, checkpoint=work, output=victim)
    before = victim.read_bytes()
    name = str(victim) if name == "/victim.counts" else name
    resealed(work, lambda fields: two_runs(fields, name))
    with pytest.raises(UnreadableCheckpoint, match=r"journal\.json is damaged.*no run is called that"):
        count_words(corpus, checkpoint=work)
    assert victim.read_bytes() == before
    assert list(work.glob("run-*.counts"))


SPANS = {
    "backwards": [[[2, 0], [1, 0], 5, ["run-000001.counts"], 0]],
    "twice": [[[0, 0], [2, 0], 5, ["run-000001.counts"], 0], [[1, 0], [3, 0], 5, ["run-000002.counts"], 0]],
    "one run twice": [[[0, 0], [2, 0], 5, ["run-000001.counts", "run-000001.counts"], 0]],
    "negative": [[[-1, 0], [2, 0], 5, ["run-000001.counts"], 0]],
    "a fraction": [[[0, 0], [2, 0], 5.5, ["run-000001.counts"], 0]],
    "nothing": 5,
}


@pytest.mark.parametrize(
    "change",
    [
        *(lambda fields, spans=spans: fields.update(stretches=spans) for spans in SPANS.values()),
        lambda fields: fields.update(next="7"),
        lambda fields: fields.update(notes={"checksum": "x"}),
        lambda fields: fields.update(source="../source-0123456789abcdef.json"),
        lambda fields: fields.update(source="source-0123456789abcdef.json"),
    ],
)
def test_a_journal_with_impossible_fields_is_refused(change, corpus, tmp_path):
    count_words(corpus, checkpoint=tmp_path / "work")
    resealed(tmp_path / "work", change)
    with pytest.raises(UnreadableCheckpoint, match=r"journal\.json is damaged"):
        count_words(corpus, checkpoint=tmp_path / "work")


@pytest.mark.parametrize(
    "change",
    [
        lambda known: [],
        lambda known: known | {"header": None},
        lambda known: known | {"source": known["source"] | {"files": 5}},
        lambda known: known | {"source": known["source"] | {"files": [["a", 1, 2, "3"]]}},
        lambda known: known | {"source": known["source"] | {"files": [["a", 1]]}},
    ],
)
def test_a_description_of_another_kind_is_refused(change, corpus, tmp_path):
    count_words(corpus, checkpoint=tmp_path / "work")
    described(tmp_path / "work", change)
    with pytest.raises(UnreadableCheckpoint, match=r"journal\.json is damaged"):
        count_words(corpus, checkpoint=tmp_path / "work")


def test_many_parts_in_a_journal_take_no_memory(tmp_path):
    with RunStore(tmp_path, header=CountingPlan(None).header, source={}) as store:
        store.spans = [run_store.Span((1, 0), (1 << 60, 0), 5, ("run-000001.counts",))]
        assert store.missing_parts(3) == [(0, 0)]
        assert store.done_parts == (1 << 60) - 1


def test_a_lock_that_leads_elsewhere_is_not_written_to(corpus, tmp_path):
    (tmp_path / "work").mkdir()
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    try:
        (tmp_path / "work" / "lock").symlink_to(victim)
    except OSError:
        pytest.skip("links need a privilege here")
    with pytest.raises(UnusablePath, match="is a link"):
        count_words(corpus, checkpoint=tmp_path / "work")
    assert victim.read_text(encoding="utf-8") == "precious"


def test_one_process_at_a_time(corpus, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    lock = FolderLock(work)
    with pytest.raises(FolderInUse, match=f"{os.getpid()}"):
        count_words(corpus, checkpoint=work)
    program = f"""
from minbpe_course.counting.folder_lock import FolderLock
from minbpe_course.errors import FolderInUse
from pathlib import Path
import os
try:
    FolderLock(Path({str(work)!r}))
    print("mine", flush=True)
    os._exit(0)
except FolderInUse as problem:
    print(problem)
"""
    assert f"process {os.getpid()} is working in" in run_python(program)
    lock.release()
    # A process that ends without releasing leaves the file but no lock.
    assert run_python(program).strip() == "mine"
    FolderLock(work).release()
