"""Choose the failing case to show, and the hint of the mistake that explains the failures.

The smallest failing case is shown, shown and drawn cases alike. Where the values of drawn cases are secret, a shown
case comes first, and of a drawn one only the category is named.

No diagnosis without recognition: a known mistake must explain the failures, not one odd case among them (see
``Mistake``). Otherwise the verdict has no such hint, and the learner sees the first difference and which cases
fail. Without a known mistake, the verdict only states facts about the case that is shown: it raises, or it returns None
where no right answer does.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from minbpe_course.learning.judge.callers import run_case
from minbpe_course.learning.judge.equality import agree, difference, is_number, kind_of, shown
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, Outcome, Verdict
from minbpe_course.learning.judge.value_layout import laid_out

MOST_CALLS = 40  # of a script that are shown
KEPT_OF_A_KIND = 6  # failures of one category
MOST = 0.6  # of the failures: a condition that holds on fewer of them does not explain them
ALIKE = 0.9  # of the right answers: an example that fails on more of them makes another mistake
NO_RETURN = "Is its last line a `return`, on every path?"
HEAVIEST = 2_000_000  # items, characters and bytes in all kept answers together

Answer = Callable[..., Any]


@dataclass(frozen=True)
class Failure:
    """A failing case, the outcomes of the learner's code and of the reference, and whether the case was drawn.

    complaint : of an ``accept`` rule, or "".
    size : of the case and of what is wanted. weight : of the learner's answer.
    """

    case: Case
    outcome: Outcome
    wanted: Outcome | None
    drawn: bool
    complaint: str = ""
    size: int = 0
    weight: int = 0


class Failures:
    """All failures, counted by category, of which the smallest few of each category are kept.

    reveal : whether the values of drawn cases may be shown; if not, shown cases come before them.
    tried : how many cases were tried, by category; the caller updates it.

    >>> failures = Failures(True, Counter({"a number": 9}))
    >>> for number in (300, 5, 70):
    ...     failures.add(Failure(Case("a number", (number,)), Outcome("value", 0), None, True, size=number))
    >>> [one.case.args for one in failures], failures.counts
    ([(5,), (70,), (300,)], Counter({'a number': 3}))
    """

    def __init__(self, reveal: bool, tried: Counter[str]) -> None:
        self.reveal, self.tried = reveal, tried
        self.counts: Counter[str] = Counter()
        self._kept: list[Failure] = []

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __iter__(self) -> Iterator[Failure]:
        """Iterate over the kept failures, the one to show first."""
        return iter(self._kept)

    def add(self, failure: Failure) -> None:
        """Count a failure, and keep it if it is among the smallest of its category."""
        self.counts[failure.case.category] += 1
        insort(self._kept, failure, key=self._order)
        alike = self._of(failure.case.category)
        if len(alike) > KEPT_OF_A_KIND:
            self._drop(alike[-1])
        while sum(one.weight for one in self._kept) > HEAVIEST and len(self._kept) > 1:
            self._drop(self._kept[-1])

    def of_largest_category(self) -> list[Failure]:
        """Return the kept failures of the category with the most failures."""
        kept = {one.case.category for one in self._kept}
        return self._of(next(category for category, _ in self.counts.most_common() if category in kept))

    def share(self, holds: Callable[[Failure], bool]) -> float:
        """Return of how many of all failures, from 0 to 1, a condition holds, judged by the kept ones."""
        held = total = 0.0
        for category in {one.case.category for one in self._kept}:
            kept, count = self._of(category), self.counts[category]
            held += count * sum(map(holds, kept)) / len(kept)
            total += count
        return held / total

    def _of(self, category: str) -> list[Failure]:
        return [one for one in self._kept if one.case.category == category]

    def _order(self, failure: Failure) -> tuple[bool, int]:
        return failure.drawn and not self.reveal, failure.size

    def _drop(self, failure: Failure) -> None:
        self._kept = [one for one in self._kept if one is not failure]


def explain(
    exercise: Exercise, failures: Failures, kinds: Collection[str], passes: Callable[[Answer], float]
) -> Verdict:
    """Return a verdict that shows one of these failures; it lacks the counts of failed and tried cases.

    kinds : of all right answers to the exercise, in the words of ``kind_of``.
    passes : returns on how many of the cases that do not fail, from 0 to 1, another answer is right.
    """
    mistake, explained = _recognised(exercise, failures, passes)
    failure = explained[0]
    hidden = failure.drawn and not failures.reveal
    if mistake is not None:
        name, hint = mistake.name, mistake.hint
    else:
        name, hint = _fact(failure, kinds, hidden)
    verdict = exercise.verdict("not yet", category=failure.case.category, mistake=name, hint=hint, hidden=hidden)
    if hidden:
        return verdict
    outcome, wanted = failure.outcome, failure.wanted
    right = wanted is not None and wanted.state == "value"
    one_of = f"One right answer: {shown(wanted.value, 200)}" if wanted and right and exercise.accept else ""
    both = outcome.state == "value" and right
    return replace(
        verdict,
        given=call_text(exercise.entry, failure.case),
        yours=_text(outcome, wanted),
        wanted=failure.complaint or (wanted_text(wanted, outcome) if wanted and not one_of else ""),
        difference=difference(outcome.value, wanted.value) if both and wanted and not failure.complaint else "",
        note=one_of,
    )


def call_text(entry: str, case: Case) -> str:
    """Return a case as a learner would type it.

    >>> call_text("merge", Case("", ([1, 2], (1, 2), 3)))
    'merge([1, 2], (1, 2), 3)'
    >>> call_text("Decoder", Case("", (), (("feed", (b"a",)), ("finish", ()))))
    "d = Decoder(); d.feed(b'a'); d.finish()"
    >>> len(call_text("Cache", Case("", (), (("ask", ("a",)),) * 900)).split("; "))
    42
    """
    if not case.script:
        entry = f"{entry}.{case.maker}" if case.maker else entry
        args = [laid_out(arg) for arg in case.args]
        between = ", "
        if any("\n" in arg for arg in args):
            indented = "\n" + " " * (len(entry) + 1)
            args, between = [arg.replace("\n", indented) for arg in args], f",{indented}"
        return f"{entry}({between.join(args)})"
    made = f"{entry}{case.maker and '.'}{case.maker}({', '.join(map(shown, case.args))})"
    name = entry[0].lower()
    calls = [_step_text(name, *step) for step in case.script]
    if len(calls) > MOST_CALLS:
        left_out = len(calls) - MOST_CALLS
        calls[MOST_CALLS // 2 : -(MOST_CALLS // 2)] = [f"… {left_out:,} more calls …"]
    return "; ".join([f"{name} = {made}", *calls])


def _step_text(name: str, step: str, args: tuple[Any, ...]) -> str:
    if step in ("write file", "read file"):
        return f"# {step} {shown(args[0])}"
    if step.endswith(" ="):
        return f"{name}.{step} {shown(args[0])}"
    if step.startswith("."):
        return f"{name}{step}"
    return f"{name}.{step}({', '.join(map(shown, args))})"


def _text(outcome: Outcome, other: Outcome | None) -> str:
    if outcome.state == "value":
        return laid_out(outcome.value, other.value) if other and other.state == "value" else laid_out(outcome.value)
    if outcome.state == "raised":
        return f"{outcome.error}: {outcome.message}" if outcome.message else outcome.error
    return {"blank": "nothing yet", "too slow": "no answer in time", "lost": "the process ended"}.get(
        outcome.state, outcome.message
    )


def wanted_text(wanted: Outcome, yours: Outcome | None = None) -> str:
    """Return what the reference answers, cut as the learner's answer is, or which exception it raises."""
    # Only the class is required, so the message of the reference is not shown.
    return f"{wanted.error}, in your own words" if wanted.state == "raised" else _text(wanted, yours)


_NO_VALUE = {
    "blank": "This path still ends in NotImplementedError, or returns `...`.",
    "too slow": "Your code was stopped: does every loop come closer to its end, and how often is it run?",
    "lost": "The process that ran your code ended before it answered. Is there an exit, or a huge allocation?",
}


def _recognised(
    exercise: Exercise, failures: Failures, passes: Callable[[Answer], float]
) -> tuple[Mistake | None, list[Failure]]:
    """Return the known mistake and the failures that it explains, the one to show first."""
    everything, largest = list(failures), failures.of_largest_category()
    # A call that was stopped has no answer to compare with that of an example.
    answered = [one for one in everything if one.outcome.state != "too slow"] or everything
    for mistake in exercise.mistakes:
        if mistake.when is not None:
            holds = partial(_holds, mistake.when)
            everywhere = failures.tried.keys() <= failures.counts.keys()
            if failures.share(holds) >= MOST or (not everywhere and all(map(holds, largest))):
                return mistake, list(filter(holds, everything))
            continue
        example = mistake.like
        if callable(example) and all(_fails_alike(example, one) for one in answered) and passes(example) >= ALIKE:
            return mistake, everything
    # A hidden case says nothing but its category, so that is the one with the most failures.
    hidden = everything[0].drawn and not failures.reveal
    return None, largest if hidden else everything


def _fails_alike(example: Answer, failure: Failure) -> bool:
    outcome = run_case(example, failure.case)
    return agree(outcome, failure.outcome) and outcome.changed == failure.outcome.changed


def _holds(when: Callable[[Case, Outcome, Any], bool], failure: Failure) -> bool:
    try:
        return bool(when(failure.case, failure.outcome, failure.wanted.value if failure.wanted else None))
    except Exception:  # an answer that the mistake does not expect is another mistake
        return False


def _fact(failure: Failure, kinds: Collection[str], hidden: bool) -> tuple[str, str]:
    """Return a name and a hint that state a fact about one failing case, without a known mistake."""
    outcome, wanted = failure.outcome, failure.wanted
    if outcome.changed and wanted is not None and agree(outcome, wanted):
        return "changes its input", "The answer is right, but your code changes what it is given. Build a new list."
    if outcome.state == "raised":
        # The message of an exception may quote a secret value.
        said = "" if hidden or not outcome.message else f": {outcome.message}"
        if wanted is not None and wanted.state == "raised":
            return "raised", f"This case should raise {wanted.error}, and your code raises {outcome.error}{said}."
        return "raised", f"Your code stops with {outcome.error}{said}. Run it on this case and read the last line."
    if outcome.state == "refused":
        return "refused", f"Your answer cannot be used: {outcome.message or 'see the case'}."
    if outcome.state in _NO_VALUE:
        return outcome.state, _NO_VALUE[outcome.state]
    if wanted is not None and wanted.state == "raised":
        return "no error", f"This case should raise {wanted.error}, and your code returns an answer."
    method = _method_without_return(failure)
    if method:
        return "returned None", f"`{method}` returns None here. {NO_RETURN}"
    mine = kind_of(outcome.value)
    if mine in kinds:  # right for another case, so not a slip
        return "", ""
    if outcome.value is None:
        return "returned None", f"Your code returns None here. {NO_RETURN}"
    if wanted is not None and not failure.complaint and not is_number(outcome.value, wanted.value):
        return "wrong type", f"Here the answer should be {kind_of(wanted.value)}; yours is {mine}."
    return "", ""


def _method_without_return(failure: Failure) -> str:
    """Return the first method of a script that returns None where a right one never does, or ""."""
    script, mine, right = failure.case.script, failure.outcome.value, failure.wanted and failure.wanted.value
    if not (isinstance(mine, list) and isinstance(right, list) and len(script) == len(mine) == len(right)):
        return ""
    may = {method for (method, _), wanted in zip(script, right) if wanted is None}
    return next((method for (method, _), one in zip(script, mine) if one is None and method not in may), "")
