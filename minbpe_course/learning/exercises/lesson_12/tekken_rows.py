"""Exercise 12.tekken_rows: the rows of tekken.json, with a text for the tokens that are valid UTF-8."""

import base64

from minbpe_course.learning import Exercise, Mistake


def tekken_rows(tokens):
    r"""Return one dict for each token.

    Write the rows of a `tekken.json`: for each token, a dict with its rank, its bytes in base64, and its text.

    * **In:** `tokens`, a list of bytes. The rank of a token is its position, 0 first.
    * **Out:** a list of dicts with the keys `"rank"` (an int), `"token_bytes"` (a str) and `"token_str"` (a str, or
      `None` if the bytes are not valid UTF-8).

    `tekken_rows([b"a", b"\xe0"])` is

        [{"rank": 0, "token_bytes": "YQ==", "token_str": "a"},
         {"rank": 1, "token_bytes": "4A==", "token_str": None}]
    """
    made = []
    for place, raw in enumerate(tokens):
        try:
            readable = raw.decode("utf-8")
        except UnicodeDecodeError:
            readable = None
        in_base64 = base64.b64encode(raw).decode("ascii")
        made.append({"rank": place, "token_bytes": in_base64, "token_str": readable})
    return made


TEXTS, HALVES, REAL = "tokens that are text", "tokens that are not text", "a real U+FFFD"


def cases(random):
    yield TEXTS, []
    for size in range(1, 6):
        words = ["".join(random.choices("abé न中🙂\n\x00", k=1 + size)).encode() for _ in range(size)]
        yield TEXTS, [*words, "¿¾>?~".encode()]  # all characters of base64
        whole = random.choice("éन中🙂").encode()
        halves = [whole[: random.randint(1, len(whole) - 1)], whole[1:], b"\xed\xa0\x80", b"a\xff", b"\xfb\xef\xff"]
        yield HALVES, random.sample([*words, *halves], k=size + 5)
        yield REAL, [*words, "\ufffd".encode(), "a\ufffd".encode()]


EXERCISE = Exercise(
    "12.tekken_rows",
    "Rows for tekken.json",
    "write",
    answer=tekken_rows,
    hints=(
        "What does `bytes.decode` do when the bytes are not valid UTF-8, and when they are a real U+FFFD?",
        "Lesson 12 writes tokens in base64, and shows why JSON cannot hold them as they are.",
        "for each rank and token: base64.b64encode(token).decode(); try token.decode(), and use None when it raises "
        "UnicodeDecodeError",
    ),
    shown=(
        (TEXTS, [b"a", " औ".encode()]),
        (HALVES, [b"\xe0\xa4", b"a\xff"]),
        (REAL, ["\ufffd".encode()]),
        (HALVES, [b"\xfb\xef\xff"]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "replaced",
            "U+FFFD is a text. A token that is not text gets None; otherwise the two look the same.",
            like=("readable = None", 'readable = raw.decode("utf-8", "replace")'),
        ),
        Mistake(
            "left-out",
            "Without its broken bytes the text is not that token. The token is not text: None.",
            like=("readable = None", 'readable = raw.decode("utf-8", "ignore")'),
        ),
        Mistake(
            "real-sign",
            "A token may really contain U+FFFD, as the bytes EF BF BD. Then that is its text.",
            like=("readable}", r'None if "\ufffd" in str(readable) else readable}'),
        ),
        Mistake(
            "as-bytes",
            "`b64encode` returns bytes, which JSON cannot hold. The row needs a str.",
            like=('.decode("ascii")', ""),
        ),
        Mistake(
            "for-addresses",
            "That is the base64 for web addresses, with - and _. This format uses + and /.",
            like=("b64encode", "urlsafe_b64encode"),
        ),
        Mistake(
            "hexadecimal",
            "These are hexadecimal digits. The format wants base64.",
            like=('base64.b64encode(raw).decode("ascii")', "raw.hex()"),
        ),
    ),
)
