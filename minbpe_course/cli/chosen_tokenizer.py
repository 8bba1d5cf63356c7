"""The tokenizer that a command line names: a bundled name, or any file that ``load_tokenizer`` opens."""

from __future__ import annotations

import argparse

from minbpe_course.cli.convert import said_of_source
from minbpe_course.errors import MissingPattern
from minbpe_course.token_files.any_tokenizer import AnyTokenizer, ForbiddenSpecial, any_tokenizer
from minbpe_course.tokenizers.loading import load_tokenizer

__all__ = ["AnyTokenizer", "ForbiddenSpecial", "chosen"]


def chosen(args: argparse.Namespace, name: str, specials: str = "none", *, several: bool = False) -> AnyTokenizer:
    """Return the tokenizer of this name or path, read as ``add_tokenizer_args`` let it be said.

    several : it is one of many, and what was said is for those that need it. Raises what ``load_tokenizer`` raises.
    """
    said = said_of_source(args)
    if args.source_format is not None:
        said["format"] = args.source_format
    try:
        tokenizer = load_tokenizer(name, **({} if several else said))
    except MissingPattern as problem:
        if not said:
            raise MissingPattern(str(problem).replace("Say it with pattern=:", "Say it with --pattern:")) from None
        tokenizer = load_tokenizer(name, **said)
    return any_tokenizer(tokenizer, name, specials)
