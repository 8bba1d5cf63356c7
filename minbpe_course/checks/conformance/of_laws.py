"""Rules about decoding whatever comes, and about being the same tool every time it is taken up."""

from __future__ import annotations

from random import Random

from minbpe_course.checks.conformance import samples
from minbpe_course.checks.conformance.candidate import Recipe
from minbpe_course.checks.conformance.of_ids import compared
from minbpe_course.checks.conformance.recipes import TRAINING_TEXT, beginning_of, only_bytes, oracle, trained
from minbpe_course.checks.conformance.rule import LONGEST_SHOWN, Exam, Finding, Rule, first_wrong, in_words, kind_of
from minbpe_course.checks.equality import same, shown

BROKEN = (
    b"\x80", b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xc0\xaf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf5\x80",
    b"\xf4\x90\x80\x80", b"a\xe2\x82b", b"\xf0\x9f\x98a", b"\xe2\x82\xe2\x82\xac", b"\xc3\x28", b"\xfe\xff",
)  # fmt: skip


def _bytes_joined(exam: Exam, dice: Random) -> Finding | None:
    recipe = only_bytes("gpt2")
    for text in ("\u00e9", "\u4e16", "\U0001f600", *samples.letters(dice, 5)):
        back = exam.decode(recipe, oracle(recipe).encode_ordinary(text))
        if isinstance(back, Finding):
            return back
        if back != text:
            given = f"decode(...) of the {len(text.encode())} bytes of {text!r}, each a token"
            return Finding(given, shown(back), shown(text))
    return None


def _broken_bytes(exam: Exam, dice: Random) -> Finding | None:
    recipe = beginning_of("gpt2", 2_000)
    ranks = recipe.arguments[0]
    token_of = {number: token for token, number in ranks.items()}

    def complaint(ids: list[int]) -> Finding | None:
        back = exam.decode(recipe, ids)
        if isinstance(back, Finding):
            return back
        data = b"".join(token_of[number] for number in ids)
        wanted = data.decode("utf-8", "replace")
        return None if back == wanted else Finding(f"decode(...) of {data!r}", ascii(back), ascii(wanted))

    rows = [[ranks[bytes([byte])] for byte in data] for data in BROKEN]
    rows += [
        [dice.choice((dice.randrange(256), dice.randrange(2_000))) for _ in range(dice.randrange(9))] for _ in range(80)
    ]
    return first_wrong(rows, complaint)


def _unknown_ids(exam: Exam, dice: Random) -> Finding | None:
    recipe = beginning_of("gpt2", 2_000)
    for ids in ([2_000], [-1], [0, 10**9], [1 << 40], [dice.randrange(2_001, 50_000)]):
        outcome = exam.candidate.ask(recipe, "decode", ids)
        if outcome.state == "value":
            return Finding(f"decode({ids})", shown(outcome.value[0], LONGEST_SHOWN), "an error: there is no such id")
        if outcome.state != "raised":
            return Finding(f"decode({ids})", in_words(outcome), "an error: there is no such id", kind_of(outcome))
    return None


def _same_twice(exam: Exam, dice: Random) -> Finding | None:
    texts = [*samples.prose(dice, 4, 80), *samples.mixed(dice, 12), "", "a"]
    first = [exam.encode(exam.usual, text) for text in texts]
    again = Recipe(f"{exam.usual.key}, made anew", exam.usual.how, exam.usual.arguments)
    later = list(reversed(range(len(texts))))
    for recipe, how in ((exam.usual, "a second time"), (again, "by a second one, made alike")):
        for at in later:
            ids = exam.encode(recipe, texts[at])
            if ids != first[at] and not (isinstance(ids, Finding) and isinstance(first[at], Finding)):
                return Finding(
                    f"encode({shown(texts[at], LONGEST_SHOWN)}) {how}", shown(ids), f"{shown(first[at])}, as before"
                )
    return None


def _arguments_kept(exam: Exam, dice: Random) -> Finding | None:
    ids = exam.encode(exam.usual, "low lower lowest")
    if isinstance(ids, Finding):
        return ids
    outcome = exam.candidate.ask(exam.usual, "decode", list(ids))
    if outcome.state != "value":
        return Finding(f"decode({ids})", in_words(outcome), "a text", kind_of(outcome))
    if not same(outcome.value[1], ids):
        return Finding(f"the list given to decode, {ids}, afterwards", shown(outcome.value[1]), shown(ids))
    if exam.usual.how == "itself":
        return None
    made = exam.candidate.make(exam.usual, "arguments")
    if made.state != "value":
        return Finding(f"{exam.usual.how}(...)", in_words(made), "a tokenizer", kind_of(made))
    if not same(made.value, exam.usual.arguments):
        return Finding(f"the arguments given to {exam.usual.how}, afterwards", "changed", "as they were")
    return None


def _apart(exam: Exam, dice: Random) -> Finding | None:
    one, other = beginning_of("gpt2", 2_000), beginning_of("cl100k_base", 2_000)
    texts = list(samples.prose(dice, 3, 60))
    for recipe in (one, other, one):
        found = compared(exam, recipe, texts, f" with {recipe.key}, after others were made")
        if found:
            return found
    if "train" in exam.candidate.abilities:
        exam.encode(trained(TRAINING_TEXT, 262), texts[0])
        return compared(exam, one, texts, f" with {one.key}, after another one was trained")
    return None


RULES = (
    Rule(
        "bytes-joined-first",
        "decode joins the bytes of all ids before it makes text of them",
        "A character may be spread over tokens; each of them alone is no text.",
        _bytes_joined,
        ("from_ranks",),
    ),
    Rule(
        "broken-bytes",
        "Ids in any order decode to text, with U+FFFD where the bytes are none",
        "A model may say any id after any other, and an answer must not end in an exception.",
        _broken_bytes,
        ("from_ranks",),
    ),
    Rule(
        "unknown-ids",
        "An id that stands for nothing raises; -1 is such an id",
        "Skipped silently, it hides that two programs use different vocabularies.",
        _unknown_ids,
        ("from_ranks",),
    ),
    Rule(
        "same-twice",
        "The same text has the same ids, later, in another order, and from a tokenizer made alike",
        "A cache that is wrong once is wrong for ever after.",
        _same_twice,
    ),
    Rule(
        "tokenizers-apart",
        "Two tokenizers of one class do not know of each other",
        "A dict in the class, or as a default argument, belongs to all of them.",
        _apart,
        ("from_ranks",),
    ),
    Rule(
        "arguments-kept",
        "The lists and dicts that were given are as before afterwards",
        "Whoever pops ids while decoding takes them from the caller.",
        _arguments_kept,
    ),
)
