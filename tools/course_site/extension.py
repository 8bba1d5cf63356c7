"""Extend Sphinx: our docstrings, descriptions of pictures, and formulas that need no script."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

from minbpe_course import errors
from tools.course_site.docstrings import to_rst

ALTS = "alts.json"

_log = logging.getLogger(__name__)
_ERRORS = frozenset(name for name, _ in inspect.getmembers(errors, inspect.isclass))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect everything; Sphinx calls this by name."""
    app.connect("autodoc-process-docstring", _docstring)
    app.connect("doctree-read", _describe_pictures)
    # The builder sets it for an extension that is left out.
    app.add_config_value("comments_config", {}, "html")
    app.add_html_math_renderer("mathml", (_inline_formula, None), (_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _docstring(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    lines[:] = to_rst(lines, _ERRORS)


def _describe_pictures(app: Sphinx, doctree: nodes.document) -> None:
    """Give every picture its words. A file of a notebook's output is named by the SHA-256 of what is in it."""
    alts: dict[str, str] = json.loads(Path(app.srcdir, ALTS).read_text(encoding="utf-8"))
    for image in doctree.findall(nodes.image):
        words = alts.get(Path(str(image["uri"])).stem, "")
        if words and not image.get("alt"):
            image["alt"] = words
        if not image.get("alt"):
            _log.warning("a picture without words: %s", image["uri"], location=image)


def _inline_formula(writer: Any, node: nodes.math) -> None:
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _formula(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(tex2mathml(node.astext(), as_block=True))
    writer.body.append("</div>\n")
    raise nodes.SkipNode
