"""The bundled vocabularies: every pinned hash, every id, and plain tiktoken without a network."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
import tiktoken
from tiktoken_ext import openai_public

from minbpe_course import vocabularies
from minbpe_course.errors import CorruptVocabulary, UnknownEncoding, UnusablePath
from minbpe_course.vocabularies import bundle, cache_folder, published_files
from tests.shared.counted_calls import calls_in
from tests.shared.patience import PATIENCE

NAMES = ("gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony")
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


@pytest.fixture
def witness(filled, monkeypatch):
    """Return tiktoken's record of an encoding, read by tiktoken from the rebuilt files; it checks the hashes."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(filled))
    return lambda name: openai_public.ENCODING_CONSTRUCTORS[name]()


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


# The bundle


def test_the_seven_names():
    assert vocabularies.names() == NAMES
    assert set(NAMES) == set(openai_public.ENCODING_CONSTRUCTORS)


@pytest.mark.parametrize("name", NAMES)
def test_addresses_and_hashes_are_those_that_tiktoken_pins(name, monkeypatch):
    pinned = []
    monkeypatch.setattr(
        openai_public, "load_tiktoken_bpe", lambda url, expected_hash: pinned.append((url, expected_hash)) or {}
    )
    monkeypatch.setattr(
        openai_public,
        "data_gym_to_mergeable_bpe_ranks",
        lambda vocab_bpe_file, encoder_json_file, vocab_bpe_hash, encoder_json_hash: pinned.extend(
            [(vocab_bpe_file, vocab_bpe_hash), (encoder_json_file, encoder_json_hash)]
        ),
    )
    openai_public.ENCODING_CONSTRUCTORS[name]()
    assert [(file["url"], file["sha256"]) for file in vocabularies.passport(name)["files"]] == pinned


@pytest.mark.parametrize("file", published_files.published_files(), ids=lambda file: file.name)
def test_every_published_file_is_rebuilt_to_its_hash(file):
    data = vocabularies.tiktoken_file(file.encoding, file.name)
    assert hashlib.sha256(data).hexdigest() == file.sha256


@pytest.mark.parametrize("name", NAMES)
def test_models_hold_what_tiktoken_holds(name, witness):
    model, theirs = vocabularies.load(name), witness(name)
    assert vocabularies.mergeable_ranks(name) == theirs["mergeable_ranks"]
    assert dict(model.special_tokens) == theirs["special_tokens"]
    assert model.pattern == theirs["pat_str"]
    assert model.vocab_size == tiktoken.Encoding(**theirs).n_vocab


@pytest.mark.parametrize("name", NAMES)
def test_passports_are_true(name):
    card, model = vocabularies.passport(name), vocabularies.load(name)
    assert card["tokens"] == len(model.token_bytes) == 256 + len(model.merges)
    assert card["licence"] == "MIT"
    assert card["published_by"]
    card["files"].clear()
    assert vocabularies.passport(name)["files"], "a passport handed out must be a copy"


def test_ids_of_well_known_tokens(witness):
    ranks = {name: vocabularies.mergeable_ranks(name) for name in ("gpt2", "p50k_base", "cl100k_base", "o200k_base")}
    for name, token in [
        ("gpt2", b" SolidGoldMagikarp"),
        ("p50k_base", b" " * 25),
        ("cl100k_base", b".DefaultCellStyle"),
        ("o200k_base", " 어떻게".encode()),
    ]:
        assert ranks[name][token] == tiktoken.Encoding(**witness(name)).encode_single_token(token)


def test_p50k_steps_over_the_id_of_its_special_token():
    model = vocabularies.load("p50k_base")
    assert model.skipped_ids == (50256,)
    assert 50256 not in model.token_bytes
    assert [model.token_bytes[50257 + n] for n in range(24)] == [b" " * length for length in range(2, 26)]


def test_the_name_that_a_doubly_named_id_decodes_to_is_tiktokens(witness):
    special = vocabularies.load("o200k_harmony").special_tokens
    shared = [token_id for token_id in set(special.values()) if list(special.values()).count(token_id) > 1]
    assert shared == [200018]
    decodes_to = {token_id: text for text, token_id in special.items()}[200018]
    assert decodes_to == tiktoken.Encoding(**witness("o200k_harmony")).decode([200018])


def test_models_are_made_once_and_shared():
    assert vocabularies.load("gpt2") is vocabularies.load("gpt2")


def test_the_bundle_is_small_and_opens_with_little_work(monkeypatch):
    assert sum(path.stat().st_size for path in bundle.DATA.iterdir()) < 1_400_000
    bundle._passports(bundle.DATA)
    # A call for each of its 200,000 tokens would be far more.
    assert calls_in(bundle.build_model, "o200k_base", bundle.DATA) < 1_000


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ("cl100k", "Did you mean 'cl100k_base'?"),
        ("O200K-BASE", "Did you mean 'o200k_base'?"),
        ("gpt-4", "its encoding is 'cl100k_base'"),
        ("gpt-4o", "its encoding is 'o200k_base'"),
        ("sonata", "Known: gpt2, r50k_base"),
        (None, "Give its name as a str"),
        (["gpt2"], "Give its name as a str"),
    ],
)
@pytest.mark.parametrize("ask", [vocabularies.passport, vocabularies.tiktoken_file, vocabularies.mergeable_ranks])
def test_unknown_names_say_what_was_meant(wrong, advice, ask):
    with pytest.raises(UnknownEncoding) as caught:
        ask(wrong)
    assert advice in str(caught.value)
    assert "gpt2, r50k_base" in str(caught.value)


def test_gpt2_has_two_files_and_no_third():
    assert vocabularies.tiktoken_file("gpt2") == vocabularies.tiktoken_file("gpt2", "vocab.bpe")
    assert vocabularies.tiktoken_file("gpt2", "encoder.json").startswith(b'{"!": 0')
    with pytest.raises(UnknownEncoding, match=r"vocab\.bpe, encoder\.json"):
        vocabularies.tiktoken_file("gpt2", "merges.txt")


# A damaged bundle


@pytest.fixture
def copied(tmp_path):
    for path in bundle.DATA.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def flip_a_bit(data):
    table = bytearray(zlib.decompress(data))
    table[5000] ^= 1
    return zlib.compress(bytes(table))


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:-7], lambda data: b"", lambda data: b"no zlib" + data, flip_a_bit],
    ids=["cut short", "empty", "not zlib", "one bit flipped inside"],
)
def test_a_damaged_table_is_never_loaded(copied, damage):
    table = copied / "cl100k.merges"
    table.write_bytes(damage(table.read_bytes()))
    with pytest.raises(CorruptVocabulary, match=r"cl100k\.merges"):
        bundle.build_model("cl100k_base", copied)
    assert bundle.build_model("gpt2", copied) == vocabularies.load("gpt2")


def test_a_missing_table_is_named(copied):
    (copied / "o200k.merges").unlink()
    with pytest.raises(CorruptVocabulary, match=r"o200k\.merges"):
        bundle.build_model("o200k_harmony", copied)


def test_broken_passports_are_named(copied):
    (copied / "passports.json").write_bytes(b'{"encodings": ')
    with pytest.raises(CorruptVocabulary, match=r"passports\.json"):
        bundle.build_model("gpt2", copied)


def test_a_file_that_does_not_rebuild_is_never_handed_out(monkeypatch):
    model = vocabularies.load("gpt2")
    swapped = model.pairs.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    monkeypatch.setattr(published_files, "load", lambda name: model.replace(merges=swapped))
    with pytest.raises(CorruptVocabulary, match=r"do not rebuild vocab\.bpe"):
        vocabularies.tiktoken_file("gpt2")


# Plain tiktoken, offline


def test_plain_tiktoken_works_without_a_network(tmp_path, witness):
    done = run_python(ENCODE_WITH_ALL, *NAMES, TIKTOKEN_CACHE_DIR=str(tmp_path / "fresh"))
    assert done.returncode == 0, done.stderr
    theirs = [tiktoken.Encoding(**witness(name)) for name in NAMES]
    assert done.stdout.splitlines() == [f"{e.name} {e.n_vocab} {e.encode('Hello World! 안녕하세요')}" for e in theirs]


def test_without_the_bundle_the_same_program_fails(tmp_path):
    without = ENCODE_WITH_ALL.replace("use_bundled_vocabularies()\n", "\n")
    done = run_python(without, "gpt2", TIKTOKEN_CACHE_DIR=str(tmp_path))
    assert done.returncode != 0
    assert not list(tmp_path.iterdir())


def test_several_processes_may_fill_one_folder_at_once(tmp_path):
    code = "import sys; from minbpe_course import use_bundled_vocabularies as use; use(sys.argv[1])"
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], env=environment) for _ in range(3)]
    assert [process.wait(timeout=PATIENCE) for process in running] == [0, 0, 0]
    assert held(tmp_path) == wanted()


def test_an_empty_folder_is_filled_and_nothing_else(tmp_path, clean_environment):
    folder = tmp_path / "not" / "there" / "yet"
    assert vocabularies.use_bundled_vocabularies(folder) == folder.resolve()
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(folder.resolve())
    assert held(folder) == wanted()


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


def test_the_second_call_only_checks(tmp_path, clean_environment, filled, monkeypatch):
    vocabularies.use_bundled_vocabularies(filled)
    before = {path: path.stat().st_mtime_ns for path in filled.iterdir()}

    def never(*_):
        raise AssertionError("a file is made again")

    monkeypatch.setattr(cache_folder, "rebuild_file", never)
    vocabularies.use_bundled_vocabularies()
    assert before == {path: path.stat().st_mtime_ns for path in filled.iterdir()}


@pytest.mark.parametrize("variable", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"])
def test_a_folder_named_in_the_environment_is_kept(variable, tmp_path, clean_environment, monkeypatch):
    monkeypatch.setenv(variable, str(tmp_path / "mine"))
    assert vocabularies.use_bundled_vocabularies() == (tmp_path / "mine").resolve()
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(tmp_path / "mine")
    assert held(tmp_path / "mine") == wanted()


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
