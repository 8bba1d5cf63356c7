"""Exercise 19.remove_token: PickyBPE removes a token that a merge has used up."""

from minbpe_course.learning import Exercise, Mistake


def remove_token(words, token_id, parts, merged, threshold):
    """Return the words without a token that a merge has used up, or None if it stays.

    A merge has just been made from two halves. PickyBPE looks at each half. If nearly all of its occurrences went into
    the new token, it removes the half, and the occurrences that are left fall apart.

    * **In:** `words`, a list of pairs: the ids of a word after the merge, and how often the word occurs; `token_id`,
      the half; `parts`, the ids that it falls apart into; `merged`, how many of its occurrences went into the new
      token; `threshold`, a number from 0 to 1.
    * **Out:** A single byte (an id below 256) always stays. Otherwise the share is `merged` divided by all
      occurrences: `merged` plus those that are left in the words. Above the threshold, return a new list of words, in
      which the token has fallen apart everywhere. If the token stays, return `None`.

    ```
    words = [([257], 8), ([256, 120], 1)]              # hen 8 times, hex once; 256 is "he"
    remove_token(words, 256, (104, 101), 8, 0.8)   ->  [([257], 8), ([104, 101, 120], 1)]     # 8 of 9
    remove_token(words, 256, (104, 101), 8, 0.9)   ->  None
    ```
    """
    left = sum(ids.count(token_id) * count for ids, count in words)
    if token_id < 256 or merged / (merged + left) <= threshold:
        return None
    after = []
    for ids, count in words:
        after.append(([part for one in ids for part in (parts if one == token_id else (one,))], count))
    return after


USED_UP, STAYS = "a token that is used up", "a token that stays"
OFTEN = "words that occur more than once, and twice in a word"
AT, BYTE = "a share that equals the threshold", "a single byte"


def cases(random):
    for size in range(2, 9):
        words = [(random.choices([97, 98, 256, 257], k=size), random.randint(2, 9)) for _ in range(3)]
        words.append(([97, *random.choices([256, 257], k=2), 256, 256], 3))
        left = sum(ids.count(256) * count for ids, count in words)
        parts = random.choice([(98, 97), (98, 97, 98)])
        yield USED_UP, words, 256, parts, 9 * left, 0.8
        yield USED_UP, [([257, 98], 4)], 256, parts, size, 0.99
        yield STAYS, words, 256, parts, 2 * left, 0.75
        yield OFTEN, words, 256, parts, 2 * left, 0.625
        yield OFTEN, words, 256, parts, 2 * left, 0.6875
        yield OFTEN, [([256, *[97] * size, 256], 1), ([98], 9)], 256, parts, 3, 0.625
        yield OFTEN, [([256, *[97] * size], 4)], 256, parts, 4, 0.625
        yield AT, words, 256, parts, left, 0.5
        yield BYTE, words, random.choice([97, 98]), (), 900 * size, 0.9


EXERCISE = Exercise(
    "19.remove_token",
    "Used up",
    "write",
    answer=remove_token,
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "The share needs two numbers, and one of them is given. How do you get the other one from the words?",
        "Lesson 19, on PickyBPE: what became of `he`, when nearly all of it had gone into `hen`?",
        "left = for every word, how often the token is in its ids, times the word's count; if it is a byte, or merged "
        "/ (merged + left) is not above the threshold, return None; otherwise copy every word, and put the parts "
        "where the token is",
    ),
    shown=(
        (USED_UP, [([257], 8), ([256, 120], 1)], 256, (104, 101), 8, 0.8),
        (STAYS, [([257], 8), ([256, 120], 1)], 256, (104, 101), 8, 0.9),
        (OFTEN, [([256, 256, 120], 1)], 256, (104, 101), 2, 0.6),
        (OFTEN, [([256, 120], 3)], 256, (104, 101), 3, 0.6),
        (AT, [([256], 1)], 256, (104, 101), 1, 0.5),
        (BYTE, [([97, 98], 1)], 97, (), 9, 0.5),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "words-counted-once",
            "A word that occurs eight times counts eight times: multiply by its count.",
            like=("* count", ""),
        ),
        Mistake(
            "words-with-the-token",
            "The token can be in a word more than once. Count its occurrences, not the words that have it.",
            like=("ids.count(token_id)", "(token_id in ids)"),
        ),
        Mistake(
            "at-the-threshold",
            "A share that equals the threshold is not above it: the token stays.",
            like=("<= threshold", "< threshold"),
        ),
        Mistake(
            "share-of-what-is-left",
            "Divide by *all* occurrences: those that went into the new token, and those that are left.",
            like=("merged / (merged + left)", "merged / max(1, left)"),
        ),
        Mistake(
            "removes-bytes",
            "A single byte always stays; without it, some words could not be written any more.",
            like=("token_id < 256 or ", ""),
        ),
        Mistake(
            "drops-the-occurrences",
            "The token's occurrences must not get lost: put its parts where it was.",
            like=("(parts if one == token_id else (one,))", "(() if one == token_id else (one,))"),
        ),
    ),
)
