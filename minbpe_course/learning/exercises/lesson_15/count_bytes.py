"""Exercise 15.count_bytes: three published ways to count bytes wrongly, in one function."""

from minbpe_course.learning import Exercise, Mistake


def count_bytes(tokens):
    """Return how many bytes of text the tokens stand for.

    Bits per byte need the bytes of the text. Many programs add them up from the tokens. Each of these three mistakes
    was published. They find too many bytes, so the model looks better than it is.

    * A token may be half a character. Decode it alone, and it becomes U+FFFD, the replacement character, which is three
      bytes ([nanochat](https://github.com/karpathy/nanochat/pull/693)). With such a table, among other faults, a record
      of 0.9485 bits per byte was 1.1289 ([an audit](https://github.com/openai/parameter-golf/pull/1271)).
    * If `▁` isn't in a SentencePiece vocabulary, a space is three byte tokens, `<0xE2>`, `<0x96>`, `<0x81>`. The text
      has one byte there ([an issue](https://github.com/openai/parameter-golf/issues/897)).
    * A table counted the space of `▁the`, and the program that used it counted it again
      ([another audit](https://github.com/openai/parameter-golf/pull/1804)).

    The function below makes all three. Repair it.

    * **In:** `tokens`, the tokens of one text: a list of bytes (byte-level BPE), or a list of str (SentencePiece). In a
      str, `▁` stands for a space, and a str like `<0xC3>` for one byte. All other str are themselves.
    * **Out:** the number of bytes of the text in UTF-8.

    `count_bytes([b"caf", b"\\xc3", b"\\xa9"])` and `count_bytes(["caf", "<0xC3>", "<0xA9>"])` are both `5`.
    """
    ### BEGIN SOLUTION
    if all(isinstance(token, bytes) for token in tokens):
        return len(b"".join(tokens))
    spelled = [bytes([int(token[3:5], 16)]) if token.startswith("<0x") else token.encode("utf-8") for token in tokens]
    return len(b"".join(spelled).replace("▁".encode(), b" "))
    ### INSTEAD
    # total = 0
    # for token in tokens:
    #     text = token.decode("utf-8", errors="replace") if isinstance(token, bytes) else token.replace("▁", " ")
    #     is_byte = isinstance(token, str) and token.startswith("<0x")
    #     total += 1 if is_byte else len(text.encode("utf-8"))
    #     total += isinstance(token, str) and token.startswith("▁")
    # return total
    ### END SOLUTION


def three_for_a_space(tokens):
    """Return the number with one byte for each byte token."""
    return sum(
        len(token)
        if isinstance(token, bytes)
        else 1
        if token.startswith("<0x")
        else len(token.replace("▁", " ").encode())
        for token in tokens
    )


WHOLE, PARTS = "tokens of bytes", "tokens that are parts of characters"
PIECES, FALLBACK, SPACES = "pieces", "characters in byte tokens", "a space in byte tokens"


def _cut(random, whole):
    at, parts = 0, []
    while at < len(whole):
        length = random.randint(1, 4)
        parts.append(whole[at : at + length])
        at += length
    return parts


def _in_bytes(text):
    return [f"<0x{byte:02X}>" for byte in text.encode("utf-8")]


def cases(random):
    for size in range(2, 9):
        plain = "".join(random.choices("abc ", k=3 * size)) + "a"
        text = "".join(random.choices("aé中🦜 ", k=2 * size)) + " 中"
        pieces = _cut(random, text.replace(" ", "▁"))
        yield WHOLE, _cut(random, plain.encode())
        yield (
            PARTS,
            [bytes([byte]) for byte in text.encode("utf-8")] if size % 2 else _cut(random, text.encode("utf-8")),
        )
        yield PIECES, pieces
        yield FALLBACK, [part for piece in pieces for part in (_in_bytes("中é") if "中" in piece else [piece])]
        letters = text.replace(" ", "▁")
        yield SPACES, [part for each in letters for part in (_in_bytes(each) if each in "▁中" else [each])]


EXERCISE = Exercise(
    "15.count_bytes",
    "Three wrong counts of bytes",
    "repair",
    answer=count_bytes,
    difficulty=3,
    minutes=15,
    points=3,
    hints=(
        "Which line is responsible for each of the three? Two of them look at one token at a time. Is that enough?",
        "Lesson 15, on bits per byte. Lesson 06: `▁`, and byte tokens. Lesson 11: half a character.",
        "for tokens of bytes, add up their lengths; for str, put the bytes of all tokens in a row (`<0xC3>` is one), "
        "then replace the three bytes of ▁ by one space, and take the length",
    ),
    shown=(
        (WHOLE, [b"low", b"er"]),
        (PARTS, [b"caf", b"\xc3", b"\xa9"]),
        (PIECES, ["▁low", "er"]),
        (FALLBACK, ["caf", "<0xC3>", "<0xA9>"]),
        (SPACES, ["low", "<0xE2>", "<0x96>", "<0x81>", "low"]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "replacement-character",
            "Half a character decodes to U+FFFD, whose UTF-8 has three bytes. How many has the token itself?",
            like=(
                'len(b"".join(tokens))',
                'sum(len(token.decode("utf-8", errors="replace").encode("utf-8")) for token in tokens)',
            ),
        ),
        Mistake(
            "three-bytes-for-a-space",
            "`<0xE2>`, `<0x96>`, `<0x81>` in a row are `▁`: one space, one byte. Look at the bytes together.",
            like=three_for_a_space,
        ),
        Mistake(
            "the-space-twice",
            "The space at the front of a piece is counted twice: `▁low` is four bytes.",
            like=('"▁".encode(), b" "))', '"▁".encode(), b" ")) + sum(t[0] == "▁" for t in tokens)'),
        ),
        Mistake(
            "the-sign-itself",
            "`▁` is three bytes in UTF-8, but the text has a space there, one byte.",
            like=('.replace("▁".encode(), b" ")', ""),
        ),
        Mistake(
            "characters",
            "Those are characters. A character may have several bytes.",
            like=('return len(b"".join(spelled).replace("▁".encode(), b" "))',
                  'return len(b"".join(spelled).replace("▁".encode(), b" ").decode("utf-8", "replace"))'),
        ),
    ),
)  # fmt: skip
