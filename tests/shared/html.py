"""Read HTML: its tags, styles and labels, the text that a reader sees, and the contrast of two colours."""

from __future__ import annotations

from html.parser import HTMLParser

# Elements of HTML that need no end, and of drawings those that our pages close at once.
VOID = {"meta", "br", "img", "input", "link", "line", "rect"}


class Page(HTMLParser):
    """The content of a page; every tag must be closed, and none may have an event handler.

    text : of the page · attributes : name and value of all · boxes, box_texts : the attributes and the text of each
    item of a list · marked : the texts in <mark>.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        html.encode("utf-8")  # lone surrogates must not reach the page
        self.text = ""
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.styles: list[str] = []
        self.labels: list[str] = []
        self.boxes: list[dict] = []
        self.box_texts: list[str] = []
        self.marked: list[str] = []
        self._open: list[tuple[str, list[str] | None]] = []
        self.feed(html)
        self.close()
        assert not self._open, f"unclosed: {self._open}"

    def handle_starttag(self, tag, attrs):
        given, collected = dict(attrs), None
        assert not [name for name in given if name.startswith("on")]
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self.styles.append(given.get("style", ""))
        self.labels += [given["aria-label"]] if "aria-label" in given else []
        if given.get("role") == "listitem":
            self.boxes.append(given)
            collected = self.box_texts
        elif tag == "mark":
            collected = self.marked
        if collected is not None:
            collected.append("")
        if tag not in VOID:
            self._open.append((tag, collected))

    def handle_endtag(self, tag):
        assert tag in VOID or self._open.pop()[0] == tag

    def handle_data(self, data):
        self.text += data
        for _, collected in self._open:
            if collected is not None:
                collected[-1] += data


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours as WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
