"""In a real browser: a hostile token is text, keys reach every fact, axe finds nothing serious, light and dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from minbpe_course import show
from minbpe_course.cli.show import PAGE
from minbpe_course.inspecting.tokenizer_view import view_of
from minbpe_course.showing import TokenView, compare_tokens, show_tokens
from tests.shared.browser import serious_faults

pytestmark = [pytest.mark.medium, pytest.mark.browser]

# Each would change the title of the page if it were more than text.
HOSTILE = (
    "<script>document.title='hacked'</script>",
    '"><img src=x onerror="document.title=\'hacked\'">',
    "' onmouseover='document.title=1' autofocus onfocus='document.title=1' tabindex='0",
    "<svg onload=document.title='hacked'><style>*{display:none}</style>",
    "</bdi></div></details></body><iframe srcdoc='<script>top.document.title=1</script>'>",
    "javascript:document.title='hacked'",
    "\u202e<!--\u2066\x00\x1b]0;hacked\x07-->",
    "&lt;script&gt;",
)


class Hostile:
    """Its tokens are what it is given; its name is hostile as well."""

    def __init__(self, tokens: tuple[str, ...]) -> None:
        self.vocab = dict(enumerate(tokens))

    def encode(self, text: str) -> list[int]:
        return list(self.vocab)


def written(tmp_path: Path, body: str, page: str = PAGE) -> str:
    path = tmp_path / "tokens.html"
    path.write_text(page.format(view=body), encoding="utf-8")
    return path.as_uri()


def hostile_view() -> TokenView:
    return show("".join(HOSTILE), view_of(Hostile(HOSTILE), HOSTILE[0]), "o200k_base", specials=True)


# A notebook has no policy that would forbid scripts: there the escaping alone must hold.
NO_POLICY = "<!doctype html><html lang=en><title>still</title><main><h1>Tokens</h1>{view}</main></html>"


@pytest.mark.parametrize("page", [NO_POLICY, PAGE], ids=["no policy", "page of the command"])
def test_a_hostile_token_is_text(new_tab, tmp_path, page):
    views = hostile_view().html() + compare_tokens({HOSTILE[0]: (HOSTILE, None)}, HOSTILE[1]).html()
    tab = new_tab()
    tab.page.goto(written(tmp_path, views, page))
    title = tab.page.title()
    for box in tab.page.locator("[role=listitem]").all()[:10]:
        box.hover()
        box.dispatch_event("focus")
    tab.page.locator("summary").first.click()
    assert tab.page.locator("script, img, svg, iframe, style:not(head style), [onmouseover]").count() == 0
    assert tab.page.title() == title
    # As JupyterLab puts it in: by innerHTML, where an image with onerror would act.
    tab.page.evaluate("html => { document.querySelector('main').innerHTML = html }", views)
    assert tab.page.locator("script, img, svg, iframe").count() == 0
    assert tab.page.title() == title
    tab.expect_quiet()


MIXED = "שלום abc مرحبا hello 123\none שלום עולם 12 مرحبا two\n123 नमस्ते مرحبا"
# A box that is torn apart, or whose letters are drawn outside it; and lines whose boxes are out of order.
TORN = """boxes => boxes.filter(box => {
    const whole = box.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(box);
    const inside = each => each.left >= whole.left - 1 && each.right <= whole.right + 1
        && each.top >= whole.top - 1 && each.bottom <= whole.bottom + 1;
    return box.getClientRects().length !== 1 || ![...range.getClientRects()].every(inside);
}).map(box => box.textContent)"""
OUT_OF_ORDER = """lines => lines.filter(line => {
    const sides = [...line.querySelectorAll("[role=listitem], [role=option]")].map(box => box.getBoundingClientRect());
    const after = (one, other) => line.dir === "rtl" ? other.right <= one.left + 1 : other.left >= one.right - 1;
    return sides.slice(1).some((side, at) => !after(sides[at], side));
}).map(line => line.textContent)"""


@pytest.mark.parametrize("view", [show(MIXED), show_tokens(MIXED.split("\n")[0].split(" "))], ids=["text", "tokens"])
def test_each_token_is_isolated_where_letters_run_from_right_to_left(new_tab, tmp_path, view):
    tab = new_tab(viewport={"width": 1600, "height": 1000})
    tab.page.goto(written(tmp_path, view.html()))
    boxes = tab.page.locator("[role=listitem]")
    assert boxes.count() > 4
    assert boxes.evaluate_all(TORN) == []
    lines = tab.page.locator("[role=list] > div[dir], [role=list][dir]")
    assert lines.evaluate_all(OUT_OF_ORDER) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious(new_tab, tmp_path, dark):
    tab = new_tab(dark=dark)
    view = show("Hello wörld\nשלום 👋<|endoftext|> ", specials=True)
    old = show_tokens([b"a\n", b"\xff"], [1, 2], "bytes").html() + compare_tokens({"one": (["a", "b"], None)}).html()
    tab.page.goto(written(tmp_path, view.html() + old))
    tab.page.locator("summary").first.click()
    assert serious_faults(tab.page) == []
