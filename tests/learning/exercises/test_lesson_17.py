"""Compare three answers with their definition, or with the package's small model."""

from __future__ import annotations

import numpy as np

from minbpe_course.learning.exercises.lesson_17 import gist_gradient, pruning_order, transplant
from minbpe_course.reference import tiny_model
from tests.shared.lesson_code import cases_under


def test_every_order_is_possible_and_takes_the_rarest() -> None:
    for case in cases_under(8, "17.pruning_order"):
        merges, counts = case.args
        left, counted = dict(enumerate(merges, 256)), dict(counts)
        for goes in pruning_order.pruning_order(merges, counts):
            can = [token for token in left if not any(token in pair for pair in left.values())]
            assert (counted[goes], -goes) == min((counted[token], -token) for token in can)
            for half in left.pop(goes):
                if half > 255:
                    counted[half] += counted[goes]
        assert not left


def test_a_transplanted_table_is_the_one_of_a_rebuilt_model() -> None:
    old = {token: number for number, token in enumerate([b"a", b"b", b"ab", b"abb", b"ba"])}
    new = [b"abba", b"ab", b"bab", b"b", b"aabbab"]
    model = tiny_model.new_model(len(old))
    rebuilt = tiny_model.rebuilt(model, [tiny_model.spelled(token, old) for token in new])
    assert np.allclose(transplant.transplant(model.head.tolist(), old, new), rebuilt.head)


def test_the_gradient_of_the_gist_is_that_of_the_whole_network() -> None:
    model = tiny_model.new_model(12, seed=4)
    contexts = tiny_model.examples([[7, 1, 7, 3, 4], [7, 7, 2]]).contexts
    found = tiny_model.run(model, contexts)
    wanted = np.random.default_rng(1).dirichlet(np.ones(12), len(contexts))
    surplus = np.exp(tiny_model.log_probabilities(found.logits)) - wanted
    slopes = tiny_model.backwards(model, found, surplus / len(wanted)).embedding[7]
    parts = tiny_model.around(model, 7, contexts)
    given = model.embedding[7], *parts, model.head, model.head_bias, wanted
    assert np.allclose(gist_gradient.gist_gradient(*given), slopes)
