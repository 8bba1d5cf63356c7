"""Exercise 16.test_clean: functions that remove special tokens, right and careless, for the learner's test.

Each source defines ``clean(text, specials)``. While the text contains a special token, the leftmost is removed, and of
several that begin there the longest. The rest may *become* a special token: ``<|e<|end|>nd|>`` does.
"""

from minbpe_course.learning import Exercise, mutant


def test_clean(clean):
    """Raise AssertionError if clean leaves a special token, or removes anything else.

    Text from users must not contain special tokens. Suppose a single line of code removes them, and gets it wrong: it
    turns `<|e<|end|>nd|>` into `<|end|>`. Write the test that finds such cleaners.

    A correct `clean(text, specials)` repeats one step until the text contains no special token: it removes the one that
    **begins furthest left**, and if several begin there, the **longest**. Nothing else changes.

    * **In:** `clean`, a function. It takes a str and a list of str, the special tokens. None of them is empty, they may
      overlap, one may begin with another, and the list may be empty. It returns a str.
    * **Out:** nothing if `clean` is correct; `AssertionError` if it is not (a plain `assert` will do).

    Your test is run on three correct cleaners, written quite differently, and on ten wrong ones. It runs several times
    on each, and its verdict must not change. Catching all ten earns 3 points, five to nine earn 1.
    """
    from random import Random

    def carefully(dirty, tokens):
        while True:
            places = [(dirty.index(one), -len(one)) for one in tokens if one in dirty]
            if not places:
                return dirty
            place, length = min(places)
            dirty = dirty[:place] + dirty[place - length :]

    rng = Random(5)
    families = [["<|end|>", "<|e"], ["ab", "bc", "abc"], ["<|end|>"], [], ["a", "aa"], ["<|end|>", "<|start|>"]]
    for tokens in families:
        pieces = [" ", "<", "end", "x", "a", "b", "c", "<|END|>", "|", *tokens, *(one[:2] for one in tokens)]
        for size in range(60):
            dirty = " " * (size % 2) + "".join(rng.choices(pieces, k=1 + size // 5)) + " " * (size % 3)
            assert clean(dirty, list(tokens)) == carefully(dirty, tokens), (dirty, tokens)
    deep = "<|end|>"
    for _ in range(8):
        deep = "<|e" + deep + "nd|>"
    assert clean(deep, ["<|end|>"]) == carefully(deep, ["<|end|>"])
    crossed = "<|st<|end|>art|> <|e<|start|>nd|>"
    for tokens in (["<|end|>", "<|start|>"], ["<|start|>", "<|end|>"]):
        assert clean(crossed, tokens) == " "


_SEARCH = """
def clean(text, specials):
    while True:
        found = [(text.find(special), -len(special)) for special in specials if special in text]
        if not found:
            return text
        at, size = min(found)
        text = text[:at] + text[at - size:]
"""

_REGEX = """
import re

def clean(text, specials):
    if not specials:
        return text
    ways = "|".join(re.escape(special) for special in sorted(specials, key=len, reverse=True))
    while re.search(ways, text):
        text = re.sub(ways, "", text, count=1)
    return text
"""

_WALK = """
def clean(text, specials):
    longest_first = sorted(set(specials), key=lambda special: -len(special))
    at = 0
    while at < len(text):
        for special in longest_first:
            if text[at:at + len(special)] == special:
                text = text[:at] + text[at + len(special):]
                # Something further left may have been completed by what has moved up.
                at = max(0, at - len(longest_first[0])) - 1
                break
        at += 1
    return text
"""

_EACH_ONCE = """
def clean(text, specials):
    for special in specials:
        text = text.replace(special, "")
    return text
"""

_AGAIN, _INNOCENT = ("leaves a special token that the rest has become", "removes text that is not a special token")

EXERCISE = Exercise(
    "16.test_clean",
    "Ten careless cleaners",
    "test",
    answer=test_clean,
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "After a removal, the rest may contain a special token again. And what if two special tokens overlap, or if "
        "one begins with the other?",
        "Lesson 16, on `<|endoftext|>` in what a user types. The ten leave one in, or remove too much.",
        "write the slow cleaner inside the test (find all, remove the leftmost, the longest if several begin there, "
        "and start again); compare on texts that you build from pieces of special tokens, spaces, and other letters",
    ),
    subject="clean",
    right=(_SEARCH, _REGEX, _WALK),
    mutants=(
        mutant(_EACH_ONCE, "each-replaced-once", _AGAIN),
        mutant(_REGEX, "one-pass-of-a-pattern", _AGAIN, ("while re.search(ways, text)", "if True"), (", count=1", "")),
        mutant(_EACH_ONCE, "three-rounds", _AGAIN, ("in specials:", "in specials * 3:")),
        mutant(
            _EACH_ONCE,
            "one-special-token-after-the-other",
            "fails with several special tokens",
            ("        text", "        while special in text:\n            text"),
            ('special, ""', 'special, "", 1'),
        ),
        mutant(
            _SEARCH,
            "knows-one-special-token",
            "fails with several special tokens",
            ("in specials if", "in specials[:1] if"),
        ),
        mutant(
            _SEARCH,
            "the-shortest-first",
            "fails with special tokens that overlap",
            ("-len(special))", "len(special))"),
            ("at - size", "at + size"),
        ),
        mutant(
            _SEARCH,
            "from-the-right",
            "fails with special tokens that overlap",
            ("text.find(", "text.rfind("),
            ("min(found)", "max(found)"),
        ),
        mutant(
            _REGEX,
            "reads-bars-as-alternatives",
            _INNOCENT,
            ("re.escape(special)", "special"),
            ("while re.search(ways, text)", "for _ in text"),
        ),
        mutant(
            _REGEX,
            "in-any-case",
            _INNOCENT,
            ("search(ways, text)", "search(ways, text, re.I)"),
            ("count=1", "count=1, flags=re.I"),
        ),
        mutant(_SEARCH, "tidies-up", _INNOCENT, ("return text", "return text.strip()")),
    ),
)
