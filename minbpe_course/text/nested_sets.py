r"""Sets of characters inside of sets, as BLOOM's pattern has them: Oniguruma takes them for one set.

[^(\s|[.,!?])]   ->   [^(\s|.,!?)]
"""

from __future__ import annotations

import regex

# An escape, a group of characters by name, or any one character.
_ESCAPED = r"(?:\\[pP]\{[^{}]*\}|\\[\s\S]|\[:[^\[\]]*:\])"
_PLAIN = r"[^\[\]\\&]"
_INNER = rf"\[(?!\^|\]|-)(?P<inner>(?:{_ESCAPED}|{_PLAIN})*(?:{_ESCAPED}|[^\[\]\\&\-]))\]"
_SET = regex.compile(
    rf"(?P<escaped>\\[\s\S])|(?P<set>\[\^?\]?(?:{_ESCAPED}|{_PLAIN}|(?<!-)(?P<nested>{_INNER})(?!-))*\])",
)
_NESTED = regex.compile(rf"(?P<escaped>{_ESCAPED})|(?<!-){_INNER}(?!-)")
_OTHER_RULES = regex.compile(r"\(\?[a-zA-Z]*x|\(\?#|\\Q")


def flattened(pattern: str) -> str:
    r"""Return a pattern of Oniguruma with every set that only adds to the set around it written into that.

    Sets that do more (a negated set inside, ``&&``) stay as they are.

    >>> flattened(r"[^(\s|[.,!?])]+|[ab]"), flattened("[a[^b]]"), flattened("[a&&[b]]")
    ('[^(\\s|.,!?)]+|[ab]', '[a[^b]]', '[a&&[b]]')
    """
    return pattern if _OTHER_RULES.search(pattern) else _SET.sub(_flat, pattern)


def _flat(found: regex.Match) -> str:
    if found["nested"] is None:
        return found[0]
    body = found["set"][1:-1]
    return f"[{_NESTED.sub(lambda each: each['escaped'] or each['inner'], body)}]"
