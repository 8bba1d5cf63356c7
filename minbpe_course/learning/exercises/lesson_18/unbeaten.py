"""Exercise 18.unbeaten: the names of the tokenizers that no other beats in all three numbers: the Pareto front."""

from minbpe_course.learning import Exercise, Mistake


def unbeaten(rows):
    """Return the names of the tokenizers that no other one beats.

    A leaderboard with one score hides a choice. The **front** doesn't, because it keeps every tokenizer that no other
    one beats.

    One tokenizer *beats* another if it is at least as good in all three numbers, and better in at least one of them.

    * **In:** `rows`, a list of tuples `(name, compression, fairness, speed)`; larger numbers are better. All names are
      different.
    * **Out:** a list of the names of the unbeaten ones, in the order of `rows`.

    `unbeaten([("a", 0.5, 0.5, 0.1), ("b", 0.4, 0.4, 0.2)])` is `["a", "b"]`: b is faster, so a does not beat it.
    """

    def is_beaten(loser):
        for winner in rows:
            differences = [mine - theirs for mine, theirs in zip(winner[1:], loser[1:])]
            if min(differences) >= 0 and max(differences) > 0:
                return True
        return False

    return [row[0] for row in rows if not is_beaten(row)]


FEW = "two or three tokenizers"


def row_cases(dice):
    """Yield leaderboards, short ones first."""

    def row(name, levels):
        a, b, c = (dice.randint(1, levels) / 10 for _ in range(3))
        return name, a, b, c

    for size in (2, 3, 3):
        yield FEW, [row(f"t{at}", 9) for at in range(size)]
    for size in (4, 5, 6, 7):
        rows = [row(f"t{at}", 3) for at in range(size)]
        name, *numbers = rows[0]
        twin = (f"{name} again", *numbers)
        yield "tokenizers with equal numbers", [*rows, twin, ("strong", 0.4, 0.3, 0.3), ("strong too", 0.4, 0.3, 0.3)]
    for size in (8, 12, 20, 30):
        rows = [row(f"t{at}", 9) for at in range(size)]
        rows += [("fast", 0.1, 0.1, 1.0), ("worse", 0.1, 0.05, 0.9), ("middle", 0.85, 0.85, 0.85)]
        dice.shuffle(rows)
        yield "many tokenizers", rows


EXERCISE = Exercise(
    "18.unbeaten",
    "Unbeaten",
    "write",
    answer=unbeaten,
    minutes=15,
    hints=(
        "First write down when one tokenizer beats another. What if two are equal in all three numbers?",
        "Lesson 18, on its board: one number decides, and the others are only shown.",
        "one beats another when it is at least as good in all three numbers, and better in at least one; keep the "
        "names of those that no row beats",
    ),
    shown=(
        (FEW, [("a", 0.5, 0.5, 0.5), ("b", 0.4, 0.5, 0.5)]),
        (FEW, [("a", 0.5, 0.5, 0.1), ("b", 0.4, 0.4, 0.2)]),
        ("tokenizers with equal numbers", [("a", 0.5, 0.5, 0.5), ("b", 0.5, 0.5, 0.5)]),
        ("many tokenizers", [("a", 0.9, 0.1, 0.5), ("b", 0.1, 0.9, 0.5), ("c", 0.5, 0.5, 0.5), ("d", 0.5, 0.5, 0.4)]),
    ),
    drawn=row_cases,
    mistakes=(
        Mistake(
            "beats-itself",
            "Every tokenizer is as good as itself. That does not beat it.",
            like=lambda rows: [],
        ),
        Mistake(
            "two-of-three",
            "Better in two numbers does not beat a tokenizer that is better in the third.",
            like=("min(differences) >= 0 and max(differences) > 0", "sum(one > 0 for one in differences) > 1"),
        ),
        Mistake(
            "the-beaten",
            "Those are the tokenizers that another one beats.",
            like=("if not is_beaten", "if is_beaten"),
        ),
        Mistake(
            "equals-beat",
            "Two that are equal in everything do not beat each other: to beat, one must be better somewhere.",
            like=("max(differences) > 0", "winner != loser"),
        ),
        Mistake(
            "better-everywhere",
            "It need not be better everywhere. As good in two numbers and better in the third is enough.",
            like=("min(differences) >= 0", "min(differences) > 0"),
        ),
        Mistake(
            "two-numbers",
            "There are three numbers: a tokenizer may be unbeaten because of its speed.",
            like=("[1:]", "[1:3]"),
        ),
        Mistake(
            "best-in-one",
            "A tokenizer that is first in nothing can still be unbeaten: no other is as good in everything *at once*.",
            like=("not is_beaten(row)", "any(row[at] == max(other[at] for other in rows) for at in (1, 2, 3))"),
        ),
        Mistake(
            "one-score",
            "That is the best score. The front contains every tokenizer that no other beats, which no single score "
            "decides.",
            like=("not is_beaten(row)", "row[1] * row[2] * row[3] == max(a * b * c for _, a, b, c in rows)"),
        ),
    ),
)
