"""Exercise 04.test_recover: write a test that accepts three right recoveries of merges and rejects ten wrong ones.

The wrong implementations also serve to recognize mistakes in 04.recover_merges.
"""

from __future__ import annotations

from minbpe_course.checks.callers import implementation_of
from minbpe_course.checks.exercise import Exercise, Mutant

_BUILT = """
def built(token, ranks, choose=min):
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 2:
        joined = [ranks.get(left + right, ranks[token]) for left, right in zip(parts, parts[1:])]
        found = [(rank, at) for at, rank in enumerate(joined) if rank < ranks[token]]
        if not found:
            break
        at = choose(found)[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts
"""
_CUTS = """
def cuts(token, ranks):
    pairs = [(token[:at], token[at:]) for at in range(1, len(token))]
    return [pair for pair in pairs if max(ranks.get(part, ranks[token]) for part in pair) < ranks[token]]
"""


def _implementation(
    parts: str = "built(token, ranks)", tokens: str = "sorted(ranks, key=ranks.get)", at_last: str = "pass"
) -> str:
    """Return a source; the arguments say how to cut a token, which tokens in which order, and what to do at the end."""
    return f"""{_CUTS if "cuts(" in parts else _BUILT}
def recover_merges(ranks):
    merges = []
    for token in {tokens}:
        if len(token) > 1:
            left, right = {parts}
            merges.append((ranks[left], ranks[right]))
    {at_last}
    return merges
"""


_RIGHT = (
    _implementation(),
    # With pairs only: apply the merges found so far to each token.
    """
def recover_merges(ranks):
    known = {}
    for token, token_id in sorted(ranks.items(), key=lambda item: item[1]):
        ids = [ranks[token[at : at + 1]] for at in range(len(token))]
        while len(ids) > 2:
            pair = min(zip(ids, ids[1:]), key=lambda pair: known.get(pair, len(ranks) + token_id))
            at = list(zip(ids, ids[1:])).index(pair)
            ids[at : at + 2] = [known[pair]]
        if len(ids) == 2:
            known[tuple(ids)] = token_id
    return list(known)
""",
    # Every older merge in turn, joined wherever it occurs.
    """
def join(parts, token):
    done = []
    for part in parts:
        if done and done[-1] + part == token:
            done[-1] = token
        else:
            done.append(part)
    return done

def recover_merges(ranks):
    by_rank = sorted((token for token in ranks if len(token) > 1), key=ranks.get)
    merges = []
    for place, token in enumerate(by_rank):
        parts = [token[at : at + 1] for at in range(len(token))]
        for older in by_rank[:place]:
            if older in token:
                parts = join(parts, older)
        if len(parts) == 2:
            merges.append((ranks[parts[0]], ranks[parts[1]]))
    return merges
""",
)

_OLD_IDS = "{ranks[token]: token[0] for token in ranks if len(token) == 1}"
_WRONG = (
    Mutant("first-cut", _implementation("cuts(token, ranks)[0]"), "takes the first cut into two older tokens"),
    Mutant("last-cut", _implementation("cuts(token, ranks)[-1]"), "takes the last cut into two older tokens"),
    Mutant(
        "oldest-parts",
        _implementation("min(cuts(token, ranks)[::-1], key=lambda cut: max(ranks[cut[0]], ranks[cut[1]]))"),
        "takes the cut whose parts are oldest",
    ),
    Mutant(
        "youngest-pair",
        _implementation("built(token, ranks, lambda found: max(found, key=lambda pair: pair[0]))"),
        "joins the pair that was learned last, not the one that was learned first",
    ),
    Mutant(
        "last-of-equals",
        _implementation("built(token, ranks, lambda found: min(found, key=lambda pair: (pair[0], -pair[1])))"),
        "joins the last of equal pairs first",
    ),
    Mutant(
        "bytes-are-ids",
        _implementation(
            at_last=f"known = {_OLD_IDS}; merges = [tuple(known.get(i, i) for i in pair) for pair in merges]"
        ),
        "takes every byte as its own id",
    ),
    Mutant("dictionary-order", _implementation(tokens="ranks"), "trusts the order of the dictionary"),
    Mutant(
        "by-length",
        _implementation(tokens="sorted(ranks, key=lambda token: (len(token), ranks[token]))"),
        "returns the merges of short tokens before those of long ones",
    ),
    Mutant("forgets-youngest", _implementation(at_last="del merges[-1:]"), "forgets the last merge"),
    Mutant(
        "text-only",
        _implementation(
            tokens="[t for t in sorted(ranks, key=ranks.get) if '\\ufffd' not in t.decode('utf-8', 'replace')]"
        ),
        "skips tokens that are not text",
    ),
)
WRONG_BY_NAME = {mutant.name: implementation_of(mutant.source, "recover_merges") for mutant in _WRONG}

EXERCISE = Exercise(
    key="04.test_recover",
    title="Ten impostors",
    kind="test",
    entry="test_recover",
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "A vocabulary in which every token has one possible cut catches hardly any of them. Find a token with two.",
        "write down merges that training can make, build the ranks from them, and compare: equal, in order, "
        "for bytes in another order, for bytes that are not text, for runs, for a dictionary in another order",
        'Lesson 04, "A first guess, and why it fails" and "The order is the answer".',
    ),
    subject="recover_merges",
    right=_RIGHT,
    mutants=_WRONG,
)
