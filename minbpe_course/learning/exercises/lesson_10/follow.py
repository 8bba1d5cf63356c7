"""Exercise 10.follow: what becomes of a list of threads, the preferred one first, at the next character."""

from types import SimpleNamespace

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference.pattern_table import PatternTable

END = ()


def is_in(kind, number):
    """Return whether characters of this kind are in a set. Only the end of the text is in END."""
    return kind == END if number == END else kind != END and kind[number]


def follow(steps, threads, kind):
    """Return the threads after a character of this kind, and whether a word can end before it.

    Two lines are missing. `threads` are the numbers of the steps that the paths through a program have reached, **the
    preferred one first**. The function follows them in this order:

    * At `("match",)`, a word can end. The pattern prefers this match to the threads that are still waiting, so drop
      them: return `after` and `True`.
    * At `("try", options)`, put the options, in order, *before* everything that is still waiting. `said[0]` is the list
      of options.
    * At `("read", number, then)`, the thread continues at step `then`, if the character is in the set `number`. That
      part is there.

    For `a|ab`, after its `a`, the threads are `[0, 2]`. Step 0 is the match, so the thread 2 is dropped:

    ```
    steps = [("match",), ("read", 0, 0), ("read", 1, 0), ("read", 0, 2), ("try", [1, 3])]
    follow(steps, [0, 2], (False, True))    ->  ([], True)
    follow(steps, [4], (True, False))       ->  ([0, 2], False)
    ```
    """
    waiting, after, seen = list(threads), [], set()
    while waiting:
        at = waiting.pop(0)
        if at in seen:
            continue
        seen.add(at)
        name, *said = steps[at]
        if name == "match":
            ### BEGIN SOLUTION
            return after, True
            ### END SOLUTION
        elif name == "try":
            ### BEGIN SOLUTION
            waiting = said[0] + waiting
            ### END SOLUTION
        elif name == "read" and is_in(kind, said[0]) and said[1] not in after:
            after.append(said[1])
    return after, False


def by_the_package(steps, threads, kind):
    """Ask the reference implementation."""
    after, ended = PatternTable.follow(SimpleNamespace(steps=steps), threads, kind)
    return [*after], ended


MATCH, TRY, READ = "a word can end", "a step with options", "options within options"
FIRST, SECOND = PatternTable("a|ab").steps, PatternTable("ab|a").steps
A, B = (True, False), (False, True)


def cases(random):
    for pattern in ("a|ab", "ab|a", "a+b|a", "(?:a|b)+?a|b+", "(?:ab?|b)+|a", "a{2,3}|ab|b?a"):
        program = PatternTable(pattern)
        threads = [program.entry]
        for _ in range(5):
            kind = random.choice([program.kind("a"), program.kind("b"), END])
            names = {program.steps[at][0] for at in threads}
            options = [program.steps[at][1] for at in threads if program.steps[at][0] == "try"]
            inside = any(program.steps[at][0] == "try" for each in options for at in each)
            yield MATCH if "match" in names else READ if inside else TRY, program.steps, threads, kind
            after, _ = follow(program.steps, threads, kind)
            threads = after or [program.entry, *random.sample(range(len(program.steps)), 2)]


EXERCISE = Exercise(
    "10.follow",
    "Threads in their order",
    "fill",
    answer=follow,
    given=("END",),
    wanted=by_the_package,
    difficulty=3,
    minutes=10,
    hints=(
        "`waiting` is ordered by preference. What does the pattern still want to know after its preferred match?",
        "Lesson 10, section 2: work through `[0, 2]` and `[1, 0]` by hand.",
        "at a match: return after, True. At a try: the new list of waiting threads is its options, then the old list",
    ),
    shown=(
        (TRY, FIRST, [4], A),
        (MATCH, FIRST, [0, 2], B),
        (MATCH, SECOND, [1, 0], A),
        (MATCH, SECOND, [1, 0], END),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "keeps-the-others",
            "The match comes before the threads that are still waiting: drop them. Otherwise the longest word wins.",
            like=(
                ("waiting, after, seen = list(threads), [], set()", "waiting, after, seen, ended = list(threads), [], "
                 "set(), False"),
                ("return after, True", "ended = True"),
                ("return after, False", "return after, ended"),
            ),
        ),
        Mistake(
            "drops-what-was-read",
            "The threads in `after` were preferred to this match. They stay.",
            like=("return after, True", "return [], True"),
        ),
        Mistake(
            "options-at-the-end",
            "The options take the place of the step that offers them, so they come before what is still waiting.",
            like=("said[0] + waiting", "waiting + said[0]"),
        ),
        Mistake(
            "options-reversed",
            "The first option is the preferred one.",
            like=("said[0] + waiting", "said[0][::-1] + waiting"),
        ),
    ),
)  # fmt: skip
