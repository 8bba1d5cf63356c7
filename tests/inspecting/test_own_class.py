"""A learner's own class gives the tokens of its ids, or gets an error that says what to add."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.errors import NotTrained, UnusableTokenizer
from minbpe_course.inspecting.own_class import aligned_bytes
from minbpe_course.inspecting.tokenizer_view import Cut, view_of
from tests.shared.long_run import examples


def joined(cut: Cut) -> bytes:
    return b"".join(token if isinstance(token, bytes) else token.encode() for token in cut.tokens)


class ByLetters:
    """Cuts UTF-8 wherever ``cuts`` says, and decodes as minbpe's lessons do."""

    def __init__(self, *tokens: bytes) -> None:
        self.table = dict(enumerate(tokens))

    def encode(self, text: str) -> list[int]:
        return list(self.table)

    def decode(self, ids: list[int]) -> str:
        return b"".join(self.table[each] for each in ids).decode("utf-8", errors="replace")


def cut_somewhere(data: bytes, chance: random.Random) -> list[bytes]:
    places = sorted(chance.sample(range(1, len(data)), chance.randint(0, len(data) - 1))) if len(data) > 1 else []
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)])] if data else []


@settings(max_examples=examples(200))
@given(st.text(alphabet=st.sampled_from("ab é€\ufffd日👋🧿\u0301\x00"), max_size=12), st.randoms(use_true_random=False))
def test_bytes_are_found_behind_a_decode_that_loses_them(text: str, chance: random.Random) -> None:
    tokens = cut_somewhere(text.encode(), chance)
    cut = view_of(ByLetters(*tokens)).cut(text)
    assert [token if isinstance(token, bytes) else token.encode() for token in cut.tokens] == tokens
    assert cut.note == ""


@given(st.lists(st.binary(max_size=5), max_size=5))
def test_aligning_says_what_is_so_or_nothing(parts: list[bytes]) -> None:
    alone = [part.decode("utf-8", "replace") for part in parts]
    data = b"".join(parts)

    def together(first: int, end: int) -> str:
        return b"".join(parts[first:end]).decode("utf-8", "replace")

    found = aligned_bytes(alone, data)
    assert found is None or found == parts
    again = aligned_bytes(alone, data, together)
    assert again is None or again == parts
    assert found is None or again is not None
    assert aligned_bytes([*alone, "x"], data) is None


def own(**methods: Any) -> Any:
    """An object of a class with these methods and attributes."""
    methods.setdefault("encode", lambda self, text: list(text.encode()))
    return type("Mine", (), methods)()


@pytest.mark.parametrize(
    "way_back",
    [
        {"decode_bytes": lambda self, ids: bytes(ids)},
        {"decode_single_token_bytes": lambda self, each: bytearray([each])},
        {"decode_tokens_bytes": lambda self, ids: (bytes([each]) for each in ids)},
        {"vocab": {each: bytes([each]) for each in range(256)}},
        {"vocab": {bytes([each]): each for each in range(256)}},
        {"decode": lambda self, ids: bytes(ids).decode("utf-8", "replace")},
        {"decode": lambda self, ids: bytes(ids)},
        {"vocab": property(lambda self: 1 / 0), "decode_bytes": lambda self, ids: bytes(ids)},
    ],
)
def test_every_way_back_gives_the_bytes(way_back: dict[str, Any]) -> None:
    for text in ("é€👋", "hello", ""):
        cut = view_of(own(**way_back)).cut(text)
        assert joined(cut) == text.encode()
        assert len(cut) == len(text.encode())
        assert cut.note == ""


def test_gpt2s_printable_characters_are_read_back() -> None:
    vocab = {"Ġworld": 0, "hello": 1}
    cut = view_of(own(vocab=vocab, encode=lambda self, text: [1, 0])).cut("hello world")
    assert cut.tokens == (b"hello", b" world")
    assert view_of(own(vocab=vocab)).n_vocab == 2


def test_specials_in_the_words_that_the_class_knows() -> None:
    asked: list[Any] = []

    def minbpe(self: Any, text: str, allowed_special: Any = "none_raise") -> list[int]:
        asked.append(allowed_special)
        return [1]

    def like_tiktoken(self: Any, text: str, *, allowed_special: Any = (), disallowed_special: Any = "all") -> list[int]:
        asked.append((allowed_special, disallowed_special))
        return [1]

    for encode in (minbpe, like_tiktoken):
        tokenizer = own(encode=encode, vocab={0: b"a"}, special_tokens={"<|x|>": 1})
        cut = view_of(tokenizer).cut("<|x|>", specials=True)
        assert (cut.tokens, cut.special) == ((b"<|x|>",), {0})
        assert view_of(tokenizer).cut("<|x|>").special == frozenset()
    assert asked == ["all", "none", ("all", "all"), ((), ())]


def test_a_tokenizer_that_changes_the_text_is_shown_with_a_note() -> None:
    lower = own(
        encode=lambda self, text: [ord(each) for each in text.lower()], decode=lambda self, ids: "".join(map(chr, ids))
    )
    assert view_of(lower).cut("Ab") == Cut((97, 98), ("a", "b"), text="Ab", note="the tokens joined are not the text")


@pytest.mark.parametrize(
    ("tokenizer", "says"),
    [
        (5, "int has no encode"),
        (ByLetters, r"give an object of it: ByLetters\(\)"),
        (own(), "no way back from ids"),
    ],
)
def test_what_is_no_tokenizer_is_refused(tokenizer: Any, says: str) -> None:
    with pytest.raises(UnusableTokenizer, match=says):
        view_of(tokenizer)


@pytest.mark.parametrize(
    ("methods", "says"),
    [
        ({"vocab": {}, "decode": lambda self, ids: bytes(ids).decode("utf-8", "ignore")}, r"Add decode_bytes\(ids\)"),
        ({"decode": lambda self, ids: "\ufffd\ufffd"}, "cannot say what the id 195 stands for"),
        ({"decode": lambda self, ids: bytes(ids).decode()}, "the id 195, but the token of that id cannot be found"),
        ({"vocab": {195: 5, 169: b""}}, "stands for 5, which is neither"),
        ({"vocab": [b"a"] * 256, "encode": lambda self, text: "ids"}, "must give a list of ints, got 'ids'"),
        ({"vocab": [b"a"] * 256, "encode": lambda self, text: 1 / 0}, "Mine.encode raised ZeroDivisionError"),
    ],
)
def test_a_class_that_is_not_finished_is_told_what_to_add(methods: dict[str, Any], says: str) -> None:
    with pytest.raises(UnusableTokenizer, match=says):
        view_of(own(**methods)).cut("é")


def test_nothing_is_added_and_nothing_printed(capsys: pytest.CaptureFixture[str]) -> None:
    asked: dict[str, Any] = {}

    def encode(self: Any, text: str, bos: bool, eos: bool, add_special_tokens: bool = True, visualise: Any = "colour"):
        asked.update(bos=bos, eos=eos, add_special_tokens=add_special_tokens, visualise=visualise)
        return list(text.encode())

    cut = view_of(own(encode=encode, decode_bytes=lambda self, ids: bytes(ids))).cut("hi")
    assert (len(cut), capsys.readouterr().out) == (2, "")
    assert asked == {"bos": False, "eos": False, "add_special_tokens": False, "visualise": None}


def test_errors_of_the_course_come_through_and_everything_else_is_named() -> None:
    def leave(self: Any, text: str) -> list[int]:
        raise SystemExit(3)

    def refuse(self: Any, text: str) -> list[int]:
        raise NotTrained("train first")

    with pytest.raises(UnusableTokenizer, match=r"Mine\.encode raised SystemExit: 3"):
        view_of(own(encode=leave, vocab={})).cut("a")
    with pytest.raises(NotTrained):
        view_of(own(encode=refuse, vocab={})).cut("a")
