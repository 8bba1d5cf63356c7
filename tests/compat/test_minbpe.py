"""The functions and constants that programs import from minbpe, with only the import changed."""

from __future__ import annotations

import copy
import importlib
import pickle
import random
from collections.abc import Callable, Sequence
from operator import setitem
from pathlib import Path
from typing import Any

import pytest
import regex
import tiktoken

from minbpe_course import BasicTokenizer, GPT4Tokenizer, RegexTokenizer, get_encoding, use_bundled_vocabularies
from minbpe_course.compat.minbpe.base import Tokenizer, get_stats, merge, render_token, replace_control_characters
from minbpe_course.compat.minbpe.basic import BasicTokenizer as FromItsModule
from minbpe_course.compat.minbpe.gpt4 import GPT4_SPECIAL_TOKENS, GPT4_SPLIT_PATTERN, bpe, recover_merges
from minbpe_course.errors import (
    InvalidModel,
    InvalidTokenId,
    MinbpeCourseError,
    UnsupportedModel,
)
from tests.compat.minbpe_reference import MinbpeTwin, replaced, visible


@pytest.mark.medium
def test_gpt4_keeps_what_minbpe_keeps(tmp_path: Path) -> None:
    use_bundled_vocabularies()
    ranks = tiktoken.get_encoding("cl100k_base")._mergeable_ranks
    tokenizer = GPT4Tokenizer()
    assert tokenizer.byte_shuffle == {byte: ranks[bytes([byte])] for byte in range(256)}
    assert tokenizer.inverse_byte_shuffle == {rank: byte for byte, rank in tokenizer.byte_shuffle.items()}
    assert tokenizer.special_tokens == GPT4_SPECIAL_TOKENS == tiktoken.get_encoding("cl100k_base")._special_tokens
    assert tokenizer.inverse_special_tokens[100257] == "<|endoftext|>"
    assert tokenizer.vocab == {rank: token for token, rank in ranks.items()} | {
        token_id: name.encode() for name, token_id in GPT4_SPECIAL_TOKENS.items()
    }
    tokenizer.save_vocab(vocab_file=str(tmp_path / "gpt4.vocab"))
    lines = (tmp_path / "gpt4.vocab").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["[!] 0", '["] 1']
    assert f"[{render_token(b' world')}] 1917" in lines[1917]
    with pytest.raises(NotImplementedError):
        tokenizer.train("text", 300)
    compiled = RegexTokenizer().compiled_pattern
    assert compiled.findall("Hello world, it's 1234") == ["Hello", " world", ",", " it", "'s", " ", "123", "4"]
    assert compiled.pattern == GPT4_SPLIT_PATTERN


COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]


def changes_of(merges: dict[tuple[int, int], int], chance: random.Random) -> list[Callable[[Any], object]]:
    """A program that reads and changes the attributes of a tokenizer with these merges."""
    special, token_id = f"<|{chance.randrange(4)}|>", 300 + chance.randrange(50)
    pattern = chance.choice(["", GPT4_SPLIT_PATTERN, r"\w+|\W+"])
    seven = {pair: 256 + at for at, pair in enumerate(list(merges)[:7])}
    first, second, *_ = [*merges, None, None]
    return [
        lambda one: setattr(one, "special_tokens", {special: token_id}),
        lambda one: setitem(one.special_tokens, special, token_id),
        lambda one: setattr(one, "merges", dict(seven)),
        lambda one: one.merges and one.merges.popitem(),
        lambda one: setitem(one.merges, (104, 97), max(one.merges.values(), default=255) + 1),
        lambda one: setattr(one, "pattern", pattern),
        # Two independent merges change places, with as many entries as before.
        lambda one: second and one.merges.update({first: one.merges[second], second: one.merges[first]}),
    ]


def test_the_attributes_are_ordinary_ones() -> None:
    """A program replaces them, changes them in place and reads them, in any order; the twin is told the same."""
    chance = random.Random(7)
    text = "the cat in the hat, thé cat in the hat"
    for round_ in range(60):
        twin, ours = MinbpeTwin(GPT4_SPLIT_PATTERN), RegexTokenizer()
        twin.train(text, 266)
        ours.train(text, 266)
        for step in range(12):
            changes = changes_of(twin.merges, chance)
            change = chance.randrange(len(changes) + 2)
            if change < len(changes):
                changes[change](twin)
                changes[change](ours)
            elif change == len(changes):
                ours.compiled_pattern = regex.compile(r"t.|[\s\S]", regex.IGNORECASE)
                twin.pattern = r"(?i)t.|[\s\S]"
            else:
                ours = chance.choice(COPIES)(ours)
            try:
                known = twin.vocab
            except KeyError:
                # A merge of what no longer exists.
                with pytest.raises(InvalidModel):
                    ours.encode(text)
                break
            longer = f"{text}<|{chance.randrange(4)}|>, that"
            ids = ours.encode(longer, "all")
            assert ids == twin.encode(longer, "all"), (round_, step)
            assert ours.decode(ids) == twin.decode(ids)
            assert ours.decode_tokens_bytes(ids) == [known[each] for each in ids]
            assert (ours.special_tokens, ours.merges, ours.pattern) == (twin.special_tokens, twin.merges, twin.pattern)


def test_a_program_that_looks_into_vocab_and_changes_it() -> None:
    tokenizer = GPT4Tokenizer()
    ids = tokenizer.encode("hello wörld")
    assert b"".join(tokenizer.vocab[each] for each in ids).decode("utf-8") == tokenizer.decode(ids) == "hello wörld"
    assert tokenizer.vocab is tokenizer.vocab
    tokenizer.vocab[ids[0]] = "ö".encode()[:1]
    tokenizer.vocab[ids[1]] = "ö".encode()[1:]
    tokenizer.inverse_special_tokens[100_300] = "<|mine|>"
    assert tokenizer.decode([*ids[:2], 100_300, 100_257]) == "ö<|mine|><|endoftext|>"
    assert tokenizer.decode_with_offsets([*ids[:2], 100_300]) == ("ö<|mine|>", [0, 0, 1])
    for wrong in ([100_299], [-1], "text", [0.5]):
        with pytest.raises(InvalidTokenId):
            tokenizer.decode(wrong)


class OwnLoop(RegexTokenizer):
    """A program of minbpe's users: its own training and encoding around minbpe's attributes."""

    def train(self, text: str, vocab_size: int, verbose: bool = False) -> None:  # type: ignore[override]
        words = [list(word.encode("utf-8")) for word in self.compiled_pattern.findall(text)]
        self.merges = merges = {}
        self.vocab = {byte: bytes([byte]) for byte in range(256)}
        for made in range(256, vocab_size):
            counts: dict[tuple[int, int], int] = {}
            for word in words:
                get_stats(word, counts)
            pair = max(counts, key=counts.__getitem__)
            words = [merge(word, pair, made) for word in words]
            merges[pair] = made
            self.vocab[made] = self.vocab[pair[0]] + self.vocab[pair[1]]


def test_a_subclass_with_its_own_loops(tmp_path: Path) -> None:
    text = "the cat in the hat, thé cat in the hat"
    own, twin = OwnLoop(), MinbpeTwin(GPT4_SPLIT_PATTERN)
    own.train(text, 268)
    twin.train(text, 268)
    assert own.encode(text) == twin.encode(text)
    assert own.decode(own.encode(text)) == text
    own.save(tmp_path / "own")
    assert (tmp_path / "own.model").read_text(encoding="utf-8") == twin.model_file()
    own.load(tmp_path / "own.model")
    assert (own.merges, own.vocab) == (twin.merges, twin.vocab)


def test_merges_from_ranks() -> None:
    ranks = get_encoding("cl100k_base")._mergeable_ranks
    some = {token: rank for token, rank in ranks.items() if rank < 3_000}
    merges = recover_merges(some)
    known = GPT4Tokenizer().merges
    assert merges == {pair: rank for pair, rank in known.items() if rank < 3_000}
    assert list(merges) == list(known)[: len(merges)]
    assert bpe(ranks, b" the world") == [b" the", b" world"]
    assert b"".join(bpe(ranks, b" the", ranks[b" the"])) == b" the"
    assert len(bpe(ranks, b" the", ranks[b" the"])) == 2
    with pytest.raises(AssertionError) as caught:
        recover_merges({b"a": 0, b"b": 1, b"c": 2, b"abc": 3})
    assert isinstance(caught.value, InvalidModel)
    assert isinstance(caught.value, MinbpeCourseError)


def test_the_two_verbs_and_tokens_to_look_at() -> None:
    assert FromItsModule is BasicTokenizer
    chance = random.Random(5)
    for _ in range(200):
        ids: Any = chance.choices(range(4), k=chance.randint(0, 12))
        pair = (chance.randrange(4), chance.randrange(4))
        assert merge(ids, pair, idx=9) == merge(ids, pair, 9) == replaced(ids, pair, 9)
        counts = {pair: 2}
        assert get_stats(ids, counts) is counts
        assert counts[pair] == 2 + sum(here == pair for here in zip(ids, ids[1:]))  # noqa: RUF007
        token = bytes(chance.choices(b"ab\n\xc3\xa9\xe2\x80\x8b\xff", k=chance.randint(0, 8)))
        assert render_token(token) == visible(token)
        assert replace_control_characters(token.decode("utf-8", "replace")) == visible(token)


class Mine(Tokenizer):
    """An answer to minbpe's exercise: the base class and a training loop."""

    def train(self, text: str, vocab_size: int, verbose: bool = False) -> None:
        ids = list(text.encode("utf-8"))
        for made in range(256, vocab_size):
            counts = get_stats(ids)
            pair = max(counts, key=counts.__getitem__)
            ids = merge(ids, pair, made)
            self.merges[pair] = made
        self.vocab = self._build_vocab()

    def decode(self, ids: Sequence[int]) -> str:
        return b"".join(self.vocab[token_id] for token_id in ids).decode("utf-8", errors="replace")


def test_a_subclass_of_the_base_class(tmp_path: Path) -> None:
    text = "the cat in the hat, thé cat in the hat"
    mine, ours = Mine(), BasicTokenizer().train(text, 268)
    assert (mine.merges, mine.pattern, mine.special_tokens, len(mine.vocab)) == ({}, "", {}, 256)
    mine.train(text, 268)
    assert (mine.merges, mine.vocab) == (ours.merges, ours.vocab)
    assert mine.decode(ours.encode("the hat")) == "the hat"
    mine.special_tokens = {"<|end|>": 300}
    mine.save(str(tmp_path / "mine"))
    ours.register_special_tokens(mine.special_tokens)
    ours.save(str(tmp_path / "ours"))
    for ending in (".model", ".vocab"):
        assert (tmp_path / f"mine{ending}").read_bytes() == (tmp_path / f"ours{ending}").read_bytes()
    again = Mine()
    again.load(str(tmp_path / "ours.model"))
    assert (again.merges, again.special_tokens) == (mine.merges, mine.special_tokens)
    assert again.vocab == mine.vocab | {300: b"<|end|>"} == ours.vocab
    for module in ("minbpe_course.compat.minbpe", "minbpe_course.base"):
        kind = importlib.import_module(module).Tokenizer
        assert isinstance(ours, kind)
        assert not isinstance(text, kind)


def test_what_the_file_cannot_hold_is_not_saved(tmp_path: Path) -> None:
    mine = Mine()
    mine.merges, mine.vocab[256] = {(97, 97): 256}, b"bb"
    with pytest.raises(UnsupportedModel, match="cannot hold"):
        mine.save(tmp_path / "mine")
    assert list(tmp_path.iterdir()) == []
