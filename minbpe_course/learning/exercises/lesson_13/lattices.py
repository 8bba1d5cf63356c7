"""Scored pieces, the ways to cut a word into them, and words to cut: shared by exercises of lesson 13."""

import math

from minbpe_course.learning.judge.exercise import Case


def _pieces(random, text, number):
    """Return the characters of a text and some longer parts of it, without repetition, in random order."""
    cuts = {text[at : at + size] for at in range(len(text)) for size in (2, 3, 4) if at + size <= len(text)}
    pieces = [*set(text), *random.sample(sorted(cuts), min(number, len(cuts)))]
    return random.sample(sorted(pieces), len(pieces))


def likeliest(text, scores, *, later=False):
    """Return the best cut; of equal sums the one that is found first, or the last one.

    >>> likeliest("ab", {"a": -1.0, "b": -1.0, "ab": -1.5})
    ['ab']
    """
    best, came = [0.0] + [-math.inf] * len(text), [0] * (len(text) + 1)
    for end in range(1, len(text) + 1):
        for begin in reversed(range(end)):
            total = best[begin] + scores.get(text[begin:end], -math.inf)
            if total > best[end] or (later and total == best[end]):
                best[end], came[end] = total, begin
    path, place = [], len(text)
    while place:
        path.append(text[came[place] : place])
        place = came[place]
    return path[::-1]


def drawn_word(random, length):
    """Return a word, and scores of pieces that can spell it: its characters and some parts of it."""
    word = "▁" + "".join(random.choices(random.choice(("ab", "abc", "é中", "e\u0301🙂", "a")), k=length - 1))
    return word, {
        piece: -random.randint(1 << 10, 12 << 10) / (1 << 11) for piece in _pieces(random, word, 3 + length // 2)
    }


def cases_against(exercise, names, draw):
    """Draw arguments in each category until each of these mistakes has failed on four of them; return short ones first.

    names : category -> the mistakes that must fail on its cases.
    """
    likes = {mistake.name: mistake.like for mistake in exercise.mistakes}
    found = []
    for category, mistakes in names.items():
        for name in mistakes:
            missing = 4
            while missing:
                args = draw(category)
                if likes[name](*args) != exercise.answer(*args):
                    missing -= 1
                    found.append(Case(category, args))
    return sorted(found, key=lambda case: len(str(case.args)))
