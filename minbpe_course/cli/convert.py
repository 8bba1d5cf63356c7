"""Write a tokenizer in another format, with the same ids for every text, or say why that cannot be."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from minbpe_course.cli.say import say
from minbpe_course.errors import InvalidOption, UnknownFormat, UnusablePath

EXAMPLES = """\
minbpe-course convert tokenizer.json mine.tiktoken
minbpe-course convert cl100k_base tokenizer.json
minbpe-course convert mine.tiktoken mine.model --pattern gpt2 --special "<|end|>=50257"
minbpe-course convert downloaded.bin tekken.json --from huggingface --to tekken
"""

_OF_GPT2 = ("vocab.json", "merges.txt", "tokenizer_config.json", "added_tokens.json", "special_tokens_map.json")
_OF_TRANSFORMERS = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
FORMATS = ("minbpe", "gpt2", "tiktoken", "huggingface", "sentencepiece", "tekken")


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("source", metavar="NAME_OR_PATH", help="a tokenizer's file or folder, or a name: cl100k_base")
    parser.add_argument("target", metavar="NEW_FILE", type=Path, help="what to write; its name says the format")
    parser.add_argument("--to", choices=FORMATS, help="the format to write, whatever the name says")
    add_source_args(parser)
    parser.add_argument("--force", action="store_true", help="write over a file that is there")


def add_source_args(parser: argparse.ArgumentParser) -> None:
    """Add how to read a file that does not say everything by itself."""
    parser.add_argument("--from", dest="source_format", choices=FORMATS, help="the format to read, whatever is in it")
    parser.add_argument(
        "--pattern", metavar="NAME_OR_REGEX", help="how text is split: gpt2, cl100k_base, o200k_base, a regex, or none"
    )
    parser.add_argument(
        "--special",
        action="append",
        default=[],
        metavar="TEXT=ID",
        help="a special token and its id; may be repeated, and takes the place of those in the file",
    )


def run(args: argparse.Namespace) -> int:
    """Convert, say what was written and what is proven of it, and return 0."""
    from minbpe_course.formats import any_format as opening
    from minbpe_course.inspecting.anatomy import tokens_of
    from minbpe_course.tokenizers.loading import convert
    from minbpe_course.tokenizers.sources import record_from

    said = said_of_source(args)
    source = record_from(args.source, args.source_format, **said)
    try:
        form = args.to or opening.guess(args.target, source.record)
    except UnknownFormat as problem:
        raise UnknownFormat(str(problem).replace("Say format=", "Say --to")) from None
    there = [file for file in _files(args.target, form) if file.is_file()]
    if there and not args.force:
        raise UnusablePath(f"{there[0]} is there already. Name another file, or write over it: --force")
    convert(source.record, args.target, form)
    for file in _files(args.target, form):
        if file.is_file():
            say(f"{file}: {file.stat().st_size:,} bytes")
    record = source.record
    tokens = sum(1 for _ in tokens_of(record))
    specials = len(getattr(record, "special_tokens", ()))
    say(
        f"{opening.FORMATS[form].title}: {tokens:,} tokens, {specials:,} special token{'' if specials == 1 else 's'}. "
        "Read again, it is the same model: every text gets the same ids."
    )
    return 0


def said_of_source(args: argparse.Namespace) -> dict[str, Any]:
    """Return what the options of ``add_source_args`` say: the pattern and the special tokens, where they say them.

    >>> parser = argparse.ArgumentParser()
    >>> add_source_args(parser)
    >>> said_of_source(parser.parse_args(["--pattern", "none", "--special", "<|a=b|>=300"]))
    {'pattern': None, 'special_tokens': {'<|a=b|>': 300}}
    """
    said: dict[str, Any] = {}
    if args.pattern is not None:
        said["pattern"] = None if args.pattern == "none" else args.pattern
    specials: dict[str, int] = {}
    for each in args.special:
        text, _, number = each.rpartition("=")
        if not text or not (number.isascii() and number.isdigit()):
            raise InvalidOption(f"--special {each!r} is no TEXT=ID; for example: --special '<|endoftext|>=50256'")
        if text in specials:
            raise InvalidOption(f"--special names {text!r} twice.")
        specials[text] = int(number)
    if specials:
        said["special_tokens"] = specials
    return said


def _files(target: Path, form: str) -> list[Path]:
    """Every file that may be written under this name."""
    if form == "minbpe":
        return [target, target.with_suffix(".vocab")]
    if form == "tiktoken":
        return [target, target.with_name(target.name + ".json")]
    if form == "gpt2":
        folder = target.parent if target.suffix and not target.is_dir() else target
        named = () if folder == target else (target.name,)
        return [folder / name for name in dict.fromkeys((*named, *_OF_GPT2))]
    if form == "huggingface" and (target.is_dir() or not target.suffix):
        return [target / name for name in _OF_TRANSFORMERS]
    return [target]
