"""Answers that try to cheat or to do harm, as text. Nothing in here runs unless a sandbox runs it.

    integrity   wants points that it has not earned, by what it returns or changes in its process
    forgery     wants the same, by what it writes on the pipe or how it ends
    reading     wants to see what it must not see: solutions, secrets, other processes
    harm        wants to do something to the machine, and brings back "escaped" when it could
    floods      wants to use everything up
    notebooks   attacks from several cells: patches, forged progress, traces, right answers that are served
    cheating    cheats in an exercise where the learner writes the test
    honest      looks odd and is right: must keep full marks

Every one is bounded by itself in count, size and seconds, so that a sandbox that fails costs a red test and no more.
Tokens in capitals between two ``@`` are replaced by the test that runs them.
"""

from __future__ import annotations

import re
import textwrap

MERGE, TEST = "def merge(ids, pair, new_id):", "def test_merge(merge):"
_NAMED = re.compile(
    r"(?<![\w.])(atexit|builtins|gc|glob|io|itertools|json|mmap|os|re|signal|socket|string|subprocess|sys|tempfile|"
    r"threading|time|types)(?=\.)"
)
_WHOLE = re.compile(r"^(?:def (?:test_)?merge\b|merge = )", re.MULTILINE)


def answers(cases: dict[str, str], head: str = MERGE, before: str = "") -> dict[str, str]:
    """Return the source of answers, each from a whole cell, or from the body of a function with this head.

    before : what each of them begins with. The modules that a text names are imported above it.
    """
    made = {}
    for name, case in cases.items():
        cell = case if _WHOLE.search(case) else f"{head}\n{textwrap.indent(textwrap.dedent(case), '    ')}\n"
        imports = sorted(set(_NAMED.findall(before + cell)))
        made[name] = "".join(f"import {module}\n" for module in imports) + before + cell
    return made
