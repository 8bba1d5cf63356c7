"""``conform(MyTokenizer)``: run the conformance suite on a class of the notebook, with a time limit for each call.

    mine: 36 of 37 rules obeyed
      ✗ joining
          rule    Where two texts join, ids may change, and encode sees the whole
          given   encode('\\n\\n')
          got     [198, 198]
          wanted  [271]
          why     The ids of two lines, joined, are not the ids of the two lines.

The same rules judge a file in a sandbox (``minbpe-course conform``). Here nothing is protected from the class itself.
The state is a sign and a word, never colour alone. Output of the learner's code is escaped and made visible.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from minbpe_course.learning.judge.conformance import Candidate, Report, RuleResult, local, report_on
from minbpe_course.learning.practice.check import TimedCaller
from minbpe_course.learning.practice.notebook_protection import no_exit
from minbpe_course.learning.practice.views.verdicts import CODE, STATES, View, frame, visible

LONGEST_CALL = 20.0  # seconds of processor time: to rebuild 200,000 tokens in plain Python takes five
SIGNS = {"passed": "✓", "not asked": "○"}
_CELL = "text-align:left;vertical-align:baseline;padding:1px 12px 1px 0;overflow-wrap:anywhere;white-space:normal"


def conform(tokenizer: Any, name: str = "your tokenizer", *, only: Iterable[str] | None = None) -> ReportView:
    r"""Try the rules of the conformance suite on a class or a tokenizer object.

    only : names of rules.

    >>> class Bytes:
    ...     def encode(self, text):
    ...         return list(text.encode())
    ...     def decode(self, ids):
    ...         return bytes(ids).decode("utf-8", "replace")
    >>> conform(Bytes, "bytes", only=["empty", "unknown-ids"])
    bytes: 1 of 1 rules obeyed, 1 skipped
      ○ skipped, since it has no class method from_ranks: unknown-ids
    """
    candidate = Candidate(TimedCaller(local(tokenizer), LONGEST_CALL, math.inf), name)
    with no_exit(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return ReportView(**vars(report_on(candidate, only=only)))


class ReportView(View, Report):
    """A report; ``print`` writes the failures, a notebook draws all of it; true when nothing failed."""

    def _lines(self) -> Iterator[str]:
        yield visible(self.summary())
        for verdict in self.verdicts:
            if verdict.state == "failed":
                yield f"  ✗ {verdict.rule.name}"
                rows = [("rule", verdict.rule.title), *_rows(verdict), ("why", verdict.rule.why)]
                yield from (f"      {label:<8}{text}" for label, text in rows)
        notes: dict[str, list[str]] = {}
        for verdict in self.verdicts:
            if verdict.state == "not asked":
                notes.setdefault(verdict.note, []).append(verdict.rule.name)
        for note, names in notes.items():
            yield f"  ○ skipped, since {visible(note)}: {', '.join(names)}"

    def _parts(self) -> Iterator[str]:
        colour = STATES["done" if self else "not yet"][1]
        summary = escape(visible(self.summary()))
        yield f'<div role="group" aria-label="{summary}" style="{frame(colour)}">'
        yield f"<div><b>{summary}</b></div>"
        for verdict in self.verdicts:
            if verdict.state == "failed":
                yield from _failed(verdict)
        others = [verdict for verdict in self.verdicts if verdict.state != "failed"]
        if others:
            yield '<details style="margin-top:6px"><summary style="cursor:pointer">the other rules</summary>'
            yield '<table style="border-collapse:collapse;border:none;background:transparent">'
            for verdict in others:
                sign = SIGNS[verdict.state]
                note = f" ({escape(visible(verdict.note))})" if verdict.note else ""
                yield (
                    f'<tr style="background:transparent"><td style="{_CELL};white-space:nowrap">{sign} '
                    f'{verdict.state}</td><th scope="row" style="{_CELL};{CODE};font-weight:normal">'
                    f'{escape(verdict.rule.name)}</th><td style="{_CELL}">{escape(verdict.rule.title)}{note}</td></tr>'
                )
            yield "</table></details>"
        yield "</div>"


def _rows(verdict: RuleResult) -> list[tuple[str, str]]:
    parts = ("given", "got", "wanted")
    return [(part, visible(getattr(verdict.finding, part)).replace("\n", "\\n")) for part in parts]


def _failed(verdict: RuleResult) -> Iterator[str]:
    yield (
        f'<div style="margin-top:8px">✗ failed <code style="{CODE}">{escape(verdict.rule.name)}</code>: '
        f"<b>{escape(verdict.rule.title)}</b></div>"
    )
    yield '<table style="border-collapse:collapse;border:none;background:transparent;margin:2px 0 2px 1em">'
    for label, text in _rows(verdict):
        yield (
            f'<tr style="background:transparent"><th scope="row" style="{_CELL};font-weight:normal;opacity:.75">{label}'
            f'</th><td style="{_CELL};{CODE};white-space:pre-wrap">{escape(text)}</td></tr>'
        )
    yield f'</table><div style="margin-left:1em;opacity:.85">{escape(verdict.rule.why)}</div>'
