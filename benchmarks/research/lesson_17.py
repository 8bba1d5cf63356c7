"""The operations of lesson 17 on more text than the lesson has: new rows, freezing, pruning, transplants, gist tokens.

All models are ``reference.tiny_model`` with 768 ids, trained on 600 batches of 64 places, with three seeds. Half of
Python's help topics, without paragraphs of earlier ones, are read and the other half is held out, and so are the names
of languages and countries in forty languages. Each number is a mean over the seeds. An interval is that of a paired
difference in bits per byte: held-out documents (a topic, or the names in a language) are drawn again with repetition,
in pairs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from benchmarks.research.texts import without_repetition
from minbpe_course import RegexTokenizer
from minbpe_course.corpus.texts import cldr_names, course_sections, pydoc_topics
from minbpe_course.reference import pruning, tiny_model
from minbpe_course.reference.measures import paired_interval
from minbpe_course.reference.tiny_model import TinyModel

SEEDS = range(3)
IDS = 768
STEPS = 600  # of the first training
SLOWLY: dict[str, Any] = {"rate": 0.003, "slowing": False}
LATIN = ("de", "es", "fi", "fr", "hu", "id", "it", "nl", "pl", "pt", "sv", "sw", "tr", "vi")
OTHER = (
    "am", "ar", "bn", "el", "fa", "he", "hi", "hy", "ja", "ka", "kk", "km", "ko",
    "lo", "ml", "mn", "my", "ne", "ru", "si", "ta", "te", "th", "uk", "ur", "zh",
)  # fmt: skip
NAMES = 2_000  # bytes of each language, read and held out
PROMPTS = ("A morning in Tamil", "A morning in French", "Questions at the Counter")
LENGTH = 16  # tokens of a passage after a prompt

Texts = list[str]
Measure = Callable[[TinyModel], np.ndarray]


def english() -> tuple[Texts, Texts]:
    """Return the help topics to read and those that are held out: every second one, without what earlier ones say."""
    found = without_repetition(re.split(r"(?m)^(?=.+\n\*{3,}$)", pydoc_topics()))
    topics = [topic.strip() + "\n\n" for topic in found if len(topic) > 500]
    return topics[::2], topics[1::2]


def names(languages: Sequence[str]) -> tuple[Texts, Texts]:
    """Return the names to read and those that are held out, a text for each language: every second name."""

    def text(lines: Sequence[str]) -> str:
        fits = [end < NAMES for end in accumulate(len(line.encode()) + 1 for line in lines)]
        return "\n".join(line for line, fit in zip(lines, fits) if fit)

    every = [cldr_names()[language].split("\n") for language in languages]
    return [text(lines[::2]) for lines in every], [text(lines[1::2]) for lines in every]


def sizes(texts: Texts) -> list[int]:
    """Return the number of bytes of each text."""
    return [len(text.encode()) for text in texts]


def measure(encode: Callable[[str], list[int]], texts: Texts) -> Measure:
    """Return a function from a model to the bits of each text."""
    ids = [encode(text) for text in texts]
    data, starts = tiny_model.examples(ids), [0, *accumulate(map(len, ids))][:-1]
    return lambda model: np.add.reduceat(tiny_model.bits(model, data), starts)


def per_byte(runs: Sequence[np.ndarray], texts: Texts) -> list[float]:
    """Return the bits per byte of each seed's run."""
    return [float(run.sum()) / sum(sizes(texts)) for run in runs]


def compared(first: Sequence[np.ndarray], second: Sequence[np.ndarray], weights: Sequence[float]) -> list[float]:
    """Return the mean difference, second minus first, and its interval over documents."""
    return list(paired_interval(np.mean(first, axis=0), np.mean(second, axis=0), weights))


def marked(text: str) -> str:
    """Return the text with special tokens in place of the quotation marks around a part of a line."""
    return re.sub(r'"([^"\n]*)"', r"<|open|>\1<|close|>", text)


def new_rows(bases: Sequence[TinyModel], plain: RegexTokenizer, read: Texts, held: Texts) -> dict[str, Any]:
    """Compare four ways to begin the rows of two new tokens, at once and after some training."""
    model = plain.model.replace(special_tokens={"<|open|>": IDS, "<|close|>": IDS + 1})
    chat = RegexTokenizer.from_model(model)
    data = tiny_model.examples(chat.encode(marked(text), "all") for text in read)
    found = measure(lambda text: chat.encode(marked(text), "all"), held)
    quote = [[ord('"')], [ord('"')]]
    starts = {
        "random, small": lambda base, seed: tiny_model.with_random_rows(base, 2, 0.02, seed),
        "random, wide": lambda base, seed: tiny_model.with_random_rows(base, 2, base.head.std(), seed),
        "mean of all": lambda base, seed: tiny_model.extended(base, 2),
        "quotation mark": lambda base, seed: tiny_model.extended(base, like=quote),
    }
    runs = {
        name: [
            tiny_model.followed(start(base, seed), data, (0, 60), found, seed=seed, **SLOWLY)[1]
            for seed, base in enumerate(bases)
        ]
        for name, start in starts.items()
    }
    return {
        "bits": {name: [per_byte(at, held) for at in zip(*each)] for name, each in runs.items()},
        "minus mean of all": {
            name: [compared(one, other, sizes(held)) for one, other in zip(zip(*runs["mean of all"]), zip(*each))]
            for name, each in runs.items()
            if name != "mean of all"
        },
        "freezing": freezing([starts["quotation mark"](base, 0) for base in bases], data, found, held, chat),
    }


def freezing(
    starts: Sequence[TinyModel], data: tiny_model.Examples, found: Measure, held: Texts, chat: RegexTokenizer
) -> dict[str, Any]:
    """Train all numbers, or the new rows alone: what changes in the new text, and in other languages."""
    abroad = names(LATIN + OTHER)[1]
    elsewhere = measure(chat.encode_ordinary, abroad)
    rows = {name: slice(IDS, None) for name in ("embedding", "head", "head_bias")}
    ways: dict[str, dict[str, Any]] = {"all parameters": SLOWLY, "new rows": {**SLOWLY, "rate": 0.03, "only": rows}}
    before = [found(start) for start in starts], [elsewhere(start) for start in starts]
    result = {}
    for name, options in ways.items():
        after = [tiny_model.trained(start, data, 60, seed=seed, **options) for seed, start in enumerate(starts)]
        result[name] = {
            "new text": compared(before[0], [found(model) for model in after], sizes(held)),
            "other languages": compared(before[1], [elsewhere(model) for model in after], sizes(abroad)),
        }
    return result


def pruned(bases: Sequence[TinyModel], plain: RegexTokenizer, read: Texts, held: Texts) -> dict[str, Any]:
    """Remove merges, the rarest in English first: at once, and after 50 batches."""
    ranks = plain.model.ranks
    counts = Counter(token_id for text in read for token_id in plain.encode_ordinary(text))
    order = list(pruning.rarest_first(ranks, counts))
    free = next(number for number, token_id in enumerate(order) if counts[token_id])
    dropped = [0, free, free + 64, free + 192]
    runs = []
    for number in dropped:
        kept, new_ids = pruning.pruned(ranks, order[:number])
        encode = RegexTokenizer.from_model(plain.model.replace(merges=list(kept))).encode_ordinary
        data, found = tiny_model.examples(map(encode, read)), measure(encode, held)
        stay = [[token_id] for token_id in (*range(256), *new_ids)]
        models = [tiny_model.rebuilt(base, stay) for base in bases]
        later = [tiny_model.trained(each, data, 50, rate=0.003, seed=seed) for seed, each in enumerate(models)]
        runs.append([[found(model) for model in each] for each in (models, later)])
    return {
        "unused": sum(not counts[token_id] for token_id in ranks.values()),
        "dropped": dropped,
        "bits": [[per_byte(each, held) for each in run] for run in runs],
        "minus before": [[compared(runs[0][0], each, sizes(held)) for each in run] for run in runs],
    }


def transplants(vocabularies: dict[str, RegexTokenizer], bases: dict[str, list[TinyModel]]) -> dict[str, Any]:
    """Move models of three vocabularies to one made for English: four ways to begin, and 60 batches of training."""
    read, held = english()
    own = RegexTokenizer().train("".join(read), IDS)
    data, found = tiny_model.examples(map(own.encode_ordinary, read)), measure(own.encode_ordinary, held)

    def followed(models: Sequence[TinyModel]) -> list[Any]:
        return [*zip(*(tiny_model.followed(each, data, (0, 60), found, seed=n)[1] for n, each in enumerate(models)))]

    fresh = [tiny_model.new_model(IDS, seed + 7) for seed in SEEDS]
    scratch = followed(fresh)
    result: dict[str, Any] = {"from scratch": [per_byte(at, held) for at in scratch]}
    for name, plain in vocabularies.items():
        old = {token: token_id for token_id, token in plain.vocab.items()}
        spelled = [tiny_model.spelled(own.vocab[token_id], old) for token_id in range(IDS)]
        shared = [ids if len(ids) == 1 else range(IDS) for ids in spelled]
        layer = [new._replace(mixing=old.mixing, mixing_bias=old.mixing_bias) for new, old in zip(fresh, bases[name])]
        ways = {
            "old hidden layer": followed(layer),
            "shared tokens": followed([tiny_model.rebuilt(base, shared) for base in bases[name]]),
            "mean of the spelling": followed([tiny_model.rebuilt(base, spelled) for base in bases[name]]),
        }
        pairs = {
            "shared tokens minus scratch": (scratch, ways["shared tokens"]),
            "spelling minus scratch": (scratch, ways["mean of the spelling"]),
            "spelling minus shared tokens": (ways["shared tokens"], ways["mean of the spelling"]),
            "old hidden layer minus scratch": (scratch, ways["old hidden layer"]),
        }
        result[name] = {
            "shared": sum(len(ids) == 1 for ids in spelled[256:]),
            "bits": {way: [per_byte(at, held) for at in each] for way, each in ways.items()},
        } | {
            pair: [compared(first, second, sizes(held)) for first, second in zip(*both)] for pair, both in pairs.items()
        }
    return result


def gists(bases: Sequence[TinyModel], plain: RegexTokenizer, read: Texts, held: Texts) -> dict[str, Any]:
    """Replace a prompt of forty tokens by nothing, by the mean of its rows, and by a row that was learned."""

    def passages(text: str) -> list[list[int]]:
        parts = [plain.encode_ordinary(part.strip())[:LENGTH] for part in text.split("\n\n")]
        return [part for part in parts if len(part) == LENGTH]

    trials = [found for found in map(passages, held) if found]
    flat = [part for parts in trials for part in parts]
    places = [LENGTH * len(parts) for parts in trials]
    starts = [0, *accumulate(places)][:-1]
    others = [part for text in read for part in passages(text)][::20]
    result = {}
    for title in PROMPTS:
        prompt = plain.encode_ordinary(course_sections()[title].split("==\n\n")[1])[:40]
        runs: dict[str, list[np.ndarray]] = {}
        for base in bases:
            mean = tiny_model.rebuilt(base, [*([token_id] for token_id in range(IDS)), prompt])
            long, short = (tiny_model.examples_after(ids, others).contexts for ids in (prompt, [IDS]))
            learned = tiny_model.learned_gist(mean, IDS, long, short, steps=30)
            wanted = tiny_model.examples_after(prompt, flat).contexts
            for name, model, ids in (("nothing", mean, []), ("mean", mean, [IDS]), ("gist", learned, [IDS])):
                lost = tiny_model.lost_bits(model, wanted, tiny_model.examples_after(ids, flat).contexts)
                runs.setdefault(name, []).append(np.add.reduceat(lost, starts))
        result[title] = {
            "lost": {name: [float(run.sum()) / sum(places) for run in each] for name, each in runs.items()},
            "mean minus nothing": compared(runs["nothing"], runs["mean"], places),
            "gist minus nothing": compared(runs["nothing"], runs["gist"], places),
            "gist minus mean": compared(runs["mean"], runs["gist"], places),
        }
    return result


def results() -> dict[str, Any]:
    """Return the numbers of all five experiments."""
    read, held = english()
    latin, other = names(LATIN)[0], names(OTHER)[0]
    made_from = {"English and 40 languages": read + latin + other, "40 languages": latin + other, "26 languages": other}
    vocabularies = {name: RegexTokenizer().train("".join(texts), IDS) for name, texts in made_from.items()}
    bases = {}
    for name, tokenizer in vocabularies.items():
        data = tiny_model.examples(map(tokenizer.encode_ordinary, read + latin + other))
        bases[name] = [tiny_model.trained(tiny_model.new_model(IDS, seed), data, STEPS, seed=seed) for seed in SEEDS]
    plain, models = next(iter(vocabularies.values())), next(iter(bases.values()))
    return {
        "bytes": {"read": sum(sizes(read + latin + other)), "held": sum(sizes(held)), "documents": len(held)},
        "new rows": new_rows(models, plain, read, held),
        "pruning": pruned(models, plain, read, held),
        "transplants": transplants(vocabularies, bases),
        "gists": gists(models, plain, read, held),
    }
