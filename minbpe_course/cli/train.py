"""Train a tokenizer on files or a pipe, and write it in any format."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from minbpe_course.cli.documents import Reading
from minbpe_course.cli.options import (
    MODEL_FORMATS,
    add_counting_args,
    add_document_args,
    add_file_args,
    add_jobs_args,
    at_least,
    refuse,
    threads,
    typed_text,
)
from minbpe_course.cli.sources import sources
from minbpe_course.cli.terminal import ProgressLine, say, size, tell
from minbpe_course.errors import (
    InvalidOption,
    InvalidSource,
    InvalidTrainingOption,
    MissingFile,
    TrainingStoppedEarly,
    UnsupportedModel,
)

if TYPE_CHECKING:
    from minbpe_course.counting.counts_file import CountsFile
    from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel

EXAMPLES = """\
minbpe-course train corpus.txt --vocab-size 8000 -o mine.model
minbpe-course train 'data/**/*.txt' --vocab-size 32000 --pattern o200k_base --special '<|endoftext|>' -o tokenizer.json
zcat pages.jsonl.gz | minbpe-course train - --field text --vocab-size 16000 -o mine.tiktoken
minbpe-course count 'data/**/*.txt' -o corpus.counts
minbpe-course train corpus.counts -n 32000 -o mine.model
minbpe-course train 'data/*.txt.zst' -n 32000 --memory 2GB --checkpoint work/ --min-count 2 -o mine.model
minbpe-course train corpus.txt -n 32000 --stage 26000 cl100k_base --pattern superwords -o tokenizer.json
minbpe-course train notes.txt --base cl100k_base -n 100777 -o longer.tiktoken
minbpe-course train corpus.txt --kind sentencepiece-unigram --vocab-size 8000 --set character_coverage=1.0 -o sp.model
"""

KINDS = ("bpe", "wordpiece", "sentencepiece-bpe", "sentencepiece-unigram", "sentencepiece-char", "sentencepiece-word")
TIE_BREAKS = ("first-seen", "greatest-bytes", "smallest-pair", "huggingface")


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add_file_args(parser, "text in UTF-8, or one counts file, as count -o corpus.counts writes it")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="the file to write; its name says the format: mine.model, mine.tiktoken, tokenizer.json, tekken.json, or "
        "a folder for vocab.json and merges.txt",
    )
    parser.add_argument("--format", choices=MODEL_FORMATS, help="the format (default: by the name)")
    parser.add_argument(
        "-n",
        "--vocab-size",
        type=int,
        required=True,
        metavar="N",
        help="number of tokens, including special tokens; exit code 1 if the text has too few pairs for that",
    )
    parser.add_argument(
        "--kind",
        choices=KINDS,
        default="bpe",
        help="bpe: byte-level, as GPT's (default); wordpiece: BERT's; others: SentencePiece's, as Llama 2's",
    )
    parser.add_argument(
        "--base",
        metavar="NAME_OR_FILE",
        help="bpe learns on top of this vocabulary: its ids stay, -n counts them, and its pattern cuts the words",
    )
    parser.add_argument(
        "--pattern",
        type=typed_text,
        metavar="NAME_OR_REGEX",
        help="the split pattern of bpe: a name such as gpt2 or o200k_base, a regex, or none (default: that of a counts "
        "file; superwords with --stage; else cl100k_base)",
    )
    parser.add_argument(
        "--stage",
        type=typed_text,
        action="append",
        nargs=2,
        metavar=("N", "PATTERN"),
        help="bpe merges inside the words of this pattern until there are N tokens, then across them, inside those of "
        "--pattern; may be repeated",
    )
    parser.add_argument(
        "--special",
        type=typed_text,
        action="append",
        default=[],
        metavar="TOKEN",
        help="a special token; may be repeated. No merge crosses one; SentencePiece gets it as a user-defined symbol",
    )
    parser.add_argument(
        "--tie-break",
        choices=TIE_BREAKS,
        help="which of two equally frequent pairs bpe merges: as minbpe (first-seen, the default), CS336, rustbpe, or "
        "tokenizers",
    )
    parser.add_argument(
        "--min-frequency", type=at_least(1), metavar="N", help="bpe merges no pair that occurs less often (default: 1)"
    )
    parser.add_argument(
        "--min-count", type=at_least(1), metavar="N", help="bpe learns from no word that occurs less often (default: 1)"
    )
    parser.add_argument(
        "--set",
        type=typed_text,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of SentencePiece by its own name, such as byte_fallback=true; may be repeated",
    )
    add_counting_args(parser)
    add_document_args(parser)
    add_jobs_args(parser)


def run(args: argparse.Namespace) -> int:
    """Train, write and report; return 0, or 1 when the text has too few pairs for the vocabulary size.

    The smaller model is complete and written all the same. SentencePiece's soft limit allows a smaller model, so it
    always returns 0.
    """
    from minbpe_course.tokenizers.loading import convert

    names = sources(args.files, "train")
    pieces = args.kind != "bpe"
    _check_options_fit(args, pieces)
    cut = _cut(args, names)
    form = _checked_format(args, pieces, cut)
    stages = _stages(args, cut)
    left_out = ""
    record: BytePairModel | VocabularyModel | PieceModel
    with ProgressLine() as line:
        if pieces:
            record = _pieces(args, names, line)
            number, said = len(record), f"{len(record):,} pieces"
        else:
            record, left_out = _byte_pairs(args, names, cut, stages, line)
            number, said = record.vocab_size, _summary(record)
        line.show(f"writing {args.output}")
        convert(record, args.output, form, overwrite=True)
    if number < args.vocab_size:
        written = " The file is written." if pieces else " The file is written, and the exit code is 1."
        tell(
            f"minbpe-course train: the text ran out of pairs: the vocabulary has {number:,} tokens, "
            f"not {args.vocab_size:,}.{written}\nGive it more text, or say: --vocab-size {number}"
        )
    if left_out:
        say(left_out)
    say(f"{args.output}: {said}, in the format {form}")
    return 0 if pieces or number == args.vocab_size else 1


def _check_options_fit(args: argparse.Namespace, pieces: bool) -> None:
    """Raise InvalidOption for an option that this kind of model does not have."""
    if pieces:
        names = ["base", "pattern", "stage", "tie_break", "min_count", "memory", "checkpoint", "dask"]
        names += [] if args.kind == "wordpiece" else ["min_frequency"]
        given = {f"--{name.replace('_', '-')}": getattr(args, name) is not None for name in names}
        refuse(given, f"{{}} goes with --kind bpe; --kind {args.kind} has no such thing.")
    if args.set and not args.kind.startswith("sentencepiece"):
        raise InvalidOption("--set is for SentencePiece's options: --kind sentencepiece-bpe, for example.")
    if args.base:
        given = {"--pattern": args.pattern, "--stage": args.stage}
        refuse(given, "{} goes without --base, which brings its own pattern.")


class _Cut(NamedTuple):
    """How text is cut into words: pattern and special tokens, and the counts file or the base that they come from."""

    counts: CountsFile | None
    pattern: str | None
    specials: list[str]
    base: Any = None


def _cut(args: argparse.Namespace, names: Sequence[str]) -> _Cut:
    """Return how the options, or a counts file, cut words. Raises InvalidOption when they contradict each other."""
    from minbpe_course.cli.word_counts import pattern_of
    from minbpe_course.counting.counts_file import CountsFile, is_counts_file
    from minbpe_course.counting.word_counter import special_texts
    from minbpe_course.trainers.training_words import DEFAULT_PATTERN, cut_of

    files = [name for name in names if name != "-" and is_counts_file(name)]
    base = _base(args.base) if args.base else None
    if not files:
        if base:
            return _Cut(None, base.pattern, special_texts([*base.special_tokens, *args.special]), base)
        if args.stage and args.pattern is None:
            args.pattern = "superwords"
        return _Cut(None, pattern_of(args), special_texts(args.special))
    if len(names) > 1:
        raise InvalidOption(
            f"{files[0]} is a counts file, and train takes one alone. Several become one with: minbpe-course count "
            "ONE.counts TWO.counts -o both.counts; texts with: minbpe-course count TEXT -o two.counts"
        )
    about_text = {"--lines": args.lines, "--field": args.field, "--dask": args.dask}
    refuse(about_text, f"{files[0]} is a counts file: {{}} is for texts whose words are still to be counted.")
    if args.kind != "bpe":
        raise InvalidOption(f"{files[0]} is a counts file, for --kind bpe; SentencePiece needs the text itself.")
    counts = CountsFile(files[0])
    try:
        if base:
            return _Cut(counts, *cut_of(counts, base.pattern, special_texts(args.special)), base)
        pattern = DEFAULT_PATTERN if args.pattern is None else pattern_of(args)
        return _Cut(counts, *cut_of(counts, pattern, special_texts(args.special)))
    except InvalidSource as problem:
        message = str(problem).partition("\n")[0]
        option = "--special" if "special_tokens" in message else "--pattern"
        raise InvalidSource(
            f"{message}\nLeave {option} away to use the file's, or count the text again with another: "
            "minbpe-course count"
        ) from None


def _base(source: str) -> BytePairModel | VocabularyModel:
    """Return the vocabulary of --base. Raises UnsupportedModel if words cannot be counted with its pattern alone."""
    from minbpe_course.trainers.base_vocabulary import BaseVocabulary

    base = BaseVocabulary(source)
    if not base.cut_by_pattern:
        raise UnsupportedModel(
            f"{source} changes text before a pattern cuts it, or has several patterns. In Python: train(..., base=...)."
        )
    return base.record


def _stages(args: argparse.Namespace, cut: _Cut) -> list[tuple[int, str | None]]:
    """Return the stages that --stage names. Raise InvalidOption, and InvalidPattern, before anything is counted."""
    from minbpe_course.trainers.stages import stages_of

    stages: list[tuple[int, str | None]] = []
    for number, pattern in args.stage or ():
        if not number.isdecimal():
            raise InvalidOption(f"--stage takes a number of tokens and a pattern, such as 26000 gpt2, not {number!r}.")
        stages.append((int(number), None if pattern == "none" else pattern))
    stages_of(stages, args.vocab_size - len(cut.specials))
    return stages


def _checked_format(args: argparse.Namespace, pieces: bool, cut: _Cut) -> str:
    """Return the format to write. Raise now for what would otherwise be refused after hours of training."""
    from minbpe_course.formats import any_format
    from minbpe_course.formats.wordpiece_vocab import wordpiece_record
    from minbpe_course.trainers.byte_pair import check_vocab_size, model_of

    path = Path(args.output)
    if not path.parent.is_dir():
        raise MissingFile(f"there is no folder {path.parent} to write {path.name} into.")
    if args.kind == "wordpiece":
        form = args.format or any_format.guess(path, wordpiece_record(["[UNK]"], ["[UNK]"], "[UNK]", None, ("", "")))
        if form not in ("wordpiece", "huggingface"):
            raise UnsupportedModel("--kind wordpiece is written as a vocab.txt or a tokenizer.json: -o vocab.txt")
        return form
    if pieces:
        form = args.format or "sentencepiece"
        if form != "sentencepiece":
            raise UnsupportedModel(
                f"--kind {args.kind} trains a model of SentencePiece, and writes its own format: -o mine.model. A BPE "
                "model can become a tokenizer.json then: minbpe-course convert mine.model tokenizer.json"
            )
        return form
    check_vocab_size(args.vocab_size)
    check_vocab_size(args.vocab_size - len(cut.specials))
    # Like the model to come, except for its size.
    like = cut.base or model_of([(97, 97)], cut.pattern, cut.specials)
    try:
        form = args.format or any_format.guess(path, like)
    except InvalidOption as problem:
        raise InvalidOption(str(problem).replace("Say format=", "Say --format")) from None
    chosen = any_format.named(form)
    if reason := chosen.why_not(like):
        others = ", ".join(made.example for made in any_format.FORMATS.values() if not made.why_not(like))
        raise UnsupportedModel(f"{chosen.title} cannot hold such a model: {reason}\nNames that fit: -o {others}")
    return form


def _byte_pairs(
    args: argparse.Namespace, names: Sequence[str], cut: _Cut, stages: list[tuple[int, str | None]], line: ProgressLine
) -> tuple[BytePairModel | VocabularyModel, str]:
    """Return the model, and a sentence about the words that were left out."""
    from minbpe_course.cli import word_counts
    from minbpe_course.trainers.byte_pair import train

    least = args.min_count or 1
    folder = None if args.checkpoint is None else Path(args.checkpoint)

    if cut.counts is not None:
        words = cut.counts.load().pruned(least)
    else:
        words = word_counts.counted_words(
            args,
            names,
            line,
            pattern=cut.pattern,
            specials=cut.specials,
            checkpoint=None if folder is None else folder / "counts",
            min_frequency=least,
        )
    with word_counts.in_words_of_the_command_line(), warnings.catch_warnings():
        # The command says it in its own words.
        warnings.simplefilter("ignore", TrainingStoppedEarly)
        record = train(
            words,
            args.vocab_size,
            base=cut.base,
            pattern=cut.pattern,
            special_tokens=cut.specials,
            tie_break=args.tie_break or "first-seen",
            stages=stages,
            checkpoint=folder,
            num_threads=threads(args.jobs),
            progress=(lambda at: line.show(f"merge {at.done:,} of {at.total:,}: {at.token!r}"))
            if line.is_shown
            else None,
            min_frequency=args.min_frequency or 1,
        )
    dropped = words.dropped
    if not dropped.words or least == 1:
        return record, ""
    return record, word_counts.dropped_words(dropped, least, words.bytes)


def _pieces(args: argparse.Namespace, names: Sequence[str], line: ProgressLine) -> PieceModel:
    from minbpe_course.counting.word_counter import special_texts
    from minbpe_course.trainers.piece_training import train_sentencepiece
    from minbpe_course.trainers.wordpiece import SPECIAL_TOKENS, train_wordpiece

    options: dict[str, Any] = dict(_option(each) for each in args.set)
    if args.special:
        options["user_defined_symbols"] = special_texts(args.special)
    if args.jobs:
        options["num_threads"] = args.jobs
    # Errors only, unless --set minloglevel=0 asks for the log of sentencepiece.
    options.setdefault("minloglevel", 2)

    def sentences() -> Iterator[str]:
        for texts, *_ in reading.portions(names):
            yield from texts
            line.show(f"{size(reading.bytes_read)} read")

    # A sentence is a line, also without --lines.
    reading = Reading(lines=True, field=args.field, errors=args.errors)
    if args.kind == "wordpiece":
        specials = dict.fromkeys([*SPECIAL_TOKENS, *special_texts(args.special)])
        return train_wordpiece(
            sentences(), args.vocab_size, special_tokens=list(specials), min_frequency=args.min_frequency or 1
        )
    return train_sentencepiece(
        sentence_iterator=sentences(),
        vocab_size=args.vocab_size,
        model_type=args.kind.removeprefix("sentencepiece-"),
        **options,
    )


def _option(text: str) -> tuple[str, str]:
    """Return name and value of NAME=VALUE.

    >>> _option("byte_fallback=true"), _option("unk_surface= ? ")
    (('byte_fallback', 'true'), ('unk_surface', ' ? '))
    """
    name, sign, value = text.partition("=")
    name = name.lstrip("-").replace("-", "_")
    if not sign or not name:
        raise InvalidTrainingOption(f"--set takes NAME=VALUE, such as byte_fallback=true, and got {text!r}.")
    return name, value


def _summary(record: BytePairModel | VocabularyModel) -> str:
    specials = len(record.special_tokens)
    return (
        f"{record.vocab_size:,} tokens: 256 bytes, {len(record.token_bytes) - 256:,} merges, "
        f"{specials} special token{'' if specials == 1 else 's'}"
    )
