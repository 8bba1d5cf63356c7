"""Untrusted archives and folders: hostile entries are refused by name, and nothing is unpacked."""

from __future__ import annotations

import os
import stat
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from minbpe_course.errors import TooLargeToRead, UnreadableSubmission, UnusablePath
from minbpe_course.learning.submissions import archives
from minbpe_course.learning.submissions.archives import in_folder, in_zip
from tests.shared.submission_cases import far_away, long_list, overlapping, patched, zip_entry, zip_of, zipped

GOOD = {"02.ipynb": b"{}"}


@contextmanager
def memory_below(most: int) -> Iterator[None]:
    """Hold what runs inside to an amount of memory."""
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < most


# label, the entry that is refused, a part of the reason
HOSTILE_ENTRIES = [
    ("absolute path", zip_entry("/etc/cron.d/a.ipynb"), "absolute"),
    ("up and out", zip_entry("../../a.ipynb"), "leads out"),
    ("up with backslashes", zip_entry("work\\..\\..\\a.ipynb"), "leads out"),
    ("symbolic link", zip_entry("a.ipynb", b"/etc/passwd", stat.S_IFLNK | 0o777), "is a link"),
    ("very deep", zip_entry("d/" * 40 + "a.ipynb"), "16 folders deep"),
    ("LZMA", zip_entry("a.ipynb", b"x" * 99, compress_type=14), "a method that is not read"),
    ("tar inside", zip_entry("a.tar.gz"), "archive of a kind that is not read"),
]


@pytest.mark.parametrize(("label", "entry", "why"), HOSTILE_ENTRIES, ids=[label for label, *_ in HOSTILE_ENTRIES])
def test_a_hostile_entry_is_refused_by_name_and_costs_its_neighbour_nothing(label, entry, why) -> None:
    found = in_zip(zip_of(zip_entry("02.ipynb", b"{}"), entry), "work.zip")
    assert [member.path for member in found.members] == ["02.ipynb"], label
    assert len(found.refusals) == 1
    assert why in found.refusals[0].why
    assert found.members[0].read() == b"{}"


@pytest.mark.parametrize(
    ("label", "make", "why"),
    [
        ("encrypted", lambda data: patched(data, flags=1), "encrypted"),
        ("unknown method", lambda data: patched(data, method=99), "a method that is not read"),
    ],
)
def test_an_entry_whose_headers_are_refused(label, make, why) -> None:
    found = in_zip(make(zipped(GOOD)), "work.zip")
    assert not found.members, label
    assert why in found.refusals[0].why


@pytest.mark.parametrize(
    ("label", "data", "why"),
    [
        ("nothing", b"", "not a readable zip archive"),
        ("text", b"PK, I say", "not a readable zip archive"),
        ("cut in the middle", zipped({"a.ipynb": os.urandom(5000)})[:2500], "not a readable zip archive"),
        ("the end alone", b"PK\5\6" + bytes(18), ""),
        ("a long directory", b"PK\5\6" + bytes(8) + (3 << 20).to_bytes(4, "little") + bytes(6), "not a readable zip"),
        ("claims 4 GB", patched(zipped(GOOD), size=0xFFFFFFF0), "would unpack to 4,096 MB"),
        ("many entries", zipped({f"{n}.txt": b"" for n in range(archives.MOST_ENTRIES + 1)}), "entries"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 40 else "",
)
def test_an_archive_that_is_refused_as_a_whole(label, data, why) -> None:
    if why:
        with pytest.raises(UnreadableSubmission, match=why):
            in_zip(data, "work.zip")
    else:
        assert in_zip(data, "work.zip").members == []


def test_what_just_fits_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zipped({"a.ipynb": bytes(1 << 20)})
    monkeypatch.setattr(archives, "MOST_UNPACKED", 1 << 20)
    assert [member.path for member in in_zip(data, "work.zip").members] == ["a.ipynb"]
    monkeypatch.setattr(archives, "MOST_UNPACKED", (1 << 20) - 1)
    with pytest.raises(TooLargeToRead, match="would unpack to"):
        in_zip(data, "work.zip")


def test_entries_that_overlap_cost_no_memory() -> None:
    # 5,000 entries of 10 MB each share 10 kB.
    data = overlapping(5_000, 10 << 20)
    with memory_below(64 << 20), pytest.raises(UnreadableSubmission, match="would unpack to"):
        in_zip(data, "work.zip")


@pytest.mark.parametrize("zip64", [False, True])
def test_a_list_of_entries_is_measured_when_it_is_read(zip64: bool) -> None:
    data = long_list(100_000, zip64=zip64)
    # The archive itself, and no list of 100,000 entries.
    with memory_below(2 * len(data)), pytest.raises(UnreadableSubmission, match="more entries"):
        in_zip(data, "work.zip")
    assert len(in_zip(long_list(20, zip64=zip64), "work.zip").members) == 1


@pytest.mark.parametrize("offset", [2**63, 2**64 - 1, 2**62, 2**40])
def test_an_entry_at_an_impossible_offset_is_damaged(offset: int) -> None:
    (member,) = in_zip(far_away(offset), "work.zip").members
    with pytest.raises(UnreadableSubmission, match=r"a\.ipynb is damaged"):
        member.read()


def test_an_entry_never_unpacks_to_more_than_it_claims() -> None:
    data = patched(zipped({"a.ipynb": bytes(1 << 20)}), size=5_000)
    member = in_zip(data, "work.zip").members[0]
    with memory_below(1 << 20), pytest.raises(UnreadableSubmission, match="damaged"):
        member.read()


def test_names_that_differ_in_capitals_or_not_at_all() -> None:
    found = in_zip(zip_of(zip_entry("a.ipynb", b"1"), zip_entry("A.IPYNB", b"2")), "work.zip")
    assert [member.read() for member in found.members] == [b"2", b"1"]
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = zip_of(zip_entry("a.ipynb", b"1"), zip_entry("a.ipynb", b"2"))
    found = in_zip(twice, "work.zip")
    assert [member.read() for member in found.members] == [b"2"]
    assert "the last one counts" in found.refusals[0].why


def test_a_class_with_too_many_files_is_refused_as_a_whole(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(archives, "MOST_ENTRIES_OF_A_CLASS", 20)
    files = {**{f"eve/{n}.txt": b"" for n in range(20)}, "zoe/02.ipynb": b"{}"}
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    with pytest.raises(UnreadableSubmission, match=r"\d+ of them in eve/\. Remove it"):
        in_folder(tmp_path)
    with pytest.raises(UnreadableSubmission, match=r"\d+ of them in eve/\. Remove it"):
        in_zip(downloaded(tmp_path, files), "class.zip")


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="root may look everywhere")
def test_a_folder_whose_files_cannot_be_examined_is_refused(tmp_path: Path) -> None:
    (tmp_path / "eve").mkdir()
    (tmp_path / "eve" / "02.ipynb").write_bytes(b"{}")
    (tmp_path / "eve").chmod(0o444)
    found = in_folder(tmp_path)
    (tmp_path / "eve").chmod(0o755)
    assert (found.members, [one.why for one in found.refusals]) == ([], ["cannot be examined: Permission denied"])


def downloaded(folder: Path, files: dict[str, bytes]) -> Path:
    """Return the path of the zip of a class."""
    (folder / "class.zip").write_bytes(zipped(files))
    return folder / "class.zip"


def test_two_learners_whose_names_differ_in_capitals_both_count(tmp_path: Path) -> None:
    found = in_zip(downloaded(tmp_path, {"Ada/02.ipynb": b"1", "ada/02.ipynb": b"2"}), "class.zip")
    assert ([member.read() for member in found.members], found.refusals) == ([b"1", b"2"], [])


def test_empty_and_dot_parts_of_a_path_are_ignored(tmp_path: Path) -> None:
    found = in_zip(downloaded(tmp_path, {"./ada/02.ipynb": b"1", "bob//./02.ipynb": b"2"}), "class.zip")
    assert [member.path for member in found.members] == ["ada/02.ipynb", "bob/02.ipynb"]


def test_no_two_names_are_printed_alike() -> None:
    signs = ["\x1b", "%1b", "%251b", "%25251b", "\u200b", "%200b", "%25200b", "\udcff", "%dcff", "%", "%2", "100 %25"]
    assert len({archives.printable(sign) for sign in signs}) == len(signs)


def test_folders_of_editors_and_systems_are_ignored_silently() -> None:
    files = {"__MACOSX/._a.ipynb": b"", ".ipynb_checkpoints/a-checkpoint.ipynb": b"", "x/.git/config": b"", **GOOD}
    found = in_zip(zipped(files), "work.zip")
    assert [member.path for member in found.members] == ["02.ipynb"]
    assert not found.refusals


@pytest.mark.skipif(os.name != "posix", reason="links and pipes")
def test_a_folder_with_links_and_pipes_is_read_without_following_or_waiting(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.ipynb").write_bytes(b"secret")
    folder = tmp_path / "work"
    (folder / "real").mkdir(parents=True)
    (folder / "real" / "a.ipynb").write_bytes(b"{}")
    (folder / "file_link.ipynb").symlink_to(outside / "secret.ipynb")
    (folder / "folder_link").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    (folder / "broken.ipynb").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.ipynb")
    found = in_folder(folder)
    assert [member.path for member in found.members] == ["real/a.ipynb"]
    refused = {one.path for one in found.refusals}
    assert refused == {"file_link.ipynb", "folder_link", "loop", "broken.ipynb", "pipe.ipynb"}


@pytest.mark.skipif(os.name != "posix", reason="links and pipes")
def test_a_file_that_turns_into_something_else_after_it_was_listed(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_bytes(b"{}")
    (tmp_path / "b.ipynb").write_bytes(b"{}")
    (tmp_path / "secret").write_bytes(b"secret")
    first, second = in_folder(tmp_path).members[:2]
    (tmp_path / "a.ipynb").unlink()
    os.mkfifo(tmp_path / "a.ipynb")
    (tmp_path / "b.ipynb").unlink()
    (tmp_path / "b.ipynb").symlink_to(tmp_path / "secret")
    with pytest.raises(UnreadableSubmission, match="not an ordinary file"):
        first.read()
    with pytest.raises(UnusablePath, match="cannot be read"):
        second.read()


def test_a_folder_without_files_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    assert in_folder(tmp_path).empty == ["ada/"]
    assert in_zip(zip_of(zip_entry("ada/", b"", stat.S_IFDIR | 0o755)), "class.zip").empty == ["ada/"]
