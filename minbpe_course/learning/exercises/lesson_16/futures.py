"""Exercise 16.futures: the texts in which one token crosses the end of what was typed."""

from minbpe_course.learning import Exercise, Mistake, edited


def futures(end, vocabulary):
    """Return all the texts that one token across the end can lead to.

    A text ends, perhaps in the middle of a token. Which texts could it become through **one** token that begins inside
    the text and goes beyond its end?

    * **In:** `end`, bytes, the last bytes of a text; `vocabulary`, a list of bytes in any order.
    * **Out:** a sorted list of bytes, each future once. A future is all of `end` plus the bytes that the token adds.

    A token that stops exactly where the text ends adds nothing, and a token that begins after the text does not cross
    its end.

    With `end = b"ab"`:

    | vocabulary | futures |
    |---|---|
    | `ab`, `abc`, `c` | `abc` |
    | `abc`, `bc` | `abc`, through two tokens but listed once |
    | `b`, `ab`, `cab` | none |
    """
    found = set()
    for place in range(len(end)):
        begins = end[place:]
        found |= {end[:place] + token for token in vocabulary if token.startswith(begins) and token != begins}
    return sorted(found)


BEGINNING, INSIDE, SAME, NONE = (
    "a token that begins where the text begins",
    "a token that begins inside the text",
    "two tokens with the same future",
    "no token goes beyond the end",
)


_whole_end_only = edited(futures, ("range(len(end))", "range(len(end))[:1]"))
_twice = edited(futures, ("set()", "[]"), ("|= {", "+= ["), ("!= begins}", "!= begins]"))

_WORDS = b"style styles cell cells .cell yes yellow tyre ly e l s y t".split()


def end_cases(random):
    """Yield ends of every category, drawn until there are some of each; the smallest come first."""
    yield NONE, b"", [b"a", b"ab"]
    wanted = dict.fromkeys((BEGINNING, INSIDE, SAME, NONE), 6)
    size = 2
    while any(wanted.values()):
        size += 1
        table = {"".join(random.choices("ab", k=random.randint(1, 4))).encode() for _ in range(4 + size // 40)}
        if size % 3 == 0:
            table |= set(random.sample(_WORDS, 9))
        if size % 5 == 0:
            table |= {b"\xe2", b"\xe2\x99", b"\xe2\x99\x9e", b"\x99\x9e"}
        source = random.choice(sorted(table))
        end = (random.choice(sorted(table)) + source)[: -random.randint(1, 2)]
        vocabulary = random.sample(sorted(table), len(table))
        category = _category(end, vocabulary)
        if end and wanted[category]:
            wanted[category] -= 1
            yield category, end, vocabulary


def _category(end, vocabulary):
    found = futures(end, vocabulary)
    if len(_twice(end, vocabulary)) > len(found):
        return SAME
    if not found:
        return NONE
    return INSIDE if found != _whole_end_only(end, vocabulary) else BEGINNING


EXERCISE = Exercise(
    "16.futures",
    "Across the end",
    "write",
    answer=futures,
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "For each position in the text: which tokens begin with everything from there on, and are longer?",
        "Lesson 16, on the unstable end: it tries every position, slowly, and compares.",
        "for every position from the first to the last byte: for every token that begins with end[place:] and is "
        "longer: put end[:place] + token into a set; return it sorted",
    ),
    shown=(
        (BEGINNING, b"ab", [b"ab", b"abc", b"c"]),
        (INSIDE, b"xab", [b"a", b"b", b"bc", b"xa"]),
        (SAME, b"ab", [b"abc", b"bc"]),
        (NONE, b"ab", [b"b", b"ab", b"cab"]),
    ),
    drawn=end_cases,
    mistakes=(
        Mistake(
            "ends-there",
            "A token that ends exactly where the text ends does not go beyond it.",
            like=(" and token != begins", ""),
        ),
        Mistake(
            "whole-end-only",
            "The token need not begin where the text begins. It may begin at any place inside.",
            like=_whole_end_only,
        ),
        Mistake(
            "one-place-only",
            "One token may fit at several places of the text, with another future each time.",
            like=(
                ("set()", "{}"),
                ("|= {end[:place]", "= {token: end[:place]"),
                ("!= begins}", "!= begins} | found"),
                ("sorted(found)", "sorted({*found.values()})"),
            ),
        ),
        Mistake(
            "last-byte-only",
            "The token need not begin at the last byte. It may begin at any place of the text.",
            like=("range(len(end))", "range(len(end))[-1:]"),
        ),
        Mistake(
            "behind-the-end",
            "A token that begins *after* the text does not cross its end.",
            like=("sorted(found)", "sorted({*found, *(end + token for token in vocabulary)})"),
        ),
        Mistake(
            "tokens-alone",
            "A future is the whole text as it continues, including what comes before the token.",
            like=("end[:place] + token", "token"),
        ),
        Mistake(
            "unsorted",
            "The right texts, in another order than asked for.",
            like=("sorted(found)", "sorted(found)[::-1]"),
            when=lambda case, outcome, wanted: sorted(outcome.value) == wanted,
        ),
        Mistake(
            "twice",
            "Two tokens may lead to the same future. Name it once.",
            like=_twice,
        ),
    ),
)
