r"""A regular expression becomes a table: the words of any regular split pattern, one look-up for each character.

    \d+|\s+(?!\S)|\S+      ->      (threads, kind of the next character)  ->  (threads, may a word end here?)

A pattern is first written as a program in which every step names the step after it:

    0  try 1, 4, 7           1  read \d        4  read \s                    7  read \S        9  match
                             2  try 1, 9       5  try 4, 6                   8  try 7, 9
                                               6  if the next is not \S: 9

Reading a text, we follow all paths through the program at once. A *thread* is the number of the step that one of these
paths has reached, and the order of the threads is the order in which the pattern prefers them. A thread that reaches
``match`` has found a word; those after it are worse and are dropped, those before it may find a longer word, which is
better. Where the threads go depends only on the kind of the next character: whether it is in \d, in \s, in \S. So the
answer is written down, once for each tuple of threads and each kind. That is the table.

Limits: no looks at more than one character, no atomic groups.

Source: R. Cox, "Regular Expression Matching: the Virtual Machine Approach", https://swtch.com/~rsc/regexp/regexp2.html
"""

from __future__ import annotations

from minbpe_course.text.code_points import matched_by
from minbpe_course.text.pattern_parts import Characters, Either, Look, Part, Repeat, Series
from minbpe_course.text.pattern_reading import TIKTOKEN, read_pattern

END = ()  # the kind of the end of the text, which is not a character


class PatternTable:
    """The table of a split pattern in tiktoken's dialect, filled in while texts are read.

    >>> PatternTable(r"\\d+|\\s+(?!\\S)|\\S").words("a12  b")
    ['a', '12', ' ', 'b']
    """

    def __init__(self, pattern: str) -> None:
        self.steps: list[tuple] = []
        self.sets: list[Characters] = []
        self.entry = self.build(read_pattern(pattern, TIKTOKEN), self.add("match"))
        self.members = [matched_by(each, "tiktoken") for each in self.sets]
        self.table: dict[tuple, tuple] = {}

    # ---- From the pattern to a program

    def add(self, *step: object) -> int:
        """Add a step; return its number."""
        self.steps.append(step)
        return len(self.steps) - 1

    def number_of(self, characters: Characters) -> int:
        """Return the number of a set of characters."""
        if characters not in self.sets:
            self.sets.append(characters)
        return self.sets.index(characters)

    def build(self, part: Part, then: int) -> int:
        """Add the steps of a part that continues with the step ``then``; return the first of them."""
        if isinstance(part, Characters):
            return self.add("read", self.number_of(part), then)
        if isinstance(part, Series):
            for one in reversed(part.parts):
                then = self.build(one, then)
            return then
        if isinstance(part, Either):
            return self.add("try", [self.build(one, then) for one in part.parts])
        if isinstance(part, Repeat):
            return self.repeat(part, then)
        if isinstance(part, Look) and part.ahead and isinstance(part.part, Characters):
            return self.add("if next", self.number_of(part.part), not part.negated, then)
        raise NotImplementedError(f"no table for {part}")

    def repeat(self, part: Repeat, then: int) -> int:
        """Add the steps of a repetition: ``least`` times, and then as often as the pattern allows and prefers."""
        stop = then
        if part.manner == "+":
            # Possessive: it never gives back, so it stops only before a character that it cannot read.
            assert isinstance(part.part, Characters)
            stop = self.add("if next", self.number_of(part.part), False, then)
        if part.most is None:
            again = self.add("try", [])
            options = [self.build(part.part, again), stop]
            self.steps[again] = ("try", options[::-1] if part.manner == "?" else options)
            then = again
        else:
            for _ in range(part.most - part.least):
                options = [self.build(part.part, then), stop]
                then = self.add("try", options[::-1] if part.manner == "?" else options)
        for _ in range(part.least):
            then = self.build(part.part, then)
        return then

    # ---- From the program to the table

    def kind(self, character: str) -> tuple[bool, ...]:
        """Return in which sets a character is; END for the empty str."""
        return tuple(bool(members[ord(character)]) for members in self.members) if character else END

    def follow(self, threads: tuple[int, ...], kind: tuple[bool, ...]) -> tuple[tuple[int, ...], bool]:
        """Return the threads after a character of this kind, and whether a word may end before it."""
        waiting, seen = list(threads), set()
        after: list[int] = []
        while waiting:
            at = waiting.pop(0)
            if at in seen:
                continue
            seen.add(at)
            name, *said = self.steps[at]
            if name == "match":
                return tuple(after), True
            if name == "try":
                waiting = said[0] + waiting
            elif name == "read":
                if kind != END and kind[said[0]] and said[1] not in after:
                    after.append(said[1])
            elif said[1] == (kind != END and kind[said[0]]):
                waiting.insert(0, said[2])
        return tuple(after), False

    # ---- From the table to words

    def words(self, text: str) -> list[str]:
        """Return the words of a text; characters between words are left out."""
        words, begin = [], 0
        while begin < len(text):
            end = self.word_end(text, begin)
            if end > begin:
                words.append(text[begin:end])
            begin = max(end, begin + 1)
        return words

    def word_end(self, text: str, begin: int) -> int:
        """Return where the word that begins at ``begin`` ends; ``begin`` if no word begins there."""
        threads: tuple[int, ...] = (self.entry,)
        end = at = begin
        while threads:
            kind = self.kind(text[at : at + 1])
            if (threads, kind) not in self.table:
                self.table[threads, kind] = self.follow(threads, kind)
            threads, ended = self.table[threads, kind]
            end = at if ended else end
            at += 1
        return end
