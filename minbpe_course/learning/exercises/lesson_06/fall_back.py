"""Exercise 06.fall_back: repair the step from symbols to ids."""

from minbpe_course.learning import Exercise, Mistake, edited


def fall_back(symbols, piece_ids, unk_id):
    """Return the ids of the symbols, a list of int.

    This function turns the symbols that are left after merging into ids. On English text, it works.

    * **In:** `symbols`, a list of str; `piece_ids`, a dict from piece to id; `unk_id`, an int.
    * **Out:** a list of ids. A piece has its own id. Any other symbol becomes the pieces of its bytes (`<0xE2>` and the
      like) if the vocabulary has pieces for bytes; if not, it becomes one `unk_id`.

    For example, `fall_back(["a", "é"], {"a": 4}, 0)` is `[4, 0]`, and the function already gets that right. But it has
    a bug. Run the check, read the smallest case, and repair it.

    The check tries pieces only, symbols that become bytes, and vocabularies without pieces for bytes.
    """
    ids = []
    for symbol in symbols:
        if symbol in piece_ids:
            ids.append(piece_ids[symbol])
        elif "<0x00>" not in piece_ids:
            ids.append(unk_id)
        elif symbol:  # its bytes
            for byte in symbol.encode("utf-8"):
                ### BEGIN SOLUTION
                ids.append(piece_ids[f"<0x{byte:02X}>"])
                ### INSTEAD
                # ids.append(piece_ids.get(f"<0x{byte:X}>", unk_id))
                ### END SOLUTION
    return ids


BYTE_IDS = {f"<0x{byte:02X}>": byte + 3 for byte in range(256)}


def cases(random):
    known = {"▁": 300, "▁a": 301, "b": 302, "中": 303}
    everything = {**BYTE_IDS, **known}
    yield "bytes of both kinds", ["ž\n"], BYTE_IDS, 0
    for length in range(1, 16):
        for category, symbols, piece_ids in (
            ("every symbol is a piece", ["▁", "▁a", "b", "中"], everything),
            ("bytes from 16 up", ["▁a", "ž", "😀", "b", "q"], everything),
            ("bytes below 16", ["▁a", "\n", "\t", "\0", "b"], everything),
            ("a model without byte pieces", ["▁a", "ž", "\n", "b"], known),
        ):
            yield category, random.choices(symbols, k=length), piece_ids, 0
        symbols = ["\n", "ž", *random.choices(["▁a", "ž", "\t", "b"], k=length)]
        yield "bytes of both kinds", symbols, everything, 0


def leaves_out_a_nought(case, outcome, wanted):
    """Tell whether the only faults are bytes below 16 that have become unknown."""
    pairs = list(zip(outcome.value, wanted, strict=True))
    return all(mine == right or (mine == case.args[2] and right < BYTE_IDS["<0x10>"]) for mine, right in pairs)


# These mistakes go with an unknown piece for a name that is not in the vocabulary.
GET = ('piece_ids[f"<0x{byte:02X}>"]', 'piece_ids.get(f"<0x{byte:02X}>", unk_id)')

EXERCISE = Exercise(
    "06.fall_back",
    "The byte that fell through",
    "repair",
    answer=fall_back,
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "Look at the smallest case. Which byte is a line feed, and what is its piece called?",
        "Lesson 06, on pieces for bytes: what a character becomes when it is not a piece.",
        "write every byte with two hexadecimal digits, with a zero in front if one is not enough; the rest of the "
        "function is right",
    ),
    shown=(
        ("every symbol is a piece", ["a", "b"], {"a": 4, "b": 5}, 0),
        ("a model without byte pieces", ["a", "?"], {"a": 4}, 0),
        ("bytes below 16", ["\n"], BYTE_IDS, 0),
        ("bytes from 16 up", ["é"], BYTE_IDS, 0),
        ("bytes of both kinds", ["\n", "é"], BYTE_IDS, 0),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "lower-case",
            "Piece names are written in capitals: <0xC3>.",
            like=edited(fall_back, GET, ("02X", "02x")),
        ),
        Mistake(
            "one-digit",
            "The name of each byte has two digits, even if the first is a zero. Which bytes get only one in your code?",
            like=edited(fall_back, GET, ("byte:02X", "byte:{'02X' if byte < 10 else 'X'}")),
            when=leaves_out_a_nought,
        ),
        Mistake(
            "an-unknown-for-each-byte",
            "Without pieces for bytes, a symbol becomes one `unk_id`, however many bytes it has.",
            like=edited(fall_back, GET, ('"<0x00>" not in piece_ids', "False")),
        ),
        Mistake(
            "code-points",
            "A symbol falls back to the bytes of its UTF-8. `ord` gives its code point.",
            like=edited(fall_back, GET, ('symbol.encode("utf-8")', "map(ord, symbol)")),
        ),
    ),
)
