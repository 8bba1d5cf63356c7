"""Files with the configurations of published tokenizers: the ids are those of `tokenizers`, everywhere."""

from __future__ import annotations

import base64
import json

import pytest
import tiktoken.load
from tokenizers import Tokenizer

from minbpe_course.errors import UnsupportedModel
from minbpe_course.formats import any_format as opening
from minbpe_course.formats import huggingface_json
from minbpe_course.model import VocabularyModel
from minbpe_course.text.patterns import R50K_PATTERN
from minbpe_course.token_files.any_tokenizer import any_tokenizer
from minbpe_course.tokenizers.encoding import Encoding
from minbpe_course.tokenizers.loading import convert, load_tokenizer
from tests.formats.test_huggingface_json import document
from tests.shared.cases import hostile_texts
from tests.shared.huggingface_files import (
    added_token,
    file_of_kind,
    ids_of,
    kind_texts,
    kinds,
    texts_for,
    trained_by_tokenizers,
)
from tests.text.test_added_tokens import in_every_way

pytestmark = pytest.mark.medium

COUNT = 80


def encoding_of(kind: str) -> Encoding:
    return Encoding.from_model(huggingface_json.from_json(file_of_kind(kind)), kind)


@pytest.mark.parametrize("kind", kinds())
def test_ids_are_those_of_tokenizers_in_every_way_to_encode(kind):
    witness = Tokenizer.from_str(file_of_kind(kind))
    encoding = encoding_of(kind)
    texts = kind_texts(kind, COUNT)
    wanted = [found.ids for found in witness.encode_batch(texts, add_special_tokens=False)]
    assert encoding.encode_batch(texts, allowed_special="all") == wanted
    for text, ids in zip(texts, wanted):
        assert in_every_way(encoding, text, specials=True) == ids, text
        assert encoding.decode(ids) == witness.decode(ids, skip_special_tokens=False)
        assert encoding.decode_bytes(ids).decode("utf-8", "replace") == encoding.decode(ids)
    ordinary = [in_every_way(encoding, text, specials=False) for text in texts[:50]]
    assert encoding.encode_ordinary_batch(texts[:50]) == ordinary
    record = encoding._record
    before, after = record.frame if isinstance(record, VocabularyModel) else ((), ())
    framed = [[*before, *ids, *after] for ids in wanted[:50]]
    assert framed == [found.ids for found in witness.encode_batch(texts[:50])]


@pytest.mark.parametrize("kind", kinds())
def test_every_format_keeps_the_ids_or_refuses_with_the_reason(kind, tmp_path):
    record = huggingface_json.from_json(file_of_kind(kind))
    texts = kind_texts(kind, 20, seed=2)
    encoding = Encoding.from_model(record, kind)
    wanted = encoding.encode_batch(texts, allowed_special="all")
    for name, made in opening.FORMATS.items():
        path = tmp_path / (name if name == "gpt2" else f"{name}.model")
        if made.why_not(record) is None:
            read = load_tokenizer(convert(record, path, name), format=name)
            assert read.encode_batch(texts, allowed_special="all") == wanted, name
            assert name != "huggingface" or read._record == record
        else:
            with pytest.raises(UnsupportedModel, match="cannot hold this model with the same ids"):
                convert(record, path, name)
            assert not path.exists()
    if isinstance(record, VocabularyModel) and record.only_in_huggingface:
        assert [name for name, made in opening.FORMATS.items() if made.why_not(record) is None] == ["huggingface"]
        with pytest.raises(UnsupportedModel):
            encoding._mergeable_ranks  # noqa: B018


@pytest.mark.parametrize("kind", kinds())
def test_long_texts_are_not_cut_where_ids_would_change(kind):
    record = huggingface_json.from_json(file_of_kind(kind))
    witness = Tokenizer.from_str(file_of_kind(kind))
    tokenizer = any_tokenizer(Encoding.from_model(record, kind), specials="all")
    text = "".join(kind_texts(kind, 60, seed=9))
    long = tokenizer.long_text(gather=20)
    pieces = [piece for at in range(0, len(text), 7) if (piece := long.add(text[at : at + 7]))]
    pieces.append(long.finish())
    ids = [token_id for piece in pieces for token_id in tokenizer.encode([piece])[0].tolist()]
    assert ids == witness.encode(text, add_special_tokens=False).ids
    assert tokenizer.words([text]) > 0


@pytest.mark.parametrize("last", [{"type": "Digits", "individual_digits": True}, None])
def test_a_text_that_is_or_becomes_empty_has_no_ids(last):
    """Not even those of the space that is added before every text."""
    steps = [{"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}, last]
    file = json.loads(file_of_kind("gpt2 of 2020")) | {
        "normalizer": {"type": "Strip", "strip_left": True, "strip_right": True},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [step for step in steps if step]},
        "post_processor": None,
    }
    witness, encoding = Tokenizer.from_str(json.dumps(file)), load_tokenizer(Tokenizer.from_str(json.dumps(file)))
    for text in ("", " ", "\n\t", "a", " a "):
        wanted = witness.encode(text, add_special_tokens=False).ids
        assert encoding.encode(text) == encoding.encode_ordinary(text) == wanted
        assert encoding.encode_batch([text, "b"])[0] == encoding.encode_to_array(text).tolist() == wanted


def test_the_ids_of_added_tokens_in_a_vocabulary_with_a_hole():
    """tokenizers counts from the size of the vocabulary, so "<s>" gets the id of "<e>", which is no longer found."""
    whole = document(added_tokens=[added_token(259, "<e>"), added_token(259, "<s>")], pre_tokenizer=None)
    whole["model"]["vocab"]["<e>"] = 259
    whole["pre_tokenizer"] = document()["pre_tokenizer"]
    witness = Tokenizer.from_str(json.dumps(whole))
    wanted = witness.encode("<e><s>").ids
    assert wanted == [60, 101, 62, 259]
    record = huggingface_json.from_json(json.dumps(whole))
    assert Encoding.from_model(record).encode("<e><s>", allowed_special="all") == wanted
    whole["added_tokens"][1]["id"] = 260
    with pytest.raises(UnsupportedModel, match=r"\$\.added_tokens\[1\]\.id: 260\. tokenizers gives '<s>' the id 259"):
        huggingface_json.from_json(json.dumps(whole))


@pytest.mark.parametrize("whole_words", [False, True])
def test_an_added_token_in_the_vocabulary_is_not_an_ordinary_one(whole_words):
    whole = document(added_tokens=[added_token(258, "<e>"), added_token(259, "!!")])
    whole["model"] |= {"ignore_merges": whole_words, "vocab": whole["model"]["vocab"] | {"<e>": 258, "!!": 259}}
    data = json.dumps(whole)
    witness, encoding = Tokenizer.from_str(data), Encoding.from_model(huggingface_json.from_json(data))
    for text in ("a<e>!!b", "<e>", "!!", "!!!"):
        assert encoding.encode(text, allowed_special="all") == witness.encode(text).ids
        assert encoding.encode_ordinary(text) == [id for one in text for id in witness.encode(one).ids]


@pytest.mark.parametrize("name", trained_by_tokenizers())
def test_files_that_tokenizers_has_trained(name):
    witness = trained_by_tokenizers()[name]
    record = huggingface_json.from_json(witness.to_str())
    texts = texts_for(record, 200)
    there = [found.ids for found in witness.encode_batch(texts, add_special_tokens=False)]
    assert list(map(ids_of(record), texts)) == there
    again = huggingface_json.to_json(record)
    assert huggingface_json.to_json(huggingface_json.from_json(again)) == again
    second = Tokenizer.from_str(again.decode())
    assert [found.ids for found in second.encode_batch(texts)] == [found.ids for found in witness.encode_batch(texts)]


def test_a_token_without_bytes_is_read_from_whisper_s_file_of_ranks(tmp_path):
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"the": 257, b" the": 258}
    lines = [b"%b %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items()]
    path = tmp_path / "multilingual.tiktoken"
    path.write_bytes(b"".join([*lines, b"= 259\n"]))
    theirs = tiktoken.load.load_tiktoken_bpe(str(path))
    assert theirs == ranks | {b"": 259}
    witness = tiktoken.Encoding("whisper", pat_str=R50K_PATTERN, mergeable_ranks=theirs, special_tokens={"<|e|>": 260})
    encoding = load_tokenizer(path, pattern="gpt2", special_tokens={"<|e|>": 260})
    again = load_tokenizer(convert(encoding, tmp_path / "again.tiktoken"))
    other = load_tokenizer(convert(encoding, tmp_path / "tokenizer.json"))
    assert (tmp_path / "again.tiktoken").read_bytes() == path.read_bytes()
    for text in [*hostile_texts(4, 60), "the the<|e|>the"]:
        ids = witness.encode(text, allowed_special="all")
        for each in (encoding, again, other):
            assert each.encode(text, allowed_special="all") == ids
            assert each.decode([*ids, 259]) == witness.decode([*ids, 259])
