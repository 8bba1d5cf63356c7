"""``examine(MyTokenizer)``: the conformance suite on a class of the notebook, with a limit of time for each call.

The same rules judge a file in a sandbox (``minbpe-course conform``); here nothing is safe from the class itself, nor
need it be: whoever deceives this examination deceives nobody else.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Iterable
from typing import Any

from minbpe_course.checks.callers import InProcess
from minbpe_course.checks.conformance import Candidate, Local, conform
from minbpe_course.checks.exercise import Case, Outcome
from minbpe_course.practice.check import cut_after
from minbpe_course.practice.shields import no_exit
from minbpe_course.visual.examination import ReportView

LONGEST_CALL = 20.0  # seconds of processor time: to rebuild 200,000 tokens in plain Python takes five


def examine(
    tokenizer: Any,
    name: str = "your tokenizer",
    *,
    seed: str = "practice",
    only: Iterable[str] | None = None,
    without: Iterable[str] = (),
) -> ReportView:
    r"""Try the rules of the conformance suite on a class, or on a tokenizer that is made already.

    only, without : names of rules.

    >>> class Bytes:
    ...     def encode(self, text):
    ...         return list(text.encode())
    ...     def decode(self, ids):
    ...         return bytes(ids).decode("utf-8", "replace")
    >>> examine(Bytes, "bytes", only=["empty", "unknown-ids"])
    bytes: 1 of 1 rules obeyed, 1 not asked
      ○ not asked, since it has no class method from_ranks: unknown-ids
    """
    candidate = Candidate(Limited(Local(tokenizer)), name)
    with no_exit(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return ReportView(conform(candidate, seed, only, without))


class Limited:
    """A caller whose calls are cut short, where the system has timers for that.

    >>> Limited(InProcess(sorted)).call(Case("numbers", ([2, 1],))).value
    [1, 2]
    """

    def __init__(self, inner: InProcess, seconds: float = LONGEST_CALL) -> None:
        self._inner, self._seconds = inner, seconds

    def call(self, case: Case) -> Outcome:
        """Run one case."""
        began = time.thread_time()
        outcome = cut_after(self._seconds, lambda: self._inner.call(case))
        return outcome or Outcome("too slow", seconds=time.thread_time() - began)

    def try_test(self, implementation: str) -> Outcome:
        """Run a test of the learner's on an implementation."""
        return self._inner.try_test(implementation)
