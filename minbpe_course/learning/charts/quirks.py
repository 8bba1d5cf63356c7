"""The kinds of cuts of numbers in the map of lesson 16."""

from __future__ import annotations

from collections.abc import Sequence

CUTS = ("one token", "three digits, then one", "two digits first", "one digit first", "three tokens or more")


def kind_of_cut(lengths: Sequence[int]) -> str:
    """Name how a number is cut, from the lengths of its tokens.

    >>> kind_of_cut([4]), kind_of_cut([1, 3]), kind_of_cut([1, 1, 1])
    ('one token', 'one digit first', 'three tokens or more')
    """
    if len(lengths) == 1:
        return "one token"
    if len(lengths) > 2:
        return "three tokens or more"
    return {1: "one digit first", 2: "two digits first"}.get(lengths[0], "three digits, then one")
