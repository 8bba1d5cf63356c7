"""Exercise 04.test_recover: write a test that accepts two right recoveries of merges and rejects ten wrong ones.

The wrong implementations also serve to recognize mistakes in 04.recover_merges.
"""

from functools import partial

from minbpe_course.learning import Exercise, mutant
from minbpe_course.learning.judge.callers import implementation_of


def test_recover(merges_from_ranks):
    """Raise AssertionError unless merges_from_ranks does what lesson 04 asks for.

    Many wrong ways to recover merges look right on most vocabularies. Write the test that tells them apart. It receives
    someone else's `merges_from_ranks` and raises an exception (an `assert` will do) if that function is wrong.

    * **In:** `merges_from_ranks`, a function as in the lesson: ranks in, a dict from pair of ids to id out.
    * **Out:** nothing. Correct implementations must pass, however they are written. Call them only with vocabularies
      that training can make.

    Your test runs on two correct implementations and ten wrong ones. Catching all ten earns three points; catching
    five earns one. This test accepts correct implementations, but lets most impostors through:

    ```python
    def test_recover(merges_from_ranks):
        assert list(merges_from_ranks({b"b": 0, b"a": 1, b"ab": 2}).items()) == [((1, 0), 2)]
    ```

    (In Python, two dicts can be equal although their items are in another order. The lists of their items cannot.)

    One run of your test may take two seconds, and all its runs together twenty: a few hundred small vocabularies are
    fine, thousands are not.

    Where can you get vocabularies? Train some with your answers to lesson 02 and write down the results, or think of a
    few words and train by hand. If you are clever, two different bytes are enough.
    """
    # Six merges of "o" and the byte F9, which is not text by itself. The token F9 o o o has three cuts.
    trained = [((0, 0), 2), ((1, 1), 3), ((1, 0), 4), ((1, 2), 5), ((5, 0), 6), ((0, 3), 7)]
    tokens = [b"o", b"\xf9"]
    for (first, second), _ in trained:
        tokens.append(tokens[first] + tokens[second])
    published = {token: token_id for token_id, token in enumerate(tokens)}
    assert list(merges_from_ranks(published).items()) == trained
    backwards = dict(reversed(published.items()))
    assert list(merges_from_ranks(backwards).items()) == trained, "the dictionary may have any order"


_BY_AGE = """
def built(token, ranks):
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 2:
        joined = [ranks.get(left + right, ranks[token]) for left, right in zip(parts, parts[1:])]
        found = [(rank, at) for at, rank in enumerate(joined) if rank < ranks[token]]
        if not found:
            break
        at = min(found)[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts

def merges_from_ranks(ranks):
    merges = {}
    for token in sorted(ranks, key=ranks.get):
        if len(token) > 1:
            left, right = built(token, ranks)
            merges[ranks[left], ranks[right]] = ranks[token]
    return merges
"""
_CUTS = """
def cuts(token, ranks):
    pairs = [(token[:at], token[at:]) for at in range(1, len(token))]
    return [pair for pair in pairs if max(ranks.get(part, ranks[token]) for part in pair) < ranks[token]]
"""

RIGHT = (
    _BY_AGE,
    # With pairs only: apply the merges found so far to each token.
    """
def merges_from_ranks(ranks):
    known = {}
    for token, token_id in sorted(ranks.items(), key=lambda item: item[1]):
        ids = [ranks[token[at : at + 1]] for at in range(len(token))]
        while len(ids) > 2:
            pair = min(zip(ids, ids[1:]), key=lambda pair: known.get(pair, len(ranks) + token_id))
            at = list(zip(ids, ids[1:])).index(pair)
            ids[at : at + 2] = [known[pair]]
        if len(ids) == 2:
            known[tuple(ids)] = token_id
    return known
""",
)

wrong = partial(mutant, _CUTS + _BY_AGE)
_PARTS, _CHOICE, _ORDER, _END = (
    "built(token, ranks)\n",
    "min(found)",
    "sorted(ranks, key=ranks.get)",
    "    return merges",
)
_WRONG = (
    wrong("first-cut", "takes the first cut into two older tokens", (_PARTS, "cuts(token, ranks)[0]\n")),
    wrong("last-cut", "takes the last cut into two older tokens", (_PARTS, "cuts(token, ranks)[-1]\n")),
    wrong(
        "oldest-parts",
        "takes the cut whose parts are oldest",
        (_PARTS, "min(cuts(token, ranks), key=lambda cut: max(ranks[cut[0]], ranks[cut[1]]))\n"),
    ),
    wrong(
        "youngest-pair",
        "joins the pair that was learned last, not the one that was learned first",
        (_CHOICE, "max(found, key=lambda pair: pair[0])"),
    ),
    wrong(
        "last-of-equals",
        "joins the last of equal pairs first",
        (_CHOICE, "min(found, key=lambda pair: (pair[0], -pair[1]))"),
    ),
    wrong(
        "bytes-are-ids",
        "takes every byte as its own id",
        (
            _END,
            """
    known = {ranks[token]: token[0] for token in ranks if len(token) == 1}
    return {tuple(known.get(i, i) for i in pair): token_id for pair, token_id in merges.items()}""",
        ),
    ),
    wrong("dictionary-order", "trusts the order of the dictionary", (_ORDER, "ranks")),
    wrong(
        "by-length",
        "returns the merges of short tokens before those of long ones",
        (_ORDER, "sorted(ranks, key=lambda token: (len(token), ranks[token]))"),
    ),
    wrong("forgets-youngest", "forgets the last merge", (_END, "    merges.popitem()\n    return merges")),
    wrong(
        "text-only",
        "skips tokens that are not text",
        ("len(token) > 1", "len(token) > 1 and '\\ufffd' not in token.decode('utf-8', 'replace')"),
    ),
)
WRONG_BY_NAME = {mutant.name: implementation_of(mutant.source, "merges_from_ranks") for mutant in _WRONG}

EXERCISE = Exercise(
    "04.test_recover",
    "Ten impostors",
    "test",
    answer=test_recover,
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "A vocabulary in which every token can be cut in only one way catches almost none of them. Find a token that "
        "can be cut in two ways.",
        "Lesson 04 shows an obvious guess that fails, and why; then the order of the ids, which is the answer.",
        "write down merges that training can make, build the ranks from them, and compare the items: for bytes "
        "in another order, for bytes that are not text, for runs, for a dictionary in another order",
    ),
    subject="merges_from_ranks",
    right=RIGHT,
    mutants=_WRONG,
)
