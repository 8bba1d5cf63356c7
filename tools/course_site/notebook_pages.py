"""What a notebook becomes on its page: links at the top, folded answers, and the playground in place of its widget."""

from __future__ import annotations

import copy
import hashlib
import re
from base64 import b64decode

import nbformat
from nbformat import NotebookNode

PLAYGROUND = (
    '<iframe class="playground" loading="lazy" src="../playground/index.html"'
    ' title="Playground: tokens as you type"></iframe>'
)
BELOW = {
    "notebooks": "[Exercises](../exercises/{name}.ipynb)",
    "exercises": "[Lesson](../notebooks/{name}.ipynb) · [How to work on them](../exercises.md)",
}


def as_page(notebook: NotebookNode, name: str, other: str) -> NotebookNode:
    """Return the page of a notebook; ``other`` is the folder of its exercises or of its lesson, "" if it has none.

    Folded cells stay folded. The widget of the playground needs a kernel, so its page takes its place.
    """
    page = copy.deepcopy(notebook)
    kind = "exercises" if other == "notebooks" else "notebooks"
    first = next(cell for cell in page.cells if cell.cell_type == "markdown")
    heading, _, rest = first.source.partition("\n")
    first.source = f"{heading}\n\n{_links(kind, name, bool(other))}\n{rest}"
    # The headings of exercises begin at the third level.
    deep = not any(re.search(r"^## ", cell.source, re.MULTILINE) for cell in page.cells if cell.cell_type == "markdown")
    for cell in page.cells:
        if deep and cell.cell_type == "markdown":
            cell.source = re.sub(r"^#(?=##+ )", "", cell.source, flags=re.MULTILINE)
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), "hide-input"]
            cell.metadata["mystnb"] = {"code_prompt_show": "Show the answer", "code_prompt_hide": "Hide the answer"}
        if cell.cell_type == "code" and re.search(r"^playground\(", cell.source, re.MULTILINE):
            cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": PLAYGROUND})]
    return page


def _links(kind: str, name: str, has_other: bool) -> str:
    links = [BELOW[kind].format(name=name)] if has_other else []
    links.append(f'<a href="../_sources/{kind}/{name}.ipynb" download>Notebook to download</a>')
    # The frame loads its page only after the reader has opened it.
    offer = f"<details><summary>Playground: type, and see the tokens</summary>{PLAYGROUND}</details>"
    return f":::{{div}} links-of-page\n{' · '.join(links)}\n:::\n\n{offer}\n"


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


def title(notebook: NotebookNode) -> str:
    """Return the first heading of a notebook, "" if it has none."""
    headings = (re.search(r"^# +(.+)$", cell.source, re.MULTILINE) for cell in notebook.cells)
    return next((found[1] for found in headings if found), "")
