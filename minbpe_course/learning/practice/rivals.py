"""Compare ways to make and to choose tokens: one small text, one small model, the same compute for each.

    small_texts()                              what all learn from, what is held out, the same sentences in 20 languages
    Rival(encode, tokens)                      a way to encode, and its vocabulary
    document_bits(rival, read, tests, steps)   what held-out documents cost ``reference.tiny_model``, trained on its ids

Compute is counted in multiplications: a step costs more with a larger vocabulary, so a smaller one gets more steps.

Limits: 30 kB of text. A vocabulary of much more than a thousand tokens would learn it by heart. Lessons 05 and 19 use
it; ``benchmarks/research/lesson_19.py`` gives it more text.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import numpy as np
import regex

from minbpe_course.corpus.texts import course_sections, parallel_sentences
from minbpe_course.reference import tiny_model

LANGUAGES = (
    "English", "German", "French", "Spanish", "Finnish", "Polish", "Turkish", "Vietnamese", "Swahili", "Greek",
    "Russian", "Georgian", "Hebrew", "Arabic", "Urdu", "Hindi", "Bengali", "Tamil", "Amharic", "Japanese",
)  # fmt: skip

USUAL_MIXING = tiny_model.new_model(1).mixing.size
Encoder = Callable[[str], Sequence[int]]


class Texts(NamedTuple):
    """The training texts, the held-out texts, and held-out sentences with one meaning, by language."""

    read: list[str]
    held: list[str]
    ends: dict[str, str]


def small_texts() -> Texts:
    """Return twelve stories without every fifth paragraph, the beginnings of 20 scenes, and the held-out rest.

    >>> texts = small_texts()
    >>> len(texts.read), len(texts.held), texts.ends["English"][-26:]
    (32, 12, 'I will be home on Sunday.”')
    """
    stories = [text.strip().split("\n\n")[1:] for text in [*course_sections().values()][:12]]
    read = ["\n\n".join(part for number, part in enumerate(parts) if number % 5 != 4) for parts in stories]
    scenes = {language: parallel_sentences()[language] for language in LANGUAGES}
    read += ["".join(sentences[:3]) for sentences in scenes.values()]
    ends = {language: "".join(sentences[3:]) for language, sentences in scenes.items()}
    return Texts(read, ["\n\n".join(parts[4::5]) for parts in stories], ends)


def by_words(encode: Callable[[bytes], Sequence[int]], split: Callable[[str], Iterable[str]]) -> Encoder:
    """Return a function from text to ids that splits the text and encodes each distinct word once.

    >>> by_words(list, str.split)("ab a")
    [97, 98, 97]
    """
    known = cache(lambda word: tuple(encode(word.encode("utf-8"))))
    return lambda text: [token_id for word in split(text) for token_id in known(word)]


class Rival(NamedTuple):
    """encode : text -> ids. tokens : id -> bytes. training : text and luck -> ids while a model learns, if others."""

    encode: Encoder
    tokens: Mapping[int, bytes]
    training: Callable[[str, random.Random], Sequence[int]] | None = None


def unused(rival: Rival, texts: Iterable[str]) -> list[bytes]:
    """Return the tokens, except single bytes, that do not occur in the texts.

    >>> unused(Rival(lambda text: [256], {97: b"a", 256: b"aa", 257: b"aaa"}), ["aa"])
    [b'aaa']
    """
    used = {token_id for text in texts for token_id in rival.encode(text)}
    return [token for token_id, token in rival.tokens.items() if len(token) > 1 and token_id not in used]


def with_typos(text: str, luck: random.Random, share: float = 0.2) -> str:
    """Return the text with two neighbouring letters exchanged in a share of its words of five and more letters.

    >>> with_typos("the morning came", random.Random(1), share=1)
    'the mroning came'
    """

    def typo(found: regex.Match[str]) -> str:
        word = found.group()
        if luck.random() >= share:
            return word
        at = luck.randrange(1, len(word) - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]

    return regex.sub(r"[a-z]{5,}", typo, text)


def steps_for(ids: int, steps: int, of_ids: int) -> int:
    """Return how many steps with ``ids`` ids cost as much as ``steps`` steps with ``of_ids`` and the usual view.

    >>> steps_for(1024, 600, 1024), steps_for(256, 600, 1024)
    (600, 1826)
    """
    new = tiny_model.new_model(ids)
    work = new.mixing.size + new.head.size  # multiplications for one token
    return round(steps * (USUAL_MIXING + of_ids * tiny_model.HIDDEN) / work)


def document_bits(
    rival: Rival, read: Sequence[str], tests: Sequence[Sequence[str]], steps: int, seeds: int = 1
) -> list[np.ndarray]:
    """Train a model on the rival's ids, once for each seed; return the bits that each document of each test costs it.

    steps : of a model with 1,024 ids; another size gets as many as cost the same. Texts are read three times where
    ``training`` draws anew each time. Returns an array (seeds, documents) for each test.

    >>> rival = Rival(lambda text: list(text.encode()), {byte: bytes([byte]) for byte in range(256)})
    >>> (found,) = document_bits(rival, ["abab"], [["ab", "b"]], 20)
    >>> found.shape, bool(found.sum() < 8)
    ((1, 2), True)
    """
    row = {token_id: number for number, token_id in enumerate(rival.tokens)}

    def examples(texts: Iterable[str], encode: Encoder) -> tiny_model.Examples:
        return tiny_model.examples([row[token_id] for token_id in encode(text)] for text in texts)

    data = examples(read, rival.encode)
    if draw := rival.training:
        luck = random.Random(0)
        data = examples([*read] * 3, lambda text: draw(text, luck))
    asked = [[examples([text], rival.encode) for text in texts] for texts in tests]
    found: list[list[list[float]]] = [[] for _ in tests]
    for seed in range(seeds):
        new = tiny_model.new_model(len(row), seed)
        model = tiny_model.trained(new, data, steps_for(len(row), steps, 1024), seed=seed)
        for rows, documents in zip(found, asked):
            rows.append([float(tiny_model.bits(model, one).sum()) for one in documents])
    return [np.array(rows) for rows in found]


@contextmanager
def seeing(ids: int) -> Iterator[None]:
    """Let models that are made meanwhile see that many ids one by one, and the mean of twelve times as many.

    >>> with seeing(12):
    ...     tiny_model.new_model(256).mixing.shape, steps_for(256, 600, 1024)
    ((312, 64), 1208)
    """
    before = tiny_model.WINDOW, tiny_model.VIEWS, tiny_model.MEMORY
    tiny_model.WINDOW, tiny_model.VIEWS, tiny_model.MEMORY = ids, ids + 1, 12 * ids
    try:
        yield
    finally:
        tiny_model.WINDOW, tiny_model.VIEWS, tiny_model.MEMORY = before
