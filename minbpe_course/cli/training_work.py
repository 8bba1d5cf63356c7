"""The work of ``train``: texts to a record, and the record to a file that is proven before it takes its name."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from minbpe_course.cli.byte_inputs import must_be_files, sources
from minbpe_course.cli.in_order import threads
from minbpe_course.cli.progress_line import ProgressLine, size
from minbpe_course.cli.say import say
from minbpe_course.cli.text_inputs import Reading
from minbpe_course.corpus.counting import count_words, special_texts
from minbpe_course.corpus.long_texts import LongText
from minbpe_course.corpus.words import Splitter
from minbpe_course.errors import InvalidOption, InvalidTrainingOption, MissingFile, UnknownFormat, UnsupportedModel
from minbpe_course.formats import opening
from minbpe_course.model import BytePairModel, PieceModel
from minbpe_course.text.patterns import named_pattern
from minbpe_course.tokenizers.loading import convert
from minbpe_course.trainers.byte_pair import MergeProgress, check_vocab_size
from minbpe_course.trainers.byte_pair import train as train_byte_pairs

DEFAULT_PATTERN = "cl100k_base"


def train(args: argparse.Namespace) -> None:
    """Train on what the options of ``train`` name."""
    names = sources(args.files, "train")
    must_be_files(names)
    pieces = args.kind != "bpe"
    _must_fit_together(args, pieces)
    form = _checked_format(args, pieces)
    reading = Reading(lines=args.lines, field=args.field, errors=args.errors)
    with ProgressLine() as line:
        record = _pieces(args, names, reading, line) if pieces else _byte_pairs(args, names, reading, line)
        line.show(f"writing {args.output}")
        convert(record, args.output, form)
    number = len(record) if isinstance(record, PieceModel) else record.vocab_size
    if number < args.vocab_size:
        print(
            f"minbpe-course train: the text ran out of pairs: the vocabulary has {number:,} tokens, "
            f"not {args.vocab_size:,}.",
            file=sys.stderr,
        )
    say(f"{args.output}: {_learned(record)}, in the format {form}")


def _must_fit_together(args: argparse.Namespace, pieces: bool) -> None:
    """Raise InvalidOption for an option that the kind of model does not have."""
    for_bytes = {"--pattern": args.pattern, "--tie-break": args.tie_break, "--min-frequency": args.min_frequency}
    for option, given in for_bytes.items():
        if pieces and given is not None:
            raise InvalidOption(f"{option} goes with --kind bpe; SentencePiece has no such thing.")
    if args.set and not pieces:
        raise InvalidOption("--set is for SentencePiece's options: --kind sentencepiece-bpe, for example.")


def _checked_format(args: argparse.Namespace, pieces: bool) -> str:
    """Return the format to write. What would be refused after hours of training is refused now."""
    path = Path(args.output)
    if not path.parent.is_dir():
        raise MissingFile(f"there is no folder {path.parent} to write {path.name} into.")
    if pieces:
        form = args.format or "sentencepiece"
        if form != "sentencepiece":
            raise UnsupportedModel(
                f"--kind {args.kind} trains a model of SentencePiece, which no other format can hold with the same ids."
            )
        return form
    check_vocab_size(args.vocab_size)
    specials = special_texts(args.special)
    # One that is like the one to come, but for its size.
    like = BytePairModel(
        [(97, 97)], pattern=_pattern(args), special_tokens={text: 257 + at for at, text in enumerate(specials)}
    )
    try:
        form = args.format or opening.guess(path, like)
    except UnknownFormat as problem:
        raise UnknownFormat(str(problem).replace("Say format=", "Say --format")) from None
    made = opening.named(form)
    if reason := made.why_not(like):
        raise UnsupportedModel(f"{made.title} cannot hold such a model: {reason}")
    return form


def _pattern(args: argparse.Namespace) -> str | None:
    given = args.pattern or DEFAULT_PATTERN
    return None if given == "none" else named_pattern(given)


def _byte_pairs(args: argparse.Namespace, names: Sequence[str], reading: Reading, line: ProgressLine) -> BytePairModel:
    pattern = _pattern(args)
    specials = special_texts(args.special)

    def texts() -> Iterator[str]:
        for batch in reading.batches(names, LongText(Splitter(pattern), specials)):
            yield from batch.texts
            line.show(f"{size(reading.bytes_read)} read")

    def merged(progress: MergeProgress) -> None:
        line.show(f"merge {progress.done:,} of {progress.total:,}: {progress.token!r}")

    words = count_words(texts(), pattern=pattern, special_tokens=specials, num_threads=threads(args.jobs))
    return train_byte_pairs(
        words,
        args.vocab_size,
        pattern=pattern,
        special_tokens=specials,
        tie_break=args.tie_break or "first-seen",
        min_frequency=1 if args.min_frequency is None else args.min_frequency,
        progress=merged if line.is_shown else None,
    )


def _pieces(args: argparse.Namespace, names: Sequence[str], reading: Reading, line: ProgressLine) -> PieceModel:
    from minbpe_course.trainers.piece_training import train_sentencepiece

    options: dict[str, Any] = dict(_option(each) for each in args.set)
    if args.special:
        options["user_defined_symbols"] = special_texts(args.special)
    if args.jobs:
        options["num_threads"] = args.jobs
    # What sentencepiece tells about its steps is for whoever asks for it.
    options.setdefault("minloglevel", 2)

    def sentences() -> Iterator[str]:
        for texts, *_ in reading.portions(names):
            yield from texts
            line.show(f"{size(reading.bytes_read)} read")

    # A sentence is a line, whatever else is said.
    reading.by_line = True
    return train_sentencepiece(
        sentence_iterator=sentences(),
        vocab_size=args.vocab_size,
        model_type=args.kind.removeprefix("sentencepiece-"),
        **options,
    )


def _option(given: str) -> tuple[str, Any]:
    """Take NAME=VALUE apart.

    >>> _option("byte_fallback=true"), _option("character_coverage=0.98"), _option("unk_surface= ? ")
    (('byte_fallback', True), ('character_coverage', 0.98), ('unk_surface', ' ? '))
    """
    name, sign, value = given.partition("=")
    name = name.lstrip("-").replace("-", "_")
    if not sign or not name:
        raise InvalidTrainingOption(f"--set takes NAME=VALUE, such as byte_fallback=true, and got {given!r}.")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def _learned(record: BytePairModel | PieceModel) -> str:
    if isinstance(record, PieceModel):
        return f"{len(record):,} pieces"
    specials = len(record.special_tokens)
    return (
        f"{record.vocab_size:,} tokens: 256 bytes, {len(record.pairs):,} merges, "
        f"{specials} special token{'' if specials == 1 else 's'}"
    )
