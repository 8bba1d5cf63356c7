"""What lesson 05 tries on special tokens in plain text: which count, where the text is cut, which id is free.

    free_id            the smallest id that nobody has
    allowed_set        minbpe's four ways of asking
    split_cases, ...   the cases, drawn from a random number generator, smallest first

Limits: names of special tokens are never empty here; what an empty name should mean, nobody knows.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from random import Random
from typing import Any

from minbpe_course.checks.exercise import Case, Outcome
from minbpe_course.tokenizers.special_tokens import allowed_for_minbpe, split_on_special_tokens

END, END_LINE, PAD = "<|end|>", "<|end|>\n", "<|pad|>"
CHAT = {"<|im_start|>": 300, "<|im_end|>": 301}

# ----------------------------------------------------------------------------------------------------
# A free id


def free_id(token_bytes: Mapping[int, bytes], special_tokens: Mapping[str, int]) -> int:
    """Return the smallest id that neither an ordinary token nor a special token has.

    >>> free_id({0: b"a", 1: b"b", 3: b"ab"}, {"<|end|>": 4})
    2
    """
    return next(number for number in itertools.count() if number not in {*token_bytes, *special_tokens.values()})


def free_id_cases(random: Random) -> Iterator[Case]:
    """Yield vocabularies with and without gaps."""
    for number in range(36):
        size = 1 + number // 3
        category, gaps, specials = (
            ("no gap", 0, number % 5),
            ("a gap between the special tokens", 2, 2 + number % 4),
            ("a gap below the special tokens", 1, 1 + number % 4),
        )[number % 3]
        first = size + (gaps if "below" in category else 0)
        ids = list(range(first, first + specials + (gaps if "between" in category else 0)))
        if "between" in category:
            ids = sorted({ids[0], ids[-1], *random.sample(ids[1:-1], specials - 2)})
        random.shuffle(ids)
        names = random.sample([END, PAD, "<|user|>", "<|fim|>", "<s>", "</s>", "[INST]", "🛑"], len(ids))
        letters = {at: bytes([97 + at]) for at in range(size)}
        yield Case(category, (letters, dict(zip(names, ids))))
    yield Case("no special token yet", ({0: b"a", 1: b"b"}, {}))
    yield Case("an ordinary id is missing", ({0: b"a", 2: b"c"}, {END: 3}))
    yield Case("an ordinary id is missing", ({1: b"a", 2: b"c"}, {END: 3}))
    yield Case("a special token in the middle", ({0: b"a", 1: b"b", 3: b"c"}, {END: 2}))


# ----------------------------------------------------------------------------------------------------
# Which special tokens count


def allowed_set(text: str, special_tokens: dict[str, int], allowed_special: str | Collection[str]) -> dict[str, int]:
    """Return the special tokens that count in ``text``, asked for in minbpe's manner; ValueError where it must be.

    >>> allowed_set("a<|end|>", {"<|end|>": 300, "<|pad|>": 301}, {"<|end|>"})
    {'<|end|>': 300}
    """
    try:
        return dict(allowed_for_minbpe(text, allowed_special, special_tokens))
    except ValueError as error:
        raise ValueError(str(error)) from None  # a learner cannot raise the house's own kind


def allowed_cases(random: Random) -> Iterator[Case]:
    """Yield every way of asking, on texts with, without and with halves of special tokens."""
    pieces = [END, PAD, "<|en", "d|>", "<|", " ", "hi", "é", "\n"]
    yield Case("everything is allowed", ("", {}, "all"))
    yield Case("none_raise, and nothing to raise for", ("", {END: 300}, "none_raise"))
    for length in range(1, 9):
        text = "".join(random.choices(pieces, k=length))
        specials = dict(random.sample([(END, 300), (PAD, 301), (END_LINE, 302), ("é", 0)], random.randint(1, 3)))
        meets = any(name in text for name in specials)
        yield Case("everything is allowed", (text, specials, "all"))
        yield Case("nothing is allowed", (text, specials, "none"))
        category = "none_raise meets a special token" if meets else "none_raise, and nothing to raise for"
        yield Case(category, (text, specials, "none_raise"))
        names = set(random.sample([*specials, "<|unknown|>"], random.randint(1, len(specials))))
        category = "a set with a name that is no special token" if "<|unknown|>" in names else "a set of names"
        yield Case(category, (text, specials, names))
        yield Case("a set of names", (text, specials, set()))
        word = random.choice([next(iter(specials)), "ALL", "none-raise", "some", ""])
        yield Case("a string that is none of the three words", (text, specials, word))


def asked_with_assert(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether an ``assert`` spoke instead of a ValueError."""
    return outcome.error == "AssertionError"


def word_taken_for_names(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether a string that is none of the three words was answered."""
    asked = case.args[2]
    return isinstance(asked, str) and asked not in ("all", "none", "none_raise") and outcome.state == "value"


def none_raise_is_silent(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether "none_raise" met a special token and nothing was raised."""
    return (
        case.args[2] == "none_raise" and outcome.state == "value" and any(name in case.args[0] for name in case.args[1])
    )


def set_raises(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether a set of names raised a ValueError, as tiktoken would for the special tokens that are not in it."""
    return isinstance(case.args[2], set) and "ValueError" in outcome.bases


def unknown_name_raises(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether a name that is no special token broke a look-up."""
    return isinstance(case.args[2], set) and outcome.error == "KeyError"


def raises_without_reason(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether "none_raise" raised although the text holds no special token."""
    return case.args[2] == "none_raise" and outcome.error == "ValueError"


# ----------------------------------------------------------------------------------------------------
# Cutting a text


def split_on_special(text: str, special_tokens: Mapping[str, int]) -> list[tuple[str, int | None]]:
    """Return the pieces of ``text`` in order: (ordinary text, None) or (special token, its id).

    >>> split_on_special("Hi<|end|>!", {"<|end|>": 300})
    [('Hi', None), ('<|end|>', 300), ('!', None)]
    """
    return list(split_on_special_tokens(text, special_tokens))


# category -> (special tokens in the order in which they are listed, what texts are made of)
_SPLITS: dict[str, tuple[list[str], list[str]]] = {
    "special tokens side by side and at the ends": ([END, PAD], [END, PAD, END, "a"]),
    "characters with a meaning in a regular expression": (
        ["[end]", "a.b", "(x)", "$", "\\d+", "^|"],
        ["[end]", "e", "n", "a.b", "a,b", "(x)", "x", "$", "\\d+", "12", "^|", "|", "end"],
    ),
    "one begins like another": (
        ["<|a|>", "<|a|><|b|>", "<|a|><|b|><|c|>", "aa", "a", "aaa"],
        ["<|a|>", "<|b|>", "<|c|>", "<|", "a", "|>"],
    ),
    "special tokens that overlap": (["ab", "bcd", "cdef", "d"], ["abcd", "abcdef", "bcdef", "a", "d", "f"]),
    "spaces and line feeds in names": (
        [END, END_LINE, " end", "\n\n", "\r\n", "end of text"],
        [END, "\n", " ", "end", " of text", "\r"],
    ),
    "an id that is 0": ([END, PAD], [END, PAD, "a", " "]),
    "halves of special tokens": ([*CHAT, END], [*CHAT, END, "<|im_", "start|>", "end|>", "<|", "|>"]),
    "surrogates and other scripts": (["🛑", "é", "\u0301", "世界"], ["🛑", "é", "e\u0301", "世", "界", "\ud800", "ß"]),
}


def split_cases(random: Random) -> Iterator[Case]:
    """Yield texts thrown together from special tokens, halves of them and ordinary characters."""
    yield Case("no special token is known", ("", {}))
    yield Case("no special token is known", ("a<|end|>", {}))
    cases = []
    for category, (names, pieces) in _SPLITS.items():
        for length in range(1, 9):
            chosen = random.sample(names, random.randint(min(2, len(names)), len(names)))
            first = 0 if category == "an id that is 0" else 256 + random.randrange(50)
            specials = {name: first + at for at, name in enumerate(chosen)}
            cases.append(Case(category, ("".join(random.choices(pieces, k=length)), specials)))
    yield from sorted(cases, key=lambda case: len(case.args[0]))


def pieces_in(outcome: Outcome) -> list[tuple[Any, Any]]:
    """Return the pairs of an answer to ``split_on_special``, whatever else it holds left out.

    >>> pieces_in(Outcome("value", [("a", None), 5]))
    [('a', None)]
    """
    listed = outcome.value if isinstance(outcome.value, (list, tuple)) else []
    return [tuple(pair) for pair in listed if isinstance(pair, (list, tuple)) and len(pair) == 2]


def nothing_known(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether an empty table of special tokens was the trouble."""
    return not case.args[1] and outcome.state in ("value", "raised")


def empty_pieces(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether pieces without text are all that is wrong."""
    pieces = pieces_in(outcome)
    return ("", None) in pieces and [pair for pair in pieces if pair[0] != ""] == [tuple(pair) for pair in wanted or ()]


def crumbs(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether the answer is right but for ordinary text that is cut where nothing special stands."""
    whole: list[tuple[Any, Any]] = []
    for text, number in pieces_in(outcome):
        if number is None and whole and whole[-1][1] is None and isinstance(text, str):
            whole[-1] = whole[-1][0] + text, None
        else:
            whole.append((text, number))
    return whole == [tuple(pair) for pair in wanted or ()]


def zero_lost(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether the special token with id 0 is treated like ordinary text."""
    zero = [name for name, number in case.args[1].items() if number == 0]
    return any(text in zero and number != 0 for text, number in pieces_in(outcome))


def meaning_of_a_pattern(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether names were read as regular expressions: they fail to compile, or cut where no name stands."""
    if outcome.state != "value":
        return outcome.error in ("error", "PatternError")
    pieces = pieces_in(outcome)
    found = "".join(text for text, _ in pieces if isinstance(text, str))
    # Two pieces of text side by side: the text was cut where nothing special stands.
    return found != case.args[0] or any(a is b is None for (_, a), (_, b) in itertools.pairwise(pieces))


def shorter_won(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether, at the first place where the answer leaves what is wanted, a longer token would have fitted."""
    at = 0
    for (text, number), (right, right_id) in zip(pieces_in(outcome), wanted or ()):
        if text != right:
            longer = isinstance(text, str) and isinstance(right, str) and len(right) > len(text)
            return number is not None and right_id is not None and longer and case.args[0].startswith(right, at)
        at += len(text)
    return False


def later_won(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether a token was passed over for one that begins later in the text."""
    for (text, number), (right, right_id) in zip(pieces_in(outcome), wanted or ()):
        if text != right:
            return isinstance(text, str) and number is None and (right_id is not None or text.startswith(right))
    return False
