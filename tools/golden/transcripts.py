"""Transcripts of ``minbpe-course``: the command, its output, its exit code, and the files that it left.

    $ minbpe-course encode story.txt -t gpt2      typed
      > 464 3797                                  a line of standard output
      ! minbpe-course encode: ...                 a line of standard error
      exit 2
      wrote ids.txt, 9 bytes, 4ac5...             a new or changed file, and the beginning of its SHA-256

Each section begins in a new folder with the same files. Commands run in this process, one after the other. The name of
the folder, and what depends on the release of Python, are replaced.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import os
import re
import shlex
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

from minbpe_course.cli.main import main
from minbpe_course.learning.judge import catalogue
from tests.shared.lesson_code import EXERCISES, SOLUTIONS

STORY = "The cat sat on the mat. The cat's hat is naïve, 日本 👋!\n\nIt is 2024,  and the  cat\tsat.\r\n<|endoftext|>\n"
TOKENIZER = '''\
class MyTokenizer:
    """Bytes, and nothing else."""

    def encode(self, text, **options):
        return list(text.encode("utf-8"))

    def decode(self, ids):
        return bytes(ids).decode("utf-8", "replace")
'''
COMMANDS: dict[str, tuple[str, ...]] = {
    "train": (
        "train story.txt --vocab-size 280 -o mine.model",
        "train story.txt -n 280 --pattern gpt2 --special '<|endoftext|>' -o tokenizer.json",
        "train texts.jsonl --field text -n 270 --tie-break smallest-pair -o mine.tiktoken",
        "train story.txt --kind sentencepiece-bpe -n 60 --set hard_vocab_limit=false -o pieces.model",
        "train - -n 260 -o piped.model < story.txt",
        "train story.txt -n 100 -o small.model",
        "train story.txt -n 280 -o mine.model",
        "train story.txt -n 280 -o mine.xyz",
        "train storry.txt -n 280 -o other.model",
        "train latin1.txt -n 280 -o other.model",
        "train story.txt -n many -o other.model",
        "train story.txt -o other.model",
    ),
    "encode and decode": (
        "encode story.txt -t gpt2",
        "encode story.txt -t gpt2 --format json --specials all",
        "encode story.txt -t gpt2 --lines --specials none -o ids.txt",
        "encode texts.jsonl --field text -t cl100k_base --end-with '<|endoftext|>' -o ids.npy",
        "encode - -t o200k_base < hello.txt",
        "encode - -t gpt2 --specials none < story.txt",
        "encode hello.txt -t gpt3",
        "encode missing.txt -t gpt2",
        "encode latin1.txt -t gpt2",
        "decode ids.txt -t gpt2",
        "decode ids.npy -t cl100k_base --lines",
        "decode - -t gpt2 < numbers.txt",
        "decode ids.txt -t gpt2 -o back.txt",
        "decode hello.txt -t gpt2",
        "decode toolarge.txt -t gpt2",
    ),
    "count": (
        "count story.txt hello.txt -t gpt2 -t cl100k_base",
        "count - --only tokens -t gpt2 < hello.txt",
        "count story.txt --format jsonl -t gpt2",
        "count story.txt --words -o words.counts",
        "train words.counts -n 270 -o mine.model",
        "count nothing/*.txt",
    ),
    "convert and inspect": (
        "convert mine.tiktoken mine.model --pattern gpt2",
        "convert mine.tiktoken tokenizer.json --pattern gpt2 --special '<|end|>=258'",
        "convert tokenizer.json mine.model",
        "convert tokenizer.json mine.model --force",
        "convert mine.tiktoken other.json",
        "convert broken.json out.model",
        "convert empty.tiktoken out.model",
        "convert gpt2 pieces.model --to sentencepiece",
        "inspect mine.model",
        "inspect cl100k_base --id 14957 --id 100257 --id 999999",
        "inspect gpt2 --find ' hello'",
        "show 'The naïve cat 👋' --encoding gpt2 --ids",
        "show 'hi<|endoftext|>' --encoding o200k_base --specials",
        "show --encoding gpt5 hi",
    ),
    "learn and practise": (
        "learn lessons --no-open",
        "learn lessons --no-open",
        "hint 02.merge",
        "hint 02.merge 9",
        "hint 02.merg",
        "progress 02",
        "progress 77",
        "check right.ipynb --only 02.rules_behind 02.test_merge",
        "check handed_out.ipynb --only 02.rules_behind",
        "check nowhere.ipynb",
        "check right.ipynb --only 02.rules_behind --json",
        "conform my_tokenizer.py --only earliest-merge-first",
        "conform my_tokenizer.py --only no-such-rule",
    ),
    "teach": (
        "new-assignment homework",
        "new-assignment homework",
        "new-exercise week1.count_triples --exercises homework",
        "check-exercises --exercises homework",
        "release --exercises homework",
        "grade class --out marks --only 02",
        "grade class --out marks --seed 'a seed that nobody guesses' --only 02.rules_behind 02.test_merge",
        "grade --out marks --set ada 02.rules_behind 1.5 --comment 'the idea is right' --by 'M. Curie'",
        "grade --out marks --set ada 02.rules_behnd 1.5",
        "grade --out marks --set adda 02.rules_behind 1.5",
        "grade --out marks --export csv",
        "grade --out marks --feedback moodle",
        "grade --out marks --drop ada",
        "grade class --out marks --seed 'a seed that nobody guesses' --only 02.rules_behind 02.test_merge",
        "grade --out marks --restore ada",
        "grade --out marks",
        "new-assignment hw1 02.rules_behind",
        "release hw1/assignment.toml",
        "grade class --out term --assignment hw1/assignment.toml --seed 'a seed that nobody guesses' --json",
        "grade nothing --out marks --seed 'a seed that nobody guesses'",
        "gradescope --seed 'a seed that nobody guesses' --only 77",
    ),
    "mistakes of users": (
        "--version",
        "trian story.txt",
        "story.txt train",
        "train --vocab 280 story.txt -o mine.model",
        "encode story.txt -t gpt2 --fromat json",
        "hint",
        "doctor --jsn",
    ),
}
# Files that depend on the machine, or are many: only their number is told.
MANY = {"lessons", "exercises", "marks", "term", "homework"}
CHANGING: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
    # argparse quotes choices in older releases, and lays out its usage in another way in newer ones.
    (re.compile(r"\(choose from [^)]*\)"), lambda found: found[0].replace("'", "")),
    (re.compile(r"usage: minbpe-course [a-z][^\0]*\Z"), lambda _: "usage: ...\n"),
    (re.compile(r"in \d+(\.\d+)? s\b"), lambda _: "in N s"),
    (re.compile(r"^sandbox: .*$", re.MULTILINE), lambda _: "sandbox: ..."),
    (re.compile(r"in \d+ seconds and the sandbox \w+"), lambda _: "in N seconds and the sandbox ..."),
    (re.compile(r'"(sandbox|seconds|rung)": [^,}]+'), lambda found: f'"{found[1]}": ...'),
]


def sections() -> list[str]:
    """Return the groups of commands."""
    return list(COMMANDS)


def lines(section: str) -> list[str]:
    """Run the commands of a group; return the transcript."""
    with _a_place_of_its_own() as folder:
        return [line for typed in COMMANDS[section] for line in _run(typed, folder)]


@contextlib.contextmanager
def _a_place_of_its_own() -> Iterator[Path]:
    """Make a folder with the files that the commands use, and go there."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="golden") as name:
        folder = Path(name).resolve() / "work"
        folder.mkdir()
        files = {
            "story.txt": STORY.encode(),
            "hello.txt": b"Hello, world!\n",
            "latin1.txt": "naïve".encode("latin-1"),
            "texts.jsonl": b'{"text": "the cat sat"}\n{"text": "on the mat"}\n',
            "numbers.txt": b"15496 11 995 0\n",
            "toolarge.txt": b"15496 999999\n",
            "mine.tiktoken": _ranks(),
            "empty.tiktoken": b"",
            "broken.json": b'{"model": {"type": "BPE", "vocab"',
            "my_tokenizer.py": TOKENIZER.encode(),
            "right.ipynb": (SOLUTIONS / "02_naive_bpe.ipynb").read_bytes(),
            "handed_out.ipynb": (EXERCISES / "02_naive_bpe.ipynb").read_bytes(),
        }
        for path, data in files.items():
            (folder / path).write_bytes(data)
        for learner, source in {"ada": "right.ipynb", "bob": "handed_out.ipynb"}.items():
            (folder / "class" / learner).mkdir(parents=True)
            shutil.copy(folder / source, folder / "class" / learner / "02_naive_bpe.ipynb")
        told = {
            "COLUMNS": "80",
            "NO_COLOR": "1",
            "MINBPE_COURSE_PROGRESS": str(folder / ".progress.json"),
            "MINBPE_COURSE_MY_TOKENIZER": str(folder / "my_tokenizer.py"),
        }
        # A folder of exercises that a command names stays known to the process.
        with mock.patch.dict(os.environ, told), mock.patch.dict(catalogue._USED, clear=True):
            os.environ.pop("MINBPE_COURSE_SEED", None)
            os.chdir(folder)
            try:
                yield folder
            finally:
                os.chdir(before)


def _ranks() -> bytes:
    """Return a small ``.tiktoken`` file: the bytes, "th", "the"."""
    tokens = [*(bytes([byte]) for byte in range(256)), b"th", b"the"]
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))


def _run(typed: str, folder: Path) -> Iterator[str]:
    words, stdin = shlex.split(typed), b""
    if "<" in words:
        words, stdin = words[: words.index("<")], (folder / words[-1]).read_bytes()
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
    before = _files(folder)
    with (
        mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        try:
            code = main(words)
        except SystemExit as left:
            code = int(left.code or 0)
    yield f"$ minbpe-course {typed}".rstrip()
    for sign, stream in ((">", out), ("!", err)):
        stream.flush()
        yield from _printed(sign, stream.buffer.getvalue(), folder)
    yield f"  exit {code}"
    yield from _written(before, _files(folder))


def _printed(sign: str, data: bytes, folder: Path) -> Iterator[str]:
    text = data.decode("utf-8", "backslashreplace").replace(str(folder), "FOLDER").replace(str(folder.parent), "FOLDER")
    for pattern, replacement in CHANGING:
        text = pattern.sub(replacement, text)
    text = text.removesuffix("\n")
    for line in text.split("\n") if text else []:
        yield f"  {sign} {line}".rstrip(" ").replace("\r", "\\r")


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def _written(before: dict[str, bytes], after: dict[str, bytes]) -> Iterator[str]:
    new = [name for name, data in after.items() if before.get(name) != data]
    for name in new:
        if name.split("/")[0] not in MANY and not name.startswith("."):
            yield f"  wrote {name}, {len(after[name])} bytes, {hashlib.sha256(after[name]).hexdigest()[:16]}"
    for many in sorted({name.split("/")[0] for name in new} & MANY):
        inside = [name for name in new if name.split("/")[0] == many]
        yield f"  wrote {many}, {len(inside)} files"
    yield from (f"  removed {name}" for name in before if name not in after)
