"""Compare with other trainers: their pass over the text, and a gigabyte from text to a vocabulary."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import memory, texts
from benchmarks.contestants.job import Job
from benchmarks.contestants.training import MAKERS, tokenizers_and_trainer, tokens_of
from benchmarks.scale.corpus import KINDS
from benchmarks.scale.counting import beginning
from benchmarks.speed import Contestant, clock_for, race
from minbpe_course import count_words, train, warm_up
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN

SMALL = 600  # tokens of the vocabulary that shows whether all counts agree


def pre_pass(folder: str, size: int, rounds: int, threads: int) -> dict[str, Any]:
    """Measure the seconds of one core for counting words, with this course and with tokenizers.

    tokenizers trains a vocabulary of only the 256 byte tokens, so there is nothing to merge. To check that both count
    the same words, each also trains a small vocabulary, outside the timed run.
    """
    warm_up()
    found = {}
    for kind in (*KINDS, "all"):
        documents = texts.documents(beginning(folder, f"{kind}.txt", size), 3000)
        whole = "".join(documents)
        checked = {
            name: MAKERS[name](Job(whole, documents, vocab_size=SMALL, threads=2))
            for name in ("tokenizers 0.23", "ours, ties as in tokenizers")
        }

        def learned(name: str, checked: dict[str, Contestant] = checked) -> Any:
            return checked[name].answer(checked[name].run(None))

        def theirs(documents: list[str] = documents) -> Contestant:
            empty = MAKERS["tokenizers 0.23"](Job("", documents, vocab_size=256, threads=2))
            return Contestant(empty.run, answer=lambda _: learned("tokenizers 0.23"))

        def ours(documents: list[str] = documents) -> Contestant:
            return Contestant(
                lambda _: count_words(documents, pattern=GPT4_SPLIT_PATTERN, num_threads=1),
                answer=lambda _: learned("ours, ties as in tokenizers"),
            )

        result = race(
            {"tokenizers 0.23": theirs, "ours": ours},
            truth="tokenizers 0.23", ours=["ours"], rounds=rounds, clock=clock_for(1),
        )  # fmt: skip
        found[kind] = {"seconds": result.seconds, "absent": result.absent, "bytes": len(whole.encode("utf-8"))}
    return found


def documents_of(path: Path, size: int) -> Iterator[str]:
    """Yield documents of some thousand characters without loading the whole text."""
    read = 0
    with path.open("rb") as file:
        while read < size:
            data = file.read(8192) + file.readline()
            if not data:
                return
            read += len(data)
            yield data.decode("utf-8")


def whole(folder: str, who: str, size: int, vocab_size: int, threads: int) -> dict[str, Any]:
    """Train from a file to a vocabulary; return wall seconds, peak memory of the process, and a hash of the tokens.

    "ours" gets the path of the file; the others get its documents one by one. The hashes show whether tokens are equal.
    """
    path = Path(folder, "all.txt")
    if who.startswith("ours"):
        warm_up()
    began = time.perf_counter()
    if who == "rustbpe":
        tokens = _rustbpe(documents_of(path, size), vocab_size)
    elif who == "tokenizers 0.23":
        tokenizer, trainer = tokenizers_and_trainer(vocab_size)
        tokenizer.train_from_iterator(documents_of(path, size), trainer)
        tokens = tokens_of(tokenizer)
    else:
        source: Any = path if who == "ours" else documents_of(path, size)
        ties = "huggingface" if who == "ours, ties as in tokenizers" else "smallest-pair"
        model = train(source, vocab_size, pattern=GPT4_SPLIT_PATTERN, tie_break=ties, num_threads=threads)
        tokens = [model.token_bytes[token_id] for token_id in model.merge_ids]
    seconds = time.perf_counter() - began
    digest = hashlib.sha256(b"\0".join(tokens)).hexdigest()[:12]
    return {"seconds": seconds, "peak": memory.now("VmHWM"), "tokens": len(tokens), "digest": digest}


def _rustbpe(documents: Iterator[str], vocab_size: int) -> list[bytes]:
    import rustbpe

    tokenizer: Any = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(documents, vocab_size, pattern=GPT4_SPLIT_PATTERN)
    ranks = {token_id: bytes(token) for token, token_id in tokenizer.get_mergeable_ranks()}
    return [ranks[token_id] for token_id in range(256, len(ranks))]
