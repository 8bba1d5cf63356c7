"""Exercise 05.allowed_set: minbpe's four ways to say which special tokens count."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_05.samples import END, END_LINE, PAD


def allowed_set(text, names, allowed_special):
    """Return the names of the special tokens that may count in text, a set.

    A tokenizer cannot know who wrote a text. So it asks its caller which special tokens may count in it, the way minbpe
    does:

    | `allowed_special` | result |
    |---|---|
    | `"all"` | every special token |
    | `"none"` | none: all of the text is ordinary |
    | `"none_raise"` | none, but `ValueError` if `text` contains a special token |
    | a set of names | those of them that are special tokens; other special tokens are ordinary text |
    | any other string | `ValueError`: the caller has mistyped something |

    * **In:** `text`, a str; `names`, a list of the names of the special tokens; `allowed_special` as above.
    * **Out:** a set: the names that count.

    With `names = ["<|end|>", "<|pad|>"]`, the call `allowed_set("Bye<|end|>", names, {"<|pad|>"})` returns
    `{"<|pad|>"}`, no matter what the text contains, and with `"none_raise"` it raises `ValueError`. Tried: halves of
    names, an empty set, names that are not special tokens, and the single string `"<|end|>"`.
    """
    if not isinstance(allowed_special, str):
        return set(names) & set(allowed_special)
    if allowed_special == "all":
        return set(names)
    if allowed_special not in ("none", "none_raise"):
        raise ValueError(f'allowed_special={allowed_special!r}: say "all", "none", "none_raise" or give a set')
    met = [name for name in names if name in text]
    if met and allowed_special == "none_raise":
        raise ValueError(f"the text contains the special token {met[0]!r}")
    return set()


def cases(random):
    yield "everything is allowed", "", [], "all"
    yield "none_raise, and nothing to raise for", "", [END], "none_raise"
    for length in range(1, 9):
        text = "".join(random.choices([END, PAD, "<|en", "d|>", "<|", " ", "hi", "é", "\n"], k=length))
        names = random.sample([END, PAD, END_LINE, "é"], random.randint(1, 3))
        meets = any(name in text for name in names)
        yield "everything is allowed", text, names, "all"
        yield "nothing is allowed", text, names, "none"
        category = "none_raise meets a special token" if meets else "none_raise, and nothing to raise for"
        yield category, text, names, "none_raise"
        chosen = set(random.sample([*names, "<|unknown|>"], random.randint(1, len(names))))
        category = "a set with a name that is no special token" if "<|unknown|>" in chosen else "a set of names"
        yield category, text, names, chosen
        yield "a set of names", text, names, set()
        word = random.choice([names[0], "ALL", "none-raise", "some", ""])
        yield "a string that is none of the three words", text, names, word


EXERCISE = Exercise(
    "05.allowed_set",
    "Who gets to send a signal?",
    "write",
    answer=allowed_set,
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "Go through the table row by row. Only one row looks at the text at all.",
        "Lesson 05, on who decides which special tokens count: minbpe has one argument with four kinds of values.",
        'if "all": everything; if "none": nothing; if "none_raise": raise if any special token is in the text, '
        "else nothing; if it is any other str: raise; otherwise: the special tokens whose names are in the set",
    ),
    shown=(
        ("everything is allowed", f"Bye{END}", [END], "all"),
        ("nothing is allowed", f"Bye{END}", [END], "none"),
        ("none_raise, and nothing to raise for", "Bye<|en", [END], "none_raise"),
        ("none_raise meets a special token", f"Bye{END}", [END], "none_raise"),
        ("a string that is none of the three words", "Hi", [END], "ALL"),
        ("a set of names", f"Bye{END}", [END, PAD], {PAD}),
        ("a set with a name that is no special token", "Bye", [END], {PAD}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "asserts",
            "`assert` is for what cannot happen, and `python -O` removes it. A user's text can contain anything: "
            "raise ValueError.",
            when=lambda case, outcome, wanted: outcome.error == "AssertionError",
        ),
        Mistake(
            "string-taken-for-names",
            "A string that is none of the three words is a mistake of the caller: `name in allowed_special` would look "
            "for letters inside it. Raise ValueError.",
            when=lambda case, outcome, wanted: "a string" in case.category and outcome.state == "value",
        ),
        Mistake(
            "none-raise-is-silent",
            'With "none_raise", look at the text itself: a special token in it is an error.',
            when=lambda case, outcome, wanted: "meets" in case.category and outcome.state == "value",
        ),
        Mistake(
            "empty-set-raises",
            "An empty set is a set too: nothing may count, and nothing was mistyped.",
            like=("    if not isinst", "    if not allowed_special:\n        raise ValueError\n    if not isinst"),
        ),
        Mistake(
            "only-in-this-text",
            "The set says what may count in any text. Whether it is in this one makes no difference.",
            like=("set(allowed_special)", "{name for name in allowed_special if name in text}"),
        ),
        Mistake(
            "set-raises",
            "A set never raises: what is not in it is ordinary text, and an unknown name in it is left out. tiktoken "
            "is stricter than minbpe.",
            when=lambda case, outcome, wanted: "a set" in case.category and outcome.error == "ValueError",
        ),
        Mistake(
            "unknown-name",
            "The set may contain a name that is not a special token. Leave it out.",
            like=("set(names) & set(allowed_special)", "set(allowed_special)"),
        ),
        Mistake(
            "raises-without-reason",
            'There is no special token in this text, so "none_raise" has nothing to raise for.',
            when=lambda case, outcome, wanted: case.args[2] == "none_raise" and outcome.error == "ValueError",
        ),
    ),
)
