"""Tables of texts: every script as it is, nothing of it as markup, kinds told apart without colour."""

from __future__ import annotations

import re

from minbpe_course.learning.charts.text_table import parts_table, stream_table


def test_every_script_and_emoji_is_in_the_page_as_it_is() -> None:
    text = "न中🧑ا"
    html = stream_table([text.encode()], [text], "A title")._repr_html_()
    assert html.count(text) == 2
    assert "\\u" not in html


def test_a_stream_says_what_waits() -> None:
    html = stream_table([b"\xe2\x98", b"\x83"], ["", "☃"], "t")._repr_html_()
    shown = re.findall(r"<bdi[^>]*>([^<]*)</bdi>", html)
    assert shown == ["\\xe2\\x98", "\\x83", "waits", "☃", "2", "0"]


def test_texts_and_names_are_never_markup() -> None:
    table = parts_table({"<b>": [("<script>", "<i>")]}, "<u>")
    assert not re.search(r"<(?:b|script|i|u)>", table._repr_html_())
    assert "<script>" in repr(table)


def test_kinds_differ_in_more_than_colour() -> None:
    kinds = "abcd"
    html = parts_table({"row": [(kind, kind) for kind in kinds]}, "t")._repr_html_()
    row, legend = html.split("</tbody>")
    for part in (row, legend):
        assert len(set(re.findall(r"border-bottom:3px (\w+)", part))) == len(kinds)
