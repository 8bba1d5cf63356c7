r"""The look of a report: one file, no script, nothing loaded from anywhere, light and dark, fit to print.

Names and answers in a report are somebody else's text, so every text goes through ``text``. The page also forbids
itself scripts and connections, in case one text should not.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

STATES = ("done", "not yet", "not started", "not graded")
SIGNS = {"done": "✔", "not yet": "◐", "not started": "○", "not graded": "!"}
# Control characters and what turns the direction of writing; line breaks and tabs stay.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")

# The colours of Okabe and Ito, which colour-blind readers tell apart; every one of them stands beside a word or a sign.
_STYLE = """
:root { color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1d21; --soft: #5b616b; --line: #d9dce1; --panel: #f5f6f8; --code: #f0f1f4;
  --done: #009e73; --not-yet: #e69f00; --not-started: #b4bac4; --not-graded: #d55e00; --accent: #0072b2; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #15171b; --ink: #e6e8ec; --soft: #a0a7b3; --line: #343941; --panel: #1d2026; --code: #23272e;
  --done: #1fbf92; --not-yet: #f0b429; --not-started: #5c6470; --not-graded: #ee7a3a; --accent: #56b4e9; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0; }
p { margin: .4rem 0; } a { color: var(--accent); }
.soft { color: var(--soft); } .small { font-size: .875rem; }
.total { font-size: 2.2rem; font-weight: 650; font-variant-numeric: tabular-nums; line-height: 1.1; }
.facts { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; margin: 1.25rem 0; }
.facts > div { min-width: 7rem; }
.bar { display: flex; height: .7rem; border-radius: .35rem; overflow: hidden; background: var(--line); }
.bar > i { display: block; min-width: 2px; }
i.done { background: var(--done); } i.not-yet { background: var(--not-yet); }
i.not-started { background: var(--not-started); } i.not-graded { background: var(--not-graded); }
.chip { display: inline-block; white-space: nowrap; font-size: .875rem; font-weight: 600; padding: .05rem .6rem;
  border-radius: 1rem; border: 1.5px solid var(--line); }
.chip.done { border-color: var(--done); } .chip.not-yet { border-color: var(--not-yet); }
.chip.not-started { border-color: var(--not-started); } .chip.not-graded { border-color: var(--not-graded); }
.question { border: 1px solid var(--line); border-left: .35rem solid var(--not-started); border-radius: .4rem;
  padding: .7rem 1rem; margin: .6rem 0; break-inside: avoid; }
.question.done { border-left-color: var(--done); } .question.not-yet { border-left-color: var(--not-yet); }
.question.not-graded { border-left-color: var(--not-graded); }
.head { display: flex; flex-wrap: wrap; gap: .3rem .8rem; align-items: center; }
.head .points { margin-left: auto; font-variant-numeric: tabular-nums; white-space: nowrap; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: .875em; }
code { background: var(--code); padding: .1em .35em; border-radius: .25em; overflow-wrap: anywhere; }
pre { background: var(--code); padding: .5rem .75rem; border-radius: .3rem; margin: 0; white-space: pre-wrap;
  overflow-wrap: anywhere; max-height: 16rem; overflow-y: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem .9rem; margin: .6rem 0; align-items: baseline; }
dt { color: var(--soft); font-size: .875rem; } dd { margin: 0; min-width: 0; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: .8125rem; }
th, td { padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.name { overflow-wrap: anywhere; } .wide { overflow-x: auto; }
figure { margin: .5rem 0; } svg { display: block; max-width: 100%; height: auto; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; } svg .soft { fill: var(--soft); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .875rem; margin: .5rem 0 1rem; }
.legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem; margin-right: .4rem; }
.cases { display: grid; grid-template-columns: minmax(8rem, 17rem) 1fr max-content; gap: .15rem .75rem;
  align-items: center; font-size: .875rem; margin: .3rem 0 .5rem; }
.cases .track { background: var(--panel); border-radius: .2rem; height: .8rem; }
.cases .track i { display: block; height: 100%; min-width: 2px; border-radius: .2rem; }
.note { background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem 1rem;
  margin: .8rem 0; }
.note ul { margin: .3rem 0; padding-left: 1.2rem; } li { overflow-wrap: anywhere; }
footer { margin-top: 3rem; padding-top: .75rem; border-top: 1px solid var(--line); color: var(--soft);
  font-size: .8125rem; }
@media (max-width: 34rem) { body { padding: 1.25rem .9rem 3rem; } dl { grid-template-columns: 1fr; gap: .1rem; }
  dt { margin-top: .35rem; } .facts { gap: .75rem 1.5rem; } figure { overflow-x: auto; } svg { max-width: none; }
  .cases { grid-template-columns: 1fr max-content; } .cases > :nth-child(3n + 1) { grid-column: 1 / -1; } }
@media print { :root { color-scheme: light; --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --panel: #fff;
  --code: #f4f4f4; } body { max-width: none; padding: 0; font-size: 11pt; } pre { max-height: none; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; } }
"""


def page(title: str, body: str) -> str:
    """Return a whole HTML page. ``title`` is a text, ``body`` is HTML made of ``text``.

    >>> "&lt;script&gt;" in page("<script>", "")
    True
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="robots" content="noindex">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def text(value: object) -> str:
    r"""Return any text so that a page shows it and does nothing else with it.

    >>> text('<b title="x">\x1b\u202e')
    '&lt;b title=&quot;x&quot;&gt;\\x1b\\u202e'
    """
    shown = _UNSEEN.sub(lambda match: f"\\x{ord(match[0]):02x}" if match[0] < "\u0100" else f"\\u{ord(match[0]):04x}",
                        str(value))  # fmt: skip
    return html.escape(shown, quote=True)


def chip(state: str) -> str:
    """Return the sign and the word for a state.

    >>> chip("done")
    '<span class="chip done">✔ done</span>'
    """
    return f'<span class="chip {css(state)}">{SIGNS[state]} {text(state)}</span>'


def css(state: str) -> str:
    """Return the class of a state, "not-yet"; states are our own words."""
    return state.replace(" ", "-") if state in STATES else "not-graded"


def number(value: float) -> str:
    """Return points as people write them.

    >>> number(2.0), number(1.5)
    ('2', '1.5')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def in_order(keys: Iterable[str], exercises: Mapping[str, object]) -> list[str]:
    """Return keys in the order in which the exercises are asked, unknown ones after the others of their lesson.

    >>> in_order(["02.a", "01.b", "02.z"], {"01.b": 1, "02.z": 2, "02.a": 3})
    ['01.b', '02.z', '02.a']
    """
    place = {key: at for at, key in enumerate(exercises)}
    return sorted(keys, key=lambda key: (key.partition(".")[0], place.get(key, len(place)), key))


def link(folder: str) -> str:
    """Return the address of a learner's report from the summary: a name of ours, made safe for a URL all the same.

    >>> link("ada 12")
    'ada%2012/report.html'
    """
    return f"{quote(folder, safe='')}/report.html"
