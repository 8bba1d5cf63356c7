"""Small GGUF files of every kind, with pieces and settings drawn from a seed, and texts for them.

    data = gguf(drawn("llama", seed=3))     the file     texts("llama", seed=3)     texts that use its tokens

Only ``random.random`` is used, which draws the same numbers in every version of Python: recorded ids depend on it.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from minbpe_course.formats.gguf_patterns import SPLITTINGS
from minbpe_course.text.byte_alphabet import to_printable

T = TypeVar("T")

STRING, ARRAY = 8, 9
KINDS = ("gpt2", "llama", "gemma4", "t5", "bert")
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
SPECIAL = "<s>,</s>,<|im_end|>,<a>,<aa>,[X],  ,<mask>,é!,<|fim_prefix|>,<|channel|>,<PAD>".split(",")  # noqa: SIM905
CHARACTERS = "ab▁c\nde é中A!1'"
BITS = (  # noqa: SIM905
    "'s|'S|'LL|'ſ|’s|it's|DON'T|we'Ve| |  |   |\t|\n|\r\n|\n\n|\r|\x0b|\x1c|\x85|\xa0|\u2003|\u3000|\u200b|\ufeff|123|"
    "1234567|1|½|²|٣|१२३|Hello|world|hELLO|camelCase|ABCdef|été|e\u0301|Straße|İ|ı|ǅ|ª|中文|日本語|한국어|"
    "カタカナ|ไทย|हिन्दी|বাংলা|العربية|Русский|"
    "👍|🏽|👨‍👩‍👧|…|。|、|!|?!|...|$|€|+|<=>|^|`|~|_|{|[|]|(|/|\\|#|@|&|<s>|</s>|<unk>|<0x0A>|▁|▁▁|▁a|"
    "\x01|\x7f|\u0378|\U00010400|"
    "\ue000|\uffff|𝐀|Ⅷ|Ａ|１|ﬁ|\u212b|a|e|in| the|def f(x):|    return x|0x1F|3.14|1,000,000|a1b2|"
    "IMGIMGABZ|<sentinel:12>"
).split("|")


def gguf(values: dict[str, Any], version: int = 3) -> bytes:
    """Return a file with these keys and no tensors."""
    keys = b"".join(_text(key) + _value(value) for key, value in values.items())
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(values)) + keys


def _text(text: str | bytes) -> bytes:
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, str):
        return struct.pack("<I", STRING) + _text(value)
    if isinstance(value, bytes):
        return struct.pack("<IIQ", ARRAY, 0, len(value)) + value
    kind = {int: 5, float: 6}.get(type(value[0]) if value else str, STRING)
    head = struct.pack("<IIQ", ARRAY, kind, len(value))
    if kind == STRING:
        return head + b"".join(map(_text, value))
    return head + struct.pack(f"<{len(value)}{'if'[kind - 5]}", *value)


class Draw:
    """Draws with ``random.random`` alone."""

    def __init__(self, seed: object) -> None:
        self._random = random.Random(str(seed)).random

    def below(self, most: int) -> int:
        return int(self._random() * most)

    def one(self, of: Sequence[T]) -> T:
        return of[self.below(len(of))]

    def chance(self, share: float) -> bool:
        return self._random() < share

    def some(self, of: Sequence[T]) -> list[T]:
        return [each for each in of if self.chance(0.4)]


def drawn(kind: str, seed: int) -> dict[str, Any]:
    """Return the keys of a file of a kind of ``KINDS``."""
    draw = Draw(f"{kind} {seed}")
    values: dict[str, Any] = {
        "general.architecture": draw.one(["llama", "nomic-bert-moe"]) if kind == "t5" else "llama",
        "general.name": draw.one(["x", "Modern-BERT"]),
        "tokenizer.ggml.model": kind,
    }
    tokens, kinds, more = _DRAWN[kind](draw)
    for name in ("bos", "eos"):
        if draw.chance(0.5) or kind == "t5":
            values[f"tokenizer.ggml.{name}_token_id"] = draw.below(len(tokens))
        if draw.chance(0.5):
            values[f"tokenizer.ggml.add_{name}_token"] = draw.chance(0.5)
    scores = [float(-draw.below(12)) if draw.chance(0.7) else -draw.below(1000) / 50 for _ in tokens]
    return values | {
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": scores,
        "tokenizer.ggml.token_type": kinds,
        **{f"tokenizer.ggml.{key}": value for key, value in more.items()},
    }


def texts(kind: str, seed: int, count: int, tokens: Sequence[str] = ()) -> list[str]:
    """Return awkward texts. tokens : of the file."""
    draw = Draw(f"texts {kind} {seed}")
    special = [token for token in tokens if token in SPECIAL]

    def part() -> str:
        if special and draw.chance(0.12):
            return draw.one(special)
        if draw.chance(0.5):
            return draw.one(BITS)
        if draw.chance(0.2):
            return chr(draw.one([32, 0x100, 0x3000, 0x10000]) + draw.below(0x2B0))
        return draw.one(tokens) if tokens and draw.chance(0.3) else draw.one(CHARACTERS + "  ßEÉ日가B")

    return ["".join(part() for _ in range(draw.one([1, 2, 4, 8, 20]))) for _ in range(count)]


def _pieces(draw: Draw, count: int, characters: str) -> list[str]:
    sizes = [1, 2, 2, 3, 3, 4, 6]
    return ["".join(draw.one(characters) for _ in range(draw.one(sizes))) for _ in range(count)]


def _named(draw: Draw, first: dict[str, int], special: list[str], rest: list[str]) -> tuple[list[str], list[int]]:
    """Return tokens and their kinds: those of ``first``, special ones of any kind, the rest NORMAL or UNUSED."""
    found = dict(first)
    for token in special:
        found.setdefault(token, draw.one([1, 2, 3, 4, 5]))
    for token in rest:
        found.setdefault(token, 6 if token in BYTES else 5 if draw.chance(0.1) else 1)
    return list(found), list(found.values())


def _merged(draw: Draw, tokens: list[str]) -> tuple[list[str], list[str]]:
    """Return tokens and 60 merges of them, some of them twice."""
    tokens, merges = list(tokens), []
    while len(merges) < 60:
        left, right = draw.one(tokens), draw.one(tokens)
        if len(left + right) < 8:
            merges.append(f"{left} {right}")
            tokens += [] if left + right in tokens else [left + right]
    return tokens, merges


Drawn = tuple[list[str], list[int], dict[str, Any]]


def _llama(draw: Draw) -> Drawn:
    rest = BYTES + _pieces(draw, 70, CHARACTERS.replace(" ", ""))
    tokens, kinds = _named(draw, {"<unk>": 2}, draw.some(SPECIAL), rest)
    return tokens, kinds, {"add_space_prefix": draw.chance(0.5)} if draw.chance(0.5) else {}


def _t5(draw: Draw) -> Drawn:
    special = [token for token in draw.some(SPECIAL) if token.isascii()]
    rest = _pieces(draw, 70, CHARACTERS.replace(" ", "").replace("\n", ""))
    tokens, kinds = _named(draw, {"<pad>": 3, "</s>": 3, "<unk>": 2}, special, rest)
    more = {name: draw.chance(0.6) for name in ("add_space_prefix", "remove_extra_whitespaces") if draw.chance(0.6)}
    return tokens, kinds, more


def _gemma4(draw: Draw) -> Drawn:
    rest, merges = _merged(draw, list(CHARACTERS.replace(" ", "")))
    first = {"<pad>": 3, "<eos>": 3, "<bos>": 3, "<unk>": draw.one([2, 3])}
    tokens, kinds = _named(draw, first, draw.some(SPECIAL), [*BYTES, *rest, "\n\n\n\n"])
    return tokens, kinds, {"merges": merges, "bos_token_id": 2, "eos_token_id": 1}


def _gpt2(draw: Draw) -> Drawn:
    alphabet = [to_printable(bytes([byte])) for byte in range(256)]
    rest, merges = _merged(draw, [one for one in alphabet if one in "abcdeĠĊA1'!"])
    lacking = {alphabet[draw.below(32)], alphabet[192 + draw.below(64)]} if draw.chance(0.3) else set()
    tokens, kinds = _named(draw, {}, [], [one for one in (*alphabet, *rest) if one not in lacking])
    for token in draw.some(SPECIAL):
        tokens.append(token)
        kinds.append(draw.one([1, 2, 3, 4]))
    return tokens, kinds, {"merges": merges, "pre": draw.one(list(SPLITTINGS))}


def _bert(draw: Draw) -> Drawn:
    first = {"[PAD]": 3, "[UNK]": draw.one([2, 3]), "[CLS]": 3, "[SEP]": 3, "[MASK]": 3}
    rest = [draw.one(["▁", ""]) + piece for piece in _pieces(draw, 90, "abcdeé中A!1'日ee")]
    tokens, kinds = _named(draw, first, [], rest)
    more: dict[str, Any] = {"unknown_token_id": 1, "bos_token_id": 2, "seperator_token_id": 3}
    more |= {f"normalizer.{each}": draw.chance(0.5) for each in ("lowercase", "strip_accents") if draw.chance(0.5)}
    return tokens, kinds, more


_DRAWN: dict[str, Callable[[Draw], Drawn]] = {
    "gpt2": _gpt2,
    "llama": _llama,
    "gemma4": _gemma4,
    "t5": _t5,
    "bert": _bert,
}
