"""Exercise 18.choose_text: training text under a budget, a share of it for each source."""

from minbpe_course.learning import Exercise, Mistake


def choose_text(sources, shares, budget):
    """Return the texts to learn from: of each source what fits into its share of the budget.

    * **In:** `sources`, a dict from the name of a source to its texts, a list of str; `shares`, a dict from the name of
      a source to its share of the budget, such as 0.25; `budget`, in bytes of UTF-8.
    * **Out:** a list of texts. For each name in `shares`, in that order, take the texts of the source from the
      beginning. Stop at the first one with which they would be longer than `share * budget` bytes together. Texts stay
      whole.

    With `sources = {"one": ["ab", "cd", "ef"], "two": ["x"]}` and `shares = {"two": 0.5, "one": 0.5}`, a budget of 8
    bytes gives `["x", "ab", "cd"]`.
    """
    chosen = []
    for name, share in shares.items():
        room = share * budget
        for text in sources[name]:
            room -= len(text.encode("utf-8"))
            if room < 0:
                break
            chosen.append(text)
    return chosen


def cases(random):
    for letters, category in ("abc", "plain letters"), ("aéδक中", "letters of several bytes"):
        for size in range(2, 7):
            names = ["one", "two", "three"][: size // 2 + 1]
            sources = {
                name: ["".join(random.choices(letters, k=random.randint(1, 9))) for _ in range(size)] for name in names
            }
            random.shuffle(names)
            # Eighths, since a share such as 0.1 is not exact.
            yield category, sources, {name: random.randint(1, 4) / 8 for name in names}, random.choice([16, 32, 64])
    for size in range(3, 7):
        sources = {"long": ["ab" * 9, "c", "d"], "short": list("efgh")[:size], "unused": ["ij"]}
        yield "a text that does not fit, before one that does", sources, {"short": 0.5, "long": 0.5}, 2 * size


EXERCISE = Exercise(
    "18.choose_text",
    "Text under a budget",
    "write",
    answer=choose_text,
    difficulty=2,
    minutes=8,
    hints=(
        "Each source has a budget of its own. How much of it is left after each text?",
        "Lesson 18, on your choices: a share for each source.",
        "for each name and share: room = share * budget; for each text of sources[name]: subtract its bytes from the "
        "room; if the room is below 0, stop with this source, otherwise take the text",
    ),
    shown=(
        ("one source", {"one": ["ab", "cd"]}, {"one": 1.0}, 3),
        ("plain letters", {"one": ["ab", "cd", "ef"], "two": ["x"]}, {"two": 0.5, "one": 0.5}, 8),
        ("letters of several bytes", {"one": ["é", "δ", "a"]}, {"one": 0.5}, 8),
        ("a text that does not fit, before one that does", {"one": ["abc", "d"]}, {"one": 0.5}, 4),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "characters",
            "The budget is in bytes, and a letter may have several.",
            like=('len(text.encode("utf-8"))', "len(text)"),
        ),
        Mistake(
            "skips",
            "Stop at the first text that does not fit. Yours goes on and takes shorter ones after it.",
            like=(
                (
                    '            room -= len(text.encode("utf-8"))\n            if room < 0:\n                break\n',
                    "",
                ),
                (
                    "            chosen.append(text)",
                    '            if len(text.encode("utf-8")) <= room:\n'
                    '                room -= len(text.encode("utf-8"))\n'
                    "                chosen.append(text)",
                ),
            ),
        ),
        Mistake(
            "one-too-many",
            "The texts of a source are longer than its share allows: check before you take a text.",
            like=(
                "            if room < 0:\n                break\n            chosen.append(text)",
                "            chosen.append(text)\n            if room < 0:\n                break",
            ),
        ),
        Mistake(
            "exactly-full",
            "A text that fills the share exactly still fits.",
            like=("room < 0", "room <= 0"),
        ),
        Mistake(
            "one-room-for-all",
            "Each source has its own share. What one does not use is not added to the next, and what one has used is "
            "not taken from it.",
            like=(
                ("chosen = []", "chosen, room = [], 0"),
                ("room = share * budget", "room = max(room, 0) + share * budget"),
            ),
        ),
        Mistake(
            "order-of-sources",
            "Go through `shares` in its order, not through `sources`.",
            like=(
                ("for name, share in shares.items():", "for name in sources:"),
                ("room = share * budget", "room = shares.get(name, 0) * budget"),
            ),
        ),
    ),
)
