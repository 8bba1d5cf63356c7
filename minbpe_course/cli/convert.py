"""Write a tokenizer in another format, with the same ids for every text, or say why that cannot be."""

from __future__ import annotations

import argparse
from pathlib import Path

from minbpe_course.cli.options import MODEL_FORMATS, add_source_args, source_options
from minbpe_course.cli.terminal import say
from minbpe_course.errors import UnknownFormat, UnusablePath

EXAMPLES = """\
minbpe-course convert tokenizer.json mine.tiktoken
minbpe-course convert cl100k_base tokenizer.json
minbpe-course convert mine.tiktoken mine.model --pattern gpt2 --special "<|end|>=50257"
minbpe-course convert downloaded.bin tekken.json --from huggingface --to tekken
"""

_GPT2_FILES = ("vocab.json", "merges.txt", "tokenizer_config.json", "added_tokens.json", "special_tokens_map.json")
_TRANSFORMERS_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("source", metavar="NAME_OR_PATH", help="a tokenizer's file or folder, or a name: cl100k_base")
    parser.add_argument("target", metavar="NEW_FILE", type=Path, help="what to write; its name says the format")
    parser.add_argument("--to", choices=MODEL_FORMATS, help="the format to write (default: by the name)")
    add_source_args(parser)
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")


def run(args: argparse.Namespace) -> int:
    """Convert, print the files written and their content, and return 0."""
    from minbpe_course.formats import any_format
    from minbpe_course.inspecting.anatomy import tokens_of
    from minbpe_course.tokenizers.loading import convert
    from minbpe_course.tokenizers.sources import record_from

    source = record_from(args.source, args.source_format, **source_options(args))
    try:
        form = args.to or any_format.guess(args.target, source.record)
    except UnknownFormat as problem:
        raise UnknownFormat(str(problem).replace("Say format=", "Say --to")) from None
    existing = [file for file in _files(args.target, form) if file.is_file()]
    if existing and not args.force:
        raise UnusablePath(f"{existing[0]} exists already. Name another file, or overwrite it: --force")
    convert(source.record, args.target, form)
    for file in _files(args.target, form):
        if file.is_file():
            say(f"{file}: {file.stat().st_size:,} bytes")
    record = source.record
    tokens = sum(1 for _ in tokens_of(record))
    specials = len(getattr(record, "special_tokens", ()))
    say(
        f"{any_format.FORMATS[form].title}: {tokens:,} tokens, "
        f"{specials:,} special token{'' if specials == 1 else 's'}. "
        "Read again, it is the same model: every text gets the same ids."
    )
    return 0


def _files(target: Path, form: str) -> list[Path]:
    """Return every file that may be written under this name."""
    if form == "minbpe":
        return [target, target.with_suffix(".vocab")]
    if form == "tiktoken":
        return [target, target.with_name(target.name + ".json")]
    if form == "gpt2":
        folder = target.parent if target.suffix and not target.is_dir() else target
        named = () if folder == target else (target.name,)
        return [folder / name for name in dict.fromkeys((*named, *_GPT2_FILES))]
    if form == "huggingface" and (target.is_dir() or not target.suffix):
        return [target / name for name in _TRANSFORMERS_FILES]
    return [target]
