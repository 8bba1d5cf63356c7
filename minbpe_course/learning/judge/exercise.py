"""The records of an exercise, from the question to the verdict. Data only.

A ``Caller`` runs the learner's code: the notebook calls it directly (``judge.callers``), the grader in a process of
its own (``grading.running``). The judge (``judge.judge``) is the same for both.
"""

from __future__ import annotations

import inspect
import io
import random
import sys
import textwrap
import tokenize
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, Protocol

Kind = Literal["fill", "write", "repair", "match", "design", "test", "written"]
KINDS: dict[str, str] = {
    "fill": "fill in a line",
    "write": "write a function",
    "repair": "repair a bug",
    "match": "match the original",
    "design": "design your own",
    "test": "write the test",
}

ALLOWED_PACKAGES = ("numpy",)  # that every answer may import, besides the standard library
LONGEST_LOOKED_AT = 20_000  # characters of an answer: some Python releases tokenize a long line in quadratic time

OutcomeState = Literal["value", "raised", "blank", "refused", "too slow", "lost"]
State = Literal["not started", "not yet", "done", "not graded"]


@dataclass(frozen=True)
class Case:
    """One input to try: a function is called with ``args``; a class is made with them and its methods are called.

    args : plain values (see judge.plain_values). They are copied for every call.
    script : (method, args) pairs, for an entry that is a class; the answer is the list of the returned values. See
        ``plain_values.take_step`` for steps that read or set an attribute, and for files.
    maker : the class method that makes the object, called with ``args``; default: the class itself.
    watched : whether to report if the call changes ``args``; the judge sets it.
    held : data for the measure of an open question. Only ``args`` and ``script`` are sent to where answers run.

    >>> Case("overlapping pairs", ([1, 1, 1], (1, 1), 2)).category
    'overlapping pairs'
    """

    category: str
    args: tuple[Any, ...]
    script: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    maker: str = ""
    watched: bool = False
    held: Any = None


@dataclass(frozen=True)
class Outcome:
    """The result of one call: a plain value, or the reason for its absence. The caller measures ``seconds``.

    value     a plain value was returned
    raised    an exception was raised; ``error`` is the name of its class, ``bases`` the names of all its classes
    blank     NotImplementedError was raised, or Ellipsis returned: the exercise has not been started
    refused   the answer is not a plain value, is too large, or the entry is missing; ``message`` says which
    too slow  it was stopped
    lost      the process in which it ran died

    ``changed`` says that the call of a watched case changed its arguments.

    >>> Outcome("raised", error="IndexError", message="list index out of range").value is None
    True
    """

    state: OutcomeState
    value: Any = None
    error: str = ""
    message: str = ""
    seconds: float = 0.0
    bases: tuple[str, ...] = ()
    changed: bool = False


@dataclass(frozen=True)
class Mistake:
    """A known way to be wrong, and the hint that fits it. Name it as a test would: "counts-overlaps-once".

    like : a wrong implementation; or an edit of the right answer, ("old", "new"), or several. The mistake is recognised
        when it answers every failing case as the learner did, and nearly all other cases rightly.
    when : a condition on one failing case, ``when(case, outcome, wanted)``, for a mistake that has many forms. It
        recognises the mistake instead of ``like``, which is then an example for the tests. One odd case is not
        evidence: the condition must hold on most of the failures, or on all failures of the category with the most if
        the other categories have no failures.
    """

    name: str
    hint: str
    like: Callable[..., Any] | tuple[Any, ...] | None = None
    when: Callable[[Case, Outcome, Any], bool] | None = None


class Text(str):
    """A cell of text between two exercises, in the NOTEBOOK of a lesson."""


class Code(str):
    """A cell of code between two exercises, in the NOTEBOOK of a lesson."""


@dataclass(frozen=True)
class Mutant:
    """A wrong implementation as source text, which the learner's test must catch; the category names it in reports."""

    name: str
    source: str
    category: str


def changed(source: str, *replacements: tuple[str, str]) -> str:
    """Return a source with some parts replaced. Raises ValueError for a missing part.

    >>> changed("a b", ("b", "c"))
    'a c'
    """
    for old, new in replacements:
        if old not in source:
            raise ValueError(f"{old!r} is not in the source")
        source = source.replace(old, new)
    return source


def mutant(source: str, name: str, category: str, *replacements: tuple[str, str]) -> Mutant:
    """Return a right implementation with some parts replaced, which the learner's test must catch."""
    return Mutant(name, changed(source, *replacements), category)


def edited(answer: Callable[..., Any], *replacements: tuple[str, str]) -> Callable[..., Any]:
    """Return a wrong answer: a right function or class of a module, with some parts of its source replaced.

    It is made at the first call. That raises ValueError for a part that is not in the source.

    >>> edited(changed, ("if old not in source", "if False"))("a b", ("c", "d"))
    'a b'
    """

    @cache
    def made() -> Callable[..., Any]:
        source = changed(textwrap.dedent(inspect.getsource(answer)), *replacements)
        names = dict(vars(sys.modules[answer.__module__]))
        exec(compile(source, f"<{answer.__name__}, edited>", "exec"), names)
        found: Callable[..., Any] = names[answer.__name__]
        return found

    def wrong(*args: Any) -> Any:
        return made()(*args)

    wrong.made = made  # type: ignore[attr-defined]  # for check_exercises, and for the class methods of a class
    return wrong


def breaks(complaint: Callable[[Case, Any], str | None], rule: str) -> Callable[[Case, Outcome, Any], bool]:
    """Return a condition for ``Mistake.when``: the complaint about the answer contains these words.

    >>> breaks(lambda case, answer: f"at most 3; yours has {answer}", "at most 3")(Case("", ()), Outcome("value", 4), 0)
    True
    """
    return lambda case, outcome, wanted: rule in (complaint(case, outcome.value) or "")


class Caller(Protocol):
    """Runs the learner's code and returns the outcome."""

    def call(self, case: Case) -> Outcome:
        """Run one case."""
        ...

    def try_test(self, implementation: str) -> Outcome:
        """Run the learner's test on an implementation given as source: "value" accepts it, "raised" rejects it."""
        ...


@dataclass(frozen=True, eq=False)
class Exercise:
    """One question. The fields after ``hints`` are optional; some belong to one kind of exercise.

    key : lesson and name, "02.merge"; unique. For a method of a class: "02.BasicTokenizer.train".
    entry : the function or class that the learner defines; default: the first name in the key. Unique in a lesson, but
        for the methods of one class.
    also : earlier keys, under which it is still found.
    difficulty : 1 (fill in a line) to 5 (open). minutes : for a learner who has read the lesson.
    hints : nudge, pointer to the lesson, steps in words; only ``hint()`` shows them.
    answer : the right answer, with the task as its docstring (see ``judge.answer_code``).
    picture : the source of a cell between the task and the answer. given : names of the file that learners get although
        the answer does without them.

    wanted : an independent witness, called like the entry; by default the answer.
    shown : cases that the learner may see, smallest first; the first is the example of the card. A case may be written
        as a row: its category, and the arguments.
    drawn : random -> cases, smallest first; the grader draws them from the teacher's secret.
    mistakes : known mistakes, tried in this order.
    accept : (case, answer) -> complaint or None, if more than one answer is right; ``wanted`` may then be None.
    packages : packages that the answer may import besides the standard library and ALLOWED_PACKAGES: "regex".
    avoid : shortcuts that the text asks to avoid and no case can detect, as they appear in a source: ".decode(".
        A right answer with one of them keeps its points and gets a remark.
    keeps_input : whether an answer must not change its arguments; the text of the exercise says so.

    "design"
    measure : (cases, answers) -> (metric, complaint or None); a complaint gives no points.
    levels : (bound, points) pairs, best first; the first bound that the metric reaches gives its points.
    smaller_is_better, unit : how to read the metric.

    "test"
    subject : the name of the function that the learner's test is given.
    right, mutants : right and wrong implementations of it, as sources.
    """

    key: str
    title: str
    kind: Kind
    entry: str = ""
    difficulty: int = 2
    minutes: int = 10
    points: float = 2
    hints: tuple[str, str, str] = ("", "", "")
    answer: Callable[..., Any] | None = None
    picture: str = ""
    given: tuple[str, ...] = ()
    wanted: Callable[..., Any] | None = None
    shown: tuple[Any, ...] = ()
    drawn: Callable[[random.Random], Iterable[Any]] | None = None
    mistakes: tuple[Mistake, ...] = ()
    accept: Callable[[Case, Any], str | None] | None = None
    measure: Callable[[tuple[Case, ...], list[Any]], tuple[float, str | None]] | None = None
    levels: tuple[tuple[float, int], ...] = ()
    smaller_is_better: bool = True
    unit: str = ""
    subject: str = ""
    right: tuple[str, ...] = ()
    mutants: tuple[Mutant, ...] = ()
    packages: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    keeps_input: bool = False
    also: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.entry:
            object.__setattr__(self, "entry", self.name.partition(".")[0])
        if self.wanted is None and self.accept is None and self.kind not in ("design", "test"):
            object.__setattr__(self, "wanted", self.answer)
        object.__setattr__(self, "mistakes", tuple(map(self._with_wrong_answer, self.mistakes)))
        object.__setattr__(self, "shown", tuple(map(_case_of, self.shown)))
        if self.drawn is not None:
            drawn = self.drawn
            object.__setattr__(self, "drawn", lambda random: map(_case_of, drawn(random)))

    def _with_wrong_answer(self, mistake: Mistake) -> Mistake:
        """Return a mistake with a wrong answer in place of the edits that make it."""
        like = mistake.like
        if not isinstance(like, tuple) or self.answer is None:
            return mistake
        return replace(mistake, like=edited(self.answer, *((like,) if isinstance(like[0], str) else like)))

    @property
    def lesson(self) -> str:
        """The lesson, named by its two digits.

        >>> Exercise("02.merge", "Merge a pair", "write").lesson
        '02'
        """
        return self.key.partition(".")[0]

    @property
    def name(self) -> str:
        """The name in the key, which is that of its file unless it is a method's.

        >>> Exercise("02.merge", "Merge a pair", "write").name
        'merge'
        """
        return self.key.partition(".")[2]

    @property
    def method(self) -> str:
        """The method of a class that is asked for, or "".

        >>> Exercise("02.BasicTokenizer.train", "Train", "write").method
        'train'
        """
        return self.name.partition(".")[2]

    @property
    def cell_id(self) -> str:
        """The id of the answer cell, which the methods of a class share.

        >>> Exercise("02.merge_pair", "Merge a pair", "write").cell_id
        '02-merge_pair'
        >>> Exercise("02.BasicTokenizer.train", "Train", "write").cell_id
        '02-BasicTokenizer'
        """
        return f"{self.lesson}-{self.entry if self.method else self.name}"

    @property
    def class_key(self) -> str:
        """The key that stands for all methods of its class, "02.BasicTokenizer"; of a function, its key."""
        return f"{self.lesson}.{self.entry}" if self.method else self.key

    @property
    def keys(self) -> frozenset[str]:
        """All keys under which a notebook may check it.

        >>> sorted(Exercise("02.merge", "Merge a pair", "write", also=("02.merge_pair",)).keys)
        ['02.merge', '02.merge_pair']
        """
        return frozenset({self.key, self.class_key, *self.also})

    def verdict(self, state: State, points: float = 0, **more: Any) -> Verdict:
        """Return a verdict on an answer to this exercise.

        >>> Exercise("02.merge", "Merge a pair", "write").verdict("not yet", hint="Which pair comes first?").out_of
        2
        """
        counted: Any = "implementations" if self.kind == "test" else "cases"
        return Verdict(self.key, state, points, self.points, counted=counted, **more)

    def remarked(self, verdict: Verdict, source: str) -> Verdict:
        """Return the verdict, for a right answer with a friendly remark on its shortcuts, as ``avoid`` names them.

        Comments and string literals do not count.

        >>> asked = Exercise("01.a", "", "write", avoid=(".decode(", "import re"))
        >>> asked.remarked(asked.verdict("done", 2), "return data . decode()  # no: import re").note
        'It uses `.decode(`, which this exercise asks to do without. It costs no points; try it by hand, too.'
        """
        if not (verdict.done and self.avoid):
            return verdict
        written = _words_of(source)
        found = [fragment for fragment in self.avoid if _words_of(fragment) in written]
        if not found:
            return verdict
        named = " and ".join(f"`{fragment}`" for fragment in found)
        said = f"It uses {named}, which this exercise asks to do without. It costs no points; try it by hand, too."
        return replace(verdict, note=f"{verdict.note} {said}".strip())

    def card(self) -> str:
        """Return the line under the title of the exercise in the notebook.

        >>> Exercise("02.merge", "Merge a pair", "write").card()
        '**`02.merge`** · write a function · difficulty ●●○○○ · about 10 minutes · 2 points'
        """
        dots = "●" * self.difficulty + "○" * (5 - self.difficulty)
        points = f"{self.points} point{'' if self.points == 1 else 's'}"
        return f"**`{self.key}`** · {KINDS[self.kind]} · difficulty {dots} · about {self.minutes} minutes · {points}"


def _case_of(row: Any) -> Case:
    if isinstance(row, Case):
        return row
    if not isinstance(row, (tuple, list)) or not row or not isinstance(row[0], str):
        raise TypeError(f'{row!r} is not a case: write a category and the arguments, ("two words", "a b")')
    return Case(row[0], tuple(row[1:]))


def _words_of(source: str) -> str:
    """Return the names and operators of a source with spaces around them, up to the first syntax error."""
    words = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source[:LONGEST_LOOKED_AT]).readline):
            if token.type in (tokenize.NAME, tokenize.OP):
                words.append(token.string)
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return f" {' '.join(words)} "


@dataclass(frozen=True)
class Verdict:
    """The state, points and explanation of one answer: shown in the notebook, and the mark in the gradebook.

    All fields are plain values, so ``dataclasses.asdict`` can be stored as JSON.

    given, yours, wanted : texts to show, empty where they are withheld.
    difference : where ``yours`` first differs from ``wanted``, in words ("at index 3"), or "".
    mistake : the name of the recognised mistake, or "raised", "returned None", "wrong type", "too slow", "lost", "".
    hint : advice on that mistake; "" where no known mistake fits.
    counted : what ``failures`` and ``tried`` count. A learner's test is tried on implementations, not on cases.
    failures, tried : how many failed, and of how many, by category; the report of a class is made of these.
    hidden : whether the failing case is secret, so that only its category is shown.
    notes : remarks on the submission: found by its name, handed in twice, a cell that failed.
    reason : for "not graded", what went wrong on the grader's side; for the teacher.
    helpers : the keys of the learner's earlier answers that are wrong, in whose place the course's were used.
    """

    key: str
    state: State
    points: float
    out_of: float
    category: str = ""
    given: str = ""
    yours: str = ""
    wanted: str = ""
    difference: str = ""
    hint: str = ""
    mistake: str = ""
    failures: Mapping[str, int] = field(default_factory=dict)
    tried: Mapping[str, int] = field(default_factory=dict)
    metric: float | None = None
    note: str = ""
    hidden: bool = False
    notes: tuple[str, ...] = ()
    reason: str = ""
    seconds: float = 0.0
    counted: Literal["cases", "implementations"] = "cases"
    helpers: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether the exercise is done."""
        return self.state == "done"

    def worth(self, points: float) -> Verdict:
        """Return the verdict on an exercise that gives so many points.

        >>> Verdict("02.test_merge", "not yet", 1, 2).worth(5).points
        2.5
        """
        return replace(self, points=self.points * points / self.out_of if self.out_of else 0, out_of=points)
