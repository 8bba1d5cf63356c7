"""tokenizer.json files: settings that are read, settings that are refused with path and reason, and the writer."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer

from minbpe_course import Encoding
from minbpe_course.errors import UnreadableModel, UnsupportedModel
from minbpe_course.formats import huggingface_json
from minbpe_course.formats.json_text import read_value
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.text import patterns
from minbpe_course.text.byte_alphabet import to_printable
from minbpe_course.vocabularies import load
from tests.formats.awkward_models import awkward_model
from tests.shared.cases import hostile_texts
from tests.shared.huggingface_files import added_token, ids_of

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def split(pattern: str, **changes: Any) -> dict[str, Any]:
    step = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False, **changes}
    return {"type": "Sequence", "pretokenizers": [step, BYTE_LEVEL]}


def document(**changes: Any) -> dict[str, Any]:
    """A small tokenizer.json: bytes, "ab", "abc", one special token; with other values for some keys."""
    vocab = {to_printable(bytes([byte])): byte for byte in range(256)} | {"ab": 256, "abc": 257}
    whole: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added_token(258, "<|x|>")],
        "normalizer": None,
        "pre_tokenizer": BYTE_LEVEL,
        "post_processor": None,
        "decoder": BYTE_LEVEL,
        "model": {"type": "BPE", "vocab": vocab, "merges": ["a b", "ab c"]},
    }
    for key, value in changes.items():
        if key in whole:
            whole[key] = value
        else:
            whole["model"][key] = value
    return whole


def read(**changes: Any) -> Any:
    return huggingface_json.from_json(json.dumps(document(**changes)))


def test_the_small_one_is_a_model_of_byte_pairs():
    assert read() == BytePairModel([(97, 98), (256, 99)], special_tokens={"<|x|>": 258})


@pytest.mark.parametrize(
    "changes",
    [
        {"merges": [["a", "b"], ["ab", "c"]]},
        {"unk_token": "<|x|>", "byte_fallback": True, "fuse_unk": True, "dropout": 0.0},
        {"continuing_subword_prefix": "", "end_of_word_suffix": ""},
        {"normalizer": {"type": "Sequence", "normalizers": []}},
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [BYTE_LEVEL]}},
        {"decoder": None, "post_processor": BYTE_LEVEL},
        {"added_tokens": [added_token(258, "<|x|>", normalized=True)]},
    ],
)
def test_settings_without_effect_are_ignored(changes):
    assert read(**changes) == read()
    text = "abcab<|x|> \u00e9 abc"
    assert ids_of(read())(text) == Tokenizer.from_str(json.dumps(document(**changes))).encode(text).ids


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        (
            {"pre_tokenizer": split(patterns.CL100K_FIRST_PATTERN, behavior="Removed", invert=True)},
            {"pattern": patterns.CL100K_FIRST_PATTERN, "pattern_engine": "tiktoken"},
        ),
        (
            {"post_processor": {"type": "RobertaProcessing", "cls": ["<|x|>", 258], "sep": ["<|x|>", 258]}},
            {"frame": ((258,), (258,))},
        ),
        (
            {"pre_tokenizer": split("a", behavior="Removed")},
            {"split_steps": (("Split", "Regex", "a", "Removed", False), ("ByteLevel", False, False))},
        ),
        (
            {"normalizer": {"type": "NFC"}, "added_tokens": [added_token(258, "xy", normalized=True)]},
            {"special_flags": {"xy": ("normalized",)}},
        ),
        (
            {"added_tokens": [added_token(258, "<a>b", normalized=True), added_token(259, "b<")]},
            {"special_flags": {"<a>b": ("normalized",)}},
        ),
        ({"added_tokens": [added_token(258, "a|"), added_token(258, "a|")]}, {"special_tokens": {"a|": 258}}),
    ],
)
def test_settings_with_effect_are_in_the_record(changes, fields):
    """Here are those that no kind of file in test_huggingface_kinds has; its ids show the others."""
    record = read(**changes)
    assert {name: getattr(record, name) for name in fields} == fields
    again = huggingface_json.from_json(huggingface_json.to_json(record))
    assert again == record


@pytest.mark.parametrize(
    ("changes", "path", "why"),
    [
        ({"type": "WordLevel"}, r"\$\.model", "WordLevel"),
        ({"dropout": 0.1}, r"\$\.model\.dropout", "chance"),
        ({"end_of_word_suffix": "</w>", "ignore_merges": True}, r"\$\.model\.ignore_merges", "suffix"),
        ({"normalizer": {"type": "ByteLevel"}}, r"\$\.normalizer\.type", "NFKC, NFKD, Nmt, Lowercase, Strip"),
        (
            {"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "ByteLevel"}]}},
            r"\$\.normalizer\.normalizers\[1\]\.type",
            "supported normalizers",
        ),
        (
            {"normalizer": {"type": "Replace", "pattern": {"Regex": "(?i)ss"}, "content": "s"}},
            r"\$\.normalizer\.pattern\.Regex",
            "where case is ignored",
        ),
        ({"normalizer": {"type": "Replace", "pattern": {"String": ""}, "content": "s"}}, "String", "everywhere"),
        (
            {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "UnicodeScripts"}, BYTE_LEVEL]}},
            r"\$\.pre_tokenizer\.pretokenizers\[0\]\.type",
            "Split, Digits, Punctuation",
        ),
        (
            {"pre_tokenizer": split(r"\w+")},
            r"pretokenizers\[0\]\.pattern\.Regex",
            "means other characters in other engines",
        ),
        ({"post_processor": {"type": "Other"}}, r"\$\.post_processor", "not supported"),
        ({"added_tokens": [added_token(300, "<|x|>")]}, r"added_tokens\[0\]\.id", "tokenizers gives"),
    ],
)
def test_unsupported_settings_are_refused_with_their_path(changes, path, why):
    with pytest.raises(UnsupportedModel, match=why) as caught:
        read(**changes)
    caught.match(path)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"merges": ["a b", "ab d"]}, r"\$\.model\.merges\[1\].*no 'abd'"),
        ({"merges": ["a b", "ab  c"]}, r"\$\.model\.merges\[1\]"),
        ({"merges": [["a", "b"], ["ab"]]}, r"\$\.model\.merges\[1\]"),
        ({"merges": ["zz b"]}, r"no 'zz'"),
        ({"vocab": {"a": 1.0}}, r"\$\.model\.vocab\.a: expected an id"),
        ({"vocab": {"a": 2**32}}, "expected an id"),
        ({"added_tokens": [added_token(258, "")]}, r"added_tokens\[0\]\.content"),
        (
            {
                "normalizer": {"type": "Lowercase"},
                "added_tokens": [added_token(258, "<A>", normalized=True), added_token(259, "<a>", normalized=True)],
            },
            r"added_tokens\[1\]\.content.*'<A>'",
        ),
        ({"added_tokens": [{"id": 258, "content": "<|x|>"}]}, "lstrip: expected true or false"),
        ({"pre_tokenizer": split("(")}, r"pattern\.Regex"),
        ({"pre_tokenizer": {"type": "ByteLevel"}}, "add_prefix_space: expected true"),
        ({"truncation": 5}, r"\$\.truncation: expected an object"),
        ({"padding": [0]}, r"\$\.padding: expected an object"),
    ],
)
def test_damage_is_refused_with_its_path(changes, what):
    with pytest.raises((UnreadableModel, UnsupportedModel), match=what):
        read(**changes)


def test_published_vocabularies_need_no_note_and_are_written_as_others_write_them():
    gpt2 = json.loads(huggingface_json.to_json(load("gpt2")))
    assert gpt2["pre_tokenizer"] == {**BYTE_LEVEL, "use_regex": True}
    assert "minbpe_course" not in gpt2["model"]
    like_cl100k = awkward_model("pattern of cl100k").replace(special_tokens={"<|endoftext|>": 300})
    written = json.loads(huggingface_json.to_json(like_cl100k))
    assert written["pre_tokenizer"]["pretokenizers"][0]["pattern"] == {"Regex": patterns.CL100K_FIRST_PATTERN}
    assert written["model"]["vocab"]["<|endoftext|>"] == 300


@pytest.mark.parametrize(
    ("label", "why"),
    [
        ("specials like tokens", "spelled like the ordinary token"),
        ("a token made two ways", "both stand for"),
        ("pattern in lines", "the flags 'x' are not supported"),
    ],
)
def test_models_that_do_not_fit_are_refused_with_the_reason(label, why, tmp_path):
    record = awkward_model(label)
    assert why in huggingface_json.why_not(record)
    with pytest.raises(UnsupportedModel, match=why):
        huggingface_json.write(record, tmp_path / "tokenizer.json")
    assert list(tmp_path.iterdir()) == []


OWN_PATTERNS = (
    r" ?[a-z]+|\s+$|^#+|[\s\S]",
    r"[ab]{1,2}+|c+",
    r"(?m:a.)|\S+?(?=b|\Z)|\s",
    r"(?i:'s|ab)|(?>ab?)c|[^\n]",
    r"(?<![\r\n])\n|[^\r\n]+",
    "[a[b-c]]+",
)


@pytest.mark.parametrize("pattern", OWN_PATTERNS)
def test_a_pattern_of_the_users_own_gives_the_ids_of_tokenizers_after_loading_and_after_saving(pattern):
    rng = random.Random(pattern)
    texts = ["".join(rng.choices("abcabc'sS #\n\r\né", k=rng.randint(0, 12))) for _ in range(200)]
    merges = ["a b", "ab c", "c c", "b c", "Ġ a", "' s", "Ċ Ċ", "# #", "Ã ©"]
    vocab = document()["model"]["vocab"] | {merge.replace(" ", ""): 256 + at for at, merge in enumerate(merges)}
    given = document(pre_tokenizer=split(pattern), vocab=vocab, merges=merges, added_tokens=[])
    wanted = [one.ids for one in Tokenizer.from_str(json.dumps(given)).encode_batch(texts)]
    record = huggingface_json.from_json(json.dumps(given))
    assert list(map(ids_of(record), texts)) == wanted
    saved = Tokenizer.from_str(huggingface_json.to_json(record).decode())
    assert [one.ids for one in saved.encode_batch(texts)] == wanted


@pytest.mark.parametrize("engine", ["regex", "tiktoken"])
@pytest.mark.parametrize("pattern", [r"\w+|\W", r"(?s:.){1,3}+", r" ?\p{Lu}\S*+|\s+$|(?i:é)|[^é]", r"\b\w+\b|[\s\S]"])
def test_a_pattern_of_another_engine_is_saved_with_its_ids(pattern, engine):
    rng = random.Random(pattern)
    record = VocabularyModel(
        {**{byte: bytes([byte]) for byte in range(256)}, 256: b"ab", 257: b"Ab", 258: "éÉ".encode()},
        [(97, 98, 256), (65, 98, 257)],
        pattern=pattern,
        pattern_engine=engine,
    )
    saved = Tokenizer.from_str(huggingface_json.to_json(record).decode())
    for _ in range(100):
        text = "".join(rng.choices("abAbéÉ1_ \n漢٣", k=rng.randint(0, 12)))
        assert saved.encode(text).ids == ids_of(record)(text), text


def test_white_space_at_the_end_is_cut_as_the_vocabulary_needs_it():
    """cl100k keeps white space at the end of a text whole; that shows only where a token reaches over a line break."""
    for tokens, shows in (([b"\n ", b"  "], True), ([b" \n", b"  "], False)):
        pairs = [tuple(token) for token in tokens]
        record = BytePairModel(pairs, pattern=patterns.CL100K_PATTERN)
        written = huggingface_json.to_json(record)
        said = json.loads(written)["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"]
        assert (said != patterns.CL100K_FIRST_PATTERN) == shows
        witness = Tokenizer.from_str(written.decode())
        for text in ("a\n  ", "a \n \n   ", " \n \t", "\n ", "\n\n  x"):
            assert witness.encode(text).ids == ids_of(record)(text)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "line 1"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b'{"model": NaN}', "NaN"),
        (b'{"model": 1, "model": 2}', "twice"),
        (b'{"a": \n [1, }', "line 2"),
        (b"[" * 100_000, "nested"),
        (b'{"model": "\\ud800"}', "surrogate"),
        (b'{"normaliser": null}', "'normaliser' is not known"),
        (b'{"version": "2.0"}', r"\$.version"),
        (
            b'{"model": {"type": "BPE", "vocab": {}, "merges": []}, '
            b'"pre_tokenizer": {"type": "CharDelimiterSplit", "delimiter": ""}}',
            r"\$.pre_tokenizer.delimiter: expected one character",
        ),
        (b'{"model": {"type": "BPE", "vocab": {"a": 1e9}}}', r"\$.model.vocab.a"),
    ],
)
def test_what_is_no_file_of_this_kind_is_refused_with_its_place(data, what):
    with pytest.raises((UnreadableModel, UnsupportedModel), match=what):
        huggingface_json.from_json(data)


@pytest.mark.parametrize("text", ["é", "Å", "ÿ", "Ġ", "Ċ", "Ã©", "Ġthe", "Ġé"])
def test_an_added_token_may_be_spelled_like_an_entry_of_the_vocabulary(text):
    witness = Tokenizer(BPE())
    witness.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    witness.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = BpeTrainer(vocab_size=300, initial_alphabet=alphabet, special_tokens=["<s>"], show_progress=False)
    witness.train_from_iterator(["the the é é Å aé"], trainer)
    witness.add_tokens([text])
    record = huggingface_json.from_json(witness.to_str())
    texts = ["aé", "Ġthe the theĠ", "Ã© é Å ÿ Ċ\n", f"a{text}b {text}", *hostile_texts(3, 30)]
    rewritten = Tokenizer.from_str(huggingface_json.to_json(record).decode())
    for each in texts:
        ids = ids_of(record)(each)
        assert ids == witness.encode(each).ids == rewritten.encode(each).ids
        if text in alphabet or text == "Ġthe":
            assert Encoding.from_model(record).decode(ids) == witness.decode(ids, skip_special_tokens=False)


def test_a_note_that_no_longer_fits_is_not_believed():
    record = awkward_model("ranks, specials first")
    document = json.loads(huggingface_json.to_json(record))
    assert document["model"]["minbpe_course"]["ranks"]
    document["model"]["merges"].reverse()
    edited = json.dumps(document)
    back = huggingface_json.from_json(edited)
    assert back.merges is not None
    texts = [*hostile_texts(5, 50), "aab aa aaab"]
    witness = Tokenizer.from_str(edited)
    assert [ids_of(back)(text) for text in texts] == [witness.encode(text).ids for text in texts]


@pytest.mark.parametrize(
    "note",
    [
        7,
        {"record": "BytePairModel"},
        {"record": "VocabularyModel", "tokens": ["zz"]},
        {"record": "VocabularyModel", "tokens": [300]},
    ],
)
def test_a_note_of_nonsense_is_passed_over(note):
    document = json.loads(huggingface_json.to_json(awkward_model("plain")))
    document["model"]["minbpe_course"] = note
    assert huggingface_json.from_json(json.dumps(document)) == awkward_model("plain")


def test_the_deepest_nesting_that_is_read():
    assert read_value(b"[" * 100 + b"]" * 100, "x.json").a_list()
    with pytest.raises(UnreadableModel, match="more than 100 deep"):
        read_value(b"[" * 101 + b"]" * 101, "x.json")
