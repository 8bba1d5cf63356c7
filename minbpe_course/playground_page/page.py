"""One HTML file with the playground in it: the interface, the tokenizers in JavaScript, and their vocabularies.

    write_page("page.html", ["gpt2", "o200k_base"], ["mine.model"], text="hello")

It opens from disk without a network, and its content security policy forbids any: a script runs only if its SHA-256 is
listed. Models and texts are JSON without ``<`` in an element that browsers do not run, and are drawn as text: a piece
``</script>`` stays a piece. A browser without DecompressionStream (before Chrome 80, Firefox 113, Safari 16.4) shows an
error in each panel.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from minbpe_course.errors import NotText, UnsupportedModel
from minbpe_course.files import write_whole
from minbpe_course.formats.sources import record_from
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel
from minbpe_course.playground_page.page_data import PAGE_ENCODINGS, as_json, page_data
from minbpe_course.playground_page.sources import HERE, as_expression, engine_source, source, style
from minbpe_course.showing.drawing import free_name

TEXT = (
    "Tokenizers cut text: 1234567 + 89, naïve café, 日本語, Привет, שלום, 🙂👍🏽\n"
    "def double(x):\n    return 2 * x<|endoftext|>"
)
_PAGE_STYLE = """
body { margin: 0; background: #ffffff; }
.mbp-page { min-height: 100vh; padding: 16px max(16px, calc(50vw - 540px)); }
.mbp-page h1 { font-size: 26px; line-height: 1.2; margin: 0 0 8px; }
.mbp-page p { margin: 0 0 12px; }
.mbp-page .mbp { padding: 0; }
@media (prefers-color-scheme: dark) { body:not([data-jp-theme-light]) { background: #15171a; } }
body[data-jp-theme-light="false"] { background: #15171a; }
"""
_LAUNCH = """
const textIn = (id) => document.getElementById(id).textContent;
page.launch(createEngine, [textIn("engine"), textIn("answer")], textIn("data"));
"""
_START = """
const page = startPage(document.getElementById("playground"), JSON.parse(document.getElementById("start").textContent));
"""
_PLACE = re.compile(r"@@(\w+)@@")


def write_page(
    path: str | os.PathLike[str],
    encodings: Iterable[str] = PAGE_ENCODINGS,
    models: Iterable[str | os.PathLike[str]] = (),
    text: str = TEXT,
) -> Path:
    """Write the page and return its path.

    encodings : names of bundled encodings · models : paths of tokenizers' files · text : the text in the page at first.

    Raises UnknownEncoding, MissingFile, UnreadableModel, UnsupportedModel, UnusablePath, NotText.
    """
    encodings = list(encodings)
    return write_whole(path, page(encodings, named_models(models, encodings), text).encode("utf-8"))


def page(
    encodings: Iterable[str] = PAGE_ENCODINGS,
    models: Mapping[str, BytePairModel | PieceModel] | None = None,
    text: str = TEXT,
) -> str:
    """Return the page as text; the same for the same arguments.

    >>> html = page(["gpt2"], {"mine </script>": BytePairModel([(97, 97)])}, text="<script>alert(1)</script>")
    >>> html.count("</script>"), "alert(1)</" in html
    (6, False)
    """
    if not isinstance(text, str):
        raise NotText(f"text must be a str, got {type(text).__name__}.")
    data = page_data(list(dict.fromkeys(encodings)), models or {})
    names = [entry["name"] for entry in data["tokenizers"]]
    if not names:
        raise UnsupportedModel("a page without tokenizers has nothing to show: name an encoding or a model.")
    scripts = {
        "interface": _script(as_expression(source("page.js"), "startPage") + _START),
        "engine": _script(engine_source()),
        "answer": _script(as_expression(source("answering.js"), "answer")),
        "launch": _script(_LAUNCH),
    }
    sheet = style() + _PAGE_STYLE
    parts = {
        **scripts,
        "policy": _policy(scripts.values(), sheet),
        "style": sheet,
        "start": as_json({"names": names, "text": text, "heading": "h2"}),
        "data": as_json(data),
    }
    template = (HERE / "page.html").read_text(encoding="utf-8")
    # In one pass, so that inserted text is not searched for placeholders.
    return _PLACE.sub(lambda found: parts[found[1]], template)


def named_models(
    paths: Iterable[str | os.PathLike[str]], taken: Iterable[str] = ()
) -> dict[str, BytePairModel | PieceModel]:
    """Return the models of some files, in any format, by the names of the files, avoiding those ``taken``.

    Raises MissingFile, UnreadableModel, and UnsupportedModel for a model that the page cannot run.
    """
    models: dict[str, BytePairModel | PieceModel] = {}
    for path in map(Path, paths):
        record, name = record_from(path)
        if isinstance(record, VocabularyModel):
            raise UnsupportedModel(
                f"the page cannot run {path.name}: its tokens are not made by one merge each, in the order of their "
                "ids. playground() in a notebook and show() take it."
            )
        models[free_name(name, {*taken, *models})] = record
    return models


def _script(text: str) -> str:
    # A browser ends the script at the first "</script", also inside a string.
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _policy(scripts: Iterable[str], sheet: str) -> str:
    def known(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"

    allowed = f"script-src {' '.join(map(known, scripts))}; style-src {known(sheet)}; worker-src blob:"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
