"""Say what is in a tokenizer's file: its tokens, its rules, how one token is made, and what it can be converted to."""

from __future__ import annotations

import argparse
import codecs
import contextlib
import hashlib
import json
import os
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minbpe_course.cli.options import add_source_args, source_options
from minbpe_course.cli.terminal import say
from minbpe_course.errors import InvalidOption, MissingPattern, NotAvailable, UnknownToken
from minbpe_course.files import read_whole

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
WIDTH, MOST_SHOWN, LONGEST_SHOWN = 100, 20, 60


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
        help=r"show this token (\n and \xe2 as in Python), its merges, and the tokens that contain it; may be repeated",
    )
    parser.add_argument(
        "--id", action="append", type=int, default=[], metavar="N", help="show the token with this id; may be repeated"
    )
    parser.add_argument("--list", action="store_true", help="only the tokens, each with its id on a line")
    parser.add_argument(
        "--unreached", action="store_true", help="look for tokens that their own text does not give (takes a moment)"
    )


def run(args: argparse.Namespace) -> int:
    """Print the page or the tokens; return 0, or 1 when one of the tokens does not exist."""
    wanted = [(each, bytes_typed(each)) for each in args.find]
    record, facts = _opened(args)
    as_json = args.format == "json"
    if args.list:
        say("\n".join(_listed(record, as_json)))
        return 0
    if wanted or args.id:
        found = [_token(record, token_id) for token_id in args.id]
        found += [one for typed, token in wanted for one in _found(record, typed, token)]
        say(json.dumps(found) if as_json else "\n\n".join("\n".join(_token_lines(one)) for one in found))
        return 0 if all("id" in one for one in found) else 1
    _complete(facts, record, args)
    say(json.dumps(facts) if as_json else "\n".join(_page(facts)))
    return 0


def bytes_typed(text: str) -> bytes:
    r"""Return the bytes of a token that was typed as text, with Python's escapes.

    >>> bytes_typed("é"), bytes_typed(r"\xc3"), bytes_typed(r"a\n\\")
    (b'\xc3\xa9', b'\xc3', b'a\n\\')
    """
    try:
        # Bytes from the shell that are not UTF-8 arrive as surrogates; fsencode turns them back into bytes.
        found: bytes = codecs.escape_decode(os.fsencode(text))[0]
    except ValueError as problem:
        raise InvalidOption(f"--find {text!r}: {problem}. A backslash itself is typed twice.") from None
    if not found:
        raise InvalidOption("--find needs a token, and a token is never empty.")
    return found


def _opened(args: argparse.Namespace) -> tuple[Model, dict[str, Any]]:
    from minbpe_course import vocabularies
    from minbpe_course.formats import any_format as opening
    from minbpe_course.formats.sources import record_from

    facts: dict[str, Any] = {"source": args.source}
    options = source_options(args)
    if args.source in vocabularies.names() and args.source_format is None:
        passport = vocabularies.passport(args.source)
        facts |= {"format": "bundled", "published_by": passport["published_by"], "files": passport["files"]}
        return record_from(args.source, **options).record, facts
    try:
        record = record_from(args.source, args.source_format, **options).record
    except MissingPattern:
        record = opening.read_model(args.source, args.source_format, **options)
        facts["note"] = "The file does not say how text is split; say it with --pattern."
    form, path = opening.locate(args.source, args.source_format)
    facts |= {"format": form, "files": list(_files(path))}
    return record, facts


def _files(path: Path) -> Iterator[dict[str, Any]]:
    for each in sorted(path.iterdir()) if path.is_dir() else [path]:
        if each.is_file():
            facts = {"path": str(each), "bytes": each.stat().st_size}
            # A GGUF file has a network, too; reading it whole may take minutes.
            gguf = each.suffix.lower() == ".gguf"
            yield facts if gguf else facts | {"sha256": hashlib.sha256(read_whole(each)).hexdigest()}


def _complete(facts: dict[str, Any], record: Model, args: argparse.Namespace) -> None:
    """Add all facts about the whole tokenizer."""
    from minbpe_course.formats.any_format import FORMATS
    from minbpe_course.inspecting import anatomy
    from minbpe_course.model import PieceModel
    from minbpe_course.tokenizers.loading import load_tokenizer, without_doubles

    facts |= anatomy.anatomy(record)
    half = anatomy.not_utf8(record)
    several = [token_id for token_id in half if len(anatomy.look_up(record, token_id)["bytes"]) > 1]
    facts["no_text"] = {"count": len(half), "of_several_bytes": _tokens(record, several[:MOST_SHOWN])}
    facts["longest"] = _tokens(record, anatomy.longest(record, args.tokens))
    if args.unreached:
        if isinstance(record, PieceModel):
            raise InvalidOption("--unreached is for tokens that are bytes: a piece may share its text with others.")
        if "note" in facts:
            raise MissingPattern(f"--unreached has to split text. {facts['note']}")
        encoding: Any = load_tokenizer(record)
        lost = anatomy.unreached(record, lambda texts: encoding.encode_batch_to_array(texts, disallowed_special=()))
        facts["unreached"] = {"count": len(lost), "tokens": _tokens(record, lost[:MOST_SHOWN])}
    facts["convertible"] = {name: made.why_not(record) for name, made in FORMATS.items()}
    facts["convertible"]["huggingface"] = FORMATS["huggingface"].why_not(without_doubles(record)[0])


def _tokens(record: Model, ids: Iterable[int]) -> list[dict[str, Any]]:
    from minbpe_course.inspecting.anatomy import look_up

    return [_plain(look_up(record, token_id)) for token_id in ids]


def _listed(record: Model, as_json: bool) -> Iterator[str]:
    from minbpe_course.inspecting.anatomy import tokens_of

    everything = dict(tokens_of(record))
    for text, token_id in getattr(record, "special_tokens", {}).items():
        everything.setdefault(token_id, text.encode("utf-8", "surrogatepass"))
    for token_id in sorted(everything):
        token = everything[token_id]
        yield json.dumps(_plain({"id": token_id, "bytes": token})) if as_json else f"{token_id}\t{_shown(token)}"


# ---- One token


def _token(record: Model, token_id: int) -> dict[str, Any]:
    from minbpe_course.inspecting.anatomy import look_up
    from minbpe_course.inspecting.token_tree import tree

    try:
        facts = look_up(record, token_id)
    except UnknownToken as problem:
        return {"missing": str(problem)}
    try:
        facts["tree"] = _node(tree(record, token_id))
    except NotAvailable as problem:
        facts["no_tree"] = str(problem)
    return _plain(facts)


def _node(node: Node) -> dict[str, Any]:
    return _plain(
        {"id": node.token_id, "bytes": node.token, "rank": node.rank, "parts": [_node(part) for part in node.parts]}
    )


def _found(record: Model, typed: str, token: bytes) -> list[dict[str, Any]]:
    from minbpe_course.inspecting.anatomy import find, tokens_of

    ids = find(record, token)
    inside = [token_id for token_id, each in tokens_of(record) if token in each and token_id not in ids]
    within = {"count": len(inside), "tokens": _tokens(record, inside[:MOST_SHOWN])}
    if not ids:
        return [{"missing": f"{_shown(token)} is not a token by itself.", "typed": typed, "inside": within}]
    return [_token(record, token_id) | {"inside": within} for token_id in ids]


def _plain(facts: dict[str, Any]) -> dict[str, Any]:
    """Return facts for JSON: bytes as hexadecimal digits, and as text if they are UTF-8."""
    token = facts.pop("bytes")
    return {"id": facts.pop("id"), "text": _text(token), "hex": token.hex(), **facts}


def _text(token: bytes) -> str | None:
    with contextlib.suppress(UnicodeDecodeError):
        return token.decode("utf-8")
    return None


# ---- Pages for people


def _shown(token: bytes) -> str:
    r"""Return a token as a Python literal: text if it is UTF-8, else bytes.

    >>> print(_shown(b" caf\xc3\xa9"), _shown(b"\xc3"))
    ' café' b'\xc3'
    """
    text = _text(token)
    return repr(token if text is None else text)


def _of_plain(one: dict[str, Any]) -> str:
    token = bytes.fromhex(one["hex"])
    whole = _shown(token)
    return whole if len(whole) <= LONGEST_SHOWN else f"{whole[: LONGEST_SHOWN - 8]}… ({len(token):,} bytes)"


def _token_lines(one: dict[str, Any]) -> Iterator[str]:
    """Yield lines about one token, or a line saying that it does not exist."""
    if "missing" in one:
        yield one["missing"]
    else:
        score = f", score {one['score']:g}" if "score" in one else ""
        size = len(one["hex"]) // 2
        yield f"{one['id']}  {_of_plain(one)}  {size} byte{'s' * (size != 1)} {one['hex']}, {one['kind']}{score}"
        if "no_tree" in one:
            yield f"  {one['no_tree']}"
        elif one["tree"]["parts"]:
            yield from _branches(one["tree"], "  ")
    within = one.get("inside")
    if within and within["count"]:
        count = within["count"]
        yield from _row(f"  inside {count:,} other{'s' * (count != 1)}:", *_some(within["tokens"], count))


def _branches(node: dict[str, Any], before: str) -> Iterator[str]:
    for part in node["parts"]:
        last = part is node["parts"][-1]
        rank = "" if part["rank"] is None else f"   merge {part['rank']:g}"
        yield f"{before}{'`-' if last else '|-'} {_of_plain(part)} {part['id']}{rank}"
        yield from _branches(part, before + ("   " if last else "|  "))


def _some(tokens: list[dict[str, Any]], count: int = 0) -> list[str]:
    more = [f"and {count - len(tokens):,} more"] if count > len(tokens) else []
    return [f"{_of_plain(one)} {one['id']}" for one in tokens] + more


def _page(facts: dict[str, Any]) -> Iterator[str]:
    """Yield the lines about the whole tokenizer."""
    yield from _row("what", f"{facts['source']} is {facts['rule']}")
    if "note" in facts:
        yield from _row("", facts["note"])
    yield from _row("format", facts["format"])
    for file in facts["files"]:
        yield from _row("file", file.get("url") or f"{file['path']}, {file['bytes']:,} bytes")
        if "sha256" in file:
            yield from _row("sha256", file["sha256"])
    yield from _of_pieces(facts) if facts["record"] == "PieceModel" else _of_bytes(facts)
    count, several = facts["no_text"].values()
    some = ", of several bytes" if several else ""
    yield from _row("not text", f"{count:,} tokens are not valid UTF-8{some}", *_some(several))
    if facts["longest"]:
        yield from _row("longest", *_some(facts["longest"]))
    if "unreached" in facts:
        lost = facts["unreached"]
        yield from _row("unreached", f"{lost['count']:,} tokens", *_some(lost["tokens"], lost["count"]))
    yield ""
    yield "Can be converted to:"
    for name, reason in facts["convertible"].items():
        line = f"  yes  {name}" if reason is None else f"   no  {name}: {reason.splitlines()[0]}"
        yield from textwrap.wrap(line, WIDTH, subsequent_indent=" " * 7)


def _row(name: str, *items: str) -> Iterator[str]:
    """Yield a name and its items, separated by commas, wrapped between items only."""
    line, begun = f"{name:<11} ", False
    for item in [*(f"{each}," for each in items[:-1]), *items[-1:]]:
        if begun and len(line) + len(item) >= WIDTH:
            yield line
            line, begun = " " * 12, False
        line += " " * begun + item
        begun = True
    yield line


def _of_bytes(facts: dict[str, Any]) -> Iterator[str]:
    tokens = facts["tokens"]
    merges = "" if tokens["merges"] is None else f", {tokens['merges']:,} merges"
    added = f", {tokens['added']:,} added and not special" if "added" in tokens else ""
    gaps = f", {tokens['unused_ids']:,} ids unused" if tokens["unused_ids"] else ""
    yield from _row(
        "vocabulary", f"{tokens['vocab_size']:,} ids: {tokens['ordinary']:,} ordinary tokens{merges}, "
        f"{tokens['special']:,} special{added}{gaps}",
    )  # fmt: skip
    yield from _row("bytes", facts["byte_order"])
    if facts["pattern"] is None:
        missing = "not in the file" if "note" in facts else "none: text is not split"
        yield from _row("pattern", "none: see split steps" if facts.get("split_steps") else missing)
    else:
        names = f"{', '.join(facts['pattern_names'])}: " if facts["pattern_names"] else ""
        compiled = "" if facts["compiled_splitter"] else "; there is no compiled splitter, so `regex` runs it, slower"
        pattern = facts["pattern"] if facts["pattern"].isprintable() else repr(facts["pattern"])
        yield from _row("pattern", f"{names}{pattern}")
        yield from _row("", f"letters as {facts['pattern_engine']} knows them{compiled}")
    for name in ("normalization", "split_steps", "prefix_space", "word_end", "frame", "special_flags"):
        if facts.get(name) and facts[name] != [[], []]:
            yield from _row(name.replace("_", " "), str(facts[name]))
    for name, listed in (("special", facts["special_tokens"]), ("added", facts.get("plain_tokens"))):
        if listed:
            some = [f"{text!r} {token_id}" for text, token_id in listed.items()][:MOST_SHOWN]
            more = [f"and {len(listed) - MOST_SHOWN:,} more"] if len(listed) > MOST_SHOWN else []
            yield from _row(name, *some, *more)


def _of_pieces(facts: dict[str, Any]) -> Iterator[str]:
    kinds = [f"{count:,} {name}" for name, count in facts["tokens"]["kinds"].items()]
    yield from _row("vocabulary", f"{facts['tokens']['vocab_size']:,} pieces: " + ", ".join(kinds))
    yield from _row("special ids", *(f"{name} {token_id}" for name, token_id in facts["ids"].items()))
    yield from _row("text", *(f"{name} {'yes' if on else 'no'}" for name, on in facts["normalizer"].items()))
    yield from _row("bytes", f"byte fallback {'yes' if facts['byte_fallback'] else 'no'}")
    if facts["user_defined"]:
        yield from _row("user-defined", *map(repr, facts["user_defined"][:MOST_SHOWN]))
