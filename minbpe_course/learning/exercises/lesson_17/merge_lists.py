"""Lists of merges, which several exercises of lesson 17 share: the n-th pair (from 0) makes the id 256 + n."""

AB_XX_ABC = [(97, 98), (120, 120), (256, 99)]
XX_AB_ABC_YY_ABCAB = [(120, 120), (97, 98), (257, 99), (121, 121), (258, 257)]


def ranks_of(merges):
    """Return pair -> id."""
    return {(pair[0], pair[1]): 256 + place for place, pair in enumerate(merges)}


def random_merges(random, number):
    """Return different merges that build on each other."""
    merges = []
    while len(merges) < number:
        known = [*b"abc", *range(256, 256 + len(merges))]
        pair = tuple(random.choices(known, [1 if one < 256 else 2 for one in known], k=2))
        if pair not in merges:
            merges.append(pair)
    return merges
