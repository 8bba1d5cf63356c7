"""Exercise 14.learn_pieces: byte pair training with sentencepiece's order of pairs.

The greatest count comes first; of equal counts the shorter piece; of equal lengths the smaller UTF-8. A pair whose
piece would be too long is skipped. Two pairs never spell one piece: learning the first merges all
neighbours of the second.
"""

from collections import Counter
from dataclasses import replace

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_13.lattices import cases_against


def learn_pieces(words, number, longest):
    """Return the pieces that sentencepiece learns from the words, in order, a list of str.

    `spm_train --model_type=bpe` learns pairs as lesson 02 does, but on characters. Its rule for breaking ties makes its
    files the same on every machine.

    * **In:** `words`, a dict from word to how often it occurs; `number`, how many pieces to learn; `longest`, how many
      characters a piece may have.
    * **Out:** the list of pieces in the order in which they are learned. It may be shorter than `number`, because
      training stops when no pair is left.
    * Words begin as single characters. A pair is two neighbors in a word. Its count is the number of places where it
      occurs, each weighted by the count of its word. Overlapping pairs count, too: `aaaa` has three.
    * Merge the pair with the greatest count next, in every word from left to right. If counts are equal, take the pair
      whose piece has **fewer characters**; if the lengths are equal, too, take the one whose piece is **smaller** in
      UTF-8, byte by byte.
    * Skip a pair whose piece would have more than `longest` characters.

    `learn_pieces({"abc": 2, "xyz": 1, "yz": 1}, 3, 16)` is `["ab", "yz", "abc"]`. At first, three pairs occur twice,
    and `ab` is the smallest; after that, `yz` is shorter than `abc`. By the way, Python orders strings exactly as their
    UTF-8 bytes are ordered.

    The check tries counts that differ, equal counts and lengths, overlapping pairs, pieces that are too long, and more
    pieces than can be learned.
    """
    rows = [([*word], times) for word, times in words.items()]
    made = []
    for _ in range(number):
        pairs = Counter()
        for row, times in rows:
            for both in zip(row, row[1:]):
                pairs[both] += times
        fitting = [(-times, len(left + right), left + right, left) for (left, right), times in pairs.items()]
        fitting = [entry for entry in fitting if entry[1] <= longest]
        if not fitting:
            break
        _, _, joined, left = min(fitting)
        made.append(joined)
        for row, _ in rows:
            place = 0
            while place < len(row) - 1:
                if row[place] == left and left + row[place + 1] == joined:
                    row[place : place + 2] = [joined]
                place += 1
    return made


DIFFERENT, LENGTHS, LETTERS, OVERLAPS, TOO_LONG, ENDED = (
    "counts that differ",
    "equal counts, pieces of different length",
    "equal counts, pieces of one length",
    "overlapping pairs",
    "pieces that would be too long",
    "fewer pieces than asked for",
)


def word_cases(random):
    """Yield words with counts, short lists first, until each mistake has failed several times."""
    yield ENDED, {}, 3, 16
    # category -> the mistakes that must fail on its words
    tempting = {
        DIFFERENT: ("without-counts",),
        LENGTHS: ("ignores-length", "longer-first", "length-in-bytes"),
        LETTERS: ("first-of-equals", "greater-first"),
        OVERLAPS: ("without-overlaps", "from-the-right"),
        TOO_LONG: ("below-the-longest", "stops-at-a-long-one", "ignores-the-longest"),
    }
    for case in cases_against(EXERCISE, tempting, lambda category: _drawn(random, category)):
        ended = len(learn_pieces(*case.args)) < case.args[1] and case.category != TOO_LONG
        yield replace(case, category=ENDED) if ended else case


def _drawn(random, category):
    longest = random.randint(2, 5) if category == TOO_LONG else 16
    letters = random.choice(("ab", "abc", "abcd", "é中a", "ｆ🙂e\u0301", "aé", "a"))
    words = {}
    for _ in range(random.randint(1, 5)):
        words["▁" + "".join(random.choices(letters, k=random.randint(1, 7)))] = random.randint(1, 4)
    return words, random.randint(2, 9), longest


EXERCISE = Exercise(
    "14.learn_pieces",
    "The same pieces as spm_train",
    "match",
    answer=learn_pieces,
    difficulty=4,
    minutes=25,
    points=4,
    hints=(
        "It is the training of lesson 02 on characters, with another rule for ties and one more restriction. Print the "
        "counts before each merge, and see which pair you take.",
        "Lesson 06, section 10: of tied pieces, which one is learned first?",
        "counts of all pairs of neighbors, weighted by the count of the word; leave out pairs whose joined text is too "
        "long; take min(pairs, key=lambda pair: (-counts[pair], len(joined), joined)); merge it in every word from "
        "left to right; until there are enough, or no pair is left",
    ),
    shown=(
        (DIFFERENT, {"▁ab": 2, "▁b": 1}, 3, 16),
        (LETTERS, {"cb": 1, "ab": 1}, 1, 16),
        (LENGTHS, {"abc": 2, "xyz": 1, "yz": 1}, 3, 16),
        (OVERLAPS, {"cccc": 1, "ab": 2}, 1, 16),
        (TOO_LONG, {"abc": 9, "de": 1}, 3, 2),
        (ENDED, {"ab": 1}, 5, 16),
    ),
    drawn=word_cases,
    mistakes=(
        Mistake(
            "first-of-equals",
            "Of equal counts, your code takes the pair that it met first. sentencepiece takes the shorter piece, and "
            "of equal lengths the one whose UTF-8 is smaller.",
            like=("min(fitting)", "min(fitting, key=lambda entry: entry[0])"),
        ),
        Mistake(
            "ignores-length",
            "Equal counts: the length comes before the text. 'b' + 'c' wins over 'a' + 'bc'.",
            like=("min(fitting)", "min(fitting, key=lambda entry: (entry[0], entry[2]))"),
        ),
        Mistake(
            "longer-first",
            "Equal counts: the *shorter* piece wins.",
            like=("min(fitting)", "min(fitting, key=lambda entry: (entry[0], -entry[1], entry[2]))"),
        ),
        Mistake(
            "length-in-bytes",
            "The length of a piece is counted in characters, not in bytes.",
            like=("len(left + right)", "len((left + right).encode())"),
        ),
        Mistake(
            "greater-first",
            "Equal counts, equal lengths: the *smaller* UTF-8 wins.",
            like=(
                "min(fitting)",
                "min(fitting, key=lambda entry: (*entry[:2], [-ord(letter) for letter in entry[2]]))",
            ),
        ),
        Mistake(
            "below-the-longest",
            "A piece of exactly `longest` characters is still allowed.",
            like=("<= longest", "< longest"),
        ),
        Mistake(
            "stops-at-a-long-one",
            "A pair that would be too long is skipped; take the next best instead.",
            like=(
                (" if entry[1] <= longest", ""),
                ("        made.append", "        if len(joined) > longest:\n            break\n        made.append"),
            ),
        ),
        Mistake(
            "ignores-the-longest",
            "No piece may have more than `longest` characters.",
            like=(" if entry[1] <= longest", ""),
        ),
        Mistake(
            "without-overlaps",
            "aaaa has three pairs of neighbors, though only two can be merged.",
            like=(
                (
                    "for both in zip(row, row[1:]):",
                    """before = None
            for both in zip(row, row[1:]):
                before = None if both == before else both""",
                ),
                ("+= times", "+= times * (before is not None)"),
            ),
        ),
        Mistake(
            "without-counts",
            "A word that occurs three times adds each of its pairs three times.",
            like=("+= times", "+= 1"),
        ),
        Mistake(
            "from-the-right",
            "Merges go from left to right: aaa becomes aa and a.",
            like=(
                ("place = 0", "place = len(row) - 2"),
                ("place < len(row) - 1", "place >= 0"),
                ("place += 1", "place -= 1"),
            ),
        ),
    ),
)
