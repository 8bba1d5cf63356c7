"""Exercise 05.allowed_set: minbpe's four ways to say which special tokens count."""

from minbpe_course.learning.exercises.lesson_05.samples import END, END_LINE, PAD
from minbpe_course.learning.judge.exercise import Exercise, Mistake


def allowed_set(text, special_tokens, allowed_special):
    """Return the special tokens that may count in text, as a dict from name to id.

    A tokenizer cannot know who wrote a text. So it asks its caller which special tokens may count in it, the way minbpe
    does:

    | `allowed_special` | result |
    |---|---|
    | `"all"` | every special token |
    | `"none"` | none: all of the text is ordinary |
    | `"none_raise"` | none, but `ValueError` if `text` contains a special token |
    | a set of names | the ones that are special tokens; all others are ordinary text |
    | any other string | `ValueError`: the caller has mistyped something |

    * **In:** `text`, a str; `special_tokens`, a dict from name to id; `allowed_special` as above.
    * **Out:** a dict from name to id, the special tokens that count.

    With `specials = {"<|end|>": 300, "<|pad|>": 301}`, the call `allowed_set("Bye<|end|>", specials, {"<|pad|>"})`
    returns `{"<|pad|>": 301}`, no matter what the text contains, and with `"none_raise"` it raises `ValueError`. Tried:
    halves of names, an empty set, names that are not special tokens, and the single string `"<|end|>"`.
    """
    if not isinstance(allowed_special, str):
        return {name: number for name, number in special_tokens.items() if name in allowed_special}
    if allowed_special == "all":
        return dict(special_tokens)
    if allowed_special not in ("none", "none_raise"):
        raise ValueError(f'allowed_special={allowed_special!r}: say "all", "none", "none_raise" or give a set')
    met = [name for name in special_tokens if name in text]
    if met and allowed_special == "none_raise":
        raise ValueError(f"the text contains the special token {met[0]!r}")
    return {}


def cases(random):
    yield "everything is allowed", "", {}, "all"
    yield "none_raise, and nothing to raise for", "", {END: 300}, "none_raise"
    for length in range(1, 9):
        text = "".join(random.choices([END, PAD, "<|en", "d|>", "<|", " ", "hi", "é", "\n"], k=length))
        specials = dict(random.sample([(END, 300), (PAD, 301), (END_LINE, 302), ("é", 0)], random.randint(1, 3)))
        meets = any(name in text for name in specials)
        yield "everything is allowed", text, specials, "all"
        yield "nothing is allowed", text, specials, "none"
        category = "none_raise meets a special token" if meets else "none_raise, and nothing to raise for"
        yield category, text, specials, "none_raise"
        names = set(random.sample([*specials, "<|unknown|>"], random.randint(1, len(specials))))
        category = "a set with a name that is no special token" if "<|unknown|>" in names else "a set of names"
        yield category, text, specials, names
        yield "a set of names", text, specials, set()
        word = random.choice([next(iter(specials)), "ALL", "none-raise", "some", ""])
        yield "a string that is none of the three words", text, specials, word


def takes_a_string_for_names(case, outcome, wanted):
    asked = case.args[2]
    return isinstance(asked, str) and asked not in ("all", "none", "none_raise") and outcome.state == "value"


def none_raise_is_silent(case, outcome, wanted):
    text, special_tokens, asked = case.args
    return asked == "none_raise" and outcome.state == "value" and any(name in text for name in special_tokens)


EXERCISE = Exercise(
    "05.allowed_set",
    "Who gets to send a signal?",
    "write",
    answer=allowed_set,
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "Go through the four kinds of argument one by one. Only one of them looks at the text at all.",
        'if "all": everything; if "none": nothing; if "none_raise": raise if any special token is in the text, '
        "else nothing; if it is any other str: raise; otherwise: the special tokens whose names are in the set",
        "Lesson 05, on who decides which special tokens count: minbpe has one argument with four kinds of values.",
    ),
    shown=(
        ("everything is allowed", f"Bye{END}", {END: 300}, "all"),
        ("nothing is allowed", f"Bye{END}", {END: 300}, "none"),
        ("none_raise, and nothing to raise for", "Bye<|en", {END: 300}, "none_raise"),
        ("none_raise meets a special token", f"Bye{END}", {END: 300}, "none_raise"),
        ("a set of names", f"Bye{END}", {END: 300, "<|pad|>": 301}, {"<|pad|>"}),
        ("a set with a name that is no special token", "Bye", {END: 300}, {"<|pad|>"}),
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
            "A string that is none of the three words is a mistake of the caller: `in` would look for a name inside "
            "it. Raise ValueError.",
            when=takes_a_string_for_names,
        ),
        Mistake(
            "none-raise-is-silent",
            'With "none_raise", look at the text itself: a special token in it is an error.',
            when=none_raise_is_silent,
        ),
        Mistake(
            "empty-set-raises",
            "An empty set is a set too: nothing may count, and nothing was mistyped.",
            like=("    if not isinst", "    if not allowed_special:\n        raise ValueError\n    if not isinst"),
        ),
        Mistake(
            "only-in-this-text",
            "The set says what may count in any text. Whether it is in this one makes no difference.",
            like=("if name in allowed_special}", "if name in allowed_special and name in text}"),
        ),
        Mistake(
            "set-raises",
            "A set never raises: what is not in it is ordinary text, and an unknown name in it is left out. tiktoken "
            "is stricter than minbpe.",
            when=lambda case, outcome, wanted: (
                isinstance(case.args[2], set) and outcome.error == "ValueError" and "unpack" not in outcome.message
            ),
        ),
        Mistake(
            "unknown-name",
            "The set may contain a name that is not a special token. Leave it out.",
            when=lambda case, outcome, wanted: isinstance(case.args[2], set) and outcome.error == "KeyError",
        ),
        Mistake(
            "raises-without-reason",
            'There is no special token in this text, so "none_raise" has nothing to raise for.',
            when=lambda case, outcome, wanted: case.args[2] == "none_raise" and outcome.error == "ValueError",
        ),
    ),
)
