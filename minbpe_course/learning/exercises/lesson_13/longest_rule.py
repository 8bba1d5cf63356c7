"""Exercise 13.longest_rule: a rule of the normalizer, found in a double array.

The tables are built here from a few rules each, in the layout of sentencepiece's files: a unit is a 32-bit number. Bit
31 marks the unit of a value, bit 8 a node where a rule ends, and the lowest byte is the label.
"""

from minbpe_course.learning import Case, Exercise, Mistake, edited


def offset(unit):
    """Return the distance to the children of a unit, to be combined by exclusive or."""
    return (unit >> 10) << ((unit & 0x200) >> 6)


def label(unit):
    """Return the byte that leads to this unit; the label of a unit that holds a value never equals a byte."""
    return unit & 0x800000FF


def ends_here(unit):
    """Return whether a rule ends at this unit."""
    return bool(unit & 0x100)


def value(unit):
    """Return the value that this unit holds."""
    return unit & 0x7FFFFFFF


UNITS = [0] * 256
UNITS[0] = 0x400
UNITS[3:6] = 0x80000003, 0x80000007, 0x80000009
UNITS[96:98] = 0x18D61, 0x19562
UNITS[102:104] = 0x18D64, 0x19463


def longest_rule(units, text, at):
    """Return (length, value) of the longest rule that begins at a position, or None.

    The normalizer of a `.model` file stores its rules as a double array: a list of numbers, the *units*. Walk through
    it.

    * **In:** `units`, a list of int; `text`, bytes; `at`, the position in the text at which to begin.
    * **Out:** `(length, value)` of the **longest** rule that begins there, or `None` if no rule does. The length counts
      bytes.

    The four functions below take a unit apart. The walk begins at `node = offset(units[0])`. Then, for each byte:

    1. Compute `node ^= byte`. The child for this byte would be there.
    2. It is that child only if `label(units[node])` equals the byte. If not, no rule continues with this byte, and the
       walk is over.
    3. Take `unit = units[node]`. Then `node ^= offset(unit)` leads to the place where its own children begin.
    4. If `ends_here(unit)`, the bytes you have walked so far are a rule, and `units[node]` now holds its value.

    `UNITS` below is a small table to experiment with. Its rules are `a` (value 3), `ab` (7) and `abcd` (9). At the
    beginning of `b"ac"` the answer is `(1, 3)`, and for `b"abcx"` it is `(2, 7)`. The first cases of the check use it,
    too.

    The check tries no rule, one rule, rules that begin alike, longer rules that break off, the end of the text, and
    positions inside the text.
    """
    found = None
    place = offset(units[0])
    for position in range(at, len(text)):
        place ^= text[position]
        here = units[place]
        if label(here) != text[position]:
            break
        place ^= offset(here)
        if ends_here(here):
            found = position + 1 - at, value(units[place])
    return found


VALUE, ENDS_HERE = 1 << 31, 1 << 8
_unchecked = edited(longest_rule, ("label(here) != text[position]", "False"))

NO_RULE, ONE_RULE, LONGER, BROKEN_OFF, AT_THE_END = (
    "no rule begins here",
    "one rule",
    "a rule that begins like another one",
    "a longer rule that breaks off",
    "the end of the text",
)


def units_of(rules):
    """Lay rules out as a double array whose size is a multiple of 256 units."""
    units, bases, places = [0] * 4096, set(), {b"": 0}
    for prefix in sorted({rule[:size] for rule in rules for size in range(len(rule) + 1)}):
        labels = {rule[len(prefix)] for rule in rules if rule.startswith(prefix) and rule != prefix}
        wanted = labels | {0} if prefix in rules else labels
        # Two nodes with one base would share their children.
        base = next(at for at in range(1, 4096) if at not in bases and not any(units[at ^ one] for one in wanted))
        bases.add(base)
        node = places[prefix]
        units[node] |= (node ^ base) << 10
        if prefix in rules:
            units[node] |= ENDS_HERE
            units[base] = VALUE | rules[prefix]
        for label in labels:
            units[base ^ label] = label
            places[prefix + bytes([label])] = base ^ label
    return units[: (max(bases) | 255) + 1]


# Rules as in normalizers: ligatures, full-width letters, composed characters, spaces of all kinds.
_POOL = "ﬁ ﬂ ﬃ ｆｉ ｆ Å Å é e ẹ́ ① ½ ㎏ \u200b ▁ 株 株式 株式会社 ｶ ｶﾞ .. ... b ab abc abcd"


def rule_cases(random):
    """Yield small tables with places in texts, the same number of every category, the shortest texts first."""
    cases = []
    wanted = dict.fromkeys((NO_RULE, ONE_RULE, LONGER, BROKEN_OFF, AT_THE_END), 5)
    while any(wanted.values()):
        table = _drawn_table(random)
        near = (random.choice("abxé中.ef株式会社ｶA").encode() for _ in range(random.randint(0, 3)))
        parts = [*random.choices(list(table), k=2), *near]
        text = b"".join(random.sample(parts, len(parts)))
        text = text[: len(text) - random.choice((0, 0, 1))]
        at = random.randrange(len(text) + 1)
        category = _category(table, text, at)
        if wanted[category]:
            wanted[category] -= 1
            cases.append(Case(category, (units_of(table), text, at)))
    cases += [_astray(random) for _ in range(4)]  # in these, labels matter most
    yield from sorted(cases, key=lambda case: len(case.args[1]))


def _drawn_table(random):
    rules = random.sample(_POOL.split(), random.randint(2, 9))
    return {rule.encode("utf-8"): at * 3 for at, rule in enumerate(rules)}


def _astray(random):
    """Return a case of a rule followed by a character that leads to the unit of another node where a rule ends."""
    while True:
        table = _drawn_table(random)
        units, begin = units_of(table), random.choice(list(table))
        texts = [begin + bytes([byte]) for byte in range(0x21, 0x7F)]
        astray = [text for text in texts if _unchecked(units, text, 0) != longest_rule(units, text, 0)]
        if astray:
            text = random.choice(astray)
            return Case(_category(table, text, 0), (units, text, 0))


def _category(table, text, at):
    rest = text[at:]
    here = [len(rule) for rule in table if rest.startswith(rule)]
    if not here:
        return NO_RULE
    if any(rule.startswith(rest) and rule != rest for rule in table):
        return AT_THE_END
    if any(len(rule) > max(here) and rest.startswith(rule[: max(here) + 1]) for rule in table):
        return BROKEN_OFF
    return LONGER if len(here) > 1 else ONE_RULE


EXERCISE = Exercise(
    "13.longest_rule",
    "A walk through a double array",
    "write",
    answer=longest_rule,
    given=("UNITS",),
    difficulty=3,
    minutes=25,
    points=3,
    hints=(
        "One number is enough to know where you are. Which unit do you check before you accept a byte, and when does "
        "the walk end? And what if it ends in the middle of a longer rule?",
        "The appendix of lesson 13, on the table that rewrites text: the walk through the double array, byte by byte.",
        "node = offset(units[0]); for each byte from `at` on: node ^= byte; stop unless label(units[node]) == byte; "
        "unit = units[node]; node ^= offset(unit); if a rule ends at unit: remember (length so far, value of "
        "units[node]). What you remembered last is the answer",
    ),
    shown=(
        (ONE_RULE, UNITS, b"ac", 0),
        (NO_RULE, UNITS, b"xa", 0),
        (LONGER, UNITS, b"xabx", 1),
        (BROKEN_OFF, UNITS, b"abcx", 0),
        (AT_THE_END, UNITS, b"xa", 1),
    ),
    drawn=rule_cases,
    mistakes=(
        Mistake(
            "first-found",
            "This is the shortest rule. Remember it and continue: a longer one may begin with it.",
            like=("if ends_here", "if not found and ends_here"),
        ),
        Mistake(
            "only-at-the-break",
            "The walk may break off inside a longer rule. A rule that it passed before still counts.",
            like=("        if ends_here", "        found = None\n        if ends_here"),
        ),
        Mistake(
            "from-the-start",
            "The walk begins at `at`, not at the beginning of the text.",
            like=("range(at, len(text))", "range(len(text))"),
        ),
        Mistake(
            "end-for-length",
            "The first number is the length of what the rule replaces, not where it ends.",
            like=(" - at", ""),
        ),
        Mistake(
            "with-the-mark",
            "Bit 31 marks a value and is not part of it: use value(units[node]).",
            like=("value(units[place])", "units[place]"),
        ),
        Mistake(
            "unchecked",
            "A unit that carries another label belongs to another node: stop there.",
            like=_unchecked,
        ),
        Mistake(
            "runs-over-the-end",
            "The text may end while a longer rule is still possible. What was found before counts.",
            when=lambda case, outcome, wanted: outcome.message == "index out of range",
        ),
    ),
)
