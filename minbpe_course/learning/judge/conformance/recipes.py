"""The tokenizers that a candidate has to imitate, and the right answers for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any

from minbpe_course import vocabularies
from minbpe_course.reference.training import train_steps
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN
from minbpe_course.tokenizers.encoding import Encoding

ONE_WORD = r"[\s\S]+"
TRAINING_TEXT = "the cat sat on the mat; the rat sat on the cat. " * 3


@dataclass(frozen=True)
class Recipe:
    """One way to make a tokenizer. Two recipes with one key are the same recipe.

    how : "itself", "from_ranks" or "train". arguments : of that class method, or what it would take.
    """

    key: str
    how: str = "itself"
    arguments: tuple[Any, ...] = field(default=(), compare=False, repr=False)


ITSELF = Recipe("as it is")


@lru_cache(maxsize=32)
def beginning_of(
    name: str, size: int | None, pattern_of: str = "", specials: tuple[tuple[str, int], ...] | None = ()
) -> Recipe:
    """Return the recipe of the first ``size`` tokens of a published vocabulary, or of all.

    They are a complete tokenizer, and 2,000 are quick to make. Their order is random.

    pattern_of : take the pattern of another one. specials : pairs of a special token and its id, or None for its own.

    >>> recipe = beginning_of("gpt2", 300)
    >>> recipe.key, len(recipe.arguments[0])
    ('gpt2, 300 tokens', 300)
    """
    model = vocabularies.load(name)
    tokens = model.token_bytes
    special = dict(model.special_tokens if specials is None else specials)
    ranks = {tokens[i]: i for i in (range(size) if size else tokens) if i in tokens and i not in special.values()}
    items = list(ranks.items())
    Random(len(items)).shuffle(items)  # a tokenizer must not rely on the order of the dict
    key = name if size is None else f"{name}, {size:,} tokens"
    key += f", cut like {pattern_of}" if pattern_of not in ("", name) else ""
    key += f", special {' '.join(special)}" if specials else ""
    return Recipe(key, "from_ranks", (dict(items), vocabularies.load(pattern_of or name).pattern, special))


def published(name: str) -> Recipe:
    """Return the recipe of a published vocabulary with its special tokens."""
    return beginning_of(name, None, specials=None)


def toy(letters: str, dice: Random) -> Recipe:
    """Return the recipe of a few merges learned from random letters; its pattern makes one word of a text."""
    data = "".join(dice.choices(letters, k=60)).encode("utf-8")
    tokens = [bytes([byte]) for byte in range(256)]
    for step in train_steps({data: 1}, 280):
        if step.token in tokens:  # ranks cannot hold the same letters twice
            break
        tokens.append(step.token)
        if len(tokens) == 262:
            break
    items = [(token, at) for at, token in enumerate(tokens)]
    dice.shuffle(items)
    return Recipe(f"toy {tokens[256:]}", "from_ranks", (dict(items), ONE_WORD, {}))


def trained(
    text: str = TRAINING_TEXT,
    vocab_size: int = 270,
    pattern: str = GPT4_SPLIT_PATTERN,
    special_tokens: Mapping[str, int] | None = None,
) -> Recipe:
    """Return the recipe of a tokenizer that is trained on a text."""
    special = dict(special_tokens or {})
    return Recipe(
        f"train({text!r}, {vocab_size}, {pattern!r}, {special!r})", "train", (text, vocab_size, pattern, special)
    )


@lru_cache(maxsize=64)
def oracle(recipe: Recipe) -> Encoding:
    """Return the package's encoding for a recipe with ranks.

    >>> oracle(beginning_of("gpt2", 300)).encode("the the")
    [83, 258, 262]
    """
    ranks, pattern, special = recipe.arguments
    return Encoding(recipe.key, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
