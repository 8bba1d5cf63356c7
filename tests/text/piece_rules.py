"""The rules of SentencePiece, each with the smallest model and the texts that show it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from sentencepiece import sentencepiece_model_pb2

from tests.shared.random_pieces import BYTE, CONTROL, NORMAL, TYPES, UNKNOWN, UNUSED, USER_DEFINED, charsmap

KINDS = {"n": NORMAL, "c": CONTROL, "u": USER_DEFINED, "x": UNUSED, "?": UNKNOWN}


class Rule(NamedTuple):
    """pieces : "text score kind", where a space in the text is written as a dot in the middle · texts : to encode ·
    options : of the model, by the names of the trainer · decoded : ids to decode."""

    kind: str
    pieces: str
    texts: tuple[str | bytes, ...]
    options: Mapping[str, Any] = MappingProxyType({})
    decoded: tuple[tuple[int, ...], ...] = ()


PLAIN = {"add_dummy_prefix": False, "remove_extra_whitespaces": False}
BYTES = {"byte_fallback": True}

RULES: dict[str, Rule] = {
    # ---- BPE
    "of equal scores the leftmost merges": Rule(
        "bpe", "a -9|b -9|ab -1|ba -1|aa -1", ("aba", "baab", "aaa", "ababa"), PLAIN
    ),
    "-0.0 is below 0.0": Rule("bpe", "a -9|b -9|c -9|ab -0.0|bc 0.0", ("abc", "ababcbc"), PLAIN),
    "the best score merges first": Rule("bpe", "a -9|b -9|c -9|ab -2|bc -1|abc -3", ("abc", "abbc"), PLAIN),
    "positive scores are scores": Rule("bpe", "a -9|b -9|c -9|ab 1|bc 2.5|ca -3", ("abca", "bca"), PLAIN),
    "one merge at a time": Rule("bpe", "a -9|aa -1|aaa -1|x -9", ("aaaa", "aaaaaaaa", "xaaaaaxaaaaaaa"), PLAIN),
    "user-defined pieces are frozen": Rule("bpe", "a -9|b -9|c -9|ab 0 u|abc -1|bc -1", ("abc", "aabc", "abab"), PLAIN),
    "the longest user-defined piece": Rule(
        "bpe", "< -9|a -9|> -9|b -9|<a> 0 u|<a><b> 0 u", ("<a><b>", "<a><a><b", "<a><"), PLAIN
    ),
    "no more than 64 nested": Rule(
        "bpe", "|".join(f"{'a' * n} 0 u" for n in range(1, 81)), ("a" * 64, "a" * 70, "a" * 200), PLAIN
    ),
    "unused pieces merge and fall apart": Rule(
        "bpe", "a -9|b -9|c -9|ab -1 x|abc -2|ca -1 x", ("ab", "abc", "abab", "cab"), PLAIN
    ),
    "unused letters are unknown": Rule("bpe", "a -9|b -9 x|ab -1 x|bb -1", ("ab", "b", "bb", "abb"), PLAIN),
    "control pieces are no text": Rule(
        "bpe", "<s> 0 c|¶ 0 c|< -1|s -2|> -3|<s -1|a -4", ("<s>", "a¶a", "¶", "<s>a"), PLAIN
    ),
    "unknown pieces side by side are one": Rule(
        "bpe", "a -1|▁ -2", ("xyz", "axyza", "x y", "ax"), {}, ((0, 0), (1, 0))
    ),
    "unknown that spells a control piece": Rule("bpe", "a -1|▁ -2", ("<s>", "a</s>a", "<unk>"), PLAIN),
    "what is unknown becomes bytes": Rule("bpe", "a -1|▁ -2", ("\n", "aé東a", "\0", "\x7f"), BYTES),
    "bytes have no unknown piece": Rule("bpe", "a -1", ("é", "a b"), BYTES | {"unknown": False}, ((3, 0, 4),)),
    # ---- The normaliser
    "a space in front": Rule("bpe", "▁ -1|a -2|▁a -0.0", ("a", " a", "", "aa", "▁a")),
    "no space in front": Rule("bpe", "▁ -1|a -2|▁a -0.0", ("a", " a", ""), PLAIN),
    "a space behind": Rule(
        "bpe", "▁ -1|a -2|a▁ -0.0|▁a -0.0", ("a", "a a", "a ", " "), {"treat_whitespace_as_suffix": True}
    ),
    "spaces are removed": Rule("bpe", "▁ -1|a -2|▁a -0.0|▁▁ -3", ("  a  a  ", "   ", " a▁ ▁", "▁▁a", "a \ta")),
    "spaces are kept": Rule(
        "bpe", "▁ -1|a -2|▁a -0.0|▁▁ -3", ("  a  a  ", "   ", " a▁ "), {"remove_extra_whitespaces": False}
    ),
    "spaces that are not escaped": Rule(
        "bpe", "▁ -1|a -2|· -3|·a -1|▁a -1", (" a a ", "▁a"), {"escape_whitespaces": False}
    ),
    "a bad byte is one U+FFFD": Rule(
        "bpe", "\ufffd -1|\ufffd\ufffd -2|▁ -3|a -4", (b"\xed\xa0\x80", b"a\xe2\x82a", b"\xff\xc3", b"\xf5\x80\x80\x80")
    ),
    "rules of the model's own table": Rule(
        "bpe", "f -1|i -2|fi -1|▁ -3|é -4", ("ﬁ", "é", "①㌔", "ｶﾞ", "¨a", "a ¨"), {"rule": "nfkc"}
    ),
    "a rule that gives nothing": Rule(
        "bpe", "a -1|▁ -3|▁a -1", ("a\u200ba", "\x07", "\ufeff a", "a\t\n a"), {"rule": "nmt_nfkc"}
    ),
    "user-defined pieces on the raw text": Rule(
        "bpe", "ﬁ 0 u|f -1|i -2|fi -1|a·b 0 u|a -3|b -3|▁ -4", ("ﬁ", "xﬁﬂ", "a b", "a  b"), {"rule": "nfkc"}
    ),
    "user-defined pieces on the escaped text": Rule(
        "bpe", "▁▁ 0 u|▁ -1|a -2|▁a -1", ("  a", "a   a", "▁▁"), {"remove_extra_whitespaces": False}
    ),
    # ---- Unigram
    "the best sum": Rule("unigram", "a -1|b -2|ab -2.5|c -1|bc -1.5|abc -9", ("abc", "ab", "cab", "bcabc"), PLAIN),
    "of equal sums the longer last piece": Rule("unigram", "a -1|aa -2|aaa -3", ("aa", "aaa", "aaaaaaa"), PLAIN),
    "sums are float32": Rule("unigram", "a -65536|b -0.003|c -0.003|bc -0.0055", ("abc", "bc", "aabc"), PLAIN),
    "far sums are set back": Rule(
        "unigram", "a -60000.1|b -0.003|c -0.003|bc -0.0055", ("aabc", "aaaaabc", "bc"), PLAIN
    ),
    "unknown is ten below the lowest": Rule("unigram", "xy -5|y 10.5|z -6 x", ("xy", "xyxy", "zxy", "qxyq"), PLAIN),
    "user-defined pieces are favoured by bytes": Rule(
        "unigram", "é 0.12|éé 0 u|a -1|aa 0 u|aaa 0.05", ("éé", "éééé", "aaa", "aaaa"), PLAIN
    ),
    "unused pieces are not used": Rule("unigram", "a -1|b -2|ab -0.5 x|c -1 x", ("ab", "abc", "cc"), PLAIN),
    "unknown characters become bytes": Rule("unigram", "▁a -1|a -2", ("é a", "東é"), BYTES),
    # ---- Words and characters
    "words begin at a space": Rule(
        "word", "▁a -1|▁b -2|▁ -3|a▁ -4", ("a b", "a x y b", "a  b", "▁a▁b", ""), {"remove_extra_whitespaces": False}
    ),
    "words with the space behind": Rule("word", "a -1|▁a -2|▁ -3", ("a a", "a"), {"treat_whitespace_as_suffix": True}),
    "user-defined pieces are no words": Rule(
        "word", "▁a<x> -1|<x> 0 u|▁<x> 0 u|▁b -1 x", ("a<x>", "<x>", "<x> b", "b")
    ),
    "a word that is unknown becomes bytes": Rule("word", "▁a -1", ("é東 a x", "xy"), BYTES),
    "characters and user-defined pieces": Rule(
        "char", "a -1|b -2|<a> 0 u|<a>b 0 u|▁ -3|c -1 x", ("a<a>b", "<a><a>bc", "<a", "ab c"), {}
    ),
    "characters that are unknown": Rule("char", "a -1|▁ -2", ("axya", "é"), {}),
    # ---- Decoding
    "one space in front is taken away": Rule(
        "bpe",
        "▁a -1|▁▁a -2|▁ -3|b -4",
        ("a",),
        {"remove_extra_whitespaces": False},
        ((3, 3), (4, 3), (5, 5, 3), (1, 4), (1, 5, 5), (6, 3)),
    ),
    "all spaces in front are taken away": Rule(
        "bpe", "▁a -1|▁▁a -2|▁ -3|b -4", ("a",), {}, ((3, 3), (4, 3), (5, 5, 3), (1, 4), (5, 4, 3), (6, 3))
    ),
    "no space is taken away": Rule("bpe", "▁a -1|▁▁a -2|▁ -3|b -4", ("a",), PLAIN, ((3, 3), (5, 5, 3), (1, 4))),
    "each bad byte of a text is one U+FFFD": Rule(
        "char",
        "a -1|▁ -2",
        ("é",),
        BYTES,
        tuple((3 + 0xE2, 3 + 0x82, *more) for more in ((), (259,), (3 + 0xAC,), (1, 3 + 0xAC))),
    ),
    "unknown has a surface": Rule("char", "a -1|▁ -2", ("x",), {"unk_surface": "▁?"}, ((0,), (0, 3), (3, 0, 0))),
    "the denormaliser": Rule("char", "A -1|▁ -2|ﬁ -3", ("Aﬁ",), {"denormalizer": "nfkc_cf"}, ((3, 5), (4, 4, 3))),
}


def file_of(rule: Rule) -> bytes:
    """The model of a rule: ids 0 <unk>, 1 <s>, 2 </s>, then its pieces, then the bytes if there are any."""
    options = dict(rule.options)
    proto = sentencepiece_model_pb2.ModelProto()
    proto.trainer_spec.model_type = TYPES[rule.kind]
    first = [("<unk>", 0.0, UNKNOWN if options.pop("unknown", True) else CONTROL)]
    first += [(name, 0.0, CONTROL) for name in ("<s>", "</s>") if f"{name} " not in rule.pieces]
    pieces = first + [_piece(line) for line in rule.pieces.split("|")]
    if options.get("byte_fallback"):
        pieces[3:3] = [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]
    for piece, score, kind in pieces:
        proto.pieces.add(piece=piece, score=score, type=kind)
    proto.normalizer_spec.precompiled_charsmap = charsmap(options.pop("rule", "identity"))
    if "denormalizer" in options:
        proto.denormalizer_spec.precompiled_charsmap = charsmap(options.pop("denormalizer"))
        proto.denormalizer_spec.add_dummy_prefix = proto.denormalizer_spec.escape_whitespaces = False
    for name, value in options.items():
        spec = proto.normalizer_spec if "whitespaces" in name or "dummy" in name else proto.trainer_spec
        setattr(spec, name, value)
    data: bytes = proto.SerializeToString()
    return data


def _piece(line: str) -> tuple[str, float, int]:
    text, score, *kind = line.split(" ")
    return text.replace("·", " "), float(score), KINDS[kind[0] if kind else "n"]
