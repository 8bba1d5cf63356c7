"""Every call that sentencepiece's own class takes: the same result, or an error that is of the same kind."""

from __future__ import annotations

import array
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece

from minbpe_course import SentencePieceTokenizer
from minbpe_course.errors import InvalidOption, MinbpeCourseError
from tests.shared.piece_cases import course_lines, mistral_files, train
from tests.tokenizers.piece_differences import plain

pytestmark = pytest.mark.medium


RETURN_TYPES = (int, str, bytes, "numpy", "proto", "serialized_proto", "offset_mapping", float, "immutable_proto")


@cache
def pair(name: str) -> tuple[SentencePieceTokenizer, Any]:
    if name == "v1":
        data = mistral_files()[name].read_bytes()
    else:
        kind, _, more = name.partition(" ")
        options: dict[str, Any] = {"bytes": dict(byte_fallback=True), "": {}}.get(more, {})
        size = 1000
        data = train(
            course_lines()[:400], model_type=kind, vocab_size=size, hard_vocab_limit=False, character_coverage=0.98,
            remove_extra_whitespaces=False, user_defined_symbols=["<a>", "▁▁"], **options,
        )  # fmt: skip
    return SentencePieceTokenizer(model_proto=data), sentencepiece.SentencePieceProcessor(model_proto=data)


def same(name: str, method: str, *given: Any, **options: Any) -> None:
    ours, theirs = pair(name)
    said = f"{method}{given}{options} of {name}"
    try:
        wanted = getattr(theirs, method)(*given, **options)
    except Exception as error:
        with pytest.raises(type(error)) as caught:
            pytest.fail(f"{said} gave {getattr(ours, method)(*given, **options)!r}, sentencepiece raises {error!r}")
        assert isinstance(caught.value, MinbpeCourseError), said
        assert len(str(caught.value)) > 20, said
    else:
        assert plain(getattr(ours, method)(*given, **options)) == plain(wanted), said


TEXTS = ["", "a", "é x", "Hello world", "東京 xyz ¿", "a<a>b  c", "\0", "  "]
TEXTS += [b"", b"a\xff b", "é".encode(), b"\xe2\x82x\xc3"]
BATCHES = [[], ["a"], ["", "é x"], [b"a\xff", b""], ["a", b"b"], [bytearray(b"a")]]


@pytest.mark.parametrize("name", ["v1", "char", "word bytes"])
@pytest.mark.parametrize("return_type", RETURN_TYPES)
def test_encode_gives_every_type_of_result(name: str, return_type: Any) -> None:
    for given in (*TEXTS, *BATCHES):
        same(name, "encode", given, return_type=return_type)
        for named in ({"return_bytes": True}, {"return_bytes": False}, {"add_bos": True}, {"reverse": True}):
            same(name, "encode", given, out_type=return_type, **named)
        same(name, "encode", given, return_type=return_type, add_bos=1, add_eos=True, reverse=True, emit_unk_piece=True)


@pytest.mark.parametrize("name", ["v1", "word"])
def test_encode_refuses_what_sentencepiece_refuses(name: str) -> None:
    for given in (5, None, ("a",), bytearray(b"a"), {"a"}, "\ud800", ["\ud800"], [None], [["a"]], "\ud83d\ude00"):
        same(name, "encode", given)
        same(name, "normalize", given)
        same(name, "normalize", given, with_offsets=True)
    for options in (
        dict(num_threads="2"), dict(num_threads=None), dict(num_threads=True), dict(num_threads=0),
        dict(num_threads=99),
        dict(add_bos="x"), dict(reverse="x"), dict(out_type=int, return_type=int), dict(return_bytes=True),
    ):  # fmt: skip
        same(name, "encode", ["a b", "c"], **options)
    for options in (
        dict(nbest_size=1), dict(nbest_size=0), dict(nbest_size=600), dict(alpha=-0.1), dict(alpha=float("nan")),
        dict(alpha=float("inf")), dict(alpha="x"), dict(nbest_size="x"), dict(alpha=0.0), dict(alpha=1.0),
        dict(alpha=7),
    ):  # fmt: skip
        same(name, "encode", "a b the", enable_sampling=True, **options)
    same(name, "encode", "a", False, True, True, False)


def things_to_decode(size: int) -> list[Any]:
    ids = [5, 1, 0, 3, 2]
    arrays = [*map(np.array, (ids, [ids, ids], [1.0], 5)), np.array([], np.int32), np.arange(9)[::2]]
    arrays += [np.array([2**63], np.uint64), np.array([True]), np.array([-1]), array.array("i", ids), np.array(["a"])]
    numbers = [5, True, -1, size, np.int64(5), 1.0, [1.0], [True], [-1], [size], [np.int32(5)], [None], [2, "a"]]
    pieces = ["▁the", b"\xe2\x96\x81the", ["▁the", "zz"], [b"a\xff", b"b"], ["a", b"b"], [b"b", "a"], ["a", 2]]
    pieces += [["\ud800"], ["<s>", "▁▁", "<a>", "▁x"], ["<unk>"], ["▁", "▁", "a"], "<0x41>", ["<0xE2>", "<0x96>"]]
    nested = [[[5], []], [[], ["a"]], [["a"], [1]], [[1], ["a"]], [[], []], [1, [2]], [[[1]]], [[b"a"], ["b"]]]
    nested += [((1,), (2,)), [np.array(ids)], [range(2)]]
    others = [None, "", b"", [], (), range(3), {1}, iter([1]), {}, bytearray(b"\1\2"), object()]
    return [*arrays, *numbers, *pieces, *nested, *others]


@pytest.mark.parametrize("name", ["v1", "char"])
@pytest.mark.parametrize("return_type", [None, *RETURN_TYPES])
def test_decode_takes_what_sentencepiece_takes(name: str, return_type: Any) -> None:
    for given in things_to_decode(len(pair(name)[1])):
        # Both would use up an iterator, and neither decodes one.
        same(name, "decode", given, return_type=return_type)
        if return_type == "offset_mapping":
            same(name, "decode", given, return_type, return_bytes=True)
    same(name, "decode", [5], return_bytes=True)
    same(name, "decode", [[5]], num_threads="1")


def test_long_texts_in_chunks_are_those_of_encode() -> None:
    text = " ".join(course_lines()[:60])
    for options in (
        dict(chunk_len=40),
        dict(chunk_len=300, return_type=str, add_bos=True),
        dict(chunk_len=99, out_type="proto"),
    ):
        same("v1", "parallel_encode", text, **options)
    same("v1", "parallel_encode", [text, "a"], chunk_len=100)
    for wrong in (dict(), dict(chunk_len=0), dict(chunk_len="a"), dict(chunk_len=2, return_type="offset_mapping")):
        same("v1", "parallel_encode", text, **wrong)
    same("v1", "ParallelEncodeAsPieces", text, chunk_len=50)


def test_defaults_are_those_of_the_tokenizer() -> None:
    file = str(mistral_files()["v1"])
    for options in (
        dict(out_type=str),
        dict(add_bos=True, reverse=True),
        dict(return_type="proto"),
        dict(out_type=bytes, add_eos=True),
    ):
        ours = SentencePieceTokenizer.from_file(file, **options)
        theirs = sentencepiece.SentencePieceProcessor.from_file(file, **options)
        for each in (ours, pickle.loads(pickle.dumps(ours))):
            assert plain(each.encode("Hello wörld")) == plain(theirs.encode("Hello wörld"))
            assert plain(each.encode(["Hello", ""])) == plain(theirs.encode(["Hello", ""]))
            assert plain(each.encode("Hello", return_type=int, add_bos=False)) == plain(
                theirs.encode("Hello", return_type=int, add_bos=False)
            )


def test_loading_late_twice_and_wrongly(tmp_path: Path) -> None:
    files = mistral_files()
    ours, theirs = SentencePieceTokenizer(), sentencepiece.SentencePieceProcessor()
    assert len(ours) == len(theirs) == 0
    assert ours.serialized_model_proto() == theirs.serialized_model_proto() == b""
    for call in ("encode", "normalize", "decode", "id_to_piece"):
        with pytest.raises(RuntimeError, match="load"):
            getattr(ours, call)("a")
    (tmp_path / "wrong").write_bytes(b"abc")
    for given in (
        dict(), dict(model_file=""), dict(model_file="/no/such"), dict(model_file="a", model_proto=b"b"),
        dict(model_file=5), dict(model_proto="abc"), dict(model_proto=b"abc"), dict(model_file=str(tmp_path / "wrong")),
    ):  # fmt: skip
        with pytest.raises(Exception) as wanted:  # noqa: PT011
            theirs.load(**given)
        with pytest.raises(wanted.type) as caught:
            ours.load(**given)
        assert isinstance(caught.value, MinbpeCourseError)
    for name in ("v1", "v3", "v1"):
        for tokenizer in (ours, theirs):
            assert tokenizer.load(str(files[name])) is True
        for text in ("[INST] Hello", "東京"):
            assert ours.encode(text) == theirs.encode(text)
            assert ours.decode(ours.encode(text)) == theirs.decode(theirs.encode(text))
            assert ours.piece_to_id("[INST]") == theirs.piece_to_id("[INST]")
    assert ours.load(model_proto=files["v3"].read_bytes())
    assert ours.load_from_serialized_proto(files["v1"].read_bytes())
    assert ours.load_from_file(str(files["v1"]).encode())
    assert len(SentencePieceTokenizer.from_proto(files["v3"].read_bytes())) == 32768


def test_the_second_argument_of_earlier_releases_is_refused() -> None:
    for given in (str, int, "numpy"):
        same("v1", "encode", "Hello", given)
    with pytest.raises(InvalidOption, match="return_type=str"):
        pair("v1")[0].encode("Hello", str)
