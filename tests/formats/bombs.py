"""Small files and patterns that would take much memory or time, by format, and how a program meets each.

    BOMBS["pattern"]["counts in counts"]     a function: folder -> None; it loads the bomb, encodes and decodes with it

Each writes what it needs into the folder. It may raise an error of ``minbpe_course.errors``, or work.
"""

from __future__ import annotations

import base64
import contextlib
import json
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from minbpe_course import Encoding, RegexTokenizer
from minbpe_course.errors import UnsupportedModel
from minbpe_course.formats.protobuf_fields import FOUR_BYTES, field_bytes
from minbpe_course.text.byte_alphabet import to_printable
from minbpe_course.tokenizers.loading import convert, load_tokenizer

Bomb = Callable[[Path], None]
TEXT = "a" * 5000 + " hello x1 " + "xy" * 50 + "é\u0301漢" * 20
NEXT = 256
BYTES = [bytes([byte]) for byte in range(256)]
SPELLED = [to_printable(token) for token in BYTES]


def use(tokenizer: Any) -> None:
    """Encode and decode some text."""
    for text in ("a", TEXT):
        tokenizer.decode(list(tokenizer.encode(text)))


def written(name: str, data: bytes | str, folder: Path, **said: Any) -> None:
    """Write one file, load it and use the tokenizer."""
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
    use(load_tokenizer(path, **said))


# ---- minbpe's .model


def minbpe(pairs: list[tuple[int, int]], pattern: str = "", specials: str = "0") -> str:
    return "\n".join(["minbpe v1", pattern, specials, *(f"{left} {right}" for left, right in pairs)]) + "\n"


def doubling(count: int) -> list[tuple[int, int]]:
    return [(97, 97), *((NEXT + at, NEXT + at) for at in range(count - 1))]


MINBPE = {
    **{f"{count} doubling merges": minbpe(doubling(count)) for count in (24, 31, 70, 2000)},
    "doubling with a pattern": minbpe(doubling(28), r"\w+|\W+"),
    "a special token with a great id": minbpe([], "", "1\nx 999999999999999999"),
    "a special token with id 2**31": minbpe([], "", f"1\nx {1 << 31}"),
    "a merge of one pair over and over": minbpe([(97, 97)] * 30_000),
}

# ---- .tiktoken


def ranks(*tokens: bytes, first: int = NEXT) -> bytes:
    listed = [(token, at) for at, token in enumerate(BYTES)] + [(token, first + at) for at, token in enumerate(tokens)]
    return b"".join(b"%b %d\n" % (base64.b64encode(token), rank) for token, rank in listed)


TIKTOKEN: dict[str, bytes] = {
    "one token of 400,000 other bytes": ranks(bytes(range(256)) * 1600),
    "1,000 tokens of 1,000 a and a byte": ranks(*(b"a" * 1000 + b"%d" % at for at in range(1000))),
    "ids up to 2**32": ranks(*(b"x%d" % at for at in range(100)), first=(1 << 32) - 101),
    "a line of 300,000 parts": ranks() + b"a " * 300_000 + b"\n",
    "100,000 zeros before an id": ranks() + b"YWI= " + b"0" * 100_000 + b"256\n",
}
# ---- vocab.json and merges.txt


def gpt2(folder: Path, vocab: Any, merges: str = "#version: 0.2\n", config: str | None = None) -> None:
    folder = folder / "gpt2"
    folder.mkdir(exist_ok=True)
    text = vocab if isinstance(vocab, str) else json.dumps(vocab)
    (folder / "vocab.json").write_text(text, encoding="utf-8")
    (folder / "merges.txt").write_text(merges, encoding="utf-8")
    (folder / "tokenizer_config.json").unlink(missing_ok=True)
    if config is not None:
        (folder / "tokenizer_config.json").write_text(config, encoding="utf-8")
    use(load_tokenizer(folder))
    with contextlib.suppress(UnsupportedModel):
        convert(folder, folder.with_name("other"), "gpt2")


def plain(**more: int) -> dict[str, int]:
    return {spelled: at for at, spelled in enumerate(SPELLED)} | more


def merging(sizes: list[int]) -> tuple[dict[str, int], list[str]]:
    """Tokens of ``a`` of these sizes, each twice the one before it."""
    return plain(**{"a" * size: NEXT + at for at, size in enumerate(sizes)}), [
        f"{'a' * (size // 2)} {'a' * (size // 2)}" for size in sizes
    ]


LONG = merging([1 << size for size in range(1, 19)])
GPT2: dict[str, tuple[Any, ...]] = {
    "a token of 262,144 by merges": (LONG[0], "#version: 0.2\n" + "\n".join(LONG[1])),
    "an id of 2**32 - 1": (plain(ab=(1 << 32) - 1), "#version: 0.2\na b\n"),
    "deep lists": ("[" * 100_000,),
    "one merge 100,000 times": (plain(ab=NEXT), "#version: 0.2\n" + "a b\n" * 100_000),
    "an added token with id 2**31": (
        plain(ab=NEXT),
        "#version: 0.2\na b\n",
        json.dumps({"added_tokens_decoder": {str(1 << 31): {"content": "x", "special": True}}}),
    ),
}

# ---- tokenizer.json


def tokenizer_json(**parts: Any) -> str:
    usual = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "BPE", "vocab": plain(aa=NEXT), "merges": ["a a"]},
    }
    return json.dumps(usual | parts)


def replace(what: str, by: str, kind: str = "String") -> dict[str, Any]:
    return {"type": "Replace", "pattern": {kind: what}, "content": by}


def in_turn(*steps: Any, key: str = "normalizers") -> dict[str, Any]:
    return {"type": "Sequence", key: list(steps)}


def splits(*patterns: str, behavior: str = "Isolated") -> dict[str, Any]:
    steps = [{"type": "Split", "pattern": {"Regex": one}, "behavior": behavior, "invert": False} for one in patterns]
    last = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return in_turn(*steps, last, key="pretokenizers")


def framed(uses: int, ids: int) -> dict[str, Any]:
    special = {"id": "x", "ids": [97] * ids, "tokens": ["x"] * ids}
    before = [{"SpecialToken": {"id": "x", "type_id": 0}}] * uses
    return {
        "type": "TemplateProcessing",
        "single": [*before, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"x": special},
    }


def nested(depth: int, inner: Any, key: str) -> Any:
    for _ in range(depth):
        inner = {"type": "Sequence", key: [inner, inner]}
    return inner


GROWING = {
    "28 times a by aa": in_turn(*[replace("a", "aa")] * 28),
    "60 times a by aa": in_turn(*[replace("a", "aa")] * 60),
    "a by 1 MB": replace("a", "b" * 1_000_000),
    "a by 1 MB, as a pattern": replace("[ab]", "b" * 1_000_000, "Regex"),
    "28 times a by aa, as patterns": in_turn(*[replace("[a]", "aa", "Regex")] * 28),
    "1 MB in front": {"type": "Prepend", "prepend": "b" * 1_000_000},
    "forms and growth": in_turn(replace("a", "\ufdfa" * 3000), {"type": "NFKC"}, replace(" ", "aa")),
    "3,000 different searches": in_turn(*[replace(f"a{at}+", "b", "Regex") for at in range(3000)]),
    "steps within steps": nested(14, replace("a", "aa"), "normalizers"),
    "a pattern of counts": replace("(?:(?:x{1000}){1000}){10}|a", "b", "Regex"),
}
BYTE_LEVEL = {
    **{f"normalizer: {name}": tokenizer_json(normalizer=each) for name, each in GROWING.items()},
    "1,000 different splits": tokenizer_json(pre_tokenizer=splits(*(rf"a{at}+|\d" for at in range(1000)))),
    "a split by counts": tokenizer_json(pre_tokenizer=splits("(?:(?:x{1000}){1000}){10}|.")),
    "a template of 1,000 uses of 100,000 ids": tokenizer_json(post_processor=framed(1000, 100_000)),
    "an unreachable token of 400,000": tokenizer_json(
        model={"type": "BPE", "vocab": plain(**{"a" * 400_000: NEXT}), "merges": []}
    ),
    "a token of 262,144 by merges": tokenizer_json(model={"type": "BPE", "vocab": LONG[0], "merges": LONG[1]}),
    "deep lists": "[" * 100_000,
}


def pieces_json(**parts: Any) -> str:
    names = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "a", "▁", "aa"]
    usual = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": in_turn({"type": "Prepend", "prepend": "▁"}, replace(" ", "▁")),
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": in_turn(replace("▁", " "), {"type": "ByteFallback"}, {"type": "Fuse"}, key="decoders"),
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "fuse_unk": True,
            "byte_fallback": True,
            "vocab": {name: at for at, name in enumerate(names)},
            "merges": ["a a"],
        },
    }
    return json.dumps(usual | parts)


def unigram(vocab: list[Any], **more: Any) -> str:
    marks = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["▁", -2.0], ["a", -3.0], *vocab]}
    return pieces_json(normalizer=None, pre_tokenizer=marks, decoder=marks, model=model | more)


MARKED = replace(" ", "▁")
PIECES_JSON = {
    **{f"normalizer: {name}": pieces_json(normalizer=in_turn(each, MARKED)) for name, each in GROWING.items()},
    "a decoder of 28 times a by aa": pieces_json(decoder=in_turn(*[replace("a", "aa")] * 28, key="decoders")),
    "a decoder of a by 1 MB": pieces_json(decoder=in_turn(replace("a", "b" * 1_000_000), key="decoders")),
    "a strip of 2**60": pieces_json(
        decoder=in_turn(
            {"type": "Fuse"}, {"type": "Strip", "content": "a", "start": 1 << 60, "stop": 0}, key="decoders"
        )
    ),
    "one piece of 400,000": unigram([["a" * 400_000, -1.0]]),
    "a table that claims 4 GB": pieces_json(
        normalizer=in_turn(
            {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(b"\xff" * 4 + bytes(2048)).decode()},
            MARKED,
        )
    ),
}

# ---- tekken.json


def tekken(pattern: str = r"\p{L}+|[^\p{L}]", tokens: tuple[bytes, ...] = (), **config: Any) -> str:
    every = [*BYTES, *tokens]
    vocab = [
        {"rank": at, "token_bytes": base64.b64encode(one).decode(), "token_str": None} for at, one in enumerate(every)
    ]
    count = config.pop("specials", 20)
    usual = {
        "pattern": pattern,
        "num_vocab_tokens": len(every),
        "default_vocab_size": len(every) + count,
        "default_num_special_tokens": count,
        "version": "v3",
    }
    return json.dumps({"config": usual | config, "vocab": vocab})


TEKKEN = {
    **{f"{count:,} special tokens": tekken(specials=count) for count in (60_000, 1 << 20, 1 << 39)},
    "a pattern of counts": tekken("(?:(?:x{1000}){1000}){10}|."),
    "a token of 400,000": tekken(tokens=(b"a" * 400_000,)),
    "deep lists": '{"config":' + "[" * 100_000,
    "deep others": tekken()[:-1] + ',"image":' + '{"a":' * 90_000 + "1" + "}" * 90_000 + "}",
}

# ---- SentencePiece's .model


def piece(text: bytes | str, score: float = -1.0, kind: int = 1) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    inner = field_bytes(1, data) + field_bytes(2, struct.pack("<f", score), FOUR_BYTES) + field_bytes(3, kind)
    return field_bytes(1, inner)


def proto(pieces: list[bytes], trainer: bytes = field_bytes(3, 2), normalizer: bytes = b"", rest: bytes = b"") -> bytes:
    usual = [piece("<unk>", 0.0, 2), piece("<s>", 0.0, 3), piece("</s>", 0.0, 3), piece("▁"), piece("a")]
    message = b"".join([*usual, *pieces]) + field_bytes(2, trainer)
    return message + (field_bytes(3, normalizer) if normalizer else b"") + rest


def table(replacement: bytes) -> bytes:
    """A charsmap whose only rule replaces ``a``."""
    units = [0] * 1024
    # The root leads to its children from unit 256 on; "a" is the child there, with its value at the unit behind 512.
    units[0] = 256 << 10
    at = 256 ^ ord("a")
    units[at] = ((at ^ 512) << 10) | 1 << 8 | ord("a")
    units[512] = 1 << 31
    return struct.pack("<I", 4096) + struct.pack("<1024I", *units) + replacement + b"\0"


UNIGRAM = field_bytes(3, 1)
PROTO = {
    "a by 1 MB": proto([], normalizer=field_bytes(2, table(b"b" * 1_000_000))),
    "a by 20 kB, Unigram": proto([], UNIGRAM, field_bytes(2, table(b"b" * 20_000))),
    "a by 1 MB when decoding": proto([], rest=field_bytes(5, field_bytes(2, table(b"b" * 1_000_000)))),
    "a table that claims 4 GB": proto([], normalizer=field_bytes(2, b"\xff" * 4 + bytes(4096))),
    "one piece of 400,000": proto([piece("a" * 400_000)]),
    "300 user-defined pieces of 7,000": proto([piece("ab" * 3500 + str(at), 0.0, 4) for at in range(300)]),
    "messages within messages": b"\x0a\xff\xff\xff\xff\x07" * 50_000,
    "groups within groups": proto([], rest=b"\x4b" * 100_000),
    "a length of 2**63": b"\x0a" + b"\xff" * 9 + b"\x01",
    "unknown fields, 300,000": proto([], rest=b"\x98\x06\x01" * 300_000),
}

# ---- Patterns

WIDE = "".join(rf"\p{{{name}}}" for name in ("Lu", "Ll", "Nd", "Zs", "Mn"))
PATTERNS = {
    "counts in counts": "(?:(?:x{1000}){1000}){10}|.",
    "counts in counts, not captured or kept": "((?>((x{500}){500}){40})|y){3}|.",
    "counts in a look": "(?=(?:(?:x{1000}){1000}){10})|.",
    "a wide set of counts": rf"(?:(?:[{WIDE}]{{1000}}){{1000}})|.",
    "counts from 60 brackets": "(?:" * 50 + "x" + "){3}" * 50 + "|.",
    "counts after a quoted bracket": r"\[(?:(?:x{1000}){1000}){10}[]]|.",
    "recursion": "(?R)",
    "calls that double": "".join(f"(?P<n{at}>(?&n{at + 1})(?&n{at + 1}))?" for at in range(30)) + "(?P<n30>x)|.",
    "definitions": "(?(DEFINE)(?P<n>(?&n)(?&n)))(?&n)|.",
    "a fuzzy match": "(?:xyxyxyxyxy){e<=10}|.",
    "100,000 brackets": "(?:" * 100_000 + "x" + ")" * 100_000,
    "10,000 nested sets": "[" * 10_000 + "x" + "]" * 10_000,
    "one set of 100,000": "[" + "".join(chr(0x3400 + at % 0x4000) for at in range(100_000)) + "]|.",
    "30,000 alternatives": "|".join(f"x{at}" for at in range(30_000)) + "|.",
    "10,000 back references": "(x)" + r"\1" * 10_000 + "|.",
    "states": "(?:.*x" + "." * 14 + "y)+|.",
}


def by_regex(pattern: str, folder: Path) -> None:
    tokenizer = RegexTokenizer(pattern)
    tokenizer.train("a" * 10 + "bc", 257)
    use(tokenizer)


def by_tiktoken(pattern: str, folder: Path) -> None:
    ranks = {token: at for at, token in enumerate(BYTES)}
    use(Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}))


def _of(name: str, files: Any) -> dict[str, Bomb]:
    return {each: partial(written, name, data) for each, data in files.items()}


BOMBS: dict[str, dict[str, Bomb]] = {
    "minbpe": _of("x.model", MINBPE),
    "tiktoken": {each: partial(written, "x.tiktoken", data, pattern=None) for each, data in TIKTOKEN.items()},
    "gpt2": {each: lambda folder, files=files: gpt2(folder, *files) for each, files in GPT2.items()},
    "tokenizer.json": _of("tokenizer.json", BYTE_LEVEL),
    "tokenizer.json of pieces": _of("tokenizer.json", PIECES_JSON),
    "tekken": _of("tekken.json", TEKKEN),
    "sentencepiece": _of("x.model", PROTO),
    "pattern of regex": {each: partial(by_regex, one) for each, one in PATTERNS.items()},
    "pattern of tiktoken": {each: partial(by_tiktoken, one) for each, one in PATTERNS.items()},
}
