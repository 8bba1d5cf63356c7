"""Measure a tokenizer on your own text, beside the libraries that are installed here and give the same answers."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minbpe_course.cli.named_files import named
from minbpe_course.cli.say import moves, say
from minbpe_course.errors import InvalidOption, NothingToShow
from minbpe_course.files import read_whole

if TYPE_CHECKING:
    from minbpe_course.inspecting.speed import Race

EXAMPLES = """\
minbpe-course bench notes.txt
minbpe-course bench essays/*.txt --tokenizer o200k_base --against tiktoken
minbpe-course bench notes.txt --tokenizer tokenizer.json --repeat 9
minbpe-course bench notes.txt --train 4096 --format json
"""
PEERS = ("tiktoken", "tokenizers", "sentencepiece", "rustbpe")
LEAST_ROUNDS = 5


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="texts; - reads standard input (default: the lessons of this course)"
    )
    parser.add_argument(
        "-t",
        "--tokenizer",
        default="cl100k_base",
        metavar="NAME_OR_PATH",
        help="a bundled encoding, or a tokenizer's file in any format (default: %(default)s)",
    )
    parser.add_argument(
        "--against",
        default=",".join(PEERS),
        metavar="NAMES",
        help="who else, with commas between them; whoever is not installed is left out (%(default)s)",
    )
    parser.add_argument("--train", type=int, metavar="VOCAB", help="train on the text too, to so many tokens")
    parser.add_argument("--repeat", type=int, default=LEAST_ROUNDS, metavar="N", help="rounds, 5 or more (default: 5)")
    parser.add_argument(
        "--most", type=float, default=2.0, metavar="MB", help="take no more of the text than this (default: 2)"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="for people (default), or JSON")


def run(args: argparse.Namespace) -> int:
    """Compare the answers, measure, print, and return 0."""
    from minbpe_course.cli import bench_contestants as contestants
    from minbpe_course.tokenizers.loading import load_tokenizer
    from minbpe_course.tokenizers.sources import record_from

    against = _peers(args.against)
    if args.repeat < LEAST_ROUNDS:
        raise InvalidOption(f"--repeat {args.repeat}: fewer than {LEAST_ROUNDS} rounds say nothing.")
    source, text = _text(args.files, args.most)
    record = record_from(args.tokenizer).record
    size = len(text.encode("utf-8"))
    found = {"text": source, "bytes": size, "characters": len(text), "rounds": args.repeat, "races": []}
    with tempfile.TemporaryDirectory() as folder:
        makers = contestants.encoders(load_tokenizer(args.tokenizer), record, text, against, Path(folder))
        title = f"encoding with {args.tokenizer}"
        found["races"].append(_raced(title, makers, args.repeat, size, "MB/s"))
    for name in contestants.TRAINERS if args.train is not None else ():
        if name in against:
            title = f"training {args.train:,} tokens, split as for GPT-4, ties as {name} breaks them"
            makers = contestants.trainers(name, text, args.train)
            found["races"].append(_raced(title, makers, args.repeat, size, "s"))
    say(json.dumps(found) if args.format == "json" else _page(found))
    return 0


def _peers(names: str) -> list[str]:
    listed = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in listed if name not in PEERS]
    if unknown:
        raise InvalidOption(f"--against {unknown[0]}: there is no such contestant. There are: {', '.join(PEERS)}.")
    return listed


def _text(names: list[str], most: float) -> tuple[str, str]:
    """What to call the text, and the text: so much of it."""
    if names == ["-"]:
        data, source = sys.stdin.buffer.read() if sys.stdin is not None else b"", "standard input"
    elif names:
        paths = named(names)
        data, source = b"".join(map(read_whole, paths)), ", ".join(map(str, paths[:3])) + ", …" * (len(paths) > 3)
    else:
        from minbpe_course.cli.lessons import source_folder

        lessons = sorted((source_folder() / "notebooks").glob("*.ipynb"))
        data, source = b"".join(map(read_whole, lessons)), "the lessons of this course"
    if most * 1e6 < 1:
        raise InvalidOption(f"--most {most:g}: that is no text.")
    text = data[: int(most * 1e6)].decode("utf-8", "replace")
    if not text:
        raise NothingToShow(f"{source}: there is no text to measure with.")
    return source + f" (the first {most:g} MB)" * (len(data) > most * 1e6), text


def _raced(title: str, makers: Any, rounds: int, size: int, unit: str) -> dict[str, Any]:
    from minbpe_course.cli.bench_contestants import AGAIN, OURS, label
    from minbpe_course.inspecting.speed import clock_for, race

    if moves(sys.stderr):
        print(f"{title}: {', '.join(makers)} ...", file=sys.stderr)
    ours = [name for name in makers if name in (OURS, AGAIN)]
    others = [name for name in makers if name not in ours]
    # Ids must be theirs. What is learnt may differ: their regular expressions do not all mean the same.
    truth = others[0] if others and unit == "MB/s" else OURS
    run: Race = race(makers, truth=truth, ours=ours, rounds=rounds, clock=clock_for(1))
    rows = []
    for name in makers:
        ratio = run.ratio(OURS, [name])
        if ratio is None:
            rows.append({"who": name, "not_measured": run.absent[name]})
            continue
        seconds = sorted(run.seconds[name])[len(run.seconds[name]) // 2]
        value = size / 1e6 / seconds if unit == "MB/s" else seconds
        as_long = {"median": ratio.median, "low": ratio.low, "high": ratio.high}
        rows.append({"who": label(name), unit: value, "seconds": run.seconds[name], "times_as_long": as_long})
    return {"title": title, "unit": unit, "results": rows}


def _page(found: dict[str, Any]) -> str:
    lines = [
        f"{found['text']}: {found['bytes']:,} bytes, {found['characters']:,} characters",
        f"One thread, {found['rounds']} rounds in turn; whoever is measured gave the same answer.",
    ]
    for each in found["races"]:
        lines += ["", f"{each['title']}, {each['unit']}"]
        wide = max(len(row["who"]) for row in each["results"])
        for row in each["results"]:
            if "not_measured" in row:
                lines.append(f"  {row['who']:<{wide}}  not measured: {row['not_measured']}")
                continue
            ratio = row["times_as_long"]
            ours = row is each["results"][0]
            told = "" if ours else f"  {ratio['median']:.2f} times as long ({ratio['low']:.2f} to {ratio['high']:.2f})"
            lines.append(f"  {row['who']:<{wide}}  {row[each['unit']]:>9.2f}{told}")
    return "\n".join(lines)
