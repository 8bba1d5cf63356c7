"""Exercise 10.word_end: follow a table, and remember the last place where a word could end."""

from minbpe_course.learning import Exercise, Mistake


def word_end(table, ends, text, begin):
    """Return where the word that begins at begin ends, or begin if no word begins there.

    Follow the table from the state `"start"`, one character at a time, until it has no entry for the next character, or
    the text ends. The word ends at the last place where a word *could* end. That may be earlier than where you stopped.

    * **In:** `table`, a dict from each state to a dict from a character to the next state; `ends`, the set of the
      states in which a word can end; `text`; `begin`, where the word begins.
    * **Out:** the index after the last character of the longest word that begins at `begin`.

    ```
    table = {"start": {"a": "in a", "b": "after b"}, "in a": {"a": "in a"}, "after b": {}}
    word_end(table, {"in a", "after b"}, "xaab", 1)    ->  3
    word_end(table, {"in a", "after b"}, "xaab", 0)    ->  0
    ```
    """
    state, end = "start", begin
    for at in range(begin, len(text)):
        state = table[state].get(text[at])
        if state is None:
            break
        if state in ends:
            end = at + 1
    return end


EITHER = {"start": {"a": "in a", "b": "after b"}, "in a": {"a": "in a"}, "after b": {}}
ENDS = {"in a", "after b"}
LONG = {"start": {"a": "a"}, "a": {"a": "aa", "b": "ab"}, "aa": {"a": "aa", "b": "ab"}, "ab": {}}
PLAIN, NONE, BACK = "the word ends where you stop", "no word begins there", "you read further than the word"


def cases(random):
    yield NONE, EITHER, ENDS, "", 0
    states = ["start", "one", "two", "three"]
    for size in range(1, 9):
        text, begin = "".join(random.choices("ab", k=size)), random.randrange(size)
        yield PLAIN, EITHER, ENDS, "b" * begin + "a" * size + "bx"[size % 2], begin
        yield NONE, EITHER, ENDS, text[:begin] + "x" + text, begin
        yield BACK, LONG, {"a", "ab"}, "a" * (size + 1) + random.choice("cb"), begin % 2
        table = {state: {letter: random.choice(states[1:]) for letter in "ab"} for state in states}
        del table[random.choice(states[1:])][random.choice("ab")]
        yield BACK, table, {*random.sample(states[1:], 1)}, text + "abab", begin


EXERCISE = Exercise(
    "10.word_end",
    "Follow the table",
    "write",
    answer=word_end,
    minutes=8,
    hints=(
        "After the loop, you need a place that may be far behind you. When did you pass it?",
        "Lesson 10, section 1: `a+b|a` on `aaac`.",
        "state = 'start', end = begin; for each place from begin on: look up the next state; if there is none, stop; "
        "if the state is in ends, end is the place after this character",
    ),
    shown=(
        (PLAIN, EITHER, ENDS, "xaab", 1),
        (NONE, EITHER, ENDS, "xa", 0),
        (BACK, LONG, {"a", "ab"}, "aaac", 0),
        (BACK, LONG, {"a", "ab"}, "aaab", 0),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "where-it-stopped",
            "That is where the table ended. A word may have ended earlier, and nothing after it could: remember the "
            "last such place.",
            like=(("        if state in ends:\n            end = at + 1", "        end = at + 1")),
        ),
        Mistake(
            "first-end",
            "The word may continue after a place where it could end.",
            like=("end = at + 1", "return at + 1"),
        ),
        Mistake(
            "one-too-few",
            "The end is the index *after* the last character of the word.",
            like=("end = at + 1", "end = at"),
        ),
        Mistake(
            "length",
            "Return an index of the text, not the length of the word.",
            like=("return end", "return end - begin"),
        ),
    ),
)
