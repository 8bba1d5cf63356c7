"""The site is complete, has no broken link, fetches nothing from other hosts, and is accessible."""

from __future__ import annotations

import functools
import http.server
import io
import re
import threading
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import nbformat
import pytest
from matplotlib.image import imread

import minbpe_course
from tests.shared.browser import ROOT, serious_faults

pytest.importorskip("jupyter_book", reason="jupyter-book builds the site (pip install -e .[test])")

from tools.course_site.__main__ import build
from tools.course_site.links import problems
from tools.course_site.notebook_pages import PREDICTION, descriptions

pytestmark = [pytest.mark.medium, pytest.mark.browser]

LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EXERCISES = sorted((ROOT / "exercises").glob("*.ipynb"))
# One of each kind; where it makes no difference which, a small one, since axe looks at every word.
HEAVIEST_PAGE = 1_000_000  # bytes
KINDS_OF_PAGES = ["index.html", "docs/teaching.html", "reference/index.html", "reference/trainers.html"]
KINDS_OF_PAGES += ["notebooks/05_special_tokens.html", "playground.html", "search.html", "exercises/02_naive_bpe.html"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, built as ``make site`` does it."""
    out = tmp_path_factory.mktemp("site") / "built"
    assert build(out) == []
    return out


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    """The address of the site on a server of our own."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *said: object) -> None:
            """Keep the log out of the tests' output."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=300)


def read(site: Path, page: str) -> str:
    return (site / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_there_with_its_outputs_and_the_words_of_its_pictures(site: Path, lesson: Path) -> None:
    notebook = nbformat.read(lesson, as_version=4)
    page = read(site, f"notebooks/{lesson.stem}.html")
    assert f"notebooks/{lesson.stem}.html" in read(site, "index.html")
    stored = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert len(re.findall(r'<div class="cell_output ', page)) == sum(
        bool(cell.get("outputs")) for cell in notebook.cells
    )
    pictures = dict(re.findall(r'src="\.\./_images/([0-9a-f]{64})\.\w+"[^>]*?alt="([^"]*)"', " ".join(images(page))))
    assert {name: unescape(words) for name, words in pictures.items()} == descriptions(notebook)
    assert all(pictures.values())
    assert len(descriptions(notebook)) <= sum(
        any(kind.startswith("image/") for kind in o.get("data", {})) for o in stored
    )


def images(page: str) -> list[str]:
    """Return the pictures of a page, with ``src`` before ``alt`` in each."""
    found = re.findall(r"<img\b[^>]*>", page)
    return [re.sub(r'(alt="[^"]*")(.*?)(src="[^"]*")', r"\3\2\1", image) for image in found]


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    front = read(site, "reference/index.html")
    for name in minbpe_course.__all__:
        home = getattr(minbpe_course, name).__module__
        room = re.sub(r"^minbpe_course\.(learning\.\w+|\w+).*", r"\1", home)
        assert f'{room}.html#{home}.{name}"' in front, name
        assert f'id="{home}.{name}"' in read(site, f"reference/{room}.html")


def test_docstrings_look_like_text_and_examples(site: Path) -> None:
    kernels = read(site, "reference/kernels.html")
    assert "ids   int32   1 2 3 1 2\n" in kernels, "a drawing keeps its lines"
    assert "<strong>ids</strong>: int32[n]" in kernels, "arguments are a list"
    trainers = read(site, "reference/trainers.html")
    assert 'class="doctest highlight-default' in trainers, "examples are code"
    for page in (site / "reference").glob("*.html"):
        assert "system-message" not in page.read_text(encoding="utf-8"), page.name


@pytest.mark.parametrize("exercises", EXERCISES, ids=lambda path: path.stem)
def test_exercises_have_a_page_that_leads_to_the_lesson_and_back(site: Path, exercises: Path) -> None:
    page = f"{exercises.stem}.html"
    assert f'href="../notebooks/{page}"' in read(site, f"exercises/{page}")
    assert f'href="../exercises/{page}"' in read(site, f"notebooks/{page}")
    assert f'href="exercises/{page}"' in read(site, "exercises.html")


def test_the_notebooks_to_download_are_the_originals_and_solutions_stay_at_home(site: Path) -> None:
    for path in (*LESSONS, *EXERCISES):
        assert (site / "_sources" / path.relative_to(ROOT)).read_bytes() == path.read_bytes()
    for path in site.rglob("*"):
        if path.suffix in {".html", ".ipynb", ".md", ".txt"} and "CONTRIBUTING" not in path.name:
            text = path.read_text(encoding="utf-8")
            assert "### BEGIN SOLUTION" not in text or path.stem in {"teaching", "learning.judge"}, path
    assert not [path for path in site.rglob("*") if "solutions" in path.relative_to(site).parts]


def test_no_link_is_broken_and_no_page_fetches_from_another_host(site: Path) -> None:
    assert len(list(site.rglob("*.html"))) > len(LESSONS) + 15
    assert problems(site) == []


@pytest.mark.parametrize("page", KINDS_OF_PAGES)
def test_a_page_can_be_read_by_all(new_tab, served: str, page: str) -> None:
    assert faults_of(new_tab, f"{served}/{page}") == []


def faults_of(new_tab, address: str) -> list[str]:
    """Return what axe finds in the page, light and dark."""
    found = []
    for dark in (False, True):
        tab = new_tab(dark=dark)
        tab.page.goto(address)
        # Colours fade in.
        tab.page.evaluate("Promise.all(document.getAnimations().map(each => each.finished.catch(() => null)))")
        assert tab.page.evaluate("document.documentElement.dataset.theme") in ("dark" if dark else "light", None)
        found += serious_faults(tab.page)
        tab.page.close()
    return found


def test_no_page_complains(new_tab, served: str, site: Path) -> None:
    tab = new_tab()
    for path in sorted(site.rglob("*.html")):
        tab.page.goto(f"{served}/{path.relative_to(site).as_posix()}")
        tab.expect_quiet()


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("surrogate", "notebooks/01_utf8_basics.html"),
        ("surrogates", "notebooks/01_utf8_basics.html"),
        ("get_encoding", "reference/tokenizers.html"),
    ],
)
def test_the_search_puts_a_lesson_or_the_very_name_first(new_tab, served: str, word: str, page: str) -> None:
    tab = new_tab()
    tab.page.goto(f"{served}/search.html?q={word}")
    tab.page.get_by_text(re.compile("Search finished")).wait_for()
    assert page in str(tab.page.locator(".search li a").first.get_attribute("href"))
    tab.expect_quiet()


@pytest.mark.parametrize("page", ["index.html", *(f"notebooks/{path.stem}.html" for path in LESSONS)])
def test_a_page_is_light_and_loads_the_playground_when_asked(new_tab, served: str, page: str) -> None:
    tab = new_tab()
    loaded: dict[str, int] = {}
    tab.page.on("response", lambda answer: loaded.setdefault(answer.url, int(answer.headers.get("content-length", 0))))
    tab.page.goto(f"{served}/{page}")
    tab.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    tab.page.wait_for_load_state("networkidle")
    assert sum(loaded.values()) < HEAVIEST_PAGE, sorted(loaded.items(), key=lambda each: -each[1])[:5]
    assert not [address for address in loaded if "/playground/" in address]
    tab.page.locator("summary", has_text=re.compile("playground", re.IGNORECASE)).first.click()
    tab.page.frame_locator("iframe.playground >> nth=0").get_by_label("Text", exact=True).wait_for()
    tab.expect_quiet()


def test_icons_are_drawn(new_tab, served: str) -> None:
    tab = new_tab()
    tab.page.goto(f"{served}/notebooks/05_special_tokens.html")
    assert tab.page.locator("i[class*=fa-], span[class*=fa-]").count() == 0
    box = tab.page.locator("button.theme-switch-button:visible svg.icon:visible").bounding_box()
    assert box["width"] > 8
    assert box["height"] > 8


@pytest.mark.parametrize("width", [420, 1300])
@pytest.mark.parametrize("page", ["docs/glossary", "benchmarks/results", "benchmarks/choosing", "docs/teaching"])
def test_words_in_tables_stay_whole(new_tab, served: str, page: str, width: int) -> None:
    tab = new_tab(viewport={"width": width, "height": 900})
    tab.page.goto(f"{served}/{page}.html")
    broken = tab.page.locator(".bd-article").first.evaluate(
        """article => {
            const found = [];
            for (const cell of article.querySelectorAll("td, th")) {
                const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
                for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                    for (const word of node.data.matchAll(/[A-Za-z]{2,}/g)) {
                        const range = document.createRange();
                        range.setStart(node, word.index);
                        range.setEnd(node, word.index + word[0].length);
                        const tops = new Set([...range.getClientRects()].map(each => Math.round(each.top)));
                        if (tops.size > 1) found.push(word[0]);
                    }
                }
            }
            return found;
        }"""
    )
    assert broken == []
    assert_no_sideways_scrolling(tab.page)


@pytest.mark.parametrize("lesson", [path.stem for path in LESSONS if path.name[:2] in ("00", "02", "04", "05", "16")])
def test_wide_pictures_scroll_on_a_phone(new_tab, served: str, lesson: str) -> None:
    tab = new_tab(viewport={"width": 420, "height": 900})
    tab.page.goto(f"{served}/notebooks/{lesson}.html")
    tab.page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    sizes = tab.page.locator(".cell_output img").evaluate_all(
        """images => Promise.all(images.map(async image => {
            await image.decode();
            // Two frames later every observer of sizes has been called.
            for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
            const box = image.parentElement;
            return [image.naturalWidth, image.clientWidth, box.clientWidth, box.tabIndex];
        }))"""
    )
    for natural, drawn, room, tab_index in sizes:
        assert drawn == natural
        assert tab_index == (0 if natural > room else -1)
    assert_no_sideways_scrolling(tab.page)


def assert_no_sideways_scrolling(page) -> None:
    wide = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide[0] <= wide[1]


@pytest.mark.parametrize(
    "lesson", [path for path in LESSONS if PREDICTION in path.read_text(encoding="utf-8")], ids=lambda path: path.stem
)
def test_the_answer_to_a_question_is_folded(new_tab, served: str, lesson: Path) -> None:
    asked, answers = False, 0
    for cell in nbformat.read(lesson, as_version=4).cells:
        if cell.cell_type == "markdown":
            asked = PREDICTION in cell.source
        answers += asked and bool(cell.get("outputs"))
    tab = new_tab()
    tab.page.goto(f"{served}/notebooks/{lesson.stem}.html")
    folded = tab.page.locator("details .cell_output")
    assert folded.count() == answers > 0
    assert not any(output.is_visible() for output in folded.all())
    tab.page.locator("details summary", has_text="Show the result").first.click()
    assert tab.page.locator("details[open] .cell_output").first.is_visible()


def test_pictures_of_measurements_are_dark_on_a_dark_page(new_tab, served: str) -> None:
    tab = new_tab(dark=True)
    tab.page.goto(f"{served}/benchmarks/results.html")
    for picture in tab.page.locator(".bd-article img").all():
        picture.scroll_into_view_if_needed()
        corner = imread(io.BytesIO(picture.screenshot()))[2:6, 2:6, :3]
        assert corner.max() < 0.25


def test_the_site_can_be_read_from_a_disk(new_tab, site: Path) -> None:
    tab = new_tab()
    tab.page.goto((site / "index.html").as_uri())
    tab.page.click("table a >> nth=1")
    tab.page.wait_for_url("**/notebooks/01_utf8_basics.html")
    tab.page.goto((site / "search.html").as_uri() + "?q=surrogates")
    tab.page.wait_for_selector('.search a[href*="01_utf8_basics"]', state="attached")
    tab.expect_quiet()


def test_the_playground_in_a_frame_follows_the_theme_that_the_reader_chose(new_tab, served: str) -> None:
    for dark in (False, True):
        tab = new_tab(dark=dark)
        tab.page.goto(f"{served}/playground.html")
        frame = tab.page.frame_locator("iframe.playground")
        frame.get_by_label("Text", exact=True).wait_for()
        button = tab.page.locator("button.theme-switch-button:visible")
        tab.page.keyboard.press("Tab")
        button.focus()
        assert button.evaluate("(button) => getComputedStyle(button).outlineStyle") == "solid"
        seen = set()
        for _ in range(3):  # light, dark, and the system's
            theme = tab.page.evaluate("document.documentElement.dataset.theme")
            seen.add(theme)
            drawn = frame.locator(f"body[data-jp-theme-light={'true' if theme == 'light' else 'false'}] .mbp-page")
            drawn.wait_for()
            grounds = {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 23, 26)"}
            assert drawn.evaluate("(page) => getComputedStyle(page).backgroundColor") == grounds[theme]
            tab.page.keyboard.press("Enter")
        assert seen == {"light", "dark"}
        tab.expect_quiet()
