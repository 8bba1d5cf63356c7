"""GGUF: the ids of llama.cpp, and files that are damaged, hostile or huge.

llama.cpp is not installed where the tests run. Its ids of made files are recorded as checksums (version 0.3.36 of
llama-cpp-python's source archive, through ``llama_vocab::tokenize``).
"""

from __future__ import annotations

import os
import re
import struct
import sys
import time
import tracemalloc
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from minbpe_course import Encoding, SentencePieceTokenizer
from minbpe_course.errors import MinbpeCourseError, UnreadableModel, UnsupportedModel
from minbpe_course.formats import gguf as reader
from minbpe_course.formats.any_format import guess, read_model, write_model
from minbpe_course.formats.gguf_patterns import SPLITTINGS
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text import patterns
from minbpe_course.text.byte_alphabet import to_printable
from minbpe_course.text.split_steps import splitter_of
from minbpe_course.tokenizers.loading import convert, load_tokenizer
from tests.shared.gguf_files import KINDS, drawn, gguf, texts
from tests.shared.mutated_files import mutants

pytestmark = pytest.mark.medium

SEEDS, COUNT = 12, 40
RECORDED = {"gpt2": 0xCE56247B, "llama": 0xCA958676, "gemma4": 0x3B26CB59, "t5": 0xFB638623, "bert": 0x87763CCA}
# One name of each pattern -> the checksum of llama.cpp's words.
WORDS = {
    "gpt-2": 831854434, "llama3": 2126659709, "qwen2": 3569340977, "starcoder": 2200145707, "deepseek-v3": 1762795933,
    "gpt-4o": 3986116489, "poro-chat": 2356193659, "viking": 503441214, "bailingmoe": 3569340977, "default": 1779656514,
    "falcon": 419044124, "deepseek-llm": 746004865, "deepseek-coder": 1452531447, "spark2_5": 2230367701,
    "youtu": 2553767019, "qwen35": 1289469891, "tekken": 3451077229, "granite-embed-multi-97m": 1391401416,
    "chameleon": 278185955, "tiny_aya": 3287102118, "kimi-k2": 1343080544, "superbpe": 2725924175,
    "seed-coder": 3915176354, "ufakzeka": 3785513044, "afmoe": 1910938440, "laguna": 785032259, "exaone-moe": 709563201,
    "minicpm5": 800186305, "jais-2": 1527286378,
}  # fmt: skip


def written(values: dict[str, Any], path: Path) -> Path:
    path.write_bytes(gguf(values))
    return path


def of_llama_cpp(tokenizer: Any, text: str, add_special: bool, parse_special: bool) -> list[int]:
    """Return what stands for ``llama_tokenize`` with these arguments."""
    if not parse_special:
        ids: list[int] = tokenizer.encode_ordinary(text)
    elif isinstance(tokenizer, SentencePieceTokenizer):
        ids = tokenizer.encode(text, frame=add_special)
    else:
        ids = tokenizer.encode(text, allowed_special="all", frame=add_special)
    return ids


@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_those_of_llama_cpp(kind: str, tmp_path: Path) -> None:
    checksum = 0
    for seed in range(SEEDS):
        values = drawn(kind, seed)
        tokenizer = load_tokenizer(written(values, tmp_path / "a.gguf"))
        for text in texts(kind, seed, COUNT, values["tokenizer.ggml.tokens"]):
            for add_special, parse_special in ((False, False), (False, True), (True, True)):
                ids = of_llama_cpp(tokenizer, text, add_special, parse_special)
                checksum = zlib.crc32(repr(ids).encode(), checksum)
    assert checksum == RECORDED[kind]


def test_words_are_those_of_llama_cpp(tmp_path: Path) -> None:
    found = {}
    for name in WORDS:
        path = written(drawn("gpt2", 0) | {"tokenizer.ggml.pre": name}, tmp_path / "a.gguf")
        record: Any = (
            VocabularyModel.from_byte_pairs(one) if isinstance(one := reader.read(path), BytePairModel) else one
        )
        checksum = 0
        for text in texts("words", 0, 150):
            words = splitter_of(record.split_steps)(text) if record.split_steps else split(record, text)
            checksum = zlib.crc32(b"\0".join(words) + b"\1", checksum)
        found[name] = checksum
    assert found == WORDS
    assert {SPLITTINGS[name].patterns for name in WORDS} == {each.patterns for each in SPLITTINGS.values()}


def split(record: VocabularyModel, text: str) -> list[bytes]:
    words = []
    for run in Splitter(record.pattern, engine=record.pattern_engine).runs(text):
        data, start = run.text.tobytes(), run.start
        for end in run.ends[: run.number].tolist():
            words.append(data[start:end])
            start = end
    return words


# ---- What is read


TOKENS = "tokenizer.ggml.tokens"
ALPHABET = [to_printable(bytes([byte])) for byte in range(256)]
SMALL: dict[str, Any] = {
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "gpt-2",
    "tokenizer.ggml.tokens": [*ALPHABET, "ab", "<|eot_id|>", "<|x|>"],
    "tokenizer.ggml.token_type": [1] * 258 + [4],
    "tokenizer.ggml.merges": ["a b"],
}


def test_special_tokens_frame_and_names(tmp_path: Path) -> None:
    path = written(SMALL | {"tokenizer.ggml.add_bos_token": True, "tokenizer.ggml.bos_token_id": 257}, tmp_path / "a")
    assert guess(path) == "gguf"
    record = read_model(path)
    assert isinstance(record, VocabularyModel)
    # llama.cpp knows by its text that <|eot_id|> is a control token.
    assert (record.special_tokens, record.plain_tokens) == ({"<|eot_id|>": 257, "<|x|>": 258}, {"<|x|>"})
    tokenizer = load_tokenizer(path)
    assert tokenizer.encode("ab<|x|>", frame=True) == [257, 256, 258]
    assert tokenizer.encode_ordinary("<|x|>ab") == [258, 256]


def test_a_byte_without_a_token_is_dropped_after_merging(tmp_path: Path) -> None:
    tokens = ["\u0100\u0100" if each == to_printable(b"\x01") else each for each in SMALL[TOKENS]]
    path = written(SMALL | {TOKENS: tokens, "tokenizer.ggml.pre": "superbpe"}, tmp_path / "a.gguf")
    assert load_tokenizer(path).encode_ordinary("ab\x01a\x01b") == [256, ALPHABET.index("a"), ALPHABET.index("b")]
    with pytest.raises(UnsupportedModel, match="0x01 has no token and keeps"):
        convert(path, tmp_path / "tokenizer.json")


def test_a_pattern_that_is_not_known_can_be_said(tmp_path: Path) -> None:
    path = written(SMALL | {"tokenizer.ggml.pre": "qwen-2"}, tmp_path / "a.gguf")
    with pytest.raises(UnsupportedModel, match=r"(?s)'qwen-2'.*like 'qwen2'.*chameleon, .*viking.*pattern="):
        load_tokenizer(path)
    tokenizer = load_tokenizer(path, pattern="cl100k_base", special_tokens={"<|eot_id|>": 257})
    assert isinstance(tokenizer, Encoding)
    assert tokenizer.encode_ordinary("ab ab") == [256, ALPHABET.index(to_printable(b" ")), 256]
    other = written(drawn("llama", 0), tmp_path / "b.gguf")
    with pytest.raises(UnsupportedModel, match="Only the kind 'gpt2' has a pattern"):
        load_tokenizer(other, pattern="gpt2")


def test_files_become_tokenizer_json_where_the_ids_stay(tmp_path: Path) -> None:
    llama = drawn("llama", 1) | {"tokenizer.ggml.add_space_prefix": True}
    tokens = ["<unk>", "<s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "a", "b", "▁a", "ab", "▁ab", "é"]
    llama |= {
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": [float(-place) for place in range(len(tokens))],
        "tokenizer.ggml.token_type": [2, 3, *[6] * 256, *[1] * 7],
    }
    for name, values in {"gpt2": SMALL | {"tokenizer.ggml.pre": "deepseek-llm"}, "llama": llama}.items():
        path = written(values, tmp_path / f"{name}.gguf")
        theirs = Tokenizer.from_file(str(convert(path, tmp_path / f"{name}.json")))
        ours = load_tokenizer(path)
        for text in texts(name, 1, 60):
            assert theirs.encode(text, add_special_tokens=False).ids == of_llama_cpp(ours, text, False, True)
    for kind, reason in {"bert": "Korean syllable", "t5": "pieces of text", "gemma4": "pieces of text"}.items():
        with pytest.raises(UnsupportedModel, match=reason):
            convert(written(drawn(kind, 0), tmp_path / "a.gguf"), tmp_path / "b.json")
    for record in (BytePairModel([(97, 97)]), reader.read(tmp_path / "a.gguf")):
        with pytest.raises(UnsupportedModel, match="GGUF is only read"):
            write_model(record, tmp_path / "new.gguf")


# ---- What is refused


def edited(**changes: Any) -> bytes:
    values = SMALL | {f"tokenizer.ggml.{key}": value for key, value in changes.items()}
    return gguf({key: value for key, value in values.items() if value is not None})


def header(keys: int, *rest: bytes, version: int = 3, tensors: int = 0) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, keys) + b"".join(rest)


def key(name: str, kind: int, *rest: bytes) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", kind) + b"".join(rest)


HUGE = struct.pack("<Q", 1 << 60)
LLAMA = drawn("llama", 0)
DAMAGED: dict[str, tuple[bytes, str]] = {
    "cut in the version": (b"GGUF\x03", "the file ends at byte 5"),
    "version 1": (header(0, version=1), "version 1; versions 2 and 3"),
    "big endian": (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
    "2**60 keys": (header(1 << 60), "have 1,152,921,504,606,846,976 keys"),
    "a million keys": (header(1_000_000, key("a", 0, b"\0") * 1000), "1,000,000 keys"),
    "a key of 2**60 bytes": (header(1, HUGE), "key 0.*longer than any"),
    "a text of 2**60 bytes": (header(1, key("general.name", 8, HUGE)), "general.name.*longer than any"),
    "another text of 2**60 bytes": (header(1, key("other", 8, HUGE)), "other.*within a value"),
    "2**60 tokens": (header(1, key(TOKENS, 9, b"\x08\0\0\0", HUGE)), "tokens.*array of 1,152,921,504,606,846,976"),
    "2**60 scores": (header(1, key("tokenizer.ggml.scores", 9, b"\6\0\0\0", HUGE)), "scores.*numbers"),
    "2**60 numbers": (header(1, key("other", 9, b"\6\0\0\0", HUGE)), "other.*within a value"),
    "arrays in an array": (header(1, key(TOKENS, 9, b"\x09\0\0\0", HUGE)), "array of the type 9"),
    "no such type": (header(1, key("general.name", 77)), "the type 77"),
    "a key twice": (header(2, key("a", 0, b"\0") * 2), "'a'.*twice"),
    "not UTF-8": (edited(tokens=[b"a", b"\xff\xfe"]), r"tokens.*entry 1.*\\xff.*not UTF-8"),
    "no vocabulary": (gguf({"general.name": "x"}), "no vocabulary"),
    "another kind": (edited(model="rwkv"), "'gpt2', 'llama', 'gemma4', 'bert', 't5'|kinds of vocabulary"),
    "a kind that is a number": (edited(model=5), "tokenizer.ggml.model.*a string"),
    "no tokens": (edited(tokens=None), "tokens.*missing"),
    "tokens that are numbers": (edited(tokens=[1, 2]), "tokens.*list of strings"),
    "a token twice": (edited(tokens=[*ALPHABET, "a"], token_type=None), "tokens.*the ids 67|tokens.*same text, 'a'"),
    "fewer kinds": (edited(token_type=[1] * 258), "token_type.*258 entries for 259 tokens"),
    "kinds that are texts": (edited(token_type=["a"]), "token_type.*32-bit"),
    "more scores": (edited(scores=[0.5] * 300), "scores.*300 entries"),
    "a score that is no number": (edited(scores=[float("nan")] * 259), "scores.*entry 0 is not a finite"),
    "no merges": (edited(merges=None), "merges.*missing"),
    "a merge of no token": (edited(merges=["a b", "a nothing"]), "merges.*entry 1, 'a nothing'"),
    "a merge without space": (edited(merges=["ab"]), "merges.*entry 0, 'ab'"),
    "an id that is a text": (edited(bos_token_id="x", add_bos_token=True), "bos_token_id.*whole number"),
    "a flag that is a number": (edited(add_bos_token=1), "add_bos_token.*true or false"),
    "a charsmap of nothing": (edited(model="t5", precompiled_charsmap=b"\1\2\3\4\5"), "charsmap.*not a table"),
    "a long piece": (gguf(LLAMA | {TOKENS: [*LLAMA[TOKENS][:-1], "a" * 9000]}), "longer than 7,999"),
    "bytes without a token": (edited(model="llama"), "256 bytes have no token, for example <0x00>"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_named_with_its_key(name: str, tmp_path: Path) -> None:
    data, says = DAMAGED[name]
    path = tmp_path / "a.gguf"
    path.write_bytes(data)
    tracemalloc.start()
    started = time.monotonic()
    with pytest.raises((UnreadableModel, UnsupportedModel), match=f"(?s)a.gguf.*(?:{says})"):
        load_tokenizer(path)
    assert time.monotonic() - started < 5
    assert tracemalloc.get_traced_memory()[1] < 30e6
    tracemalloc.stop()


def test_every_cut_is_refused(tmp_path: Path) -> None:
    data = gguf({**drawn("llama", 0), "other": [1, 2], "more": ["a", "b"]})
    path = tmp_path / "a.gguf"
    for size in (*range(0, 400), *range(400, len(data), 61)):
        path.write_bytes(data[:size])
        with pytest.raises(MinbpeCourseError, match=r"a\.gguf"):
            reader.read(path)


def test_mutants_are_refused_or_encode(tmp_path: Path) -> None:
    files = {kind: {"a.gguf": gguf(drawn(kind, 3))} for kind in KINDS}
    counts: Counter[str] = Counter()
    unnamed: list[tuple[str, str]] = []
    for mutant in mutants(files, seed=1, count=600):
        path = mutant.write(tmp_path / "m") / "a.gguf"
        try:
            record = reader.read(path)
        except MinbpeCourseError as error:
            unnamed += [] if re.search(r"a\.gguf|no file", str(error)) else [(mutant.name, str(error))]
            counts["refused"] += 1
            continue
        counts["read"] += 1
        tokenizer: Any = SentencePieceTokenizer(model=record) if isinstance(record, PieceModel) else None
        if tokenizer is None and record.pattern in (None, patterns.GPT2_RELEASE_PATTERN):
            tokenizer = Encoding.from_model(record)
        if tokenizer is not None:
            tokenizer.decode(tokenizer.encode_ordinary("aab abc <s> Aa\n é中 12"))
    assert unnamed == []
    assert min(counts["refused"], counts["read"]) > 30, counts


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may fill a sparse file")
def test_tensors_are_not_read(tmp_path: Path) -> None:
    path = written(drawn("t5", 0), tmp_path / "a.gguf")
    os.truncate(path, 40 << 30)
    tracemalloc.start()
    record = load_tokenizer(path).model
    assert tracemalloc.get_traced_memory()[1] < 30e6
    tracemalloc.stop()
    assert isinstance(record, PieceModel)
    assert record == reader.read(written(drawn("t5", 0), tmp_path / "b.gguf"))
