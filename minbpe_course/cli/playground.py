"""Write a page in which you type and see the tokens: one HTML file that needs no server and no network."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path

from minbpe_course.cli.terminal import say

EXAMPLES = """\
minbpe-course playground --out page.html --open
minbpe-course playground --out page.html --encoding gpt2 o200k_base --text "hello world"
minbpe-course playground --out mine.html --model my_tokenizer.model tokenizer.model
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("--out", default="playground.html", metavar="FILE", help="where to write it (%(default)s)")
    parser.add_argument(
        "--encoding",
        action="extend",
        nargs="*",
        metavar="ENCODING",
        help="published encodings to put into it (gpt2 cl100k_base o200k_base); without a name, none",
    )
    parser.add_argument(
        "--model",
        action="extend",
        nargs="+",
        default=[],
        metavar="FILE",
        help="tokenizers' files to put into it, in any format that the page can run",
    )
    parser.add_argument("--text", help="the text in it at first")
    parser.add_argument("--open", action="store_true", help="show it in the browser")


def run(args: argparse.Namespace) -> int:
    """Write the page, say where, and return 0."""
    from minbpe_course.playground_page.page import TEXT, write_page
    from minbpe_course.playground_page.page_data import PAGE_ENCODINGS

    encodings = PAGE_ENCODINGS if args.encoding is None else args.encoding
    path = write_page(Path(args.out), encodings, args.model, TEXT if args.text is None else args.text)
    say(f"{path}: {path.stat().st_size / 1e6:.1f} MB; open it in a browser, it needs no network")
    if args.open:
        webbrowser.open(path.absolute().as_uri())
    return 0
