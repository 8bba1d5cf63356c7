"""The work of ``train``: texts to a record, and the record to a file that is proven before it takes its name."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from minbpe_course.cli.byte_inputs import must_be_files, sources
from minbpe_course.cli.progress_line import ProgressLine, size
from minbpe_course.cli.say import say
from minbpe_course.cli.text_inputs import Reading
from minbpe_course.cli.word_counting_work import (
    bytes_of,
    counted_words,
    dropped_words,
    in_words_of_the_command_line,
    min_count_of,
    pattern_of,
)
from minbpe_course.counting.counts_file import CountsFile, is_counts_file
from minbpe_course.counting.counts_file.loading import loaded
from minbpe_course.counting.word_counter import special_texts
from minbpe_course.errors import (
    DifferentCounts,
    InvalidOption,
    InvalidTrainingOption,
    MissingFile,
    UnknownFormat,
    UnsupportedModel,
)
from minbpe_course.formats import any_format as opening
from minbpe_course.model import BytePairModel, PieceModel
from minbpe_course.resources import memory as amounts
from minbpe_course.tokenizers.loading import convert
from minbpe_course.trainers.byte_pair import MergeProgress, check_vocab_size, model_of
from minbpe_course.trainers.byte_pair import train as train_byte_pairs
from minbpe_course.trainers.training_words import DEFAULT_PATTERN, cut_of


def train(args: argparse.Namespace) -> bool:
    """Train on what the options of ``train`` name; return whether the vocabulary has the size asked for.

    A smaller model is whole and written all the same. SentencePiece's soft limit asks for a smaller one where the text
    is too short, so that always counts as reached.
    """
    names = sources(args.files, "train")
    must_be_files(names)
    pieces = args.kind != "bpe"
    _must_fit_together(args, pieces)
    cut = _cut(args, names)
    form = _checked_format(args, pieces, cut)
    left_out = ""
    record: BytePairModel | PieceModel
    with ProgressLine() as line:
        if pieces:
            record = _pieces(args, names, line)
        else:
            record, left_out = _byte_pairs(args, names, cut, line)
        line.show(f"writing {args.output}")
        convert(record, args.output, form)
    number = len(record) if isinstance(record, PieceModel) else record.vocab_size
    if number < args.vocab_size:
        soft = " The file is written." if pieces else " The file is written, and the exit code is 1."
        print(
            f"minbpe-course train: the text ran out of pairs: the vocabulary has {number:,} tokens, "
            f"not {args.vocab_size:,}.{soft}\nGive it more text, or say: --vocab-size {number}",
            file=sys.stderr,
        )
    if left_out:
        say(left_out)
    say(f"{args.output}: {_learned(record)}, in the format {form}")
    return pieces or number == args.vocab_size


def _must_fit_together(args: argparse.Namespace, pieces: bool) -> None:
    """Raise InvalidOption for an option that the kind of model does not have."""
    for_bytes = {"--pattern": args.pattern, "--tie-break": args.tie_break, "--min-frequency": args.min_frequency}
    for_bytes |= {"--min-count": args.min_count, "--memory": args.memory, "--checkpoint": args.checkpoint}
    for_bytes |= {"--dask": args.dask, "--clean": args.clean or None}
    for option, given in for_bytes.items():
        if pieces and given is not None:
            raise InvalidOption(f"{option} goes with --kind bpe; SentencePiece has no such thing.")
    if args.set and not pieces:
        raise InvalidOption("--set is for SentencePiece's options: --kind sentencepiece-bpe, for example.")


def _checked_format(args: argparse.Namespace, pieces: bool, cut: _Cut) -> str:
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
    check_vocab_size(args.vocab_size - len(cut.specials))
    min_count_of(args)
    # One that is like the one to come, but for its size.
    like = model_of([(97, 97)], cut.pattern, cut.specials)
    try:
        form = args.format or opening.guess(path, like)
    except UnknownFormat as problem:
        raise UnknownFormat(str(problem).replace("Say format=", "Say --format")) from None
    made = opening.named(form)
    if reason := made.why_not(like):
        raise UnsupportedModel(f"{made.title} cannot hold such a model: {reason}")
    return form


class _Cut(NamedTuple):
    """How words are cut, and the counts file that says so, if there is one."""

    counts: CountsFile | None
    pattern: str | None
    specials: list[str]


def _cut(args: argparse.Namespace, names: Sequence[str]) -> _Cut:
    """Return how the options, or a counts file, cut words. Raises InvalidOption where they contradict each other."""
    files = [name for name in names if name != "-" and is_counts_file(name)]
    if not files:
        return _Cut(None, pattern_of(args), special_texts(args.special))
    if len(names) > 1:
        raise InvalidOption(
            f"{files[0]} is a counts file, and train takes one alone. Several become one with: minbpe-course counts "
            "merge ONE.counts TWO.counts -o both.counts; texts with: minbpe-course count TEXT -o two.counts"
        )
    about_text = {"--lines": args.lines, "--field": args.field, "--clean": args.clean, "--dask": args.dask}
    for option, given in about_text.items():
        if given:
            raise InvalidOption(
                f"{files[0]} is a counts file: {option} is for texts whose words are still to be counted."
            )
    if args.kind != "bpe":
        raise InvalidOption(f"{files[0]} is a counts file, for --kind bpe; SentencePiece needs the text itself.")
    counts = CountsFile(files[0])
    try:
        given = DEFAULT_PATTERN if args.pattern is None else pattern_of(args)
        return _Cut(counts, *cut_of(counts, given, special_texts(args.special)))
    except DifferentCounts as problem:
        said = str(problem).partition("\n")[0]
        option = "--special" if "special_tokens" in said else "--pattern"
        raise DifferentCounts(
            f"{said}\nLeave {option} away, so that the file's is taken; with another the text has to be counted again: "
            "minbpe-course count"
        ) from None


def _byte_pairs(
    args: argparse.Namespace, names: Sequence[str], cut: _Cut, line: ProgressLine
) -> tuple[BytePairModel, str]:
    """Return the model, and what there is to say of words that were left out."""
    least = min_count_of(args)

    def merged(progress: MergeProgress) -> None:
        line.show(f"merge {progress.done:,} of {progress.total:,}: {progress.token!r}")

    if cut.counts is not None:
        words = loaded(cut.counts, amounts.parsed(args.memory)).pruned(least)
    else:
        words = counted_words(
            args, names, line, pattern=cut.pattern, specials=cut.specials,
            checkpoint=None if args.checkpoint is None else Path(args.checkpoint, "counts"), min_frequency=least,
        )  # fmt: skip
    with in_words_of_the_command_line():
        record = train_byte_pairs(
            words,
            args.vocab_size,
            pattern=cut.pattern,
            special_tokens=cut.specials,
            tie_break=args.tie_break or "first-seen",
            min_frequency=1 if args.min_frequency is None else args.min_frequency,
            progress=merged if line.is_shown else None,
        )
    dropped = words.dropped
    said = dropped_words(dropped, least, bytes_of(words)) if dropped.words and least > 1 else ""
    return record, said


def _pieces(args: argparse.Namespace, names: Sequence[str], line: ProgressLine) -> PieceModel:
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

    reading = Reading(lines=args.lines, field=args.field, errors=args.errors)
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
