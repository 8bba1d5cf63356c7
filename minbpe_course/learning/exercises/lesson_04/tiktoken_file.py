"""Exercise 04.tiktoken_file: write a vocabulary as tiktoken's files have it."""

import base64
from binascii import b2a_base64

from minbpe_course.learning import Exercise, Mistake


def tiktoken_file(tokens):
    r"""Return the bytes of a .tiktoken file. The rank of a token is its place in `tokens`.

    OpenAI publishes its vocabularies in files with a line for each token: its bytes in base64, a space, its rank, and a
    line break (`\n`). Base64 writes any bytes as letters, digits and a few signs, so that no token can break a line.

    * **In:** `tokens`, a list of bytes, in the order of their ranks.
    * **Out:** the contents of the file, as bytes.

    ```
    tiktoken_file([b"!", b" the"])   ->  b"IQ== 0\nIHRoZQ== 1\n"
    ```

    `base64.b64encode` takes bytes and returns bytes. Tried: no tokens, text, bytes that are not text, more than ten
    tokens.
    """
    lines = [base64.b64encode(token) + f" {rank}\n".encode() for rank, token in enumerate(tokens)]
    return b"".join(lines)


def written(tokens):
    """Write the same file by another route, as the witness."""
    return b"".join(b"%s %d\n" % (b2a_base64(token, newline=False), at) for at, token in enumerate(tokens))


def cases(random):
    yield "no tokens", []
    for number in (1, 2, 3, 12, 30):
        yield "text", [random.choice(["the", " a", "\n", "größer", "日本", ""]).encode() + b"." for _ in range(number)]
        yield "bytes that are not text", [random.randbytes(random.randint(1, 9)) for _ in range(number)]


EXERCISE = Exercise(
    "04.tiktoken_file",
    "OpenAI's file",
    "write",
    answer=tiktoken_file,
    minutes=5,
    points=1,
    hints=(
        "Write one line first. What are its four parts?",
        "Lesson 04, section 5: the token b'!' with rank 0 gives the line `IQ== 0`.",
        "for rank, token in enumerate(tokens): base64.b64encode(token) + f' {rank}\\n'.encode(); join all lines with "
        'b"".join',
    ),
    wanted=written,
    shown=(
        ("text", [b"!", b" the"]),
        ("bytes that are not text", [b"\xff"]),
        ("no tokens", []),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "text",
            "This is text. A file is bytes: encode each line, or decode the base64 and encode the whole file once.",
            like=('return b"".join(lines)', 'return b"".join(lines).decode()'),
        ),
        Mistake(
            "no-last-break",
            "Every line ends in a line break, the last one too.",
            like=('return b"".join(lines)', 'return b"".join(lines)[:-1]'),
        ),
        Mistake(
            "from-one",
            "The first token has rank 0.",
            like=("enumerate(tokens)", "enumerate(tokens, 1)"),
        ),
        Mistake(
            "list-of-lines",
            "These are the lines. The file is one bytes object: join them.",
            like=('return b"".join(lines)', "return lines"),
        ),
        Mistake(
            "shown-as-python",
            "b'...' is how Python shows bytes. In an f-string, write the base64 as text: call decode() on it.",
            like=(
                'base64.b64encode(token) + f" {rank}\\n".encode()',
                'f"{base64.b64encode(token)} {rank}\\n".encode()',
            ),
        ),
    ),
)
