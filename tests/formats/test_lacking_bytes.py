"""A tokenizer.json without tokens for some bytes, as those of Pythia (13), Falcon (28) and tiny models (160 bytes)."""

import json
import random

import pytest
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from minbpe_course import convert, load_tokenizer, train
from minbpe_course.corpus import course_text
from minbpe_course.errors import UnsupportedModel
from minbpe_course.formats import huggingface_json
from minbpe_course.text.byte_alphabet import BYTE_OF
from tests.shared.long_run import examples

IMPOSSIBLE = {0xC0, 0xC1, *range(0xF5, 0x100)}
SPELLED = {byte: character for character, byte in BYTE_OF.items()}
AWKWARD = [*"abc xyz019.,!?'-#\t\n\r\0\1\3\x7f", "é", "中", "😀", "the", "ing", "\u0301", "İ", "\u200b"]


def made(draw: random.Random, missing: set[int], unknown: str | None, **options: bool) -> tokenizers.Tokenizer:
    """Train a byte-level BPE that has no tokens for the missing bytes."""
    tokenizer = tokenizers.Tokenizer(models.BPE(unk_token=unknown, **options))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    several = pre_tokenizers.Sequence([pre_tokenizers.Punctuation("contiguous"), byte_level, pre_tokenizers.Digits()])
    tokenizer.pre_tokenizer, tokenizer.decoder = draw.choice((byte_level, several)), decoders.ByteLevel()
    specials = ["<|endoftext|>", *([unknown] if unknown else [])]
    alphabet = [character for byte, character in SPELLED.items() if byte not in missing]
    trainer = trainers.BpeTrainer(
        vocab_size=700, special_tokens=specials, initial_alphabet=alphabet, show_progress=False
    )
    text = "".join(character for character in course_text()[:9000] if missing.isdisjoint(character.encode()))
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


@pytest.mark.parametrize("ignore_merges", [False, True])
@pytest.mark.parametrize("kind", ["impossible", "control characters", "most", "unknown", "unknown, fused"])
def test_texts_with_such_bytes_have_the_ids_of_tokenizers(kind, ignore_merges):
    draw = random.Random(f"{kind} {ignore_merges}")
    others = {"impossible": [], "control characters": range(32)}.get(kind, sorted(set(range(0xF5)) - set(b" aeiou")))
    missing = IMPOSSIBLE | set(
        draw.sample(sorted(set(others) - IMPOSSIBLE), len(others) and (15 if len(others) < 99 else 147))
    )
    unknown = "<unk>" if "unknown" in kind else None
    theirs = made(draw, missing, unknown, fuse_unk="fused" in kind, ignore_merges=ignore_merges)
    assert not any(theirs.token_to_id(SPELLED[byte]) for byte in missing)
    record = huggingface_json.from_json(theirs.to_str())
    assert set(record.lacking) == missing
    assert huggingface_json.from_json(huggingface_json.to_json(record)) == record
    ours = load_tokenizer(theirs)
    for _ in range(examples(200)):
        text = "".join(draw.choices(AWKWARD, k=draw.randint(0, 30)))
        wanted = theirs.encode(text, add_special_tokens=False).ids
        assert ours.encode(text, allowed_special="all") == wanted, text
        assert ours.count(text, allowed_special="all") == len(wanted)
        assert ours.encode_batch([text, ""], allowed_special="all") == [wanted, []]
        assert ours.decode(wanted) == theirs.decode(wanted, skip_special_tokens=False)


def test_what_needs_all_bytes_is_refused(tmp_path):
    theirs = made(random.Random(1), IMPOSSIBLE, None)
    with pytest.raises(UnsupportedModel, match="13 of the 256 bytes have no token"):
        convert(theirs, tmp_path / "mine.tiktoken")
    with pytest.raises(UnsupportedModel, match="13 of the 256 bytes have no token"):
        train("low lower", 800, base=theirs)
    document = json.loads(theirs.to_str())
    document["model"]["unk_token"] = "<none>"
    with pytest.raises(UnsupportedModel, match="no such token"):
        huggingface_json.from_json(json.dumps(document))
