"""Wrong scanners of lesson 03, those that are written without a regular expression."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong


def _marked(is_letter: str, before: str = "") -> str:
    return f'''
import unicodedata


def marked_words(text):
    """Cut text into words by the four rules above."""
    {before}
    def is_letter(character):
        {is_letter}

    def kind(character):
        if is_letter(character):
            return "letter"
        if unicodedata.category(character).startswith("N"):
            return "number"
        return "white space" if character.isspace() else "other"

    found = []
    while text:
        kinds = [kind(character) for character in text[:2]]
        skip = int(text[0] == " " and kinds[-1] != "white space")
        size = skip
        while size < len(text) and kind(text[size]) == kinds[skip]:
            size += 1
        if kinds[skip] == "white space" and 1 < size < len(text):
            size -= 1
        found.append(text[:size])
        text = text[size:]
    return found
'''


PLANTED = 'return unicodedata.category(character) in ("Lu", "Ll", "Lt", "Lo")'

MARKED_WORDS = [
    Wrong("03.marked_words", "untouched", _marked(PLANTED), hint="untouched", state="not started"),
    Wrong("03.marked_words", "isalpha", _marked("return character.isalpha()"), hint="isalpha"),
    Wrong(
        "03.marked_words",
        "marks that take no room",
        _marked('return unicodedata.category(character)[0] == "L" or unicodedata.category(character) == "Mn"'),
        hint="one-kind-of-mark",
    ),
    Wrong(
        "03.marked_words",
        "combining classes",
        _marked('return unicodedata.category(character) in ("Lu", "Ll", "Lt", "Lo", "Mn")'),
        hint="one-kind-of-mark",
    ),
    Wrong(
        "03.marked_words",
        "what Hindi needs",
        _marked('return unicodedata.category(character) in ("Lu", "Ll", "Lt", "Lo", "Mn", "Mc")'),
        hint="no-enclosing-marks",
    ),
    Wrong(
        "03.marked_words",
        "all marks and no modifiers",
        _marked('return unicodedata.category(character) in ("Lu", "Ll", "Lt", "Lo", "Mn", "Mc", "Me")'),
        hint="no-modifier-letters",
    ),
    Wrong(
        "03.marked_words",
        "composes the text first",
        _marked(PLANTED, 'text = unicodedata.normalize("NFC", text)'),
        hint="composes",
    ),
]


def _gpt4(**changes: str) -> str:
    """A scanner in one piece, with some of its parts replaced."""
    parts = {
        "contraction": "text[at:at + len(end)].casefold() == end",
        "endings": "['s', 't', 'd', 'm', 'll', 've', 're']",
        "before": "kinds[at] in ('other', 'space')",
        "front": "at",
        "numbers": "min(j, i + 3)",
        "breaks": "while j < len(text) and kinds[j] == 'newline': j += 1",
        "last": "max(text.rfind('\\n', at, j), text.rfind('\\r', at, j))",
        "give_back": "j - at > 1 and j < len(text)",
    } | changes
    return f"""
def gpt4_words(text):
    kinds = [kind_of(c) for c in text]

    def next_end(at):
        for end in {parts["endings"]}:
            end = "'" + end
            if {parts["contraction"]}:
                return at + len(end)
        i = at + 1 if {parts["before"]} else at
        j = i
        while j < len(text) and kinds[j] == 'letter': j += 1
        if j > i:
            return j
        i = {parts["front"]}
        j = i
        while j < len(text) and kinds[j] == 'number': j += 1
        if j > i:
            return {parts["numbers"]}
        i = at + 1 if text[at] == ' ' else at
        j = i
        while j < len(text) and kinds[j] == 'other': j += 1
        if j > i:
            {parts["breaks"]}
            return j
        j = at
        while j < len(text) and kinds[j] in ('space', 'newline'): j += 1
        last = {parts["last"]}
        if last >= at:
            return last + 1
        if {parts["give_back"]}:
            return j - 1
        return j

    out = []
    at = 0
    while at < len(text):
        out.append(text[at:next_end(at)])
        at = next_end(at)
    return out
"""


NEARLY_GPT4 = (
    ("small contractions", "small-contractions", {"contraction": "text.startswith(end, at)"}),
    ("lower and no long s", "long-s", {"contraction": "text[at:at + len(end)].lower() == end"}),
    ("no contractions", "no-contractions", {"endings": "[]"}),
    ("numbers of any length", "whole-numbers", {"numbers": "j"}),
    ("a blank before numbers", "blank-before-numbers", {"front": "at + (text[at] == ' ')"}),
    ("a blank before letters", "only-a-blank-before-letters", {"before": "text[at] == ' '"}),
    ("line breaks before letters", "line-break-before-letters", {"before": "kinds[at] in 'other space newline'"}),
    ("signs alone", "signs-without-line-breaks", {"breaks": "pass"}),
    ("first line break", "first-line-break", {"last": "next((k for k in range(at, j) if text[k] in '\\r\\n'), -1)"}),
    ("no rule for line breaks", "no-line-break-rule", {"last": "-1"}),
    ("gives nothing back", "keeps-the-last-blank", {"give_back": "False"}),
    ("gives back at the end", "gives-back-at-the-end", {"give_back": "j - at > 1"}),
)  # fmt: skip
GPT4_WORDS = [
    *(Wrong("03.gpt4_words", name, _gpt4(**changes), hint=hint) for name, hint, changes in NEARLY_GPT4),
    Wrong(
        "03.gpt4_words",
        "drops white space",
        "def gpt4_words(text):\n    return text.split()",
        hint="loses-text",
    ),
]
