"""Who else can do the work of ``bench`` here: each library that is installed, with the very same model."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from minbpe_course.formats.any_format import FORMATS, Model
from minbpe_course.inspecting.speed import Contestant, NotAvailable
from minbpe_course.model import PieceModel
from minbpe_course.text.byte_alphabet import from_printable
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN

OURS, AGAIN = "minbpe_course", "minbpe_course, its words known"
# Who encodes with which models, and in which format each takes one.
ENCODERS = {"tiktoken": "tiktoken", "tokenizers": "huggingface", "sentencepiece": "sentencepiece"}
# Who trains, and the rule by which it chooses among pairs with the same count: ours follows it in that race.
TRAINERS = {"rustbpe": "smallest-pair", "tokenizers": "huggingface"}

Makers = Mapping[str, Callable[[], Contestant]]
# What encodes a text, and what makes a list of ids of that.
Encoder = tuple[Callable[[str], Any], Callable[[Any], Any]]


def encoders(tokenizer: Any, record: Model, text: str, against: list[str], folder: Path) -> Makers:
    """Return who can encode ``text`` with this model, ourselves first.

    tokenizer : ours · record : its model · folder : where files for others may be written.
    """
    encode = getattr(tokenizer, "encode_ordinary", tokenizer.encode)
    forget = getattr(tokenizer, "clear_caches", lambda: None)
    makers: dict[str, Callable[[], Contestant]] = {
        # A text is seen for the first time, mostly. Words of earlier texts are known at once, and others remember none.
        OURS: lambda: Contestant(lambda _: encode(text), prepare=forget),
        AGAIN: lambda: Contestant(lambda _: encode(text)),
    }
    kind = ("sentencepiece",) if isinstance(record, PieceModel) else ("tiktoken", "tokenizers")
    for name in against:
        if name in kind:
            makers[name] = _encoder(name, record, text, folder)
    return makers


def _encoder(name: str, record: Model, text: str, folder: Path) -> Callable[[], Contestant]:
    def make() -> Contestant:
        peer = peer_of(name)
        if reason := FORMATS[ENCODERS[name]].why_not(record):
            raise NotAvailable(f"cannot have this model: {reason.splitlines()[0]}")
        encode, ids = _PEERS[name](peer, record, folder)
        return Contestant(lambda _: encode(text), answer=ids)

    return make


def peer_of(name: str) -> Any:
    """Return a library of others. Raises NotAvailable where it is not installed."""
    try:
        version(name)
    except PackageNotFoundError:
        raise NotAvailable(f"not installed (pip install {name})") from None
    return importlib.import_module(name)


def label(name: str) -> str:
    """Return a name with its version.

    >>> label("numpy").split()[0]
    'numpy'
    """
    library, comma, rest = name.partition(",")
    try:
        return f"{library} {version(library.replace('_', '-'))}{comma}{rest}"
    except PackageNotFoundError:
        return name


def _tiktoken(tiktoken: Any, record: Any, folder: Path) -> Encoder:
    ranks = {token: token_id for token_id, token in record.token_bytes.items()}
    pattern = record.pattern or r"(?s).+"
    encoding = tiktoken.Encoding(
        "bench", pat_str=pattern, mergeable_ranks=ranks, special_tokens=dict(record.special_tokens)
    )
    return encoding.encode_ordinary, list


def _tokenizers(tokenizers: Any, record: Any, folder: Path) -> Encoder:
    path = FORMATS["huggingface"].write(record, folder / "tokenizer.json")
    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    # Special tokens in the text are text here, for everybody.
    tokenizer.encode_special_tokens = True
    return lambda text: tokenizer.encode(text, add_special_tokens=False), lambda found: list(found.ids)


def _sentencepiece(sentencepiece: Any, record: Any, folder: Path) -> Encoder:
    path = FORMATS["sentencepiece"].write(record, folder / "bench.model")
    return sentencepiece.SentencePieceProcessor(model_file=str(path)).encode, list


_PEERS: dict[str, Callable[[Any, Any, Path], Encoder]] = {
    "tiktoken": _tiktoken,
    "tokenizers": _tokenizers,
    "sentencepiece": _sentencepiece,
}

# ----------------------------------------------------------------------------------------------------
# Training: the answer is the bytes of the tokens, in the order in which they were learnt


def trainers(name: str, text: str, vocab_size: int) -> Makers:
    """Return ourselves, choosing among equals as ``name`` does, and ``name``."""
    return {
        OURS: lambda: _our_training(text, vocab_size, TRAINERS[name]),
        name: lambda: _their_training(name, text, vocab_size),
    }


def _our_training(text: str, vocab_size: int, tie_break: str) -> Contestant:
    from minbpe_course.trainers.byte_pair import train

    options: dict[str, Any] = {"pattern": GPT4_SPLIT_PATTERN, "tie_break": tie_break, "num_threads": 1}
    train("a first word, so that the kernels are loaded", 260, **options)
    return Contestant(
        lambda _: train(text, vocab_size, **options),
        answer=lambda model: [model.token_bytes[token_id] for token_id in model.merge_ids],
    )


def _their_training(name: str, text: str, vocab_size: int) -> Contestant:
    make = _rustbpe if name == "rustbpe" else _trained_by_tokenizers
    return make(peer_of(name), text, vocab_size)


def _rustbpe(rustbpe: Any, text: str, vocab_size: int) -> Contestant:
    def run(_: object) -> Any:
        tokenizer = rustbpe.Tokenizer()
        tokenizer.train_from_iterator(iter([text]), vocab_size, pattern=GPT4_SPLIT_PATTERN)
        return tokenizer

    def answer(tokenizer: Any) -> list[bytes]:
        ranks = {token_id: bytes(token) for token, token_id in tokenizer.get_mergeable_ranks()}
        return [ranks[token_id] for token_id in range(256, len(ranks))]

    return Contestant(run, answer=answer)


def _trained_by_tokenizers(tokenizers: Any, text: str, vocab_size: int) -> Contestant:
    if not hasattr(tokenizers, "trainers"):
        raise NotAvailable(f"tokenizers {version('tokenizers')} does not train")
    models, pre_tokenizers, trainers = tokenizers.models, tokenizers.pre_tokenizers, tokenizers.trainers

    def run(_: object) -> Any:
        tokenizer = tokenizers.Tokenizer(models.BPE())
        split = pre_tokenizers.Split(tokenizers.Regex(GPT4_SPLIT_PATTERN), "isolated")
        alphabet = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, alphabet])
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
        )
        tokenizer.train_from_iterator(iter([text]), trainer)
        return tokenizer

    def answer(tokenizer: Any) -> list[bytes]:
        vocabulary = tokenizer.get_vocab()
        return [from_printable(token) for token in sorted(vocabulary, key=vocabulary.__getitem__)[256:]]

    return Contestant(run, answer=answer)
