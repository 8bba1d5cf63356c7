"""The tokenizers that a candidate has to imitate: how each is made, and the package's own, made the same way."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from types import MappingProxyType
from typing import Any

from minbpe_course import vocabularies
from minbpe_course.errors import TrainingStoppedEarly
from minbpe_course.reference.training import train_steps
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN
from minbpe_course.tokenizers.encoding import Encoding
from minbpe_course.trainers.byte_pair import train as learn

ONE_WORD = r"[\s\S]+"
TRAINING_TEXT = "the cat sat on the mat; the rat sat on the cat. " * 3


@dataclass(frozen=True)
class Recipe:
    """One way to make a tokenizer. Two recipes with one key are the same recipe.

    how : "itself", "from_ranks", "train" or "load". arguments : of that class method, or what it would take.
    """

    key: str
    how: str = "itself"
    arguments: tuple[Any, ...] = field(default=(), compare=False, repr=False)


ITSELF = Recipe("as it is")


@lru_cache(maxsize=32)
def beginning_of(
    name: str, size: int | None = None, pattern_of: str = "", specials: tuple[tuple[str, int], ...] = ()
) -> Recipe:
    """Return the recipe of the first ``size`` tokens of a published vocabulary, or of all, with its special tokens.

    They are a complete tokenizer, and 2,000 are quick to make.

    pattern_of : take the pattern of another one. specials : pairs of a special token and its id.

    >>> recipe = beginning_of("gpt2", 300)
    >>> recipe.key, len(recipe.arguments[0])
    ('gpt2, 300 tokens', 300)
    """
    model = vocabularies.load(name)
    ranks = {token: number for number, token in [*model.token_bytes.items()][:size]}
    special = dict(specials if size else model.special_tokens)
    key = f"{name}, {size:,} tokens" if size else name
    key += f", cut like {pattern_of}" if pattern_of else ""
    key += f", special {' '.join(special)}" if specials else ""
    return Recipe(key, "from_ranks", (ranks, vocabularies.load(pattern_of or name).pattern, special))


def toy(letters: str, dice: Random) -> Recipe:
    """Return the recipe of a few merges learned from random letters; its pattern makes one word of a text."""
    data = "".join(dice.choices(letters, k=60)).encode("utf-8")
    tokens = [bytes([byte]) for byte in range(256)]
    for step in train_steps({data: 1}, 262):
        if step.token in tokens:  # ranks cannot hold the same letters twice
            break
        tokens.append(step.token)
    ranks = {token: at for at, token in enumerate(tokens)}
    return Recipe(f"the tokens {tokens[256:]}", "from_ranks", (ranks, ONE_WORD, {}))


def trained(
    text: str = TRAINING_TEXT,
    vocab_size: int = 270,
    pattern: str = GPT4_SPLIT_PATTERN,
    special_tokens: Mapping[str, int] = MappingProxyType({}),
) -> Recipe:
    """Return the recipe of a tokenizer that is trained on a text."""
    arguments = text, vocab_size, pattern, dict(special_tokens)
    return Recipe(f"train{arguments!r}", "train", arguments)


def saved(model: str) -> Recipe:
    """Return the recipe of a tokenizer that loads what it has saved: the text of minbpe's ``.model`` file."""
    return Recipe(f"load {hashlib.sha256(model.encode()).hexdigest()}", "load", (model,))


class Ours:
    """The package's own encoding and trainer with the methods of a tokenizer of the course.

    >>> ranks = {bytes([byte]): byte for byte in range(256)}
    >>> Ours.from_ranks(ranks, r"\\S+|\\s+", {"<|a|>": 300}).encode("a<|a|>", "all")
    [97, 300]
    >>> Ours.train("aaab aaab", 258, r"\\S+|\\s+").merges
    {(97, 97): 256, (256, 97): 257}
    """

    def __init__(self, encoding: Any) -> None:
        self.encoding = encoding
        self.merges: dict[tuple[int, int], int] = {}

    @classmethod
    def from_ranks(cls, ranks: Mapping[bytes, int], pattern: str, special_tokens: Mapping[str, int]) -> Any:
        """Rebuild a tokenizer from its ranks."""
        return cls(Encoding("rebuilt", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special_tokens))

    @classmethod
    def train(
        cls, text: str, vocab_size: int, pattern: str, special_tokens: Mapping[str, int] = MappingProxyType({})
    ) -> Any:
        """Learn merges from a text."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrainingStoppedEarly)
            # The trainer counts special tokens as part of the vocabulary; the learner's class does not.
            model = learn(text, vocab_size + len(special_tokens), pattern=pattern, special_tokens=tuple(special_tokens))
        ranks = {model.token_bytes[number]: number for number in range(256 + len(model.merges))}
        made = cls.from_ranks(ranks, pattern, special_tokens)
        made.merges = {pair: 256 + at for at, pair in enumerate(model.merges)}
        return made

    def encode(self, text: str, allowed_special: Any = "none_raise") -> Any:
        """Return the ids; a special token that is not allowed raises unless it is to be ordinary text."""
        if allowed_special == "none_raise":
            return self.encoding.encode(text)
        allowed = set() if allowed_special == "none" else allowed_special
        return self.encoding.encode(text, allowed_special=allowed, disallowed_special=())

    def decode(self, ids: Sequence[int]) -> Any:
        """Return the text."""
        return self.encoding.decode(ids)


@lru_cache(maxsize=64)
def oracle(recipe: Recipe) -> Ours:
    """Return the package's tokenizer for a recipe with ranks or a text.

    >>> oracle(beginning_of("gpt2", 300)).encode("the the")
    [83, 258, 262]
    """
    found: Ours = getattr(Ours, recipe.how)(*recipe.arguments)
    return found
