"""Exercise 02.rules_behind: which of the four tie rules can have made these merges?"""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_02.count_pairs import count_pairs
from minbpe_course.learning.exercises.lesson_02.merge import merge
from minbpe_course.learning.exercises.lesson_02.samples import draw_text
from minbpe_course.learning.exercises.lesson_02.train_merges import learn_merges
from minbpe_course.learning.judge.equality import first_difference
from minbpe_course.reference.training import TIE_BREAKS, train_steps


def rules_behind(ids, merges):
    """Return the names of the tie rules that would have made these merges from these ids.

    You have found a tokenizer's merges and the text it was trained on, but nothing says which program trained it.
    Which of the four tie rules could it have used?

    * **In:** `ids`, the ids of the bytes of the text, a list or a `bytes` object; `merges`, a dict from pair to new id,
      in the order learned, as `learn_merges` returns it.
    * **Out:** a list of names, in the order of the table: the rules that would have made *every one* of these merges.

    | name | of the pairs that share the highest count, take |
    |---|---|
    | `first-seen` | the one seen first in the ids as they are at that point |
    | `greatest-bytes` | the one whose left half has the greatest bytes; if these are equal, the greatest right half |
    | `smallest-pair` | the one with the smallest ids, left half first |
    | `huggingface` | the one with the smallest ids, too, once the 256 bytes are renumbered |

    The renumbered bytes are 33 to 126, 161 to 172 and 174 to 255 first, then all the others, each group in ascending
    order.

    ```
    rules_behind(b"aaabdaaabac", {(97, 97): 256})                 ->  all four: there was no tie
    rules_behind(b"aaabdaaabac", {(97, 97): 256, (97, 98): 257})  ->  ["smallest-pair", "huggingface"]
    rules_behind(b"aaabdaaabac", {(97, 98): 256})                 ->  []: this pair was not the most frequent
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
    suspects = list(rules)
    for (left, right), new_id in merges.items():
        counts = count_pairs(ids)
        highest = max(counts.values(), default=0)
        tied = [pair for pair in counts if counts[pair] == highest]
        suspects = [name for name in suspects if tied and rules[name](tied) == (left, right)]
        if not suspects:
            break
        tokens.append(tokens[left] + tokens[right])
        ids = merge(ids, (left, right), new_id)
    return suspects


def made_by(rule, text):
    """Return six merges of any rule, or all if there are fewer, as pairs of a pair and its new id."""
    tokens, merges = [bytes([byte]) for byte in range(256)], []
    for new_id in range(256, 262):
        for step in train_steps([text], new_id + 1, after=[pair for pair, _ in merges]):
            left, right = rule(step.tied, tokens)
            tokens.append(tokens[left] + tokens[right])
            merges.append(((left, right), new_id))
    return merges


def differing(category, random, letters, rule, other):
    """Return a case with the merges of one rule, up to those in which another rule differs."""
    for _ in range(60):
        text = draw_text(random, letters, random.randint(4, 14))
        merges, others = made_by(rule, text), made_by(other, text)
        if merges != others:
            break
    return category, text, dict(merges[: (first_difference(merges, others) or 0) + 2])


def apart(*words):
    """Return a text of words, each followed by a capital letter that occurs once."""
    return b"".join(word + bytes([65 + at]) for at, word in enumerate(words))


def cases(random):
    yield "no merges at all", b"low", {}
    yield "no ids at all", [], {(97, 98): 256}
    for size in range(1, 6):
        text = draw_text(random, "abc", 2 * size)
        merges = learn_merges(text, 44)
        yield "more merges than there are pairs", text, merges | {(0, 0): 256 + len(merges)}
        yield "a pair that is not the commonest", list(b"ab" * (size + 1) + b"cd"), {(99, 100): 256}
        untied = apart(*[b"ab"] * size, *[b"abc"] * 2)
        yield "no ties on the way", untied, dict([((97, 98), 256), ((256, 99), 257)][: 1 + size % 2])
    for letters in ("abc", "ab ", "no. w", "aβγ", "ñóô", "日本", "\x7f\xa0~!"):
        category = "ties among texts in other scripts" if max(letters) > "\x7f" else "ties"
        for rule in TIE_BREAKS.values():
            other = random.choice([one for one in TIE_BREAKS.values() if one is not rule])
            yield differing(category, random, letters, rule, other)
    for letters in ("abc", "ab ", "aβγ"):
        other = random.choice(list(TIE_BREAKS.values()))
        yield differing("merges by a fifth rule", random, letters, lambda tied, tokens: tied[-1], other)
    # For every seed, ties that expose a rule with one mistake in it.
    a, b, c, d = (bytes([byte]) for byte in sorted(random.sample(range(97, 123), 4)))
    for first, second, third in ((a + c, b, d + b), (a + b, c, a + d)):
        text = apart(*[first] * 3, *[first + second] * 2, *[third] * 2)
        for pair in ((256, *second), tuple(third)):
            yield "ties of longer tokens", text, {tuple(first): 256, pair: 257}
    yield "ties", apart(a + b, a + b, a + c, a + c), {(*a, *c): 256}
    pairs = [(quiet, random.randrange(174, 256)) for quiet in (32, 127, 160, 173)]
    pairs += [(32, loud) for loud in (33, 126, 161, 172, 174, 255)]
    for both in pairs:
        words = [bytes([byte]) + a for byte in both]
        yield "bytes that do not print", apart(*words, *words), {tuple(random.choice(words)): 256}

    def joined(tied, tokens):
        return max(tied, key=lambda pair: tokens[pair[0]] + tokens[pair[1]])

    for rules in [(TIE_BREAKS["greatest-bytes"], joined), (joined, TIE_BREAKS["greatest-bytes"])] * 3:
        yield differing("ties of longer tokens", random, "abz", *rules)


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
        "Lesson 02, section 7: it trains with each of the four rules and shows where they differ.",
        "all four are suspects; for each merge: count, list the pairs with the highest count in the order first seen, "
        "keep the suspects whose rule takes exactly this pair; then merge it everywhere",
    ),
    shown=(
        ("ties", b"aaabdaaabac", {(97, 97): 256, (256, 97): 257, (257, 98): 258}),
        ("ties", b"aaabdaaabac", {(97, 97): 256, (97, 98): 257}),
        ("ties", b"irimirim", {(114, 105): 256}),
        ("no ties on the way", b"aaabdaaabac", {(97, 97): 256}),
        ("a pair that is not the commonest", b"aaabdaaabac", {(97, 98): 256}),
        ("more merges than there are pairs", b"ab", {(97, 98): 256, (256, 97): 257}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "accuses-everybody",
            "You name all four, whatever the merges are. Each merge is evidence: which rules does it rule out?",
            like=lambda ids, merges: list(TIE_BREAKS),
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
            "Your new numbering begins with too few bytes: which of them print, and where does a range end?",
            like=(("127)", "126)"), ("173)", "172)"), ("174, 256)", "174, 255)")),
        ),
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
            "Only `first-seen` is wrong here. In which ids do you look for the first place: as they were at the "
            "beginning, or as they are by now?",
            like=("tied[0]", "tied[-1]"),
            when=lambda case, outcome, wanted: set(outcome.value) ^ set(wanted) == {"first-seen"},
        ),
    ),
)
