"""Check every link of a built site: missing files, missing anchors, and anything fetched from another host.

A page may link to other hosts, for people to follow; it may not *fetch* anything from one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes whose addresses the browser fetches without a click.
FETCHED = {
    ("script", "src"),
    ("link", "href"),
    ("img", "src"),
    ("img", "srcset"),
    ("iframe", "src"),
    ("source", "src"),
    ("video", "src"),
    ("audio", "src"),
    ("embed", "src"),
    ("object", "data"),
    ("use", "href"),
    ("image", "href"),
}
FOLLOWED = {("a", "href"), ("area", "href"), ("form", "action")}
# "prev", "next" and the like tell where one could go; nothing is fetched for them.
RELATIONS_ONLY = {"next", "prev", "index", "search", "author", "copyright", "top", "up", "canonical"}
IN_STYLES = re.compile(r"""@import\s+["']([^"']+)|url\(\s*["']?([^"')]+)""")


@dataclass
class Page(HTMLParser):
    """The places of a page that can be linked to, and what it links to and fetches, with the line."""

    places: set[str] = field(default_factory=set)
    links: list[tuple[int, str, bool]] = field(default_factory=list)
    _style: bool = False

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the ids, names and addresses of one element."""
        values = {key: value or "" for key, value in attrs}
        self.places |= {values[key] for key in ("id", "name") if values.get(key)}
        self._style = tag == "style"
        line = self.getpos()[0]
        fetches = not (tag == "link" and RELATIONS_ONLY & set(values.get("rel", "").split()))
        for key, value in values.items():
            if (tag, key) in FETCHED | FOLLOWED and value:
                addresses = [part.split()[0] for part in value.split(",")] if key == "srcset" else [value]
                self.links += [(line, address, (tag, key) in FETCHED and fetches) for address in addresses]
        self.links += [(line, address, True) for address in in_styles(values.get("style", ""))]

    def handle_data(self, data: str) -> None:
        """Collect the addresses in an inline style sheet."""
        if self._style:
            self.links += [(self.getpos()[0], address, True) for address in in_styles(data)]

    def handle_endtag(self, tag: str) -> None:
        """Leave the style sheet."""
        self._style = False


def in_styles(text: str) -> Iterator[str]:
    """Yield the addresses that a style sheet fetches.

    >>> list(in_styles("@import 'a.css'; p { background: url(b.png) }"))
    ['a.css', 'b.png']
    """
    for found in IN_STYLES.finditer(text):
        yield (found[1] or found[2]).strip()


def problems(site: Path) -> list[str]:
    """Return a sentence for each broken link in all pages and style sheets."""
    pages = {path: Page() for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        page.feed(path.read_text(encoding="utf-8"))
    found = []
    for path, page in pages.items():
        where = path.relative_to(site).as_posix()
        for line, link, fetched in page.links:
            fault = _fault(path, link, fetched, site, pages)
            found += [f"{where}:{line}: {fault}"] if fault else []
    for path in sorted(site.rglob("*.css")):
        where = path.relative_to(site).as_posix()
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [f"{where}: {fault}" for link in in_styles(text) if (fault := _fault(path, link, True, site, pages))]
    return found


def _fault(page: Path, link: str, fetched: bool, site: Path, pages: dict[Path, Page]) -> str:
    try:
        address = urlsplit(link)
    except ValueError as error:
        return f"{link}: no address ({error})"
    if address.scheme == "data":
        return ""
    if address.scheme or address.netloc:
        if fetched:
            return f"fetches {link} from another host"
        if address.scheme in ("http", "https"):
            return "" if re.fullmatch(r"[\w.-]+\.\w+(:\d+)?", address.netloc) else f"{link}: no host is named like this"
        return "" if address.scheme == "mailto" and "@" in address.path else f"{link}: nobody can follow it"
    if address.path.startswith("/"):
        return f"{link} works only where the site is at the root of its host"
    target = (page.parent / unquote(address.path)).resolve() if address.path else page.resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_relative_to(site.resolve()):
        return f"{link} leaves the site"
    if not target.exists():
        return f"{link}: no such file"
    place = unquote(address.fragment)
    known = pages.get(site / target.relative_to(site.resolve()))
    if place.startswith("text="):  # a text for the playground
        return ""
    if place and known is not None and place != "top" and place not in known.places:
        return f"{link}: no such place in that page"
    return ""
