"""Exercise 13.to_tokens: the tokens of a segmentation, each an id and the bytes of the text that it stands for.

pieces   ▁a   x   y   b          x and y are not pieces
tokens   ▁a   unknown  b         neighbouring unknown characters are one token
tokens   ▁a  <0x78> <0x79>  b    in a vocabulary with byte pieces they are their bytes
"""

from minbpe_course.learning import Exercise, Mistake


def to_tokens(path, piece_ids, unk_id):
    """Return (id, begin, end) for every token of a segmentation, counted in bytes.

    You have found the best segmentation. Now write down its ids, and which bytes of the text each of them stands for.
    The function below does this, and on English it is right. But if two characters in a row are not in the vocabulary,
    it returns one token too many, and everything after them is shifted by one: sentencepiece makes **one** token of
    neighboring unknown characters. Repair it.

    * **In:** `path`, the pieces of the best segmentation, a list of str; `piece_ids`, a dict from piece to id;
      `unk_id`, an int.
    * **Out:** a list of `(id, begin, end)`, counted in bytes of UTF-8.
    * A character that is not a piece becomes its bytes if the vocabulary has pieces for bytes (`<0x00>` and so on). All
      but the last of these tokens begin and end where the character begins, and the last one covers the whole
      character. Bytes are never joined.
    * Otherwise, the character and all the unknown characters next to it become a single `unk_id`.

    | pieces | vocabulary | tokens |
    |---|---|---|
    | `["a", "x", "y"]` | `{"a": 4}`, unknown is 0 | `[(4, 0, 1), (0, 1, 3)]` |
    | `["a", "é"]` | with bytes, from `<0x00>` = 3 on | `[(100, 0, 1), (198, 1, 1), (172, 1, 3)]` |

    The check tries known pieces only, unknown characters alone, next to each other and apart, and byte pieces.
    """
    tokens, begin = [], 0
    for piece in path:
        data = piece.encode("utf-8")
        end = begin + len(data)
        if piece in piece_ids:
            tokens.append((piece_ids[piece], begin, end))
        elif "<0x00>" in piece_ids:
            for byte in data[:-1]:
                tokens.append((piece_ids[f"<0x{byte:02X}>"], begin, begin))
            tokens.append((piece_ids[f"<0x{data[-1]:02X}>"], begin, end))
        else:
            ### BEGIN SOLUTION
            first = begin
            if tokens and tokens[-1][0] == unk_id:
                _, first, _ = tokens.pop()
            tokens.append((unk_id, first, end))
            ### INSTEAD
            # tokens.append((unk_id, begin, end))
            ### END SOLUTION
        begin = end
    return tokens


KNOWN, ALONE, TOGETHER, APART, BYTES = (
    "pieces only",
    "an unknown character among pieces",
    "unknown characters side by side",
    "unknown characters apart",
    "a vocabulary with byte pieces",
)


BYTE_IDS = {f"<0x{byte:02X}>": byte + 3 for byte in range(256)}
_KNOWN = {"▁": 300, "▁a": 301, "b": 302, "中": 303, "ßß": 304}
_UNKNOWN = "é?😀ž\n♞\u0301\u200d\U0010ffff"


def token_cases(random):
    """Yield segmentations over vocabularies with byte pieces and without."""
    yield KNOWN, [], _KNOWN, 0
    for length in range(2, 10):
        path = random.choices(list(_KNOWN), k=length)
        unknown = random.choices(_UNKNOWN, k=length)
        unk_id = random.choice((0, 1, 2))
        at = random.randrange(length)
        yield KNOWN, path, _KNOWN, unk_id
        yield ALONE, [*path[:at], unknown[0], *path[at:]], _KNOWN, unk_id
        yield TOGETHER, [*path[:at], *unknown, *path[at:]], _KNOWN, unk_id
        yield APART, [*path[:at], *unknown[:2], *path[at:], "b", *unknown[:at]], _KNOWN, unk_id
        yield BYTES, [*path[:at], *unknown[:3], *path[at:]], {**BYTE_IDS, **_KNOWN}, unk_id


def _joined(category):
    """Tell whether an answer to a case of this category has too few tokens."""
    return lambda case, outcome, wanted: case.category == category and len(outcome.value) < len(wanted)


EXERCISE = Exercise(
    "13.to_tokens",
    "One token too many",
    "repair",
    answer=to_tokens,
    hints=(
        "Look at the smallest case: two unknown characters side by side. How many tokens does sentencepiece make of "
        "them, and where do they begin and end?",
        "Lesson 13, section 3: what happens to characters that are not in the vocabulary. Lesson 06 has the "
        "pieces for bytes.",
        "is the last token in the list unknown, too? Then replace it with one that begins where it began and ends here",
    ),
    shown=(
        (KNOWN, ["a", "b"], {"a": 4, "b": 5}, 0),
        (TOGETHER, ["a", "x", "y"], {"a": 4}, 0),
        (APART, ["x", "a", "y"], {"a": 4}, 0),
        (BYTES, ["é", "?"], BYTE_IDS, 0),
    ),
    drawn=token_cases,
    mistakes=(
        Mistake(
            "begin-of-the-last",
            "The joined token begins where the first of its characters begins.",
            like=("(unk_id, first, end)", "(unk_id, begin, end)"),
        ),
        Mistake(
            "end-of-the-first",
            "The joined token ends where the last of its characters ends.",
            like=(
                ("_, first, _ = tokens.pop()", "pass"),
                ("tokens.append((unk_id, first", "else:\n                tokens.append((unk_id, first"),
            ),
        ),
        Mistake(
            "characters",
            "Offsets count bytes here, as in sentencepiece: é is two.",
            like=("begin + len(data)", "begin + len(piece)"),
        ),
        Mistake(
            "joins-bytes",
            "Bytes are never joined. A vocabulary with byte pieces knows every character.",
            when=_joined(BYTES),
        ),
        Mistake(
            "each-byte-its-own",
            "The bytes of a character were right before: all but the last are empty, and the last covers the whole "
            "character.",
            like=(
                ("byte in data[:-1]", "at, byte in enumerate(data[:-1])"),
                ("begin, begin))", "begin + at, begin + at + 1))"),
                ('[-1]:02X}>"], begin, end', '[-1]:02X}>"], end - 1, end'),
            ),
        ),
        Mistake(
            "joins-over-pieces",
            "Only neighbors become one token: a piece between two unknown characters keeps them apart.",
            when=_joined(APART),
        ),
    ),
)
