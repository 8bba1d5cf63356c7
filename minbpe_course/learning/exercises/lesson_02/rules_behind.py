"""Exercise 02.rules_behind: which of the four tie rules can have made these merges?

The rules are ``reference.training.TIE_BREAKS``. The reference replays the merges once and asks every rule at each step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

from minbpe_course.learning.exercises.lesson_02.count_pairs import count_pairs
from minbpe_course.learning.exercises.lesson_02.merge import merge
from minbpe_course.learning.exercises.lesson_02.samples import drawn_words
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited
from minbpe_course.reference.pairs import Pair, get_stats
from minbpe_course.reference.training import TIE_BREAKS, Chooser, train_steps


def rules_behind(words, merges):
    """Return the names of the tie rules that would have made these merges from these words.

    You have found a tokenizer's merges and the words it was trained on, but nothing says which program trained it.
    Which of the four tie rules could it have used?

    * **In:** `words`, a dict from word (`bytes`) to count; `merges`, a list of pairs of ids, the first of which makes
      id 256.
    * **Out:** a list of names, in the order of the table: the rules that would have made *every one* of these merges.

    | name | of the pairs that share the highest count, take |
    |---|---|
    | `first-seen` | the one seen first in the words as they are at that point |
    | `greatest-bytes` | the one whose left half has the greatest bytes; if these are equal, the greatest right half |
    | `smallest-pair` | the one with the smallest ids, left half first |
    | `huggingface` | the one with the smallest ids, too, once the 256 bytes are renumbered |

    The renumbered bytes are 33 to 126, 161 to 172 and 174 to 255 first, then all the others, each group in ascending
    order.

    ```
    words = {b"aaabdaaabac": 1}
    rules_behind(words, [(97, 97)])                       ->  all four: there was no tie
    rules_behind(words, [(97, 97), (97, 98)])             ->  ["smallest-pair", "huggingface"]
    rules_behind(words, [(97, 98)])                       ->  []: this pair was not the most frequent
    ```

    Tried: ties among letters, spaces, other scripts and longer tokens; merges made by a fifth rule; more merges than
    there are pairs (no rule could have made those); and no merges at all (no rule can be ruled out).
    """
    tokens = [bytes([byte]) for byte in range(256)]
    prints = {*range(33, 127), *range(161, 173), *range(174, 256)}
    order = sorted(range(256), key=lambda byte: byte not in prints)
    numbers = {byte: number for number, byte in enumerate(order)}
    rules = {
        "first-seen": lambda tied: tied[0],
        "greatest-bytes": lambda tied: max(tied, key=lambda pair: [tokens[half] for half in pair]),
        "smallest-pair": min,
        "huggingface": lambda tied: min(tied, key=lambda pair: [numbers.get(half, half) for half in pair]),
    }
    suspects, now = list(rules), [(list(word), count) for word, count in words.items()]
    for new_id, (left, right) in enumerate(merges, 256):
        counts = count_pairs(now)
        highest = max(counts.values(), default=0)
        tied = [pair for pair in counts if counts[pair] == highest]
        suspects = [name for name in suspects if tied and rules[name](tied) == (left, right)]
        if not suspects:
            break
        tokens.append(tokens[left] + tokens[right])
        now = [(merge(ids, (left, right), new_id), count) for ids, count in now]
    return suspects


Words = Mapping[bytes, int]

# Rules that no program uses, for merges that none of the four rules can have made.
_UNUSED_RULES: dict[str, Chooser] = {
    "last-seen": lambda tied, tokens: tied[-1],
    "greatest-pair": lambda tied, tokens: max(tied),
    "smallest-bytes": lambda tied, tokens: min(tied, key=lambda pair: (tokens[pair[0]], tokens[pair[1]])),
}


def _rules_behind(words: Words, merges: Sequence[Pair]) -> list[str]:
    rules = TIE_BREAKS
    tokens = [bytes([byte]) for byte in range(256)]
    now = [(list(word), count) for word, count in words.items()]
    fitting = list(rules)
    for new_id, pair in enumerate(merges, 256):
        tied = _tied(now)
        fitting = [name for name in fitting if tied and rules[name](tied, tokens) == pair]
        if not fitting:
            break
        tokens.append(tokens[pair[0]] + tokens[pair[1]])
        now = [(merge(ids, pair, new_id), count) for ids, count in now]
    return fitting


def _with_rule(name: str, rule: str) -> Callable[[Words, Sequence[Pair]], list[str]]:
    """Return the solution with another rule of this name."""
    return edited(_rules_behind, ("rules = TIE_BREAKS", f'rules = TIE_BREAKS | {{"{name}": {rule}}}'))


def _tied(now: Sequence[tuple[list[int], int]]) -> list[Pair]:
    counts: dict[Pair, int] = {}
    for ids, count in now:
        get_stats(ids, counts, count)
    highest = max(counts.values(), default=0)
    return [pair for pair, count in counts.items() if count == highest]


def _made_by(rule: Chooser, words: Words, number: int) -> list[Pair]:
    """Train with any rule."""
    tokens = [bytes([byte]) for byte in range(256)]
    now = [(list(word), count) for word, count in words.items()]
    merges: list[Pair] = []
    while len(merges) < number and (tied := _tied(now)):
        pair = rule(tied, tokens)
        now = [(merge(ids, pair, len(tokens)), count) for ids, count in now]
        tokens.append(tokens[pair[0]] + tokens[pair[1]])
        merges.append(pair)
    return merges


def _joined_bytes(tied: list[Pair], tokens: list[bytes]) -> Pair:
    return max(tied, key=lambda pair: tokens[pair[0]] + tokens[pair[1]])


def _numbered(*printable: range) -> Chooser:
    """Return the rule of Hugging Face for another choice of printable bytes."""
    order = [*(byte for stretch in printable for byte in stretch), *range(256)]
    return lambda tied, tokens: min(tied, key=lambda pair: [order.index(one) if one < 256 else one for one in pair])


_WITHOUT_THE_LAST = _numbered(range(33, 126), range(161, 172), range(174, 255))
_ASCII_ONLY = _numbered(range(33, 127))
_LETTERS = ("abc", "ab ", "no. w", "aβγ", "ñóô", "日本", "\x7f\xa0~!")


def _words_that_differ(random: Random, letters: str, one: Chooser, other: Chooser) -> tuple[dict[bytes, int], int]:
    """Return words on which two rules learn different merges, and how many merges it takes to see it."""
    words: dict[bytes, int] = {b"ab": 1}
    for _ in range(60):
        words = drawn_words(random, random.randint(2, 5), 4, letters, 2)
        ours, theirs = _made_by(one, words, 6), _made_by(other, words, 6)
        for number, (mine, yours) in enumerate(zip(ours, theirs), start=1):
            if mine != yours:
                return words, number
    return words, 2


def _cases_against_mistakes(random: Random) -> Iterator[Case]:
    """Yield ties that expose a rule with one mistake in it, for every seed."""
    a, b, c, d = sorted(random.sample(range(97, 123), 4))
    by_bytes = {bytes([a, c]): 3, bytes([a, c, b]): 1, bytes([d, b]): 1}
    by_left = {bytes([a, b]): 3, bytes([a, b, c]): 1, bytes([a, d]): 1}
    for words, rest in ((by_bytes, [(256, b), (d, b)]), (by_left, [(256, c), (a, d)])):
        first = next(iter(words))
        for pair in rest:
            yield Case("ties of longer tokens", (words, [(first[0], first[1]), pair]))
    yield Case("ties", ({bytes([a, b]): 2, bytes([a, c]): 2}, [(a, c)]))
    pairs = [(quiet, random.randrange(174, 256)) for quiet in (32, 127, 160, 173)]
    pairs += [(32, loud) for loud in (33, 126, 161, 172, 174, 255)]
    for quiet, loud in pairs:
        words = {bytes([quiet, a]): 1, bytes([loud, a]): 1}
        yield Case("bytes that do not print", (words, [(random.choice([quiet, loud]), a)]))


def _rules_cases(random: Random) -> Iterator[Case]:
    yield Case("no merges at all", ({b"low": 5}, []))
    yield Case("no words at all", ({}, [(97, 98)]))
    for size in range(1, 6):
        words = drawn_words(random, size, 5, "abc", 3)
        learned = [step.pair for step in train_steps(words, 300)]
        yield Case("more merges than there are pairs", (words, [*learned, (97, 98)]))
        rare = {b"ab" * size: 2, b"cd": 1}
        yield Case("a pair that is not the commonest", (rare, [(99, 100)]))
        untied = {b"ab": 4 * size, b"abc": 2 * size, b"cd": size}
        yield Case("no ties on the way", (untied, [(97, 98), (256, 99)][: 1 + size % 2]))
    for letters in _LETTERS:
        category = "ties among words in other scripts" if max(letters) > "\x7f" else "ties"
        for name in TIE_BREAKS:
            others = [rule for other, rule in TIE_BREAKS.items() if other != name]
            words, number = _words_that_differ(random, letters, TIE_BREAKS[name], random.choice(others))
            yield Case(category, (words, _made_by(TIE_BREAKS[name], words, number)))
    for letters, rule in zip(("abc", "ab ", "aβγ"), _UNUSED_RULES.values()):
        words, number = _words_that_differ(random, letters, rule, TIE_BREAKS[random.choice(list(TIE_BREAKS))])
        yield Case("merges by a fifth rule", (words, _made_by(rule, words, number + 1)))
    yield from _cases_against_mistakes(random)
    for _ in range(3):
        words, number = _words_that_differ(random, "abz", TIE_BREAKS["greatest-bytes"], _joined_bytes)
        yield Case("ties of longer tokens", (words, _made_by(TIE_BREAKS["greatest-bytes"], words, number)))
        yield Case("ties of longer tokens", (words, _made_by(_joined_bytes, words, number)))


_TOO_FEW = "Your new numbering begins with too few bytes: which of them print, and where does a range end?"

EXERCISE = Exercise(
    key="02.rules_behind",
    answer=rules_behind,
    title="The detective",
    kind="match",
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "You don't have to train four times: replay the merges you are given, and look at every choice that was made.",
        "all four are suspects; for each merge: count, list the pairs with the highest count in the order"
        " first seen, keep the suspects whose rule takes exactly this pair; then merge it everywhere",
        "Lesson 02, on ties: it trains with each of the four rules and shows where they differ.",
    ),
    wanted=_rules_behind,
    shown=(
        Case("ties", ({b"aaabdaaabac": 1}, [(97, 97), (256, 97), (257, 98)])),
        Case("ties", ({b"aaabdaaabac": 1}, [(97, 97), (97, 98)])),
        Case("ties", ({b"im": 2, b"ir": 2}, [(105, 114)])),
        Case("no ties on the way", ({b"aaabdaaabac": 1}, [(97, 97)])),
        Case("a pair that is not the commonest", ({b"aaabdaaabac": 1}, [(97, 98)])),
        Case("more merges than there are pairs", ({b"ab": 1}, [(97, 98), (97, 98)])),
    ),
    drawn=_rules_cases,
    mistakes=(
        Mistake(
            "accuses-everybody",
            "You name all four, whatever the merges are. Each merge is evidence: which rules does it rule out?",
            like=lambda words, merges: list(TIE_BREAKS),
        ),
        Mistake(
            "only-the-first-tie",
            "The first tie does not settle it: a suspect has to agree with every choice, up to the last merge.",
            like=edited(_rules_behind, ("if not fitting:", "if not fitting or len(tied) > 1:")),
        ),
        Mistake(
            "lets-rare-pairs-pass",
            "Every rule chooses among the pairs with the highest count. None of them merges a rarer pair.",
            like=edited(_rules_behind, ("fitting = [name", "fitting = fitting if pair not in tied else [name")),
        ),
        Mistake("too-few-print", _TOO_FEW, like=_with_rule("huggingface", "_WITHOUT_THE_LAST")),
        Mistake("too-few-print", _TOO_FEW, like=_with_rule("huggingface", "_ASCII_ONLY")),
        Mistake(
            "bytes-in-plain-order",
            "Hugging Face numbers the printable bytes first, so the space comes after every letter.",
            like=_with_rule("huggingface", 'TIE_BREAKS["smallest-pair"]'),
        ),
        Mistake(
            "compares-the-joined-bytes",
            "Compare the bytes of the left half first, and those of the right half only if the left ones are equal.",
            like=_with_rule("greatest-bytes", "_joined_bytes"),
        ),
        Mistake(
            "forgets-the-right-half",
            "Two pairs may have the same left half. Then the right half decides.",
            like=_with_rule("greatest-bytes", "lambda tied, tokens: max(tied, key=lambda pair: tokens[pair[0]])"),
        ),
        Mistake(
            "greatest-numbers",
            "The greatest bytes are not the greatest ids: `b'b'` is greater than `b'ab'`, whatever their ids are.",
            like=_with_rule("greatest-bytes", '_UNUSED_RULES["greatest-pair"]'),
        ),
        Mistake(
            "only-first-seen-is-wrong",
            "Only `first-seen` is wrong here. In which words do you look for the first place: as they were at the "
            "beginning, or as they are by now?",
            like=_with_rule("first-seen", '_UNUSED_RULES["last-seen"]'),
            when=lambda case, outcome, wanted: set(outcome.value) ^ set(wanted) == {"first-seen"},
        ),
        Mistake(
            "ignores-counts",
            "A word that occurs twice counts twice. Without that you see ties where there are none.",
            like=edited(_rules_behind, ("(list(word), count)", "(list(word), 1)")),
        ),
    ),
)
