"""The playground's JavaScript as one text: its files are modules, without a build step or a download.

The result has no imports, so anywidget and a page can use it.
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z_]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let) (\w+))", re.MULTILINE)


def source(name: str) -> str:
    """Return a file of this folder, preceded by the files that it imports.

    Only the exports of an imported file are visible to the others, as between modules.

    >>> text = source("ui.js")
    >>> text.index("const { createLatest } = (() => {") < text.index("function mountPlayground")
    True
    """
    files: dict[str, str] = {}
    _gather(name, files)
    own = files.pop(name)
    return "".join(map(_enclosed, files.values())) + _EXPORT.sub("", own)


def engine_source() -> str:
    """Return the engine of the page as JavaScript that defines ``createEngine`` and nothing else."""
    return as_expression(source("engine/engine.js"), "createEngine")


def as_expression(text: str, name: str) -> str:
    """Return ``text`` as one statement that defines only ``name``.

    >>> as_expression("const a = 1; const b = a;", "b")
    'const b = (() => {\\nconst a = 1; const b = a;\\nreturn b;\\n})();\\n'
    """
    return f"const {name} = (() => {{\n{text}\nreturn {name};\n}})();\n"


def style() -> str:
    """Return the style sheet of the playground."""
    return (HERE / "playground.css").read_text(encoding="utf-8")


def _gather(name: str, files: dict[str, str]) -> None:
    text = (HERE / name).read_text(encoding="utf-8")
    folder = name.rpartition("/")[0]
    for imported in _IMPORT.findall(text):
        path = f"{folder}/{imported}" if folder else imported
        if path not in files:
            _gather(path, files)
    files[name] = _IMPORT.sub("", text)


def _enclosed(text: str) -> str:
    names = ", ".join(_EXPORT.findall(text))
    return f"const {{ {names} }} = (() => {{\n{_EXPORT.sub('', text)}return {{ {names} }};\n}})();\n"
