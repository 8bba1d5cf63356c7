"""``.tiktoken`` files: the published ones byte for byte, damaged ones refused by line, and ids that are tiktoken's."""

from __future__ import annotations

import base64
import hashlib
import json
import random
from pathlib import Path

import pytest
import tiktoken
from tiktoken.load import load_tiktoken_bpe

from minbpe_course import vocabularies
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.same_ids import as_vocabulary
from minbpe_course.errors import FolderGiven, MinbpeCourseError, MissingFile, UnreadableModel, UnsupportedModel
from minbpe_course.formats import tiktoken_ranks
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.text.patterns import CL100K_PATTERN
from minbpe_course.tokenizers.loading import difference
from minbpe_course.vocabularies import tiktoken_file
from tests.shared.random_vocabularies import some_vocabulary, some_words
from tests.shared.small_models import trained

pytestmark = pytest.mark.medium

PINNED = "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"  # of p50k_base


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """tiktoken's cache would not notice a changed file."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")


def test_a_published_file_comes_back_byte_for_byte(tmp_path: Path) -> None:
    name = "p50k_base"
    model = vocabularies.load(name)
    path = tiktoken_ranks.write(model, tmp_path / "one.tiktoken")
    data = path.read_bytes()
    assert hashlib.sha256(data).hexdigest() == PINNED == tiktoken_ranks.digest(data)
    assert data == tiktoken_file(name)
    assert tiktoken_ranks.read(path) == model
    # Without the second file.
    (tmp_path / "one.tiktoken.json").unlink()
    bare = model.replace(pattern=None, special_tokens={})
    assert tiktoken_ranks.read(path) == bare
    assert tiktoken_ranks.read(path, model.pattern, model.special_tokens) == model
    assert load_tiktoken_bpe(str(path)) == vocabularies.mergeable_ranks(name)


def test_the_shapes_of_a_file_that_tiktoken_takes(tmp_path: Path) -> None:
    model = trained(5)
    canonical = tiktoken_ranks.write(model, tmp_path / "first.tiktoken").read_bytes()
    lines = canonical.splitlines()
    shuffled = random.Random(1).sample(lines, len(lines))
    path = tmp_path / "one.tiktoken"
    for name, data in {
        "windows": b"\r\n".join(lines) + b"\r\n",
        "any order": b"\n".join(shuffled),
        "blanks": b"\n".join(b"\t" + line.replace(b" ", b" \t ") + b" " for line in lines),
        "a line twice": b"\n".join([*lines, lines[300]]),
        "zeros in front": b"\n".join(line.replace(b" ", b" 00") for line in lines),
        "mark of UTF-8": b"\xef\xbb\xbf" + b"\n".join(lines),
    }.items():
        path.write_bytes(data)
        assert tiktoken_ranks.read(path) == model, name
        assert tiktoken_ranks.parse(data) == load_tiktoken_bpe(str(path)), name
        assert tiktoken_ranks.digest(data) == hashlib.sha256(canonical).hexdigest(), name


GOOD = [base64.b64encode(bytes([byte])) + b" %d" % byte for byte in range(256)]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([*GOOD[:9], b"x"], "line 10: b'x' has 1 parts and not two"),
        ([*GOOD[:9], b"YWI= 256 #"], "line 10: b'YWI= 256 #' has 3 parts"),
        ([b"", *GOOD, b"YWI 256"], "line 258: b'YWI' is not base64"),
        ([*GOOD, b"Y#WI= 256"], "line 257: b'Y#WI=' is not base64"),
        ([*GOOD, b"YWI= -1"], "line 257: b'-1' is not a whole number below 2\\*\\*32"),
        ([*GOOD, b"YWI= 4294967296"], "line 257: b'4294967296' is not a whole"),
        ([*GOOD, b"YWI= 256.0"], "line 257: b'256.0' is not a whole"),
        ([*GOOD, b"YWI= 7"], "line 257: the id 7 is that of b'ab' here"),
        ([*GOOD, b"YWI= 256", b"YWI= 257"], r"line 258: the token b'ab' has the id 257 here and 256 before"),
        (GOOD[1:], "no token is the single byte 0x00"),
    ],
)
def test_damage_is_named_with_its_line(lines: list[bytes], message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.tiktoken"
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(UnreadableModel, match=message) as refused:
        tiktoken_ranks.read(path)
    assert str(refused.value).startswith("mine.tiktoken")
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("kind", ["ranks", "merges"])
def test_what_can_be_written_has_tiktoken_s_ids(kind: str, tmp_path: Path) -> None:
    """tiktoken gives our ids from every file that is written."""
    answers = {True: 0, False: 0}
    for seed in range(50):
        chance = random.Random(seed)
        model = some_vocabulary(chance, kind).replace(pattern=r"\S+|\s+")
        reason = tiktoken_ranks.why_not(model)
        answers[reason is None] += 1
        engine = BytePairEngine.from_vocabulary(model)
        texts = [" ".join(some_words(chance, model, 8)) for _ in range(4)]
        if reason is not None:
            with pytest.raises(UnsupportedModel):
                tiktoken_ranks.write(model, tmp_path / "no.tiktoken")
            assert not (tmp_path / "no.tiktoken").exists()
            continue
        path = tiktoken_ranks.write(model, tmp_path / "a.tiktoken")
        encoding = tiktoken.Encoding(
            "x", pat_str=r"\S+|\s+", mergeable_ranks=load_tiktoken_bpe(str(path)), special_tokens={}
        )
        back = as_vocabulary(tiktoken_ranks.read(path))
        ours = BytePairEngine.from_vocabulary(back)
        for text in texts:
            assert engine.encode(text).tolist() == encoding.encode_ordinary(text) == ours.encode(text).tolist(), seed
        before = path.read_bytes(), path.with_name("a.tiktoken.json").read_bytes()
        tiktoken_ranks.write(tiktoken_ranks.read(path), path)
        assert before == (path.read_bytes(), path.with_name("a.tiktoken.json").read_bytes())
    assert min(answers.values()) > 5


BYTES = {byte: bytes([byte]) for byte in range(256)}
ABC = VocabularyModel({**BYTES, 256: b"ab", 257: b"bc", 258: b"abc"}, pattern=CL100K_PATTERN)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (ABC.replace(normalization="NFC"), "does not normalize text to NFC"),
        (ABC.replace(special_tokens={"\ud83d\udc4b": 300}), "halves of a surrogate pair"),
        (BytePairModel([(97, 98), (98, 99), (97, 257)]), "the merges of this model do not"),
        (VocabularyModel({**BYTES, 256: b"abc"}, whole_words=False), "a word that is a token stays whole there"),
        (ABC.replace(merges=[(98, 99, 257), (97, 98, 256), (97, 257, 258)]), "the merges of this model do not"),
        (BytePairModel([(97, 97), (97, 97)]), "256 and 257 both stand for b'aa'"),
        (BytePairModel(special_tokens={"x": 2**32}), "0 to 2\\*\\*32 - 1"),
    ],
)
def test_models_that_do_not_fit_are_refused_with_the_reason(
    model: BytePairModel | VocabularyModel, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(UnsupportedModel, match=reason):
        tiktoken_ranks.write(model, tmp_path / "a.tiktoken")
    assert list(tmp_path.iterdir()) == []


def test_all_that_a_record_says_comes_back(tmp_path: Path) -> None:
    special_tokens = {"<|x|>": 300, "<|y|>": 300, "ab": 256, ' \n"é\u2028': 2**32 - 1, "\udcff": 299}
    full = ABC.replace(special_tokens=special_tokens, pattern_engine="regex")
    for model in (full, full.replace(pattern=None), ABC):
        path = tiktoken_ranks.write(model, tmp_path / "a.tiktoken")
        assert difference(tiktoken_ranks.read(path), model) is None
    # Merges in the order of ids mean the same as ranks.
    merges = ABC.replace(merges=[(97, 98, 256), (98, 99, 257), (256, 99, 258), (97, 257, 258)])
    path = tiktoken_ranks.write(merges, tmp_path / "a.tiktoken")
    assert difference(tiktoken_ranks.read(path), merges) is None
    assert difference(merges, ABC) is None
    assert difference(merges, ABC.replace(special_tokens={"<|x|>": 300})) == "special tokens"


def test_arguments_overrule_the_second_file(tmp_path: Path) -> None:
    model = ABC.replace(special_tokens={"<|x|>": 300}, pattern_engine="regex")
    path = tiktoken_ranks.write(model, tmp_path / "a.tiktoken")
    # Version 0.1 wrote plain tokens, too.
    second = tmp_path / "a.tiktoken.json"
    said = json.loads(second.read_text(encoding="utf-8")) | {"plain_tokens": ["<|x|>"]}
    second.write_text(json.dumps(said), encoding="utf-8")
    model = model.replace(plain_tokens={"<|x|>"})
    assert tiktoken_ranks.read(path) == model
    assert tiktoken_ranks.read(path, pattern="a|b") == model.replace(pattern="a|b", pattern_engine="tiktoken")
    other = tiktoken_ranks.read(path, special_tokens={"<|y|>": 301})
    assert other == model.replace(special_tokens={"<|y|>": 301}, plain_tokens=())
    assert as_vocabulary(tiktoken_ranks.read(path, None, {})).pattern is None
    # With both arguments the second file is not read, even if it is damaged.
    (tmp_path / "a.tiktoken.json").write_text("{", encoding="utf-8")
    assert tiktoken_ranks.read(path, "a|b", {}).pattern == "a|b"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda said: "{", "not JSON: "),
        (lambda said: "[" * 200_000, "nested too deeply"),
        (lambda said: json.dumps(said).replace("{", '{"pattern": "x", ', 1), 'the key "pattern" is there twice'),
        (lambda said: json.dumps({**said, "ranks_sha256": "0" * 64}), "it belongs to other ranks"),
        (lambda said: json.dumps({**said, "pattern": 7}), "$.pattern: expected a string or null, found 7"),
        (lambda said: json.dumps({**said, "special_tokens": {"x": -1}}), "$.special_tokens.x: expected an id"),
        (lambda said: json.dumps({**said, "colour": 1}), "the key 'colour' is not part of it"),
        (lambda said: json.dumps({"pattern": None}), "$.ranks_sha256: expected a string"),
    ],
)
def test_a_second_file_that_is_damaged(change, message: str, tmp_path: Path) -> None:
    path = tiktoken_ranks.write(ABC, tmp_path / "a.tiktoken")
    beside = tmp_path / "a.tiktoken.json"
    beside.write_text(change(json.loads(beside.read_text(encoding="utf-8"))), encoding="utf-8")
    with pytest.raises(UnreadableModel) as refused:
        tiktoken_ranks.read(path)
    assert message in str(refused.value)


def test_paths_that_are_not_files(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        tiktoken_ranks.read(tmp_path / "none.tiktoken")
    with pytest.raises(FolderGiven):
        tiktoken_ranks.read(tmp_path)
    with pytest.raises(FolderGiven):
        tiktoken_ranks.write(ABC, tmp_path)
    with pytest.raises(MinbpeCourseError, match="folder"):
        tiktoken_ranks.write(ABC, tmp_path / "nowhere" / "a.tiktoken")
