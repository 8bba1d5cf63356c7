"""Exercise 11.token_offsets: in which character each token begins."""

from minbpe_course.learning import Exercise, Mistake


def token_offsets(tokens):
    r"""Return for each token the index of the character in which it begins.

    For each token, the function below returns the index of the character in which the token begins. It is right for
    English, but it begins to drift at the first chess piece. Every later offset is too large, and the highlighter that
    uses the offsets marks the wrong words.

    Repair it. A token that begins inside a character belongs to that character.

    * **In:** `tokens`, a list of bytes. No token is empty, and joined they are UTF-8.
    * **Out:** a list of int, one for each token.

    `token_offsets([b"a", b"\xe2\x99", b"\x9e", b"b"])` is `[0, 1, 1, 2]`: the two tokens in the middle are one knight.
    """
    ### BEGIN SOLUTION
    found, characters = [], 0
    for piece in tokens:
        inside = 0x80 <= piece[0] < 0xC0
        found.append(characters - inside)
        characters += sum(1 for byte in piece if not 0x80 <= byte < 0xC0)
    return found
    ### INSTEAD
    # offsets, length = [], 0
    # for token in tokens:
    #     offsets.append(length)
    #     length += len(token.decode("utf-8", errors="replace"))
    # return offsets
    ### END SOLUTION


LETTERS = "ab né Ωж♞中🙂"


def cases(random):
    def cut(whole):
        while whole:
            size = random.randint(1, 4)
            yield whole[:size]
            whole = whole[size:]

    yield "no token", []
    for size in range(1, 11):
        text = "".join(random.choices(LETTERS, k=size))
        yield "tokens of whole characters", [part.encode("utf-8") for part in cut(text)]
        inside = ("".join(random.choices("é♞中🙂", k=size)) + text).encode("utf-8")
        yield "tokens that begin inside a character", [*cut(inside)]
        yield "tokens of one byte", [bytes([byte]) for byte in inside]


EXERCISE = Exercise(
    "11.token_offsets",
    "Offsets that drift",
    "repair",
    answer=token_offsets,
    picture=r"""
from minbpe_course.learning.charts.encoding import draw_offsets

draw_offsets("a♞b", [b"a", b"\xe2\x99", b"\x9e", b"b"], [0, 1, 1, 2], "The target: a knight in two tokens")
""",
    minutes=15,
    hints=(
        "How many characters does the function count in `♞` when it is spread over two tokens? Where does the "
        "error begin, and does it ever stop?",
        "Lesson 11 has a picture of the offsets, and lesson 01 shows which bytes begin a character.",
        "count the characters that have begun; a token that starts with a byte from 0x80 to 0xBF is inside the "
        "last of them; every other byte begins a character",
    ),
    shown=(
        ("tokens of whole characters", [b"ab", b"c"]),
        ("tokens that begin inside a character", [b"a", b"\xe2\x99", b"\x9e", b"b"]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "bytes",
            "These count bytes. Python's texts count characters.",
            like=lambda tokens: [len(b"".join(tokens[:at])) for at in range(len(tokens))],
        ),
        Mistake(
            "next-character",
            "A token that begins inside a character belongs to that character, not to the next.",
            like=("characters - inside", "characters"),
        ),
        Mistake(
            "broken-left-out",
            "Now a character that is spread over tokens is counted in none of them.",
            like=lambda tokens: [
                sum(len(token.decode(errors="ignore")) for token in tokens[:at]) for at in range(len(tokens))
            ],
        ),
    ),
)
