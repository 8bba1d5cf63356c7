"""Say what is in a tokenizer's file: its tokens, its rules, how one token is made, and what it can be converted to."""

from __future__ import annotations

import argparse
import codecs
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minbpe_course.cli.convert import add_source_args, said_of_source
from minbpe_course.cli.inspect_page import SHOWN, page, shown, token_lines
from minbpe_course.cli.say import say
from minbpe_course.errors import InvalidOption, MissingPattern, NoMerges, UnknownToken

if TYPE_CHECKING:
    from minbpe_course.formats.any_format import Model
    from minbpe_course.inspecting.token_tree import Node

EXAMPLES = """\
minbpe-course inspect tokenizer.json
minbpe-course inspect cl100k_base --id 14957 --id 100257
minbpe-course inspect mine.tiktoken --find " hello" --find "\\xe2\\x80"
minbpe-course inspect tokenizer.model --list | grep "hello"
minbpe-course inspect o200k_base --unreached --format json
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("source", metavar="NAME_OR_PATH", help="a tokenizer's file or folder, or a name: cl100k_base")
    add_source_args(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="for people (default), or JSON")
    parser.add_argument("--tokens", type=int, default=8, metavar="N", help="show the N longest tokens (default: 8)")
    parser.add_argument(
        "--find",
        action="append",
        default=[],
        metavar="TOKEN",
        help=r"the token of this text, how it is made, and those it is in; \n and \xe2 as in Python; may be repeated",
    )
    parser.add_argument(
        "--id", action="append", type=int, default=[], metavar="N", help="the token with this id; may be repeated"
    )
    parser.add_argument("--list", action="store_true", help="only the tokens, each with its id on a line")
    parser.add_argument(
        "--unreached", action="store_true", help="look for tokens that their own text does not give (takes a moment)"
    )


def run(args: argparse.Namespace) -> int:
    """Print what was asked for; return 0, or 1 when a token that was asked for is not there."""
    wanted = [(each, bytes_typed(each)) for each in args.find]
    record, facts = _opened(args)
    as_json = args.format == "json"
    if args.list:
        for line in _listed(record, as_json):
            print(line)
        return 0
    if wanted or args.id:
        found = [_token(record, token_id) for token_id in args.id]
        found += [one for typed, token in wanted for one in _found(record, typed, token)]
        say(json.dumps(found) if as_json else "\n\n".join("\n".join(token_lines(one)) for one in found))
        return 0 if all("id" in one for one in found) else 1
    _complete(facts, record, args)
    say(json.dumps(facts) if as_json else "\n".join(page(facts)))
    return 0


def bytes_typed(text: str) -> bytes:
    r"""Return the bytes that somebody means who types a token, with the escapes of Python if need be.

    >>> bytes_typed("é"), bytes_typed(r"\xc3"), bytes_typed(r"a\n\\")
    (b'\xc3\xa9', b'\xc3', b'a\n\\')
    """
    try:
        # What a shell passed on of bytes that are no text are surrogates here, and bytes again.
        found: bytes = codecs.escape_decode(os.fsencode(text))[0]
    except ValueError as problem:
        raise InvalidOption(f"--find {text!r}: {problem}. A backslash itself is typed twice.") from None
    if not found:
        raise InvalidOption("--find wants a token, and no token is empty.")
    return found


def _opened(args: argparse.Namespace) -> tuple[Model, dict[str, Any]]:
    from minbpe_course import vocabularies
    from minbpe_course.formats import any_format as opening
    from minbpe_course.tokenizers.sources import record_from

    facts: dict[str, Any] = {"source": args.source}
    said = said_of_source(args)
    if args.source in vocabularies.names() and args.source_format is None:
        passport = vocabularies.passport(args.source)
        facts |= {"format": "bundled", "published_by": passport["published_by"], "files": passport["files"]}
        return record_from(args.source, **said).record, facts
    try:
        record = record_from(args.source, args.source_format, **said).record
    except MissingPattern:
        # That is nothing against looking at it.
        record = opening.read_model(args.source, args.source_format, **said)
        facts["note"] = "The file does not say how text is split; say it with --pattern."
    form, path = opening.locate(args.source, args.source_format)
    facts |= {"format": form, "files": [_file(each) for each in _files(path)]}
    return record, facts


def _files(path: Path) -> list[Path]:
    return sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]


def _file(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return {"path": str(path), "bytes": path.stat().st_size, "sha256": digest.hexdigest()}


def _complete(facts: dict[str, Any], record: Model, args: argparse.Namespace) -> None:
    """Add everything that is to be known about the whole."""
    from minbpe_course.inspecting import anatomy
    from minbpe_course.model import PieceModel

    facts |= anatomy.anatomy(record)
    half = anatomy.not_utf8(record)
    facts["no_text"] = {"count": len(half), "of_several_bytes": _some_of_several_bytes(record, half)}
    facts["longest"] = [_plain(anatomy.look_up(record, each)) for each in anatomy.longest(record, args.tokens)]
    if args.unreached:
        if isinstance(record, PieceModel):
            raise InvalidOption("--unreached is for tokens that are bytes: a piece has no text that is surely its own.")
        if "note" in facts:
            raise MissingPattern(f"--unreached has to split text. {facts['note']}")
        from minbpe_course.tokenizers.loading import load_tokenizer

        encoding: Any = load_tokenizer(record)
        lost = anatomy.unreached(record, lambda texts: encoding.encode_batch_to_array(texts, disallowed_special=()))
        facts["unreached"] = {
            "count": len(lost),
            "tokens": [_plain(anatomy.look_up(record, each)) for each in lost[:SHOWN]],
        }
    facts["convertible"] = anatomy.possible_formats(record)


def _some_of_several_bytes(record: Model, ids: list[int]) -> list[dict[str, Any]]:
    from minbpe_course.inspecting.anatomy import look_up

    found = (look_up(record, each) for each in ids)
    several = (one for one in found if len(one["bytes"]) > 1)
    return [_plain(one) for _, one in zip(range(SHOWN), several)]


def _listed(record: Model, as_json: bool) -> Iterator[str]:
    from minbpe_course.inspecting.anatomy import tokens_of

    everything = dict(tokens_of(record))
    for text, token_id in getattr(record, "special_tokens", {}).items():
        everything.setdefault(token_id, text.encode("utf-8", "surrogatepass"))
    for token_id in sorted(everything):
        token = everything[token_id]
        yield json.dumps(_plain({"id": token_id, "bytes": token})) if as_json else f"{token_id}\t{shown(token)}"


# ----------------------------------------------------------------------------------------------------
# One token


def _token(record: Model, token_id: int) -> dict[str, Any]:
    from minbpe_course.inspecting.anatomy import look_up
    from minbpe_course.inspecting.token_tree import tree

    try:
        facts = look_up(record, token_id)
    except UnknownToken as problem:
        return {"missing": str(problem)}
    try:
        facts["tree"] = _node(tree(record, token_id))
    except NoMerges as problem:
        facts["no_tree"] = str(problem)
    return _plain(facts)


def _node(node: Node) -> dict[str, Any]:
    return _plain(
        {"id": node.token_id, "bytes": node.token, "rank": node.rank, "parts": [_node(part) for part in node.parts]}
    )


def _found(record: Model, typed: str, token: bytes) -> list[dict[str, Any]]:
    from minbpe_course.inspecting.anatomy import find, look_up, tokens_of

    ids = find(record, token)
    inside = [token_id for token_id, each in tokens_of(record) if token in each and token_id not in ids]
    within = {"count": len(inside), "tokens": [_plain(look_up(record, each)) for each in inside[:SHOWN]]}
    if not ids:
        return [{"missing": f"{shown(token)} is no token by itself.", "typed": typed, "inside": within}]
    return [_token(record, token_id) | {"inside": within} for token_id in ids]


def _plain(facts: dict[str, Any]) -> dict[str, Any]:
    """Bytes as JSON can hold them: as text where they are one, and always as hexadecimal digits."""
    token = facts.pop("bytes")
    try:
        text: str | None = token.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    return {"id": facts.pop("id"), "text": text, "hex": token.hex(), **facts}
