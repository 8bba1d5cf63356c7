"""Draw the theme's icons into the pages, so that no page loads Font Awesome's script, which is 1.5 MB.

The script would replace each ``<i class="fa-solid fa-bars"></i>`` by the picture of that name. This does the same once,
while the site is built, with the pictures in that script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

SCRIPT = Path("_static", "scripts", "fontawesome.js")
# A name, its width and height, its other names, its code point, and its outline.
_PICTURE = re.compile(r'[{,]"?([\w-]+)"?:\[(\d+),(\d+),\[([^\]]*)\],"[0-9a-f]+","([^"]+)"\]')
_ICON = re.compile(r'<(i|span) class="([^"]*\bfa[srb]?\b[^"]*\bfa-[^"]*)"([^>]*)></\1>')
_LOADED = re.compile(
    r'\s*<!-- So that users can add custom icons -->\s*<script defer src="[^"]*/fontawesome\.js[^"]*"></script>'
)

Pictures = Mapping[str, tuple[str, str, str]]


def pictures(script: str) -> dict[str, tuple[str, str, str]]:
    """Return the width, height and outline of each icon of Font Awesome's script, by each of its names.

    >>> pictures('{bars:[448,512,["navicon"],"f0c9","M0 96z"]}')["navicon"]
    ('448', '512', 'M0 96z')
    """
    found: dict[str, tuple[str, str, str]] = {}
    for name, width, height, others, outline in _PICTURE.findall(script):
        for each in (name, *re.findall(r'"([\w-]+)"', others)):
            found[each] = width, height, outline  # the solid icons come last
    return found


def with_icons(page: str, known: Pictures) -> str:
    """Return a page with its icons drawn, and without the script. Raises KeyError for an icon that is not known.

    >>> with_icons('<i class="fa-solid fa-bars fa-lg"></i>', {"bars": ("448", "512", "M0 96z")})  # doctest: +ELLIPSIS
    '<svg class="icon fa-solid fa-bars fa-lg" viewBox="0 0 448 512" aria-hidden="true"><path ... d="M0 96z"/></svg>'
    """

    def drawn(icon: re.Match[str]) -> str:
        classes = " ".join(icon[2].split())
        names = [
            name for name in re.findall(r"\bfa-([\w-]+)", classes) if name not in ("solid", "regular", "brands", "lg")
        ]
        width, height, outline = known[names[0]]
        return (
            f'<svg class="icon {classes}"{icon[3]} viewBox="0 0 {width} {height}" aria-hidden="true">'
            f'<path fill="currentColor" d="{outline}"/></svg>'
        )

    return _ICON.sub(drawn, _LOADED.sub("", page))
