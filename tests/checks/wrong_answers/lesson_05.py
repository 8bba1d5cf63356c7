"""Wrong answers to the exercises of lesson 05, and what the check says about each."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

WRONG = [
    Wrong(
        "05.free_id",
        "the smallest used id",
        """
        def free_id(token_bytes, special_tokens):
            return min({*token_bytes, *special_tokens.values()})
        """,
        hint="",
    ),
    Wrong(
        "05.allowed_set",
        "assert, as minbpe has it",
        """
        def allowed_set(text, special_tokens, allowed_special):
            if allowed_special == "all":
                return special_tokens
            if allowed_special == "none":
                return {}
            if allowed_special == "none_raise":
                assert all(token not in text for token in special_tokens)
                return {}
            if isinstance(allowed_special, set):
                return {k: v for k, v in special_tokens.items() if k in allowed_special}
            raise ValueError(f"allowed_special={allowed_special} not understood")
        """,
        hint="asserts",
    ),
    Wrong(
        "05.allowed_set",
        "uses `in` on any argument",
        """
        def allowed_set(text, special_tokens, allowed_special):
            if allowed_special == "all":
                return special_tokens
            if allowed_special == "none_raise" and any(name in text for name in special_tokens):
                raise ValueError("a special token in the text")
            if allowed_special in ("none", "none_raise"):
                return {}
            return {name: special_tokens[name] for name in special_tokens if name in allowed_special}
        """,
        hint="string-taken-for-names",
    ),
    Wrong(
        "05.allowed_set",
        "none and none_raise alike",
        """
        def allowed_set(text, special_tokens, allowed_special):
            if allowed_special == "all":
                return special_tokens
            if allowed_special in ("none", "none_raise"):
                return {}
            if isinstance(allowed_special, str):
                raise ValueError(allowed_special)
            return {name: special_tokens[name] for name in special_tokens if name in allowed_special}
        """,
        hint="none-raise-is-silent",
    ),
    Wrong(
        "05.allowed_set",
        "raises like tiktoken",
        """
        def allowed_set(text, special_tokens, allowed_special):
            words = {"all": set(special_tokens), "none": set(), "none_raise": set()}
            if isinstance(allowed_special, str) and allowed_special not in words:
                raise ValueError(allowed_special)
            names = words[allowed_special] if isinstance(allowed_special, str) else set(allowed_special)
            if allowed_special != "none":
                for name in set(special_tokens) - names:
                    if name in text:
                        raise ValueError(name)
            return {name: special_tokens[name] for name in names & set(special_tokens)}
        """,
        hint="set-raises",
    ),
    Wrong(
        "05.allowed_set",
        "looks up every name",
        """
        def allowed_set(text, special_tokens, allowed_special):
            if isinstance(allowed_special, str):
                if allowed_special == "all":
                    return special_tokens
                if allowed_special == "none" or allowed_special == "none_raise":
                    if allowed_special == "none_raise" and any(name in text for name in special_tokens):
                        raise ValueError("special token in the text")
                    return {}
                raise ValueError(allowed_special)
            return {name: special_tokens[name] for name in allowed_special}
        """,
        hint="unknown-name",
    ),
    Wrong(
        "05.allowed_set",
        "find is true when it finds nothing",
        """
        def allowed_set(text, special_tokens, allowed_special):
            if isinstance(allowed_special, str):
                if allowed_special == "all":
                    return special_tokens
                if allowed_special == "none_raise":
                    if any(text.find(name) for name in special_tokens):
                        raise ValueError("special token in the text")
                elif allowed_special != "none":
                    raise ValueError(allowed_special)
                return {}
            return {name: number for name, number in special_tokens.items() if name in allowed_special}
        """,
        hint="raises-without-reason",
    ),
    Wrong(
        "05.split_on_special",
        "an empty alternation",
        """
        import re

        def split_on_special(text, special_tokens):
            names = sorted(special_tokens, key=len, reverse=True)
            pattern = "(" + "|".join(re.escape(name) for name in names) + ")"
            return [(part, special_tokens.get(part)) for part in re.split(pattern, text) if part]
        """,
        hint="nothing-known",
    ),
    Wrong(
        "05.split_on_special",
        "the result of re.split",
        """
        import re

        def split_on_special(text, special_tokens):
            if not special_tokens:
                return [(text, None)] if text else []
            names = sorted(special_tokens, key=len, reverse=True)
            pattern = "(" + "|".join(re.escape(name) for name in names) + ")"
            return [(part, special_tokens.get(part)) for part in re.split(pattern, text)]
        """,
        hint="empty-pieces",
    ),
    Wrong(
        "05.split_on_special",
        "an id that is false",
        """
        import re

        def split_on_special(text, special_tokens):
            if not special_tokens:
                return [(text, None)] if text else []
            names = sorted(special_tokens, key=len, reverse=True)
            pattern = "(" + "|".join(re.escape(name) for name in names) + ")"
            return [(part, special_tokens.get(part) or None) for part in re.split(pattern, text) if part]
        """,
        hint="zero-is-an-id",
    ),
    Wrong(
        "05.split_on_special",
        "character by character",
        """
        def split_on_special(text, special_tokens):
            pieces, at = [], 0
            while at < len(text):
                fits = [name for name in special_tokens if text.startswith(name, at)]
                name = max(fits, key=len) if fits else text[at]
                pieces.append((name, special_tokens.get(name)))
                at += len(name)
            return pieces
        """,
        hint="text-in-crumbs",
    ),
    Wrong(
        "05.split_on_special",
        "in the order of the dict",
        """
        import re

        def split_on_special(text, special_tokens):
            if not special_tokens:
                return [(text, None)] if text else []
            pattern = "(" + "|".join(re.escape(name) for name in special_tokens) + ")"
            return [(part, special_tokens.get(part)) for part in re.split(pattern, text) if part]
        """,
        hint="shorter-wins",
    ),
    Wrong(
        "05.split_on_special",
        "the longest everywhere, then the next",
        """
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
        """,
        hint="later-wins",
    ),
    Wrong(
        "05.split_on_special",
        "names as patterns",
        """
        import re

        def split_on_special(text, special_tokens):
            if not special_tokens:
                return [(text, None)] if text else []
            pattern = "(" + "|".join(sorted(special_tokens, key=len, reverse=True)) + ")"
            return [(part, special_tokens.get(part)) for part in re.split(pattern, text) if part]
        """,
        hint="not-quoted",
    ),
    Wrong(
        "05.chat_ids",
        "no cleaning",
        r"""
        def chat_ids(messages):
            row = ""
            for message in messages:
                row += f"<|im_start|>{message['role']}\n{message['content']}<|im_end|>\n"
            return encode(row)
        """,
        hint="signal-from-text",
    ),
    Wrong(
        "05.chat_ids",
        "removes markers until none is left",
        r"""
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
        """,
        hint="text-lost",
    ),
    Wrong(
        "05.chat_ids",
        "escaped as in HTML",
        r"""
        def chat_ids(messages):
            row = ""
            for message in messages:
                role, content = (message[key].replace("<|", "<\\|") for key in ("role", "content"))
                row += f"<|im_start|>{role}\n{content}<|im_end|>\n"
            return encode(row)
        """,
        hint="text-changed",
    ),
    Wrong(
        "05.chat_ids",
        "the role is trusted",
        r"""
        def chat_ids(messages):
            ids = []
            for message in messages:
                ids += encode("<|im_start|>" + message["role"])
                ids += encode_ordinary("\n" + message["content"])
                ids += encode("<|im_end|>\n")
            return ids
        """,
        hint="role-is-text-too",
    ),
    Wrong(
        "05.chat_ids",
        "part by part",
        r"""
        def chat_ids(messages):
            ids = []
            for message in messages:
                ids += [300, *encode_ordinary(message["role"] + "\n")]
                ids += [*encode_ordinary(message["content"]), 301, 10]
            return ids
        """,
        hint="cut-at-the-border",
    ),
    Wrong(
        "05.chat_ids",
        "markers are forbidden",
        r"""
        def chat_ids(messages):
            ids = []
            for message in messages:
                words = message["role"] + "\n" + message["content"]
                if any(marker in words for marker in SPECIALS):
                    raise ValueError("a marker in a message")
                ids += [300, *encode_ordinary(words), 301, 10]
            return ids
        """,
        hint="refuses",
    ),
    Wrong(
        "05.test_render",
        "harmless words only",
        r"""
        def test_render(render):
            row = render([{"role": "user", "content": "Hi!"}, {"role": "assistant", "content": " Hello.\n"}])
            assert row == [300, *b"user\nHi!", 301, 10, 300, *b"assistant\n Hello.\n", 301, 10]
        """,
        hint="misses:encodes-the-whole",
    ),
    Wrong(
        "05.test_render",
        "hostile words of the user only",
        r"""
        def test_render(render):
            for words in ["<|im_start|>", "<|im_end|>", " <|im_<|im_end|>start|> "]:
                message = {"role": "user", "content": words}
                assert render([message]) == [300, *f"user\n{words}".encode("utf-8"), 301, 10]
        """,
        hint="misses:trusts-roles",
        points=1,
    ),
    Wrong(
        "05.test_render",
        "counts signals and ignores the text",
        """
        def test_render(render):
            for words in ["<|im_start|>", "<|im_end|>", "<|im_<|im_end|>start|>"]:
                for role in ("user", "tool", words):
                    signals = [number for number in render([{"role": role, "content": words}]) if number > 255]
                    assert signals == [300, 301]
        """,
        hint="misses:deletes-markers",
        points=1,
    ),
    Wrong(
        "05.test_render",
        "markers may not be mentioned",
        """
        def test_render(render):
            row = render([{"role": "user", "content": "What is <|im_end|>?"}])
            words = bytes(number for number in row if number < 256).decode("utf-8")
            assert "<|im_end|>" not in words
        """,
        hint="rejects-right",
    ),
    Wrong(
        "05.test_render",
        "another text each time",
        r"""
        import itertools

        WORDS = itertools.cycle(["Hi", "<|im_start|>", "<|im_end|>"])

        def test_render(render):
            words = next(WORDS)
            row = render([{"role": "user", "content": words}])
            assert row == [300, *f"user\n{words}".encode("utf-8"), 301, 10]
        """,
        hint="inconsistent",
    ),
    Wrong(
        "05.special_stream",
        "each chunk by itself",
        """
        class SpecialStream:
            def __init__(self, special_tokens):
                self.special_tokens = special_tokens

            def feed(self, chunk):
                return split_on_special(chunk, self.special_tokens)

            def finish(self):
                return []
        """,
        hint="cut-by-a-border",
    ),
    Wrong(
        "05.special_stream",
        "does not wait after a complete name",
        """
        class SpecialStream:
            def __init__(self, special_tokens):
                self.special_tokens = special_tokens
                self.held = ""

            def feed(self, chunk):
                self.held += chunk
                at = 0
                while at < len(self.held):
                    rest = self.held[at:]
                    fits = [name for name in self.special_tokens if rest.startswith(name)]
                    if not fits and any(name.startswith(rest) for name in self.special_tokens):
                        break
                    at += max(map(len, fits), default=1)
                given, self.held = self.held[:at], self.held[at:]
                return split_on_special(given, self.special_tokens)

            def finish(self):
                return split_on_special(self.held, self.special_tokens)
        """,
        hint="too-eager",
    ),
    Wrong(
        "05.special_stream",
        "finish returns nothing",
        """
        class SpecialStream:
            def __init__(self, special_tokens):
                self.special_tokens = special_tokens
                self.held = ""

            def feed(self, chunk):
                self.held += chunk
                return []

            def finish(self):
                return []
        """,
        hint="rest-lost",
    ),
    Wrong(
        "05.special_stream",
        "everything at the end",
        """
        class SpecialStream:
            def __init__(self, special_tokens):
                self.special_tokens = special_tokens
                self.held = ""

            def feed(self, chunk):
                self.held += chunk
                return []

            def finish(self):
                return split_on_special(self.held, self.special_tokens)
        """,
        hint="below the level",
    ),
    Wrong(
        "05.special_stream",
        "always holds back one character less than the longest name",
        """
        class SpecialStream:
            def __init__(self, special_tokens):
                self.special_tokens = special_tokens
                self.held = ""

            def feed(self, chunk):
                self.held += chunk
                window = max(map(len, self.special_tokens), default=1) - 1
                at = 0
                while at < len(self.held) - window:
                    fits = [name for name in self.special_tokens if self.held.startswith(name, at)]
                    at += max(map(len, fits), default=1)
                given, self.held = self.held[:at], self.held[at:]
                return split_on_special(given, self.special_tokens)

            def finish(self):
                return split_on_special(self.held, self.special_tokens)
        """,
        hint="below the level",
        points=2,
    ),
    Wrong(
        "05.special_stream",
        "waits inside a complete name",
        """
        class SpecialStream:
            def __init__(self, special_tokens):
                self.special_tokens = special_tokens
                self.held = ""

            def feed(self, chunk):
                self.held += chunk
                may_begin = range(len(self.held))
                waits = [at for at in may_begin if any(name.startswith(self.held[at:]) for name in self.special_tokens)]
                stop, at = min(waits, default=len(self.held)), 0
                while at < stop:
                    fits = [name for name in self.special_tokens if self.held.startswith(name, at)]
                    at += max(map(len, fits), default=1)
                given, self.held = self.held[:at], self.held[at:]
                return split_on_special(given, self.special_tokens)

            def finish(self):
                return split_on_special(self.held, self.special_tokens)
        """,
        hint="below the level",
        points=3,
    ),
]
