"""The wheel carries the whole course, also when built from an sdist, and runs with only the packages it requires."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from minbpe_course.cli.main import VERBS
from tests.shared.page_blocks import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest installs it where the standard library lacks it

pytestmark = pytest.mark.slow

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DATA = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "minbpe_course").rglob("*")
    if path.is_file() and "data" in path.relative_to(ROOT).parts
)
LESSONS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").glob("*.ipynb"))
EXERCISES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "exercises").rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist, then the wheel from the sdist and from nothing else, with no network."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> zipfile.ZipFile:
    (path,) = built.glob("minbpe_course-*-py3-none-any.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_carries_the_package_its_data_and_every_lesson(wheel: zipfile.ZipFile) -> None:
    written = [path for path in (ROOT / "minbpe_course").rglob("*") if path.suffix in (".py", ".js", ".css", ".html")]
    assert {path.suffix for path in written} == {".py", ".js", ".css", ".html"}
    assert DATA
    assert LESSONS
    places = {name: name for name in [*(path.relative_to(ROOT).as_posix() for path in written), *DATA]}
    places |= {f"minbpe_course/_lessons/{name}": name for name in [*LESSONS, *EXERCISES]}
    for place, name in places.items():
        assert wheel.read(place) == (ROOT / name).read_bytes(), name
    assert "minbpe_course/py.typed" in wheel.namelist()


def test_any_jupyterlab_of_the_environment_finds_our_extension(wheel: zipfile.ZipFile) -> None:
    folder = ROOT / "minbpe_course" / "cli" / "jupyter"
    paths = [path for path in (folder / "labextensions").rglob("*") if path.is_file()]
    assert {path.suffix for path in paths} == {".css", ".js", ".json"}
    for path in paths:
        ending = f".data/data/share/jupyter/{path.relative_to(folder).as_posix()}"
        (name,) = [name for name in wheel.namelist() if name.endswith(ending)]
        assert wheel.read(name) == path.read_bytes()


def test_the_wheel_carries_nothing_else(wheel: zipfile.ZipFile) -> None:
    assert {name.partition("/")[0].split("-")[0] for name in wheel.namelist()} == {"minbpe_course"}
    rubbish = ("__pycache__", ".pyc", ".nbi", ".nbc", ".ipynb_checkpoints", "/tests/", ".part")
    assert not [name for name in wheel.namelist() if any(part in name for part in rubbish)]


def test_the_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    information = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = wheel.read(information).decode("utf-8")
    assert "Name: minbpe-course" in metadata
    assert "License-Expression: MIT" in metadata
    assert "Requires-Python: >=3.10" in metadata
    assert (ROOT / "README.md").read_text(encoding="utf-8") in metadata.replace("\r\n", "\n")
    entry_points = wheel.read(information.replace("METADATA", "entry_points.txt")).decode("utf-8")
    assert "minbpe-course = minbpe_course.cli.main:main" in entry_points
    for name in PROJECT["license-files"]:
        assert wheel.read(information.replace("METADATA", f"licenses/{name}")) == (ROOT / name).read_bytes()
    assert {"LICENSE", "NOTICE"} < set(PROJECT["license-files"])


def test_the_sdist_can_run_the_tests(built: Path) -> None:
    (path,) = built.glob("minbpe_course-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "NOTICE",
        "Makefile",
        "environment.yml",
        "tests/project/test_wheel.py",
        "tools/notebooks.py",
        *LESSONS,
    } <= names


# ---- A bare installation: the wheel, what it requires, and nothing else


def required(name: str) -> dict[str, importlib.metadata.Distribution]:
    """Return what a distribution needs, all the way down, without extras; and itself."""
    found: dict[str, importlib.metadata.Distribution] = {}
    waiting = [name]
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in found:
            found[name] = importlib.metadata.distribution(name)
            wanted = map(Requirement, PROJECT["dependencies"] if len(found) == 1 else found[name].requires or ())
            waiting += [each.name for each in wanted if each.marker is None or each.marker.evaluate({"extra": ""})]
    return found


@pytest.fixture(scope="module")
def bare(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of a bare environment.

    The packages that the wheel requires are links into this environment, so nothing is downloaded. The kernels compiled
    here are copied.
    """
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder / "env")
    (python,) = folder.glob("env/Scripts/python.exe" if sys.platform == "win32" else "env/bin/python")
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
    (wheel,) = built.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(site)]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    for name, package in required(PROJECT["name"]).items():
        if name != PROJECT["name"]:
            for top in {Path(file).parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
                link(Path(str(package.locate_file(top))), site / top)
    kernels = Path("__pycache__", "minbpe_course")
    (site / kernels).mkdir(parents=True)
    for kernel in (ROOT / kernels).glob("*.nb?"):
        shutil.copy(kernel, site / kernels)
    return python


def link(path: Path, new: Path) -> None:
    try:
        new.symlink_to(path, target_is_directory=path.is_dir())
    except OSError:  # on Windows links need a privilege
        shutil.copytree(path, new) if path.is_dir() else shutil.copy(path, new)


def run(python: Path, *arguments: str, folder: Path | None = None, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a Python that sees nothing of this checkout and of this environment."""
    command = [str(python), "-I", *arguments]
    done = subprocess.run(command, cwd=folder, input=given, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


# Command lines, and what they say on stderr where they cannot do without an extra.
COMMANDS: dict[str, str] = {
    "learn lessons --no-open": "",
    "learn other": "not installed: LESSONS\nInstall them (about 450 MB, a few minutes): pip install COURSE",
    "train text.txt -n 290 -o bytes.model": "",
    "train text.txt -n 80 --kind sentencepiece-bpe -o pieces.model": "",
    "train text.txt -n 80 --kind sentencepiece-unigram -o unigram.model": "(or: pip install sentencepiece)",
    "encode text.txt -t bytes.model -o ids.json --format json": "",
    "decode ids.json -t bytes.model -o again.txt": "",
    "encode text.txt -t pieces.model --shards shards": "",
    "encode text.txt --shards tables --shard-format parquet": 'pip install "minbpe-course[parquet]"',
    "count text.txt -t gpt2 -t pieces.model": "",
    "count text.txt -o words.counts": "",
    "count text.txt -o cluster.counts --dask local": 'pip install "minbpe-course[cluster]"',
    "count words.counts": "",
    "convert gpt2 tokenizer.json": "",
    "convert tokenizer.json new.tiktoken": "",
    "inspect new.tiktoken": "",
    "inspect pieces.model": "",
    "show hello --encoding cl100k_base --model pieces.model": "",
    "playground --out page.html --model bytes.model": "",
    "doctor": "",
    "warm-up": "",
    "completion bash": "(or: pip install shtab)",
    "check answers.ipynb": "",
    "hint 02.merge": "",
    "progress": "",
    "conform --rules": "",
    "leaderboard --baselines": "",
    "leaderboard --baselines --texts text.txt --parallel text.txt again.txt": "",
    "grade class --out marks --seed-file seed.txt --only 02.merge --allow-unsandboxed": "",
    "gradescope --seed-file seed.txt --only 02 --out autograder.zip": "",
    "new-assignment homework": "",
    "new-exercise week1.twice --exercises homework": "",
    "check-exercises --exercises homework": "",
    "release --exercises homework": "",
}
RUN_COMMANDS = """
import io, json, sys
from minbpe_course.cli.main import main
results, streams = [], (sys.stdin, sys.stdout, sys.stderr)
for line in json.load(sys.stdin):
    sys.stdin, sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in streams)
    try:
        code = main(line.split())
    except SystemExit as end:
        code = end.code
    results.append([code, sys.stderr.buffer.getvalue().decode()])
sys.stdin, sys.stdout, sys.stderr = streams
json.dump(results, sys.stdout)
"""


def test_every_verb_runs_or_names_the_extra(bare: Path, tmp_path: Path) -> None:
    assert {line.split()[0] for line in COMMANDS} == set(VERBS)
    text = "the cat sat on the mat, and the dog ate the cat's hat; naïve café 東京\n" * 20
    (tmp_path / "text.txt").write_text(text, encoding="utf-8", newline="\n")
    (tmp_path / "seed.txt").write_text("a seed of this test", encoding="utf-8")
    for name in ("answers.ipynb", "class/ada/02_naive_bpe.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "solutions" / "02_naive_bpe.ipynb", tmp_path / name)
    lessons = sorted(Requirement(line).name for line in PROJECT["optional-dependencies"]["course"])
    lessons = ", ".join(sorted({"dask", *lessons} - {PROJECT["name"]}))
    done = run(bare, "-c", RUN_COMMANDS, folder=tmp_path, given=json.dumps(list(COMMANDS)))
    wrong = []
    for (line, says), (code, told) in zip(COMMANDS.items(), json.loads(done.stdout)):
        says = says.replace("LESSONS", lessons).replace("COURSE", '"minbpe-course[course]"')
        if code != (2 if says else 0) or says not in told:
            wrong.append((line, code, told))
    assert wrong == []
    assert (tmp_path / "again.txt").read_bytes() == (tmp_path / "text.txt").read_bytes()
    assert not (tmp_path / "other").exists()


DROP_INS = """
import importlib, io, pkgutil, sys
from minbpe_course import compat
found = {module.name for module in pkgutil.walk_packages(compat.__path__, "minbpe_course.compat.")}
assert found >= {"minbpe_course.compat." + name for name in ("cs336", "minbpe", "rustbpe", "sentencepiece", "tiktoken")}
for name in found:
    # Message objects are protobuf's.
    if not name.endswith("_pb2"):
        importlib.import_module(name)

import minbpe_course as tiktoken
for name in tiktoken.list_encoding_names():
    encoding = tiktoken.get_encoding(name)
    assert encoding.decode(encoding.encode("hello world")) == "hello world"
assert tiktoken.encoding_for_model("gpt-4o").name == "o200k_base"

from minbpe_course import GPT4Tokenizer, RegexTokenizer, Tokenizer, get_tokenizer, run_train_bpe
made, rust = RegexTokenizer(), Tokenizer()
made.train("hello hello hello", 258)
rust.train_from_iterator(["hello hello hello"], 258)
assert made.decode(made.encode("hello")) == rust.decode(rust.encode("hello")) == "hello"
assert GPT4Tokenizer().encode("hello world") == [15339, 1917]
vocabulary, merges = run_train_bpe("text.txt", 258, ["<|end|>"])
assert vocabulary[get_tokenizer(vocabulary, merges, ["<|end|>"]).encode("<|end|>")[0]] == b"<|end|>"

from minbpe_course.compat import sentencepiece
file, text = io.BytesIO(), ["the cat sat on the mat"] * 5
train = sentencepiece.SentencePieceTrainer.train
train(sentence_iterator=iter(text), vocab_size=25, model_writer=file, model_type="bpe")
try:
    train(sentence_iterator=iter(text), vocab_size=25, model_writer=file)
except ImportError as problem:
    print(problem)
assert sentencepiece.SentencePieceNormalizer(rule_name="nfkc_cf", add_dummy_prefix=False).normalize("ﬁX") == "fix"
pieces = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
assert pieces.decode(pieces.encode("the cat")) == "the cat"
assert pieces.encode("the cat", return_type="serialized_proto")
try:
    pieces.encode("the cat", return_type="proto")
except ImportError as problem:
    print(problem)
assert not {"babel", "dask", "google", "matplotlib", "pyarrow", "sentencepiece", "shtab", "tiktoken"} & {*sys.modules}
"""


def test_the_drop_ins_need_no_extra(bare: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the cat sat on the mat <|end|>", encoding="utf-8")
    told = run(bare, "-c", DROP_INS, folder=tmp_path).stdout
    assert told.startswith("training a unigram model needs sentencepiece, which is not installed:\n")
    assert "a message object needs sentencepiece and protobuf, which are not installed:\n" in told
