"""The table of rules, in the order in which they are tried: name, sentence, reason, sample, and how that is tried.

Answers are compared with the oracle's, on texts drawn from a seed.

Speed is a ratio and never in seconds: how much longer a longer text takes. The two sizes are measured in turn, and the
fastest of several texts counts, because other work of the machine only adds to it. No text is measured twice, since a
tokenizer may remember words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from random import Random
from string import ascii_lowercase
from typing import Any, NamedTuple

from minbpe_course.errors import MinbpeCourseError
from minbpe_course.learning.judge.conformance import samples
from minbpe_course.learning.judge.conformance.candidate import LONGEST_SHOWN, Broken, Candidate, NotAsked, short
from minbpe_course.learning.judge.conformance.recipes import ONE_WORD, Recipe, beginning_of, oracle, toy, trained
from minbpe_course.learning.judge.equality import same, shortened, shown, shown_beside
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN

Questions = Iterable[tuple[Any, ...]]

PUBLISHED = ("gpt2", "cl100k_base", "o200k_base")
LEAST_ROUNDS, MOST_ROUNDS = 3, 9
LONG_ENOUGH = 0.02  # seconds; a shorter time is harmless, and too short to measure on a busy machine
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


# ----------------------------------------------------------------------------------------------------
# How one thing of a sample is tried: each raises Broken, or NotAsked if this tokenizer cannot be asked


def expect(given: str, got: Any, wanted: Any, about: str = "") -> None:
    """Raise Broken if an answer is not the wanted one. about : more about the wanted one."""
    if not same(got, wanted):
        right = shown_beside(wanted, got, LONGEST_SHOWN) + about
        raise Broken(given, shown_beside(got, wanted, LONGEST_SHOWN), right)


def same_answer(candidate: Candidate, recipe: Recipe, thing: Any, *allowed: Any) -> None:
    """Compare the ids of a text, or the text of ids, with the oracle's."""
    ours = oracle(recipe)
    method = "encode" if isinstance(thing, str) else "decode"
    size = f" of {len(thing):,} characters" if len(thing) > LONGEST_SHOWN else ""
    asked = ", ".join([short(thing), *map(shown, allowed)])
    given = f"{method}({asked}){size} with {shortened(recipe.key, LONGEST_SHOWN)}"
    refused = ""
    try:
        wanted = getattr(ours, method)(thing, *allowed)
    except MinbpeCourseError as error:
        refused = f"an error: {error}".split("\n")[0]
    try:
        got = getattr(candidate, method)(recipe, thing, *allowed)
    except Broken as error:
        if refused and error.kind.startswith("raised"):
            return
        raise
    if refused:
        raise Broken(given, short(got), refused)
    ids, word = (wanted, "which are") if method == "encode" else (thing, "from")
    expect(given, got, wanted, f", {word} {shown(ours.encoding.decode_tokens_bytes(ids))}")


def comes_back(candidate: Candidate, recipe: Recipe, text: str) -> None:
    """Compare a text with what its ids are decoded to."""
    expect(f"decode(encode({short(text)}))", candidate.back(recipe, text), text)


def nothing_for_nothing(candidate: Candidate, recipe: Recipe, empty: Any) -> None:
    """Ask for the ids of no text, or the text of no ids."""
    method, wanted = ("encode", []) if empty == "" else ("decode", "")
    expect(f"{method}({empty!r})", getattr(candidate, method)(recipe, empty), wanted)


def like_repaired(candidate: Candidate, recipe: Recipe, text: str) -> None:
    """Compare the ids of a text with surrogates with those of the repaired text."""
    repaired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    ids, wanted = (candidate.encode(recipe, each) for each in (text, repaired))
    expect(f"encode({text!a})", ids, wanted, f", as for {repaired!a}")


def same_twice(candidate: Candidate, recipe: Recipe, texts: Sequence[str]) -> None:
    """Encode texts again in another order, and with a second tokenizer."""
    first = [(text, candidate.encode(recipe, text)) for text in texts]
    again = replace(recipe, key=f"{recipe.key}, made anew")
    for made, how in ((recipe, "a second time"), (again, "by a second one, made the same way")):
        for text, ids in reversed(first):
            expect(f"encode({short(text)}) {how}", candidate.encode(made, text), ids, ", as before")


def apart(candidate: Candidate, recipe: Recipe, text: str) -> None:
    """Encode a text right after a tokenizer with other merges has."""
    with suppress(Broken, NotAsked):  # other rules are about training
        candidate.encode(trained(vocab_size=262), text)
    same_answer(candidate, recipe, text)


def arguments_kept(candidate: Candidate, recipe: Recipe, text: str) -> None:
    """Look at arguments after the call."""
    ids = candidate.encode(recipe, text)
    _, after = candidate.ask(recipe, "decode", list(ids))
    expect(f"the list given to decode, {ids}, afterwards", after, ids)
    expect(f"the arguments given to {recipe.how}, afterwards", candidate.ask(recipe, "arguments"), recipe.arguments)


def same_merges(candidate: Candidate, recipe: Recipe, text: str, vocab_size: int, *more: Any) -> None:
    """Compare the merges learned from a text with the oracle's. more : a pattern, and special tokens."""
    recipe = trained(text, vocab_size, *more)
    merges = candidate.ask(recipe, "merges")
    if merges is None:
        raise NotAsked("it has no attribute merges to look at")
    expect(f"train({shown(text, 80)}, {vocab_size}).merges", merges, [*oracle(recipe).merges])


def grows(
    candidate: Candidate, recipe: Recipe, make: Callable[[int], str], small: int, large: int, most: float
) -> None:
    """Compare the times of texts of two sizes; the larger one may take ``most`` times as long."""
    fastest = {small: inf, large: inf}
    for number in range(1, MOST_ROUNDS + 1):
        for size in fastest:
            candidate.encode(recipe, make(size))
            fastest[size] = min(fastest[size], candidate.seconds)
        times = fastest[large] / max(fastest[small], 1e-6)
        if number >= LEAST_ROUNDS and (fastest[large] < LONG_ENOUGH or times <= most):
            return
    given = f"texts of {small:,} and of {large:,} characters"
    raise Broken(given, f"the second takes {times:,.0f} times as long", f"at most {most:g} times", "slow")


class Rule(NamedTuple):
    """A sentence that a tokenizer must obey.

    name : short and stable, "earliest-merge-first". title : the sentence. why : the harm if it is broken.
    sample : drawn with dice: recipes, each with the things to try on it, and more arguments of ``tried``. Instead of a
        recipe, None is the usual one.
    tried : called with the candidate, the recipe, one thing, and those arguments.
    """

    name: str
    title: str
    why: str
    sample: Callable[[Random], Questions]
    tried: Callable[..., Any] = same_answer


# ----------------------------------------------------------------------------------------------------
# Samples: of the ids that the publisher's own program gives


def _no_borders_of_its_own(dice: Random) -> Questions:
    # Words so long that a border falls into one, wherever it may be, and short enough for a slow encoder.
    whole = " ".join("".join(dice.choices("etaoinshr", k=20)) for _ in range(410))
    sizes = (300, 1_100, 2_100, 8_300)
    yield beginning_of("gpt2", 2_000), [whole[: size + dice.randrange(200)] for size in sizes]


def _bytes_by_rank(dice: Random) -> Questions:
    for name in PUBLISHED[:2]:
        yield beginning_of(name, 256), ["!", " ", "\u4e16", *samples.letters(dice, 10)]


def _earliest_merge_first(dice: Random) -> Questions:
    for letters in ("abc", "ab") * 6:
        yield toy(letters, dice), ["".join(dice.choices(letters, k=2 + size)) for size in range(10)]


def _pattern_is_obeyed(dice: Random) -> Questions:
    for pattern_of in PUBLISHED:
        yield beginning_of("cl100k_base", 2_000, pattern_of), samples.drawn(samples.MIXED, dice, 60)


def _joining(dice: Random) -> Questions:
    recipe = beginning_of("cl100k_base", 2_000)
    ids = oracle(recipe).encode
    pairs = (dice.choices([*samples.BLANKS, *samples.WORDS], k=2) for _ in range(1_000))
    traps = [left + right for left, right in pairs if ids(left) + ids(right) != ids(left + right)]
    yield recipe, sorted(traps[:60], key=len)


def _ranks_in_any_order(dice: Random) -> Questions:
    recipe = beginning_of("gpt2", 2_000)
    ranks, *others = recipe.arguments
    shuffled = dict(dice.sample([*ranks.items()], len(ranks)))
    yield Recipe(f"{recipe.key} in any order", recipe.how, (shuffled, *others)), samples.prose(dice, 3, 60)


def texts_for(dice: Random) -> list[str]:
    """Return the texts on which a published vocabulary is tried."""
    return [*samples.drawn(samples.MIXED, dice, 60), *samples.prose(dice, 30), *samples.letters(dice, 10)]


def _ids_of(name: str, dice: Random) -> Questions:
    yield beginning_of(name), texts_for(dice)


def _encodes_what_it_learned(dice: Random) -> Questions:
    for text in (*samples.prose(dice, 1, 600), "aaabdaaabac " * 3):
        yield trained(text, 290), [*samples.drawn(samples.MIXED, dice, 6), text[5:60]]


# ----------------------------------------------------------------------------------------------------
# Samples: special tokens


def _with(specials: tuple[tuple[str, int], ...]) -> Recipe:
    return beginning_of("gpt2", 1_000, specials=specials)


def _jumbles(names: Sequence[str], dice: Random) -> Iterable[str]:
    """Return texts of special tokens, beginnings of them, and other pieces between them, the shortest first."""
    parts = [*names, *names, *(name[: len(name) // 2 + 1] for name in names), *BETWEEN]
    return samples.drawn(parts, dice, 40)


def _specials(dice: Random, *allowed: Any) -> Questions:
    return [(_with(PLAIN), _jumbles([EOT, PAD], dice), each) for each in allowed]


def _specials_overlap(dice: Random) -> Questions:
    names = [name for name, _ in OVERLAPPING]
    texts = [*names, *(left + right for left in names for right in names[:3]), *_jumbles(names, dice)]
    yield _with(OVERLAPPING), texts, "all"


def _specials_decoded(dice: Random) -> Questions:
    for specials in (PLAIN, OVERLAPPING):
        yield _with(specials), [ids for _, number in specials for ids in ([number], [0, number, 1])]


# ----------------------------------------------------------------------------------------------------
# Samples: any ids at all


def _bytes_joined_first(dice: Random) -> Questions:
    recipe = beginning_of("gpt2", 256)
    yield recipe, [oracle(recipe).encode(text) for text in samples.letters(dice, 5)]


def _broken_bytes(dice: Random) -> Questions:
    recipe = beginning_of("gpt2", 2_000)
    ranks = recipe.arguments[0]
    yield recipe, [[ranks[bytes([byte])] for byte in data] for data in BROKEN_TEXTS]
    yield recipe, [[dice.randrange(dice.choice((256, 2_000))) for _ in range(dice.randrange(9))] for _ in range(80)]


def _unknown_ids(dice: Random) -> Questions:
    yield beginning_of("gpt2", 2_000), [[2_000], [-1], [0, 10**9], [1 << 40], [dice.randrange(2_001, 50_000)]]


# ----------------------------------------------------------------------------------------------------
# Samples: state and speed


def _apart(dice: Random) -> Questions:
    texts = list(samples.prose(dice, 3, 60))
    return [(beginning_of(name, 2_000), texts) for name in ("gpt2", "cl100k_base", "gpt2")]


def _words(dice: Random, size: int) -> str:
    return " ".join("".join(dice.choices("abcdefghij", k=dice.randrange(2, 9))) for _ in range(size // 6))


# ----------------------------------------------------------------------------------------------------
# The table


RULES: tuple[Rule, ...] = (
    Rule(
        "ids-are-numbers",
        "encode returns a list of whole numbers, none below 0",
        "A model looks each id up as a row of a table. There is no row 2.0 and no row True.",
        lambda dice: [(None, ["a", *samples.prose(dice, 3)])],
        Candidate.encode,
    ),
    Rule(
        "text-is-text",
        "decode returns a str",
        "Bytes, or a list of pieces, look right when they are printed and fail in the next program.",
        lambda dice: [(None, ["a", *samples.prose(dice, 3)])],
        Candidate.back,
    ),
    Rule(
        "empty",
        "The empty text has no ids, and an empty list of ids is the empty text",
        "Most files contain empty lines, and max() of nothing raises.",
        lambda dice: [(None, ["", []])],
        nothing_for_nothing,
    ),
    Rule(
        "spaces-survive",
        "Spaces, tabs and line ends of every kind come back as they were",
        "A program that loses its indentation is another program, and CRLF is two characters.",
        lambda dice: [(None, samples.drawn([*samples.BLANKS, "a"], dice, 90))],
        comes_back,
    ),
    Rule(
        "letters-survive",
        "Characters that look alike, are invisible or lie beyond U+FFFF come back as they were",
        "A tokenizer that normalizes, lowercases or drops characters changes the text without being asked.",
        lambda dice: [(None, [*samples.letters(dice, 60), "AbC"])],
        comes_back,
    ),
    Rule(
        "long-texts-survive",
        "A long text comes back, and so does a single word of 1,300 letters",
        "A function that calls itself for each merge stops at Python's 1,000 levels. A gene needs more.",
        lambda dice: [(None, ["".join(dice.choices("acgt", k=1_300)), *samples.prose(dice, 1, 20_000), "\n" * 1_300])],
        comes_back,
    ),
    Rule(
        "surrogates",
        "Half a character counts as U+FFFD, and two halves side by side as the character",
        "They come from broken file names and broken JSON, and one of them must not stop a service.",
        lambda dice: [(None, samples.drawn([*samples.SURROGATES, "a", "\U0001f600", " "], dice, 60))],
        like_repaired,
    ),
    Rule(
        "no-borders-of-its-own",
        "A long text gets the same ids no matter where an encoder cuts it internally",
        "Chunks of a fixed size keep memory small and change the ids at every border.",
        _no_borders_of_its_own,
    ),
    Rule(
        "bytes-by-rank",
        "The 256 bytes have the ids that the ranks give them",
        "GPT-2 put the bytes in its own order: byte 33 isn't id 33.",
        _bytes_by_rank,
    ),
    Rule(
        "earliest-merge-first",
        "Of all possible merges, the one that was learned first comes first",
        "Taking the longest token, the first pair or the most common pair looks right on most words.",
        _earliest_merge_first,
    ),
    Rule(
        "leftmost-first",
        "Of equal pairs, the leftmost is merged first",
        "In aaa there are two pairs and room for one merge; the original takes the left one.",
        lambda dice: [(toy("a", dice), ["a" * size for size in range(1, 30)])],
    ),
    Rule(
        "pattern-is-obeyed",
        "The text is cut by the pattern that was given, and no merge crosses a cut",
        "Patterns differ in contractions, digits and spaces. With the wrong one, most ids still agree.",
        _pattern_is_obeyed,
    ),
    Rule(
        "joining",
        "Where two texts join, ids may change, so encode must look at the whole text",
        "The ids of two lines, joined, are not the ids of the two lines.",
        _joining,
    ),
    Rule(
        "ranks-in-any-order",
        "Only the numbers in the ranks matter, not the order of the dict",
        "Files are sorted by rank. A dict in a program may not be.",
        _ranks_in_any_order,
    ),
    *(
        Rule(
            f"ids-of-{name}",
            f"Rebuilt from its ranks, {name} has tiktoken's ids on every text",
            "A model that was trained on these ids understands no others, and nothing raises when one differs.",
            partial(_ids_of, name),
        )
        for name in PUBLISHED
    ),
    Rule(
        "specials-asked-for",
        "Only the special tokens that are allowed get their ids",
        "They end texts, open turns and stop the model: a missed one makes it talk on and on.",
        lambda dice: _specials(dice, "all", {EOT}, {PAD}, {EOT, PAD}),
    ),
    Rule(
        "specials-not-asked-for",
        "What a user types is ordinary text, however much it looks like a special token",
        "Otherwise anybody can speak as the system.",
        lambda dice: _specials(dice, "none", set()),
    ),
    Rule(
        "specials-refused",
        "Unless told otherwise, encode raises an error if the text contains a special token",
        "Silence either way is a guess. The caller knows whether the text can be trusted.",
        lambda dice: [(_with(PLAIN), _jumbles([EOT, PAD], dice))],
    ),
    Rule(
        "specials-overlap",
        "If special tokens begin alike, the longest wins; their characters are not treated as a pattern",
        "The bar in a|b means 'or' to a regular expression, and <|end is the beginning of others.",
        _specials_overlap,
    ),
    Rule(
        "specials-decoded",
        "The id of a special token is decoded to its name",
        "Transcripts and tests need it, and the original course could not do it for GPT-4.",
        _specials_decoded,
    ),
    Rule(
        "bytes-joined-first",
        "decode joins the bytes of all ids before it turns them into text",
        "A character may be spread over tokens; each of them alone is no text.",
        _bytes_joined_first,
    ),
    Rule(
        "broken-bytes",
        "Ids in any order decode to text, with U+FFFD where the bytes aren't valid text",
        "A model may say any id after any other, and an answer must not end in an exception.",
        _broken_bytes,
    ),
    Rule(
        "unknown-ids",
        "decode raises an error for an id that stands for nothing, such as -1",
        "Skipped silently, it hides that two programs use different vocabularies.",
        _unknown_ids,
    ),
    Rule(
        "same-twice",
        "The same text has the same ids, later, in another order, and from a tokenizer made the same way",
        "A cache that is wrong once is wrong for ever after.",
        lambda dice: [(None, [tuple(samples.prose(dice, 12, 80))])],
        same_twice,
    ),
    Rule(
        "tokenizers-apart",
        "Two tokenizers of one class don't affect each other",
        "A dict in the class, or as a default argument, belongs to all of them.",
        _apart,
        apart,
    ),
    Rule(
        "arguments-kept",
        "The lists and dicts you pass in are unchanged afterward",
        "A decoder that pops ids takes them from its caller.",
        lambda dice: [(None, ["low lower lowest"])],
        arguments_kept,
    ),
    Rule(
        "learns-minbpe-s-merges",
        "train learns the merges that minbpe learns, in their order",
        "If two trainers differ in one pair, they have learned two different tokenizers.",
        lambda dice: [(None, samples.prose(dice, 3, 800), 275)],
        same_merges,
    ),
    Rule(
        "ties-first-seen",
        "Of equally common pairs, the one that was seen first is merged",
        "max() over a set, or over sorted pairs, is another rule, and gives another vocabulary.",
        lambda dice: [
            (
                None,
                ["ba", "cab", "zyx", "".join(dice.choices(ascii_lowercase, k=8)), "ab ba", "dcba abcd"],
                258,
                ONE_WORD,
            )
        ],
        same_merges,
    ),
    Rule(
        "pairs-that-overlap",
        "aaa contains the pair aa twice when you count, and once when you merge",
        "Counting without overlaps gives other merges for runs of spaces, dashes and laughter.",
        lambda dice: [
            (None, ["aaab abab", "aaaaabcbcbc", "aaa bb aaa bb", "".join(dice.choices("ab", k=30))], 262, ONE_WORD)
        ],
        same_merges,
    ),
    Rule(
        "text-runs-out",
        "When no pair is left, training ends; an empty text has nothing to learn",
        "max() of an empty sequence is the first bug report that every trainer gets.",
        lambda dice: [(None, ("", "a", "ab", "aaaa", "a b c", "low low"), 300)],
        same_merges,
    ),
    Rule(
        "merges-stay-in-words",
        "No pair is counted across a cut of the pattern",
        "Encoding can never make such a token, so it's wasted.",
        lambda dice: [(None, ("a b a b a b a b", "1234 1234 1234 1234", "it's it's it's", "x!\n" * 6), 264)],
        same_merges,
    ),
    Rule(
        "specials-left-out",
        "Training learns nothing from the special tokens in the text",
        "Otherwise their letters become the most common words of all.",
        lambda dice: [
            (
                None,
                ("low<|end|>lower<|end|>newest" * 3, "x<|end|>\ny" * 5, "a|ba|ba|b a a a b b"),
                264,
                GPT4_SPLIT_PATTERN,
                {"<|end|>": 300, "<|end|>\n": 301, "a|b": 302},
            )
        ],
        same_merges,
    ),
    Rule(
        "encodes-what-it-learned",
        "After training, encode does the same merges in the same order",
        "The pattern of training must be the pattern of encoding.",
        _encodes_what_it_learned,
    ),
    Rule(
        "time-of-a-text",
        "Eight times as many words take about eight times as long",
        "Copying the whole text, or all ids, for each word takes quadratic time.",
        lambda dice: [(None, [partial(_words, dice)], 2_000, 16_000, 26)],
        grows,
    ),
    Rule(
        "time-of-a-word",
        "A word four times as long takes at most about sixteen times as long",
        "The simplest right encoder takes quadratic time. With more than that, one long line stops a server.",
        lambda dice: [(None, [lambda size: "".join(dice.choices("acgt", k=size))], 200, 800, 32)],
        grows,
    ),
)
