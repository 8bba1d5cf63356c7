"""Write a tokenizer in another format, with the same ids for every text, or say why that cannot be."""

from __future__ import annotations

import argparse
from pathlib import Path

from minbpe_course.cli.options import MODEL_FORMATS, add_source_args, source_options
from minbpe_course.cli.terminal import say
from minbpe_course.errors import ExistingFile, InvalidOption

EXAMPLES = """\
minbpe-course convert tokenizer.json mine.tiktoken
minbpe-course convert cl100k_base tokenizer.json
minbpe-course convert mine.tiktoken mine.model --pattern gpt2 --special "<|end|>=50257"
minbpe-course convert downloaded.bin tekken.json --from huggingface --to tekken
minbpe-course convert gpt2 folder --to huggingface --pad '<|endoftext|>' --chat-template chat.jinja
"""

ROLES = ("bos", "eos", "pad")


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("source", metavar="NAME_OR_PATH", help="a tokenizer's file or folder, or a name: cl100k_base")
    parser.add_argument("target", metavar="NEW_FILE", type=Path, help="what to write; its name says the format")
    parser.add_argument("--to", choices=MODEL_FORMATS, help="the format to write (default: by the name)")
    add_source_args(parser)
    for role in ROLES:
        parser.add_argument(
            f"--{role}",
            metavar="TOKEN",
            help=f"the special token that is the {role}_token of a folder for transformers",
        )
    parser.add_argument("--chat-template", metavar="FILE", help="a template of Jinja for a folder for transformers")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")


def run(args: argparse.Namespace) -> int:
    """Convert, print the files written and their content, and return 0."""
    from minbpe_course.files import read_whole
    from minbpe_course.formats import any_format
    from minbpe_course.formats.json_text import utf8_text
    from minbpe_course.inspecting.anatomy import tokens_of
    from minbpe_course.tokenizers.loading import converted

    options = {"pattern": any_format.UNSET, "special_tokens": any_format.UNSET, **source_options(args)}
    options |= {"source_format": args.source_format, "overwrite": args.force}
    options |= {role: getattr(args, role) for role in ROLES}
    file = args.chat_template
    options["chat_template"] = None if file is None else utf8_text(read_whole(file), file)
    try:
        done = converted(args.source, args.target, args.to, **options)
    except InvalidOption as problem:
        raise InvalidOption(str(problem).replace("Say format=", "Say --to")) from None
    except ExistingFile as problem:
        raise ExistingFile(str(problem).replace("overwrite=True", "--force")) from None
    for file in done.files:
        say(f"{file}: {file.stat().st_size:,} bytes")
    tokens = sum(1 for _ in tokens_of(done.record))
    plain = len(getattr(done.record, "plain_tokens", ()))
    specials = len(getattr(done.record, "special_tokens", ())) - plain
    say(
        f"{any_format.FORMATS[done.format].title}: {tokens:,} tokens, "
        f"{specials:,} special token{'' if specials == 1 else 's'}"
        f"{f', {plain:,} added and not special' if plain else ''}. "
        "Read again, it is the same model: every text gets the same ids."
    )
    if done.left_out:
        say(done.left_out)
    return 0
