"""Exercise 06.fall_back: repair the step from symbols to ids."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, Outcome, edited


def fall_back(symbols, piece_ids, unk_id):
    """Return the ids of the symbols, a list of int.

    This function turns the symbols that are left after merging into ids. On English text, it works.

    * **In:** `symbols`, a list of str; `piece_ids`, a dict from piece to id; `unk_id`, an int.
    * **Out:** a list of ids. A piece has its own id. Any other symbol becomes the pieces of its bytes (`<0xE2>` and the
      like) if the vocabulary has pieces for bytes; if not, it becomes one `unk_id`.

    For example, `fall_back(["a", "é"], {"a": 4}, 0)` is `[4, 0]`, and the function already gets that right. But it has
    a bug. Run the check, read the smallest case, and repair it.

    The check tries pieces only, symbols with every byte, and vocabularies without pieces for bytes.
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


def _fall_back(symbols: list[str], piece_ids: dict[str, int], unk_id: int) -> list[int]:
    ids: list[int] = []
    for symbol in symbols:
        if symbol in piece_ids or "<0x00>" not in piece_ids:
            ids.append(piece_ids.get(symbol, unk_id))
        else:
            ids += [piece_ids.get(f"<0x{byte:02X}>", unk_id) for byte in symbol.encode()]
    return ids


def _symbol_cases(random: Random) -> Iterator[Case]:
    known = {"▁": 300, "▁a": 301, "b": 302, "中": 303}
    for length in range(1, 10):
        symbols = [random.choice(["▁", "▁a", "b", "中"]) for _ in range(length)]
        yield Case("every symbol is a piece", (symbols, {**BYTE_IDS, **known}, 0))
    yield Case("bytes of both kinds", (["ž\n"], BYTE_IDS, 0))
    for length in range(1, 16):
        symbols = [random.choice(["▁a", "ž", "😀", "b", "q"]) for _ in range(length)]
        yield Case("bytes from 16 up", (symbols, {**BYTE_IDS, **known}, 0))
        symbols = [random.choice(["▁a", "\n", "\t", "\0", "b"]) for _ in range(length)]
        yield Case("bytes below 16", (symbols, {**BYTE_IDS, **known}, 0))
        symbols = [random.choice(["▁a", "ž", "\n", "b"]) for _ in range(length)]
        yield Case("a model without byte pieces", (symbols, known, 0))
        symbols = ["\n", "ž", *random.choices(["▁a", "ž", "\t", "b"], k=length)]
        yield Case("bytes of both kinds", (symbols, {**BYTE_IDS, **known}, 0))


def _leaves_out_a_nought(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether the only faults are bytes below 16 that have become unknown."""
    pairs = list(zip(outcome.value, wanted, strict=True))
    return all(mine == right or (mine == case.args[2] and right < BYTE_IDS["<0x10>"]) for mine, right in pairs)


EXERCISE = Exercise(
    key="06.fall_back",
    answer=fall_back,
    title="The byte that fell through",
    kind="repair",
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "Look at the smallest case. Which byte is a line feed, and what is its piece called?",
        "piece names always have two digits. And how many ids do three unknown symbols in a row become?",
        "Lesson 06, on pieces for bytes: what a character becomes when it is not a piece.",
    ),
    wanted=_fall_back,
    shown=(
        Case("every symbol is a piece", (["a", "b"], {"a": 4, "b": 5}, 0)),
        Case("a model without byte pieces", (["a", "?"], {"a": 4}, 0)),
        Case("bytes below 16", (["\n"], BYTE_IDS, 0)),
        Case("bytes from 16 up", (["é"], BYTE_IDS, 0)),
        Case("bytes of both kinds", (["\n", "é"], BYTE_IDS, 0)),
    ),
    drawn=_symbol_cases,
    mistakes=(
        Mistake("lower-case", "Piece names are written in capitals: <0xC3>.", like=edited(_fall_back, ("02X", "02x"))),
        Mistake(
            "one-digit",
            "The name of each byte has two digits, even if the first is a zero. Which bytes get only one in your code?",
            like=edited(_fall_back, ("byte:02X", "byte:{'02X' if byte < 10 else 'X'}")),
            when=_leaves_out_a_nought,
        ),
        Mistake(
            "an-unknown-for-each-byte",
            "Without pieces for bytes, a symbol is one unknown, not as many as it has bytes.",
            like=edited(_fall_back, (' or "<0x00>" not in piece_ids', "")),
        ),
        Mistake(
            "code-points",
            "A symbol falls back to the bytes of its UTF-8. `ord` gives its code point.",
            like=edited(_fall_back, ("symbol.encode()", "map(ord, symbol)")),
        ),
    ),
)
