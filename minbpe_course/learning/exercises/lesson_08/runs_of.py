"""Exercise 08.runs_of: count words with a table of limited size, and write it out whenever it is full."""

from minbpe_course.learning import Exercise, Mistake


def runs_of(words, most):
    """Count with a table of at most most words, and return the sorted runs.

    Read the words one by one and count them in a table. When a *new* word comes and the table is full, write the table
    down as a **run**, a list of its entries sorted by word, and start with an empty table. At the end, what is left in
    the table is a run, too.

    * **In:** `words`, a list of str; `most`, how many different words the table can hold, at least 1.
    * **Out:** a list of runs in the order in which they were written. A run is a list of `(word, count)`, sorted.
      Without any words there is one run, and it is empty.

    `runs_of(["a", "b", "a", "c"], 2)` is `[[("a", 2), ("b", 1)], [("c", 1)]]`. The second `a` still fits: its word
    is in the table already.
    """
    runs, table = [], {}
    for word in words:
        if word not in table and len(table) == most:
            runs.append(sorted(table.items()))
            table = {}
        table[word] = table.get(word, 0) + 1
    return [*runs, sorted(table.items())]


ROOM, FULL, SAME = "everything fits", "the table is full", "a word that is in a full table"


def cases(random):
    yield ROOM, [], 3
    for most in range(1, 8):
        words = random.choices("zyxwvutsr", k=3 * most + 3)
        yield ROOM, words, 9
        yield FULL, words, most
        yield SAME, [*"fedcba"[:most], *words[:3], *"cba"[-most:], *words[3:]], most


IS_FULL = "if word not in table and len(table) == most"

EXERCISE = Exercise(
    "08.runs_of",
    "Counting with a full table",
    "write",
    answer=runs_of,
    minutes=8,
    hints=(
        "What has to happen before you can count a word that isn't in the table, if there is no room for it?",
        "Lesson 08, where memory gets a limit: sort the table, write it out, and start again with an empty one.",
        "for each word: if it is not in the table, and the table has `most` words: append sorted(table.items()) to the "
        "runs and take an empty table; then count the word; at the end, the rest of the table is the last run",
    ),
    shown=(
        (FULL, ["b", "a"], 1),
        (SAME, ["a", "b", "a", "c"], 2),
        (ROOM, ["b", "a", "b"], 2),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "full-for-known-words",
            "A word that is already in the table needs no room. Write the table out only for a *new* word.",
            like=(IS_FULL, "if len(table) == most"),
        ),
        Mistake(
            "writes-too-early",
            "The table may stay full until a new word comes.",
            like=(
                (f"        {IS_FULL}:\n            runs.append(sorted(table.items()))\n            table = {{}}\n", ""),
                ("get(word, 0) + 1", "get(word, 0) + 1\n        if len(table) == most:\n"
                 "            runs.append(sorted(table.items()))\n            table = {}"),
            ),
        ),
        Mistake(
            "not-sorted",
            "Sort each run by word. Only then can many runs be merged with one entry of each in memory.",
            like=("sorted(table.items())", "list(table.items())"),
        ),
        Mistake(
            "without-the-rest",
            "What is left in the table at the end is the last run.",
            like=("[*runs, sorted(table.items())]", "runs"),
        ),
    ),
)  # fmt: skip
