"""A conformance suite for byte-level tokenizers: named rules, each with a reason and the smallest counter-example.

    conform(Candidate(Local(MyTokenizer), "mine"))      -> Report
    RULES                                               all rules, in the order in which they are tried

The class under examination has ``encode(text, allowed_special)`` and ``decode(ids)``. All rules can be tried on it if
it also has ``merges``, and can be made in two ways:

    T.from_ranks(ranks, pattern, special_tokens)               a class method
    T(pattern), then .register_special_tokens(special_tokens), then .train(text, vocab_size)       as in minbpe
    T.train(text, vocab_size, pattern, special_tokens)         or all of that in one class method

An exception of the class never reaches the caller of ``conform``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from random import Random

from minbpe_course.errors import InvalidOption
from minbpe_course.learning.judge.conformance.candidate import Candidate, Local, program_around
from minbpe_course.learning.judge.conformance.report import Broken, Finding, NotAsked, Report, Rule, RuleResult
from minbpe_course.learning.judge.conformance.rules import RULES
from minbpe_course.learning.judge.equality import shown

__all__ = ["RULES", "Candidate", "Local", "Report", "conform", "program_around"]


def conform(candidate: Candidate, seed: str = "practice", only: Iterable[str] | None = None) -> Report:
    """Try the rules on a tokenizer and return the report.

    seed : the texts are drawn from it. only : names of rules.

    Raises InvalidOption for an unknown name of a rule.

    >>> class Bytes:
    ...     def encode(self, text):
    ...         return list(text.lower().encode())
    ...     def decode(self, ids):
    ...         return bytes(ids).decode()
    >>> report = conform(Candidate(Local(Bytes), "bytes"), only=["spaces-survive", "letters-survive", "joining"])
    >>> report.passed, report.failed, report.not_asked
    (('spaces-survive',), ('letters-survive',), ('joining',))
    >>> report["joining"].note
    'it has no class method from_ranks'
    """
    wanted = {rule.name for rule in RULES} if only is None else set(only)
    unknown = sorted(wanted - {rule.name for rule in RULES})
    if unknown:
        raise InvalidOption(f"there is no rule {unknown[0]!r}. The rules: {', '.join(rule.name for rule in RULES)}")
    return Report(candidate.name, tuple(_tried(rule, candidate, seed) for rule in RULES if rule.name in wanted))


def _tried(rule: Rule, candidate: Candidate, seed: str) -> RuleResult:
    if candidate.stopped:
        return RuleResult(rule, "not asked", note="it was stopped too often before")
    dice = Random(hashlib.sha256(f"{seed}\0{rule.name}".encode("utf-8", "surrogatepass")).digest())
    try:
        rule.check(candidate, dice)
    except NotAsked as reason:
        return RuleResult(rule, "not asked", note=str(reason))
    except Broken as error:
        return RuleResult(rule, "failed", error.finding)
    except Exception as error:  # a value that no rule expects is wrong
        got = f"an answer of a kind that cannot be compared ({shown(str(error), 80)})"
        return RuleResult(rule, "failed", Finding(rule.title, got, "a plain one"))
    return RuleResult(rule, "passed")
