"""Exercise 08.heal: how far to go back at the end of a prompt, and which tokens may come next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from minbpe_course.checks.exercise import Case, Exercise, Mistake

_URL = [b"h", b"t", b"p", b"http", b"https", b":", b"://"]
Healed = tuple[int, list[bytes]]


def heal(tokens: Sequence[bytes], vocabulary: Sequence[bytes]) -> Healed:
    """Return how many tokens to keep, and which may come next: go as far back as one longer token could reach.

    >>> heal([b"go", b" ", b"t"], [b" ", b" t", b" to", b"t", b"to"])
    (1, [b' t', b' to'])
    """
    return _healed(tokens, vocabulary, range(len(tokens)))


def _healed(tokens: Sequence[bytes], vocabulary: Sequence[bytes], places: Iterable[int], longer_by: int = 1) -> Healed:
    """Go back to the first of these places at which some token is at least ``longer_by`` bytes longer than the rest."""
    for at in places:
        taken = b"".join(tokens[at:])
        if any(token.startswith(taken) and len(token) >= len(taken) + longer_by for token in vocabulary):
            return at, _beginning_with(taken, vocabulary)
    return len(tokens), []


def _beginning_with(taken: bytes, vocabulary: Sequence[bytes]) -> list[bytes]:
    return [token for token in vocabulary if token.startswith(taken)]


def _heal_one(tokens: Sequence[bytes], vocabulary: Sequence[bytes]) -> Healed:
    if not tokens:
        return 0, []
    return len(tokens) - 1, _beginning_with(tokens[-1], vocabulary)


def _heal_while_it_lasts(tokens: Sequence[bytes], vocabulary: Sequence[bytes]) -> Healed:
    kept, allowed = len(tokens), []
    for at in range(len(tokens) - 1, -1, -1):
        taken = b"".join(tokens[at:])
        if not any(token.startswith(taken) and token != taken for token in vocabulary):
            break
        kept, allowed = at, _beginning_with(taken, vocabulary)
    return kept, allowed


def _heal_only_longer(tokens: Sequence[bytes], vocabulary: Sequence[bytes]) -> Healed:
    kept, allowed = heal(tokens, vocabulary)
    return kept, [token for token in allowed if token != b"".join(tokens[kept:])]


LONGER, FARTHER, GAP, NOTHING = (
    "one token back",
    "several tokens back",
    "several tokens back, over one that begins nothing",
    "no longer token",
)

_VOCABULARIES = (
    [b"a", b"b", b"c", b"ab", b"abc", b"bc", b" ", b" a", b" ab", b"ca"],
    [b"h", b"t", b"p", b"ht", b"tp", b"http", b"https", b":", b"://", b"s", b"/"],
    [b"\xe2", b"\x99", b"\x9e", b"\xe2\x99", b"\xe2\x99\x9e", b"a", b" ", b" \xe2", b"a ", b"\x9ea"],
)


def heal_cases(random: Random) -> Iterator[Case]:
    """Yield prompts of every category, drawn until there are some of each."""
    yield Case(NOTHING, ([], [b"a", b"ab"]))
    yield Case(NOTHING, ([b"a", b"b"], []))
    wanted = dict.fromkeys((LONGER, FARTHER, GAP, NOTHING), 6)
    while any(wanted.values()):
        table = list(random.choice(_VOCABULARIES))
        random.shuffle(table)
        tokens = random.choices(table, k=random.randint(1, 5))
        category = _category(tokens, table)
        if wanted[category]:
            wanted[category] -= 1
            yield Case(category, (tokens, table))


def _category(tokens: list[bytes], table: list[bytes]) -> str:
    kept, _ = heal(tokens, table)
    if kept == len(tokens):
        return NOTHING
    if kept == len(tokens) - 1:
        return LONGER
    return FARTHER if _heal_while_it_lasts(tokens, table)[0] == kept else GAP


EXERCISE = Exercise(
    key="08.heal",
    title="Far enough back",
    kind="write",
    entry="heal",
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "For each place: which text would be removed from there on, and is there a token that extends it?",
        "for every place, the first one first: taken = the bytes from there on, joined; if some token begins with "
        "taken and is longer: keep what is before it, allow all tokens that begin with taken",
        "Lesson 08, section 8: healing takes one token back, and the count after it shows when that is too few.",
    ),
    wanted=heal,
    shown=(
        Case(LONGER, ([b"http", b":"], _URL)),
        Case(NOTHING, ([b"://"], _URL)),
        Case(GAP, ([b"h", b"t", b"t"], _URL)),
    ),
    drawn=heal_cases,
    mistakes=(
        Mistake(
            "stops-too-early",
            "A step without a longer token does not end the search: there may be one further back.",
            like=_heal_while_it_lasts,
        ),
        Mistake(
            "nearest",
            "Go as far back as one token can reach: look for the first place, not the last.",
            like=lambda tokens, vocabulary: _healed(tokens, vocabulary, reversed(range(len(tokens)))),
        ),
        Mistake(
            "no-reason",
            "If nothing longer is possible at that place, there is no reason to go back.",
            like=lambda tokens, vocabulary: _healed(tokens, vocabulary, range(len(tokens)), longer_by=0),
        ),
        Mistake(
            "only-longer",
            "The text may end right there: a token that is exactly the removed text is allowed as well.",
            like=_heal_only_longer,
        ),
        Mistake(
            "one-back",
            "One token back is a guess: sometimes a longer token begins further back, sometimes there is none.",
            like=_heal_one,
        ),
    ),
)
