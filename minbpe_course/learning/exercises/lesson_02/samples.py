"""Random texts for the exercises of lesson 02."""

# From the fourth on, not only ASCII: letters that share their first byte, an emoji of seven code points, broken UTF-8.
SCRIPTS = ("ab", "abc", "lower ", "aαβ", "éèê", "日本語", "👩‍👩‍👧‍👦", "\udcff\udcfea")


def draw_text(random, letters, length):
    """Return the bytes of a text of ``length`` letters.

    >>> from random import Random
    >>> draw_text(Random(0), "ab", 3)
    b'bba'
    """
    return "".join(random.choices(letters, k=length)).encode("utf-8", "surrogateescape")
