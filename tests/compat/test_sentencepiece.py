"""The module sentencepiece: the same calls on both modules give the same results, or errors of the same kind."""

from __future__ import annotations

import copy
import io
import itertools
import pickle
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece

from minbpe_course.compat import sentencepiece as spm
from minbpe_course.engines.sentencepiece import unigram
from minbpe_course.errors import MinbpeCourseError
from minbpe_course.formats.sentencepiece_proto import to_bytes
from minbpe_course.model import PieceModel
from tests.shared.piece_cases import AWKWARD, course_lines, mistral_files
from tests.tokenizers.piece_differences import plain

pytestmark = pytest.mark.medium

Call = Callable[[Any], Any]
LINES = [line for line in course_lines() if line.isascii()][:300]
QUIET: dict[str, Any] = {"minloglevel": 3}


def outcome(call: Call, module: Any) -> Any:
    try:
        return call(module)
    except Exception as error:
        return error


def same(call: Call, label: Any = "") -> None:
    theirs, ours = outcome(call, sentencepiece), outcome(call, spm)
    if not isinstance(theirs, Exception):
        assert not isinstance(ours, Exception), (label, ours)
        assert (type(ours), ours) == (type(theirs), theirs), label
        return
    assert isinstance(ours, type(theirs)), (label, theirs, ours)
    if type(ours) is not type(theirs):
        assert isinstance(ours, MinbpeCourseError), label
        assert len(str(ours)) > 20, label


@cache
def model(kind: str) -> bytes:
    if kind == "v1":
        return mistral_files()[kind].read_bytes()
    return trained(sentencepiece, model_type=kind, vocab_size=400)


def trained(module: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    given = module.SentencePieceTrainer.train(sentence_iterator=iter(LINES), model_writer=file, **QUIET | options)
    assert given is None
    return file.getvalue()


# ---- Global functions


@pytest.mark.parametrize(
    "name",
    ["SetRandomGeneratorSeed", "set_min_log_level", "SetNBestTimeout", "set_data_dir"],
)
def test_global_functions(name: str) -> None:
    try:
        for value in (0, 1, True, -1, 2**31, 2**32, 1.5, None, "2", []):
            if not ("dir" in name.lower() and isinstance(value, str)):
                same(lambda module, value=value: getattr(module, name)(value), (name, value))
    finally:
        for module in (sentencepiece, spm):
            module.SetNBestTimeout(30_000)
            module.SetMinLogLevel(3)


def test_thread_pools() -> None:
    for number in (1, 8, 0, -1, 2000, True, "2", 1.5, None):
        same(lambda module, number=number: module.ThreadPool(number).num_threads(), number)
    pool = spm.ThreadPool(2)
    processor = spm.SentencePieceProcessor(model_proto=model("bpe"))
    assert processor.encode(LINES, thread_pool=pool) == processor.encode(LINES)


def test_one_seed_for_all_processors_but_those_with_their_own() -> None:
    def draw(processor: Any) -> list[Any]:
        return [processor.encode("that is the question", enable_sampling=True, alpha=0.3) for _ in range(9)]

    one, other = (spm.SentencePieceProcessor(model_proto=model("unigram")) for _ in range(2))
    spm.SetRandomGeneratorSeed(5)
    first = draw(one)
    second = draw(other)
    spm.set_random_generator_seed(5)
    assert [draw(other), draw(copy.copy(one))] == [first, second]
    mine = spm.SentencePieceProcessor(model_proto=model("unigram"), seed=5)
    spm.SetRandomGeneratorSeed(6)
    assert draw(mine) == first


def test_the_time_limit_of_the_n_best(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = ("<unk>", "▁", "a", "b", "ab")
    record = PieceModel(pieces, (0.0, -1.0, -5.0, -5.0, -1.0), (2, 1, 1, 1, 1), model_type="unigram")
    ours, theirs = (module.SentencePieceProcessor(model_proto=to_bytes(record)) for module in (spm, sentencepiece))
    text = "ab" * 20_000
    wanted = theirs.nbest_encode(text, nbest_size=4)
    assert len(wanted) == 4
    # Every look at the clock is 10 ms after the one before.
    monkeypatch.setattr(unigram.time, "monotonic", itertools.count(0, 0.01).__next__)
    try:
        for limit, found in ((0, wanted), (1, wanted[:1]), (-5, wanted), (25, wanted[:1]), (10**6, wanted)):
            spm.SetNBestTimeout(limit)
            assert ours.nbest_encode(text, nbest_size=4) == found
            # A short search ends before the first look at the clock.
            assert len(ours.nbest_encode("ababab", nbest_size=4)) == 4
        spm.SetNBestTimeout(1)
        assert ours.encode(text, enable_sampling=True, nbest_size=4) == wanted[0]
    finally:
        spm.SetNBestTimeout(30_000)


# ---- Processors


@pytest.mark.parametrize("kind", ["unigram", "bpe", "char", "word", "v1"])
def test_every_method_without_options(kind: str) -> None:
    ours = spm.SentencePieceProcessor(model_proto=model(kind))
    theirs = sentencepiece.SentencePieceProcessor(model_proto=model(kind))
    text = "".join(random.Random(kind).choices(AWKWARD, k=30))
    inputs: list[Any] = ["", "to be or not to be", b"to be", ["to be", "or"], [], 5, None, text, "<s>", ("a",), "\0"]
    inputs += [-1, [7, 3], [[7], [3, 4]], ["to"], [["to"], ["be"]], 10**6, 1.0, True, (1, 2), [1, -1], [1.5], range(3)]
    inputs += [{1}, np.array([1, 2]), np.int64(3), "\ud800", b"\xff", ["a", b"a"], [1], {"a"}, [["a"]]]
    for name in dir(theirs):
        # Loading is tested below; samples are random.
        if name.startswith("_") or name.lower().startswith(("sample", "load", "from")):
            continue
        more = {"nbest_size": 3} if name.lower().startswith("nbest") else {}
        more |= {"chunk_len": 1000} if name.lower().startswith("parallel") else {}
        for given in inputs:
            wanted, found = (
                outcome(lambda each, name=name, given=given, more=more: plain(getattr(each, name)(given, **more)), each)
                for each in (theirs, ours)
            )
            if isinstance(wanted, Exception):
                assert isinstance(found, type(wanted)), (name, given, wanted, found)
                assert isinstance(found, (MinbpeCourseError, TypeError)), (name, given, found)
            else:
                assert found == wanted, (name, given)
        wanted, found = (outcome(lambda each, name=name: plain(getattr(each, name)()), each) for each in (theirs, ours))
        assert (found == wanted) or isinstance(found, type(wanted)), name


def test_pickles_of_sentencepiece_too(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = sentencepiece.SentencePieceProcessor(model_proto=model("bpe"), add_bos=True, out_type=str, reverse=True)
    ours = spm.SentencePieceProcessor(model_proto=model("bpe"), add_bos=True, out_type=str, reverse=True)
    wanted = theirs.encode("to be")
    for each in (pickle.loads(pickle.dumps(ours)), copy.copy(ours), copy.deepcopy(ours)):
        assert type(each) is spm.SentencePieceProcessor
        assert each.encode("to be") == wanted
    theirs.note = "mine"
    data = pickle.dumps(theirs)
    monkeypatch.setitem(__import__("sys").modules, "sentencepiece", spm)
    again = pickle.loads(data)
    assert type(again) is spm.SentencePieceProcessor
    assert (again.encode("to be"), again.note) == (wanted, "mine")


# ---- Training


def test_training_gives_the_same_file() -> None:
    # With more threads, unigram training adds its numbers up in another order each time.
    options: dict[str, Any] = {"vocab_size": 300, "hard_vocab_limit": False, "num_threads": 1}
    assert trained(spm, **options) == trained(sentencepiece, **options)


def test_training_from_one_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("\n".join(LINES), encoding="utf-8")
    files = {}
    for module in (sentencepiece, spm):
        for name in ("train", "Train"):
            for kind in ("bpe", "unigram"):
                said = f"--input=text --model_prefix=m --vocab_size=400 --model_type={kind} --num_threads=1"
                train = getattr(module.SentencePieceTrainer, name)
                assert train(said + " --byte_fallback --minloglevel=3 --vocab_size=200") is True
                files[module, name, kind] = Path("m.model").read_bytes(), Path("m.vocab").read_bytes()
                Path("m.model").unlink()
    for (_, name, kind), found in files.items():
        assert found == files[sentencepiece, name, kind]
    assert len(spm.SentencePieceProcessor(model_proto=files[spm, "train", "bpe"][0])) == 400


def test_errors_of_the_iterator_are_passed_on() -> None:
    def sentences() -> Any:
        yield "a"
        raise ZeroDivisionError

    def train(module: Any, kind: str) -> None:
        module.SentencePieceTrainer.train(
            sentence_iterator=sentences(), model_writer=io.BytesIO(), vocab_size=9, model_type=kind
        )

    # sentencepiece itself makes a RuntimeError of it.
    with pytest.raises(ZeroDivisionError):
        train(spm, "bpe")
    same(lambda module: train(module, "unigram"))


def test_a_log_and_a_pretokenizer_are_sentencepieces(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with capfd.disabled(), (tmp_path / "log").open("w+") as log:
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(LINES), model_writer=io.BytesIO(), vocab_size=300, logstream=log, minloglevel=0,
            pretokenizer=str.split,
        )  # fmt: skip
        log.seek(0)
        assert "Starts training" in log.read()


# ---- Normalizers


@cache
def normalizers() -> list[dict[str, Any]]:
    return [
        {}, {"model_file": 5}, {"model_proto": b"x"}, {"normalizer_spec": b"\xff"}, {"rule_name": "no_such"},
        {"rule_tsv": "no/such"}, {"norm_map": [("a", 1)]}, {"norm_map": [("a", "b"), ("a", "c")]},
        {"norm_map": [("a", "bc"), ("aa", "d"), ("é", "e")]}, {"rule_name": "nfkc"},
        {"rule_name": "nfkc", "norm_map": [("a", "b")]}, {"model_proto": model("v1")},
    ]  # fmt: skip


# Those with "nfkc" take ten times as long.
@pytest.mark.parametrize(
    "number", [pytest.param(at, marks=[pytest.mark.slow] if at in (9, 10) else []) for at in range(12)]
)
def test_normalizers(number: int) -> None:
    rng = random.Random(number)
    flags = ("add_dummy_prefix", "escape_whitespaces", "remove_extra_whitespaces")
    for chosen in ({}, *[{name: rng.choice([True, False, None, 0, 3]) for name in flags} for _ in range(4)]):
        texts = ["", " a  b ", "ＡＢＣ㍻", b"a\xff b", ["a", b"b"], 5, "".join(rng.choices(AWKWARD, k=40))]

        def results(module: Any, chosen: Any = chosen, texts: Any = texts) -> Any:
            normalizer = module.SentencePieceNormalizer(**normalizers()[number], **chosen)
            again = pickle.loads(pickle.dumps(normalizer))
            found: list[Any] = [normalizer.serialized_model_proto(), normalizer.serialized_normalizer_spec()]
            for each in (normalizer, again):
                for call in (each.normalize, each.Normalize):
                    for text in texts:
                        for places in (None, True):
                            result = outcome(lambda _, call=call, text=text, places=places: call(text, places), None)
                            found.append(type(result).__mro__[-3] if isinstance(result, Exception) else result)
            pairs = outcome(lambda _: normalizer.Decompile(), None)
            return [*found, type(pairs) if isinstance(pairs, Exception) else pairs == normalizer.decompile()]

        same(results, (normalizers()[number], chosen))


def test_a_wrong_flag() -> None:
    same(lambda module: module.SentencePieceNormalizer(rule_name="identity", add_dummy_prefix="no"))


def test_flatbuffers() -> None:
    for options in ({}, {"model_proto": model("unigram")}, {"serialized_model_proto": "x"}, {"model_proto": 5}):
        same(lambda module, options=options: module.convert_to_flatbuffer(**options))
