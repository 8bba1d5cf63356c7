"""Rules about training: the merges of minbpe, pair by pair, with ties, overlaps and texts that run out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from random import Random

import regex

from minbpe_course.learning.judge.conformance import samples
from minbpe_course.learning.judge.conformance.candidate import Recipe
from minbpe_course.learning.judge.conformance.recipes import ONE_WORD, trained
from minbpe_course.learning.judge.conformance.rule import TRAIN, Exam, broken, rule, short, value_of
from minbpe_course.learning.judge.equality import shown
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN

Pair = tuple[int, int]


def words_of(text: str, pattern: str, special: Mapping[str, int]) -> dict[bytes, int]:
    """Return the count of each word of a text outside of its special tokens, in the order first seen."""
    names = "|".join(map(regex.escape, sorted(special, key=len, reverse=True)))
    counts: dict[bytes, int] = {}
    for part in regex.split(names, text) if names else [text]:
        for word in regex.findall(pattern, part):
            counts[word.encode()] = counts.get(word.encode(), 0) + 1
    return counts


@lru_cache(maxsize=64)
def merges_of(recipe: Recipe) -> tuple[Pair, ...]:
    """Return the merges that the reference implementation learns for a recipe with a text."""
    text, vocab_size, pattern, special = recipe.arguments
    return tuple(step.pair for step in train_steps(words_of(text, pattern, special), vocab_size))


def _same_merges(exam: Exam, recipes: Iterable[Recipe]) -> str | None:
    for recipe in recipes:
        text, vocab_size = recipe.arguments[:2]
        given = f"train({shown(text, 80)}, {vocab_size})"
        outcome = exam.candidate.ask(recipe, "merges")
        if outcome.state == "raised" and outcome.error == "AttributeError" and "merges" in outcome.message:
            return "it has no attribute merges to look at"
        merges = value_of(outcome, given, "a tokenizer")
        if not isinstance(merges, list):
            broken(f"{given}.merges", short(merges), "pairs of ids", "no merges")
        mine = [tuple(pair) if isinstance(pair, (list, tuple)) else pair for pair in merges]
        right = list(merges_of(recipe))
        if mine != right:
            at = next((at for at, (a, b) in enumerate(zip(mine, right)) if a != b), min(len(mine), len(right)))
            broken(
                f"{given}, merge {at}",
                shown(mine[at]) if at < len(mine) else f"no more merges after {len(mine)}",
                shown(right[at]) if at < len(right) else f"no more merges after {len(right)}",
            )
    return None


@rule(
    "learns-minbpe-s-merges",
    "train learns the merges that minbpe learns, in their order",
    "If two trainers differ in one pair, they have learned two different tokenizers.",
    TRAIN,
)
def learns_minbpe_s_merges(exam: Exam, dice: Random) -> str | None:
    texts = [" ".join(dice.choices(["low", "lower", "newest", "widest", "new"], k=20)) for _ in range(2)]
    return _same_merges(exam, [trained(text, 275) for text in [*texts, *samples.prose(dice, 1, 800)]])


@rule(
    "ties-first-seen",
    "Of equally common pairs, the one that was seen first is merged",
    "max() over a set, or over sorted pairs, is another rule, and gives another vocabulary.",
    TRAIN,
)
def ties_first_seen(exam: Exam, dice: Random) -> str | None:
    letters = "".join(chr(97 + dice.randrange(26)) for _ in range(8))
    texts = ["ba", "cab", "zyx", letters, "ab ba", "dcba abcd"]
    return _same_merges(exam, [trained(text, 258, ONE_WORD) for text in texts])


@rule(
    "pairs-that-overlap",
    "aaa contains the pair aa twice when you count, and once when you merge",
    "Counting without overlaps gives other merges for runs of spaces, dashes and laughter.",
    TRAIN,
)
def pairs_that_overlap(exam: Exam, dice: Random) -> str | None:
    texts = ["aaab abab", "aaaaabcbcbc", "aaa bb aaa bb", "".join(dice.choices("ab", k=30))]
    return _same_merges(exam, [trained(text, 262, ONE_WORD) for text in texts])


@rule(
    "text-runs-out",
    "When no pair is left, training ends; an empty text has nothing to learn",
    "max() of an empty sequence is the first bug report that every trainer gets.",
    TRAIN,
)
def text_runs_out(exam: Exam, dice: Random) -> str | None:
    return _same_merges(exam, [trained(text, 300) for text in ("", "a", "ab", "aaaa", "a b c", "low low")])


@rule(
    "merges-stay-in-words",
    "No pair is counted across a cut of the pattern",
    "Encoding can never make such a token, so it's wasted.",
    TRAIN,
)
def merges_stay_in_words(exam: Exam, dice: Random) -> str | None:
    texts = ["a b a b a b a b", "1234 1234 1234 1234", "it's it's it's", "x!\n" * 6]
    return _same_merges(exam, [trained(text, 264) for text in texts])


@rule(
    "specials-left-out",
    "Training learns nothing from the special tokens in the text",
    "Otherwise their letters become the most common words of all.",
    TRAIN,
)
def specials_left_out(exam: Exam, dice: Random) -> str | None:
    special = {"<|end|>": 300, "<|end|>\n": 301, "a|b": 302}
    texts = ["low<|end|>lower<|end|>newest" * 3, "x<|end|>\ny" * 5, "a|ba|ba|b a a a b b"]
    return _same_merges(exam, [trained(text, 264, special_tokens=special) for text in texts])


@rule(
    "encodes-what-it-learned",
    "After training, encode does the same merges in the same order",
    "The pattern of training must be the pattern of encoding.",
    TRAIN,
)
def encodes_what_it_learned(exam: Exam, dice: Random) -> None:
    for text in (*samples.prose(dice, 1, 600), "aaabdaaabac " * 3):
        recipe = trained(text, 290)
        merges = {pair: 256 + at for at, pair in enumerate(merges_of(recipe))}
        for asked in (text, text[5:60], *samples.mixed(dice, 6)):
            ids = exam.encode(recipe, asked)
            words = regex.findall(GPT4_SPLIT_PATTERN, asked)
            right = [number for word in words for number in encode_word(word.encode(), merges)]
            if ids != right:
                broken(f"encode({shown(asked, 60)}) after train({shown(text, 60)}, 290)", short(ids), short(right))
