"""A conformance suite for byte-level tokenizers: named rules, each with a reason and the smallest counter-example.

    conform(Candidate(Local(MyTokenizer), "mine"))      -> Report
    RULES                                               all rules, in the order in which they are tried

    driver       runs where the tokenizer lives: in this process, or in the sandbox of the grader
    candidate    how one is made and asked; only plain values come back
    recipes      the tokenizers that a candidate is asked to be, and the oracle for each
    samples      texts drawn from a seed
    of_...       the rules
    originals    tiktoken and the package itself, in the shape of the learner's class

The class under examination has ``encode(text, allowed_special)`` and ``decode(ids)``; with the class methods
``from_ranks(ranks, pattern, special_tokens)`` and ``train(text, vocab_size, pattern, special_tokens)``, and ``merges``,
all rules can be tried on it, else those that can. Nothing that it does raises here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from random import Random

from minbpe_course.checks.conformance import of_ids, of_laws, of_specials, of_texts, of_time, of_training
from minbpe_course.checks.conformance.candidate import ITSELF, Candidate, Local, Recipe, program_around
from minbpe_course.checks.conformance.rule import Exam, Finding, Report, Rule, Verdict
from minbpe_course.checks.equality import shown
from minbpe_course.errors import InvalidOption

__all__ = [
    "ITSELF",
    "RULES",
    "Candidate",
    "Finding",
    "Local",
    "Recipe",
    "Report",
    "Rule",
    "Verdict",
    "conform",
    "program_around",
]

RULES: tuple[Rule, ...] = (
    *of_texts.RULES,
    *of_ids.RULES,
    *of_specials.RULES,
    *of_laws.RULES,
    *of_training.RULES,
    *of_time.RULES,
)


def conform(
    candidate: Candidate, seed: str = "practice", only: Iterable[str] | None = None, without: Iterable[str] = ()
) -> Report:
    """Try the rules on a tokenizer and return the verdicts.

    seed : the texts are drawn from it. only, without : names of rules.

    Raises InvalidOption for the name of a rule that there is not.

    >>> class Bytes:
    ...     def encode(self, text):
    ...         return list(text.lower().encode())
    ...     def decode(self, ids):
    ...         return bytes(ids).decode()
    >>> report = conform(Candidate(Local(Bytes), "bytes"), only=["blanks-survive", "letters-survive", "joining"])
    >>> report.passed, report.failed, report.not_asked
    (('blanks-survive',), ('letters-survive',), ('joining',))
    >>> report["joining"].note
    'it has no class method from_ranks'
    """
    wanted = {rule.name for rule in RULES} if only is None else set(only)
    unknown = sorted((wanted | set(without)) - {rule.name for rule in RULES})
    if unknown:
        raise InvalidOption(f"there is no rule {unknown[0]!r}. The rules: {', '.join(rule.name for rule in RULES)}")
    exam = Exam(candidate)
    chosen = [rule for rule in RULES if rule.name in wanted - set(without)]
    return Report(candidate.name, tuple(_tried(rule, exam, seed) for rule in chosen))


def _tried(rule: Rule, exam: Exam, seed: str) -> Verdict:
    if exam.candidate.stopped:
        return Verdict(rule, "not asked", note="it was stopped too often before")
    missing = [name for name in rule.needs if name not in exam.candidate.abilities]
    if missing:
        return Verdict(rule, "not asked", note=f"it has no class method {missing[0]}")
    dice = Random(hashlib.sha256(f"{seed}\0{rule.name}".encode("utf-8", "surrogatepass")).digest())
    try:
        found = rule.check(exam, dice)
    except Exception as error:  # a value that no rule has thought of: wrong, whatever it is
        found = Finding(
            rule.title, f"an answer of a kind that cannot be compared ({shown(str(error), 80)})", "a plain one"
        )
    if isinstance(found, str):
        return Verdict(rule, "not asked", note=found)
    return Verdict(rule, "failed", found) if found else Verdict(rule, "passed")
