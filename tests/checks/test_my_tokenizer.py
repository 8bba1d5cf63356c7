"""The answers to lessons 01 to 05, collected into one module, are a tokenizer that agrees with the originals."""

from __future__ import annotations

import ast
import importlib.util
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import tiktoken

from minbpe_course import RegexTokenizer, use_bundled_vocabularies
from minbpe_course.cli.main import main
from minbpe_course.corpus.texts import course_text
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN
from tests.shared.cases import hostile_texts
from tests.shared.lesson_code import SOLUTIONS

LESSONS = ("01", "02", "03", "04", "05")
EOT = "<|endoftext|>"
OVERLAPPING = {EOT: 50256, f"{EOT}\n": 50257, "<|end": 50258, "🛑": 50259, "a|b": 50260, " \n": 50261}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The module that ``minbpe-course collect`` writes from the answers of lessons 01 to 05."""
    written = tmp_path_factory.mktemp("collected") / "my_tokenizer.py"
    notebooks = [str(path) for lesson in LESSONS for path in SOLUTIONS.glob(f"{lesson}_*.ipynb")]
    assert main(["collect", *notebooks, "--out", str(written)]) == 0, "an answer is missing"
    return written


@pytest.fixture(scope="module")
def mine(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("my_tokenizer", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def gpt2() -> tiktoken.Encoding:
    use_bundled_vocabularies()
    return tiktoken.get_encoding("gpt2")


@pytest.fixture(scope="module")
def rebuilt(mine: ModuleType, gpt2: tiktoken.Encoding) -> Any:
    """GPT-2's tokenizer out of GPT-2's ranks, by nothing but the answers."""
    ranks = list(gpt2._mergeable_ranks.items())
    random.Random(4).shuffle(ranks)  # the order of the dict says nothing
    return mine.MyTokenizer.from_ranks(dict(ranks), GPT2_SPLIT_PATTERN, gpt2._special_tokens)


def jumbles(names: list[str], number: int, seed: int) -> list[str]:
    """Special tokens, halves of them and ordinary text, thrown together."""
    dice = random.Random(seed)
    pieces = [*names, *(name[: len(name) // 2 + 1] for name in names), "\n", " ", "don't", "é", "|>", "\u0301", "世"]
    return ["".join(dice.choices(pieces, k=dice.randint(0, 9))) for _ in range(number)]


def test_the_module_imports_only_the_standard_library(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(str(node.module).partition(".")[0])
    assert imported & {"minbpe_course", "tiktoken", "sentencepiece", "tokenizers", "numpy"} == set()


def test_the_text_of_the_course_has_the_ids_of_gpt2(rebuilt: Any, gpt2: tiktoken.Encoding) -> None:
    ids = rebuilt.encode(course_text())
    assert ids == gpt2.encode(course_text())
    assert rebuilt.decode(ids) == course_text()


def test_hostile_texts_have_the_ids_of_gpt2(rebuilt: Any, gpt2: tiktoken.Encoding) -> None:
    for text in ["", "\ud800", "\udfff\ud800x", "😀\ud83d", *hostile_texts(5, 400, surrogates=True)]:
        ids = rebuilt.encode(text, "none")
        assert ids == gpt2.encode_ordinary(text), repr(text)
        assert rebuilt.decode(ids) == gpt2.decode(ids), repr(text)


def test_ids_in_any_order_are_decoded_like_gpt2_does(rebuilt: Any, gpt2: tiktoken.Encoding) -> None:
    dice = random.Random(6)
    for _ in range(400):
        ids = [dice.choice([dice.randrange(256), dice.randrange(50257)]) for _ in range(dice.randint(0, 12))]
        assert rebuilt.decode(ids) == gpt2.decode(ids), ids


@pytest.mark.parametrize(
    ("asked", "allowed"), [("all", "all"), ("none", set()), ({EOT}, {EOT}), ({"<|pad|>"}, set())], ids=str
)
def test_special_tokens_count_when_they_are_asked_for(
    rebuilt: Any, gpt2: tiktoken.Encoding, asked: Any, allowed: Any
) -> None:
    for text in jumbles([EOT], 300, seed=7):
        wanted = gpt2.encode(text, allowed_special=allowed, disallowed_special=())
        assert rebuilt.encode(text, asked) == wanted, repr(text)


def test_a_special_token_that_is_not_allowed_raises(rebuilt: Any, gpt2: tiktoken.Encoding) -> None:
    for text in jumbles([EOT], 300, seed=8):
        if EOT in text:
            with pytest.raises(ValueError, match="endoftext"):
                rebuilt.encode(text)
        else:
            assert rebuilt.encode(text) == gpt2.encode(text), repr(text)


def test_overlapping_special_tokens_are_those_of_the_package(
    mine: ModuleType, rebuilt: Any, gpt2: tiktoken.Encoding
) -> None:
    from minbpe_course import Encoding

    tokenizer = mine.MyTokenizer(rebuilt.byte_ids, rebuilt.merges, GPT2_SPLIT_PATTERN, OVERLAPPING)
    witness = Encoding(
        "overlapping", pat_str=gpt2._pat_str, mergeable_ranks=gpt2._mergeable_ranks, special_tokens=OVERLAPPING
    )
    for text in jumbles(list(OVERLAPPING), 300, seed=9):
        ids = tokenizer.encode(text, "all")
        assert ids == witness.encode(text, allowed_special="all"), repr(text)
        assert tokenizer.decode(ids) == text


def test_it_learns_what_minbpe_learns(mine: ModuleType) -> None:
    text = course_text()[:12_000]
    learner = mine.MyTokenizer.train(text, 340, GPT4_SPLIT_PATTERN)
    witness = RegexTokenizer(GPT4_SPLIT_PATTERN).train(text, 340)
    assert learner.merges == witness.merges
    for sample in hostile_texts(10, 100):
        assert learner.encode(sample) == witness.encode(sample), repr(sample)
        assert learner.decode(learner.encode(sample)) == sample


def test_special_tokens_are_not_learned(mine: ModuleType) -> None:
    text = "low<|end|>lower<|end|>newest<|end|>" * 9
    learner = mine.MyTokenizer.train(text, 262, GPT4_SPLIT_PATTERN, {"<|end|>": 300})
    assert not any(
        b"<" in token or b"|" in token for number, token in learner.token_bytes.items() if 256 <= number < 300
    )
    ids = learner.encode(text, "all")
    assert ids.count(300) == 27
    assert learner.decode(ids) == text
