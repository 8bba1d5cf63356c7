"""Exercise 10.kind: in which sets of the pattern a character is."""

import regex

from minbpe_course.learning import Exercise, Mistake

from .follow import END


def kind(character, sets):
    r"""Return whether the character is in each of the sets, or END for an empty text.

    Two characters that are in exactly the same sets can share a column of the table.

    * **In:** `character`, a str of one character, or `""` for the end of the text; `sets`, a list of str, each a
      regular expression (for the module `regex`) that matches one character.
    * **Out:** a tuple of `True` and `False`, one for each set, in their order; `END` for the end of the text.

    `kind("7", [r"\d", r"\s"])` is `(True, False)`.
    """
    inside = tuple(bool(regex.match(one, character)) for one in sets)
    return inside if character else END


SETS = [r"\d", r"\s", r"\S", r"\p{L}", r"\p{N}", r"[^\s\p{L}\p{N}]", "'", "[sdmt]", "."]
ONE, MANY, AT_END = "one set", "several sets", "the end of the text"


def cases(random):
    for character in "7a \n\u3000'٣中é!🙂s":
        yield ONE, character, [random.choice(SETS)]
        yield MANY, character, random.sample(SETS, 4)
        yield MANY, character, SETS
        yield AT_END, "", random.sample(SETS, random.randint(1, 4))


EXERCISE = Exercise(
    "10.kind",
    "The kind of a character",
    "write",
    answer=kind,
    given=("END",),
    packages=("regex",),
    difficulty=1,
    minutes=4,
    points=1,
    hints=(
        "One question for each set, and what is asked before all of them?",
        "Lesson 10, section 4: two characters with equal answers share a column.",
        "for an empty text: END; otherwise a tuple: for each set, whether regex.match(set, character) finds something",
    ),
    shown=(
        (ONE, "7", [r"\d"]),
        (MANY, " ", [r"\d", r"\s", r"\S"]),
        (AT_END, "", [r"\d"]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "end-without-kind",
            "The end of the text is in no set, but it needs a kind of its own: `END`.",
            like=("inside if character else END", "inside"),
        ),
        Mistake(
            "names-of-the-sets",
            "These are the sets that contain the character. One `True` or `False` for each set is asked for.",
            like=lambda character, sets: tuple(one for one in sets if character and regex.match(one, character)),
        ),
        Mistake(
            "any-of-them",
            "One answer for each set, not one for all of them.",
            like=("return inside if character", "return any(inside) if character"),
        ),
    ),
)
