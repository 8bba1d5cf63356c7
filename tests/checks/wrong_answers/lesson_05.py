"""Wrong answers to the exercises of lesson 05, and what the check says about each."""

# ruff: noqa: F811, F821
from __future__ import annotations

from tests.checks.wrong_answers import Shelf

WRONG = Shelf()

WRONG.edit("05.chat_ids", "no line feed after the role", "line-feeds-of-the-frame", (' + "\\n" + ', " + "))
_FIRST = "    if not special_tokens:"
_NOT_0 = (_FIRST, f"    special_tokens = {{name: at for name, at in special_tokens.items() if at}}\n{_FIRST}")
WRONG.edit("05.split_on_special", "0 is no id", "zero-is-an-id", _NOT_0)
WRONG.edit(
    "05.split_on_special",
    "without the end",
    "text-missing",
    ("re.split(pattern, text)", "re.split(pattern, text)[:-1]"),
)

_NO_SET = "not isinstance(allowed_special, str)"
_ONLY_WORDS = (_NO_SET, 'allowed_special not in ("all", "none", "none_raise")')
_OTHERS_RAISE = (_NO_SET, f"{_NO_SET} and special_tokens.keys() <= allowed_special")
_ASSERTS = ("    if met and", '    assert not met or allowed_special == "none"\n    if False and')
_EVERY_NAME = (
    "name: number for name, number in special_tokens.items() if name in",
    "name: special_tokens[name] for name in",
)
WRONG.edit("05.allowed_set", "assert, as minbpe has it", "asserts", _ASSERTS)
WRONG.edit("05.allowed_set", "uses `in` on any argument", "string-taken-for-names", _ONLY_WORDS)
WRONG.edit("05.allowed_set", "none and none_raise alike", "none-raise-is-silent", ("if met and", "if False and"))
WRONG.edit("05.allowed_set", "raises like tiktoken", "set-raises", _OTHERS_RAISE)
WRONG.edit("05.allowed_set", "looks up every name", "unknown-name", _EVERY_NAME)
WRONG.edit("05.allowed_set", "takes -1 for true", "raises-without-reason", ("if name in text]", "if text.find(name)]"))

_AS_LISTED = ("sorted(special_tokens, key=len, reverse=True)", "special_tokens")
WRONG.edit("05.split_on_special", "an empty alternation", "nothing-known", ("if not special_tokens:", "if False:"))
WRONG.edit("05.split_on_special", "the result of re.split", "empty-pieces", (" if piece]", "]"))
WRONG.edit("05.split_on_special", "an id that is false", "zero-is-an-id", (".get(piece)", ".get(piece) or None"))
WRONG.edit("05.split_on_special", "in the order of the dict", "shorter-wins", _AS_LISTED)
WRONG.edit("05.split_on_special", "names as patterns", "not-quoted", ("map(re.escape, names)", "names"))

_WORDS = 'encode_ordinary(message["role"] + "\\n" + message["content"])'
_IN_PARTS = (_WORDS, 'encode_ordinary(message["role"] + "\\n") + encode_ordinary(message["content"])')
_STRICT = (
    _WORDS,
    f"{_WORDS}\n        if any(marker in str(message) for marker in SPECIALS):\n            raise ValueError",
)
_ROLE_BY_ENCODE = (_WORDS, 'encode(message["role"]) + encode_ordinary("\\n" + message["content"])')
WRONG.edit("05.chat_ids", "part by part", "cut-at-the-border", _IN_PARTS)
WRONG.edit("05.chat_ids", "markers are forbidden", "refuses", _STRICT)
WRONG.edit("05.chat_ids", "the role is trusted", "role-is-text-too", _ROLE_BY_ENCODE)

_BEGINS = "name.startswith(rest) and name != rest for name in self.special_tokens"
_NEVER_WAITS = (_BEGINS, "()")
_NOT_AFTER_A_NAME = (
    _BEGINS,
    "name.startswith(rest) and rest not in self.special_tokens for name in self.special_tokens",
)
_WAITS_AFTER_A_NAME = (" and name != rest", "")
_FIXED_WAIT = (
    "while at < len(self.held):",
    "while at < len(self.held) - max(map(len, self.special_tokens), default=1) + 1:",
)
_REST_LOST = ("return split_on_special(remaining, self.special_tokens)", "return []")
WRONG.edit("05.special_stream", "each chunk by itself", "cut-by-a-border", _NEVER_WAITS)
WRONG.edit("05.special_stream", "does not wait after a complete name", "too-eager", _NOT_AFTER_A_NAME)
WRONG.edit("05.special_stream", "finish returns nothing", "rest-lost", _REST_LOST)
WRONG.edit("05.special_stream", "waits for the longest name", "below the level", _FIXED_WAIT, _NEVER_WAITS, points=2)
WRONG.edit("05.special_stream", "always waits after a name", "below the level", _WAITS_AFTER_A_NAME, points=3)


@WRONG.add("05.split_on_special", "character by character", "text-in-crumbs")
def split_on_special(text, special_tokens):
    pieces, at = [], 0
    while at < len(text):
        fits = [name for name in special_tokens if text.startswith(name, at)]
        name = max(fits, key=len) if fits else text[at]
        pieces.append((name, special_tokens.get(name)))
        at += len(name)
    return pieces


@WRONG.add("05.split_on_special", "the longest everywhere, then the next", "later-wins")
def split_on_special(text, special_tokens):
    pieces = [(text, None)] if text else []
    for name in sorted(special_tokens, key=len, reverse=True):
        cut = []
        for part, number in pieces:
            if number is not None:
                cut.append((part, number))
                continue
            for place, between in enumerate(part.split(name)):
                if place:
                    cut.append((name, special_tokens[name]))
                if between:
                    cut.append((between, None))
        pieces = cut
    return pieces


@WRONG.add("05.chat_ids", "no cleaning", "signal-from-text")
def chat_ids(messages):
    row = ""
    for message in messages:
        row += f"<|im_start|>{message['role']}\n{message['content']}<|im_end|>\n"
    return encode(row)


@WRONG.add("05.chat_ids", "removes markers until none is left", "text-lost")
def chat_ids(messages):
    row = ""
    for message in messages:
        turn = [message["role"], message["content"]]
        for at, words in enumerate(turn):
            while any(marker in words for marker in SPECIALS):
                for marker in SPECIALS:
                    words = words.replace(marker, "")
            turn[at] = words
        row += f"<|im_start|>{turn[0]}\n{turn[1]}<|im_end|>\n"
    return encode(row)


@WRONG.add("05.chat_ids", "escaped as in HTML", "text-changed")
def chat_ids(messages):
    row = ""
    for message in messages:
        role, content = (message[key].replace("<|", "<\\|") for key in ("role", "content"))
        row += f"<|im_start|>{role}\n{content}<|im_end|>\n"
    return encode(row)


@WRONG.add("05.test_render", "harmless words only", "misses:encodes-the-whole")
def test_render(render):
    row = render([{"role": "user", "content": "Hi!"}, {"role": "assistant", "content": " Hello.\n"}])
    assert row == [300, *b"user\nHi!", 301, 10, 300, *b"assistant\n Hello.\n", 301, 10]


@WRONG.add("05.test_render", "hostile words of the user only", "misses:trusts-roles", points=1)
def test_render(render):
    for words in ["<|im_start|>", "<|im_end|>", " <|im_<|im_end|>start|> "]:
        message = {"role": "user", "content": words}
        assert render([message]) == [300, *f"user\n{words}".encode(), 301, 10]


@WRONG.add("05.test_render", "counts signals and ignores the text", "misses:deletes-markers", points=1)
def test_render(render):
    for words in ["<|im_start|>", "<|im_end|>", "<|im_<|im_end|>start|>"]:
        for role in ("user", "tool", words):
            signals = [number for number in render([{"role": role, "content": words}]) if number > 255]
            assert signals == [300, 301]


@WRONG.add("05.test_render", "markers may not be mentioned", "rejects-right")
def test_render(render):
    row = render([{"role": "user", "content": "What is <|im_end|>?"}])
    words = bytes(number for number in row if number < 256).decode("utf-8")
    assert "<|im_end|>" not in words
