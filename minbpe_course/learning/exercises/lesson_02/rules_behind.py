"""Exercise 02.rules_behind: which of the four tie rules can have made these merges?"""

from minbpe_course.learning.exercises.lesson_02.count_pairs import count_pairs
from minbpe_course.learning.exercises.lesson_02.merge import merge
from minbpe_course.learning.exercises.lesson_02.samples import drawn_words
from minbpe_course.learning.exercises.lesson_02.train_merges import train_merges
from minbpe_course.learning.judge.exercise import Exercise, Mistake
from minbpe_course.reference.training import TIE_BREAKS


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


def made_by(rule, words, number):
    """Train with any rule."""
    tokens = [bytes([byte]) for byte in range(256)]
    now = [(list(word), count) for word, count in words.items()]
    merges = []
    while len(merges) < number and (counts := count_pairs(now)):
        highest = max(counts.values())
        pair = rule([one for one in counts if counts[one] == highest], tokens)
        now = [(merge(ids, pair, len(tokens)), count) for ids, count in now]
        tokens.append(tokens[pair[0]] + tokens[pair[1]])
        merges.append(pair)
    return merges


def differing(category, random, letters, rule, other):
    """Return a case with the merges of one rule, up to those in which another rule differs."""
    for _ in range(60):
        words = drawn_words(random, random.randint(2, 5), 4, letters, 2)
        merges, others = made_by(rule, words, 6), made_by(other, words, 6)
        if merges != others:
            break
    same = next((at for at, pair in enumerate(merges) if others[at : at + 1] != [pair]), 0)
    return category, words, merges[: same + 2]


def cases_against_mistakes(random):
    """Yield ties that expose a rule with one mistake in it, for every seed."""
    a, b, c, d = sorted(random.sample(range(97, 123), 4))
    by_bytes = {bytes([a, c]): 3, bytes([a, c, b]): 1, bytes([d, b]): 1}
    by_left = {bytes([a, b]): 3, bytes([a, b, c]): 1, bytes([a, d]): 1}
    for pair in ((256, b), (d, b)):
        yield "ties of longer tokens", by_bytes, [(a, c), pair]
    for pair in ((256, c), (a, d)):
        yield "ties of longer tokens", by_left, [(a, b), pair]
    yield "ties", {bytes([a, b]): 2, bytes([a, c]): 2}, [(a, c)]
    pairs = [(quiet, random.randrange(174, 256)) for quiet in (32, 127, 160, 173)]
    pairs += [(32, loud) for loud in (33, 126, 161, 172, 174, 255)]
    for quiet, loud in pairs:
        words = {bytes([quiet, a]): 1, bytes([loud, a]): 1}
        yield "bytes that do not print", words, [(random.choice([quiet, loud]), a)]


def cases(random):
    yield "no merges at all", {b"low": 5}, []
    yield "no words at all", {}, [(97, 98)]
    for size in range(1, 6):
        words = drawn_words(random, size, 5, "abc", 3)
        yield "more merges than there are pairs", words, [*train_merges(words, 44), (97, 98)]
        yield "a pair that is not the commonest", {b"ab" * size: 2, b"cd": 1}, [(99, 100)]
        untied = {b"ab": 4 * size, b"abc": 2 * size, b"cd": size}
        yield "no ties on the way", untied, [(97, 98), (256, 99)][: 1 + size % 2]
    for letters in ("abc", "ab ", "no. w", "aβγ", "ñóô", "日本", "\x7f\xa0~!"):
        category = "ties among words in other scripts" if max(letters) > "\x7f" else "ties"
        for rule in TIE_BREAKS.values():
            other = random.choice([one for one in TIE_BREAKS.values() if one is not rule])
            yield differing(category, random, letters, rule, other)
    for letters, unused in (
        ("abc", lambda tied, tokens: tied[-1]),
        ("ab ", lambda tied, tokens: max(tied)),
        ("aβγ", lambda tied, tokens: min(tied, key=lambda pair: (tokens[pair[0]], tokens[pair[1]]))),
    ):
        other = random.choice(list(TIE_BREAKS.values()))
        yield differing("merges by a fifth rule", random, letters, unused, other)
    yield from cases_against_mistakes(random)
    greatest = TIE_BREAKS["greatest-bytes"]

    def joined(tied, tokens):
        return max(tied, key=lambda pair: tokens[pair[0]] + tokens[pair[1]])

    for _ in range(3):
        yield differing("ties of longer tokens", random, "abz", greatest, joined)
        yield differing("ties of longer tokens", random, "abz", joined, greatest)


TOO_FEW = "Your new numbering begins with too few bytes: which of them print, and where does a range end?"

EXERCISE = Exercise(
    "02.rules_behind",
    "The detective",
    "match",
    answer=rules_behind,
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "You don't have to train four times: replay the merges you are given, and look at every choice that was made.",
        "all four are suspects; for each merge: count, list the pairs with the highest count in the order first seen, "
        "keep the suspects whose rule takes exactly this pair; then merge it everywhere",
        "Lesson 02, on ties: it trains with each of the four rules and shows where they differ.",
    ),
    shown=(
        ("ties", {b"aaabdaaabac": 1}, [(97, 97), (256, 97), (257, 98)]),
        ("ties", {b"aaabdaaabac": 1}, [(97, 97), (97, 98)]),
        ("ties", {b"im": 2, b"ir": 2}, [(105, 114)]),
        ("no ties on the way", {b"aaabdaaabac": 1}, [(97, 97)]),
        ("a pair that is not the commonest", {b"aaabdaaabac": 1}, [(97, 98)]),
        ("more merges than there are pairs", {b"ab": 1}, [(97, 98), (97, 98)]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "accuses-everybody",
            "You name all four, whatever the merges are. Each merge is evidence: which rules does it rule out?",
            like=lambda words, merges: list(TIE_BREAKS),
        ),
        Mistake(
            "only-the-first-tie",
            "The first tie does not settle it: a suspect has to agree with every choice, up to the last merge.",
            like=("if not suspects:", "if not suspects or len(tied) > 1:"),
        ),
        Mistake(
            "lets-rare-pairs-pass",
            "Every rule chooses among the pairs with the highest count. None of them merges a rarer pair.",
            like=("= [name", "= suspects if (left, right) not in tied else [name"),
        ),
        Mistake(
            "too-few-print",
            TOO_FEW,
            like=(("127)", "126)"), ("173)", "172)"), ("174, 256)", "174, 255)")),
        ),
        Mistake("too-few-print", TOO_FEW, like=(", *range(161, 173), *range(174, 256)", "")),
        Mistake(
            "bytes-in-plain-order",
            "Hugging Face numbers the printable bytes first, so the space comes after every letter.",
            like=("numbers.get(half, half)", "half"),
        ),
        Mistake(
            "compares-the-joined-bytes",
            "Compare the bytes of the left half first, and those of the right half only if the left ones are equal.",
            like=("[tokens[half] for half in pair]", "tokens[pair[0]] + tokens[pair[1]]"),
        ),
        Mistake(
            "forgets-the-right-half",
            "Two pairs may have the same left half. Then the right half decides.",
            like=("[tokens[half] for half in pair]", "tokens[pair[0]]"),
        ),
        Mistake(
            "greatest-numbers",
            "The greatest bytes are not the greatest ids: `b'b'` is greater than `b'ab'`, whatever their ids are.",
            like=("[tokens[half] for half in pair]", "pair"),
        ),
        Mistake(
            "only-first-seen-is-wrong",
            "Only `first-seen` is wrong here. In which words do you look for the first place: as they were at the "
            "beginning, or as they are by now?",
            like=("tied[0]", "tied[-1]"),
            when=lambda case, outcome, wanted: set(outcome.value) ^ set(wanted) == {"first-seen"},
        ),
        Mistake(
            "ignores-counts",
            "A word that occurs twice counts twice. Without that you see ties where there are none.",
            like=("(list(word), count)", "(list(word), 1)"),
        ),
    ),
)
