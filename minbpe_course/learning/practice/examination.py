"""``examine(MyTokenizer)``: run the conformance suite on a class of the notebook, with a time limit for each call.

The same rules judge a file in a sandbox (``minbpe-course conform``). Here nothing is protected from the class itself.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterable
from typing import Any

from minbpe_course.learning.judge.conformance import Candidate, Local, conform
from minbpe_course.learning.practice.check import TimedCaller
from minbpe_course.learning.practice.notebook_protection import no_exit
from minbpe_course.learning.practice.views.examination import ReportView

LONGEST_CALL = 20.0  # seconds of processor time: to rebuild 200,000 tokens in plain Python takes five


def examine(
    tokenizer: Any, name: str = "your tokenizer", *, seed: str = "practice", only: Iterable[str] | None = None
) -> ReportView:
    r"""Try the rules of the conformance suite on a class or a tokenizer object.

    only : names of rules.

    >>> class Bytes:
    ...     def encode(self, text):
    ...         return list(text.encode())
    ...     def decode(self, ids):
    ...         return bytes(ids).decode("utf-8", "replace")
    >>> examine(Bytes, "bytes", only=["empty", "unknown-ids"])
    bytes: 1 of 1 rules obeyed, 1 skipped
      ○ skipped, since it has no class method from_ranks: unknown-ids
    """
    candidate = Candidate(TimedCaller(Local(tokenizer), LONGEST_CALL, math.inf), name)
    with no_exit(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return ReportView(**vars(conform(candidate, seed, only)))
