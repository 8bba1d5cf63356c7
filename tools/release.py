"""Check that a tag can be released, and prepare what a release shows.

    python -m tools.release v0.1.0             what is wrong, one line for each problem
    python -m tools.release v0.1.0 --notes     print the changelog's entry
    python -m tools.release v0.1.0 --readme    point the README's local links to the tag, for PyPI

``.github/workflows/release.yml`` does all three when a tag is pushed. The address of the repository comes from
``[project.urls]`` in pyproject.toml and from nowhere else.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import minbpe_course
from minbpe_course.files import write_whole

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest installs it where the standard library lacks it

ROOT = Path(__file__).resolve().parents[1]


def address(root: Path = ROOT) -> str:
    """Return the address of the repository without a final slash, or "" while pyproject.toml names none."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project.get("urls", {}).get("Repository", "")).rstrip("/")


def entry(version: str, root: Path = ROOT) -> tuple[str, str]:
    """Return the date and the text of a version in the changelog; both are "" if it has no entry."""
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## \[{re.escape(version)}\] - (\S+)\n(.*?)(?=^## |\Z)", changes, re.MULTILINE | re.DOTALL)
    return (found[1], found[2].strip() + "\n") if found else ("", "")


def problems(tag: str, version: str = minbpe_course.__version__, root: Path = ROOT) -> list[str]:
    """Return what keeps a tag from being released, one line for each problem."""
    found = []
    if tag != f"v{version}":
        found.append(f"the tag is {tag}, but minbpe_course/__init__.py says {version}: tag v{version}")
    date, _ = entry(version, root)
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        date = "2026-12-31"
        found.append(f"CHANGELOG.md: the entry of {version} needs a heading such as ## [{version}] - {date}")
    cited = (root / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    for line in (f"version: {version}", f"date-released: {date}"):
        if line not in cited:
            found.append(f"CITATION.cff: a line is missing: {line}")
    if not address(root).startswith("https://"):
        found.append("pyproject.toml: name the repository under [project.urls]")
    return found


def with_addresses(page: str, repository: str, tag: str) -> str:
    """Return a page whose local links and pictures are addresses of the repository at a tag.

    >>> with_addresses('[teaching](docs/teaching.md) <img src="a.svg">', "https://host/it", "v1")
    '[teaching](https://host/it/blob/v1/docs/teaching.md) <img src="https://host/it/raw/v1/a.svg">'
    """
    page = re.sub(r"(\]\()(?!https?://|#)([^)]+\))", rf"\g<1>{repository}/blob/{tag}/\g<2>", page)
    return re.sub(r'(\bsrc(?:set)?=")(?!https?://)', rf"\g<1>{repository}/raw/{tag}/", page)


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line asks for; return 1 if something is wrong with the tag."""
    parser = argparse.ArgumentParser(description="Check that a tag can be released.")
    parser.add_argument("tag", help="for example v0.1.0")
    parser.add_argument("--notes", action="store_true", help="print the changelog's entry")
    parser.add_argument("--readme", action="store_true", help="point the README's local links to the tag, for PyPI")
    args = parser.parse_args(arguments)
    found = problems(args.tag)
    for problem in found:
        print(problem, file=sys.stderr)
    if found:
        return 1
    if args.notes:
        print(entry(minbpe_course.__version__)[1], end="")
    if args.readme:
        readme = ROOT / "README.md"
        page = with_addresses(readme.read_text(encoding="utf-8"), address(), args.tag)
        write_whole(readme, page.encode("utf-8"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
