"""The table of rules, in the order in which they are tried: name, sentence, reason, and the function that tries it.

Every answer is compared with the oracle's, on texts drawn from a seed, and a text that fails is cut down.

Speed is a ratio and never in seconds: how much longer a longer text takes. Each size is measured several times, on
texts that are never the same, since a tokenizer may remember words. The smallest time counts, because other work of the
machine only adds to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import takewhile
from random import Random
from string import ascii_lowercase
from typing import Any

import regex

from minbpe_course.learning.judge.conformance import samples
from minbpe_course.learning.judge.conformance.candidate import Candidate, short, value_of
from minbpe_course.learning.judge.conformance.recipes import (
    ONE_WORD,
    TRAINING_TEXT,
    Recipe,
    beginning_of,
    oracle,
    published,
    toy,
    trained,
)
from minbpe_course.learning.judge.conformance.report import Broken, Finding, Rule, broken
from minbpe_course.learning.judge.equality import Cut, cut_down, same, shown
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN

Draw = Callable[[Random], Iterable[str]]
Check = Callable[[Candidate, Random], "str | None"]

FROM_RANKS, TRAIN = ("from_ranks",), ("train",)
PUBLISHED = ("gpt2", "cl100k_base", "o200k_base")
STOPPED = ("too slow", "lost")
ROUNDS, TRIES = 3, 3
LONG_ENOUGH = 0.02  # seconds; a shorter time is harmless, and too short to measure on a busy machine
TIMES_MORE = 8  # characters, when the large text was too quick to measure
BROKEN_TEXTS = (
    b"\x80", b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xc0\xaf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf5\x80",
    b"\xf4\x90\x80\x80", b"a\xe2\x82b", b"\xf0\x9f\x98a", b"\xe2\x82\xe2\x82\xac", b"\xc3\x28", b"\xfe\xff",
)  # fmt: skip
EOT, PAD = "<|endoftext|>", "<|pad|>"
PLAIN = ((EOT, 50_256), (PAD, 50_257))
OVERLAPPING = (
    (EOT, 2_000), (f"{EOT}\n", 2_001), ("<|end", 2_002), ("\U0001f6d1", 2_003), ("a|b", 2_004), (" \n", 2_005),
)  # fmt: skip
BETWEEN = ("a", " ", "\n", "don't", "\u00e9", "|>", "<|", "\u4e16")


def for_each(things: Iterable[Cut], check: Callable[[Cut], None]) -> None:
    """Check things until one breaks the rule, and raise Broken for it, cut down while the fault stays the same."""

    def found(thing: Cut) -> Finding | None:
        try:
            check(thing)
        except Broken as error:
            return error.finding
        return None

    for thing in things:
        finding = found(thing)
        if finding is not None:
            raise Broken(finding if finding.kind in STOPPED else _smallest(thing, finding, found))


def _smallest(thing: Cut, finding: Finding, found: Callable[[Cut], Finding | None]) -> Finding:
    small = cut_down(thing, lambda part: getattr(found(part), "kind", None) == finding.kind)
    return found(small) or finding


def _agreed(mine: Sequence[Any], right: Sequence[Any]) -> int:
    """Return how many items at the beginning are equal."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(mine, right)))


# ----------------------------------------------------------------------------------------------------
# Texts that come back


def _come_back(texts: Draw) -> Check:
    def check(candidate: Candidate, dice: Random) -> None:
        def comes_back(text: str) -> None:
            back = candidate.decode(candidate.usual, candidate.encode(candidate.usual, text))
            if back != text:
                broken(f"decode(encode({short(text)}))", short(back), short(text))

        for_each(texts(dice), comes_back)

    return check


def _ids_are_numbers(candidate: Candidate, dice: Random) -> None:
    for text in ("a", "low lower", *samples.prose(dice, 3)):
        candidate.encode(candidate.usual, text)


def _text_is_text(candidate: Candidate, dice: Random) -> None:
    for text in ("a", "low lower", *samples.prose(dice, 3)):
        candidate.decode(candidate.usual, candidate.encode(candidate.usual, text))


def _empty(candidate: Candidate, dice: Random) -> None:
    ids = candidate.encode(candidate.usual, "")
    if ids:
        broken("encode('')", short(ids), "[]")
    back = candidate.decode(candidate.usual, [])
    if back:
        broken("decode([])", short(back), "''")


def _surrogates(candidate: Candidate, dice: Random) -> None:
    def check(text: str) -> None:
        repaired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        mine, wanted = candidate.encode(candidate.usual, text), candidate.encode(candidate.usual, repaired)
        if mine != wanted:
            broken(f"encode({text!a})", short(mine), f"{wanted}, as for {repaired!a}")

    for_each(samples.surrogates(dice, 30), check)


def _no_borders_of_its_own(candidate: Candidate, dice: Random) -> None:
    # Words so long that a border falls into one, wherever it may be, and short enough for a slow encoder.
    whole = " ".join("".join(dice.choices("etaoinshr", k=20)) for _ in range(410))
    wanted = oracle(candidate.usual)
    for size in (300, 1_100, 2_100, 8_300):
        text = whole[: size + dice.randrange(200)]
        ids, right = candidate.encode(candidate.usual, text), wanted.encode_ordinary(text)
        if ids != right:
            at = _agreed(ids, right)
            before = len(wanted.decode_bytes(right[:at]).decode("utf-8", "ignore"))
            around = repr(text[max(0, before - 12) : before + 12])
            given = f"a text of {len(text):,} characters, at character {before:,}, round {around}"
            broken(given, f"… {ids[at : at + 5]} …", f"… {right[at : at + 5]} …")


# ----------------------------------------------------------------------------------------------------
# The ids that the publisher's own program gives


def _same_ids(candidate: Candidate, recipe: Recipe, texts: Iterable[str], about: str = "", *asked: Any) -> None:
    """Compare the ids of texts with the oracle's. asked : what is given as ``allowed_special``, if anything is."""
    allowed = set() if asked in ((), ("none",)) else asked[0]

    def check(text: str) -> None:
        ids = candidate.encode(recipe, text, *asked)
        right = oracle(recipe).encode(text, allowed_special=allowed, disallowed_special=())
        if ids != right:
            given = ", ".join([short(text), *map(shown, asked)])
            tokens = oracle(recipe).decode_tokens_bytes(right)
            broken(f"encode({given}){about}", short(ids), f"{short(right)}, which are {shown(tokens)}")

    for_each(texts, check)


def _bytes_by_rank(candidate: Candidate, dice: Random) -> None:
    texts = ["!", "a", " ", "\n", "\u00e9", "\u4e16", "\U0001f600", *samples.letters(dice, 10)]
    for name in PUBLISHED[:2]:
        _same_ids(candidate, beginning_of(name, 256), texts, f" with the 256 bytes of {name}")


def _earliest_merge_first(candidate: Candidate, dice: Random) -> None:
    for number in range(12):
        letters = "ab" if number % 2 else "abc"
        recipe = toy(letters, dice)
        ranks = {token: rank for token, rank in recipe.arguments[0].items() if rank > 255}
        words = ["".join(dice.choices(letters, k=2 + size)) for size in range(10)]
        _same_ids(candidate, recipe, words, f" with the tokens {sorted(ranks, key=lambda token: ranks[token])}")


def _leftmost_first(candidate: Candidate, dice: Random) -> None:
    texts = ["a" * size for size in range(1, 30)]
    _same_ids(candidate, toy("a", dice), texts, " with a token for 2, 4, 8 ... letters a")


def _pattern_is_obeyed(candidate: Candidate, dice: Random) -> None:
    texts = [
        *samples.mixed(dice, 40), "a  b", "I'll", "WE'LL", "1234", "a\n\n b", " 12", "ab12", "!?\n", "don't",
        "caf\u00e9s",
    ]  # fmt: skip
    for pattern_of in PUBLISHED:
        recipe = beginning_of("cl100k_base", 2_000, pattern_of)
        _same_ids(candidate, recipe, texts, f" with {recipe.key}")


def _joining(candidate: Candidate, dice: Random) -> None:
    recipe = beginning_of("cl100k_base", 2_000)
    right = oracle(recipe).encode_ordinary
    pool = [*samples.BLANKS[:8], *samples.WORDS]
    traps: list[str] = []
    while len(traps) < 60:
        left, after = (dice.choice(pool) for _ in range(2))
        if right(left) + right(after) != right(left + after):
            traps.append(left + after)
    _same_ids(candidate, recipe, sorted(traps, key=len), f" with {recipe.key}")


def _ranks_in_any_order(candidate: Candidate, dice: Random) -> None:
    texts = list(samples.prose(dice, 3, 60))
    ranks, pattern, special = beginning_of("gpt2", 2_000).arguments
    by_id = sorted(ranks.items(), key=lambda item: item[1])
    orders = {"by id": by_id, "from the last to the first": by_id[::-1], "by their letters": sorted(ranks.items())}
    for order, items in orders.items():
        key = f"gpt2, 2,000 tokens {order}"
        _same_ids(candidate, Recipe(key, "from_ranks", (dict(items), pattern, special)), texts, f" with {key}")


def texts_for(dice: Random) -> Iterator[str]:
    """Yield the texts on which a published vocabulary is tried."""
    yield from samples.mixed(dice, 60)
    yield from samples.prose(dice, 30)
    yield from samples.letters(dice, 10)
    # Ids change where two texts join: encoders that treat lines or words separately fail on these.
    yield from ("\n\n\n", " \n \n", "a \nb", "a\n\n b", "  a", "\t\tx", "if x:\n        y", "'\n'")


def _ids_of(name: str, candidate: Candidate, dice: Random) -> None:
    _same_ids(candidate, published(name), texts_for(dice), f" with {name}")


# ----------------------------------------------------------------------------------------------------
# Special tokens


def _with(specials: tuple[tuple[str, int], ...]) -> Recipe:
    return beginning_of("gpt2", 1_000, specials=specials)


def _jumbles(names: Sequence[str], dice: Random) -> list[str]:
    """Return texts of special tokens, beginnings of them, and other pieces between them, the shortest first."""
    parts = [*names, *names, *(name[: len(name) // 2 + 1] for name in names), *BETWEEN]
    return ["".join(dice.choices(parts, k=1 + at // 8)) for at in range(32)]


def _specials(asked: Iterable[Any], candidate: Candidate, dice: Random) -> None:
    texts = _jumbles([EOT, PAD], dice)
    for each in asked:
        _same_ids(candidate, _with(PLAIN), texts, "", each)


def _specials_refused(candidate: Candidate, dice: Random) -> None:
    recipe = _with(PLAIN)
    for text in (EOT, f"a{PAD}", *_jumbles([EOT, PAD], dice)):
        held = [name for name, _ in PLAIN if name in text]
        outcome = candidate.ask(recipe, "encode", text)
        if held and outcome.state == "value":
            broken(f"encode({text!r})", short(outcome.value), f"ValueError: the text holds {held[0]}")
        if not held:
            candidate.encode(recipe, text)
        elif outcome.state != "raised":
            candidate.encode(recipe, text)
            return


def _specials_overlap(candidate: Candidate, dice: Random) -> None:
    names = [name for name, _ in OVERLAPPING]
    texts = [*names, *(left + right for left in names for right in names[:3]), *_jumbles(names, dice)]
    _same_ids(candidate, _with(OVERLAPPING), texts, "", "all")


def _specials_decoded(candidate: Candidate, dice: Random) -> None:
    for specials in (PLAIN, OVERLAPPING):
        for name, number in specials:
            for ids, wanted in (([number], name), ([0, number, 1], f'!{name}"')):
                back = candidate.decode(_with(specials), ids)
                if back != wanted:
                    broken(f"decode({ids})", shown(back), shown(wanted))


# ----------------------------------------------------------------------------------------------------
# Decoding any ids at all


def _bytes_joined_first(candidate: Candidate, dice: Random) -> None:
    recipe = beginning_of("gpt2", 256)
    for text in ("\u00e9", "\u4e16", "\U0001f600", *samples.letters(dice, 5)):
        back = candidate.decode(recipe, oracle(recipe).encode_ordinary(text))
        if back != text:
            broken(f"decode(...) of the {len(text.encode())} bytes of {text!r}, each a token", shown(back), shown(text))


def _broken_bytes(candidate: Candidate, dice: Random) -> None:
    recipe = beginning_of("gpt2", 2_000)
    ranks = recipe.arguments[0]
    token_of = {number: token for token, number in ranks.items()}

    def check(ids: list[int]) -> None:
        back, data = candidate.decode(recipe, ids), b"".join(token_of[number] for number in ids)
        wanted = data.decode("utf-8", "replace")
        if back != wanted:
            broken(f"decode(...) of {data!r}", ascii(back), ascii(wanted))

    rows = [[ranks[bytes([byte])] for byte in data] for data in BROKEN_TEXTS]
    rows += [
        [dice.choice((dice.randrange(256), dice.randrange(2_000))) for _ in range(dice.randrange(9))] for _ in range(80)
    ]
    for_each(rows, check)


def _unknown_ids(candidate: Candidate, dice: Random) -> None:
    wanted = "an error: there is no such id"
    for ids in ([2_000], [-1], [0, 10**9], [1 << 40], [dice.randrange(2_001, 50_000)]):
        outcome = candidate.ask(beginning_of("gpt2", 2_000), "decode", ids)
        if outcome.state != "raised":
            broken(f"decode({ids})", short(value_of(outcome, f"decode({ids})", wanted)[0]), wanted)


# ----------------------------------------------------------------------------------------------------
# State


def _same_twice(candidate: Candidate, dice: Random) -> None:
    def ids_or_none(recipe: Recipe, text: str) -> list[int] | None:
        try:
            return candidate.encode(recipe, text)
        except Broken:  # other rules are about texts without ids
            return None

    usual = candidate.usual
    texts = [*samples.prose(dice, 4, 80), *samples.mixed(dice, 12), "", "a"]
    first = [ids_or_none(usual, text) for text in texts]
    again = Recipe(f"{usual.key}, made anew", usual.how, usual.arguments)
    for recipe, how in ((usual, "a second time"), (again, "by a second one, made the same way")):
        for at in reversed(range(len(texts))):
            ids = ids_or_none(recipe, texts[at])
            if ids != first[at]:
                broken(f"encode({short(texts[at])}) {how}", shown(ids), f"{shown(first[at])}, as before")


def _tokenizers_apart(candidate: Candidate, dice: Random) -> None:
    one, other = beginning_of("gpt2", 2_000), beginning_of("cl100k_base", 2_000)
    texts = list(samples.prose(dice, 3, 60))
    for recipe in (one, other, one):
        _same_ids(candidate, recipe, texts, f" with {recipe.key}, after others were made")
    if "train" in candidate.abilities:
        candidate.ask(trained(TRAINING_TEXT, 262), "encode", texts[0])
        _same_ids(candidate, one, texts, f" with {one.key}, after another one was trained")


def _arguments_kept(candidate: Candidate, dice: Random) -> None:
    usual = candidate.usual
    ids = candidate.encode(usual, "low lower lowest")
    _, after = value_of(candidate.ask(usual, "decode", list(ids)), f"decode({ids})", "a text")
    if not same(after, ids):
        broken(f"the list given to decode, {ids}, afterwards", shown(after), shown(ids))
    if usual.how != "itself":
        kept = value_of(candidate.make(usual, "arguments"), f"{usual.how}(...)", "a tokenizer")
        if not same(kept, usual.arguments):
            broken(f"the arguments given to {usual.how}, afterwards", "changed", "as they were")


# ----------------------------------------------------------------------------------------------------
# The merges of minbpe


def _words_of(text: str, pattern: str, special: Mapping[str, int]) -> dict[bytes, int]:
    """Return the count of each word of a text outside of its special tokens, in the order first seen."""
    names = "|".join(map(regex.escape, sorted(special, key=len, reverse=True)))
    counts: dict[bytes, int] = {}
    for part in regex.split(names, text) if names else [text]:
        for word in regex.findall(pattern, part):
            counts[word.encode()] = counts.get(word.encode(), 0) + 1
    return counts


@lru_cache(maxsize=64)
def merges_of(recipe: Recipe) -> tuple[tuple[int, int], ...]:
    """Return the merges that the reference implementation learns for a recipe with a text."""
    text, vocab_size, pattern, special = recipe.arguments
    return tuple(step.pair for step in train_steps(_words_of(text, pattern, special), vocab_size))


def _same_merges(vocab_size: int, texts: Draw, *more: Any) -> Check:
    """Return a check of the merges learned from texts. more : a pattern, and special tokens, if there are any."""

    def check(candidate: Candidate, dice: Random) -> str | None:
        for text in texts(dice):
            recipe = trained(text, vocab_size, *more)
            given = f"train({shown(text, 80)}, {vocab_size})"
            outcome = candidate.ask(recipe, "merges")
            if outcome.state == "raised" and outcome.error == "AttributeError" and "merges" in outcome.message:
                return "it has no attribute merges to look at"
            merges = value_of(outcome, given, "a tokenizer")
            if not isinstance(merges, list):
                broken(f"{given}.merges", short(merges), "pairs of ids", "no merges")
            mine = [tuple(pair) if isinstance(pair, (list, tuple)) else pair for pair in merges]
            right = list(merges_of(recipe))
            if mine != right:
                at = _agreed(mine, right)
                got, wanted = (
                    shown(side[at]) if at < len(side) else f"no more merges after {at}" for side in (mine, right)
                )
                broken(f"{given}, merge {at}", got, wanted)
        return None

    return check


def _some_words(dice: Random) -> list[str]:
    texts = [" ".join(dice.choices(["low", "lower", "newest", "widest", "new"], k=20)) for _ in range(2)]
    return [*texts, *samples.prose(dice, 1, 800)]


def _encodes_what_it_learned(candidate: Candidate, dice: Random) -> None:
    for text in (*samples.prose(dice, 1, 600), "aaabdaaabac " * 3):
        recipe = trained(text, 290)
        merges = {pair: 256 + at for at, pair in enumerate(merges_of(recipe))}
        for asked in (text, text[5:60], *samples.mixed(dice, 6)):
            ids = candidate.encode(recipe, asked)
            words = regex.findall(GPT4_SPLIT_PATTERN, asked)
            right = [number for word in words for number in encode_word(word.encode(), merges)]
            if ids != right:
                broken(f"encode({shown(asked, 60)}) after train({shown(text, 60)}, 290)", short(ids), short(right))


# ----------------------------------------------------------------------------------------------------
# Speed


def _smallest_times(candidate: Candidate, make: Callable[[int], str], sizes: tuple[int, int]) -> tuple[float, float]:
    """Return the seconds that a text of each size takes."""
    best = [math.inf, math.inf]
    for _ in range(ROUNDS):
        for at, size in enumerate(sizes):
            outcome = candidate.ask(candidate.usual, "encode", make(size))
            wanted = "ids, in time" if outcome.state in STOPPED else "ids"
            value_of(outcome, f"encode(...) of {size:,} characters", wanted)
            best[at] = min(best[at], outcome.seconds)
    return best[0], best[1]


def _grows(
    what: str,
    make: Callable[[Random, int], str],
    sizes: tuple[int, int],
    most: float,
    candidate: Candidate,
    dice: Random,
) -> None:
    measured = math.inf
    for _ in range(TRIES):  # a busy moment must not fail a tokenizer
        times = _smallest_times(candidate, partial(make, dice), sizes)
        if times[1] < LONG_ENOUGH:
            sizes = sizes[0] * TIMES_MORE, sizes[1] * TIMES_MORE
            times = _smallest_times(candidate, partial(make, dice), sizes)
        if times[1] < LONG_ENOUGH:
            return
        measured = min(measured, times[1] / max(times[0], 1e-6))
        if measured <= most:
            return
    given = f"{what} of {sizes[0]:,} and of {sizes[1]:,} characters"
    broken(given, f"the second takes {measured:,.0f} times as long", f"at most {most:g} times", "slow")


def _text(dice: Random, size: int) -> str:
    return " ".join("".join(dice.choices("abcdefghij", k=dice.randrange(2, 9))) for _ in range(size // 6))


# ----------------------------------------------------------------------------------------------------
# The table


RULES: tuple[Rule, ...] = (
    Rule(
        "ids-are-numbers",
        "encode returns a list of whole numbers, none below 0",
        "A model looks each id up as a row of a table. There is no row 2.0 and no row True.",
        _ids_are_numbers,
    ),
    Rule(
        "text-is-text",
        "decode returns a str",
        "Bytes, or a list of pieces, look right when they are printed and fail in the next program.",
        _text_is_text,
    ),
    Rule(
        "empty",
        "The empty text has no ids, and an empty list of ids is the empty text",
        "Most files contain empty lines, and max() of nothing raises.",
        _empty,
    ),
    Rule(
        "spaces-survive",
        "Spaces, tabs and line ends of every kind come back as they were",
        "A program that loses its indentation is another program, and CRLF is two characters.",
        _come_back(lambda dice: [*samples.blanks(dice, 60), " a", "a ", "\na\n", "a  b", "a\r\nb", "a\rb"]),
    ),
    Rule(
        "letters-survive",
        "Characters that look alike, are invisible or lie beyond U+FFFF come back as they were",
        "A tokenizer that normalizes, lowercases or drops characters changes the text without being asked.",
        _come_back(lambda dice: [*samples.letters(dice, 60), "AbC"]),
    ),
    Rule(
        "long-texts-survive",
        "A long text comes back, and so does a single word of 1,300 letters",
        "A function that calls itself for each merge stops at Python's 1,000 levels. A gene needs more.",
        _come_back(
            lambda dice: ["".join(dice.choices("acgt", k=1_300)), *samples.prose(dice, 1, 20_000), "\n" * 1_300]
        ),
    ),
    Rule(
        "surrogates",
        "Half a character counts as U+FFFD, and two halves side by side as the character",
        "They come from broken file names and broken JSON, and one of them must not stop a service.",
        _surrogates,
    ),
    Rule(
        "no-borders-of-its-own",
        "A long text gets the same ids no matter where an encoder cuts it internally",
        "Chunks of a fixed size keep memory small and change the ids at every border.",
        _no_borders_of_its_own,
        FROM_RANKS,
    ),
    Rule(
        "bytes-by-rank",
        "The 256 bytes have the ids that the ranks give them",
        "GPT-2 put the bytes in its own order: byte 33 isn't id 33.",
        _bytes_by_rank,
        FROM_RANKS,
    ),
    Rule(
        "earliest-merge-first",
        "Of all possible merges, the one that was learned first comes first",
        "Taking the longest token, the first pair or the most common pair looks right on most words.",
        _earliest_merge_first,
        FROM_RANKS,
    ),
    Rule(
        "leftmost-first",
        "Of equal pairs, the leftmost is merged first",
        "In aaa there are two pairs and room for one merge; the original takes the left one.",
        _leftmost_first,
        FROM_RANKS,
    ),
    Rule(
        "pattern-is-obeyed",
        "The text is cut by the pattern that was given, and no merge crosses a cut",
        "Patterns differ in contractions, digits and spaces. With the wrong one, most ids still agree.",
        _pattern_is_obeyed,
        FROM_RANKS,
    ),
    Rule(
        "joining",
        "Where two texts join, ids may change, so encode must look at the whole text",
        "The ids of two lines, joined, are not the ids of the two lines.",
        _joining,
        FROM_RANKS,
    ),
    Rule(
        "ranks-in-any-order",
        "Only the numbers in the ranks matter, not the order of the dict",
        "Files are sorted by rank. A dict in a program may not be.",
        _ranks_in_any_order,
        FROM_RANKS,
    ),
    *(
        Rule(
            f"ids-of-{name}",
            f"Rebuilt from its ranks, {name} has tiktoken's ids on every text",
            "A model that was trained on these ids understands no others, and nothing raises when one differs.",
            partial(_ids_of, name),
            FROM_RANKS,
        )
        for name in PUBLISHED
    ),
    Rule(
        "specials-asked-for",
        "Only the special tokens that are allowed get their ids",
        "They end texts, open turns and stop the model: a missed one makes it talk on and on.",
        partial(_specials, ("all", {EOT}, {PAD}, {EOT, PAD})),
        FROM_RANKS,
    ),
    Rule(
        "specials-not-asked-for",
        "What a user types is ordinary text, however much it looks like a special token",
        "Otherwise anybody can speak as the system.",
        partial(_specials, ("none", set())),
        FROM_RANKS,
    ),
    Rule(
        "specials-refused",
        "Unless told otherwise, encode raises an error if the text contains a special token",
        "Silence either way is a guess. The caller knows whether the text can be trusted.",
        _specials_refused,
        FROM_RANKS,
    ),
    Rule(
        "specials-overlap",
        "If special tokens begin alike, the longest wins; their characters are not treated as a pattern",
        "The bar in a|b means 'or' to a regular expression, and <|end is the beginning of others.",
        _specials_overlap,
        FROM_RANKS,
    ),
    Rule(
        "specials-decoded",
        "The id of a special token is decoded to its name",
        "Transcripts and tests need it, and the original course could not do it for GPT-4.",
        _specials_decoded,
        FROM_RANKS,
    ),
    Rule(
        "bytes-joined-first",
        "decode joins the bytes of all ids before it turns them into text",
        "A character may be spread over tokens; each of them alone is no text.",
        _bytes_joined_first,
        FROM_RANKS,
    ),
    Rule(
        "broken-bytes",
        "Ids in any order decode to text, with U+FFFD where the bytes aren't valid text",
        "A model may say any id after any other, and an answer must not end in an exception.",
        _broken_bytes,
        FROM_RANKS,
    ),
    Rule(
        "unknown-ids",
        "decode raises an error for an id that stands for nothing, such as -1",
        "Skipped silently, it hides that two programs use different vocabularies.",
        _unknown_ids,
        FROM_RANKS,
    ),
    Rule(
        "same-twice",
        "The same text has the same ids, later, in another order, and from a tokenizer made the same way",
        "A cache that is wrong once is wrong for ever after.",
        _same_twice,
    ),
    Rule(
        "tokenizers-apart",
        "Two tokenizers of one class don't affect each other",
        "A dict in the class, or as a default argument, belongs to all of them.",
        _tokenizers_apart,
        FROM_RANKS,
    ),
    Rule(
        "arguments-kept",
        "The lists and dicts you pass in are unchanged afterward",
        "A decoder that pops ids takes them from its caller.",
        _arguments_kept,
    ),
    Rule(
        "learns-minbpe-s-merges",
        "train learns the merges that minbpe learns, in their order",
        "If two trainers differ in one pair, they have learned two different tokenizers.",
        _same_merges(275, _some_words),
        TRAIN,
    ),
    Rule(
        "ties-first-seen",
        "Of equally common pairs, the one that was seen first is merged",
        "max() over a set, or over sorted pairs, is another rule, and gives another vocabulary.",
        _same_merges(
            258,
            lambda dice: ["ba", "cab", "zyx", "".join(dice.choices(ascii_lowercase, k=8)), "ab ba", "dcba abcd"],
            ONE_WORD,
        ),
        TRAIN,
    ),
    Rule(
        "pairs-that-overlap",
        "aaa contains the pair aa twice when you count, and once when you merge",
        "Counting without overlaps gives other merges for runs of spaces, dashes and laughter.",
        _same_merges(
            262,
            lambda dice: ["aaab abab", "aaaaabcbcbc", "aaa bb aaa bb", "".join(dice.choices("ab", k=30))],
            ONE_WORD,
        ),
        TRAIN,
    ),
    Rule(
        "text-runs-out",
        "When no pair is left, training ends; an empty text has nothing to learn",
        "max() of an empty sequence is the first bug report that every trainer gets.",
        _same_merges(300, lambda dice: ("", "a", "ab", "aaaa", "a b c", "low low")),
        TRAIN,
    ),
    Rule(
        "merges-stay-in-words",
        "No pair is counted across a cut of the pattern",
        "Encoding can never make such a token, so it's wasted.",
        _same_merges(264, lambda dice: ("a b a b a b a b", "1234 1234 1234 1234", "it's it's it's", "x!\n" * 6)),
        TRAIN,
    ),
    Rule(
        "specials-left-out",
        "Training learns nothing from the special tokens in the text",
        "Otherwise their letters become the most common words of all.",
        _same_merges(
            264,
            lambda dice: ("low<|end|>lower<|end|>newest" * 3, "x<|end|>\ny" * 5, "a|ba|ba|b a a a b b"),
            GPT4_SPLIT_PATTERN,
            {"<|end|>": 300, "<|end|>\n": 301, "a|b": 302},
        ),
        TRAIN,
    ),
    Rule(
        "encodes-what-it-learned",
        "After training, encode does the same merges in the same order",
        "The pattern of training must be the pattern of encoding.",
        _encodes_what_it_learned,
        TRAIN,
    ),
    Rule(
        "time-of-a-text",
        "Eight times as many words take about eight times as long",
        "Copying the whole text, or all ids, for each word takes quadratic time.",
        partial(_grows, "texts", _text, (2_000, 16_000), 26),
    ),
    Rule(
        "time-of-a-word",
        "A word four times as long takes at most about sixteen times as long",
        "The simplest right encoder takes quadratic time. With more than that, one long line stops a server.",
        partial(_grows, "single words", lambda dice, size: "".join(dice.choices("acgt", k=size)), (200, 800), 32),
    ),
)
