"""Rules about decoding any ids at all: spread characters, broken bytes, and ids that do not exist."""

from __future__ import annotations

from random import Random

from minbpe_course.learning.judge.conformance import samples
from minbpe_course.learning.judge.conformance.recipes import beginning_of, oracle
from minbpe_course.learning.judge.conformance.rule import FROM_RANKS, Exam, broken, for_each, rule, short, value_of
from minbpe_course.learning.judge.equality import shown

BROKEN_TEXTS = (
    b"\x80", b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xc0\xaf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf5\x80",
    b"\xf4\x90\x80\x80", b"a\xe2\x82b", b"\xf0\x9f\x98a", b"\xe2\x82\xe2\x82\xac", b"\xc3\x28", b"\xfe\xff",
)  # fmt: skip


@rule(
    "bytes-joined-first",
    "decode joins the bytes of all ids before it turns them into text",
    "A character may be spread over tokens; each of them alone is no text.",
    FROM_RANKS,
)
def bytes_joined_first(exam: Exam, dice: Random) -> None:
    recipe = beginning_of("gpt2", 256)
    for text in ("\u00e9", "\u4e16", "\U0001f600", *samples.letters(dice, 5)):
        back = exam.decode(recipe, oracle(recipe).encode_ordinary(text))
        if back != text:
            broken(f"decode(...) of the {len(text.encode())} bytes of {text!r}, each a token", shown(back), shown(text))


@rule(
    "broken-bytes",
    "Ids in any order decode to text, with U+FFFD where the bytes aren't valid text",
    "A model may say any id after any other, and an answer must not end in an exception.",
    FROM_RANKS,
)
def broken_bytes(exam: Exam, dice: Random) -> None:
    recipe = beginning_of("gpt2", 2_000)
    ranks = recipe.arguments[0]
    token_of = {number: token for token, number in ranks.items()}

    def check(ids: list[int]) -> None:
        back, data = exam.decode(recipe, ids), b"".join(token_of[number] for number in ids)
        wanted = data.decode("utf-8", "replace")
        if back != wanted:
            broken(f"decode(...) of {data!r}", ascii(back), ascii(wanted))

    rows = [[ranks[bytes([byte])] for byte in data] for data in BROKEN_TEXTS]
    rows += [
        [dice.choice((dice.randrange(256), dice.randrange(2_000))) for _ in range(dice.randrange(9))] for _ in range(80)
    ]
    for_each(rows, check)


@rule(
    "unknown-ids",
    "decode raises an error for an id that stands for nothing, such as -1",
    "Skipped silently, it hides that two programs use different vocabularies.",
    FROM_RANKS,
)
def unknown_ids(exam: Exam, dice: Random) -> None:
    wanted = "an error: there is no such id"
    for ids in ([2_000], [-1], [0, 10**9], [1 << 40], [dice.randrange(2_001, 50_000)]):
        outcome = exam.candidate.ask(beginning_of("gpt2", 2_000), "decode", ids)
        if outcome.state != "raised":
            broken(f"decode({ids})", short(value_of(outcome, f"decode({ids})", wanted)[0]), wanted)
