"""Random words with counts, for the exercises of lesson 02."""

# From the fourth on, not only ASCII: letters that share their first byte, an emoji of seven code points, broken UTF-8.
SCRIPTS = ("ab", "abc", "lower ", "aαβ", "éèê", "日本語", "👩‍👩‍👧‍👦", "\udcff\udcfea")


def drawn_words(random, number, longest, letters, most):
    """Return up to ``number`` words made of ``letters``, each with a count from 1 to ``most``.

    >>> from random import Random
    >>> drawn_words(Random(0), 2, 3, "ab", 9)
    {b'ba': 5, b'abb': 8}
    """
    words = {}
    for _ in range(number):
        word = "".join(random.choices(letters, k=random.randint(1, longest)))
        words[word.encode("utf-8", "surrogateescape")] = random.randint(1, most)
    return words
