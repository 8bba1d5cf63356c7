"""Copy the sources of the site, in the layout of the repository, so that the links between pages stay valid.

Lessons, exercises and pages are found, not listed: a new one appears by itself, also in the table of contents.
Solutions are not part of the site.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import yaml
from nbformat import NotebookNode

from tools.course_site import reference
from tools.course_site.extension import ALTS

ROOT = Path(__file__).resolve().parent.parent.parent
OURS = ROOT / "docs" / "site"
PLAYGROUND = "playground"
# The pages, in the order of the table of contents, if they exist.
FOR_TEACHERS = ("docs/teaching", "benchmarks/grading")
FOR_ENGINEERS = (
    "docs/installing",
    "docs/python",
    "docs/command-line",
    "docs/interchange",
    "docs/counts-file",
    "docs/architecture",
)
FOR_MAINTAINERS = (
    "benchmarks/results",
    "benchmarks/choosing",
    "benchmarks/scale",
    "CONTRIBUTING",
    "CHANGELOG",
    "SECURITY",
)


def lay_out(folder: Path, *, playground: Path | None) -> None:
    """Write everything that the builder reads into the empty ``folder``; ``playground`` is the page that was made."""
    for name in ("_config.yml", "course.css", "course.js", "favicon.svg"):
        place = folder / ("." if name == "_config.yml" else "_static") / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(OURS / name, place)
    lessons = list(_lay_lessons(folder))
    for page in (*FOR_TEACHERS, *FOR_ENGINEERS, *FOR_MAINTAINERS):
        if (ROOT / f"{page}.md").exists():
            _copy(f"{page}.md", folder)
    for path in (*(ROOT / "benchmarks").glob("*.png"), *(ROOT / "docs" / "images").glob("*"), ROOT / "LICENSE"):
        _copy(path.relative_to(ROOT).as_posix(), folder)
    (folder / "index.md").write_text(_front(lessons), encoding="utf-8")
    (folder / "exercises.md").write_text(_exercises(folder, lessons), encoding="utf-8")
    packages = reference.pages()
    (folder / "reference").mkdir()
    for name, text in packages.items():
        (folder / "reference" / f"{name}.rst").write_text(text, encoding="utf-8")
    if playground is not None:
        (folder / PLAYGROUND).mkdir()
        shutil.copyfile(playground, folder / PLAYGROUND / "index.html")
        shutil.copyfile(OURS / "playground.md", folder / "playground.md")
    contents = _contents(folder, [path for path, _ in lessons], [name for name in packages if name != "index"])
    (folder / "_toc.yml").write_text(yaml.safe_dump(contents, sort_keys=False), encoding="utf-8")


def _copy(name: str, folder: Path) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / name, folder / name)


def _lay_lessons(folder: Path) -> Iterator[tuple[str, NotebookNode]]:
    """Copy the lessons and what describes their pictures; yield each by its name in the table of contents."""
    alts: dict[str, str] = {}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        name = path.relative_to(ROOT).as_posix()
        _copy(name, folder)
        notebook = nbformat.read(path, as_version=4)
        alts |= descriptions(notebook)
        yield name.removesuffix(".ipynb"), notebook
    (folder / ALTS).write_text(json.dumps(alts), encoding="utf-8")


def descriptions(notebook: NotebookNode) -> dict[str, str]:
    """Return what each picture of the outputs shows, by the SHA-256 of the picture.

    A chart of the house says it in the metadata of its output; of any other only the section is known.
    """
    found = {}
    section = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            headings = re.findall(r"^#+ +(.+)$", cell.source, re.MULTILINE)
            section = headings[-1] if headings else section
        for output in cell.get("outputs", []):
            for kind, picture in output.get("data", {}).items():
                if kind.startswith("image/"):
                    data = picture.encode("utf-8") if kind == "image/svg+xml" else b64decode(picture)
                    words = output.get("metadata", {}).get(kind, {}).get("alt")
                    found[hashlib.sha256(data).hexdigest()] = words or f"Picture: {_plain(section)}"
    return found


def _plain(heading: str) -> str:
    return re.sub(r"[`*_]", "", heading).strip()


def _title(notebook: NotebookNode) -> str:
    headings = (re.search(r"^# +(.+)$", cell.source, re.MULTILINE) for cell in notebook.cells)
    return next((found[1] for found in headings if found), "")


def _front(lessons: list[tuple[str, NotebookNode]]) -> str:
    """Fill in the table of lessons: the title of each, and what the README's table says of it."""
    said = dict(re.findall(r"^\| `(\d\d_\w+)` \| (.+) \|$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M))
    rows = ["| lesson | you find out | minutes |", "|---|---|---|"]
    for path, notebook in lessons:
        name = path.rpartition("/")[2]
        rows.append(f"| [{_title(notebook) or name}]({path}.ipynb) | {said.get(name, ' | ')} |")
    return (OURS / "index.md").read_text(encoding="utf-8").replace("(the lessons)", "\n".join(rows))


def _exercises(folder: Path, lessons: list[tuple[str, NotebookNode]]) -> str:
    titles = {path.rpartition("/")[2]: _title(notebook) for path, notebook in lessons}
    rows = ["| exercises for | notebook to download |", "|---|---|"]
    for path in sorted((ROOT / "exercises").glob("*.ipynb")):
        name = path.relative_to(ROOT).as_posix()
        _copy(name, folder)
        lesson = f"[{titles[path.stem]}](notebooks/{path.stem}.ipynb)" if path.stem in titles else path.stem
        rows.append(f"| {lesson} | {{download}}`{path.name} <{name}>` |")
    about = (ROOT / "exercises" / "README.md").read_text(encoding="utf-8")
    return about.rstrip() + "\n\n## The notebooks\n\n" + "\n".join(rows) + "\n"


def _contents(folder: Path, lessons: list[str], packages: list[str]) -> dict[str, Any]:
    def there(*pages: str) -> list[dict[str, Any]]:
        return [
            {"file": page} for page in pages if any((folder / f"{page}{kind}").exists() for kind in (".md", ".rst"))
        ]

    parts = [
        {"caption": "Lessons", "chapters": [{"file": lesson} for lesson in lessons]},
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
