"""Lesson 14: pieces that Unigram and BPE learn, compared on held-out text.

    texts        help pages and modules of this Python, and names of languages and countries in 18 languages
    documents    a help page or a module, without paragraphs of earlier ones; forty names.
                 Half of the bytes train, the other half is held out
    seeds        three: each splits the documents in another way (training itself is not random)
    training     by sentencepiece, the same lines, sizes and options for both; a size counts the three special pieces

Measured on the held-out documents, and compared in pairs of documents (``paired_interval``, Unigram minus BPE):

    pieces       bits per byte if a text is drawn piece by piece, over all segmentations of its words. The
                 probabilities come from the same rounds of EM for both, so only the sets of pieces differ
    tokens       bits per byte of the tokens that each of the two tokenizers writes, with their shares in training
    context      the same with a model that has seen the two tokens before (``reference.ngrams``, order 3)
    length       tokens per byte

A share is (count + 1/2) / (all + 1/2 for each piece). A character that training has not seen costs 35 bits in every
measure. The context of the third measure is two tokens, so both models look back on nearly as many bytes:
``length`` says how many.
"""

from __future__ import annotations

import io
import math
import sysconfig
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import sentencepiece

from benchmarks.research.texts import without_repetition
from minbpe_course.corpus.texts import cldr_names
from minbpe_course.reference.measures import paired_interval
from minbpe_course.reference.ngrams import NGramModel

SEEDS = 1, 2, 3
SIZES = {"help pages": (500, 1_000, 2_000), "code": (500, 1_000, 2_000, 4_000), "names": (1_000, 2_000)}
LANGUAGES = "ar", "de", "el", "fi", "he", "hi", "hu", "hy", "is", "ka", "kk", "pl", "ru", "sw", "ta", "tr", "uk", "vi"
MOST = 450_000  # bytes of training and of held-out text, each
UNSEEN = 35.0  # bits for a character that was not in the training text
ROUNDS = 5  # of EM
LONGEST_PART = 40  # characters; longer words are scored in parts, so that no probability rounds to 0
NAMES = 40  # in a document
MEASURES = "pieces", "tokens", "context", "length"
UNKNOWN = 0  # sentencepiece's id


def documents() -> dict[str, list[str]]:
    """Return the documents by kind, always in the same order."""
    from pydoc_data.topics import topics

    library = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    names = {language: cldr_names()[language].split("\n") for language in LANGUAGES}
    for language, lines in names.items():
        Random(language).shuffle(lines)  # they are sorted
    return {
        "help pages": usable(topics[name] for name in sorted(topics)),
        "code": usable(path.read_text("utf-8") for path in library),
        "names": ["\n".join(lines[at : at + NAMES]) for lines in names.values() for at in range(0, len(lines), NAMES)],
    }


def usable(texts: Iterable[str]) -> list[str]:
    """Return the texts of 500 to 60,000 characters that are left without repetitions."""
    return [text for text in without_repetition(texts) if 500 < len(text) < 60_000]


def split(texts: Sequence[str], seed: int) -> tuple[list[str], list[str]]:
    """Return documents to train on and documents to hold out: at most ``MOST`` bytes of each, and about as many."""
    halves: tuple[list[str], list[str]] = [], []
    bytes_in = [0, 0]
    for text in Random(seed).sample(texts, len(texts)):
        smaller = bytes_in.index(min(bytes_in))
        if bytes_in[smaller] + (size := len(text.encode("utf-8"))) <= MOST:
            halves[smaller].append(text)
            bytes_in[smaller] += size
    return halves


def trained(texts: Sequence[str], kind: str, size: int) -> Any:
    """Return sentencepiece's tokenizer of a kind, "unigram" or "bpe"."""
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(line for text in texts for line in text.splitlines() if line.strip()),
        model_writer=file,
        model_type=kind,
        vocab_size=size,
        character_coverage=1.0,
        normalization_rule_name="identity",
        max_sentence_length=100_000,
        num_threads=1,
        minloglevel=3,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())


def words_of(text: str) -> Counter[str]:
    """Return how often each word occurs, in parts if it is long; ``▁`` is the space before it."""
    words = (f"▁{word}" for word in text.split())
    return Counter(word[at : at + LONGEST_PART] for word in words for at in range(0, len(word), LONGEST_PART))


Arcs = list[tuple[int, int, str]]


def arcs_of(word: str, pieces: Mapping[str, Any], longest: int) -> Arcs:
    """Return (begin, end, piece) for each place where a piece fits, and (begin, end, "") for an unseen character."""
    found: Arcs = []
    for begin in range(len(word)):
        if word[begin] not in pieces:
            found.append((begin, begin + 1, ""))
        for end in range(begin + 1, min(begin + longest, len(word)) + 1):
            if word[begin:end] in pieces:
                found.append((begin, end, word[begin:end]))
    return found


def smoothed(counts: Mapping[str, float]) -> dict[str, float]:
    """Return probabilities from counts; the piece "" is an unseen character.

    >>> smoothed({"a": 1.0, "b": 0.0})["a"]
    0.75
    """
    whole = sum(counts.values()) + len(counts) / 2
    return {piece: (count + 0.5) / whole for piece, count in counts.items()} | {"": 2**-UNSEEN}


def estimated(words: Mapping[str, int], pieces: Sequence[str]) -> dict[str, float]:
    """Return the probabilities of pieces after ``ROUNDS`` rounds of EM; at first all are equally likely."""
    longest = max(map(len, pieces))
    chances = smoothed(dict.fromkeys(pieces, 1.0))
    lattices = [(len(word), times, arcs_of(word, chances, longest)) for word, times in words.items()]
    for _ in range(ROUNDS):
        counts = dict.fromkeys(chances, 0.0)
        for size, times, arcs in lattices:
            before, after = [1.0] + [0.0] * size, [0.0] * size + [1.0]
            for begin, end, piece in arcs:
                before[end] += before[begin] * chances[piece]
            for begin, end, piece in reversed(arcs):
                after[begin] += after[end] * chances[piece]
            scale = times / before[size]
            for begin, end, piece in arcs:
                counts[piece] += scale * before[begin] * chances[piece] * after[end]
        del counts[""]
        chances = smoothed(counts)
    return chances


def bits_of_words(texts: Sequence[Mapping[str, int]], chances: Mapping[str, float]) -> list[float]:
    """Return the bits of each text, given as its words: all segmentations of a word count."""
    longest, known = max(map(len, chances)), {}
    for word in set().union(*texts):
        sums = [1.0] + [0.0] * len(word)
        for begin, end, piece in arcs_of(word, chances, longest):
            sums[end] += sums[begin] * chances[piece]
        known[word] = -math.log2(sums[-1])
    return [sum(times * known[word] for word, times in text.items()) for text in texts]


def bits_of_tokens(tokenizer: Any, training: Sequence[str], texts: Sequence[str], order: int) -> list[float]:
    """Return the bits of each text's tokens in a model of the training text's tokens that looks back order - 1."""
    size = tokenizer.get_piece_size()
    rows = [_ids(tokenizer, text) for text in training]
    if order == 1:
        counts = Counter(one for row in rows for one in row)
        whole = sum(counts.values()) + size / 2
        costs = [-math.log2((counts[one] + 0.5) / whole) for one in range(size)]
        return [sum(_cost(tokenizer, text, costs.__getitem__)) for text in texts]
    gap = [size] * (order - 1)  # no context reaches into another document
    model = NGramModel([one for row in rows for one in [*gap, *row]], size + 1, order)
    found = []
    for text in texts:
        context = list(gap)

        def cost(one: int, context: list[int] = context) -> float:
            share = model.probability(context, one)
            context[:] = [*context[1:], one]
            return -math.log2(share)

        found.append(sum(_cost(tokenizer, text, cost)))
    return found


def _ids(tokenizer: Any, text: str) -> list[int]:
    found: list[int] = tokenizer.encode(" ".join(text.split()))
    return found


def _cost(tokenizer: Any, text: str, cost: Any) -> Iterator[float]:
    pieces = tokenizer.encode(" ".join(text.split()), out_type=str)
    for piece, one in zip(pieces, tokenizer.piece_to_id(pieces)):
        bits = cost(one)
        yield UNSEEN * len(piece) if one == UNKNOWN else bits


def measured_on(tokenizer: Any, training: Sequence[str], texts: Sequence[str]) -> dict[str, list[float]]:
    """Return each measure, as a sum for each text, and the bits of all training text by its pieces."""
    pieces = [tokenizer.id_to_piece(one) for one in range(3, tokenizer.get_piece_size())]
    words = sum(map(words_of, training), Counter())
    chances = estimated(words, pieces)
    return {
        "pieces": bits_of_words([words_of(text) for text in texts], chances),
        "tokens": bits_of_tokens(tokenizer, training, texts, 1),
        "context": bits_of_tokens(tokenizer, training, texts, 3),
        "length": [float(len(_ids(tokenizer, text))) for text in texts],
        "training": bits_of_words([words], chances),
    }


def results() -> dict[str, Any]:
    """Return, by kind of text, seed and size: both tokenizers' measures per byte, and the intervals of differences."""
    found: dict[str, Any] = {"texts": {}, "rows": []}
    for kind, texts in documents().items():
        for seed in SEEDS:
            training, held = split(texts, seed)
            sizes = [len(" ".join(text.split()).encode("utf-8")) for text in held]
            of_training = sum(len(" ".join(text.split()).encode("utf-8")) for text in training)
            found["texts"].setdefault(kind, []).append(
                {"training": of_training, "held out": sum(sizes), "documents": len(held)}
            )
            for size in SIZES[kind]:
                both = {one: measured_on(trained(training, one, size), training, held) for one in ("bpe", "unigram")}
                row: dict[str, Any] = {"text": kind, "seed": seed, "size": size}
                for name in MEASURES:
                    bpe, unigram = both["bpe"][name], both["unigram"][name]
                    row[name] = {
                        "bpe": sum(bpe) / sum(sizes),
                        "unigram": sum(unigram) / sum(sizes),
                        "difference": paired_interval(bpe, unigram, sizes),
                    }
                row["training"] = {one: both[one]["training"][0] / of_training for one in both}
                found["rows"].append(row)
    return found
