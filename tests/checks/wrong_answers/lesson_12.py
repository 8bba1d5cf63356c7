"""Wrong answers to the exercises of lesson 12, and what each is told; those to the later ones are beside it."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong
from tests.checks.wrong_answers.lesson_12_open import OPEN

WRONG = [
    *OPEN,
    Wrong(
        "12.hidden_letters",
        "every letter",
        """
        def hidden_letters(tokens):
            sizes = [sum(map(str.isalpha, token)) for token in tokens]
            return sum(sizes)
        """,
        hint="all-letters",
    ),
    Wrong(
        "12.hidden_letters",
        "the letters that stand alone",
        """
        def hidden_letters(tokens):
            sizes = [sum(map(str.isalpha, token)) for token in tokens]
            return sum(size for size in sizes if size == 1)
        """,
        hint="the-others",
    ),
    Wrong(
        "12.hidden_letters",
        "tokens",
        """
        def hidden_letters(tokens):
            sizes = [sum(map(str.isalpha, token)) for token in tokens]
            return sum(size > 1 for size in sizes)
        """,
        hint="tokens",
    ),
    Wrong(
        "12.hidden_letters",
        "all but the first of each token",
        """
        def hidden_letters(tokens):
            sizes = [sum(map(str.isalpha, token)) for token in tokens]
            return sum(size - 1 for size in sizes if size)
        """,
        hint="first-is-seen",
    ),
    Wrong(
        "12.hidden_letters",
        "characters",
        """
        def hidden_letters(tokens):
            return sum(len(token) for token in tokens if len(token) > 1)
        """,
        hint="",
    ),
    Wrong(
        "12.token_values",
        "measured by the number",
        """
        def token_values(tokens):
            values, behind = [], 0
            for token in reversed(tokens):
                number = int(token)
                values.append(number * 10**behind)
                behind += len(str(number))
            return values[::-1]
        """,
        hint="zeros-are-lost",
    ),
    Wrong(
        "12.token_values",
        "the digits before it",
        """
        def token_values(tokens):
            return [int(token) * 10 ** len("".join(tokens[:at])) for at, token in enumerate(tokens)]
        """,
        hint="from-the-left",
    ),
    Wrong(
        "12.token_values",
        "its own digits as well",
        """
        def token_values(tokens):
            return [int(token) * 10 ** len("".join(tokens[at:])) for at, token in enumerate(tokens)]
        """,
        hint="own-digits",
    ),
    Wrong(
        "12.token_values",
        "numbers",
        """
        def token_values(tokens):
            return [int(token) for token in tokens]
        """,
        hint="no-places",
    ),
    Wrong(
        "12.token_values",
        "one zero for each token behind",
        """
        def token_values(tokens):
            return [int(token) * 10 ** (len(tokens) - 1 - at) for at, token in enumerate(tokens)]
        """,
        hint="",
    ),
    Wrong(
        "12.futures",
        "tokens that end with the text, too",
        """
        def futures(end, vocabulary):
            found = set()
            for at in range(len(end)):
                found |= {end[:at] + token for token in vocabulary if token.startswith(end[at:])}
            return sorted(found)
        """,
        hint="ends-there",
    ),
    Wrong(
        "12.futures",
        "only the whole text",
        """
        def futures(end, vocabulary):
            return sorted({token for token in vocabulary if end and token.startswith(end) and token != end})
        """,
        hint="whole-end-only",
    ),
    Wrong(
        "12.futures",
        "only the last byte",
        """
        def futures(end, vocabulary):
            last = end[-1:]
            return sorted({end[:-1] + one for one in vocabulary if last and one.startswith(last) and one != last})
        """,
        hint="last-byte-only",
    ),
    Wrong(
        "12.futures",
        "one place too many",
        """
        def futures(end, vocabulary):
            found = set()
            for at in range(len(end) + 1):
                found |= {end[:at] + token for token in vocabulary if token.startswith(end[at:]) and token != end[at:]}
            return sorted(found)
        """,
        hint="behind-the-end",
    ),
    Wrong(
        "12.futures",
        "the tokens",
        """
        def futures(end, vocabulary):
            found = set()
            for at in range(len(end)):
                found |= {token for token in vocabulary if token.startswith(end[at:]) and token != end[at:]}
            return sorted(found)
        """,
        hint="tokens-alone",
    ),
    Wrong(
        "12.futures",
        "a list in the place of a set",
        """
        def futures(end, vocabulary):
            found = []
            for at in range(len(end)):
                found += [end[:at] + token for token in vocabulary if token.startswith(end[at:]) and token != end[at:]]
            return sorted(found)
        """,
        hint="twice",
    ),
]
