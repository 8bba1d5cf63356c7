"""Exercise 19.pack: LZW over ids, so that what has occurred before becomes one id."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference.hypertokens import pack as reference_pack


def pack(ids, first, most):
    """Return the ids with hypertokens: one id for a run that has occurred before.

    Read the ids from left to right, and keep the current *run*, which is empty at first. For each id:

    1. If the run isn't empty, and the run with this id is not known: **write** the run, **learn** the run with this id
       as the next hypertoken, and make the run empty.
    2. Add the id to the run.
    3. If the run has `most` ids now, write it, learn nothing, and make it empty.

    At the end, write what is left of the run. To write a run of one id is to write that id; a longer one is written as
    its hypertoken.

    * **In:** `ids`, a list; `first`, the id of the first hypertoken, above all ids, the second is `first + 1`; `most`,
      how many ids a run may have, at least 2.
    * **Out:** the list of what you wrote.

    ```
    pack([7, 8, 7, 8, 7, 8, 7], 100, 4)    ->  [7, 8, 100, 102]
    pack([7, 7, 7, 7, 7], 100, 2)          ->  [7, 100, 100]
    ```

    In the first one, you learn 100 for `7 8`, 101 for `8 7`, and 102 for `7 8 7`.
    """
    known, written, run = {}, [], ()
    for token in ids:
        if run and (*run, token) not in known:
            written.append(known.get(run, run[0]))
            known[(*run, token)] = first + len(known)
            run = ()
        run = (*run, token)
        if len(run) == most:
            written.append(known.get(run, run[0]))
            run = ()
    if run:
        written.append(known.get(run, run[0]))
    return written


def too_early(ids, first, most):
    """Write a run that is new as a hypertoken, at once."""
    known, written, run = {}, [], ()
    for token in ids:
        run = (*run, token)
        new = len(run) > 1 and run not in known
        if new:
            known[run] = first + len(known)
        if new or len(run) == most:
            written.append(known[run])
            run = ()
    return written + [known.get(run, run[0])] * bool(run)


NEW, AGAIN, FULL, EMPTY = "nothing occurs twice", "runs that occur again", "full runs", "no ids"


def cases(random):
    yield EMPTY, [], 100, 3
    for size in range(2, 10):
        yield NEW, random.sample(range(50), size), 50, 4
        few = random.choices(range(2), k=3 * size)
        yield AGAIN, few, 100, 50
        yield AGAIN, random.choices([3, 5, 9], k=4 * size), 10, 50
        yield FULL, few, 1000, random.randint(2, 3)
        yield FULL, [4] * (2 * size), 5, random.randint(2, 4)


EXERCISE = Exercise(
    "19.pack",
    "Hypertokens",
    "write",
    answer=pack,
    difficulty=3,
    minutes=12,
    points=3,
    hints=(
        "Which runs do you know? Keep them in a dict from a tuple of ids to the hypertoken.",
        "Lesson 19, on hypertokens, writes and learns step by step for a short list. Do it on paper for 7 8 7 8 7.",
        "for each id: if there is a run and run + (id,) is not in known: append known.get(run, run[0]), give run + "
        "(id,) the number first + len(known), empty the run; add the id to the run; if it has `most` ids, append and "
        "empty it. After the loop, append what is left",
    ),
    shown=(
        (NEW, [7, 8, 9], 100, 4),
        (AGAIN, [7, 8, 7, 8], 100, 4),
        (AGAIN, [7, 8, 7, 8, 7, 8, 7], 100, 4),
        (FULL, [7, 7, 7, 7, 7], 100, 2),
        (EMPTY, [], 100, 2),
    ),
    wanted=reference_pack,
    drawn=cases,
    mistakes=(
        Mistake(
            "loses-the-end",
            "At the end of the ids, the run is still unwritten.",
            like=("    if run:\n        written.append(known.get(run, run[0]))\n    return", "    return"),
        ),
        Mistake(
            "no-limit",
            "A run has at most `most` ids. Write it as soon as it is full.",
            like=("len(run) == most", "False"),
        ),
        Mistake(
            "forgets-the-id",
            "The id that did not fit begins the next run.",
            like=(
                "            run = ()\n        run = (*run, token)",
                "            run = ()\n            continue\n        run = (*run, token)",
            ),
        ),
        Mistake(
            "learns-too-early",
            "Write first, then learn. The decoder cannot know a run before it has read the id after it.",
            like=too_early,
        ),
    ),
)
