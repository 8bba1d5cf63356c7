"""Files whose tokens are pieces of words that a pre-tokenizer cuts: GPT-1, ChatGLM, XLNet, and what tutorials train."""

import json
import random

import pytest
import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

from minbpe_course import load_tokenizer
from minbpe_course.corpus import course_text
from minbpe_course.errors import UnsupportedModel
from minbpe_course.formats import huggingface_json
from minbpe_course.reference.encoding import encode_word
from tests.shared.long_run import examples

AWKWARD = [
    *"abc xyz019.,!?'-#\t\n",
    "é",
    "e\u0301",
    "中",
    "漢",
    "😀",
    "the ",
    "ing",
    "İ",
    "\u200b",
    "▁",
    "</w>",
    "##",
    "<x>",
]
BERT, MARKS = pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Metaspace()
WORDS = {
    "GPT-1": (normalizers.BertNormalizer(), BERT),
    "white space": (None, pre_tokenizers.Whitespace()),
    "digits": (
        normalizers.NFC(),
        pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(True)]),
    ),
    "marks, then punctuation": (
        normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents()]),
        pre_tokenizers.Sequence([MARKS, pre_tokenizers.Punctuation()]),
    ),
    "ChatGLM": (
        normalizers.Replace(Regex(" {2,}"), "▁▁"),
        pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(r"\d|[^\s\p{L}▁]"), "isolated"), MARKS]),
    ),
    "spaces": (
        normalizers.Nmt(),
        pre_tokenizers.Sequence([pre_tokenizers.CharDelimiterSplit("-"), pre_tokenizers.Digits(True)]),
    ),
    "one word": (None, None),
    "bytes": (None, pre_tokenizers.ByteLevel(add_prefix_space=False)),
    "marks never": (
        None,
        pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="never")]),
    ),
}


def compare(theirs: tokenizers.Tokenizer, draw: random.Random) -> None:
    record = huggingface_json.from_json(theirs.to_str())
    ours = load_tokenizer(theirs)
    texts = ["".join(draw.choices(AWKWARD, k=draw.randint(0, 25))) for _ in range(examples(150))]
    batch = ours.encode_batch(texts)
    for text, wanted, ids in zip(texts, theirs.encode_batch(texts, add_special_tokens=False), batch):
        assert ids == ours.encode(text) == wanted.ids, text
        assert ours.count(text) == len(wanted.ids)
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)
        assert "".join(ours.decode_stream(ids)) == ours.decode(ids)
    assert record.pipeline is not None


@pytest.mark.parametrize("unknown", [{"unk_token": "<unk>"}, {"unk_token": "<unk>", "fuse_unk": True}, {}])
@pytest.mark.parametrize("marks", [{"end_of_word_suffix": "</w>"}, {"continuing_subword_prefix": "##"}, {}])
@pytest.mark.parametrize("words", WORDS)
def test_bpe_of_words_has_the_ids_of_tokenizers(words, marks, unknown):
    if words == "bytes" and not marks:
        return
    draw = random.Random(f"{words} {marks} {unknown}")
    theirs = tokenizers.Tokenizer(models.BPE(**unknown, **marks))
    theirs.normalizer, theirs.pre_tokenizer = (part or getattr(theirs, "none", None) for part in WORDS[words])
    theirs.decoder = decoders.ByteLevel() if words == "bytes" else decoders.BPEDecoder("</w>")
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<unk>", "<x>"], limit_alphabet=40, show_progress=False, **marks
    )
    theirs.train_from_iterator([course_text()[:9000]], trainer)
    compare(theirs, draw)


@pytest.mark.parametrize("words", WORDS)
def test_unigram_of_words_has_the_ids_of_tokenizers(words):
    draw = random.Random(words)
    pieces = {"".join(draw.choices("abctheing ▁中.19e", k=draw.randint(1, 4))): -draw.uniform(1, 9) for _ in range(200)}
    theirs = tokenizers.Tokenizer(models.Unigram([("<unk>", 0.0), *pieces.items()], unk_id=0))
    theirs.normalizer, theirs.pre_tokenizer = (part or getattr(theirs, "none", None) for part in WORDS[words])
    theirs.decoder = decoders.ByteLevel() if words == "bytes" else decoders.Metaspace()
    compare(theirs, draw)


@pytest.mark.parametrize("marks", [{"end_of_word_suffix": "</w>"}, {"continuing_subword_prefix": "##"}])
def test_words_with_marks_have_the_ids_of_the_reference(marks):
    theirs = tokenizers.Tokenizer(models.BPE(**marks))
    theirs.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    text = course_text()[:9000]
    theirs.train_from_iterator([text], trainers.BpeTrainer(vocab_size=500, show_progress=False, **marks))
    ours, model = load_tokenizer(theirs), json.loads(theirs.to_str())["model"]
    # The reference wants ids in the order of merges: letters first.
    made, prefix = {}, marks.get("continuing_subword_prefix", "")
    for left, right in model["merges"]:
        made.setdefault(left + right.removeprefix(prefix), (left, right))
    tokens = [*(token for token in model["vocab"] if token not in made), *made]
    number = {token: at for at, token in enumerate(tokens)}
    ranks = {(number[left], number[right]): number[token] for token, (left, right) in made.items()}
    for word in set(text.split()):
        symbols = [prefix + one if at else one for at, one in enumerate(word)]
        symbols[-1] += marks.get("end_of_word_suffix", "")
        wanted = [tokens[one] for one in encode_word([number[symbol] for symbol in symbols], ranks)]
        assert [ours.id_to_piece(one) for one in ours.encode(word)] == wanted


def test_marks_and_bytes_together_are_refused():
    theirs = tokenizers.Tokenizer(
        models.BPE({"<unk>": 0, "a</w>": 1}, [], unk_token="<unk>", end_of_word_suffix="</w>")
    )
    theirs.pre_tokenizer = BERT
    document = json.loads(theirs.to_str())
    document["model"]["byte_fallback"] = True
    document["model"]["vocab"] |= {f"<0x{byte:02X}>": 2 + byte for byte in range(256)}
    with pytest.raises(UnsupportedModel, match="byte_fallback"):
        huggingface_json.from_json(json.dumps(document))


@pytest.mark.parametrize("kind", ["GPT-1", "CLIP"])
def test_folders_with_word_ends_are_read_as_transformers_reads_them(kind, tmp_path):
    theirs = tokenizers.Tokenizer(
        models.BPE(unk_token="<unk>" if kind == "GPT-1" else "<|endoftext|>", end_of_word_suffix="</w>")
    )
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if kind == "GPT-1":
        theirs.normalizer, theirs.pre_tokenizer = normalizers.BertNormalizer(lowercase=True), BERT
        theirs.decoder, special, letters = decoders.BPEDecoder("</w>"), ["<unk>"], list("abcdefghijklmnopqrstuvwxyz")
    else:
        steps = [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
        pattern = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
        split = pre_tokenizers.Split(Regex(pattern), behavior="removed", invert=True)
        theirs.normalizer, theirs.pre_tokenizer = (
            normalizers.Sequence(steps),
            pre_tokenizers.Sequence([split, byte_level]),
        )
        theirs.decoder, special = decoders.ByteLevel(), ["<|startoftext|>", "<|endoftext|>"]
        letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=900, initial_alphabet=letters, end_of_word_suffix="</w>", show_progress=False
    )
    ends = [f"{letter}</w>" for letter in letters]
    theirs.train_from_iterator([course_text()[:6000], " ".join(letters)], trainer)
    model = json.loads(theirs.to_str())["model"]
    vocabulary = dict.fromkeys([*letters, *ends, *model["vocab"], *special])
    ids = {token: place for place, token in enumerate(vocabulary)}
    (tmp_path / "vocab.json").write_text(json.dumps(ids), encoding="utf-8")
    lines = ["#version: 0.2", *(" ".join(pair) for pair in model["merges"])]
    (tmp_path / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    document = json.loads(theirs.to_str())
    document["model"]["vocab"] = ids
    theirs = tokenizers.Tokenizer.from_str(json.dumps(document))
    theirs.add_special_tokens(special)
    ours = load_tokenizer(tmp_path)
    draw = random.Random(kind)
    for _ in range(200):
        text = "".join(draw.choices(AWKWARD, k=draw.randint(0, 25)))
        assert list(ours.encode(text)) == theirs.encode(text, add_special_tokens=False).ids, text


def test_the_empty_token_of_whispers_folder_is_read(tmp_path):
    alphabet = {character: place for place, character in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    (tmp_path / "vocab.json").write_text(
        json.dumps({**alphabet, "ab": 256, "": 257, "<|endoftext|>": 258}), encoding="utf-8"
    )
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b\n", encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "WhisperTokenizer"}', encoding="utf-8")
    ours = load_tokenizer(tmp_path)
    assert ours.encode("ab<|endoftext|>", allowed_special="all") == [256, 258]
    assert ours.decode([257, 256]) == "ab"
