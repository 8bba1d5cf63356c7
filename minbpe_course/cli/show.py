"""Show how tokenizers cut a text: coloured in a terminal, plain in a pipe, or as HTML."""

from __future__ import annotations

import argparse
import os
import sys

from minbpe_course.cli.documents import Reading
from minbpe_course.cli.options import add_tokenizer_arg, typed_text
from minbpe_course.cli.terminal import say, say_coloured, understands_escapes
from minbpe_course.errors import InvalidSource

EXAMPLES = """\
minbpe-course show "Hello world"
minbpe-course show "Hello world" --encoding gpt2 --ids
minbpe-course show "hi<|endoftext|>" --encoding o200k_base --specials
minbpe-course show --model tokenizer.model --encoding cl100k_base - < notes.txt
minbpe-course show "Hello world" --format html > tokens.html
"""

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
    view = show(_text(args.text), *args.tokenizers or (), specials=args.specials, most=most)
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
