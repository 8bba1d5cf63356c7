"""Exercise 18.contaminated: how much of a test was in the training text."""

from minbpe_course.learning import Exercise, Mistake


def contaminated(tests, training, size):
    """Return which share of the test occurs in the training text.

    A **window** is a run of `size` characters in one of the tests, at any position.

    * **In:** `tests`, a list of str; `training`, a str; `size`, how long a window is.
    * **Out:** a float, the share of the windows that occur anywhere in `training`; 0.0 if there is no window.

    `contaminated(["abcd"], "xabcx", 3)` is `0.5`: of the windows `abc` and `bcd`, the first one occurs.
    """
    windows = [test[at : at + size] for test in tests for at in range(len(test) - size + 1)]
    return sum(window in training for window in windows) / max(1, len(windows))


def cases(random):
    for size in range(2, 7):
        tests = ["".join(random.choices("abc", k=size + random.randint(1, 6))) for _ in range(size)]
        training = "".join(random.choices("abc", k=5 * size)) + tests[0][1:]
        yield "windows at every position", tests, training, size
        yield "windows that occur twice", [tests[0] * 3, tests[1]], tests[0] + "abc", size
        yield "tests that are too short", ["ab"[: size - 1], tests[0], ""], training, size
    yield "no window", ["a", ""], "aaaa", random.randint(2, 5)


EXERCISE = Exercise(
    "18.contaminated",
    "What has been seen before",
    "write",
    answer=contaminated,
    difficulty=2,
    minutes=5,
    hints=(
        "First collect the windows. How many does a test of five characters have, if a window has three?",
        "Lesson 18, on cheating: a test that was in the training text.",
        "test[at : at + size] for each at in range(len(test) - size + 1); count those that are in training, and divide "
        "by their number, if there are any",
    ),
    shown=(
        ("windows at every position", ["abcd"], "xabcx", 3),
        ("windows that occur twice", ["aaab"], "aa", 2),
        ("tests that are too short", ["ab", "abc"], "zzz", 3),
        ("no window", ["ab"], "ab", 3),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "each-window-once",
            "A window that occurs twice in the tests counts twice.",
            like=("windows = [test[at : at + size] for test in tests for at in range(len(test) - size + 1)]",
                  "windows = {test[at : at + size] for test in tests for at in range(len(test) - size + 1)}"),
        ),
        Mistake(
            "one-too-few",
            "The last window of each test is missing: a text of five characters has three windows of three.",
            like=("len(test) - size + 1", "len(test) - size"),
        ),
        Mistake(
            "short-windows",
            "Near the end of a test, a slice is shorter than `size`. That is not a window.",
            like=("len(test) - size + 1", "len(test)"),
        ),
        Mistake(
            "steps",
            "Windows overlap: the next one begins one character later.",
            like=("range(len(test) - size + 1)", "range(0, len(test) - size + 1, size)"),
        ),
        Mistake(
            "across-tests",
            "A window lies within one test. Yours also reaches from one into the next.",
            like=("for test in tests for", 'for test in ["".join(tests)] for'),
        ),
        Mistake(
            "no-windows",
            "There may be no window at all. The share is 0.0 then.",
            like=("max(1, len(windows))", "len(windows)"),
        ),
    ),
)  # fmt: skip
