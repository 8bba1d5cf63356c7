"""Where the seed comes from, and which seeds are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from minbpe_course.errors import GradingProblem
from minbpe_course.learning.grading.seeds import find_seed


@pytest.mark.parametrize(
    ("given", "text", "variable", "seed", "problem"),
    [
        ("from the command line", None, None, "from the command line", ""),
        (None, "from a file\n", None, "from a file", ""),
        (None, "\ufefffrom Windows\r\n", None, "from Windows", ""),
        (None, None, "from the environment", "from the environment", ""),
        ("the command line wins", None, "over this one", "the command line wins", ""),
        ("short", None, None, "short", "has 5 characters"),
        ("", None, None, None, "--seed is empty"),
        (None, " \n", None, None, "is empty"),
        (None, None, "", None, "MINBPE_COURSE_SEED is empty"),
        (None, None, None, None, "no seed to draw"),
        ("one and", "another one", None, None, "both given"),
        (None, "x" * 5000, None, None, "is it the right file"),
    ],
)
def test_where_the_seed_comes_from(tmp_path: Path, given, text, variable, seed, problem) -> None:
    file = None
    if text is not None:
        file = tmp_path / "seed.txt"
        file.write_bytes(text.encode())
    environment = {} if variable is None else {"MINBPE_COURSE_SEED": variable}
    if seed is None:
        with pytest.raises(GradingProblem, match=f"(?i){problem}"):
            find_seed(given, file, environment)
    else:
        found, warning = find_seed(given, file, environment)
        assert found == seed
        assert problem in warning
        assert bool(problem) == bool(warning)


def test_a_seed_file_that_is_missing() -> None:
    with pytest.raises(GradingProblem, match=r"cannot read nowhere\.txt: .*\nMake one:\npython -c"):
        find_seed(None, Path("nowhere.txt"), {})
