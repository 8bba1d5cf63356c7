r"""Compile a split pattern to a table, so that a kernel finds its words with one look-up for each character.

    \d+|\s+(?!\S)|\S      the sets of the pattern divide all characters into kinds: here digits, spaces, others

    state      digit           space           other           end of text
    ---------  --------------  --------------  --------------  -----------
    a word     digits          space           other           -
    digits     digits          HERE, space     HERE, other     HERE
    other      HERE, digits    HERE, space     HERE, other     HERE
    ...

An entry says which state follows the character that is read. HERE: a word ends before that character, which begins the
next one. Four steps lead there:

1. **Kinds.** Two characters are of one kind if they are in exactly the same sets. The end of the text is one more kind.
2. **A program** as Thompson and Pike have it: "read a character of this set", "try these in this order", "continue
   only before one of these kinds". The first of the tries is the one that the pattern prefers.
3. **States.** Where the program may be after some characters is an ordered tuple of steps, its threads. A thread that
   reaches the end of the pattern ends a word, and drops the threads after it: they are less preferred. The others may
   still find a longer word, which then counts. That gives the match that a backtracking engine finds.
4. **Words follow words.** When no thread is left, the word ended at the last place where one could end. If that is
   here, this character begins the next word, so the entry leads there at once. If it is one character ago
   (``\s+(?!\S)`` leaves one space to the next word), the state knows that character's kind, and the entry is still
   known: BACK. If it is further back, or no word could end, the kernel reads the word again: RARE. A character with
   which no word can begin is text between words, for which there is a state without threads.

A condition on the next character, ``(?!\S)``, is decided when the character is read, so it costs nothing. A possessive
repetition of one set is such a condition, too: it stops only before a character that is not in the set.

Limits: ``NotRegular`` says why a pattern has no table: looks at more than one character, atomic groups with
alternatives, or more than ``MOST_STATES`` states.

Sources: R. Cox, "Regular Expression Matching: the Virtual Machine Approach" (2009), for threads in order of preference.
Reference implementation: ``reference.pattern_table``.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.kernels.common.memory import Block
from minbpe_course.kernels.lazy import table
from minbpe_course.text import code_points
from minbpe_course.text.pattern_parts import (
    TEXT_BEGIN,
    TEXT_END,
    Characters,
    Either,
    Kept,
    Part,
    Repeat,
    Series,
    all_sets,
)
from minbpe_course.text.pattern_reading import read_pattern, tables_of

# Of a program, of its automaton, and of the search for the states, which takes a tenth of a second for so many steps.
# The most of a published pattern: 75, 24 and 24,387.
MOST_STEPS, MOST_STATES, MOST_WORK = 2000, 500, 200_000
MOST_SETS = 1000

# The flags of an entry, next to its row: a word ends before this character, or before the one before it; the kernel
# must read the word again; for that, a word could end before this character; the text that ends here is not a word.
HERE, BACK, RARE, MARK, BETWEEN = 1, 2, 4, 8, 16
FLAG_BITS = 5

_NOTHING: tuple[int, ...] = ()


class NotRegular(ValueError):
    """A pattern has no table; the message says why."""


class PatternTable(NamedTuple):
    """A compiled pattern.

    kinds : uint8[0x110000], the kind of each character · rows : uint32[states, kinds + 1], the last column for the end
    of the text; an entry is the offset of the next row in bytes << FLAG_BITS | flags; row 0 is where a word begins ·
    starts : int64, if the pattern looks behind, the offset of the row where a word begins after a character of each
    kind, else empty · gaps : whether text may be left between two words · long_row : the offset of a row in which whole
    lines are read, or -1 · stays : uint8[256], 1 for each byte with which this row leads to itself, if its character
    begins there.
    """

    kinds: np.ndarray
    rows: np.ndarray
    starts: np.ndarray
    gaps: bool
    long_row: int = -1
    stays: np.ndarray = np.empty(0, dtype=np.uint8)

    def prepare(self, block: Block) -> None:
        """Tell the kernel that works on this block where the table is."""
        block.kinds, block.rows, block.end_kind = self.kinds, self.rows, self.rows.shape[1] - 1
        block.row_starts = self.starts if self.starts.size else 0
        block.long_row = block.rows + self.long_row if self.stays.size else -1
        block.stays = self.stays if self.stays.size else 0
        block.word_by_table = table.word_by_table.address


@lru_cache(maxsize=64)
def compile_table(pattern: str, dialect: str) -> PatternTable:
    """Return the table of a split pattern in a dialect of ``pattern_reading``.

    Raises NotRegular; UnsupportedPattern and InvalidPattern as ``pattern_reading.read_pattern``.

    >>> table = compile_table(r"[a-z]+|[^a-z]+", "tiktoken")
    >>> table.rows.shape, table.gaps, table.kinds[[ord(letter) for letter in "bzB"]].tolist()
    ((3, 3), False, [1, 1, 0])
    """
    return table_of(read_pattern(pattern, dialect), tables_of(dialect))


def table_of(part: Part, engine: str) -> PatternTable:
    """Return the table of a pattern that has been read. engine : whose characters apply. Raises NotRegular."""
    sets = list(dict.fromkeys(all_sets(part)))
    if len(sets) > MOST_SETS:
        raise NotRegular(f"it has more than {MOST_SETS} different sets of characters")
    edges_of = {each: code_points.edges_of(each, engine) for each in sets}
    edges, kinds = code_points.kinds_of(list(edges_of.values()))
    number = int(kinds.max()) + 1
    if number > 255:
        raise NotRegular("its sets divide the characters into more than 255 kinds")
    members = {}
    for each in sets:
        inside = code_points.inside(edges_of[each], edges)
        members[each] = sum(1 << kind for kind in np.unique(kinds[inside]).tolist())
    program = _Program(members, number)
    # A separate step, to which no repetition returns: only where a word begins is a state of this thread alone.
    program.entry = program.add("try", (program.build(part, program.add("match")),))
    found = _Automaton(program).table(kinds)
    kinds = np.repeat(found.kinds, np.diff(edges, append=code_points.CODE_POINTS))
    return found._replace(kinds=kinds, **_long_row(kinds, found.rows))


def _long_row(kinds: np.ndarray, rows: np.ndarray) -> dict[str, Any]:
    """Return ``long_row`` and ``stays`` for a row in which letters and spaces follow each other, if there is one."""
    loops = np.arange(len(rows), dtype=np.uint32)[:, None] * np.uint32(4 * rows.shape[1]) << np.uint32(FLAG_BITS)
    inside = kinds[list(b" etaoinshrdlu")]
    found = np.flatnonzero((rows[:, inside] == loops).all(axis=1))
    if not found.size:
        return {}
    stay = (rows == loops)[found[0]][kinds]
    # Bytes that continue a character follow the one that begins it: they stay where that one stays.
    stays = np.ones(256, dtype=np.uint8)
    stays[:128] = stay[:128]
    for first, last, bits, least in ((0xC0, 0xE0, 6, 0x80), (0xE0, 0xF0, 12, 0x800), (0xF0, 0xF8, 18, 0x10000)):
        for byte in range(first, last):
            begin = (byte - first) << bits
            some = stay[max(begin, least) : begin + (1 << bits)]
            stays[byte] = some.size > 0 and some.all()
    return {"long_row": int(found[0]) * 4 * rows.shape[1], "stays": stays}


class _Program:
    """The steps of a pattern; each is a tuple, and names others by their number.

    match                      the pattern is at its end
    read, kinds, then          read a character of one of these kinds, a set of bits
    try, (first, second, ...)  continue with each of these; earlier ones are preferred
    before, kinds, then        continue only if the next character is of these kinds; bit ``end`` is the end of the text
    after, kinds, then         the same for the character read last; bit ``end`` is the beginning of the text
    """

    def __init__(self, members: dict[Characters, int], number: int) -> None:
        self.steps: list[tuple[Any, ...]] = []
        self.members = members
        self.end = number
        self.entry = 0

    def add(self, *step: Any) -> int:
        if len(self.steps) == MOST_STEPS:
            raise NotRegular(f"it has more than {MOST_STEPS} steps")
        self.steps.append(step)
        return len(self.steps) - 1

    def build(self, part: Part, then: int) -> int:
        """Add the steps of a part that continues with the step ``then``; return the first."""
        if isinstance(part, Characters):
            return self.add("read", self.members[part], then)
        if isinstance(part, Series):
            for one in reversed(part.parts):
                then = self.build(one, then)
            return then
        if isinstance(part, Either):
            return self.add("try", tuple(self.build(one, then) for one in part.parts))
        if isinstance(part, Repeat):
            return self.repeat(part, then)
        if isinstance(part, Kept):
            return self.kept(part.part, then)
        kinds = self.one_kind(part.part, part.ahead)
        return self.add("before" if part.ahead else "after", ~kinds if part.negated else kinds, then)

    def repeat(self, part: Repeat, then: int) -> int:
        leave = then
        if part.manner == "+":
            if not isinstance(part.part, Characters):
                raise NotRegular("it has a possessive repetition of more than one set")
            leave = self.add("before", ~self.members[part.part], then)

        def choice(again: int, leave: int) -> tuple[str, tuple[int, int]]:
            return "try", (leave, again) if part.manner == "?" else (again, leave)

        least = part.least
        if part.most is None:
            loop = self.add("try", _NOTHING)
            begin = self.build(part.part, loop)
            self.steps[loop] = choice(begin, leave)
            if least == 0:
                return loop
            least -= 1
        else:
            begin = then
            for _ in range(part.most - least):
                begin = self.add(*choice(self.build(part.part, begin), leave))
        for _ in range(least):
            begin = self.build(part.part, begin)
        return begin

    def kept(self, part: Part, then: int) -> int:
        if isinstance(part, Repeat) and isinstance(part.part, Characters) and part.manner != "?":
            return self.repeat(part._replace(manner="+"), then)
        plain = part.parts if isinstance(part, Series) else (part,)
        if not all(isinstance(one, Characters) for one in plain):
            raise NotRegular("it has an atomic group with a choice in it")
        return self.build(part, then)

    def one_kind(self, part: Part, ahead: bool) -> int:
        """Return the kinds of the one character that a look is about."""
        if isinstance(part, Characters):
            return self.members[part]
        if isinstance(part, Either):
            kinds = 0
            for one in part.parts:
                kinds |= self.one_kind(one, ahead)
            return kinds
        if isinstance(part, Series) and len(part.parts) == 1:
            return self.one_kind(part.parts[0], ahead)
        if part == Series(()):
            return -1
        if part == (TEXT_END if ahead else TEXT_BEGIN):
            return 1 << self.end
        raise NotRegular("it looks at more than one character")


class _State(NamedTuple):
    """Where a word is: its threads; the kind of the character read last, if the pattern looks behind; and since when a
    word could have ended: None (never), FAR, or the kind of the only character read since then."""

    threads: tuple[int, ...]
    last: int | None
    since: int | None


_FAR = -1


class _Automaton:
    """The states that a program can be in."""

    def __init__(self, program: _Program) -> None:
        self.program = program
        self.looks_behind = any(step[0] == "after" for step in program.steps)
        # Whether some text neither is a word nor begins with one.
        self.gaps = False
        self.work = 0
        self.follow = cache(self._follow)

    def table(self, kinds: np.ndarray) -> PatternTable:
        """Number the states that can be reached and write down where each kind of character leads.

        kinds : those of runs of characters, which the table has in place of those of characters.
        """
        end = self.program.end
        starts = [self.start(kind) for kind in range(end)] if self.looks_behind else []
        numbers = {state: number for number, state in enumerate([self.start(end), *starts])}
        todo, entries = list(numbers), []
        for state in todo:
            for kind in range(end + 1):
                following, said = self.move(state, kind)
                if following not in numbers:
                    if len(numbers) == MOST_STATES:
                        raise NotRegular(f"it has more than {MOST_STATES} states")
                    numbers[following] = len(todo)
                    todo.append(following)
                entries.append((numbers[following], said))
        edges = np.array(entries, dtype=np.uint32).reshape(-1, end + 1, 2)
        to, flags = edges[:, :, 0], edges[:, :, 1]
        flags = _without_idle_marks(to, flags)
        to, flags, names = _merged(to, flags)
        if not starts:
            kinds, to, flags = _ordered(kinds, to, flags)
        width = 4 * to.shape[1]
        rows = to * np.uint32(width) << np.uint32(FLAG_BITS) | flags
        places = names[[numbers[state] for state in starts]] if starts else np.empty(0, np.int64)
        return PatternTable(kinds.astype(np.uint8), rows, (places * width).astype(np.int64), self.gaps)

    def start(self, last: int | None) -> _State:
        return _State((self.program.entry,), last if self.looks_behind else None, None)

    def _follow(self, state: _State, kind: int) -> tuple[tuple[int, ...], bool]:
        """Return the threads after a character of this kind, and whether a word can end before it."""
        steps, end = self.program.steps, self.program.end
        waiting = list(reversed(state.threads))
        seen: set[int] = set()
        threads: dict[int, None] = {}
        while waiting:
            at = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            self.work += 1
            name, *said = steps[at]
            if name == "match":
                return tuple(threads), True
            if name == "try":
                waiting.extend(reversed(said[0]))
            elif name == "read":
                if kind != end and said[0] >> kind & 1:
                    threads[said[1]] = None
            elif said[0] >> (kind if name == "before" else state.last) & 1:
                waiting.append(said[1])
        if self.work > MOST_WORK:
            raise NotRegular("its table takes too long to make")
        return tuple(threads), False

    def move(self, state: _State, kind: int) -> tuple[_State, int]:
        """Return the state after a character of this kind, and the flags of the entry."""
        end = self.program.end
        threads, ended = self.follow(state, kind)
        last = kind if self.looks_behind else None
        start = self.start(state.last)
        if threads:
            since = kind if ended else None if state.since is None else _FAR
            return _State(threads, last, since), MARK if ended else 0
        if kind == end and state == start:
            return start, 0
        # The state after this character if it begins a word; without threads, it is text between words.
        begun = start if kind == end else _State(self.follow(start, kind)[0], last, None)
        if ended:
            return begun, HERE
        if state == start:
            self.gaps = True
            return begun, 0
        if not state.threads:
            return begun, HERE | BETWEEN if begun.threads else 0
        if state.since is not None and state.since != _FAR and not self.looks_behind:
            # The word ended before the last character, which began another.
            following, flags = self.move(_State(self.follow(start, state.since)[0], None, None), kind)
            if not flags & (BACK | RARE):
                return following, flags | BACK
        self.gaps |= state.since is None
        return start, RARE


def _without_idle_marks(to: np.ndarray, flags: np.ndarray) -> np.ndarray:
    """Return the flags with MARK only where the kernel may have to read the word again to find it."""
    wanted = np.zeros(len(flags), dtype=bool)
    while True:
        passes_on = (flags & (HERE | BACK | MARK) == 0) & wanted[to]
        now = (passes_on | (flags & RARE > 0)).any(axis=1)
        if (now == wanted).all():
            return np.where(wanted[to], flags, flags & ~np.uint32(MARK))
        wanted = now


def _merged(to: np.ndarray, flags: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge states that no text tells apart; return the table of the others, and the new number of each state."""
    names = np.zeros(len(flags), dtype=np.int64)
    while True:
        rows = np.concatenate([flags, names[to]], axis=1)
        _, first, found = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        found = found.reshape(-1)
        # Numbered by first appearance, so that the state where a word begins stays the first.
        order = np.argsort(np.argsort(first))
        found = order[found]
        if found.max() == names.max():
            kept = np.sort(first)
            return found[to[kept]].astype(np.uint32), flags[kept], found
        names = found


def _ordered(kinds: np.ndarray, to: np.ndarray, flags: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge kinds that lead alike everywhere, and number kinds and states by first use.

    So patterns that cut alike mostly have equal tables, however they are written.
    """
    groups = np.unique(np.concatenate([to, flags])[:, :-1], axis=1, return_inverse=True)[1].reshape(-1)
    used = np.argsort(np.unique(groups[kinds], return_index=True)[1])
    columns = [*(int(np.argmax(groups == group)) for group in used), -1]
    kinds = np.argsort(used)[groups][kinds]
    to, flags = to[:, columns], flags[:, columns]
    states = [0]
    for state in states:
        states += [each for each in dict.fromkeys(to[state].tolist()) if each not in states]
    return kinds, np.argsort(states).astype(np.uint32)[to[states]], flags[states]
