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
    assert record.pipeline is not None


@pytest.mark.parametrize("fuse", [False, True])
@pytest.mark.parametrize("marks", [{"end_of_word_suffix": "</w>"}, {"continuing_subword_prefix": "##"}, {}])
@pytest.mark.parametrize("words", WORDS)
def test_bpe_of_words_has_the_ids_of_tokenizers(words, marks, fuse):
    draw = random.Random(f"{words} {marks} {fuse}")
    theirs = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=fuse, **marks))
    theirs.normalizer, theirs.pre_tokenizer = (part or getattr(theirs, "none", None) for part in WORDS[words])
    theirs.decoder = decoders.BPEDecoder("</w>")
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
    theirs.decoder = decoders.Metaspace()
    compare(theirs, draw)


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
