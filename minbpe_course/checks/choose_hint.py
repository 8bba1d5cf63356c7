"""From the failing cases to the one that is shown, and to the hint that fits the mistake.

The smallest failing case is shown: shown cases before drawn ones, then by the length of the input. Where the values of
drawn cases are secret, only their category is named.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from minbpe_course.checks.callers import run_case
from minbpe_course.checks.equality import agree, difference, is_number, kind_of, shown
from minbpe_course.checks.exercise import Case, Exercise, Mistake, Outcome, Verdict

MOST_CALLS = 40  # of a script that are shown


@dataclass(frozen=True)
class Failure:
    """A failing case, the outcomes of the learner's code and of the reference, and whether the case was drawn.

    complaint : of an ``accept`` rule, or "".
    """

    case: Case
    outcome: Outcome
    wanted: Outcome | None
    drawn: bool
    complaint: str = ""


def explain(exercise: Exercise, failures: list[Failure], *, reveal: bool) -> Verdict:
    """Return a verdict that shows the smallest of these failures; it lacks the counts of failed and tried cases.

    reveal : whether the values of a drawn case may be shown.
    """
    failure = min(failures, key=lambda one: (one.drawn, len(repr((one.case.args, one.case.script)))))
    hidden = failure.drawn and not reveal
    mistake, hint = _recognised(exercise, failures, failure, hidden)
    verdict = Verdict(
        exercise.key, "not yet", 0, exercise.points, failure.case.category, mistake=mistake, hint=hint, hidden=hidden
    )
    if hidden:
        return verdict
    outcome, wanted = failure.outcome, failure.wanted
    both = outcome.state == "value" and wanted is not None and wanted.state == "value"
    return replace(
        verdict,
        given=call_text(exercise.entry, failure.case),
        yours=_text(outcome),
        wanted=failure.complaint or (_wanted_text(wanted) if wanted else ""),
        difference=difference(outcome.value, wanted.value) if both and wanted and not failure.complaint else "",
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
    made = f"{entry}({', '.join(map(shown, case.args))})"
    if not case.script:
        return made
    name = entry[0].lower()
    calls = [f"{name}.{method}({', '.join(map(shown, args))})" for method, args in case.script]
    if len(calls) > MOST_CALLS:
        left_out = len(calls) - MOST_CALLS
        calls[MOST_CALLS // 2 : -(MOST_CALLS // 2)] = [f"… {left_out:,} more calls …"]
    return "; ".join([f"{name} = {made}", *calls])


def _text(outcome: Outcome) -> str:
    if outcome.state == "value":
        return shown(outcome.value)
    if outcome.state == "raised":
        return f"{outcome.error}: {outcome.message}" if outcome.message else outcome.error
    return {"blank": "nothing yet", "too slow": "no answer in time", "lost": "the process ended"}.get(
        outcome.state, outcome.message
    )


def _wanted_text(wanted: Outcome) -> str:
    # Only the class is required, so the message of the reference is not shown.
    return f"{wanted.error}, in your own words" if wanted.state == "raised" else _text(wanted)


_NO_VALUE = {
    "blank": "This path still ends in NotImplementedError, or returns `...`.",
    "too slow": "Your code was stopped: does every loop come closer to its end, and how often is it run?",
    "lost": "The process that ran your code ended before it answered. Is there an exit, or a huge allocation?",
}


def _recognised(exercise: Exercise, failures: list[Failure], failure: Failure, hidden: bool) -> tuple[str, str]:
    """Return the name and the hint of a mistake that the exercise knows, else of a general one."""
    if failure.outcome.changed and failure.wanted is not None and agree(failure.outcome, failure.wanted):
        return "changes its input", "The answer is right, but your code changes what it is given. Build a new list."
    for mistake in exercise.mistakes:
        if _explains(mistake, failures, failure):
            return mistake.name, mistake.hint
    outcome, wanted = failure.outcome, failure.wanted
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
    if outcome.value is None:
        return "returned None", "Your code returns None here. Is its last line a `return`, on every path?"
    if wanted is not None and not failure.complaint and not is_number(outcome.value, wanted.value):
        mine, other = kind_of(outcome.value), kind_of(wanted.value)
        if mine != other:
            return "wrong type", f"Here the answer should be {other}; yours is {mine}."
    return "", exercise.hints[0]


def _explains(mistake: Mistake, failures: list[Failure], failure: Failure) -> bool:
    if mistake.like is not None:
        return all(agree(run_case(mistake.like, one.case), one.outcome) for one in failures)
    if mistake.when is None:
        return False
    try:
        return mistake.when(failure.case, failure.outcome, failure.wanted.value if failure.wanted else None)
    except Exception:  # an answer that the mistake does not expect is another mistake
        return False
