"""Scored pieces, words to split, and cases against mistakes: shared by the exercises of several lessons."""

from minbpe_course.learning import Case


def drawn_pieces(random, text, number):
    """Return the characters of a text and some longer parts of it, without repetition, in random order."""
    cuts = {text[at : at + size] for at in range(len(text)) for size in (2, 3, 4) if at + size <= len(text)}
    pieces = [*set(text), *random.sample(sorted(cuts), min(number, len(cuts)))]
    return random.sample(sorted(pieces), len(pieces))


def drawn_word(random, length):
    """Return a word, and scores of pieces that can spell it: its characters and some parts of it."""
    word = "▁" + "".join(random.choices(random.choice(("ab", "abc", "é中", "e\u0301🙂", "a")), k=length - 1))
    return word, {
        piece: -random.randint(1 << 10, 12 << 10) / (1 << 11) for piece in drawn_pieces(random, word, 3 + length // 2)
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
