"""The page is safe for hostile texts and models, stays responsive, and is accessible; and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from minbpe_course.cli.main import main
from minbpe_course.errors import MissingFile, NotText, UnknownEncoding, UnreadableModel, UnsupportedModel
from minbpe_course.inspecting.tokenizer_view import view_of
from minbpe_course.model import BytePairModel
from minbpe_course.playground_page import page as pages
from tests.shared.browser import Tab, serious_faults
from tests.shared.playground_hands import ATTACK, PIECES, choice, eventually, parts_shown, put, put_each, tokens

pytestmark = [pytest.mark.medium, pytest.mark.browser]


def large(text: str) -> str:
    return (text * (100_000 // len(text) + 1))[:100_000]


HOSTILE = {
    "markup": ATTACK,
    "one letter": large("a"),
    "line breaks": large("\n"),
    "right to left": large("שלום \u202eevil\u202c עולם \u2066x "),
    "accents": large("e\u0301\u0323\u0300"),
    "no text": large("\ud800\udfffx\udc00\x00\x1b[31m\x7f\x85👩\u200d"),
}


_BARE = """(json) => {
  const area = document.createElement("textarea");
  document.body.append(area);
  const begin = performance.now();
  area.value = JSON.parse(json);
  area.getBoundingClientRect();
  area.remove();
  return performance.now() - begin;
}"""


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_neither_runs_nor_freezes_the_page(playground_tab: Tab, text: str) -> None:
    playground_tab.page.evaluate("""() => { window.longest = 0; let last = performance.now();
        window.beat = setInterval(() => { window.longest = Math.max(window.longest, performance.now() - last);
            last = performance.now(); }, 5); }""")
    panels = put(playground_tab.page, text)
    longest = playground_tab.page.evaluate("() => { clearInterval(window.beat); return window.longest; }")
    for panel in panels.values():
        assert panel["problem"] == ""
        assert len(panel["ids"]) <= 2_000
    wanted = len(view_of("o200k_base").cut(text))
    assert panels["o200k_base"]["counts"].startswith(f"{wanted:,} token")
    assert (panels["o200k_base"]["more"] != "") == (wanted > len(panels["o200k_base"]["ids"]))
    # The time that the browser needs to lay out this text without our code.
    bare = playground_tab.page.evaluate(_BARE, json.dumps(text))
    # On an idle machine it is far less than 15 seconds; a freeze takes minutes.
    limit = 15_000 + 3 * bare
    assert longest < limit, f"the page stood still for {longest:.0f} ms, a bare text box for {bare:.0f}"
    assert playground_tab.page.locator("#playground img, #playground script").count() == 0


def test_packed_data_cannot_run(new_tab: Any, tmp_path: Path) -> None:
    models = {ATTACK: BytePairModel([(60, 47)], special_tokens={ATTACK: 257}), "pieces": PIECES}
    html = pages.page(["gpt2"], models, ATTACK + "@@data@@\u2028\ud800")
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    tab = new_tab()
    tab.page.goto(path.as_uri())
    eventually(lambda: tab.page.locator(".mbp-panel").count(), 3)
    eventually(lambda: tab.page.locator(".mbp-problem:visible").count(), 0)
    assert tab.page.get_by_label("Text", exact=True).input_value() == ATTACK + "@@data@@\u2028\ud800"
    tokens(tab, ATTACK).first.click()
    tab.expect_quiet()
    assert tab.page.evaluate("window.hit") is None


def test_the_policy_lets_nothing_foreign_run_and_nothing_out(
    new_tab: Any, playground_page: Path, tmp_path: Path
) -> None:
    """The same attacks, put where they would work if the page had no policy."""
    changed = tmp_path / "page.html"
    html = playground_page.read_text(encoding="utf-8")
    changed.write_text(html.replace("<div id=", f"{ATTACK[9:-4]}<div id=", 1), encoding="utf-8")
    tab = new_tab()
    tab.page.goto(changed.as_uri())
    put(tab.page, "hello")
    assert tab.page.evaluate("window.hit") is None
    assert len([error for error in tab.errors if "Content Security Policy" in error]) >= 2
    said = tab.page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'went', (problem) => String(problem))")
    assert "Failed to fetch" in said
    assert any("connect-src" in error or "default-src" in error for error in tab.errors)


def test_without_a_worker_the_page_answers_itself(new_tab: Any, playground_page: Path) -> None:
    texts = ["hello world", "naïve 日本語", ATTACK, ""]
    for refusal in ("delete window.Worker", "window.Worker = class { constructor() { throw new Error('no'); } }"):
        tab = new_tab()
        tab.page.add_init_script(refusal)
        tab.page.goto(playground_page.as_uri())
        for text, panels in zip(texts, put_each(tab.page, texts)):
            for name in ("gpt2", "o200k_base"):
                assert panels[name]["ids"] == list(view_of(name).cut(text).ids)
        tab.expect_quiet()


# ----------------------------------------------------------------------------------------------------
# Readable


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious(new_tab: Any, playground_page: Path, dark: bool) -> None:
    tab = new_tab(dark=dark, viewport={"width": 700, "height": 900})
    tab.page.goto(playground_page.as_uri())
    choice(tab, "special tokens count as special").check()
    put(tab.page, f"hello world <|endoftext|> שלום \x00 日本\n{ATTACK}")
    assert serious_faults(tab.page) == []
    tokens(tab, "gpt2").first.click()
    eventually(lambda: parts_shown(tab.page), list("hello"))
    tab.page.get_by_role("button", name="Step forth").click()
    tokens(tab, "gpt2").first.hover()
    tab.page.get_by_label("Word", exact=True).fill("two words")
    eventually(lambda: tab.page.locator(".mbp-chip").count(), 2)
    assert serious_faults(tab.page) == []
    put(tab.page, "")
    assert serious_faults(tab.page) == []
    tab.expect_quiet()


# ----------------------------------------------------------------------------------------------------
# The command


def test_the_page_is_the_same_each_time_and_written_whole(tmp_path: Path) -> None:
    path = pages.write_page(tmp_path / "page.html", ["gpt2"])
    assert path.read_bytes() == pages.page(["gpt2"]).encode("utf-8")
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_what_cannot_be_packed_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "page.html"
    (tmp_path / "odd.model").write_bytes(b"\x00 no model")
    for problem, call in (
        (UnknownEncoding, lambda: pages.write_page(out, ["gpt9"])),
        (MissingFile, lambda: pages.write_page(out, [], [tmp_path / "none.model"])),
        (UnreadableModel, lambda: pages.write_page(out, [], [tmp_path / "odd.model"])),
        (UnsupportedModel, lambda: pages.write_page(out, [])),
        (UnsupportedModel, lambda: pages.page(["gpt2"], {"gpt2": BytePairModel()})),
        (UnsupportedModel, lambda: pages.page([], {"mine": {}})),  # type: ignore[dict-item]
        (NotText, lambda: pages.page(["gpt2"], None, 3)),  # type: ignore[arg-type]
    ):
        with pytest.raises(problem):
            call()
    assert main(["playground", "--out", str(out), "--model", str(tmp_path / "odd.model")]) == 2
    assert main(["playground", "--out", str(tmp_path / "no folder" / "page.html"), "--encoding", "gpt2"]) == 2
    assert "minbpe-course playground: " in capsys.readouterr().err
    assert not out.exists()
