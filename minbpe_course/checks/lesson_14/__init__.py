"""The exercises of lesson 14: your tokenizer against everybody's tests.

    id_bits, unbeaten              what ids cost, and who is on the Pareto front
    encode_parts, test_tokenizer   an encoder that is wrong though every text comes back; the test that finds such
    shrink                         the smallest counter-example
    choose_tokens                  a vocabulary under a budget, for words that are still hidden

Cases and known wrong answers stand in ``measures``, ``parts``, ``shrinking``, ``sessions`` and ``budgets``.
"""

from __future__ import annotations

from minbpe_course.checks.exercise import Case, Exercise, Mistake
from minbpe_course.checks.lesson_14 import budgets, measures, parts, sessions, shrinking

_RANKS = {b"a": 0, b"b": 1, b"aa": 2, b"ab": 3, b"aab": 4}
_MORE_RANKS = {b"a": 0, b"b": 1, b"c": 2, b"d": 3, b"bc": 4, b"bcd": 5, b"abcd": 6, b"ab": 7, b"aa": 8}

EXERCISES = (
    Exercise(
        key="14.id_bits",
        title="As wide as the highest",
        kind="fill",
        entry="id_bits",
        difficulty=1,
        minutes=5,
        points=1,
        hints=(
            "How many bits does the highest id need? Every other one gets as many.",
            "the width is `max(ids).bit_length()`, or 1 where that is 0; there are `len(ids)` ids",
            "Lesson 14, section 9: what compression is measured in.",
        ),
        wanted=measures.id_bits,
        shown=(
            Case(measures.SOME, ([5, 0, 3],)),
            Case(measures.POWERS, ([8, 1],)),
            Case(measures.NOTHING, ([0, 0],)),
            Case(measures.NOTHING, ([],)),
        ),
        drawn=measures.bit_cases,
        mistakes=(
            Mistake(
                "one-too-few",
                "The ids begin with 0, so up to 8 there are nine of them, and three bits tell only eight apart.",
                like=measures.one_too_few,
            ),
            Mistake(
                "own-widths",
                "If each id had a width of its own, a reader could not tell where one ends and the next begins.",
                like=measures.own_widths,
            ),
            Mistake(
                "different-ids",
                "Ids that do not occur here have their numbers all the same: how high an id is decides, not how many "
                "different ones there are.",
                like=measures.distinct_bits,
            ),
            Mistake("no-width", "An id takes at least one bit, even if it is 0.", like=measures.no_width),
        ),
    ),
    Exercise(
        key="14.unbeaten",
        title="Beaten by nobody",
        kind="write",
        entry="unbeaten",
        difficulty=2,
        minutes=15,
        points=2,
        hints=(
            "Write down first when one tokenizer beats another. What if two are equal in everything?",
            "one beats another when it is at least as good in all three numbers, and better in at least one; keep the "
            "names of those whom no row beats",
            "Lesson 14, section 9: the Pareto front, there for two numbers.",
        ),
        wanted=measures.unbeaten,
        shown=(
            Case(measures.FEW, ([("a", 0.5, 0.5, 0.5), ("b", 0.4, 0.5, 0.5)],)),
            Case(measures.FEW, ([("a", 0.5, 0.5, 0.1), ("b", 0.4, 0.4, 0.2)],)),
            Case(measures.TIES, ([("a", 0.5, 0.5, 0.5), ("b", 0.5, 0.5, 0.5)],)),
            Case(
                measures.SPREAD,
                ([("a", 0.9, 0.1, 0.5), ("b", 0.1, 0.9, 0.5), ("c", 0.5, 0.5, 0.5), ("d", 0.5, 0.5, 0.4)],),
            ),
        ),
        drawn=measures.row_cases,
        mistakes=(
            Mistake(
                "equals-beat",
                "Two that are equal in everything do not beat each other: to beat, one must be better somewhere.",
                like=measures.equals_beat,
            ),
            Mistake(
                "better-everywhere",
                "It need not be better everywhere. As good in two numbers and better in the third is enough.",
                like=measures.better_everywhere,
            ),
            Mistake(
                "two-numbers", "There are three numbers: somebody may be unbeaten for speed.", like=measures.two_numbers
            ),
            Mistake(
                "best-in-one",
                "Whoever is first in nothing can still be unbeaten: nobody may be as good at everything *at once*.",
                like=measures.best_in_one,
            ),
            Mistake(
                "one-score",
                "That is the best score. The front is about what no score decides: all who are beaten by nobody.",
                like=measures.highest_product,
            ),
        ),
    ),
    Exercise(
        key="14.encode_parts",
        title="It comes back, and is wrong",
        kind="repair",
        entry="encode_parts",
        difficulty=3,
        minutes=15,
        points=2,
        hints=(
            "Every text comes back, so look at the ids. Which is the shortest word of letters a on which it is wrong?",
            "of two places with the same rank the one further left has to win; look at how the loop treats the second",
            "Lesson 14, section 3: the rule leftmost-first.",
        ),
        wanted=parts.encode_parts,
        planted=parts.from_the_right,
        shown=(
            Case(parts.EQUAL, (b"aaa", {b"a": 0, b"aa": 1})),
            Case(parts.PLAIN, (b"aab", _RANKS)),
            Case(parts.EQUAL, (b"baaab", _RANKS)),
            Case(parts.PLAIN, (b"abcdaabcd", _MORE_RANKS)),
        ),
        drawn=parts.part_cases,
        mistakes=(
            Mistake(
                "first-possible",
                "Now the first pair in the word wins, whatever its rank. The lowest rank comes first; only equal ranks "
                "are decided by the place.",
                like=parts.first_possible,
            ),
            Mistake(
                "newest-first",
                "The lowest rank is the oldest merge, and the oldest comes first.",
                like=parts.newest_first,
            ),
            Mistake(
                "longest-token",
                "The longest token first is another tokenizer. Keep the loop over merges.",
                like=parts.longest_first,
            ),
        ),
    ),
    Exercise(
        key="14.shrink",
        title="The smallest counter-example",
        kind="match",
        entry="shrink",
        difficulty=4,
        minutes=25,
        points=3,
        hints=(
            "When a stretch has gone, what stands at its place now? And what may go, after the last letter has gone?",
            "size = half the length; at = 0; while there is something at `at`: if the text without `size` characters "
            "from there is still wrong, keep that text and stay, else go on by `size`; then halve the size; with "
            "size 1 do it again as long as something went",
            "Lesson 14, section 3: cutting down.",
        ),
        wanted=shrinking.shrink,
        shown=(
            Case(shrinking.SHORT, ("bac",)),
            Case(shrinking.SHORT, ("ccbacbb",)),
            Case(shrinking.RIGHT, ("cc",)),
        ),
        drawn=shrinking.shrink_cases,
        mistakes=(
            Mistake(
                "moves-on",
                "When a stretch has gone, the next one has moved to its place. Stay there.",
                like=shrinking.moves_on,
            ),
            Mistake(
                "once",
                "A letter that had to stay may be free to go once a later one has gone. With single letters go round "
                "until a whole round takes nothing away.",
                like=shrinking.once,
            ),
            Mistake(
                "letters-only",
                "Begin with large stretches: for a text of a million characters single letters take for ever, and the "
                "smallest text you end with may be another one.",
                like=shrinking.letters_only,
            ),
            Mistake(
                "shrinks-the-right",
                "Nothing is wrong with this text, so there is nothing to make smaller: give it back as it is.",
                like=shrinking.shrinks_anything,
            ),
        ),
    ),
    Exercise(
        key="14.test_tokenizer",
        title="Who gets past you?",
        kind="test",
        entry="test_tokenizer",
        difficulty=4,
        minutes=25,
        points=3,
        hints=(
            "The round trip finds four or five of them. For the ids you need an oracle, and for decode bytes that are "
            "no text.",
            "write the plain encoder inside the test; ask in one session for texts with blanks, line ends, é in two "
            "spellings, runs of a, long texts, and texts that begin alike; compare ids, then decode; then decode "
            "single bytes in any order, and an id that stands for nothing",
            "Lesson 14, section 3: each of the ten breaks one of the rules.",
        ),
        subject="tokenizer",
        right=sessions.RIGHT,
        mutants=sessions.MUTANTS,
    ),
    Exercise(
        key="14.choose_tokens",
        title="A vocabulary for words that nobody has shown you",
        kind="design",
        entry="choose_tokens",
        difficulty=5,
        minutes=40,
        points=4,
        hints=(
            "Whole words are learnt by heart. What comes again in words that you have not seen?",
            "beginnings and ends come again, and what they are made of; choose one token at a time, and count anew in "
            "the words as they are cut by then",
            "Lesson 02: training is choosing, one pair at a time. Lesson 14, section 8: the gap between the bars.",
        ),
        accept=budgets.complaint,
        shown=(Case(budgets.FEW, ({b"low": 3, b"lower": 2, b"lowest": 1}, 2)),),
        drawn=budgets.budget_cases,
        mistakes=(
            Mistake(
                "too-many", "The budget counts every token that you return, whatever its length.", when=budgets.too_many
            ),
            Mistake("single-bytes", "Single bytes are there anyway, and cost nothing.", when=budgets.singles),
            Mistake(
                "twice", "A token that you name twice is paid for twice. Leave the second out.", when=budgets.twice
            ),
        ),
        measure=budgets.measured,
        levels=((61.0, 4), (69.5, 2)),
        unit="pieces for a hundred bytes of the hidden words",
    ),
)
