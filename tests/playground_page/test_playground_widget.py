"""The widget in JupyterLab: the kernel's ids while typing, a learner's own class, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import nbformat
import pytest

from minbpe_course import BasicTokenizer
from minbpe_course.inspecting.tokenizer_view import view_of
from tests.shared.browser import Lab, Tab, open_notebook, opened, run_all, serious_faults
from tests.shared.cases import hostile_texts
from tests.shared.playground_hands import (
    eventually,
    parts_shown,
    put,
    put_each,
    tokens,
)

pytestmark = [pytest.mark.medium, pytest.mark.browser]

TRAINED = 'BasicTokenizer().train("low lower lowest newer newest " * 20, 280)'
CELLS = [
    f"""from minbpe_course import BasicTokenizer, playground
trained = {TRAINED}
trained.register_special_tokens({{"<|end|>": 290}})""",
    """import threading
gate = threading.Event()

class Mine:
    merges = {(97, 97): 256}
    def encode(self, text):
        if "boom" in text:
            raise ValueError("no <b>boom</b>, please")
        if "wait" in text:
            gate.wait(300)
        return list(text.encode("utf-8"))
    def decode(self, ids):
        return bytes(ids).decode("utf-8", "replace")""",
    'playground("hello", Mine(), trained, "gpt2")',
]
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def trained() -> BasicTokenizer:
    tokenizer: BasicTokenizer = eval(TRAINED, {"BasicTokenizer": BasicTokenizer})
    tokenizer.register_special_tokens({"<|end|>": 290})
    return tokenizer


@pytest.fixture(scope="module")
def lab_tab(chromium: Any, jupyterlab: Lab) -> Iterator[Tab]:
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=KERNEL), jupyterlab.folder / "play.ipynb")
    with opened(chromium) as tab:
        open_notebook(tab.page, jupyterlab, "play.ipynb", theme="JupyterLab Dark")
        done = run_all(tab.page)
        assert [output for cell in done[:2] for output in cell["outputs"]] == []
        assert done[2]["outputs"][0]["data"]["text/plain"] == "playground('hello', 'Mine', 'BasicTokenizer', 'gpt2')"
        tab.page.locator(".jp-OutputArea .mbp-panel").nth(2).wait_for()
        yield tab


def test_typing_shows_the_kernels_ids(lab_tab: Tab) -> None:
    area = lab_tab.page.get_by_label("Text", exact=True)
    area.fill("")
    area.press_sequentially("the lowest日")
    cut = view_of("gpt2").cut("the lowest日")
    labels = [f"{box} id {token_id}" for box, token_id in zip(["the", "·lowest", "\\xe6\\x97", "\\xa5"], cut.ids)]
    eventually(lambda: [box.get_attribute("aria-label") for box in tokens(lab_tab, "gpt2").all()], labels)
    cutters = {"BasicTokenizer": view_of(trained()), "gpt2": view_of("gpt2")}
    texts = [text.replace("\r\n", "\n").replace("\r", "\n")[:160] for text in hostile_texts(21, 25, surrogates=True)]
    for text, panels in zip(texts, put_each(lab_tab.page, texts)):
        for name, made in cutters.items():
            assert panels[name]["ids"] == list(made.cut(text).ids), (name, text)
    assert set(panels) == {"Mine", "BasicTokenizer", "gpt2"}
    # A tokenizer that was not asked for can be had as well, and special tokens can be switched on.
    lab_tab.page.get_by_role("checkbox", name="o200k_base", exact=True).check()
    lab_tab.page.get_by_role("checkbox", name="special tokens count as special").check()
    panels = put(lab_tab.page, "low<|end|>")
    assert panels["o200k_base"]["ids"] == list(view_of("o200k_base").cut("low<|end|>", True).ids)
    assert panels["BasicTokenizer"]["ids"] == list(cutters["BasicTokenizer"].cut("low<|end|>", True).ids)
    lab_tab.page.get_by_role("checkbox", name="special tokens count as special").uncheck()
    lab_tab.page.get_by_role("checkbox", name="o200k_base", exact=True).uncheck()
    lab_tab.expect_quiet()


def test_a_class_that_raises_or_waits_does_no_harm(lab_tab: Tab) -> None:
    panels = put(lab_tab.page, "boom")
    assert panels["Mine"]["problem"] == "Mine.encode raised ValueError: no <b>boom</b>, please"
    assert panels["gpt2"]["problem"] == ""
    area = lab_tab.page.get_by_label("Text", exact=True)
    area.fill("wait a moment")
    ids = view_of("gpt2").cut("wait a moment").ids
    eventually(lambda: tokens(lab_tab, "gpt2").count(), len(ids))
    counts = lab_tab.page.locator(".mbp-panel", has_text="Mine").locator(".mbp-counts")
    eventually(counts.inner_text, "still at work …")
    area.fill("later")
    eventually(lambda: tokens(lab_tab, "gpt2").count(), 1)
    # The kernel is free meanwhile: a cell opens the gate.
    lab_tab.page.evaluate(
        "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestExecute({code: 'gate.set()'}).done"
    )
    eventually(lambda: tokens(lab_tab, "Mine").count(), 5)
    lab_tab.expect_quiet()


def test_axe_finds_nothing_serious_in_either_theme(lab_tab: Tab) -> None:
    put(lab_tab.page, "boom <|end|> שלום \x00 日本")
    tokens(lab_tab, "gpt2").first.click()
    eventually(lambda: "".join(parts_shown(lab_tab.page)), "boom")
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        lab_tab.page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
        lab_tab.page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=theme)
        assert serious_faults(lab_tab.page, within=".mbp") == [], theme
