"""Parts of the random texts that several exercises of lesson 03 use.

Only characters whose class has not changed for many years are drawn, so every version of Python and of ``regex`` agrees
about them.
"""

import itertools

WORDS = ("We", " saw", " three", " dogs", "the", " cat", " né", " Ärger", "дом", " 中文", " x", "I")


SIGNS = (".", ",", "!", "?", " (", ")", " =", " -", "…", " €", "¡", "😀")


ENDINGS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")


def cases_by_category(random, parts, sizes):
    """Yield, for each size, one case of each category: a text made of ``size`` of its parts.

    parts : category -> its parts, separated by "|".

    >>> from random import Random
    >>> [text for _, text in cases_by_category(Random(0), {"letters": "a", "digits": "1"}, (1, 2))]
    ['a', '1', 'aa', '11']
    """
    # Like dealing cards: with more draws than parts, every part occurs.
    packs = {}
    for category, listed in parts.items():
        pack = listed.split("|")
        random.shuffle(pack)
        packs[category] = itertools.cycle(pack)
    for size in sizes:
        for category, pack in packs.items():
            yield category, "".join(itertools.islice(pack, size))
