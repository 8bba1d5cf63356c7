"""Exercise 12.keeps_ids: whether a .tiktoken file of these merges gives the same ids for every text.

A list of ranks merges two neighbours when their joined bytes are a token. That equals the merges if, and only if, no
two tokens have the same bytes and every token is the encoding of its own bytes (lesson 04, the section "Look up the
pair, or the joined bytes?").
"""

from minbpe_course.learning import Exercise, Mistake, edited
from minbpe_course.reference.training import train_steps


def keeps_ids(merges):
    """Return whether a list of ranks gives the same ids as the merges for every text.

    You want to turn merges into a `.tiktoken` file, a list of tokens with ranks. A program that reads this file merges
    two neighbors if their *joined bytes* are in the list, and takes a word as a whole if the word is in the list. Will
    every text still have the ids that the merges give?

    * **In:** `merges`, a list of pairs of ids. Ids below 256 are bytes; the first pair makes id 256, the next one 257,
      and so on. Merging takes the pair with the smallest id first; if ids are equal, the leftmost pair.
    * **Out:** `True` if the ids of every text stay the same, otherwise `False`.

    | `merges` | tokens | answer |
    |---|---|---|
    | `[(97, 98), (256, 99)]` | `ab`, `abc` | `True` |
    | `[(97, 98), (98, 99), (97, 257)]` | `ab`, `bc`, `abc` | `False`: `abc` gets two ids, as `ab` is first |
    | `[(97, 97), (256, 97), (97, 256)]` | `aa`, `aaa`, `aaa` | `False`: one line, two ids |
    """
    spelled = [bytes([value]) for value in range(256)]
    made_of = {}
    for a, b in merges:
        made_of[a, b] = len(spelled)
        spelled.append(spelled[a] + spelled[b])
    if len(set(spelled)) < len(spelled):
        return False

    def merged(numbers):
        while True:
            places = [(made_of[both], at) for at, both in enumerate(zip(numbers, numbers[1:])) if both in made_of]
            if not places:
                return numbers
            number, at = min(places)
            numbers = [*numbers[:at], number, *numbers[at + 2 :]]

    return all(merged(list(raw)) == [number] for number, raw in enumerate(spelled))


_LAST = "all(merged(list(raw)) == [number] for number, raw in enumerate(spelled))"
all_different = edited(keeps_ids, (_LAST, "True"))

TRAINED = "trained merges"
FORESTALLED = "a token that other merges prevent"
TWICE = "two tokens with the same bytes"
BOTH = "merges in another order, and still right"


def cases(random):
    def reordered(merges):
        """Return the same merges in a random order in which both halves of each still come first."""
        waiting, names, order = dict(enumerate(merges, start=256)), {byte: byte for byte in range(256)}, []
        while waiting:
            old = random.choice([old for old, pair in waiting.items() if {*pair} <= {*names}])
            order.append(tuple(names[half] for half in waiting.pop(old)))
            names[old] = 255 + len(order)
        return order

    yield TRAINED, []
    yield BOTH, [(97, 98), (98, 99), (256, 99)]
    wanted = dict.fromkeys((TRAINED, FORESTALLED, TWICE, BOTH), 7)
    while any(wanted.values()):
        words = ["".join(random.choices("abbcd", k=random.randint(3, 9))).encode() for _ in range(9)]
        trained = [step.pair for step in train_steps(words, 256 + random.randint(3, 9))]
        for category in (TRAINED, BOTH, BOTH, BOTH):
            merges = trained if category == TRAINED else reordered(trained)
            left, right = merges[0]
            # They make two tokens of the same three bytes.
            more = [(256, right), (right, right), (left, 257 + len(merges))]
            if random.random() < 0.3 and not {*merges} & {*more}:
                merges = merges + more
            if not keeps_ids(merges):
                category = FORESTALLED if all_different(merges) else TWICE
            if wanted[category] and merges:
                wanted[category] -= 1
                yield category, merges


EXERCISE = Exercise(
    "12.keeps_ids",
    "Which merges does a list of ranks keep?",
    "write",
    answer=keeps_ids,
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "tiktoken looks up joined bytes. Where could it join bytes that these merges would not join? Lesson 04 has "
        "such a vocabulary of three tokens.",
        "Lesson 04 asks whether to look up the pair or the joined bytes, and lesson 12 writes the `.tiktoken` file.",
        "make the bytes of every token; if two are equal: False; encode the bytes of every token with the merges, as "
        "lesson 02 does; if the result is not that one token: False; else True",
    ),
    shown=(
        (TRAINED, [(97, 98), (256, 99)]),
        (FORESTALLED, [(97, 98), (98, 99), (97, 257)]),
        (TWICE, [(97, 97), (256, 97), (97, 256)]),
        (BOTH, [(98, 99), (97, 256)]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "from-the-left",
            "Here the leftmost pair is not the one that merges first. Which pair do these merges take first?",
            like=("min(places)", "places[0]"),
        ),
        Mistake(
            "one-way-only",
            "A token that could be put together in two ways does no harm if the merges always choose the same one.",
            like=(
                _LAST,
                "all(sum({raw[:at], raw[at:]} <= {*spelled} for at in range(len(raw))) < 2 for raw in spelled)",
            ),
        ),
        Mistake(
            "different-only",
            "All tokens are different, and still one of them is never produced: another merge always comes first.",
            like=all_different,
        ),
        Mistake(
            "reached-only",
            "Two merges that make the same bytes are two ids for one line. A list of ranks can hold only one of them.",
            like=(
                ("if len(set(spelled)) < len(spelled)", "if False"),
                ("[number] for number, raw in enumerate(spelled)", "[spelled.index(raw)] for raw in spelled"),
            ),
        ),
        Mistake(
            "pairs",
            "Look at the bytes that the pairs make, and at what happens when all merges are applied.",
            like=lambda merges: len(set(merges)) == len(merges),
        ),
    ),
)
