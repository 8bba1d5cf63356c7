"""Wrong answers to the exercises of lesson 08, and what each is told; those about pairs and caches are beside it."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong
from tests.checks.wrong_answers.lesson_08_caches import CACHES
from tests.checks.wrong_answers.lesson_08_pairs import PAIRS

WRONG = [
    *CACHES,
    *PAIRS,
    Wrong(
        "08.token_offsets",
        "bytes",
        """
        def token_offsets(tokens):
            offsets, length = [], 0
            for token in tokens:
                offsets.append(length)
                length += len(token)
            return offsets
        """,
        hint="bytes",
    ),
    Wrong(
        "08.token_offsets",
        "characters that have begun",
        """
        def token_offsets(tokens):
            offsets, begun = [], 0
            for token in tokens:
                offsets.append(begun)
                begun += sum(byte & 0xC0 != 0x80 for byte in token)
            return offsets
        """,
        hint="next-character",
    ),
    Wrong(
        "08.token_offsets",
        "broken bytes are ignored",
        """
        def token_offsets(tokens):
            offsets, length = [], 0
            for token in tokens:
                offsets.append(length)
                length += len(token.decode("utf-8", errors="ignore"))
            return offsets
        """,
        hint="broken-left-out",
    ),
    Wrong(
        "08.token_offsets",
        "decoded up to there, with what is broken",
        """
        def token_offsets(tokens):
            offsets, data = [], b""
            for token in tokens:
                offsets.append(len(data.decode("utf-8", errors="replace")))
                data += token
            return offsets
        """,
        hint="next-character",
    ),
    Wrong(
        "08.token_offsets",
        "always one back",
        """
        def token_offsets(tokens):
            offsets, begun = [], 0
            for token in tokens:
                offsets.append(max(0, begun - 1))
                begun += sum(byte & 0xC0 != 0x80 for byte in token)
            return offsets
        """,
        hint="",
    ),
    Wrong(
        "08.certain_text",
        "nothing waits",
        """
        def certain_text(data):
            return data.decode("utf-8", errors="replace"), b""
        """,
        hint="never-waits",
    ),
    Wrong(
        "08.certain_text",
        "the last byte only",
        """
        def certain_text(data):
            if data and 0xC2 <= data[-1] <= 0xF4:
                return data[:-1].decode("utf-8", errors="replace"), data[-1:]
            return data.decode("utf-8", errors="replace"), b""
        """,
        hint="one-byte",
    ),
    Wrong(
        "08.certain_text",
        "counts what the first byte promises",
        """
        def certain_text(data):
            for back in (1, 2, 3):
                if back > len(data) or data[-back] < 0x80:
                    break
                if data[-back] >= 0xC0:
                    size = 2 if data[-back] < 0xE0 else 3 if data[-back] < 0xF0 else 4
                    if back < size:
                        return data[:-back].decode("utf-8", errors="replace"), data[-back:]
                    break
            return data.decode("utf-8", errors="replace"), b""
        """,
        hint="waits-in-vain",
    ),
    Wrong(
        "08.certain_text",
        "up to the first error",
        """
        def certain_text(data):
            try:
                return data.decode("utf-8"), b""
            except UnicodeDecodeError as error:
                return data[: error.start].decode("utf-8"), data[error.start :]
        """,
        hint="stops-at-broken",
    ),
    Wrong(
        "08.certain_text",
        "broken bytes are dropped",
        """
        import codecs

        def certain_text(data):
            decoder = codecs.getincrementaldecoder("utf-8")(errors="ignore")
            text = decoder.decode(data)
            return text, decoder.getstate()[0]
        """,
        hint="drops",
    ),
    Wrong(
        "08.certain_text",
        "an incremental decoder that is strict",
        """
        import codecs

        def certain_text(data):
            decoder = codecs.getincrementaldecoder("utf-8")()
            text = decoder.decode(data)
            return text, decoder.getstate()[0]
        """,
        hint="strict",
    ),
    Wrong(
        "08.certain_text",
        "three bytes always wait",
        """
        def certain_text(data):
            border = max(0, len(data) - 3)
            return data[:border].decode("utf-8", errors="replace"), data[border:]
        """,
        hint="",
    ),
    Wrong(
        "08.heal",
        "one token back",
        """
        def heal(tokens, vocabulary):
            if not tokens:
                return 0, []
            return len(tokens) - 1, [token for token in vocabulary if token.startswith(tokens[-1])]
        """,
        hint="one-back",
    ),
    Wrong(
        "08.heal",
        "back while there is a longer token",
        """
        def heal(tokens, vocabulary):
            keep, allowed = len(tokens), []
            while keep:
                taken = b"".join(tokens[keep - 1 :])
                found = [token for token in vocabulary if token.startswith(taken)]
                if not any(token != taken for token in found):
                    break
                keep, allowed = keep - 1, found
            return keep, allowed
        """,
        hint="stops-too-early",
    ),
    Wrong(
        "08.heal",
        "the nearest place",
        """
        def heal(tokens, vocabulary):
            for at in reversed(range(len(tokens))):
                taken = b"".join(tokens[at:])
                found = [token for token in vocabulary if token.startswith(taken)]
                if any(token != taken for token in found):
                    return at, found
            return len(tokens), []
        """,
        hint="nearest",
    ),
    Wrong(
        "08.heal",
        "what is there is reason enough",
        """
        def heal(tokens, vocabulary):
            for at in range(len(tokens)):
                taken = b"".join(tokens[at:])
                found = [token for token in vocabulary if token.startswith(taken)]
                if found:
                    return at, found
            return len(tokens), []
        """,
        hint="no-reason",
    ),
    Wrong(
        "08.heal",
        "longer tokens only",
        """
        def heal(tokens, vocabulary):
            for at in range(len(tokens)):
                taken = b"".join(tokens[at:])
                found = [token for token in vocabulary if token.startswith(taken) and token != taken]
                if found:
                    return at, found
            return len(tokens), []
        """,
        hint="only-longer",
    ),
    Wrong(
        "08.heal",
        "sorted",
        """
        def heal(tokens, vocabulary):
            for at in range(len(tokens)):
                taken = b"".join(tokens[at:])
                found = sorted(token for token in vocabulary if token.startswith(taken))
                if any(token != taken for token in found):
                    return at, found
            return len(tokens), []
        """,
        hint="",
    ),
]
