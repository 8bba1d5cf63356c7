"""Exercise 13.best_path: the segmentation that sentencepiece chooses. Sums are float32; the first of equal sums stays.

An answer that forgets one rule is right for most texts. So texts are drawn until each known mistake fails on some of
them, under every seed.
"""

import struct

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_13.lattices import cases_against, drawn_pieces


def float32(number):
    """Return the nearest number that fits in 32 bits."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def best_path(text, scores):
    """Return the pieces of the best segmentation of a text, a list of str.

    In the lesson, arcs, the Viterbi algorithm, unknown characters and rounding were apart. Here they come together in
    one function, without a list of arcs. It must agree with sentencepiece down to the last tie.

    * **In:** `text`, a str; `scores`, a dict from piece to score, never empty.
    * **Out:** the list of pieces of the best segmentation, from left to right; joined, they are the text.
    * Go through the positions from left to right. For each position, keep the best sum up to there. A piece that begins
      there offers `float32(that sum + its score)` to the position where it ends. An offer replaces the sum there only
      if it is **greater**: of equal sums, the first one stays.
    * Wherever the character itself is not a piece, it makes an offer, too, as unknown, even if longer pieces begin
      there. Its score is `float32(lowest - 10)`, where `lowest` is the lowest of all scores.

    | text | scores | best segmentation |
    |---|---|---|
    | `abc` | a -1, b -2, c -1.5, ab -2.5, bc -3 | `a`, `bc`: -4, like `ab`, `c`; but `bc` offers first |
    | `aaa` | a -1, aa -2 | `a`, `aa`: `aa` offers from position 1, before `a` from position 2 |
    | `ab` | ab -5, b -1 | `ab`: an unknown `a` would cost 15 |

    The check tries scores that differ, equal sums, sums that are rounded, characters that are not pieces, and an empty
    text.
    """
    widest = max(len(piece) for piece in scores)
    unknown = float32(min(scores.values()) - 10)
    sums, begins = {0: 0.0}, {}
    for at in range(len(text)):
        stretches = {text[at:end] for end in range(at + 1, min(at + widest, len(text)) + 1)}
        offers = {piece: scores[piece] for piece in stretches if piece in scores}
        offers.setdefault(text[at], unknown)
        for piece, score in offers.items():
            total, end = float32(sums[at] + score), at + len(piece)
            if end not in sums or total > sums[end]:
                sums[end], begins[end] = total, at
    pieces, end = [], len(text)
    while end > 0:
        pieces.insert(0, text[begins[end] : end])
        end = begins[end]
    return pieces


PLAIN, TIED, ROUNDED, UNKNOWN = (
    "scores that differ",
    "equal sums",
    "sums that float32 rounds",
    "characters that are not pieces",
)


def _stuck_at_unknown(case, outcome, wanted):
    """Tell whether an answer found no way past an unknown character: nothing, or several characters at once."""
    text, scores = case.args
    found = outcome.value if isinstance(outcome.value, (list, tuple)) else []
    joined = any(isinstance(piece, str) and len(piece) > 1 and piece not in scores for piece in found)
    return not {*text} <= {*scores} and (joined or not found)


NOT_REACHED = "sums[at]", "sums.get(at, -1e9)"


def path_cases(random):
    """Yield texts with scored pieces, short ones first, until each mistake has failed several times."""
    yield "empty text", "", {"a": -1.0}
    yield UNKNOWN, "ab", {"b": -1.0}
    yield UNKNOWN, "ab", {"ab": -17.0, "b": -5.0}
    yield UNKNOWN, "abc", {"ab": -2.0, "bc": -1.0}
    tempting = {
        PLAIN: ("longest-first", "best-next", "fewest-pieces", "lowest-sum"),
        TIED: ("later-of-equals",),
        ROUNDED: ("float64",),
        UNKNOWN: ("unknown-as-the-lowest", "unknown-as-minus-ten", "highest", "unknown-only-where-nothing-fits"),
    }
    yield from cases_against(EXERCISE, tempting, lambda category: _drawn(random, category))


def _drawn(random, category):
    letters = random.choice(("ab", "abc", "▁ab", "é中", "9", "e\u0301🙂"))
    length = random.randint(30, 70) if category == ROUNDED else random.randint(3, 12)
    text = "".join(random.choices(letters, k=length))
    pieces = drawn_pieces(random, text, random.randint(3, 8))
    if category == UNKNOWN:
        gone = random.choice(sorted(set(text)))
        pieces = [piece for piece in pieces if piece != gone] or [gone * 2]
    if category == TIED:
        return text, {piece: -float(random.randint(1, 2) * len(piece)) for piece in pieces}
    # A small step between scores makes equal sums likely where they are not rounded, and unequal ones where they are.
    scores = {piece: float32(-0.1 * len(piece) * random.randint(20, 24)) for piece in pieces}
    return text, scores if category == ROUNDED else {piece: float32(-random.uniform(1, 12)) for piece in pieces}


EXERCISE = Exercise(
    "13.best_path",
    "The whole search in one function",
    "match",
    answer=best_path,
    picture="""
from minbpe_course.learning.charts.pieces import draw_lattice

scored = {(0, 1): -1.0, (1, 2): -2.0, (2, 3): -1.5, (0, 2): -2.5, (1, 3): -3.0}
draw_lattice("abc", scored, [(0, 1), (1, 3)], "Both segmentations sum to -4.0: bc offers first")
""",
    difficulty=4,
    minutes=30,
    points=4,
    hints=(
        "Keep two lists: the best sum up to each position, and where the last piece on the way there begins. Nothing "
        "else about the past matters.",
        "Lesson 13, on the best segmentation: the walk from left to right that keeps the best sum to each position, "
        "and the penalty for an unknown character.",
        "for each start from left to right, for each piece there: total = float32(best[start] + score); if the end has "
        "no sum yet, or total > its sum: replace sum and start. The character itself is not a piece? The same with it "
        "and float32(lowest - 10). Finally go back from the end, and reverse the list",
    ),
    shown=(
        (PLAIN, "abc", {"a": -1.0, "b": -2.0, "c": -1.5, "ab": -2.5, "bc": -3.0}),
        (TIED, "aaa", {"a": -1.0, "aa": -2.0}),
        (UNKNOWN, "a?b", {"a": -1.0, "b": -1.0, "?b": -20.0}),
        (UNKNOWN, "ab", {"ab": -5.0, "b": -1.0}),
        (ROUNDED, "9" * 40, {"9" * length: float32(-2.3 * length) for length in (1, 2, 3)}),
    ),
    drawn=path_cases,
    mistakes=(
        Mistake(
            "later-of-equals",
            "Equal sums: the one found first stays. Do you replace on > or on >=?",
            like=("total > sums", "total >= sums"),
        ),
        Mistake(
            "float64",
            "Your sums are more exact than sentencepiece's. Round with float32 after every addition.",
            like=("float32(sums[at] + score)", "sums[at] + score"),
        ),
        Mistake(
            "not-turned-round",
            "You find the segmentation from its end to its beginning: reverse the list.",
            like=("return pieces", "return pieces[::-1]"),
        ),
        Mistake(
            "unknown-as-the-lowest",
            "A character that is not a piece costs more than any piece: the lowest score, minus 10.",
            like=(" - 10)", ")"),
        ),
        Mistake(
            "unknown-as-minus-ten",
            "The 10 is subtracted from the lowest score of any piece; here pieces have scores below -10, too.",
            like=("min(scores.values()) - 10", "-10"),
        ),
        Mistake(
            "highest",
            "`lowest` is the lowest of all scores. An unknown character costs more than any piece.",
            like=("min(scores.values())", "max(scores.values())"),
        ),
        Mistake(
            "unknown-only-where-nothing-fits",
            "An unknown character is possible wherever no piece of *one* character begins, even if a longer piece "
            "begins there.",
            like=(
                ("offers.setdefault(text[at], unknown)", "offers = offers or {text[at]: unknown}"),
                NOT_REACHED,
            ),
        ),
        Mistake(
            "without-unknown",
            "You cannot get past a character that is not a piece. It may be taken alone, as unknown.",
            like=("offers.setdefault(text[at], unknown)", "pass"),
            when=_stuck_at_unknown,
        ),
        Mistake(
            "longest-first",
            "That is longest match: another tokenizer. The sum of the scores decides.",
            like=(("offers.items()", "[max(offers.items(), key=lambda offer: len(offer[0]))]"), NOT_REACHED),
        ),
        Mistake(
            "best-next",
            "The best piece at each position does not give the best sum: a piece that costs more now may save later.",
            like=(
                ("offers.items()", "[max(offers.items(), key=lambda offer: (offer[1], -len(offer[0])))]"),
                NOT_REACHED,
            ),
        ),
        Mistake(
            "fewest-pieces",
            "That is the segmentation with the fewest pieces. The sum of the scores decides.",
            like=("{piece: scores[piece] for", "{piece: -1.0 for"),
        ),
        Mistake(
            "lowest-sum",
            "Scores are logarithms of probabilities, so they are negative: the greatest sum is the best.",
            like=("total > sums", "total < sums"),
        ),
    ),
)
