"""A word that is too long for memory is refused by name wherever a text is read, and a text in memory is not."""

from __future__ import annotations

import json
import lzma
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from minbpe_course import RegexTokenizer, count_words, get_encoding, train
from minbpe_course.corpus import documents, reading
from minbpe_course.corpus.reading import Corpus
from minbpe_course.errors import CountingStopped, UnreadableInput
from minbpe_course.splitting import long_texts
from minbpe_course.token_files.shards import encode_corpus
from minbpe_course.tokenizers import file_encoding
from tests.cli.conftest import tiny, verbs

pytestmark = pytest.mark.medium

__all__ = ["tiny", "verbs"]

# The most characters of a word in these tests.
BOUND = 3000


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_texts, "LONGEST_WORD", BOUND)
    monkeypatch.setattr(reading, "LONGEST_WORD", BOUND)
    monkeypatch.setattr(long_texts, "GATHER", 100)
    monkeypatch.setattr(documents, "BLOCK", 256)
    monkeypatch.setattr("minbpe_course.corpus.compressed.BLOCK", 256)
    monkeypatch.setattr("minbpe_course.corpus.opening.BLOCK", 256)
    monkeypatch.setattr("minbpe_course.cli.sources.BLOCK", 256)
    monkeypatch.setattr("minbpe_course.cli.documents.BATCH", 500)
    monkeypatch.setattr(file_encoding, "RANGE", 256)
    monkeypatch.setattr(file_encoding, "LONGEST_RANGE", 1024)


def files(folder: Path, size: int) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Return files of every kind whose third line is a word of this size."""
    word = "x" * size
    text = f"the cat\nsat on\n{word} the mat\n"
    lines = "".join(json.dumps({"t": each}) + "\n" for each in ("the cat", "sat", f"{word} the mat"))
    made: dict[str, tuple[Path, dict[str, Any]]] = {
        "text": (folder / "a.txt", {}),
        "lines": (folder / "b.txt", {"lines": True}),
        "packed json": (folder / "a.jsonl.xz", {"field": "t"}),
    }
    for path, options in made.values():
        data = (lines if options.get("field") else text).encode("ascii")
        path.write_bytes(lzma.compress(data) if path.suffix == ".xz" else data)
    return made


CALLS: dict[str, Callable[[Corpus, Path], Any]] = {
    "count": lambda corpus, _: count_words(corpus),
    "count on": lambda corpus, folder: count_words(corpus, checkpoint=folder / "work"),
    "train": lambda corpus, _: train(corpus, 260),
    "encode": lambda corpus, folder: get_encoding("gpt2").encode_files(corpus, folder / "out.npy"),
    "shards": lambda corpus, folder: encode_corpus(corpus, "gpt2", folder / "tokens"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", ["text", "lines", "packed json"])
def test_a_file_with_a_word_that_is_too_long_is_refused_everywhere(kind: str, call: str, tmp_path: Path) -> None:
    path, options = files(tmp_path, 5 * BOUND)[kind]
    with pytest.raises((UnreadableInput, CountingStopped)) as told:
        CALLS[call](Corpus(path, **options), tmp_path)
    assert re.search(rf"{re.escape(path.name)}, line [123]: more than 3,000 characters follow", str(told.value))
    assert "another split pattern" in str(told.value)
    files(tmp_path, BOUND - 200)
    CALLS[call](Corpus(path, **options), tmp_path)


def test_verbs_refuse_it(verbs, tmp_path: Path) -> None:
    path, _ = files(tmp_path, 5 * BOUND)["text"]
    for given, place in ((path, "a.txt, line"), ("-", "standard input, line")):
        done = verbs("encode", "-t", "gpt2", given, stdin=path.read_bytes())
        assert (done.code, place in done.err, "more than 3,000 characters" in done.err) == (2, True, True), done


def chunks(size: int) -> Iterable[str]:
    return iter(["x" * 10] * (size // 10))


def test_streams_are_bounded_and_texts_in_memory_are_not(tmp_path: Path) -> None:
    encoding = RegexTokenizer().train("the cat sat xxxx", 260)
    word = "x" * (5 * BOUND)
    with pytest.raises(UnreadableInput, match="the text: more than 3,000 characters"):
        list(encoding.encode_iterable(chunks(5 * BOUND)))
    assert list(encoding.encode_iterable(chunks(BOUND - 200))) == encoding.encode("x" * (BOUND - 200))
    # Whoever has the text in memory may use it.
    for given in (word, [word], ["a " + word, word + " b"]):
        joined = given if isinstance(given, str) else "".join(given)
        assert list(encoding.encode_iterable(given)) == encoding.encode(joined)
    assert dict(count_words(word)) == dict(count_words([word], memory="64MB")) == {word.encode(): 1}
    assert train(word, 258).merges[0] == (120, 120)
    path = tmp_path / "a.txt"
    path.write_text(word, encoding="utf-8")
    assert list(Corpus(path)) == [word]


def test_a_line_of_json_has_a_bound_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LONGEST_LINE", 5000)
    path = tmp_path / "a.jsonl.xz"
    good = json.dumps({"t": "the cat"}) + "\n"
    path.write_bytes(lzma.compress((good + json.dumps({"t": "the cat " * 2000})).encode("ascii")))
    with pytest.raises(UnreadableInput, match=r"a\.jsonl\.xz, line 2 is longer than 5,000 bytes"):
        count_words(Corpus(path, field="t"))
    path.write_bytes(lzma.compress((good * 3000 + json.dumps({"t": "the cat " * 500})).encode("ascii")))
    assert count_words(Corpus(path, field="t"))[b" cat"] == 3500


ENDLESS = """
import re, resource, sys
from pathlib import Path
from minbpe_course import count_words, get_encoding, train
from minbpe_course.corpus.reading import Corpus
from minbpe_course.errors import UnreadableInput

resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
endless = Path("/dev/zero")
for call in (
    lambda: count_words(endless),
    lambda: count_words(endless, pattern=None, memory="64MB"),
    lambda: train(endless, 300),
    lambda: get_encoding("gpt2").encode_files(endless, sys.argv[1]),
    lambda: count_words(Corpus(endless, field="text")),
):
    try:
        call()
    except UnreadableInput as problem:
        assert "/dev/zero, line 1" in str(problem), problem
    else:
        raise AssertionError("the end of /dev/zero")
# Not ru_maxrss, which begins with the memory of the process that started this one.
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/zero, and a limit of memory")
def test_an_endless_word_takes_little_memory(tmp_path: Path) -> None:
    program = [sys.executable, "-c", ENDLESS, tmp_path / "out.npy"]
    done = subprocess.run(program, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 1_500_000
