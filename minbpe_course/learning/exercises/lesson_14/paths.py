"""The best segmentation of a text, for exercises of lessons 13 and 14."""

import math


def likeliest(text, scores):
    """Return the pieces of the segmentation with the greatest sum of scores, for pieces of at most 20 letters."""
    sums, starts = [0.0], [0]
    for stop in range(1, len(text) + 1):
        reached = [(-math.inf, stop - 1)]
        for start in range(max(0, stop - 20), stop):
            if text[start:stop] in scores:
                reached.append((sums[start] + scores[text[start:stop]], start))
        total, start = max(reached)
        sums.append(total)
        starts.append(start)
    path, stop = [], len(text)
    while stop:
        path.insert(0, text[starts[stop] : stop])
        stop = starts[stop]
    return path


def turned_round(text, scores):
    """Return the pieces of the best segmentation found from the end of the text: other ones if there is a tie."""
    found = likeliest(text[::-1], {piece[::-1]: score for piece, score in scores.items()})
    return [piece[::-1] for piece in found[::-1]]
