"""All methods of Encoding compared with tiktoken: generated texts, ids and vocabularies, published and random."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import Encoding, get_encoding, use_bundled_vocabularies
from minbpe_course.reference.rank_merging import merge_by_rank
from minbpe_course.reference.unstable import completions
from tests.shared.cases import hostile_text
from tests.shared.long_run import examples
from tests.shared.small_models import ALPHABETS, ranks_of, trained

pytestmark = pytest.mark.medium

PUBLISHED = ("gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony")
BYTES = {bytes([byte]): byte for byte in range(256)}
SPECIALS = {"<|im_start|>": 100264, "<|im_end|>": 100265}

texts = st.integers(0, 2**32).map(lambda seed: hostile_text(random.Random(seed), pieces=6)) | st.text(max_size=20)
spoken = st.lists(
    texts | st.sampled_from(["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|fim_prefix|>", "<|end", "oftext|>"]),
    max_size=4,
).map("".join)


def pair_of(name: str, **arguments: Any) -> tuple[tiktoken.Encoding, Encoding]:
    return tiktoken.Encoding(name, **arguments), Encoding(name, **arguments)


def extended() -> tuple[tiktoken.Encoding, Encoding]:
    """The encoding of tiktoken's README."""
    base = tiktoken.get_encoding("cl100k_base")
    return pair_of(
        "cl100k_im",
        pat_str=base._pat_str,
        mergeable_ranks=base._mergeable_ranks,
        special_tokens={**base._special_tokens, **SPECIALS},
    )


def small(seed: int, kind: str) -> tuple[tiktoken.Encoding, Encoding]:
    """Trained, with ids far apart, or with tokens that no merge makes."""
    chance = random.Random(seed)
    ranks = ranks_of(trained(seed, ALPHABETS[seed % len(ALPHABETS)], shuffled=seed % 2 == 0))
    if kind == "holes":
        ids = sorted(chance.sample(range(100_000), len(ranks)))
        ranks = {token: ids[rank] for token, rank in ranks.items()}
    if kind == "any tokens":
        made = {bytes(chance.choices(b"ab \xc3\xa9\xe4\xb8", k=chance.randint(2, 6))) for _ in range(40)}
        order = list(BYTES)
        chance.shuffle(order)
        ranks = {token: rank for rank, token in enumerate([*order, *sorted(made)])}
    last = max(ranks.values())
    return pair_of(
        f"{kind} {seed}",
        pat_str=chance.choice([r"\S+|\s+", r"(?s).+", r" ?\w+| ?[^\w\s]+|\s", tiktoken.get_encoding("gpt2")._pat_str]),
        mergeable_ranks=ranks,
        special_tokens={"<|endoftext|>": last + 1, "<|im_start|>": last + 7} if chance.random() < 0.8 else {},
    )


@pytest.fixture(scope="module")
def every() -> dict[str, tuple[tiktoken.Encoding, Encoding]]:
    use_bundled_vocabularies()
    found = {name: (tiktoken.get_encoding(name), get_encoding(name)) for name in PUBLISHED}
    found["cl100k_im"] = extended()
    for seed in range(4):
        for kind in ("trained", "holes", "any tokens"):
            found[f"{kind} {seed}"] = small(seed, kind)
    return found


def both(every: dict[str, tuple[tiktoken.Encoding, Encoding]], data: st.DataObject) -> tuple[Any, Any]:
    return every[data.draw(st.sampled_from(sorted(every)))]


@given(st.data(), spoken)
def test_texts_in_every_way(every, data, text):
    theirs, ours = both(every, data)
    allowed = data.draw(st.sampled_from(["all", set(), {"<|endoftext|>"}, frozenset(SPECIALS), {"unknown"}]))
    disallowed = data.draw(st.sampled_from(["all", (), {"<|endoftext|>"}, ["<|im_end|>"]]))
    options = dict(allowed_special=allowed, disallowed_special=disallowed)
    try:
        wanted = theirs.encode(text, **options)
    except ValueError:
        with pytest.raises(ValueError, match="special token"):
            ours.encode(text, **options)
        with pytest.raises(ValueError, match="special token"):
            ours.encode_with_unstable(text, **options)
        return
    assert ours.encode(text, **options) == wanted
    assert ours.encode_to_numpy(text, **options).tolist() == theirs.encode_to_numpy(text, **options).tolist() == wanted
    assert ours.encode_batch([text, "", text], **options) == [wanted, [], wanted]
    assert ours.encode_ordinary(text) == theirs.encode_ordinary(text) == ours.encode(text, disallowed_special=())
    assert ours.encode_ordinary_batch([text], num_threads=1) == [theirs.encode_ordinary(text)]
    if text:
        assert ours._encode_single_piece(text) == theirs._encode_single_piece(text)
    assert ours.decode(wanted) == theirs.decode(wanted)
    assert ours.decode_with_offsets(wanted) == theirs.decode_with_offsets(wanted)


def test_surrogates_around_added_tokens_in_a_batch():
    """Two halves are one character, which may be a special token; a single one is replaced."""
    theirs, ours = pair_of("marks", pat_str=r"\S+|\s+", mergeable_ranks=BYTES, special_tokens={"😀": 300, "<|e|>": 301})
    texts = ["\ud83d\ude00", "a\ud83d\ude00\ud83d<|e|>", "é", "\ude00"]
    for allowed in ("all", {"😀"}, {"<|e|>"}):
        options = dict(allowed_special=allowed, disallowed_special=())
        wanted = theirs.encode_batch(texts, **options)
        assert ours.encode_batch(texts, **options) == wanted == [ours.encode(text, **options) for text in texts]


@given(st.data(), spoken)
def test_unstable_ends(every, data, text):
    theirs, ours = both(every, data)
    text = text[-data.draw(st.integers(1, 40)) :]
    allowed = data.draw(st.sampled_from(["all", set()]))
    stay, ways = theirs.encode_with_unstable(text, allowed_special=allowed, disallowed_special=())
    found = ours.encode_with_unstable(text, allowed_special=allowed, disallowed_special=())
    assert found == (stay, sorted(ways))


@given(st.data(), st.binary(max_size=12), texts, st.binary(max_size=6))
def test_bytes_that_are_no_utf8(every, data, before, text, behind):
    theirs, ours = both(every, data)
    whole = before + text.encode("utf-8") + behind
    whole = whole[: data.draw(st.integers(0, len(whole)))]
    ids = ours._encode_bytes(whole)
    assert ids == theirs._encode_bytes(whole)
    assert ours.decode_bytes(ids) == theirs.decode_bytes(ids)
    if whole:
        assert ours._encode_single_piece(whole) == theirs._encode_single_piece(whole)


@settings(max_examples=examples(40))
@given(st.data())
def test_ids_in_every_way(every, data):
    theirs, ours = both(every, data)
    known = st.sampled_from(sorted({*theirs._mergeable_ranks.values(), *theirs._special_token_values}))
    ids = data.draw(st.lists(known | st.integers(-2, theirs.max_token_value + 3), max_size=12))
    for name in ("decode", "decode_bytes", "decode_tokens_bytes", "decode_with_offsets"):
        assert_alike(getattr(ours, name), getattr(theirs, name), ids)
    for errors in ("ignore", "strict", "backslashreplace"):
        assert_alike(ours.decode, theirs.decode, ids, errors)
    assert_alike(ours.decode_batch, theirs.decode_batch, [ids, ids])
    assert_alike(ours.decode_bytes_batch, theirs.decode_bytes_batch, [ids])
    for token_id in ids[:3]:
        assert_alike(ours.decode_single_token_bytes, theirs.decode_single_token_bytes, token_id)
        assert ours.is_special_token(token_id) == theirs.is_special_token(token_id)
    token = data.draw(st.binary(max_size=4) | st.sampled_from(sorted(theirs._mergeable_ranks)))
    assert_alike(ours.encode_single_token, theirs.encode_single_token, token)


def assert_alike(ours: Any, theirs: Any, *given: Any) -> None:
    """Both answer the same, or ours raises an error of tiktoken's kind."""
    try:
        wanted = theirs(*given)
    except (LookupError, OverflowError, UnicodeDecodeError) as raised_by_theirs:
        error = raised_by_theirs
        with pytest.raises(type(error)) as raised:
            ours(*given)
        if isinstance(error, UnicodeDecodeError):
            assert (raised.value.start, raised.value.reason) == (error.start, error.reason)
    else:
        assert ours(*given) == wanted


def test_facts(every):
    for theirs, ours in every.values():
        for name in ("name", "max_token_value", "n_vocab", "special_tokens_set", "_special_token_values", "_pat_str"):
            assert getattr(ours, name) == getattr(theirs, name), ours
            assert type(getattr(ours, name)) is type(getattr(theirs, name)), ours
        assert ours._mergeable_ranks == theirs._mergeable_ranks
        assert repr(ours) == repr(theirs)
        assert ours.token_byte_values() == theirs.token_byte_values()
        assert_alike(lambda: ours.eot_token, lambda: theirs.eot_token)  # noqa: B023
        again = pickle.loads(pickle.dumps(ours))
        assert (again.name, again._special_tokens, again.n_vocab) == (ours.name, theirs._special_tokens, ours.n_vocab)


@settings(max_examples=examples(300))
@given(
    st.integers(0, 3), st.sampled_from(["trained", "holes", "any tokens"]), st.text("ab é中 \n", min_size=1, max_size=8)
)
def test_the_fast_way_finds_what_the_readable_one_finds(every, seed, kind, text):
    ours = every[f"{kind} {seed}"][1]
    ranks = ours._mergeable_ranks
    unstable = text.encode("utf-8")
    slow = completions(unstable, sorted(ranks), ranks, ours.encode_ordinary)
    assert ours._unstable.completions(unstable) == sorted(map(list, slow))
    assert ours._engine.merge_word(unstable) == merge_by_rank(unstable, ranks)


def test_runs_end_as_tiktokens_do(every):
    # Many tokens that reach the end of a run leave the same rest.
    theirs, ours = every["o200k_base"]
    text = "=" * 700
    stay, ways = theirs.encode_with_unstable(text)
    assert ours.encode_with_unstable(text) == (stay, sorted(ways))
