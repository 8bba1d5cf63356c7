"""Turn ids back into text: of files or a pipe, in any form that encode writes."""

from __future__ import annotations

import argparse
import codecs
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from minbpe_course.cli.options import ID_FORMATS, add_file_args, add_output_args, add_tokenizer_args, chosen
from minbpe_course.cli.sources import output, sources
from minbpe_course.cli.terminal import ProgressLine, size
from minbpe_course.errors import InvalidTokenId, UnreadableInput

if TYPE_CHECKING:
    import numpy as np

    from minbpe_course.cli.id_reader import IdPortion
    from minbpe_course.token_files.any_tokenizer import AnyTokenizer

EXAMPLES = """\
minbpe-course decode ids.json -t gpt2
echo 9906 1917 | minbpe-course decode
minbpe-course encode notes.txt | minbpe-course decode | cmp - notes.txt
minbpe-course decode --lines train.npy -o lines.txt
"""

# When so many ids of one document are waiting, decode them up to a place where they can be cut.
_MANY = 1 << 17


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add_file_args(parser, "ids")
    add_tokenizer_args(parser)
    parser.add_argument(
        "--format",
        choices=ID_FORMATS,
        help="text: ids separated by spaces, a document on each line; json, jsonl: lists of ids; npy: an array "
        "(default: by the name of the file, else by its content)",
    )
    parser.add_argument("--lines", action="store_true", help="write a line end after each document (default: nothing)")
    parser.add_argument(
        "--errors",
        choices=("bytes", "strict", "replace", "ignore", "backslashreplace"),
        default="bytes",
        help="bytes that are not UTF-8: bytes writes them as they are (default), strict stops there, the others are "
        "Python's",
    )
    add_output_args(parser)


def run(args: argparse.Namespace) -> int:
    """Decode, and return 0."""
    from minbpe_course.cli.id_reader import portions

    names = sources(args.files, "decode")
    tokenizer = chosen(args, args.tokenizer)
    written = 0
    with output(args.output) as file, ProgressLine() as line:
        for name in names:
            for data in _decoded(tokenizer, portions(name, args.format), args.lines, args.errors):
                file.write(data)
                written += len(data)
                line.show(f"{size(written)} of text written")
    return 0


def _decoded(tokenizer: AnyTokenizer, read: Iterator[IdPortion], lines: bool, errors: str) -> Iterator[bytes]:
    """Yield the bytes of one source."""
    if tokenizer.exact and errors == "bytes" and not lines:
        for ids, _, place in read:
            yield _bytes(tokenizer, ids, place)
        return
    decoder = None if errors == "bytes" else codecs.getincrementaldecoder("utf-8")(errors=errors)
    for data, last, place in _documents(tokenizer, read):
        try:
            text = data if decoder is None else decoder.decode(data, last).encode("utf-8")
        except UnicodeDecodeError as problem:
            raise UnreadableInput(
                f"{place(0)}: this document is not UTF-8: {problem.reason}, "
                f"{problem.object[problem.start : problem.start + 8]!r}. To write the bytes as they are: --errors bytes"
            ) from None
        yield text + b"\n" if last and lines else text


def _bytes(tokenizer: AnyTokenizer, ids: np.ndarray, place: Callable[[int], str], *, begins: bool = True) -> bytes:
    """Return the bytes of ids. Raises InvalidTokenId with the place of the first id that has no token."""
    try:
        return tokenizer.decode(ids, begins=begins)
    except InvalidTokenId:
        wrong = tokenizer.unknown(ids)
        if wrong is None:
            raise
        raise InvalidTokenId(
            f"{place(wrong)}: no token of {tokenizer.name} has the id {ids[wrong]:,}; its ids go up to "
            f"{tokenizer.largest:,}. Were these made by another tokenizer? Say which: -t NAME_OR_PATH"
        ) from None


def _documents(tokenizer: AnyTokenizer, read: Iterator[IdPortion]) -> Iterator[tuple[bytes, bool, _Places]]:
    """Yield the bytes of documents, long ones in parts: bytes, whether they are the last, and the places of their ids.

    The first space of pieces depends on where a document begins.
    """
    import numpy as np

    parts: list[np.ndarray] = []
    places, begins = _Places(), True
    for ids, ends, place in read:
        begin = 0
        for stop in [*ends.tolist(), None]:
            parts.append(ids[begin:stop])
            places.add(len(parts[-1]), begin, place)
            if stop is not None:
                yield _bytes(tokenizer, np.concatenate(parts), places, begins=begins), True, places
                parts, places, begins, begin = [], _Places(), True, stop
        if sum(map(len, parts)) >= _MANY:
            joined = np.concatenate(parts)
            cut = tokenizer.last_cut(joined)
            data = _bytes(tokenizer, joined[:cut], places, begins=begins)
            # While nothing is written, the next space is still the first of the document.
            if data:
                yield data, False, places
                parts, places, begins = [joined[cut:]], _Places(), False
                places.add(len(joined) - cut, max(len(ids) - len(parts[0]), 0), place)


class _Places:
    """Find the place of an id in a document that came in parts."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, int, Callable[[int], str]]] = []

    def add(self, number: int, begin: int, place: Callable[[int], str]) -> None:
        """Take a part of ``number`` ids, the first of which is number ``begin`` for ``place``."""
        self._parts.append((number, begin, place))

    def __call__(self, number: int) -> str:
        for here, begin, place in self._parts:
            if number < here:
                return place(begin + number)
            number -= here
        _, begin, place = self._parts[-1]
        return place(begin)
