"""``use_bundled_vocabularies``: plain tiktoken works without a network, in any folder, environment and system."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tiktoken

from minbpe_course import vocabularies
from minbpe_course.errors import UnusablePath
from minbpe_course.vocabularies import cache_folder, published_files
from tests.shared.patience import PATIENCE

pytestmark = pytest.mark.medium

NAMES = vocabularies.names()
ROOT = Path(__file__).resolve().parents[2]

# Run in a fresh interpreter whose sockets are useless: nothing can come from the network.
OFFLINE = """
import socket, sys
class NoNetwork(socket.socket):
    def __init__(self, *args, **kwargs):
        raise OSError("no network in this test")
socket.socket = NoNetwork
def refuse(*args, **kwargs):
    raise OSError("no network in this test")
socket.create_connection = socket.getaddrinfo = refuse
"""
ENCODE_WITH_ALL = (
    OFFLINE
    + """
from minbpe_course import use_bundled_vocabularies
use_bundled_vocabularies()
import tiktoken
for name in sys.argv[1:]:
    encoding = tiktoken.get_encoding(name)
    print(name, encoding.n_vocab, encoding.encode("Hello World! 안녕하세요"))
"""
)


@pytest.fixture
def clean_environment(monkeypatch, tmp_path):
    """No cache variable is set, and the home folder is temporary."""
    # setenv first, so that what the function under test sets is undone afterwards
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)
    for variable in ("HOME", "USERPROFILE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    return tmp_path / "home"


def run_python(code, *arguments, **environment):
    variables = {k: v for k, v in os.environ.items() if k not in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")}
    variables |= {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"} | environment
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], env=variables, capture_output=True, encoding="utf-8", timeout=PATIENCE
    )


def held(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def wanted():
    return {file.cache_name: file.sha256 for file in published_files.published_files()}


def test_plain_tiktoken_works_without_a_network(tmp_path, witness):
    done = run_python(ENCODE_WITH_ALL, *NAMES, TIKTOKEN_CACHE_DIR=str(tmp_path / "fresh"))
    assert done.returncode == 0, done.stderr
    theirs = [tiktoken.Encoding(**witness(name)) for name in NAMES]
    assert done.stdout.splitlines() == [f"{e.name} {e.n_vocab} {e.encode('Hello World! 안녕하세요')}" for e in theirs]


def test_several_processes_may_fill_one_folder_at_once(tmp_path):
    code = "import sys; from minbpe_course import use_bundled_vocabularies as use; use(sys.argv[1])"
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], env=environment) for _ in range(3)]
    assert [process.wait(timeout=PATIENCE) for process in running] == [0, 0, 0]
    assert held(tmp_path) == wanted()


def test_an_empty_folder_is_filled_and_nothing_else(tmp_path, clean_environment, monkeypatch):
    folder = tmp_path / "not" / "there" / "yet"
    assert vocabularies.use_bundled_vocabularies(folder) == folder.resolve()
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(folder.resolve())
    assert held(folder) == wanted()
    monkeypatch.setattr(cache_folder, "rebuild_file", None)  # the second call only checks
    assert vocabularies.use_bundled_vocabularies() == folder.resolve()


def test_correct_files_are_kept_and_damaged_ones_repaired(tmp_path, clean_environment, filled):
    first, second, *_ = sorted(wanted())
    for path in filled.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "another-program").write_bytes(b"mine")
    (tmp_path / first).write_bytes(b"damaged")
    (tmp_path / second).unlink()
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    vocabularies.use_bundled_vocabularies(tmp_path)
    after = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert held(tmp_path) == wanted() | {"another-program": hashlib.sha256(b"mine").hexdigest()}
    assert {name for name in after if after[name] != before.get(name)} == {first, second}


@pytest.mark.parametrize("setting", [None, ""], ids=["not set", "empty"])
def test_without_a_setting_the_user_cache_folder_is_used(setting, clean_environment, monkeypatch, filled):
    if setting is not None:
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", setting)
        monkeypatch.setenv("DATA_GYM_CACHE_DIR", str(filled))  # tiktoken does not look at it then, so neither do we
    folder = vocabularies.use_bundled_vocabularies()
    assert folder == cache_folder.user_cache_folder().resolve()
    assert folder.is_relative_to(clean_environment.resolve())
    assert os.environ["TIKTOKEN_CACHE_DIR"]
    assert held(folder) == wanted()


def test_an_unwritable_home_is_skipped(clean_environment, tmp_path, monkeypatch):
    clean_environment.write_bytes(b"a file where the home folder should be")
    monkeypatch.setattr(cache_folder.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    folder = vocabularies.use_bundled_vocabularies()
    assert folder == (tmp_path / "temporary" / "data-gym-cache").resolve()
    assert held(folder) == wanted()


def test_when_no_folder_can_be_written_the_error_says_what_to_type(clean_environment, tmp_path, monkeypatch):
    blocked = tmp_path / "blocked"
    blocked.write_bytes(b"a file")
    monkeypatch.setattr(cache_folder, "_places", lambda environ: iter([str(blocked / "a"), str(blocked / "b")]))
    with pytest.raises(UnusablePath, match=r"use_bundled_vocabularies\('some/folder'\)"):
        vocabularies.use_bundled_vocabularies()
    with pytest.raises(UnusablePath, match="cannot make the folder"):
        vocabularies.use_bundled_vocabularies(blocked / "c")
    assert "TIKTOKEN_CACHE_DIR" not in os.environ


def test_the_package_is_never_written_to(clean_environment, monkeypatch):
    inside = ROOT / "minbpe_course" / "vocabularies" / "cache"
    with pytest.raises(UnusablePath, match="inside the package"):
        vocabularies.use_bundled_vocabularies(inside)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(inside))
    assert vocabularies.use_bundled_vocabularies() == cache_folder.user_cache_folder().resolve()
    assert not inside.exists()


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, ".cache/minbpe-course/tiktoken"),
        ("linux", {"XDG_CACHE_HOME": "relative/is/invalid"}, ".cache/minbpe-course/tiktoken"),
        ("darwin", {"XDG_CACHE_HOME": "/ignored/here"}, "Library/Caches/minbpe-course/tiktoken"),
        ("win32", {}, "AppData/Local/minbpe-course/tiktoken"),
    ],
)
def test_the_cache_folder_is_where_each_system_wants_it(platform, variables, expected, clean_environment):
    assert cache_folder.user_cache_folder(platform, variables) == Path.home() / expected


@pytest.mark.parametrize(("platform", "variable"), [("linux", "XDG_CACHE_HOME"), ("win32", "LOCALAPPDATA")])
def test_the_cache_folder_follows_the_systems_variable(platform, variable, tmp_path):
    base = tmp_path.resolve()
    assert cache_folder.user_cache_folder(platform, {variable: str(base)}) == base / "minbpe-course" / "tiktoken"
