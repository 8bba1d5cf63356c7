"""Show how tokenizers cut a text: coloured in a terminal, plain in a pipe, or as HTML."""

from __future__ import annotations

import argparse
import ast
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from minbpe_course.cli.documents import Reading
from minbpe_course.cli.options import add_tokenizer_arg, typed_text
from minbpe_course.cli.terminal import say, say_coloured, understands_escapes
from minbpe_course.errors import InvalidOption, InvalidSource
from minbpe_course.files import read_whole

if TYPE_CHECKING:
    from minbpe_course.showing.drawing import Row

EXAMPLES = """\
minbpe-course show "Hello world"
minbpe-course show "Hello world" --encoding gpt2 --ids
minbpe-course show "hi<|endoftext|>" --encoding o200k_base --specials
minbpe-course show --model tokenizer.model --encoding cl100k_base - < notes.txt
minbpe-course show "Hello world" --format html > tokens.html
minbpe-course show "Hello world" --mine my_tokenizer.py
"""

MINE = ("MyTokenizer", "GPT4Tokenizer")  # the classes of a learner's file that ranks can make, the newest first
RANKS = "cl100k_base"

PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>tokens</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font-family: system-ui, sans-serif; margin: 1.5rem; overflow-wrap: anywhere }}
</style>
</head>
<body>
<main>
<h1 style="font-size:1.2rem">How tokenizers cut a text</h1>
{view}
</main>
</body>
</html>"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "text",
        type=typed_text,
        nargs="?",
        metavar="TEXT",
        help="the text to cut; - (or nothing, in a pipe) reads standard input",
    )
    add_tokenizer_arg(parser, several=True, default="gpt2, cl100k_base and o200k_base")
    parser.add_argument(
        "--mine",
        type=Path,
        metavar="FILE",
        help=f"the file of your own tokenizer, such as my_tokenizer.py: its {' or '.join(MINE)}, made from the ranks "
        f"of {RANKS}, and that encoding to compare with. The file runs in a sandbox",
    )
    parser.add_argument("--specials", action="store_true", help="recognise special tokens in the text")
    parser.add_argument("--ids", action="store_true", help="write the ids below, also of a long text")
    parser.add_argument("--all", action="store_true", help="draw every token of a long text")
    parser.add_argument(
        "--format",
        choices=("ansi", "text", "html"),
        help="default: ansi in a terminal, else text; where NO_COLOR is set, ansi is text",
    )


def run(args: argparse.Namespace) -> int:
    """Print the tokens and return 0."""
    from minbpe_course.showing import MOST_SHOWN, show

    most = sys.maxsize if args.all else MOST_SHOWN
    text = _text(args.text)
    named = args.tokenizers or ((RANKS,) if args.mine else ())
    view = show(text, *named, specials=args.specials, most=most)
    if args.mine:
        view = replace(view, rows=(_own_row(args.mine, text, most), *view.rows))
    ids = True if args.ids else None
    form = args.format or ("ansi" if understands_escapes(sys.stdout) else "text")
    if form == "html":
        page = PAGE.format(view=view.html(ids))
        # Character references are right in every code page.
        say(page.encode("ascii", "xmlcharrefreplace").decode("ascii"))
    elif form == "ansi" and not os.environ.get("NO_COLOR"):
        say_coloured(view.ansi(_depth(), ids))
    else:
        say(view.text(ids))
    return 0


def _own_row(path: Path, text: str, most: int) -> Row:
    """Return how the tokenizer of a learner's file cuts a text. Raises InvalidOption if it does not give ids."""
    from minbpe_course import vocabularies
    from minbpe_course.cli.conform import caller_for
    from minbpe_course.learning.judge.conformance import Candidate
    from minbpe_course.learning.judge.conformance.candidate import Broken
    from minbpe_course.learning.judge.conformance.recipes import Recipe
    from minbpe_course.showing.drawing import Row

    model = vocabularies.load(RANKS)
    ranks = {token: number for number, token in model.token_bytes.items()}
    try:
        with caller_for(path, _class_in(path)) as caller:
            ids = Candidate(caller).encode(Recipe(RANKS, "from_ranks", (ranks, model.pattern)), text)
    except Broken as problem:
        raise InvalidOption(f"{path.name}, {problem.given}: {problem.got}") from None
    tokens = tuple(model.token_bytes.get(each, "?") for each in ids)
    facts = f"{len(text.encode('utf-8', 'replace')) / len(ids):.2f} bytes each" if ids else ""
    return Row(path.name, tokens, tuple(ids), facts=facts, most=most)


def _class_in(path: Path) -> str:
    """Return the name of the class to run. Raises InvalidOption for a file that has none, or is not Python."""
    try:
        tree = ast.parse(read_whole(path))
    except (SyntaxError, ValueError) as problem:
        raise InvalidOption(f"{path.name} is not Python: {problem}.") from None
    defined = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    for name in MINE:
        if name in defined:
            return name
    raise InvalidOption(f"{path.name} has no {' and no '.join(MINE)}. Lesson 04 keeps the first: keep(GPT4Tokenizer)")


def _text(given: str | None) -> str:
    if given is not None and given != "-":
        return given
    if given is None and (sys.stdin is None or sys.stdin.isatty()):
        raise InvalidSource('name a text: minbpe-course show "Hello world", or - to read standard input.')
    return "".join(text for portion in Reading().portions(["-"]) for text in portion.texts)


def _depth() -> int:
    """Return the colour depth of the terminal in bits, as far as it is known."""
    all_colours = os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit") or "WT_SESSION" in os.environ
    return 24 if all_colours else 8
