"""Exercise 16.cannot_write: the tokens whose own text is encoded as other tokens."""

import re

from minbpe_course.learning import Exercise, Mistake, edited


def cannot_write(ranks, pattern):
    r"""Return the ids whose own text becomes other ids.

    GPT-4o has twelve tokens that cannot write themselves: encoding their text gives other ids. Find such tokens in any
    vocabulary.

    * **In:** `ranks`, a dict from a pair of ids to the id that it becomes, in any order: ids below 256 are bytes,
      smaller ids merge first, equal ones from left to right. And `pattern`, a str: the words of a text are
      `re.findall(pattern, text)`.
    * **Out:** a sorted list of the ids in `ranks` whose text, split into words and merged word by word, does not become
      that one id again. A token whose bytes are not text (not UTF-8) has nothing to write, so leave it out.

    | `ranks` | `pattern` | answer |
    |---|---|---|
    | `{(97, 98): 256}` | `[\s\S]+` | `[]` |
    | `{(97, 32): 256, (97, 98): 257}` | ` ?[a-z]+\| +` | `[256]`: the pattern separates `a` from the space |
    | `{(97, 98): 256, (98, 99): 257, (97, 257): 258}` | `[\s\S]+` | `[258]`: in `abc`, the `ab` merges first |
    | `{(226, 153): 256}` | `[\s\S]+` | `[]`: half of `♞` is not text |
    """
    spelled = {byte: bytes([byte]) for byte in range(256)}
    for pair in sorted(ranks, key=ranks.get):
        spelled[ranks[pair]] = spelled[pair[0]] + spelled[pair[1]]

    def merged(word):
        parts = list(word.encode("utf-8"))
        while True:
            due = [(ranks[both], at) for at, both in enumerate(zip(parts, parts[1:])) if both in ranks]
            if not due:
                return parts
            made, at = min(due)
            parts[at : at + 2] = [made]

    lost = []
    for made in sorted(ranks.values()):
        try:
            own_text = spelled[made].decode("utf-8")
        except UnicodeDecodeError:
            continue
        if [part for word in re.findall(pattern, own_text) for part in merged(word)] != [made]:
            lost.append(made)
    return lost


ALL_WRITTEN, BY_PATTERN, BY_MERGES, PARTS = (
    "tokens that all come back",
    "tokens that the pattern cuts",
    "tokens that another merge prevents",
    "tokens that are parts of characters",
)


_by_pattern_only = edited(
    cannot_write,
    (
        "[part for word in re.findall(pattern, own_text) for part in merged(word)] != [made]",
        "len(re.findall(pattern, own_text)) != 1",
    ),
)
_with_parts = edited(cannot_write, ('.decode("utf-8")', '.decode("utf-8", "replace")'))
_PATTERNS = (" ?[a-z]+|[^a-z]+", "[a-z]+| +|[^a-z ]+", r"\S+|\s+", r"[\s\S]{1,3}", " ?[a-zé♞]+|[^a-zé♞]+", r"[\s\S]+")


def vocabulary_cases(random):
    """Yield vocabularies of every category, drawn until there are some of each."""
    yield ALL_WRITTEN, {}, r"[\s\S]+"
    yield ALL_WRITTEN, {(98, 99): 256, (97, 98): 257, (97, 256): 258}, r"\S+|\s+"
    yield BY_MERGES, {(97, 97): 256, (256, 97): 257, (97, 256): 258}, r"[\s\S]+"
    wanted = {ALL_WRITTEN: 4, BY_PATTERN: 6, BY_MERGES: 6, PARTS: 6}
    while any(wanted.values()):
        letters = random.choice(["ab ", "abc", "ab é", "a ♞", "ab1 "])
        # Merges of any two tokens, half of which can never be made, in any order.
        merges = {}
        for made in range(256, 256 + random.randint(3, 8)):
            known = sorted({*letters.encode(), *merges.values()})
            merges.setdefault(tuple(random.choices(known, k=2)), made)
        ranks = dict(random.sample([*merges.items()], len(merges)))
        pattern = random.choice(_PATTERNS)
        category = _category(ranks, pattern)
        if wanted[category]:
            wanted[category] -= 1
            yield category, ranks, pattern


def _category(ranks, pattern):
    lost = cannot_write(ranks, pattern)
    if _with_parts(ranks, pattern) != lost:
        return PARTS
    if not lost:
        return ALL_WRITTEN
    return BY_MERGES if lost != _by_pattern_only(ranks, pattern) else BY_PATTERN


EXERCISE = Exercise(
    "16.cannot_write",
    "Tokens that cannot write themselves",
    "match",
    answer=cannot_write,
    difficulty=4,
    minutes=30,
    points=4,
    hints=(
        "Do what a tokenizer does with the text of each token: split it into words and merge each word. Is the result "
        "that one id?",
        "Lesson 16, on tokens that cannot write themselves. Lesson 02 has the merging of a word.",
        "make the bytes of each id from its pair; if they decode: ids = merge every word of re.findall(pattern, text), "
        "smallest id first, one after the other; if ids is not [id], the id is part of the answer",
    ),
    shown=(
        (ALL_WRITTEN, {(97, 98): 256}, r"[\s\S]+"),
        (BY_PATTERN, {(97, 32): 256, (97, 98): 257}, " ?[a-z]+| +"),
        (BY_MERGES, {(97, 98): 256, (98, 99): 257, (97, 257): 258}, r"[\s\S]+"),
        (PARTS, {(0xE2, 0x99): 256}, r"[\s\S]+"),
    ),
    drawn=vocabulary_cases,
    mistakes=(
        Mistake(
            "no-pattern",
            "The text is cut into words before anything merges. A token that is two words never comes back.",
            like=("re.findall(pattern, own_text)", "[own_text]"),
        ),
        Mistake(
            "from-the-left",
            "Your words are merged from the left. Which pair does byte pair encoding merge first?",
            like=("min(due)", "min(due, key=lambda one: one[1])"),
        ),
        Mistake(
            "any-token",
            "One id comes out here, but is it this one?",
            like=(("if [part", "if len([part"), ("] != [made]", "]) != 1")),
        ),
        Mistake(
            "unsorted",
            "The right ids, in another order than asked for: return them sorted.",
            like=("sorted(ranks.values())", "ranks.values()"),
            when=lambda case, outcome, wanted: (
                isinstance(outcome.value, list)
                and outcome.value != wanted
                and sorted(outcome.value, key=str) == sorted(wanted, key=str)
            ),
        ),
        Mistake(
            "pattern-only",
            "A token that is one word is lost as well if an earlier merge uses up its parts.",
            like=_by_pattern_only,
        ),
        Mistake(
            "parts-of-characters",
            "Bytes that are not text on their own cannot be given to a tokenizer. Leave such tokens out.",
            like=_with_parts,
        ),
        Mistake(
            "in-the-order-of-the-dict",
            "The dict is in any order: a token may come before its own parts. Begin with the smallest id.",
            like=("sorted(ranks, key=ranks.get)", "ranks"),
        ),
        Mistake(
            "the-others",
            "Those are the tokens that do come back.",
            like=("!= [made]", "== [made]"),
        ),
    ),
)
