"""Exercise 17.with_new_rows: a table with rows for new tokens, each a mean of old rows."""

from minbpe_course.learning import Exercise, Mistake


def with_new_rows(table, sources):
    """Return the table with one more row for each source.

    A table has one row of numbers for each id. Add a row for each new token: the mean of some old rows.

    * **In:** `table`, a list of rows, each a list of numbers, all equally long; `sources`, which has one list of ids
      for each new token: the tokens whose rows are averaged. If an id appears twice in a list, it counts twice. An
      **empty** list means that there is no information about this token, so it gets the mean of *all old rows*.
    * **Out:** a new table: the old rows as they are, then one row for each new token. Don't change the table you are
      given.

    `with_new_rows([[0.0, 2.0], [4.0, 4.0]], [[0, 1]])` is `[[0.0, 2.0], [4.0, 4.0], [2.0, 3.0]]`. Write it in plain
    Python, or with NumPy.
    """
    longer = [list(row) for row in table]
    for source in sources:
        named = [table[number] for number in source] or table
        longer.append([sum(numbers) / len(named) for numbers in zip(*named)])
    return longer


MEANS = "the mean of some rows"


def row_cases(random):
    """Yield small tables, and sources of new rows."""
    for size in range(2, 10):
        table = [[random.randint(-40, 40) / 8 for _ in range(1 + size // 3)] for _ in range(size)]
        some = [random.choices(range(size), k=random.randint(2, 4)) for _ in range(2)]
        yield MEANS, table, [*some, [0, 0, size - 1]]
        yield "a copy of a row", table, [[random.randrange(size)] for _ in range(2)]
        yield "a source that names no rows", table, [some[0], [], []]
    yield "no new token", [[1.0], [2.0]], []


EXERCISE = Exercise(
    "17.with_new_rows",
    "Rows for new tokens",
    "write",
    answer=with_new_rows,
    minutes=15,
    hints=(
        "Every new row is a mean, number by number, of rows of the old table. Which rows are they if the source names "
        "none?",
        "Lesson 17, on new special tokens: it compares four ways to start a row.",
        "the new table begins with all rows of the old one; for every source: take the rows that it names, or all rows "
        "of the old table if it names none; sum each column and divide by the number of rows",
    ),
    keeps_input=True,
    shown=(
        (MEANS, [[0.0, 2.0], [4.0, 4.0]], [[0, 1]]),
        ("a source that names no rows", [[0.0, 2.0], [4.0, 4.0], [8.0, 0.0]], [[2], [], []]),
        (MEANS, [[3.0], [9.0]], [[0, 0, 1]]),
    ),
    drawn=row_cases,
    mistakes=(
        Mistake(
            "changes-the-table",
            "Your code changes the table that it is given. Build a new list.",
            like=("return longer", "table += longer[len(table) :]\n    return table"),
            when=lambda case, outcome, wanted: outcome.changed,
        ),
        Mistake(
            "only-the-new",
            "The old rows belong to the table, too, and come first.",
            like=("[list(row) for row in table]", "[]"),
        ),
        Mistake(
            "sums",
            "These are sums. A mean is divided by how many there are.",
            like=(" / len(named)", ""),
        ),
        Mistake(
            "named-once",
            "A row that a source names twice counts twice: the token is spelled with it twice.",
            like=("in source]", "in sorted(set(source))]"),
        ),
        Mistake(
            "zeros",
            "Zeros give a logit of 0, which may be far above all others. A source that names no rows gets the mean of "
            "all.",
            like=("or table", "or [[0.0] * len(table[0])]"),
        ),
        Mistake(
            "mean-of-the-new",
            "The mean of all is the mean of all *old* rows; the rows just added have learned nothing.",
            like=("or table", "or longer"),
        ),
    ),
)
