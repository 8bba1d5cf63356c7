"""Train from text to merges, including splitting and counting, with GPT-4's pattern as minbpe writes it.

gigatoken and gigabpe know only GPT-2's pattern for training, so one more of ours trains with that. gigabpe
reads a file.

With one thread, each contestant gets the text as one str. With more threads, the text is cut into documents, because
rustbpe, ffbpe and tokenizers distribute documents over the threads. The answer is the bytes of the tokens, in the order
in which they were learnt. If two pairs have the same count, rustbpe, ffbpe and tokenizers take the one with the smaller
ids first, but tokenizers numbers the bytes in another order. So this course takes part with both orders.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from benchmarks.contestants.job import Job
from benchmarks.speed import Contestant, NotAvailable
from minbpe_course.files import write_whole
from minbpe_course.text.byte_alphabet import from_printable
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN


def _source(job: Job) -> list[str]:
    return [job.text] if job.threads == 1 else list(job.documents)


def _ours(tie_break: str, pattern: str = GPT4_SPLIT_PATTERN) -> Callable[[Job], Contestant]:
    def make(job: Job) -> Contestant:
        from minbpe_course import train

        options: dict[str, Any] = {"pattern": pattern, "tie_break": tie_break}
        if "num_threads" in inspect.signature(train).parameters:
            options["num_threads"] = job.threads
        train("a first word, so that the kernels are loaded", 260, **options)
        source: Any = job.text if job.threads == 1 else list(job.documents)
        return Contestant(
            lambda _: train(source, job.vocab_size, **options),
            answer=lambda model: [model.token_bytes[token_id] for token_id in model.merge_ids],
        )

    return make


def _rustbpe(job: Job) -> Contestant:
    import rustbpe

    source = _source(job)

    def run(_: object) -> Any:
        tokenizer = rustbpe.Tokenizer()
        tokenizer.train_from_iterator(iter(source), job.vocab_size, pattern=GPT4_SPLIT_PATTERN)
        return tokenizer

    def answer(tokenizer: Any) -> list[bytes]:
        ranks = {token_id: bytes(token) for token, token_id in tokenizer.get_mergeable_ranks()}
        return [ranks[token_id] for token_id in range(256, len(ranks))]

    return Contestant(run, answer=answer)


def _ffbpe(job: Job) -> Contestant:
    import ffbpe

    source = _source(job)

    def run(_: object) -> Any:
        counter = ffbpe.PreTokenizer([], pat_str=GPT4_SPLIT_PATTERN).word_counter()
        counter.add_source(source)
        trainer = ffbpe.BpeTrainer([], unit="byte", initial_alphabet="raw", tie_break="smallest_pair_id")
        trainer.add_word_counter(counter)
        trainer.train(job.vocab_size)
        return trainer

    return Contestant(run, answer=lambda trainer: sorted(trainer.vocab, key=trainer.vocab.__getitem__)[256:])


def tokenizers_and_trainer(vocab_size: int) -> tuple[Any, Any]:
    """Return an empty tokenizer of tokenizers 0.23 and its trainer. Raise NotAvailable if the release cannot train."""
    import tokenizers

    if not version("tokenizers").startswith("0."):
        raise NotAvailable(f"tokenizers {version('tokenizers')} does not train")
    from tokenizers import models, pre_tokenizers, trainers

    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(tokenizers.Regex(GPT4_SPLIT_PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    return tokenizer, trainer


def tokens_of(tokenizer: Any) -> list[bytes]:
    """Return the tokens that a tokenizer of the tokenizers library has learnt, in order, without the 256 bytes."""
    vocabulary = tokenizer.get_vocab()
    return [from_printable(token) for token in sorted(vocabulary, key=vocabulary.__getitem__)[256:]]


def _tokenizers(job: Job) -> Contestant:
    tokenizers_and_trainer(job.vocab_size)  # raise now if the library cannot take part
    source = _source(job)

    def run(_: object) -> Any:
        tokenizer, trainer = tokenizers_and_trainer(job.vocab_size)
        tokenizer.train_from_iterator(iter(source), trainer)
        return tokenizer

    return Contestant(run, answer=tokens_of)


def _gigatoken(job: Job) -> Contestant:
    import gigatoken

    return Contestant(
        lambda _: gigatoken.train_bpe(job.data, job.vocab_size, [], tie_breaking="huggingface"),
        answer=lambda found: [left + right for left, right in found[1]],
    )


def _gigabpe(job: Job) -> Contestant:
    import gigabpe

    path = job.folder / "gigabpe.txt"
    write_whole(path, job.data)
    size = job.vocab_size - 256 + len(set(job.data))  # its vocabulary begins with the bytes that the text has
    options: dict[str, Any] = {"pretokenizer": "bytelevel", "special_tokens": [], "threads": job.threads}
    return Contestant(
        lambda _: gigabpe.train_bpe([str(path)], size, **options),
        answer=lambda found: [from_printable(left + right) for left, right in found[1]],
    )


def _minbpe(job: Job) -> Contestant:
    import regex

    from minbpe_course.reference.pairs import get_stats, merge

    def run(_: object) -> list[bytes]:
        words = [list(word.encode("utf-8")) for word in regex.findall(GPT4_SPLIT_PATTERN, job.text)]
        tokens = [bytes([byte]) for byte in range(256)]
        for new_id in range(256, job.vocab_size):
            counts: dict[tuple[int, int], int] = {}
            for ids in words:
                get_stats(ids, counts)
            pair = max(counts, key=counts.__getitem__)
            words = [merge(ids, pair, new_id) for ids in words]
            tokens.append(tokens[pair[0]] + tokens[pair[1]])
        return tokens[256:]

    return Contestant(run)


MAKERS: dict[str, Callable[[Job], Contestant]] = {
    "ours": _ours("smallest-pair"),
    "ours, ties as in tokenizers": _ours("huggingface"),
    "ours, ties as in minbpe": _ours("first-seen"),
    "ours, GPT-2's pattern": _ours("huggingface", "gpt2"),
    "rustbpe": _rustbpe,
    "ffbpe": _ffbpe,
    "tokenizers 0.23": _tokenizers,
    "gigatoken": _gigatoken,
    "gigabpe": _gigabpe,
    "minbpe's algorithm": _minbpe,
}
