"""The exercises of lesson 12: odd behaviour that is a tokenizer's, counted.

    hidden_letters, token_values   letters that no token shows alone, digits that no token shows in their place
    futures                        the tokens that may stand across the end of a text
    cannot_write                   tokens whose own text becomes other tokens
    test_clean                     is text of users rid of special tokens?
    rank_untrained                 which tokens has a model never seen?

Cases and known wrong answers stand in ``spelled``, ``ends``, ``unwritten``, ``cleaners`` and ``untrained``.
"""

from __future__ import annotations

from minbpe_course.checks.exercise import Case, Exercise, Mistake
from minbpe_course.checks.lesson_12 import cleaners, ends, spelled, untrained, unwritten

_ROWS = [[0.1, 0.2], [1.5, -1.0], [0.2, 0.1], [-1.0, 2.0]]

EXERCISES = (
    Exercise(
        key="12.hidden_letters",
        title="Letters nobody sees",
        kind="fill",
        entry="hidden_letters",
        difficulty=1,
        minutes=5,
        points=1,
        hints=(
            "A letter is visible when it is the only letter of its token. All letters of the other tokens are hidden.",
            "add up the sizes that are greater than 1",
            "Lesson 12, section 1: `hidden`, and the share of letters that stand alone.",
        ),
        wanted=spelled.hidden_letters,
        shown=(
            Case(spelled.SHARED, (["The", " a"],)),
            Case(spelled.ALONE, (["a", " b", "-c"],)),
            Case(spelled.SHARED, ([" two", "12", "b-c"],)),
        ),
        drawn=spelled.letter_cases,
        mistakes=(
            Mistake("all-letters", "A letter that has a token of its own is not hidden.", like=spelled.all_letters),
            Mistake("the-others", "Those are the letters that one *can* see.", like=spelled.lone_letters),
            Mistake("tokens", "That is how many tokens hide letters. How many letters?", like=spelled.hiding_tokens),
            Mistake(
                "first-is-seen",
                "The first letter of a token is as hidden as the others: the model gets one id for all of them.",
                like=spelled.all_but_the_first,
            ),
        ),
    ),
    Exercise(
        key="12.token_values",
        title="What is a token worth?",
        kind="repair",
        entry="token_values",
        difficulty=2,
        minutes=15,
        points=2,
        hints=(
            "Add up the values for `127` and `5`. What should come out, and what does? Which token is read wrongly?",
            "a token is worth its number times ten to the power of *all digits behind it*; go through the tokens from "
            "the right and count the digits, zeros included",
            "Lesson 12, section 2: the boxes in the picture of the sum, and what stands below what.",
        ),
        wanted=spelled.token_values,
        planted=spelled.values_in_threes,
        shown=(
            Case(spelled.FROM_THE_LEFT, (["127", "5"],)),
            Case(spelled.THREES, (["1", "275"],)),
            Case(spelled.ZEROS, (["8", "041"],)),
        ),
        drawn=spelled.value_cases,
        mistakes=(
            Mistake(
                "zeros-are-lost",
                "`041` is worth 41, and it still takes up three digits. Measure tokens by their characters.",
                like=spelled.values_by_number,
            ),
            Mistake(
                "from-the-left",
                "A digit is worth more the more digits stand *behind* it.",
                like=spelled.values_from_the_left,
            ),
            Mistake(
                "own-digits",
                "The digits of the token itself do not stand behind it.",
                like=spelled.values_with_own_digits,
            ),
            Mistake("no-places", "The token `127` of `1275` is worth 1270.", like=spelled.bare_values),
        ),
    ),
    Exercise(
        key="12.futures",
        title="Across the end",
        kind="write",
        entry="futures",
        difficulty=3,
        minutes=20,
        points=3,
        hints=(
            "For each place in the text: which tokens begin with everything from there on, and are longer?",
            "for every place from the first to the last byte: for every token that begins with end[place:] and is "
            "longer: put end[:place] + token into a set; return it sorted",
            "Lesson 12, section 7: the line `slow = ...` says nearly all of it.",
        ),
        wanted=ends.futures,
        shown=(
            Case(ends.BEGINNING, (b"ab", [b"ab", b"abc", b"c"])),
            Case(ends.INSIDE, (b"xab", [b"a", b"b", b"bc", b"xa"])),
            Case(ends.SAME, (b"ab", [b"abc", b"bc"])),
            Case(ends.NONE, (b"ab", [b"b", b"ab", b"cab"])),
        ),
        drawn=ends.end_cases,
        mistakes=(
            Mistake(
                "ends-there",
                "A token that finishes exactly where the text ends goes beyond nothing.",
                like=ends.with_the_end_itself,
            ),
            Mistake(
                "whole-end-only",
                "The token need not begin where the text begins. It may begin at any place inside.",
                like=ends.whole_end_only,
            ),
            Mistake(
                "last-byte-only",
                "The token need not begin at the last byte. It may begin at any place of the text.",
                like=ends.last_byte_only,
            ),
            Mistake(
                "behind-the-end",
                "A token that begins *behind* the text does not stand across its end.",
                like=ends.anything_behind,
            ),
            Mistake(
                "tokens-alone",
                "A future is the text as it goes on, with what stands before the token.",
                like=ends.tokens_alone,
            ),
            Mistake("twice", "Two tokens may lead to the same future. Name it once.", like=ends.each_time),
        ),
    ),
    Exercise(
        key="12.cannot_write",
        title="Tokens that cannot write themselves",
        kind="match",
        entry="cannot_write",
        difficulty=4,
        minutes=30,
        points=4,
        hints=(
            "Do what a tokenizer does, for the text of each token: cut it into words, merge each word. Does the id "
            "come back, alone?",
            "bytes of each id from its pair; where they decode: ids = merge every word of re.findall(pattern, text), "
            "smallest id first, one after the other; if ids is not [id], the id belongs to the answer",
            "Lesson 12, section 9: `fates`. Lesson 02 has the merging of a word.",
        ),
        wanted=unwritten.cannot_write,
        shown=(
            Case(unwritten.ALL_WRITTEN, ({(97, 98): 256}, r"[\s\S]+")),
            Case(unwritten.BY_PATTERN, ({(97, 32): 256, (97, 98): 257}, " ?[a-z]+| +")),
            Case(unwritten.BY_MERGES, ({(97, 98): 256, (98, 99): 257, (97, 257): 258}, r"[\s\S]+")),
            Case(unwritten.PARTS, ({(0xE2, 0x99): 256}, r"[\s\S]+")),
        ),
        drawn=unwritten.vocabulary_cases,
        mistakes=(
            Mistake(
                "no-pattern",
                "The text is cut into words before anything merges. A token that is two words never comes back.",
                like=unwritten.without_pattern,
            ),
            Mistake(
                "pattern-only",
                "A token that is one word may be lost as well: an earlier merge can take away what it is made of.",
                like=unwritten.by_pattern_only,
            ),
            Mistake(
                "parts-of-characters",
                "Bytes that are no text on their own cannot be given to a tokenizer. Leave such tokens out.",
                like=unwritten.with_parts,
            ),
            Mistake("the-others", "Those are the tokens that do come back.", like=unwritten.those_that_can),
        ),
    ),
    Exercise(
        key="12.test_clean",
        title="Ten careless cleaners",
        kind="test",
        entry="test_clean",
        difficulty=3,
        minutes=20,
        points=3,
        hints=(
            "What is left after something was taken away may be a special token again. And what if two special "
            "tokens overlap, or one begins with the other?",
            "write the slow cleaner inside the test (find all, take the leftmost, of equal ones the longest, begin "
            "again); compare on texts that you put together from pieces of special tokens, blanks, and other letters",
            "Lesson 12, section 5: what one special token in a text does. The ten leave one in, or take too much.",
        ),
        subject="clean",
        right=cleaners.RIGHT,
        mutants=cleaners.MUTANTS,
    ),
    Exercise(
        key="12.rank_untrained",
        title="Fishing",
        kind="design",
        entry="rank_untrained",
        difficulty=5,
        minutes=40,
        points=4,
        hints=(
            "Tokens that were never the right answer have all been pushed in the same direction. You know some of them "
            "for sure: what do their rows look like, and who is near?",
            "take the mean of the rows that are known to be unused; the nearer another row lies to it, the more "
            "suspicious; compare length, angle and distance on models that began with short and with long rows",
            "Lesson 12, section 8: three indicators, and the table of when each of them fails.",
        ),
        accept=untrained.complaint,
        shown=(Case(untrained.BY_HAND, (_ROWS, [0])),),
        drawn=untrained.model_cases,
        mistakes=(
            Mistake(
                "names-the-unused",
                "The ids that are known to be unused are no discovery. Rank the others.",
                when=untrained.names_the_unused,
            ),
            Mistake(
                "leaves-some-out",
                "Rank *all* other ids, also those that you think are well trained: they come last.",
                when=untrained.leaves_some_out,
            ),
        ),
        measure=untrained.measured,
        levels=((96.0, 4), (50.0, 2)),
        smaller_is_better=False,
        unit="percent average precision",
        packages=("numpy",),
    ),
)
