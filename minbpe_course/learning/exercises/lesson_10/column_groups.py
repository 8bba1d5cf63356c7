"""Exercise 10.column_groups: which columns of a table are equal, so that one of them is enough."""

from itertools import groupby

from minbpe_course.learning import Exercise, Mistake


def column_groups(rows):
    """Return the number of the group of each column; equal columns are in the same group.

    A table has a row for each state and a column for each kind of character. An entry says which state comes next. If
    two columns are equal, their characters behave alike everywhere, and one column is enough for both.

    * **In:** `rows`, a list of lists of int, all of the same length. There is at least one row, with at least one
      entry.
    * **Out:** a list of int, one for each column: the number of its group. Equal columns have the same number. Groups
      are numbered from left to right: 0, 1, 2, …

    `column_groups([[1, 2, 1], [0, 2, 0]])` is `[0, 1, 0]`: the first and the last column are both 1, 0.
    """
    numbers = {}
    return [numbers.setdefault(entries, len(numbers)) for entries in zip(*rows)]


EQUAL = "equal columns side by side"
FIRST_ROW = "columns that are equal in the first row only"
APART = "equal columns, with others between them"
ONE_ROW = "a single row"


def table(rows, columns):
    return [[row[letter] for letter in columns] for row in rows]


def cases(random):
    for states in range(2, 7):
        rows = [dict(zip("abc", random.sample(range(10), 3))) for _ in range(states)]
        yield ONE_ROW, table(rows[:1], random.choices("ab", k=states))
        yield "no two columns are equal", table(rows, "bac")
        yield EQUAL, table(rows, "aab")
        yield APART, table(rows, "cacb")
        yield FIRST_ROW, table(rows[:1], "aab") + table(rows[1:], "aba")
        yield APART, table(rows, "cacbb")


EXERCISE = Exercise(
    "10.column_groups",
    "Columns that behave alike",
    "write",
    answer=column_groups,
    minutes=12,
    hints=(
        "Two kinds of characters behave alike if they lead to the same state from *every* state.",
        "Lesson 10, section 6: GPT-2's table, which has one column fewer in the package. `zip(*rows)` gives columns.",
        "turn the rows into columns; give each new column the next number; look up the number of one seen before",
    ),
    shown=(
        (APART, [[1, 2, 1], [0, 2, 0]]),
        (FIRST_ROW, [[1, 1], [0, 2]]),
        (EQUAL, [[3, 3, 1], [2, 2, 2]]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "first-row",
            "You compare the first row only. The columns must be equal in all rows.",
            like=lambda rows: column_groups(rows[:1]),
        ),
        Mistake(
            "last-row",
            "You compare the last row only. The columns must be equal in all rows.",
            like=lambda rows: column_groups(rows[-1:]),
        ),
        Mistake(
            "places",
            "That is the place of the first equal column. Groups are numbered without gaps: 0, 1, 2, …",
            like=lambda rows: [[*zip(*rows)].index(column) for column in zip(*rows)],
        ),
        Mistake(
            "sorted",
            "Number the groups as they come from left to right, whatever is in their columns.",
            like=lambda rows: [sorted({*zip(*rows)}).index(column) for column in zip(*rows)],
        ),
        Mistake(
            "rows",
            "You group the rows. A column has one entry of each row.",
            like=("zip(*rows)", "map(tuple, rows)"),
        ),
        Mistake(
            "from-one",
            "The first group has the number 0.",
            like=lambda rows: [group + 1 for group in column_groups(rows)],
        ),
        Mistake(
            "neighbors",
            "Equal columns need not be side by side. Remember all columns that you have seen.",
            like=lambda rows: [at for at, (_, equal) in enumerate(groupby(zip(*rows))) for _ in equal],
        ),
    ),
)
