"""Exercise 17.transplant: a table for another vocabulary, each row a mean of the old rows that spell its token."""

from minbpe_course.learning import Exercise, Mistake


def transplant(table, old, new):
    """Return a table for the new vocabulary, in which each row is a mean of old rows.

    A model has a table with a row for each token of its old vocabulary. The new vocabulary has other tokens. Those that
    are in both keep their rows. Any other token is **spelled** with old tokens, from left to right, always with the
    longest one that fits. Its row is the mean of the rows of its spelling.

    * **In:** `table`, a list of rows, each a list of numbers, all equally long; `old`, a dict from each old token
      (bytes) to its id, the index of its row; `new`, the list of the new tokens (bytes). The old tokens can spell every
      new one.
    * **Out:** a list of rows, one for each new token, in their order. A token that is used twice in a spelling counts
      twice.

    ```
    transplant([[0.0], [3.0], [9.0]], {b"a": 0, b"b": 1, b"ab": 2}, [b"ab", b"ba", b"abb"])    ->  [[9.0], [1.5], [6.0]]
    ```

    `ab` is shared. `ba` is spelled `b`, `a`. The longest old token at the beginning of `abb` is `ab`, so it is spelled
    `ab`, `b`.
    """
    rows = []
    for token in new:
        spelling, at = [], 0
        while at < len(token):
            end = max(end for end in range(at + 1, len(token) + 1) if token[at:end] in old)
            spelling.append(table[old[token[at:end]]])
            at = end
        rows.append([sum(column) / len(spelling) for column in zip(*spelling)])
    return rows


def each_once(table, old, new):
    """Use each old token once in a spelling."""
    rows = []
    for token in new:
        ids, at = set(), 0
        while at < len(token):
            end = max(end for end in range(at + 1, len(token) + 1) if token[at:end] in old)
            ids.add(old[token[at:end]])
            at = end
        rows.append([sum(column) / len(ids) for column in zip(*(table[one] for one in sorted(ids)))])
    return rows


SHARED, SPELLED, LONGEST, TWICE = (
    "shared tokens",
    "tokens that are spelled",
    "the longest token that fits",
    "a row twice",
)


def cases(random):
    for size in range(2, 9):
        letters = [b"a", b"b", b"c"]
        longer = [b"ab", b"abc", b"bc", b"ca", b"bcab", b"cc"]
        tokens = letters + random.sample(longer, random.randint(2, 5))
        random.shuffle(tokens)
        old = {token: place for place, token in enumerate(tokens)}
        table = [[random.randint(-40, 40) / 8 for _ in range(1 + size // 3)] for _ in tokens]
        words = [bytes(random.choices(b"abc", k=random.randint(2, 6))) for _ in range(size)]
        yield SHARED, table, old, random.sample(tokens, random.randint(1, len(tokens)))
        yield SPELLED, table, old, words
        yield LONGEST, table, old, [b"abcab", *(random.choice(longer) + word for word in words[:2])]
        yield TWICE, table, old, [b"aab" * 2, b"bba", words[0] * 2 + b"a"]


LONGEST_END = "max(end for end in range(at + 1, len(token) + 1) if token[at:end] in old)"

EXERCISE = Exercise(
    "17.transplant",
    "A table for another vocabulary",
    "write",
    answer=transplant,
    difficulty=3,
    minutes=15,
    points=3,
    hints=(
        "Spell one token first, by hand: which old token is the longest at its beginning, and what is left of it then?",
        "Lesson 17, on transplanting. A shared token is spelled with a single old token: itself.",
        "for each new token: at = 0; until at is its end, take the largest end for which token[at:end] is old, note "
        "the row of that token, and continue at end; the new row is the mean of the rows noted, number by number",
    ),
    shown=(
        (SHARED, [[5.0], [7.0]], {b"a": 0, b"b": 1}, [b"b"]),
        (SPELLED, [[0.0, 2.0], [4.0, 4.0]], {b"a": 0, b"b": 1}, [b"ab"]),
        (LONGEST, [[0.0], [3.0], [9.0]], {b"a": 0, b"b": 1, b"ab": 2}, [b"ab", b"ba", b"abb"]),
        (TWICE, [[0.0], [3.0]], {b"a": 0, b"b": 1}, [b"aab"]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "shortest",
            "You spell with the shortest old tokens, the letters. Take the longest token that fits.",
            like=(LONGEST_END, LONGEST_END.replace("max(", "min(", 1)),
        ),
        Mistake(
            "each-once",
            "A token that is used twice in a spelling counts twice.",
            like=each_once,
        ),
        Mistake(
            "sums",
            "These are sums. A mean is divided by the number of tokens in the spelling.",
            like=(" / len(spelling)", ""),
        ),
        Mistake(
            "letters-in-a-token",
            "You divide by the number of bytes of the token. Divide by the number of tokens that spell it.",
            like=("len(spelling) for", "len(token) for"),
        ),
    ),
)
