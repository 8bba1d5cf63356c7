"""Exercise 16.rank_untrained: find the tokens that a model has never seen, from its output rows alone.

The models are small and trained here, so the truth is known: a text of random words with favourites, a bigram model
with a row of numbers for each token at either end, and gradient descent on the whole text. They begin with rows of
different lengths, so an indicator that suits one of them may fail for the next.
"""

import numpy as np

from minbpe_course.learning.judge.equality import shown
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, breaks


def rank_untrained(rows, unused):
    """Return all ids that are not known to be unused, the most suspicious first.

    You have the output rows of a model, one for each token, and some ids that it cannot have seen, such as the bytes
    that never occur in UTF-8. Which other tokens has it never seen?

    * **In:** `rows`, a list of lists of float, all of the same length; `unused`, a list of ids, at least one.
    * **Out:** a list of all other ids, each once, the most suspicious first.

    We measure the **average precision** over six models that were really trained: for each token that the model never
    saw, take the share of never-seen tokens among all up to and including it in your list; average these shares, in
    percent. A list that begins with exactly those tokens scores 100. 96 earns 4 points, 50 earns 2. Three of the models
    began with very short rows, three with long ones.

    A good answer to `rank_untrained([[0.1, 0.2], [1.5, -1.0], [0.2, 0.1], [-1.0, 2.0]], [0])` probably begins with 2.
    """
    table = np.array(rows)
    typical = table[unused].mean(axis=0)
    far = np.square(table - typical).sum(axis=1)
    return [int(one) for one in np.argsort(far, kind="stable") if one not in unused]


def trained_model(random, scale):
    """Return how often each of 90 tokens was seen, and the trained output rows, six numbers for each token."""
    spoken = random.sample(range(90), 67)
    weights = [1 / rank for rank in range(1, len(spoken) + 1)]
    followers = {token: random.sample(spoken, 4) for token in spoken}
    ids = [spoken[0]]
    while len(ids) < 1_200:
        ids.append(random.choice(followers[ids[-1]]) if random.random() < 0.5 else random.choices(spoken, weights)[0])
    counts = np.zeros((90, 90))
    np.add.at(counts, (ids[:-1], ids[1:]), 1)

    before, after = np.array([random.gauss(0, scale) for _ in range(1_080)]).reshape(2, 90, 6)
    for _ in range(50):
        scores = before @ after.T
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        error = (chances * counts.sum(axis=1, keepdims=True) - counts) / len(ids)
        before, after = before - 20 * error @ after, after - 20 * error.T @ before
    return np.bincount(ids, minlength=90), after


def model_cases(random):
    """Yield the models that are measured: some unused ids are given, the others held."""
    for scale in (0.05, 0.05, 3.0, 3.0, 0.05, 3.0):  # how far the rows lie from the origin before training
        seen, rows = trained_model(random, scale)
        never = [token for token in range(90) if not seen[token]]
        unused = sorted(random.sample(never, len(never) // 4))
        yield Case("a trained model", (rows.round(4).tolist(), unused), held={*never} - {*unused})


def complaint(case, answer):
    """Return None if every id that is not known to be unused is named once, else what is wrong.

    >>> case = Case("", ([[1.0], [2.0], [3.0]], [1]))
    >>> complaint(case, [2, 0]) is None, complaint(case, [2])
    (True, 'id 0 is missing')
    """
    rows, unused = case.args
    wanted = set(range(len(rows))) - set(unused)
    if not isinstance(answer, (list, tuple)) or not all(type(one) is int for one in answer):
        return "a list of ids, each an int"
    for one in answer:
        if one not in wanted:
            named = "is known to be unused" if one in unused else "is no row"
            return f"id {shown(one, 40)} {named}; leave it out"
    missing = wanted - set(answer)
    if missing:
        return f"id {min(missing)} is missing"
    return None if len(answer) == len(wanted) else "an id is named twice"


def average_precision(order, wanted):
    """Return the mean, over the wanted ids, of the share of wanted ids up to each: 1 if all of them come first.

    >>> average_precision([4, 2, 7], {4, 7})
    0.8333333333333333
    """
    right = np.array([one in wanted for one in order])
    return float((right * right.cumsum() / np.arange(1, len(right) + 1)).sum() / len(wanted))


def measured(cases, answers):
    """Return the average precision over all models, in percent, without a complaint."""
    found = [average_precision(answer, case.held) for case, answer in zip(cases, answers) if case.held]
    return 100 * sum(found) / len(found), None


EXERCISE = Exercise(
    "16.rank_untrained",
    "Fishing",
    "design",
    answer=rank_untrained,
    difficulty=5,
    minutes=40,
    points=4,
    hints=(
        "Tokens that were never the right answer have all been pushed in the same direction. You know some of them for "
        "sure: what do their rows look like, and which rows are near them?",
        "Lesson 16, on SolidGoldMagikarp. The angle ignores how long a row is. When does that hurt?",
        "take the mean of the rows that are known to be unused; the nearer another row is to it, the more suspicious "
        "it is; compare length, angle and distance on models that began with short and with long rows",
    ),
    accept=complaint,
    shown=(("rows that were made up", [[0.1, 0.2], [1.5, -1.0], [0.2, 0.1], [-1.0, 2.0]], [0]),),
    drawn=model_cases,
    mistakes=(
        Mistake(
            "names-the-unused",
            "The ids that are known to be unused are not a discovery. Rank the others.",
            when=breaks(complaint, "known to be unused"),
        ),
        Mistake(
            "leaves-some-out",
            "Rank *all* other ids, including those that you think are well trained: they come last.",
            when=breaks(complaint, "is missing"),
        ),
    ),
    measure=measured,
    levels=((96.0, 4), (50.0, 2)),
    smaller_is_better=False,
    unit="percent average precision",
)
