"""Patterns find each real file once, however links lead to it; ``glob`` is the witness of which files these are."""

from __future__ import annotations

import glob
import os
from pathlib import Path

import pytest

from minbpe_course import count_words
from minbpe_course.corpus.file_names import matches
from minbpe_course.corpus.reading import Corpus
from minbpe_course.token_files.shards import encode_corpus
from tests.cli.conftest import tiny, verbs

pytestmark = pytest.mark.medium

__all__ = ["tiny", "verbs"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Folders with files, links to files and, in ``loop``, a link to the folder itself."""
    for name in ("a/one.txt", "a/deep/two.txt", "b/three.txt", ".hidden/four.txt", "five.txt", "a/.six.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"word of {name}", encoding="utf-8")
    links = {"b/to_deep": "../a/deep", "b/a": "../a/deep", "seven.txt": "five.txt", "b/eight.txt": "../a/one.txt"}
    try:
        for name, target in links.items():
            (tmp_path / name).symlink_to(target)
        (tmp_path / "loop").mkdir()
        (tmp_path / "loop" / "again").symlink_to(".")
        (tmp_path / "loop" / "nine.txt").write_text("word nine", encoding="utf-8")
    except OSError:
        pytest.skip("links need a privilege here")
    return tmp_path


PATTERNS = ["**", "**/*.txt", "*/**/*.txt", "**/a/**/t*.txt", "loop/**/*.txt", "*.txt", "**/nothing", "**/again/*"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_real_files_are_those_of_glob(pattern: str, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    for asked in (pattern, str(tree / pattern)):
        found = matches(asked)
        witness = [each for each in glob.glob(asked, recursive=True) if Path(each).is_file()]  # noqa: PTH207
        assert {os.path.realpath(each) for each in found} == {os.path.realpath(each) for each in witness}
        assert set(found) <= set(witness)
        assert found == sorted(found)
        assert len([each for each in found if "again" in each]) <= (pattern == "**/again/*")


def test_a_maze_of_links_is_walked_once(tree: Path) -> None:
    for number in range(8):
        for other in range(8):
            (tree / f"m{number}").mkdir(exist_ok=True)
            (tree / f"m{number}" / f"to{other}").symlink_to(tree / f"m{other}", target_is_directory=True)
        (tree / f"m{number}" / "x.txt").write_text("x", encoding="utf-8")
    assert len({os.path.realpath(each) for each in matches(str(tree / "**" / "x.txt"))}) == 8


def test_each_file_is_read_once_by_every_call_and_verb(verbs, tree: Path, tmp_path: Path) -> None:
    names = [tree / "five.txt", tree / "**" / "*.txt", tree / "a" / ".." / "b" / "*.txt", tree / "seven.txt"]
    seen: dict[str, Path] = {}
    for each in [names[0], *(Path(each) for each in sorted(glob.glob(str(names[1]), recursive=True)))]:  # noqa: PTH207
        seen.setdefault(os.path.realpath(each), each)
    documents = sorted(each.read_text(encoding="utf-8") for each in seen.values())
    corpus = Corpus(*names)
    assert sorted(corpus) == documents
    assert corpus.files[0] == names[0]
    assert dict(count_words(names)) == dict(count_words(documents))
    assert encode_corpus(names, "gpt2", tmp_path / "tokens").documents == len(documents)
    assert len(verbs("encode", "--format", "jsonl", *names).out.splitlines()) == len(documents)
