"""The small language model of lesson 17: its slopes against trying, its operations against what they promise."""

from __future__ import annotations

import numpy as np
import pytest

from minbpe_course.errors import InvalidOption, InvalidSource, InvalidTokenId
from minbpe_course.reference import tiny_model
from minbpe_course.reference.tiny_model import HIDDEN, MEMORY, NOTHING, WIDTH, WINDOW, examples, new_model

IDS = 40


@pytest.fixture(scope="module")
def text() -> list[list[int]]:
    """Documents with something to learn: each id is followed by one of two. One is shorter than a window."""
    random = np.random.default_rng(5)
    long = [1]
    for _ in range(300):
        long.append(int((3 * long[-1] + random.integers(2)) % IDS))
    return [long, [7, 8], long[::-1]]


@pytest.fixture(scope="module")
def learned(text: list[list[int]]) -> tiny_model.TinyModel:
    return tiny_model.trained(new_model(IDS), examples(text), 60)


def plain_logits(model: tiny_model.TinyModel, before: list[int]) -> np.ndarray:
    """Return the prediction after these ids, computed one number at a time without any matrix product."""
    nearest = before[::-1][:MEMORY]
    rows = [model.embedding[one] for one in nearest]
    seen = [*rows[:WINDOW], *[np.zeros(WIDTH)] * (WINDOW - len(rows[:WINDOW]))]
    seen.append(sum(rows) / len(rows) if rows else np.zeros(WIDTH))
    numbers = [number for row in seen for number in row]
    columns = range(model.mixing.shape[1])
    hidden = [np.tanh(sum(n * w for n, w in zip(numbers, model.mixing[:, c])) + model.mixing_bias[c]) for c in columns]
    return np.array([sum(h * w for h, w in zip(hidden, row)) + b for row, b in zip(model.head, model.head_bias)])


def test_contexts_hold_what_stands_before_the_nearest_first(text: list[list[int]]) -> None:
    found = examples(text)
    assert found.targets.tolist() == [one for document in text for one in document]
    at = 0
    for document in text:
        for place in range(len(document)):
            wanted = document[:place][::-1][:MEMORY]
            assert found.contexts[at].tolist() == wanted + [NOTHING] * (MEMORY - len(wanted))
            at += 1


def test_the_network_is_what_it_says(text: list[list[int]], learned: tiny_model.TinyModel) -> None:
    found = examples(text)
    for place in (0, 1, 3, 47, 48, 49, 200, 301, 302):
        before = [one for one in found.contexts[place][::-1].tolist() if one != NOTHING]
        assert np.allclose(
            tiny_model.logits(learned, found.contexts[place : place + 1])[0], plain_logits(learned, before)
        )


@pytest.mark.parametrize("name", tiny_model.TinyModel._fields)
def test_every_slope_is_the_one_that_is_found_by_trying(
    name: str, text: list[list[int]], learned: tiny_model.TinyModel
) -> None:
    found = examples(text)
    places = np.r_[0:6, 100:140, 300:304]
    batch = found.contexts[places], found.targets[places]
    model = learned._replace(**{name: getattr(learned, name).copy()})
    array, slopes = getattr(model, name), getattr(tiny_model.loss_and_gradients(model, *batch)[1], name)
    assert slopes.shape == array.shape
    tried = np.random.default_rng(3).choice(array.size, min(array.size, 60), replace=False)
    for at in tried:
        losses = []
        for change in (1e-5, -2e-5):
            array.flat[at] += change
            losses.append(tiny_model.loss_and_gradients(model, *batch)[0])
        array.flat[at] += 1e-5
        assert np.isclose((losses[0] - losses[1]) / 2e-5, slopes.flat[at], rtol=1e-4, atol=1e-8), (name, at)


def test_the_loss_is_minus_the_logarithm_of_the_probability(
    text: list[list[int]], learned: tiny_model.TinyModel
) -> None:
    found = examples(text)
    probabilities = np.exp(tiny_model.log_probabilities(tiny_model.logits(learned, found.contexts)))
    assert np.allclose(probabilities.sum(axis=1), 1)
    losses = -np.log2(probabilities[np.arange(len(probabilities)), found.targets])
    assert np.allclose(tiny_model.bits(learned, found), losses)
    assert np.isclose(tiny_model.loss_and_gradients(learned, *found)[0], losses.mean() * np.log(2))
    assert np.isclose(tiny_model.bits_per_byte(learned, found, 1234), losses.sum() / 1234)


def test_it_learns_and_the_seed_decides_everything(text: list[list[int]]) -> None:
    found, start = examples(text), new_model(IDS, seed=2)
    before = [array.copy() for array in start]
    first, second, other = (tiny_model.trained(start, found, 40, seed=seed) for seed in (1, 1, 2))
    assert all(map(np.array_equal, first, second))
    assert not np.array_equal(first.head, other.head)
    assert all(map(np.array_equal, start, before)), "the model that was given has changed"
    assert tiny_model.bits(first, found).mean() < 0.8 * tiny_model.bits(start, found).mean()


def test_what_is_frozen_stays_the_same_number(text: list[list[int]], learned: tiny_model.TinyModel) -> None:
    rows = {"embedding": slice(30, None), "head_bias": [3, 5]}
    after = tiny_model.trained(learned, examples(text), 5, only=rows)
    assert after.mixing is learned.mixing
    assert np.array_equal(after.embedding[:30], learned.embedding[:30])
    assert not np.array_equal(after.embedding[30:], learned.embedding[30:])
    assert set(np.flatnonzero(after.head_bias != learned.head_bias)) == {3, 5}


def test_training_is_followed_at_the_places_asked_for(text: list[list[int]]) -> None:
    found = examples(text)
    model, measured = tiny_model.followed(new_model(IDS), found, (0, 2, 5), lambda m: float(m.head.sum()))
    assert len(set(measured)) == 3
    assert (measured[0], measured[2]) == (float(new_model(IDS).head.sum()), float(model.head.sum()))
    assert all(map(np.array_equal, model, tiny_model.trained(new_model(IDS), found, 5)))


# ----------------------------------------------------------------------------------------------------
# Operations


def test_new_rows_are_means_and_a_single_name_is_a_copy(learned: tiny_model.TinyModel) -> None:
    new = tiny_model.rebuilt(learned, [[4], [4, 9, 9], range(IDS)])
    for name in ("embedding", "head", "head_bias"):
        old, rows = getattr(learned, name), getattr(new, name)
        assert np.array_equal(rows[0], old[4])
        assert np.allclose(rows[1], (old[4] + 2 * old[9]) / 3)
        assert np.allclose(rows[2], old.mean(axis=0))
    assert new.mixing is learned.mixing


def test_an_extended_model_begins_with_the_old_one(learned: tiny_model.TinyModel, text: list[list[int]]) -> None:
    for longer in (
        tiny_model.extended(learned, 3),
        tiny_model.extended(learned, like=[[1], [2, 3], [4]]),
        tiny_model.with_random_rows(learned, 3, 0.5, seed=1),
    ):
        assert longer.parameters == learned.parameters + 3 * (WIDTH + HIDDEN + 1)
        back = tiny_model.rebuilt(longer, [[one] for one in range(IDS)])
        assert all(map(np.array_equal, back, learned))
        assert tiny_model.bits(longer, examples([*text, [IDS, IDS + 2]])).shape == (606,)


def test_a_gist_is_one_row_that_comes_nearer(learned: tiny_model.TinyModel, text: list[list[int]]) -> None:
    longer, prompt = tiny_model.extended(learned, 1), text[0][100:130]
    documents = [text[0][at : at + 8] for at in range(0, 80, 8)]
    wanted, got = (tiny_model.examples_after(before, documents).contexts for before in (prompt, [IDS]))
    after = tiny_model.learned_gist(longer, IDS, wanted, got, steps=40)
    assert np.array_equal(after.embedding[:IDS], learned.embedding)
    assert after.head is longer.head
    lost = [tiny_model.lost_bits(model, wanted, got) for model in (longer, after)]
    assert min(map(np.min, lost)) >= -1e-12
    assert lost[1].mean() < 0.8 * lost[0].mean()
    assert np.allclose(tiny_model.lost_bits(longer, wanted, wanted), 0)


def test_a_row_enters_the_hidden_layer_as_around_says(learned: tiny_model.TinyModel) -> None:
    contexts = examples([[3, 7, 7, 1, 7, *range(20), 7], [5]]).contexts
    others, weights = tiny_model.around(learned, 7, contexts)
    row = np.linspace(-1, 1, WIDTH)
    embedding = learned.embedding.copy()
    embedding[7] = row
    wanted = tiny_model.run(learned._replace(embedding=embedding), contexts).hidden
    assert np.allclose(np.tanh(others + row @ weights), wanted)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda m: tiny_model.logits(m, examples([[IDS, 1]]).contexts), InvalidTokenId, "extended(model, 1)"),
        (lambda m: tiny_model.loss_and_gradients(m, *examples([[1, -2]])), InvalidTokenId, "begin with 0"),
        (lambda m: tiny_model.spelled(b"ab", {b"a": 0}), InvalidOption, "b'b'"),
        (lambda m: tiny_model.rebuilt(m, [[1], []]), InvalidOption, "sources[1]"),
        (lambda m: tiny_model.rebuilt(m, [[IDS]]), InvalidTokenId, "0 to 39"),
        (lambda m: tiny_model.rebuilt(m, [[-1]]), InvalidTokenId, "sources[0]"),
        (lambda m: examples([[], []]), InvalidSource, "examples("),
    ],
)
def test_bad_input_is_named(call, error, said, learned: tiny_model.TinyModel) -> None:
    with pytest.raises(error) as caught:
        call(learned)
    assert said in str(caught.value)
