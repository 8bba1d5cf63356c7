"""Values are laid out so that a learner can read them, copy the short ones, and see where two of them differ."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from minbpe_course.learning.judge.equality import NOTHING, same, shown_beside
from minbpe_course.learning.judge.value_layout import CUT_ROWS, MOST_ROWS, laid_out

NUMBERS = list(range(1000))
PAIRS = [(number, number * number) for number in range(400)]
COUNTS = {f"word {number}": number for number in range(300)}


def lines(value: Any, other: Any = NOTHING) -> list[str]:
    return laid_out(value, other).split("\n")


def _random_value(random: Random, deep: int = 0) -> Any:
    kind = random.randrange(8 if deep < 3 else 5)
    if kind < 5:
        return [random.randrange(-9, 10**6), random.random(), None, "aé\n" * random.randrange(9),
                random.randbytes(random.randrange(30))][kind]  # fmt: skip
    items = [_random_value(random, deep + 1) for _ in range(random.randrange(5))]
    if kind < 7:
        return items if kind == 5 else tuple(items)
    return {random.choice([number, f"k{number}", (number, 1)]): item for number, item in enumerate(items)}


def test_what_is_not_cut_is_valid_python_for_the_same_value() -> None:
    random = Random(5)
    whole = 0
    for _ in range(2_000):
        value = _random_value(random)
        text = laid_out(value)
        if "…" not in text:
            whole += 1
            assert same(eval(text), value), text
    assert whole > 1_500


@pytest.mark.parametrize("value", [NUMBERS, PAIRS, COUNTS, "text " * 500, b"text " * 500, bytes(5000), [["a"] * 9] * 99,
                                   ["word " * 90] * 50, tuple(NUMBERS), [{"a": 1}] * 80, set(NUMBERS)],
                         ids=lambda value: type(value).__name__)  # fmt: skip
def test_a_long_value_is_short_enough_to_read(value: Any) -> None:
    assert len(lines(value)) <= CUT_ROWS + 2
    assert len(laid_out(value)) < 800
    assert "…" in laid_out(value)


@pytest.mark.parametrize(
    "value",
    [NUMBERS, PAIRS, [[number] * 3 for number in range(300)], "".join(map(chr, range(200, 2000))), bytes(2000),
     b"ab" * 900, ["word " * 40 + str(number) for number in range(90)], COUNTS],
    ids=["numbers", "pairs", "lists", "text", "binary", "bytes", "words", "dict"],
)  # fmt: skip
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_the_first_difference_of_two_long_values_is_visible(value: Any, share: float) -> None:
    at = int(share * (len(value) - 1))
    if isinstance(value, dict):
        other: Any = {key: number + (number == at) * 10**6 for key, number in value.items()}
    else:
        new = {str: "!", bytes: b"!"}.get(type(value)) or [([7777, 1] if isinstance(value[0], list) else "7777")]
        other = value[:at] + new + value[at + 1 :]
    mine, theirs = laid_out(value, other), laid_out(other, value)
    assert mine != theirs
    if isinstance(value, (list, dict)):
        assert ("1000" if isinstance(value, dict) else "7777") in theirs
    before = next(place for place, (one, two) in enumerate(zip(mine, theirs)) if one != two)
    assert "from" not in mine[:before], "the texts differ at the value, before what is said about it"


def test_a_table_has_columns_and_says_how_many_rows_are_left_out() -> None:
    assert lines([("a", -1.5), ("abc", 10.25), ("b", 3)] * 3 + [("last", 1.0)])[:3] == [
        "[('a',     -1.5),",
        " ('abc',  10.25),",
        " ('b',        3),",
    ]
    assert lines({(97, 98): 1, (97, 300): 20, (1, 1): 300, **{(0, number): 4 for number in range(6)}})[:2] == [
        "{(97, 98):  1,",
        " (97, 300): 20,",
    ]
    assert len(lines(PAIRS[:MOST_ROWS])) == MOST_ROWS
    assert f" … {400 - CUT_ROWS} rows …" in lines(PAIRS)


def test_binary_data_is_hexadecimal_and_text_is_not() -> None:
    assert laid_out(bytes([0, 1, 2])) == r"b'\x00\x01\x02'"
    assert laid_out(bytes(range(128, 140))) == 'bytes.fromhex("80 81 82 83 84 85 86 87 88 89 8a 8b")'
    assert laid_out(b"a text of some length\n") == r"b'a text of some length\n'"
    assert laid_out(bytes(5000), bytes(4000) + b"\x0a").endswith("(5,000 bytes, from byte 3,968)")


def test_two_texts_on_one_line_are_cut_around_their_difference() -> None:
    mine, other = [0] * 200, [0] * 120 + [12345] + [0] * 79
    assert "12345" in shown_beside(other, mine, 40)
    assert len(shown_beside(mine, other, 40)) <= 42
    assert shown_beside([1], [2], 40) == "[1]"
    assert shown_beside("a" * 38, "b", 40) == f"'{'a' * 38}'"  # just fits
