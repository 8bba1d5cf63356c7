"""Exercise 18.encode_parts: an encoder whose ids decode to the right text, and are not the right ids."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference.fewest_tokens import longest_match
from minbpe_course.reference.training import train_steps


def encode_parts(word, ranks):
    """Return the ids of a word.

    This encoder works on bytes and ranks, as tiktoken does. Every word comes back when you decode it, and most ids are
    right. But some are wrong, so the model that reads them is confused about `aaa`.

    Repair it. Of all the neighbors that form a token together, join the two with the lowest rank first. If ranks are
    equal, join the leftmost two.

    * **In:** `word`, bytes, and `ranks`, a dict from a token (bytes) to its id; every byte of the word is a token.
    * **Out:** a list of ids.

    `encode_parts(b"aaa", {b"a": 0, b"aa": 1})` is `[1, 0]`.
    """
    ### BEGIN SOLUTION
    pieces = [bytes([byte]) for byte in word]
    while any(left + right in ranks for left, right in zip(pieces, pieces[1:])):
        joined = [left + right for left, right in zip(pieces, pieces[1:])]
        oldest = min(joined, key=lambda token: ranks.get(token, float("inf")))
        where = joined.index(oldest)
        pieces[where : where + 2] = [oldest]
    return [ranks[piece] for piece in pieces]
    ### INSTEAD
    # parts = [word[at : at + 1] for at in range(len(word))]
    # while len(parts) > 1:
    #     lowest, place = None, 0
    #     for at in range(len(parts) - 1):
    #         rank = ranks.get(parts[at] + parts[at + 1])
    #         if rank is not None and (lowest is None or rank <= lowest):
    #             lowest, place = rank, at
    #     if lowest is None:
    #         break
    #     parts[place : place + 2] = [parts[place] + parts[place + 1]]
    # return [ranks[part] for part in parts]
    ### END SOLUTION


def ranks_of(tokens):
    """Return token -> rank."""
    return {token.encode(): rank for rank, token in enumerate(tokens.split())}


PLAIN, EQUAL = "words without equal pairs in a row", "equal pairs that overlap"


def part_cases(dice):
    """Yield words, with ranks learned from random letters."""
    for number in range(18):
        letters = "abc" if number % 3 else "ab"
        data = "".join(dice.choices(letters, k=40)).encode()
        ranks = ranks_of(" ".join(letters))
        for step in train_steps({data: 1, b"aaaa": 3, b"bbbaaab": 2}, 262):
            if step.token in ranks:
                break
            ranks[step.token] = len(ranks)
        word = "".join(dice.choices(letters, k=3 + number)).encode()
        if number % 2:
            word += b"aaa" + word[:3] + b"bbb"
        yield EQUAL if number % 2 else PLAIN, word, ranks


EXERCISE = Exercise(
    "18.encode_parts",
    "It round-trips, and is wrong",
    "repair",
    answer=encode_parts,
    difficulty=3,
    minutes=15,
    hints=(
        "Every text round-trips, so look at the ids. What is the shortest word made of the letter a for which they are "
        "wrong?",
        "Lesson 18, on its rules: leftmost first.",
        "of two places with the same rank the left one must win; look at how the loop treats the second",
    ),
    shown=(
        (EQUAL, b"aaa", ranks_of("a aa")),
        (PLAIN, b"aab", ranks_of("a b aa ab aab")),
        (EQUAL, b"baaab", ranks_of("a b aa ab aab")),
        (PLAIN, b"abcdaabcd", ranks_of("a b c d bc bcd abcd ab aa")),
    ),
    drawn=part_cases,
    mistakes=(
        Mistake(
            "first-possible",
            "Now the first pair in the word wins, whatever its rank. The lowest rank comes first; only equal ranks are "
            "decided by the place.",
            like=(
                'min(joined, key=lambda token: ranks.get(token, float("inf")))',
                "next(one for one in joined if one in ranks)",
            ),
        ),
        Mistake(
            "newest-first",
            "The lowest rank is the oldest merge, and the oldest comes first.",
            like=('ranks.get(token, float("inf"))', '-ranks.get(token, float("-inf"))'),
        ),
        Mistake(
            "longest-token",
            "Taking the longest token first is another tokenizer. Keep the loop over merges.",
            like=longest_match,
        ),
    ),
)
