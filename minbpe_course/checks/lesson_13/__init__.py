"""The exercises of lesson 13: a vocabulary changes, and the model and the ids with it.

    byte_loss, with_new_rows         bits per byte, and rows for tokens that are new
    drop_merges, pruning_order       merges that go: new ids for those that stay, and who can go when
    test_prune                       is a pruning right?
    choose_merges                    which merges should stay

Cases and known wrong answers stand in ``rows``, ``dropping``, ``prunings`` and ``choosing``.
"""

from __future__ import annotations

import math

from minbpe_course.checks.exercise import Case, Exercise, Mistake
from minbpe_course.checks.lesson_13 import choosing, dropping, prunings, rows

_AB_XX_ABC = [(97, 98), (120, 120), (256, 99)]

EXERCISES = (
    Exercise(
        key="13.byte_loss",
        title="Bits per byte",
        kind="fill",
        entry="byte_loss",
        difficulty=1,
        minutes=5,
        points=1,
        hints=(
            "A token that got the share 1/2 costs one bit, one that got 1/8 costs three. Which bytes share the bill?",
            "add up -log2(share) for all tokens; divide by the number of bytes of the text in UTF-8",
            "Lesson 13, section 2: the bits of the whole text, and what they are divided by.",
        ),
        wanted=rows.bits_per_byte,
        shown=(
            Case(rows.ASCII, ([0.5, 0.125], "low!")),
            Case(rows.LONGER_CHARACTERS, ([0.25, 0.5], "é♞")),
        ),
        drawn=rows.loss_cases,
        mistakes=(
            Mistake(
                "per-token",
                "That is a mean over tokens, and no two vocabularies can be compared by it. Whose number is the same "
                "for every vocabulary?",
                like=lambda shares, text: sum(-math.log2(share) for share in shares) / len(shares),
            ),
            Mistake(
                "per-character",
                "These are bits per character. `é` is one character and two bytes.",
                like=lambda shares, text: sum(-math.log2(share) for share in shares) / len(text),
            ),
            Mistake(
                "nats",
                "This is the natural logarithm; bits are counted by the logarithm to base 2.",
                like=lambda shares, text: rows.bits_per_byte(shares, text) * math.log(2),
            ),
            Mistake(
                "negative",
                "A share is at most 1, so its logarithm is at most 0. A surprise is not negative.",
                like=lambda shares, text: -rows.bits_per_byte(shares, text),
            ),
        ),
    ),
    Exercise(
        key="13.with_new_rows",
        title="Rows for new tokens",
        kind="write",
        entry="with_new_rows",
        difficulty=2,
        minutes=15,
        points=2,
        hints=(
            "Every new row is a mean, number by number, of rows of the old table. Of which, when nobody is named?",
            "the new table begins with all rows of the old one; for every source: the rows that it names, or all of "
            "the old table if it names none; of each column the sum, divided by the number of rows",
            "Lesson 13, section 4: four starts. `tiny_model.rebuilt` does it for a whole model.",
        ),
        wanted=rows.with_new_rows,
        keeps_input=True,
        packages=("numpy",),
        shown=(
            Case(rows.MEANS, ([[0.0, 2.0], [4.0, 4.0]], [[0, 1]])),
            Case(rows.UNKNOWN, ([[0.0, 2.0], [4.0, 4.0], [8.0, 0.0]], [[2], [], []])),
            Case(rows.MEANS, ([[3.0], [9.0]], [[0, 0, 1]])),
        ),
        drawn=rows.row_cases,
        mistakes=(
            Mistake("only-the-new", "The old rows belong to the table, too, and come first.", like=rows.only_the_new),
            Mistake("sums", "These are sums. A mean is divided by how many there are.", like=rows.summed),
            Mistake(
                "named-once",
                "A row that a source names twice counts twice: the token is spelled with it twice.",
                like=rows.named_once,
            ),
            Mistake(
                "zeros",
                "Zeros are a logit of 0, which may be far above all others. Who names nobody gets the mean of all.",
                like=rows.zeros_for_nobody,
            ),
            Mistake(
                "mean-of-the-new",
                "The mean of all is the mean of all *old* rows; those that were just added have learned nothing.",
                like=rows.means_of_means,
            ),
        ),
    ),
    Exercise(
        key="13.drop_merges",
        title="Gone, and nobody was told",
        kind="repair",
        entry="drop_merges",
        difficulty=3,
        minutes=15,
        points=3,
        hints=(
            "Merge 257 goes. What was 258 is the second merge now. Who still says 258?",
            "keep a dict from old to new ids; a merge that stays gets 256 + the number of those kept before it; both "
            "halves of its pair are looked up in the dict, bytes are not in it and stay what they are",
            "Lesson 13, section 6: `pruning.pruned` numbers what stays without gaps.",
        ),
        wanted=dropping.drop_merges,
        planted=dropping.keeps_the_old_names,
        shown=(
            Case(dropping.MIXED, (_AB_XX_ABC, [257])),
            Case(dropping.FIRST, ([(120, 120), (97, 98), (257, 99), (257, 258)], [256])),
            Case(dropping.MIXED, ([(120, 120), (97, 98), (257, 99), (121, 121), (258, 257)], [259, 256])),
        ),
        drawn=dropping.drop_cases,
        mistakes=(
            Mistake(
                "all-alike",
                "Not every id moves by the same number of places: only the merges that go *before* it count.",
                like=dropping.moves_all_alike,
            ),
            Mistake("bytes-moved", "Ids below 256 are bytes, and those never move.", like=dropping.moves_bytes_too),
            Mistake("left-only", "Both halves of a pair can be merges.", like=dropping.moves_the_left_only),
        ),
    ),
    Exercise(
        key="13.pruning_order",
        title="From the outside in",
        kind="match",
        entry="pruning_order",
        difficulty=4,
        minutes=30,
        points=4,
        hints=(
            "Which merges can go at all right now? Choose among those only, and look again after each.",
            "while merges are left: needed = all halves of those that are left; of the ids that are not needed take "
            "the one with the smallest count, of equal ones the largest id; it goes, and its count is added to the "
            "count of its left half and to that of its right half, where those are merges",
            "Lesson 13, section 6: `·ab` and `·about`, and `pruning.rarest_first`.",
        ),
        wanted=dropping.pruning_order,
        shown=(
            Case(dropping.NEEDED, (_AB_XX_ABC, {256: 0, 257: 5, 258: 7})),
            Case(dropping.HANDED_DOWN, (_AB_XX_ABC, {256: 2, 257: 3, 258: 2})),
            Case(
                dropping.HANDED_DOWN, ([(97, 98), (99, 99), (256, 257), (120, 120)], {256: 5, 257: 1, 258: 2, 259: 6})
            ),
            Case(dropping.TIES, ([(97, 98), (99, 99)], {256: 4, 257: 4})),
        ),
        drawn=dropping.order_cases,
        mistakes=(
            Mistake(
                "needed",
                "The rarest first, but here one goes while another still needs it: that other one can never be made "
                "again.",
                like=dropping.by_count_alone,
            ),
            Mistake(
                "nothing-handed-down",
                "Where a token goes, its two halves stand in its place, so they become more frequent.",
                like=dropping.hands_nothing_down,
            ),
            Mistake(
                "left-inherits",
                "Both halves stand in the place of a token that goes, the right one, too.",
                like=dropping.hands_down_to_the_left,
            ),
            Mistake("ties", "Of equal counts the larger id goes first.", like=dropping.earlier_goes_first),
            Mistake(
                "newest-first",
                "That order is always possible, but it does not look at the counts.",
                like=dropping.newest_first,
            ),
        ),
    ),
    Exercise(
        key="13.test_prune",
        title="Is it pruned right?",
        kind="test",
        entry="test_prune",
        difficulty=3,
        minutes=20,
        points=3,
        hints=(
            "Two things are promised: what is returned, and when ValueError is raised. For each of them: what could be "
            "forgotten, and on which merges would it show?",
            "write prune yourself, inside the test; take a vocabulary of six merges or so, in which both halves of a "
            "merge are merges, and try all sets of ids: either both raise, or both return the same list; give prune a "
            "copy, and look whether the copy has changed",
            "Lesson 13, section 6, and the exercise `13.drop_merges`: its bug is one of the eleven.",
        ),
        subject="prune",
        right=prunings.RIGHT,
        mutants=prunings.MUTANTS,
    ),
    Exercise(
        key="13.choose_merges",
        title="Which merges should stay?",
        kind="design",
        entry="choose_merges",
        difficulty=5,
        minutes=40,
        points=4,
        hints=(
            "Encode the words with all merges and count what comes out. Which merges does this language use, and what "
            "else must stay, so that those can be made?",
            "count the tokens of all words; let merges go, of those that no other needs always the rarest, its count "
            "to its halves, until no more than the budget are left",
            "Lesson 13, section 6, and the exercise `13.pruning_order`.",
        ),
        accept=choosing.complaint,
        shown=(
            Case("few merges", ({b"abab": 3, b"cc": 1}, [(97, 98), (99, 99), (256, 256)], 2)),
            Case("few merges", ({b"ccc": 2}, [(97, 98), (99, 99), (257, 99), (256, 256)], 2)),
        ),
        drawn=choosing.choose_cases,
        mistakes=(
            Mistake(
                "cannot-be-made",
                "A merge that stays is made with one that goes, so it can never be made. What does it need?",
                when=choosing.is_broken,
            ),
            Mistake("too-many", "There is no room for so many merges.", when=choosing.is_too_many),
            Mistake(
                "places",
                "These are places in the list. The n-th merge makes the id 256 + n.",
                when=choosing.names_places,
            ),
        ),
        measure=choosing.measured,
        levels=((97.0, 4), (85.0, 3), (70.0, 2)),
        smaller_is_better=False,
        unit="percent of what is saved when always the rarest goes",
    ),
)
