"""What ``inspect`` says to a person: the page about a tokenizer, and the tree of one token."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

WIDTH, SHOWN, LONGEST_SHOWN = 100, 20, 60


def shown(token: bytes) -> str:
    r"""Return a token as it would be typed in Python: as text, or as bytes where it is none.

    >>> print(shown(b" caf\xc3\xa9"), shown(b"\xc3"))
    ' café' b'\xc3'
    """
    try:
        return repr(token.decode("utf-8"))
    except UnicodeDecodeError:
        return repr(token)


def _of_plain(one: dict[str, Any]) -> str:
    token = bytes.fromhex(one["hex"])
    whole = shown(token)
    return whole if len(whole) <= LONGEST_SHOWN else f"{whole[: LONGEST_SHOWN - 8]}… ({len(token):,} bytes)"


def token_lines(one: dict[str, Any]) -> Iterator[str]:
    """Yield what is known about one token, or that it is missing."""
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


# ----------------------------------------------------------------------------------------------------
# The page


def page(facts: dict[str, Any]) -> Iterator[str]:
    """Yield what is known about the whole tokenizer."""
    yield from _row("what", f"{facts['source']}: {facts['record']}, {facts['rule']}")
    if "note" in facts:
        yield from _row("", facts["note"])
    yield from _row("format", facts["format"])
    for file in facts["files"]:
        yield from _row("file", file.get("url") or f"{file['path']}, {file['bytes']:,} bytes")
        yield from _row("sha256", file["sha256"])
    yield from _of_pieces(facts) if facts["record"] == "PieceModel" else _of_bytes(facts)
    half = facts["no_text"]
    among = ", of several bytes among them" if half["of_several_bytes"] else ""
    yield from _row("no UTF-8", f"{half['count']:,} tokens{among}", *_some(half["of_several_bytes"]))
    if facts["longest"]:
        yield from _row("longest", *_some(facts["longest"]))
    if "unreached" in facts:
        lost = facts["unreached"]
        yield from _row("unreached", f"{lost['count']:,} tokens", *_some(lost["tokens"], lost["count"]))
    yield ""
    yield "Can be converted to:"
    for name, reason in facts["convertible"].items():
        yield from textwrap.wrap(
            f"{'yes' if reason is None else 'no'}  {name}" + ("" if reason is None else f": {reason.splitlines()[0]}"),
            WIDTH,
            initial_indent="  " if reason is None else "   ",
            subsequent_indent=" " * 7,
        )


def _row(name: str, *items: str) -> Iterator[str]:
    """A name, and behind it items with commas between them: a line ends behind an item and never within."""
    line = f"{name:<11} "
    for number, item in enumerate(items):
        item += "," * (number < len(items) - 1)
        if number and len(line) + len(item) >= WIDTH:
            yield line
            line = " " * 12
        line += item if line.endswith("  ") or not line.strip() or not number else f" {item}"
    yield line


def _of_bytes(facts: dict[str, Any]) -> Iterator[str]:
    tokens = facts["tokens"]
    merges = "" if tokens["merges"] is None else f", {tokens['merges']:,} merges"
    gaps = f", {tokens['unused_ids']:,} ids unused" if tokens["unused_ids"] else ""
    yield from _row(
        "vocabulary", f"{tokens['vocab_size']:,} ids: {tokens['ordinary']:,} ordinary tokens{merges}, "
        f"{tokens['special']:,} special{gaps}",
    )  # fmt: skip
    yield from _row("bytes", facts["byte_order"])
    if facts["pattern"] is None:
        missing = "not in the file" if "note" in facts else "none: text is not split"
        yield from _row("pattern", "none: see split steps" if facts.get("split_steps") else missing)
    else:
        names = f"{', '.join(facts['pattern_names'])}: " if facts["pattern_names"] else ""
        compiled = "" if facts["compiled_splitter"] else "; no compiled splitter, so `regex` runs it, slower"
        pattern = facts["pattern"] if facts["pattern"].isprintable() else repr(facts["pattern"])
        yield from _row("pattern", f"{names}{pattern}")
        yield from _row("", f"letters as {facts['pattern_engine']} knows them{compiled}")
    for name in ("normalization", "split_steps", "prefix_space", "word_end", "frame", "plain_tokens", "special_flags"):
        if facts.get(name) and facts[name] != [[], []]:
            yield from _row(name.replace("_", " "), str(facts[name]))
    specials = facts["special_tokens"]
    if specials:
        some = [f"{text!r} {token_id}" for text, token_id in list(specials.items())[:SHOWN]]
        more = [f"and {len(specials) - SHOWN:,} more"] if len(specials) > SHOWN else []
        yield from _row("special", *some, *more)


def _of_pieces(facts: dict[str, Any]) -> Iterator[str]:
    kinds = [f"{count:,} {name}" for name, count in facts["tokens"]["kinds"].items()]
    yield from _row("vocabulary", f"{facts['tokens']['vocab_size']:,} pieces: " + ", ".join(kinds))
    yield from _row("special ids", *(f"{name} {token_id}" for name, token_id in facts["ids"].items()))
    yield from _row("text", *(f"{name} {'yes' if on else 'no'}" for name, on in facts["normalizer"].items()))
    yield from _row("bytes", f"byte fallback {'yes' if facts['byte_fallback'] else 'no'}")
    if facts["user_defined"]:
        yield from _row("user-defined", *map(repr, facts["user_defined"][:SHOWN]))
