"""The playground's JavaScript as one text: its files are modules, and there is no build step and no download.

    source("ui.js")      ui.js and whatever it imports, each once, those that are imported first

The result has no imports: it may be given to anywidget, or stand in a page.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z_]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let) (\w+))", re.MULTILINE)


def source(name: str) -> str:
    """Return a file of this folder with everything that it imports in front of it.

    Of each imported file only what it exports can be seen by the others, as between modules.

    >>> text = source("ui.js")
    >>> text.index("const { createLatest } = (() => {") < text.index("function mountPlayground")
    True
    """
    files: dict[str, str] = {}
    _gather(name, files)
    own = files.pop(name)
    return "".join(map(_enclosed, files.values())) + _EXPORT.sub("", own)


def as_expression(text: str, name: str) -> str:
    """Return ``text`` as one statement that defines ``name``, and nothing else, in a script of a page.

    >>> as_expression("const a = 1; const b = a;", "b")
    'const b = (() => {\\nconst a = 1; const b = a;\\nreturn b;\\n})();\\n'
    """
    return f"const {name} = (() => {{\n{text}\nreturn {name};\n}})();\n"


def style() -> str:
    """Return the style sheet of the playground.

    >>> ".mbp" in style()
    True
    """
    return (HERE / "playground.css").read_text(encoding="utf-8")


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name for a panel that no other has.

    >>> free_name("mine", ["gpt2"]), free_name("mine", ["mine"])
    ('mine', 'mine (2)')
    """
    number = 2
    free = name
    while free in taken:
        free = f"{name} ({number})"
        number += 1
    return free


def _gather(name: str, files: dict[str, str]) -> None:
    text = (HERE / name).read_text(encoding="utf-8")
    for wanted in _IMPORT.findall(text):
        if wanted not in files:
            _gather(wanted, files)
    files[name] = _IMPORT.sub("", text)


def _enclosed(text: str) -> str:
    names = ", ".join(_EXPORT.findall(text))
    return f"const {{ {names} }} = (() => {{\n{_EXPORT.sub('', text)}return {{ {names} }};\n}})();\n"
