"""Measure a tokenizer on your own text, and the installed libraries that give the same answers."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minbpe_course.cli.sources import named_files
from minbpe_course.cli.terminal import can_overwrite, say, tell
from minbpe_course.errors import InvalidOption, InvalidSource
from minbpe_course.files import read_whole

if TYPE_CHECKING:
    from minbpe_course.formats.any_format import Model
    from minbpe_course.inspecting.speed import Contestant

    Makers = Mapping[str, Callable[[], Contestant]]

EXAMPLES = """\
minbpe-course bench notes.txt
minbpe-course bench essays/*.txt --tokenizer o200k_base --against tiktoken
minbpe-course bench notes.txt --tokenizer tokenizer.json --repeat 9
minbpe-course bench notes.txt --train 4096 --format json
"""
PEERS = ("tiktoken", "tokenizers", "sentencepiece", "rustbpe")
OURS, AGAIN = "minbpe_course", "minbpe_course, its words known"
# The libraries that train, with the tie-break rule of each; ours follows it in that race.
TRAINERS = {"rustbpe": "smallest-pair", "tokenizers": "huggingface"}
LEAST_ROUNDS = 5


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="texts; - reads standard input (default: the lessons of this course)"
    )
    parser.add_argument(
        "-t",
        "--tokenizer",
        default="cl100k_base",
        metavar="NAME_OR_PATH",
        help="a bundled encoding, or a tokenizer's file in any format (default: %(default)s)",
    )
    parser.add_argument(
        "--against",
        default=",".join(PEERS),
        metavar="NAMES",
        help="other libraries, separated by commas; those that are not installed are left out (%(default)s)",
    )
    parser.add_argument("--train", type=int, metavar="VOCAB", help="also train on the text, up to this many tokens")
    parser.add_argument("--repeat", type=int, default=LEAST_ROUNDS, metavar="N", help="rounds, 5 or more (default: 5)")
    parser.add_argument(
        "--most", type=float, default=2.0, metavar="MB", help="use no more of the text than this (default: 2)"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="for people (default), or JSON")


def run(args: argparse.Namespace) -> int:
    """Compare the answers, measure, print, and return 0."""
    from minbpe_course.tokenizers.loading import load_tokenizer
    from minbpe_course.tokenizers.sources import record_from

    against = [name.strip() for name in args.against.split(",") if name.strip()]
    for name in against:
        if name not in PEERS:
            raise InvalidOption(f"--against {name}: there is no such contestant. There are: {', '.join(PEERS)}.")
    if args.repeat < LEAST_ROUNDS:
        raise InvalidOption(f"--repeat {args.repeat}: fewer than {LEAST_ROUNDS} rounds say nothing.")
    source, text = _text(args.files, args.most)
    record = record_from(args.tokenizer).record
    size = len(text.encode("utf-8"))
    found = {"text": source, "bytes": size, "characters": len(text), "rounds": args.repeat, "races": []}
    with tempfile.TemporaryDirectory() as folder:
        makers = encoders(load_tokenizer(args.tokenizer), record, text, against, Path(folder))
        found["races"].append(_race(f"encoding with {args.tokenizer}", makers, args.repeat, size, "MB/s"))
    for name in TRAINERS if args.train is not None else ():
        if name in against:
            title = f"training {args.train:,} tokens, split as for GPT-4, ties as {name} breaks them"
            found["races"].append(_race(title, trainers(name, text, args.train), args.repeat, size, "s"))
    say(json.dumps(found) if args.format == "json" else _page(found))
    return 0


def _text(names: list[str], most: float) -> tuple[str, str]:
    """Return the name of the text, and its first ``most`` megabytes."""
    if names == ["-"]:
        data, source = sys.stdin.buffer.read() if sys.stdin is not None else b"", "standard input"
    elif names:
        paths = named_files(names)
        data, source = b"".join(map(read_whole, paths)), ", ".join(map(str, paths[:3])) + ", …" * (len(paths) > 3)
    else:
        from minbpe_course.cli.lessons import source_folder

        lessons = sorted((source_folder() / "notebooks").glob("*.ipynb"))
        data, source = b"".join(map(read_whole, lessons)), "the lessons of this course"
    if most * 1e6 < 1:
        raise InvalidOption(f"--most {most:g}: that is less than one byte.")
    text = data[: int(most * 1e6)].decode("utf-8", "replace")
    if not text:
        raise InvalidSource(f"{source}: there is no text to measure with.")
    return source + f" (the first {most:g} MB)" * (len(data) > most * 1e6), text


def _race(title: str, makers: Makers, rounds: int, size: int, unit: str) -> dict[str, Any]:
    from minbpe_course.inspecting.speed import clock_for, race

    if can_overwrite(sys.stderr):
        tell(f"{title}: {', '.join(makers)} ...")
    ours = [name for name in makers if name in (OURS, AGAIN)]
    others = [name for name in makers if name not in ours]
    # Ids must equal theirs. Trained tokens may differ: the regular expressions of the libraries differ.
    truth = others[0] if others and unit == "MB/s" else OURS
    result = race(makers, truth=truth, ours=ours, rounds=rounds, clock=clock_for(1))
    rows: list[dict[str, Any]] = []
    for name in makers:
        ratio = result.ratio(OURS, [name])
        if ratio is None:
            rows.append({"who": name, "not_measured": result.absent[name]})
            continue
        seconds = sorted(result.seconds[name])[len(result.seconds[name]) // 2]
        value = size / 1e6 / seconds if unit == "MB/s" else seconds
        as_long = {"median": ratio.median, "low": ratio.low, "high": ratio.high}
        rows.append({"who": _label(name), unit: value, "seconds": result.seconds[name], "times_as_long": as_long})
    return {"title": title, "unit": unit, "results": rows}


def _label(name: str) -> str:
    """Return the name of a contestant with the version of its library."""
    library, comma, rest = name.partition(",")
    try:
        return f"{library} {version(library.replace('_', '-'))}{comma}{rest}"
    except PackageNotFoundError:
        return name


def _page(found: dict[str, Any]) -> str:
    lines = [
        f"{found['text']}: {found['bytes']:,} bytes, {found['characters']:,} characters",
        f"One thread, {found['rounds']} rounds in turn; every contestant that is measured gave the same answer.",
    ]
    for each in found["races"]:
        lines += ["", f"{each['title']}, {each['unit']}"]
        width = max(len(row["who"]) for row in each["results"])
        for row in each["results"]:
            if "not_measured" in row:
                lines.append(f"  {row['who']:<{width}}  not measured: {row['not_measured']}")
                continue
            ratio = row["times_as_long"]
            compared = f"  {ratio['median']:.2f} times as long ({ratio['low']:.2f} to {ratio['high']:.2f})"
            ours = row is each["results"][0]
            lines.append(f"  {row['who']:<{width}}  {row[each['unit']]:>9.2f}{'' if ours else compared}")
    return "\n".join(lines)


# ---- Encoding: the answer is the ids


def encoders(tokenizer: Any, record: Model, text: str, against: list[str], folder: Path) -> Makers:
    """Return the contestants that can encode ``text`` with this model, ours first.

    tokenizer : ours · record : its model · folder : for the files that the other libraries read.
    """
    from minbpe_course.inspecting.speed import Contestant
    from minbpe_course.model import PieceModel

    encode = getattr(tokenizer, "encode_ordinary", tokenizer.encode)
    forget = getattr(tokenizer, "clear_caches", lambda: None)
    makers: dict[str, Callable[[], Contestant]] = {
        # Most texts are new. Ours remembers the words of earlier texts; the other libraries do not.
        OURS: lambda: Contestant(lambda _: encode(text), prepare=forget),
        AGAIN: lambda: Contestant(lambda _: encode(text)),
    }
    kind = ("sentencepiece",) if isinstance(record, PieceModel) else ("tiktoken", "tokenizers")
    return makers | {name: _peer_encoder(name, record, text, folder) for name in against if name in kind}


def _peer_encoder(name: str, record: Any, text: str, folder: Path) -> Callable[[], Contestant]:
    from minbpe_course.formats.any_format import FORMATS
    from minbpe_course.inspecting.speed import Contestant, NotAvailable

    def make() -> Contestant:
        peer = peer_of(name)
        form = FORMATS["huggingface" if name == "tokenizers" else name]
        if reason := form.why_not(record):
            raise NotAvailable(f"cannot have this model: {reason.splitlines()[0]}")
        if name == "tiktoken":
            ranks = {token: token_id for token_id, token in record.token_bytes.items()}
            encoding = peer.Encoding(
                "bench",
                pat_str=record.pattern or r"(?s).+",
                mergeable_ranks=ranks,
                special_tokens=dict(record.special_tokens),
            )
            return Contestant(lambda _: encoding.encode_ordinary(text), answer=list)
        path = str(form.write(record, folder / ("tokenizer.json" if name == "tokenizers" else "bench.model")))
        if name == "sentencepiece":
            processor = peer.SentencePieceProcessor(model_file=path)
            return Contestant(lambda _: processor.encode(text), answer=list)
        tokenizer = peer.Tokenizer.from_file(path)
        # Special tokens in the text are ordinary text for every contestant.
        tokenizer.encode_special_tokens = True
        return Contestant(
            lambda _: tokenizer.encode(text, add_special_tokens=False), answer=lambda found: list(found.ids)
        )

    return make


def peer_of(name: str) -> Any:
    """Import another library. Raises NotAvailable if it is not installed."""
    from minbpe_course.inspecting.speed import NotAvailable

    try:
        version(name)
    except PackageNotFoundError:
        raise NotAvailable(f"not installed (pip install {name})") from None
    return importlib.import_module(name)


# ---- Training: the answer is the bytes of the tokens, in the order in which they were learned


def trainers(name: str, text: str, vocab_size: int) -> Makers:
    """Return ours with the tie-break rule of ``name``, and ``name``."""
    theirs = _rustbpe if name == "rustbpe" else _hugging_face
    return {
        OURS: lambda: _our_training(text, vocab_size, TRAINERS[name]),
        name: lambda: theirs(peer_of(name), text, vocab_size),
    }


def _our_training(text: str, vocab_size: int, tie_break: str) -> Contestant:
    from minbpe_course.inspecting.speed import Contestant
    from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN
    from minbpe_course.trainers.byte_pair import train

    options: dict[str, Any] = {"pattern": GPT4_SPLIT_PATTERN, "tie_break": tie_break, "num_threads": 1}
    train("a first word, so that the kernels are loaded", 260, **options)
    return Contestant(
        lambda _: train(text, vocab_size, **options),
        answer=lambda model: [model.token_bytes[token_id] for token_id in model.merge_ids],
    )


def _rustbpe(rustbpe: Any, text: str, vocab_size: int) -> Contestant:
    from minbpe_course.inspecting.speed import Contestant
    from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN

    def train(_: object) -> Any:
        tokenizer = rustbpe.Tokenizer()
        tokenizer.train_from_iterator(iter([text]), vocab_size, pattern=GPT4_SPLIT_PATTERN)
        return tokenizer

    def answer(tokenizer: Any) -> list[bytes]:
        ranks = {token_id: bytes(token) for token, token_id in tokenizer.get_mergeable_ranks()}
        return [ranks[token_id] for token_id in range(256, len(ranks))]

    return Contestant(train, answer=answer)


def _hugging_face(tokenizers: Any, text: str, vocab_size: int) -> Contestant:
    from minbpe_course.inspecting.speed import Contestant, NotAvailable
    from minbpe_course.text.byte_alphabet import from_printable
    from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN

    if not hasattr(tokenizers, "trainers"):
        raise NotAvailable(f"tokenizers {version('tokenizers')} does not train")
    pre_tokenizers = tokenizers.pre_tokenizers

    def train(_: object) -> Any:
        tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
        split = pre_tokenizers.Split(tokenizers.Regex(GPT4_SPLIT_PATTERN), "isolated")
        alphabet = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, alphabet])
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=vocab_size, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
        )
        tokenizer.train_from_iterator(iter([text]), trainer)
        return tokenizer

    def answer(tokenizer: Any) -> list[bytes]:
        vocabulary = tokenizer.get_vocab()
        return [from_printable(token) for token in sorted(vocabulary, key=vocabulary.__getitem__)[256:]]

    return Contestant(train, answer=answer)
