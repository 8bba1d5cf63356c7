"""Copy the sources of the site, in the layout of the repository, so that the links between pages stay valid.

Lessons, exercises and pages are found, not listed: a new one appears by itself, also in the table of contents.
Solutions are not part of the site.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import yaml
from nbformat import NotebookNode

from tools.course_site import reference
from tools.course_site.extension import ALTS
from tools.course_site.notebook_pages import as_page, descriptions, title
from tools.release import address

ROOT = Path(__file__).resolve().parent.parent.parent
OURS = ROOT / "docs" / "site"
PLAYGROUND = "playground"
# The pages, in the order of the table of contents, if they exist.
FOR_TEACHERS = ("docs/teaching", "docs/teaching-with-git", "benchmarks/grading")
FOR_ENGINEERS = (
    "docs/installing",
    "docs/python",
    "docs/command-line",
    "docs/server",
    "docs/dataloader",
    "docs/transformers",
    "docs/chunks",
    "docs/large-studies",
    "docs/glossary",
    "docs/interchange",
    "docs/counts-file",
    "docs/architecture",
)
FOR_MAINTAINERS = (
    "benchmarks/results",
    "benchmarks/choosing",
    "benchmarks/stages",
    "benchmarks/scale",
    "CONTRIBUTING",
    "CHANGELOG",
    "SECURITY",
)


def lay_out(folder: Path, *, playground: Path) -> None:
    """Write everything that the builder reads into the empty ``folder``; ``playground`` is the page that was made."""
    for name in ("_config.yml", "scorer.js", "course.css", "course.js", "favicon.svg"):
        place = folder / ("." if name in ("_config.yml", "scorer.js") else "_static") / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(OURS / name, place)
    lessons = list(_lay_notebooks(folder, "notebooks"))
    exercises = list(_lay_notebooks(folder, "exercises"))
    alts: dict[str, str] = {}
    for _, notebook in lessons:
        alts |= descriptions(notebook)
    (folder / ALTS).write_text(json.dumps(alts), encoding="utf-8")
    for page in (*FOR_TEACHERS, *FOR_ENGINEERS, *FOR_MAINTAINERS):
        if (ROOT / f"{page}.md").exists():
            _copy(f"{page}.md", folder)
    for path in (
        *(ROOT / "benchmarks").glob("*.png"),
        *(ROOT / "docs" / "images").glob("*"),
        ROOT / "LICENSE",
        ROOT / "NOTICE",
    ):
        _copy(path.relative_to(ROOT).as_posix(), folder)
    (folder / "index.md").write_text(_front(lessons), encoding="utf-8")
    (folder / "exercises.md").write_text(_exercises(exercises), encoding="utf-8")
    packages = reference.pages()
    (folder / "reference").mkdir()
    for name, text in packages.items():
        (folder / "reference" / f"{name}.rst").write_text(text, encoding="utf-8")
    (folder / PLAYGROUND).mkdir()
    shutil.copyfile(playground, folder / PLAYGROUND / "index.html")
    shutil.copyfile(OURS / "playground.md", folder / "playground.md")
    contents = _contents(folder, [path for path, _ in lessons], [name for name in packages if name != "index"])
    (folder / "_toc.yml").write_text(yaml.safe_dump(contents, sort_keys=False), encoding="utf-8")


def _copy(name: str, folder: Path) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / name, folder / name)


def _lay_notebooks(folder: Path, kind: str) -> Iterator[tuple[str, NotebookNode]]:
    """Write the pages of a folder of notebooks; yield each notebook by its name in the table of contents."""
    (folder / kind).mkdir()
    for path in sorted((ROOT / kind).glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        other = "exercises" if kind == "notebooks" else "notebooks"
        page = as_page(notebook, path.stem, other if (ROOT / other / path.name).exists() else "")
        nbformat.write(page, folder / kind / path.name)
        yield f"{kind}/{path.stem}", notebook


def _front(lessons: list[tuple[str, NotebookNode]]) -> str:
    """Fill in the table of lessons: the title of each, and what the README's table says of it."""
    # Bold names are the core path.
    row = r"^\| (?:\*\*)?`(\d\d_\w+)`(\*\*|) \| (.+) \| (\d+) \| (\S+) \|$"
    said = {found[0]: found[1:] for found in re.findall(row, (ROOT / "README.md").read_text(encoding="utf-8"), re.M)}
    rows = ["| lesson | topic | minutes | exercises |", "|---|---|---|---|"]
    for path, notebook in lessons:
        name = path.rpartition("/")[2]
        bold, what, minutes, more = said.get(name, ("", "", "", ""))
        if (ROOT / "exercises" / f"{name}.ipynb").exists():
            more = f"[{more} minutes](exercises/{name}.ipynb)"
        rows.append(f"| {bold}[{title(notebook) or name}]({path}.ipynb){bold} | {what} | {minutes} | {more} |")
    page = (OURS / "index.md").read_text(encoding="utf-8").replace("(the lessons)", "\n".join(rows))
    return page.replace("(the repository)", f"[the repository]({address()})" if address() else "the repository")


def _exercises(exercises: list[tuple[str, NotebookNode]]) -> str:
    rows = [f"* [{title(notebook)}]({path}.ipynb)" for path, notebook in exercises]
    about = (ROOT / "exercises" / "README.md").read_text(encoding="utf-8")
    return about.rstrip() + "\n\n## The notebooks\n\n" + "\n".join(rows) + "\n"


def _contents(folder: Path, lessons: list[str], packages: list[str]) -> dict[str, Any]:
    def there(*pages: str) -> list[dict[str, Any]]:
        return [
            {"file": page} for page in pages if any((folder / f"{page}{kind}").exists() for kind in (".md", ".rst"))
        ]

    def with_exercises(lesson: str) -> dict[str, Any]:
        exercises = lesson.replace("notebooks/", "exercises/")
        below = [{"file": exercises}] if (folder / f"{exercises}.ipynb").exists() else []
        return {"file": lesson, **({"sections": below} if below else {})}

    parts = [
        {"caption": "Lessons", "chapters": list(map(with_exercises, lessons))},
        {"caption": "Do it yourself", "chapters": there("exercises", "playground")},
        {"caption": "For teachers", "chapters": there(*FOR_TEACHERS)},
        {
            "caption": "The package",
            "chapters": [
                *there(*FOR_ENGINEERS),
                {"file": "reference/index", "sections": [{"file": f"reference/{package}"} for package in packages]},
                *there(*FOR_MAINTAINERS),
            ],
        },
    ]
    return {"format": "jb-book", "root": "index", "parts": parts}
