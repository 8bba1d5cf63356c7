"""Turn a notebook into a page: links at the top, folded answers, and the playground in place of its widget."""

from __future__ import annotations

import ast
import copy
import hashlib
import re
from base64 import b64decode
from urllib.parse import urlencode

import nbformat
from nbformat import NotebookNode

# The frame loads its page only after the reader has opened it.
PLAYGROUND = (
    "<details><summary>{offer}</summary>"
    '<iframe class="playground" loading="lazy" src="../playground/index.html{said}"'
    ' title="Playground: tokens as you type"></iframe></details>'
)
OPEN = "Open the playground with this text"
PREDICTION = "**Before you run"  # its answer is folded away
BELOW = {
    "notebooks": "[Exercises](../exercises/{name}.ipynb)",
    "exercises": "[Lesson](../notebooks/{name}.ipynb) · [How to work on them](../exercises.md)",
}


def as_page(notebook: NotebookNode, name: str, other: str) -> NotebookNode:
    """Return the page of a notebook. other : the folder of its exercises or of its lesson, or "".

    Folded cells stay folded, and so are the outputs that answer a question. The widget of the playground needs a
    kernel, so the page of the playground takes its place, with the same text. It has the published vocabularies, but
    not the ones that a notebook trains.
    """
    page = copy.deepcopy(notebook)
    kind = "exercises" if other == "notebooks" else "notebooks"
    first = next(cell for cell in page.cells if cell.cell_type == "markdown")
    heading, _, rest = first.source.partition("\n")
    first.source = f"{heading}\n\n{_links(kind, name, bool(other))}\n{rest}"
    sections = False  # above the first section, the headings of exercises are at the third level
    texts: dict[str, str] = {}
    asked = False
    for cell in page.cells:
        if cell.cell_type == "markdown":
            asked = PREDICTION in cell.source
        elif asked and cell.outputs:
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), "hide-output"]
            cell.metadata["mystnb"] = {
                "code_prompt_show": "Show the result",
                "code_prompt_hide": "Hide the result",
            }
        sections = sections or (cell.cell_type == "markdown" and bool(re.search(r"^## ", cell.source, re.MULTILINE)))
        if not sections and cell.cell_type == "markdown":
            cell.source = re.sub(r"^#(?=##+ )", "", cell.source, flags=re.MULTILINE)
        if cell.cell_type == "code" and (text := _typed(cell.source, texts)) is not None:
            said = f"#{urlencode({'text': text})}" if text else ""
            cell.outputs = [
                nbformat.v4.new_output("display_data", {"text/html": PLAYGROUND.format(offer=OPEN, said=said)})
            ]
    return page


def _typed(code: str, texts: dict[str, str]) -> str | None:
    """Return the text of a cell's call ``playground(text, ...)``, "" if it is not known, None without such a call.

    texts : the texts that have a name by now; those of this cell are added.
    """
    try:
        lines = ast.parse(code).body
    except SyntaxError:  # a blank, or a command of IPython
        return None
    for line in lines:
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                texts[name] = text
            case ast.Expr(value=ast.Call(func=ast.Name(id="playground"), args=args)):
                match args:
                    case [ast.Constant(value=str(text)), *_]:
                        return text
                    case [ast.Name(id=name), *_]:
                        return texts.get(name, "")
                return ""
    return None


def _links(kind: str, name: str, has_other: bool) -> str:
    links = [BELOW[kind].format(name=name)] if has_other else []
    links.append(f'<a href="../_sources/{kind}/{name}.ipynb" download>Notebook to download</a>')
    offer = PLAYGROUND.format(offer="Playground: type, and see the tokens", said="")
    return f":::{{div}} links-of-page\n{' · '.join(links)}\n:::\n\n{offer}\n"


def descriptions(notebook: NotebookNode) -> dict[str, str]:
    """Return a description of each picture in the outputs, by the SHA-256 of the picture.

    Our charts describe themselves in the metadata of their output. Any other picture gets the title of its section.
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
    """Return the first heading of a notebook, or ""."""
    headings = (re.search(r"^# +(.+)$", cell.source, re.MULTILINE) for cell in notebook.cells)
    return next((found[1] for found in headings if found), "")
