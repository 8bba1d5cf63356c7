"""Functions that the exercises on training in lesson 07 give to learners."""


def merge(ids, pair, new_id):
    """Return ids with every occurrence of pair replaced by new_id, which is not in pair, from left to right."""
    merged = []
    for token in ids:
        if merged and (merged[-1], token) == pair:
            merged[-1] = new_id
        else:
            merged.append(token)
    return merged


def add_pairs(table, ids, count):
    """Add count to the count of each pair of neighbors."""
    for neighbors in zip(ids, ids[1:]):
        table[neighbors] = table.get(neighbors, 0) + count


def first_byte(ids, pair, sizes):
    """Return the byte of the word at which the pair begins for the first time, or -1; sizes: id -> bytes."""
    for at, found in enumerate(zip(ids, ids[1:])):
        if found == pair:
            return sum(sizes[token] for token in ids[:at])
    return -1
