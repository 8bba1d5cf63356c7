"""minbpe-course decode: every format of ids, invalid input, and bytes that are not UTF-8."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minbpe_course import SentencePieceTokenizer, get_encoding
from minbpe_course.cli import decode, id_reader, sources
from minbpe_course.errors import UnreadableInput
from tests.shared.cases import MISTRAL
from tests.shared.long_run import examples
from tests.text.piece_rules import Rule, file_of

pytestmark = pytest.mark.medium

GPT2 = get_encoding("gpt2")
DOCUMENTS = [[15496, 995], [], [0], [198, 50256, 220], []]
TEXTS = [GPT2.decode_bytes(ids) for ids in DOCUMENTS]


def npy(*arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    for array in arrays:
        np.save(file, array)
    return file.getvalue()


def forms(documents: list[list[int]]) -> dict[str, bytes]:
    """The same documents in every form, as others would write them."""
    flat = [token_id for ids in documents for token_id in ids]
    ends = np.cumsum([len(ids) for ids in documents], dtype=np.int32)
    return {
        "text": "".join(" ".join(map(str, ids)) + "\n" for ids in documents).encode(),
        "jsonl": "".join(json.dumps(ids) + "\n" for ids in documents).encode(),
        "json": json.dumps(documents, indent=2).encode(),
        "npy": npy(np.array(flat, dtype=np.uint32), ends),
    }


@pytest.mark.parametrize("form", forms([]))
@pytest.mark.parametrize("guess", ["said", "by name", "by content"])
def test_every_form_is_read_and_guessed(verbs, tmp_path, tiny, form, guess):
    data = forms(DOCUMENTS)[form]
    path = tmp_path / {"by name": f"ids.{'txt' if form == 'text' else form}"}.get(guess, "ids")
    path.write_bytes(data)
    said = ["--format", form] if guess == "said" else []
    for stdin, name in ((None, path), (data, "-")):
        assert verbs("decode", "-t", "gpt2", *said, name, stdin=stdin) == (0, b"".join(TEXTS), "")
        lines = verbs("decode", "-t", "gpt2", *said, "--lines", name, stdin=stdin)
        assert lines == (0, b"".join(text + b"\n" for text in TEXTS), "")


@settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    documents=st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=6), max_size=5),
    block=st.integers(1, 40),
    form=st.sampled_from(sorted(forms([]))),
)
def test_ids_and_ends_are_those_written_however_they_are_cut(monkeypatch, tmp_path, documents, block, form):
    data = forms(documents)[form]
    monkeypatch.setattr(sources, "BLOCK", block)
    monkeypatch.setattr(id_reader, "_STEP", block)
    path = tmp_path / "ids"
    path.write_bytes(data)
    found, held = [], []
    for ids, ends, place in id_reader.portions(str(path), form):
        begin = 0
        for end in ends.tolist():
            found.append(held + ids[begin:end].tolist())
            held, begin = [], end
        held += ids[begin:].tolist()
        if ids.size:
            assert "ids, " in place(0)
    assert (found, held) == (documents, [])


@settings(
    max_examples=examples(400),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.text("[], \n12-x", max_size=14), block=st.integers(1, 9))
def test_invalid_json_is_refused(monkeypatch, tmp_path, data, block):
    """Compared with Python's json: one value, or several in sequence."""
    monkeypatch.setattr(sources, "BLOCK", block)
    path = tmp_path / "ids"
    path.write_text(data, encoding="utf-8", newline="")
    decoder, rest, wanted, right = json.JSONDecoder(), data.strip(" \n"), [], True
    while rest and right:
        try:
            value, end = decoder.raw_decode(rest)
        except ValueError:
            right = False
            break
        rest = rest[end:].strip(" \n")
        flat = isinstance(value, list) and value and all(type(each) is int and each >= 0 for each in value)
        nested = isinstance(value, list) and all(
            isinstance(each, list) and all(type(one) is int and one >= 0 for one in each) for each in value
        )
        right = flat or nested
        if right:
            wanted += [value] if flat else value
    try:
        found, held = [], []
        for ids, ends, _ in id_reader.portions(str(path), "json"):
            parts = np.split(ids, ends)
            for part in parts[:-1]:
                found.append(held + part.tolist())
                held = []
            held += parts[-1].tolist()
        ours = found
    except UnreadableInput:
        ours = None
    # JSON forbids leading zeros, but they are accepted here.
    assert ours == (wanted if right else None)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"1 2\n3 x 4", "line 2 (byte 6): expected an id, or a separator of ids, found 'x"),
        (b"12345678901", "line 1 (byte 0): expected an id, which has at most ten digits"),
        (b"[1, 2", "a ] is missing"),
        (b"[1,\n [2]]", "line 2 (byte 5): expected lists of ids, such as [1, 2, 3], found '[2]]'"),
        (b"\xff\xfe", r"found '\\xff\\xfe'"),
        (b"\x93NUMPY\x01\x00", "is not a NumPy array"),
        (npy(np.arange(3))[:-1], "it has 2 of 3 numbers"),
        (npy(np.zeros(3)), "contains float64 of the shape (3,)"),
        (npy(np.arange(3), np.array([2, 1])), "second array does not say where documents end"),
        (npy(np.array([["a"]], dtype=object)), "is not a NumPy array|contains object"),
        (b"5 50257 6", "line 1 (byte 2): no token of gpt2 has the id 50,257; its ids go up to 50,256"),
    ],
    ids=repr,
)
def test_invalid_ids_are_reported_with_their_place(verbs, data, says):
    done = verbs("decode", "-t", "gpt2", stdin=data)
    assert done.code == 2
    assert done.err.startswith("minbpe-course decode: standard input")
    assert any(each in done.err for each in says.split("|")), done.err


def test_bytes_that_are_not_utf8(verbs, tmp_path):
    # The second and third byte of a character, then the first alone.
    ids = [GPT2.encode_single_token(bytes([byte])) for byte in b"\x82\xac\xe2"]
    data = f"{' '.join(map(str, ids))}\n{ids[2]} {ids[0]} {ids[1]}\n".encode()
    whole, broken = "€".encode(), b"\x82\xac\xe2"
    assert verbs("decode", "-t", "gpt2", stdin=data).out == broken + whole
    assert verbs("decode", "-t", "gpt2", "--lines", stdin=data).out == broken + b"\n" + whole + b"\n"
    # A character cannot continue in the next document.
    replaced = broken.decode(errors="replace").encode()
    assert verbs("decode", "-t", "gpt2", "--errors", "replace", stdin=data).out == replaced + whole
    assert verbs("decode", "-t", "gpt2", "--errors", "ignore", stdin=data).out == whole
    done = verbs("decode", "-t", "gpt2", "--errors", "strict", "-o", tmp_path / "out", stdin=data)
    assert (done.code, list(tmp_path.iterdir())) == (2, [])
    assert "line 1 (byte 0): this document is not UTF-8" in done.err


@pytest.mark.parametrize("many", [1, 1000])
def test_sentencepiece_documents_are_decoded_whole(verbs, tiny, monkeypatch, many):
    tokenizer = SentencePieceTokenizer(MISTRAL)
    monkeypatch.setattr(decode, "_MANY", many)
    texts = ("Hello world, this  is 😀 long, 日本語", "", " zwei", "  \n a", "😀😀", "<s>")
    documents = [tokenizer.encode(text) for text in texts] + [[1, 2, *tokenizer.encode("x 😀"), 0, 2]]
    # The second half of a character, and the first.
    documents.append([*tokenizer.encode("😀")[-2:], 5, *tokenizer.encode("😀")[:-2], 5])
    for data in forms(documents).values():
        done = verbs("decode", "-t", MISTRAL, "--lines", stdin=data)
        assert done.out == "".join(tokenizer.decode(ids) + "\n" for ids in documents).encode()
    done = verbs("decode", "-t", MISTRAL, stdin=b"1 2\n5 32000")
    assert (done.code, "line 2 (byte 6): no token" in done.err) == (2, True), done.err


@pytest.mark.parametrize(
    "rule",
    [
        # Across a cut, the denormaliser would not join the letter and its accent.
        Rule("char", "a -1|e -1|\u0301 -1|▁ -2", ("",), {"denormalizer": "nfkc"}),
        # No letter can come before a later part, to keep its first space.
        Rule("bpe", "▁ -1|é -1|▁é -2", ("",)),
    ],
    ids=["a denormaliser", "no plain letter"],
)
def test_models_whose_documents_are_not_cut(verbs, tiny, tmp_path, monkeypatch, rule):
    monkeypatch.setattr(decode, "_MANY", 1)
    path = tmp_path / "m.model"
    path.write_bytes(file_of(rule))
    tokenizer = SentencePieceTokenizer(path)
    documents = [[*range(3, len(tokenizer.model))] * 9, [], [len(tokenizer.model) - 1] * 5]
    for form, data in forms(documents).items():
        done = verbs("decode", "-t", path, "--lines", "--format", form, stdin=data)
        assert done.out == "".join(tokenizer.decode(ids) + "\n" for ids in documents).encode(), done.err
