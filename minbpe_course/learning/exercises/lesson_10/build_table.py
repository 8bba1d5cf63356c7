"""Exercise 10.build_table: the table of a small program, whose threads have an order.

The planted function is the textbook's: a state is a *set* of steps. It finds the longest word.
"""

from minbpe_course.learning import Case, Exercise, Mistake


def build_table(steps, begin, letters):
    """Return the rows of the table: letter -> (next state or None, whether a word can end before the letter).

    A colleague took the automaton from a textbook, in which a state is a *set* of steps, not a list of threads with the
    preferred one first. Now `a|ab` finds `ab`, and the ids are no longer tiktoken's. Repair the function, so that the
    first alternative that works wins.

    * **In:** `steps`, the list of steps of a program; `begin`, the number of the first step; `letters`, a str of the
      letters that get a column. A step is `("match",)`, or `("try", options)` with a list of the numbers of steps, the
      preferred one first, or `("read", letter, then)` with the letter that it reads and the number of the step after
      it.
    * **Out:** a list of rows, one for each state, in the order in which you find the states. A row is a dict from each
      letter (and `""` for the end of the text) to a pair: the number of the next state, or `None`; and whether a word
      can end *before* that letter.

    For `a|ab` there are two rows. After an `a`, the word ends no matter what comes next, and no letter continues it:

    ```
    build_table([("match",), ("read", "a", 0), ("read", "b", 0), ("read", "a", 2), ("try", [1, 3])], 4, "ab")
      ->  [{"a": (1, False), "b": (None, False), "": (None, False)},
           {"a": (None, True), "b": (None, True), "": (None, True)}]
    ```
    """
    ### BEGIN SOLUTION
    found, table = [(begin,)], []
    for threads in found:
        stack, visited, reads, ends = [*threads[::-1]], set(), [], False
        while stack and not ends:
            number = stack.pop()
            if number not in visited:
                visited.add(number)
                kind, *rest = steps[number]
                ends = kind == "match"
                if kind == "try":
                    stack += reversed(rest[0])
                elif kind == "read":
                    reads.append(rest)
        table.append({})
        for symbol in (*letters, ""):
            following = tuple(dict.fromkeys(then for letter, then in reads if letter == symbol))
            if following and following not in found:
                found.append(following)
            table[-1][symbol] = (found.index(following) if following else None, ends)
    return table
    ### INSTEAD
    # states, rows = [{begin}], []
    # for state in states:
    #     row = {}
    #     for letter in [*letters, ""]:
    #         waiting, seen, ended = sorted(state), set(), False
    #         after = set()
    #         while waiting:
    #             step = waiting.pop()
    #             if step in seen:
    #                 continue
    #             seen.add(step)
    #             name, *said = steps[step]
    #             if name == "match":
    #                 ended = True
    #             elif name == "try":
    #                 waiting += said[0]
    #             elif said[0] == letter:
    #                 after.add(said[1])
    #         if after and after not in states:
    #             states.append(after)
    #         row[letter] = (states.index(after) if after else None, ended)
    #     rows.append(row)
    # return rows
    ### END SOLUTION


def program_of(alternatives):
    """Return the steps of alternatives such as "ab" and "a+b", and the first step.

    >>> program_of(["a", "ab"])
    ([('match',), ('read', 'a', 0), ('read', 'b', 0), ('read', 'a', 2), ('try', [1, 3])], 4)
    """
    steps, options = [("match",)], []
    for alternative in alternatives:
        then = 0
        for sign in reversed(alternative.replace("a+", "A").replace("b+", "B")):
            if sign.isupper():
                steps += [("try", [len(steps) + 1, then]), ("read", sign.lower(), len(steps))]
            else:
                steps.append(("read", sign, then))
            then = len(steps) - 1
        options.append(then)
    return [*steps, ("try", options)], len(steps)


def program(category, *alternatives):
    return Case(category, (*program_of(alternatives), "ab"))


ONE = "one alternative"
CUT_OFF = "a shorter alternative first"
LONGER = "a longer alternative first"
LOOPS = "a repetition"
MANY = "several alternatives"


def cases(random):
    yield program(ONE, "b")
    for size in range(1, 4):
        word = "".join(random.choices("ab", k=size))
        yield program(ONE, word)
        yield program(CUT_OFF, word, word + random.choice("ab"))
        yield program(LONGER, word + random.choice("ab"), word)
        yield program(LOOPS, word[:-1] + "a+b", word)
        yield program(LOOPS, "a+", random.choice(["ab", "ba"]) + word)
    for size in range(3, 7):
        signs = ["a", "b", "a+", "b+", "a", "b"]
        yield program(MANY, *("".join(random.choices(signs, k=random.randint(1, 3))) for _ in range(size)))
    yield program(CUT_OFF, "b", "ab", "a", "abb")
    yield program(MANY, "ab+", "a", "a+bb", "b+a")
    yield program(MANY, "aba", "a+", "ab", "bb", "b")


EXERCISE = Exercise(
    "10.build_table",
    "A table that has lost the order of its threads",
    "repair",
    answer=build_table,
    difficulty=4,
    minutes=20,
    points=3,
    hints=(
        "With `a|ab` and with `ab|a` the table comes out the same. Where does the order of the alternatives get lost?",
        "Lesson 10, section 2: `follow` and `explore`.",
        "states and `after` are lists; take the first of `waiting`; the options of a try go before what is waiting, in "
        "order; a match ends the loop, because all that still waits is worse",
    ),
    shown=(
        program(CUT_OFF, "a", "ab"),
        program(LONGER, "ab", "a"),
        program(ONE, "b"),
        program(LOOPS, "a+b", "a"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "drops-the-better",
            "A match drops what is *waiting*. What is in `after` already is better, and may find a longer word.",
            like=('kind == "match"', 'kind == "match"\n                reads *= not ends'),
        ),
        Mistake(
            "options-at-the-end",
            "The options of a `try` take its place: they come before everything that is waiting.",
            like=("stack += reversed(rest[0])", "stack[:0] = reversed(rest[0])"),
        ),
        Mistake(
            "backwards",
            "You prefer the last alternative. Is it the first or the last of `waiting` that you take?",
            like=("reversed(rest[0])", "rest[0]"),
        ),
        Mistake(
            "sorted-threads",
            "Your states are sorted. The order of the threads is the order in which the pattern prefers them.",
            like=("threads[::-1]", "sorted(threads)[::-1]"),
        ),
        Mistake(
            "nothing-ends",
            "No word ever ends in your table. Is `ended` set before the loop is left?",
            like=("None, ends)", "None, False)"),
        ),
    ),
)
