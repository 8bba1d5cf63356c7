"""Training WordPiece: beside the living tokenizers, and beside the readable version."""

import collections
import random
from pathlib import Path

import pytest
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, trainers

from minbpe_course import load_tokenizer, train_wordpiece
from minbpe_course.cli.main import main
from minbpe_course.corpus import course_text
from minbpe_course.errors import InvalidSpecialToken, InvalidVocabularySize
from minbpe_course.reference.wordpiece_training import learn_tokens
from minbpe_course.trainers.wordpiece import SPECIAL_TOKENS


def _random(seed: int, letters: str, words: int, most: int) -> str:
    draw = random.Random(seed)
    return " ".join("".join(draw.choices(letters, k=draw.randint(1, most))) for _ in range(words))


CORPORA = {
    "stories": (course_text()[:20_000], 2000),
    "scripts": (course_text()[30_000:], 3500),
    "code": (Path(collections.__file__).read_text(encoding="utf-8"), 900),
    "ties": (_random(1, "ab", 300, 6), 200),
    "letters": (_random(2, "abcdef", 3000, 9), 400),
    "accents": (_random(3, "aéüİßcd", 900, 5), 150),
    "runs": (_random(4, "a", 400, 30), 90),
    "one long word": (_random(5, "abc中", 1, 3000), 300),
    "marks": ("#### ## #a ##a x#y " * 20, 60),
    "few": ("low lower newest", 60),
}


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("name", CORPORA)
def test_learns_the_tokens_of_tokenizers(name, lowercase):
    text, size = CORPORA[name]
    draw = random.Random(f"{name} {lowercase}")
    least, limit = draw.choice((0, 1, 2)), draw.choice((None, None, 12))
    theirs = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    theirs.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    options = {} if limit is None else {"limit_alphabet": limit}
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, min_frequency=least, special_tokens=list(SPECIAL_TOKENS), show_progress=False, **options
    )
    theirs.train_from_iterator(text.split("\n"), trainer)
    wanted = sorted(theirs.get_vocab(), key=theirs.get_vocab().__getitem__)
    # Their marked characters have the order of a hash table, which decides between pairs of one count.
    marked = [token for token in wanted if token.startswith("##") and len(token) == 3]
    given = dict(lowercase=lowercase, min_frequency=least, limit_alphabet=limit, continuing=marked)
    assert list(train_wordpiece(text, size, **given).pieces) == wanted


def test_learns_the_tokens_of_the_reference():
    for seed in range(12):
        draw = random.Random(seed)
        text = _random(seed, draw.choice(("ab", "abcde", "a")), 60, 7)
        size, least = draw.randint(20, 90), draw.choice((1, 3))
        words = collections.Counter(text.split())
        wanted = learn_tokens(words, size, SPECIAL_TOKENS, min_frequency=least)
        assert list(train_wordpiece(text, size, min_frequency=least).pieces) == wanted


def test_likelihood_merges_rare_neighbours_first():
    words = {"the": 100, "then": 50, "qx": 2}
    assert learn_tokens(words, 12)[-2:] == ["th", "the"]
    assert learn_tokens(words, 12, score="likelihood")[-2:] == ["qx", "th"]


def test_wrong_options_are_named():
    with pytest.raises(InvalidVocabularySize, match="Give 9 or more"):
        train_wordpiece("low", 8, special_tokens=["[UNK]", "[CLS]", "[SEP]", "[X]"])
    with pytest.raises(InvalidSpecialToken, match=r"\[UNK\]"):
        train_wordpiece("low", special_tokens=["[CLS]"])


def test_command_line_writes_a_vocab_txt(tmp_path, capsys):
    (tmp_path / "text.txt").write_text("low lower lowest\n" * 9, encoding="utf-8")
    out = tmp_path / "vocab.txt"
    assert main(["train", str(tmp_path / "text.txt"), "--kind", "wordpiece", "-n", "20", "-o", str(out)]) == 0
    assert load_tokenizer(out).encode("Lower", return_type=str)[0].startswith("lo")
    assert main(
        ["train", str(tmp_path / "text.txt"), "--kind", "wordpiece", "-n", "20", "-o", str(tmp_path / "m.model")]
    )
    assert "vocab.txt" in capsys.readouterr().err
