"""Wrong answers to the exercises of lesson 05 about chats, and what each is told."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

CHATS = [
    Wrong(
        "05.chat_ids",
        "no cleaning any more",
        """
        def chat_ids(messages):
            row = ""
            for message in messages:
                row += f"<|im_start|>{message['role']}\\n{message['content']}<|im_end|>\\n"
            return encode(row)
        """,
        hint="signal-from-text",
    ),
    Wrong(
        "05.chat_ids",
        "cleaned until nothing is left to clean",
        """
        def chat_ids(messages):
            row = ""
            for message in messages:
                turn = [message["role"], message["content"]]
                for at, words in enumerate(turn):
                    while any(marker in words for marker in SPECIALS):
                        for marker in SPECIALS:
                            words = words.replace(marker, "")
                    turn[at] = words
                row += f"<|im_start|>{turn[0]}\\n{turn[1]}<|im_end|>\\n"
            return encode(row)
        """,
        hint="text-lost",
    ),
    Wrong(
        "05.chat_ids",
        "escaped as in HTML",
        """
        def chat_ids(messages):
            row = ""
            for message in messages:
                role, content = (message[key].replace("<|", "<\\\\|") for key in ("role", "content"))
                row += f"<|im_start|>{role}\\n{content}<|im_end|>\\n"
            return encode(row)
        """,
        hint="text-changed",
    ),
    Wrong(
        "05.chat_ids",
        "the role is trusted",
        """
        def chat_ids(messages):
            ids = []
            for message in messages:
                ids += encode("<|im_start|>" + message["role"])
                ids += encode_ordinary("\\n" + message["content"])
                ids += encode("<|im_end|>\\n")
            return ids
        """,
        hint="role-is-text-too",
    ),
    Wrong(
        "05.chat_ids",
        "part by part",
        """
        def chat_ids(messages):
            ids = []
            for message in messages:
                ids += [300, *encode_ordinary(message["role"] + "\\n")]
                ids += [*encode_ordinary(message["content"]), 301, 10]
            return ids
        """,
        hint="cut-at-the-border",
    ),
    Wrong(
        "05.chat_ids",
        "markers are forbidden",
        """
        def chat_ids(messages):
            ids = []
            for message in messages:
                words = message["role"] + "\\n" + message["content"]
                if any(marker in words for marker in SPECIALS):
                    raise ValueError("a marker in a message")
                ids += [300, *encode_ordinary(words), 301, 10]
            return ids
        """,
        hint="refuses",
    ),
    Wrong(
        "05.next_targets",
        "each id at its own place",
        """
        def next_targets(ids):
            targets, role, speaking = [], None, False
            for token in ids:
                targets.append(token if speaking and token != START else NOTHING)
                if token == START:
                    role, speaking = b"", False
                elif token == END:
                    role, speaking = None, False
                elif role is not None and token == 10:
                    role, speaking = None, role == b"assistant"
                elif role is not None:
                    role += bytes([token])
            return targets
        """,
        hint="not-shifted",
    ),
    Wrong(
        "05.next_targets",
        "the end mark left out",
        """
        def next_targets(ids):
            targets, role, speaking = [], None, False
            for token in ids:
                targets.append(token if speaking and token < START else NOTHING)
                if token == START:
                    role, speaking = b"", False
                elif token == END:
                    role, speaking = None, False
                elif role is not None and token == 10:
                    role, speaking = None, role == b"assistant"
                elif role is not None:
                    role += bytes([token])
            return targets[1:] + [NOTHING] * bool(ids)
        """,
        hint="never-learns-to-stop",
    ),
    Wrong(
        "05.next_targets",
        "every end mark",
        """
        def next_targets(ids):
            targets, role, speaking = [], None, False
            for token in ids:
                targets.append(token if token == END or (speaking and token != START) else NOTHING)
                if token == START:
                    role, speaking = b"", False
                elif token == END:
                    role, speaking = None, False
                elif role is not None and token == 10:
                    role, speaking = None, role == b"assistant"
                elif role is not None:
                    role += bytes([token])
            return targets[1:] + [NOTHING] * bool(ids)
        """,
        hint="every-end-counts",
    ),
    Wrong(
        "05.next_targets",
        "up to the end of the line",
        """
        def next_targets(ids):
            targets, role, speaking = [], None, False
            for at, token in enumerate(ids):
                targets.append(token if speaking and token != START else NOTHING)
                if token == START:
                    role, speaking = b"", False
                elif at and ids[at - 1] == END:
                    speaking = False
                elif token == END:
                    role = None
                elif role is not None and token == 10:
                    role, speaking = None, role == b"assistant"
                elif role is not None:
                    role += bytes([token])
            return targets[1:] + [NOTHING] * bool(ids)
        """,
        hint="line-feed-counts",
    ),
    Wrong(
        "05.next_targets",
        "whatever stands in a content",
        """
        def next_targets(ids):
            targets, where = [], "outside"
            for token in ids:
                targets.append(token if where == "content" and token != START else NOTHING)
                if token == START:
                    where = "role"
                elif token == END:
                    where = "outside"
                elif where == "role" and token == 10:
                    where = "content"
            return targets[1:] + [NOTHING] * bool(ids)
        """,
        hint="everybody-counts",
    ),
    Wrong(
        "05.test_render",
        "harmless words only",
        """
        def test_render(render):
            row = render([{"role": "user", "content": "Hi!"}, {"role": "assistant", "content": " Hello.\\n"}])
            assert row == [300, *b"user\\nHi!", 301, 10, 300, *b"assistant\\n Hello.\\n", 301, 10]
        """,
        hint="misses:encodes-the-whole",
    ),
    Wrong(
        "05.test_render",
        "hostile words of the user only",
        """
        def test_render(render):
            for words in ["<|im_start|>", "<|im_end|>", " <|im_<|im_end|>start|> "]:
                message = {"role": "user", "content": words}
                assert render([message]) == [300, *f"user\\n{words}".encode("utf-8"), 301, 10]
        """,
        hint="misses:trusts-roles",
        points=1,
    ),
    Wrong(
        "05.test_render",
        "signals are counted, words are not read",
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
        """
        import itertools

        WORDS = itertools.cycle(["Hi", "<|im_start|>", "<|im_end|>"])

        def test_render(render):
            words = next(WORDS)
            row = render([{"role": "user", "content": words}])
            assert row == [300, *f"user\\n{words}".encode("utf-8"), 301, 10]
        """,
        hint="inconsistent",
    ),
]
