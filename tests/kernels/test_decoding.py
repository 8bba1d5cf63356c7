"""Decoding by compiled code equals looking the bytes up in a dict, by every way, and tiktoken's."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import Encoding
from minbpe_course.engines.decoding import Decoder
from minbpe_course.errors import InvalidTokenId
from minbpe_course.kernels.common import lists, memory
from tests.shared.long_run import examples

pytestmark = pytest.mark.medium

WAYS = (True, False) if lists.objects_work() else (False,)
LONG = "x" * 15, "y" * 16, "z" * 17, "long " * 200
BYTES = {bytes([byte]): byte for byte in range(256)}


def decoder_of(tokens: Mapping[int, bytes], specials: Mapping[int, str], by_objects: bool) -> Decoder:
    """A decoder that goes the fast way or is kept from it."""
    ids = sorted(tokens)
    text, start = memory.lay_tokens({place: tokens[token_id] for place, token_id in enumerate(ids)}, len(ids))
    with mock.patch.object(lists, "objects_work", return_value=by_objects):
        return Decoder(text, start, np.array(ids, dtype=np.uint32), specials)


def forms(ids: list[int]) -> Iterator[object]:
    """The same ids in all that may be given."""
    yield ids
    yield tuple(ids)
    yield np.array(ids, dtype=np.int64)
    yield np.array(ids, dtype=np.uint32)
    yield np.repeat(np.array(ids, dtype=np.int64), 2)[::2]
    yield [np.int64(token_id) for token_id in ids]
    yield iter(ids)
    yield dict.fromkeys(ids) if len(set(ids)) == len(ids) else (token_id for token_id in ids)


def outcome(call: Callable[[], object]) -> object:
    try:
        return call()
    except (InvalidTokenId, UnicodeDecodeError, LookupError) as error:
        return f"{type(error).__name__}: {error}"


def offsets_of(tokens: list[bytes]) -> list[int]:
    """How many characters begin before each token, where one that is begun counts from its beginning."""
    begins = [sum(not 0x80 <= byte < 0xC0 for byte in token) for token in tokens]
    return [max(0, sum(begins[:at]) - (0x80 <= token[0] < 0xC0)) for at, token in enumerate(tokens)]


some_tokens = st.dictionaries(
    st.integers(0, 40) | st.integers(0, 2**32 - 1), st.binary(min_size=1, max_size=40), min_size=1, max_size=30
)


@settings(max_examples=examples(150))
@given(
    tokens=some_tokens,
    specials=st.dictionaries(st.integers(0, 2**32 - 1), st.text(min_size=1, max_size=20)),
    data=st.data(),
)
def test_small_bytes_equal_a_dict(tokens: dict[int, bytes], specials: dict[int, str], data: st.DataObject) -> None:
    # tiktoken replaces lone surrogates in a text.
    whole = {k: v.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") for k, v in specials.items()}
    known = {token_id: text.encode() for token_id, text in whole.items()} | tokens
    ids = data.draw(st.lists(st.sampled_from(sorted(known)), max_size=30))
    wanted = [known[token_id] for token_id in ids]
    for way in WAYS:
        decoder = decoder_of(tokens, specials, way)
        assert all(decoder.bytes_of(form) == b"".join(wanted) for form in forms(ids))
        assert all(decoder.text_of(form) == b"".join(wanted).decode("utf-8", "replace") for form in forms(ids))
        assert all(decoder.tokens_of(form) == wanted for form in forms(ids))
        assert decoder.offsets_of(ids) == offsets_of(wanted)
        assert decoder.largest == max(known)
        for errors in ("strict", "ignore", "backslashreplace", "surrogateescape"):
            expected = outcome(lambda: b"".join(wanted).decode("utf-8", errors))  # noqa: B023
            assert outcome(lambda: decoder.text_of(ids, errors)) == expected  # noqa: B023


@given(tokens=some_tokens, before=st.integers(0, 5), wrong=st.integers(-(2**33), 2**33) | st.integers(-3, 60))
def test_small_an_id_that_no_token_has_is_named(tokens: dict[int, bytes], before: int, wrong: int) -> None:
    if wrong in tokens:
        return
    ids = [*[min(tokens)] * before, wrong, min(tokens), -5]
    message = (
        f"unknown id: no token has id {wrong} (number {before} of the ids given); the ids of this vocabulary go up to "
    )
    for way in WAYS:
        decoder = decoder_of(tokens, {}, way)
        for ask in (decoder.bytes_of, decoder.text_of, decoder.tokens_of, decoder.offsets_of):
            for form in (ids, tuple(ids), np.array(ids), iter(ids)):
                with pytest.raises(InvalidTokenId) as raised:
                    ask(form)
                assert str(raised.value) == f"{message}{max(tokens)}."


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrong", [[1, "a"], [1, 2.5], [1, None], "ab", 5, None, [[1]], [1, 2**64], 2.5])
def test_arguments_that_are_not_ids(wrong: object, way: bool) -> None:
    decoder = decoder_of({1: b"one"}, {}, way)
    for ask in (decoder.bytes_of, decoder.text_of, decoder.tokens_of, decoder.offsets_of):
        with pytest.raises(InvalidTokenId, match="ids must be a list of whole numbers"):
            ask(wrong)


@pytest.mark.parametrize("way", WAYS)
def test_long_tokens_and_many_of_them(way: bool) -> None:
    tokens = {place: token.encode() for place, token in enumerate(("a", *LONG))}
    decoder = decoder_of(tokens, {9: "s" * 3000, 10: "t" * 15}, way)
    known = tokens | {9: b"s" * 3000, 10: b"t" * 15}
    for ids in ([4] * 1000, [9] * 700, [0] * 5000 + [9] + [0] * 300, [0, 4] * 300 + [1] * 2000, [10] * 4000):
        assert decoder.bytes_of(ids) == b"".join(known[token_id] for token_id in ids)
    rng = random.Random(4)
    for size in (1, 255, 256, 257, 511, 512, 513, 3000):
        ids = rng.choices(sorted(known), [50, 1, 1, 1, 1, 1, 1], k=size)
        assert decoder.bytes_of(ids) == b"".join(known[token_id] for token_id in ids)


def test_far_ids_cost_no_memory() -> None:
    decoder = decoder_of(
        {token_id: token for token, token_id in BYTES.items()}, {2**31: "<|far|>", 2**32 - 1: "<|last|>"}, True
    )
    assert sum(array.nbytes for array in decoder._block.kept.values()) < 10_000
    assert decoder.text_of([104, 105, 2**31, 2**32 - 1]) == "hi<|far|><|last|>"
    spread = {7 * 10**6 * k: b"%d" % k for k in range(600)}
    decoder = decoder_of(spread, {}, True)
    assert sum(array.nbytes for array in decoder._block.kept.values()) < 50_000
    assert decoder.tokens_of(list(spread)) == list(spread.values())
    ours = Encoding("far", pat_str=r"\w+|\W", mergeable_ranks=BYTES, special_tokens={"<|far|>": 2**31})
    assert ours.decode(ours.encode("a<|far|>b", allowed_special="all")) == "a<|far|>b"


def test_a_special_token_with_a_lone_surrogate() -> None:
    decoder = decoder_of({0: b"a"}, {7: "<\ud800>", 8: "\ud83d\udc4b"}, True)
    assert decoder.text_of([0, 7, 8]) == "a<\ufffd>\U0001f44b"
    assert decoder.tokens_of([7]) == [b"<\xef\xbf\xbd>"]


def test_an_ordinary_token_wins_over_a_special_one() -> None:
    assert decoder_of({3: b"three"}, {-1: "below", 2**62: "above"}, True).tokens_of([3, 2**62]) == [b"three", b"above"]
    assert decoder_of({3: b"ordinary"}, {3: "special", 4: "other"}, True).tokens_of([3, 4]) == [b"ordinary", b"other"]


@pytest.mark.parametrize("way", WAYS)
def test_copies_decode_after_the_original_is_gone(way: bool) -> None:
    decoder = decoder_of({1: b"one", 2: b"a longer token than an entry"}, {3: "<|a long special token|>"}, way)
    wanted = decoder.text_of([1, 2, 3])
    copies = [copy.copy(decoder), copy.deepcopy(decoder), pickle.loads(pickle.dumps(decoder))]
    del decoder
    gc.collect()
    junk = [bytes(40) for _ in range(1000)]
    assert [each.text_of([1, 2, 3]) for each in copies] == [wanted] * 3
    assert len(junk) == 1000


@pytest.mark.skipif(lists.PLAIN, reason="ctypes, which stands in, keeps a type for each size")
@pytest.mark.parametrize("way", WAYS)
def test_no_reference_leaks(way: bool) -> None:
    decoder = decoder_of({token_id: token for token, token_id in BYTES.items()}, {300: "<|end|>" * 9}, way)
    good, broken, wrong = [104, 300, 105] * 50, [104, 255] * 50, [104] * 300 + [301]

    def work() -> None:
        for ask in (decoder.text_of, decoder.bytes_of, decoder.tokens_of, decoder.offsets_of):
            ask(good)
            outcome(lambda: ask(wrong))  # noqa: B023
            outcome(lambda: ask([*good, "x"]))  # noqa: B023
        outcome(lambda: decoder.text_of(broken, "strict"))

    work()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(100):
        work()
    gc.collect()
    assert abs(sys.getallocatedblocks() - before) < 50
    assert [sys.getrefcount(good), sys.getrefcount(wrong)] == [sys.getrefcount(broken)] * 2
