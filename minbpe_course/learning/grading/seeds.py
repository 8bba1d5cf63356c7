"""Find the teacher's secret seed, from which hidden cases are drawn, in one of three places.

--seed-file FILE                 best
MINBPE_COURSE_SEED=...           for a machine that keeps secrets in its environment
--seed SECRET                    for a trial: other users of the machine can see it in the list of processes
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from minbpe_course.errors import GradingProblem, UnusablePath
from minbpe_course.files import read_whole

VARIABLE = "MINBPE_COURSE_SEED"
SHORTEST = 8
LARGEST_FILE = 4_096
MAKE_ONE = (
    'python -c "import secrets; print(secrets.token_urlsafe())" > seed.txt\nthen type --seed-file seed.txt, and keep it'
)


def find_seed(given: str | None, file: Path | None, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the seed, and a warning if it is short, else "".

    Raises GradingProblem when no seed, an empty one, or two are given.
    """
    if given is not None and file is not None:
        raise GradingProblem("--seed and --seed-file are both given. Drop one of them, preferably --seed.")
    if file is not None:
        try:
            data = read_whole(file, pipes=True)
        except UnusablePath as error:
            raise GradingProblem(f"{error}\nMake one:\n{MAKE_ONE}") from error
        if len(data) > LARGEST_FILE:
            raise GradingProblem(f"{file} has {len(data):,} bytes; a seed is one line. Is it the right file?")
        seed, where = data.decode("utf-8", "surrogateescape"), str(file)
    elif given is not None:
        seed, where = given, "--seed"
    elif VARIABLE in environment:
        seed, where = environment[VARIABLE], VARIABLE
    else:
        raise GradingProblem(f"no seed to draw the hidden cases from. Make one:\n{MAKE_ONE}")
    seed = seed.strip("\ufeff \t\r\n")
    if not seed:
        raise GradingProblem(f"the seed in {where} is empty. Make one:\n{MAKE_ONE}")
    if len(seed) >= SHORTEST:
        return seed, ""
    short = f"the seed in {where} has {len(seed)} characters; a learner can guess it and draw the same cases."
    return seed, f"{short} Make one:\n{MAKE_ONE}"
