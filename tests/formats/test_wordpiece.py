"""WordPiece in a tokenizer.json and in a vocab.txt: ids, offsets and decoded text beside the living tokenizers."""

import json
import random

import pytest
import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

from minbpe_course import SentencePieceTokenizer, convert, load_tokenizer
from minbpe_course.errors import NotAvailable, UnreadableModel, UnsupportedModel
from minbpe_course.formats import huggingface_json, wordpiece_vocab
from minbpe_course.reference import wordpiece

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SHAPES = {
    "uncased": "abcdefghijklmnopqrstuvwxyz0123456789.,!?'-#",
    "cased": "abcdefghijklmnoABCDEFGHéÉüß0123456789.,!?'-",
    "multilingual": "abcdeéüßинйбЙ中国漢か한각אבกकิ0123.,!।\U0001d165\u302e\u1baa",
}
AWKWARD = [
    *"abcABC xyz019.,!?'-#\t\n\r",
    *("é", "ü", "İ", "ß", "ﬁ", "Σ", "ς", "Ǆ", "中", "漢", "豈", "か", "한", "ᄀ", "ᅡ", "й", "א", "ب", "क्षि", "ก็", "½"),
    *("e\u0301", "\u0301", "\u0323", "\u200d", "\xad", "\ufeff", "\ufffd", "\0", "\x85", "\xa0", "\u3000", "\ue000"),
    *(
        "\U0001f600",
        "\U0001d160",
        "\U0001d165",
        "\u302e",
        "\u1baa",
        "\ufe0f",
        "，",
        "“",
        "##",
        "##a",
        "[UNK]",
        "[SEP]",
        " [MASK] ",
        "new",
        "NEW",
        "a" * 101,
    ),
]


def made(draw: random.Random, shape: str) -> tokenizers.Tokenizer:
    """Make a tokenizer of a shape that BERT's files have, with random tokens and options."""
    mark, alphabet = draw.choice(("##", "##", "@", "")), SHAPES[shape]
    tokens = dict.fromkeys(SPECIAL)
    tokens |= dict.fromkeys(prefix + one for one in alphabet for prefix in ("", mark) if draw.random() < 0.95)
    for _ in range(500):
        tokens[draw.choice(("", mark)) + "".join(draw.choices(alphabet, k=draw.randint(2, 5)))] = None
    ids = {token: place for place, token in enumerate(tokens)}
    longest = draw.choice((100, 100, 5, 1))
    tokenizer = tokenizers.Tokenizer(
        models.WordPiece(ids, unk_token="[UNK]", continuing_subword_prefix=mark, max_input_chars_per_word=longest)
    )
    flags = dict(clean_text=draw.random() < 0.8, handle_chinese_chars=draw.random() < 0.8)
    bert = normalizers.BertNormalizer(
        **flags, strip_accents=draw.choice((None, True, False)), lowercase=shape != "cased"
    )
    usual = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()])
    tokenizer.normalizer = draw.choice((bert, bert, bert, usual))
    split = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()]
    bert_words = pre_tokenizers.BertPreTokenizer()
    tokenizer.pre_tokenizer = draw.choice(
        (bert_words, bert_words, pre_tokenizers.Whitespace(), pre_tokenizers.Sequence(split))
    )
    tokenizer.decoder = decoders.WordPiece(prefix=mark, cleanup=draw.random() < 0.5)
    spaces = dict(lstrip=draw.random() < 0.3, rstrip=draw.random() < 0.3)
    tokenizer.add_special_tokens(
        [tokenizers.AddedToken(text, special=True, normalized=False, **spaces) for text in SPECIAL]
    )
    if draw.random() < 0.3:
        tokenizer.add_tokens(
            [tokenizers.AddedToken("new", normalized=True), tokenizers.AddedToken("Ünü", normalized=False)]
        )
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    return tokenizer


def texts(draw: random.Random, number: int) -> list[str]:
    """Return awkward texts, and such of any characters."""
    found = ["", " ", "a" * 100, "a" * 101]
    while len(found) < number:
        if draw.random() < 0.2:
            points = (draw.choice((0x250, 0x3100, 0x110000)) for _ in range(draw.randint(1, 20)))
            found.append("".join(chr(each) for each in map(draw.randrange, points) if not 0xD800 <= each < 0xE000))
        else:
            found.append("".join(draw.choices(AWKWARD, k=draw.randint(1, 40))))
    return found


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_gives_what_tokenizers_gives(shape, seed):
    draw = random.Random(f"{shape} {seed}")
    theirs = made(draw, shape)
    record = huggingface_json.from_json(theirs.to_str())
    ours = SentencePieceTokenizer(model=record)
    given = texts(draw, 150)
    batch = ours.encode_batch(given)
    for text, wanted, ids in zip(given, theirs.encode_batch(given, add_special_tokens=False), batch):
        assert ids == ours.encode(text) == wanted.ids, text
        assert ours.count(text) == len(wanted.ids)
        assert ours.encode(text, frame=True) == theirs.encode(text).ids
        assert ours.encode(text, return_type="offset_mapping")["offsets"] == wanted.offsets, text
        for skip in (False, True):
            assert ours.decode(ids, skip_special_tokens=skip) == theirs.decode(ids, skip_special_tokens=skip)
    pair = theirs.encode(given[4], given[5])
    assert ours.encode_pair(given[4], given[5]) == (pair.ids, pair.type_ids)
    assert json.loads(huggingface_json.to_json(record)) == json.loads(theirs.to_str())


@pytest.mark.parametrize(
    ("normalizer", "pre_tokenizer"),
    [
        (normalizers.NFKC(), pre_tokenizers.BertPreTokenizer()),
        (normalizers.BertNormalizer(), None),
        (normalizers.NFC(), pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits(False)])),
        (
            None,
            pre_tokenizers.Sequence([pre_tokenizers.Split(",", "merged_with_next"), pre_tokenizers.BertPreTokenizer()]),
        ),
    ],
)
def test_rules_that_python_applies_give_the_same_ids(normalizer, pre_tokenizer):
    draw = random.Random(5)
    theirs = made(draw, "multilingual")
    theirs.normalizer, theirs.pre_tokenizer = normalizer, pre_tokenizer
    ours = load_tokenizer(theirs)
    for text in texts(draw, 120):
        wanted = theirs.encode(text, add_special_tokens=False)
        assert ours.encode(text) == wanted.ids, text
    with pytest.raises(NotAvailable, match="Ask for ids"):
        ours.encode_with_offsets("a b")


def test_kernel_gives_the_ids_of_the_reference():
    draw = random.Random(7)
    theirs = made(draw, "uncased")
    ids = theirs.get_vocab()
    record = huggingface_json.from_json(theirs.to_str())
    assert record.pipeline is not None
    ours = SentencePieceTokenizer(model=record)
    mark, longest = record.pipeline.continuing_prefix, record.pipeline.longest_word
    for _ in range(500):
        word = "".join(draw.choices("abcdefgh中", k=draw.randint(1, 12)))
        wanted = [
            each
            for one in wordpiece.basic_words(word)
            for each in wordpiece.encode_word(one, ids, mark, longest=longest)
        ]
        assert ours.encode(word) == wanted or record.pipeline.normalizer[0][0] != "Bert"


def test_vocab_txt_becomes_tokenizer_json_and_back(tmp_path):
    tokens = [*SPECIAL, "low", "##er", "!", "e"]
    (tmp_path / "vocab.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    ours = load_tokenizer(tmp_path)
    assert ours.encode("Lower!é", frame=True) == [2, 5, 6, 7, 8, 3]
    convert(tmp_path / "vocab.txt", tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert theirs.encode("Lower!é").ids == [2, 5, 6, 7, 8, 3]
    assert theirs.decode([5, 6, 7]) == ours.decode([5, 6, 7]) == "lower!"
    convert(tmp_path / "tokenizer.json", tmp_path / "copy-vocab.txt")
    assert (tmp_path / "copy-vocab.txt").read_text(encoding="utf-8").split() == tokens
    theirs.normalizer = normalizers.BertNormalizer(lowercase=False)
    with pytest.raises(UnsupportedModel, match="the tokens alone"):
        convert(theirs, tmp_path / "cased-vocab.txt")
    with pytest.raises(UnsupportedModel, match="WordPiece"):
        convert(theirs, tmp_path / "mine.tiktoken")


def test_settings_beside_a_vocab_txt_decide(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("<unk>\nLow\nlow\n##É\n##e\n中\n中国\n", encoding="utf-8")
    with pytest.raises(UnsupportedModel, match=r"there is no unknown token '\[UNK\]'"):
        load_tokenizer(path)
    settings = {"unk_token": {"content": "<unk>"}, "do_lower_case": False, "tokenize_chinese_chars": False}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    assert load_tokenizer(path).encode("LowÉ lowe 中国") == [1, 3, 2, 4, 6]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings | {"do_lower_case": True}), encoding="utf-8")
    assert load_tokenizer(path).encode("LowÉ") == [2, 4]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[UNK]\na\na\n", "line 3: the token 'a' of line 2 again"),
        (b"[UNK]\n\na\n", "line 2: no token"),
        (b"[UNK]\n\xff\n", "line 2: expected UTF-8"),
    ],
)
def test_damaged_vocab_txt_names_the_line(data, said):
    with pytest.raises(UnreadableModel, match=said):
        wordpiece_vocab.from_text(data)


def _without(key):
    return lambda document: document["model"].pop(key)


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (lambda d: d["model"].update(unk_token="none"), UnsupportedModel, "no such token"),
        (_without("unk_token"), UnreadableModel, "unk_token"),
        (_without("continuing_subword_prefix"), UnreadableModel, "continuing_subword_prefix"),
        (lambda d: d["model"].update(max_input_chars_per_word=-1), UnreadableModel, "max_input_chars_per_word"),
        (lambda d: d["model"]["vocab"].update(odd=10**9), UnsupportedModel, "odd"),
        (lambda d: d["model"]["vocab"].update(odd="1"), UnreadableModel, "odd"),
        (lambda d: d.update(pre_tokenizer={"type": "Metaspace"}), UnsupportedModel, "pre_tokenizer"),
        (lambda d: d.update(decoder={"type": "CTC"}), UnsupportedModel, "decoder"),
    ],
)
def test_refuses_by_name(change, error, said):
    document = json.loads(made(random.Random(1), "cased").to_str())
    change(document)
    with pytest.raises(error, match=said):
        huggingface_json.from_json(json.dumps(document))


def test_file_without_the_type_of_its_model_is_read():
    document = json.loads(made(random.Random(2), "cased").to_str())
    del document["model"]["type"]
    assert huggingface_json.from_json(json.dumps(document)).model_type == "wordpiece"


def test_long_tokens_and_long_words():
    tokens = {"[UNK]": 0, "a" * 100_000: 1, "a": 2, "##a": 3}
    theirs = tokenizers.Tokenizer(models.WordPiece(tokens, unk_token="[UNK]", max_input_chars_per_word=200_000))
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ours = load_tokenizer(theirs)
    text = "a" * 100_003 + " aa " + "a" * 200_001
    assert ours.encode(text) == [1, 3, 3, 3, 2, 3, 0]
    assert "".join(ours.decode_stream([2, 3, 2])) == "a ##a a"
