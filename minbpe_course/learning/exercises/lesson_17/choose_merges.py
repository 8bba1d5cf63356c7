"""Exercise 17.choose_merges: which merges should stay for one language.

The vocabularies are trained on four invented languages, and the words are of one of them. An answer must be able to
make every merge that stays. The metric is the share of the saved tokens that is still saved.
"""

from collections import Counter

from minbpe_course.learning.exercises.invented_language import InventedLanguage
from minbpe_course.learning.exercises.lesson_17.drop_merges import drop_merges
from minbpe_course.learning.exercises.lesson_17.merge_lists import ranks_of
from minbpe_course.learning.exercises.lesson_17.pruning_order import pruning_order
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, breaks
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps


def choose_merges(words, merges, budget):
    """Return the ids of the merges to keep.

    A vocabulary was made for four languages. Your device needs only one of them and has room for only a few merges.
    Which ones should stay?

    * **In:** `words`, a dict from words (bytes) to how often they occur; `merges`, a list of pairs of ids, where the
      n-th pair (counted from 0) makes the id 256 + n; `budget`, how many merges may stay.
    * **Out:** a list of ids of merges, at most `budget` of them. A merge may stay only if the merges it is made from
      stay, too.

    We measure, over three invented languages, how many tokens your merges save for these words, compared with one token
    per byte. Your result is in percent of the tokens saved by always removing the rarest merge, as in
    `17.pruning_order`. 97 earns 4 points, 85 earns 3, 70 earns 2. Keeping the merges that were learned first is a
    choice, too; it saves about half.

    With the words `abab` (3 times) and `cc` (once), the merges `ab`, `cc`, `abab` and a budget of 2: `[256, 258]` saves
    9 tokens, `[256, 257]` only 7.
    """
    becomes = {tuple(pair): number for number, pair in enumerate(merges, 256)}

    def encoded(word):
        row = list(word)
        while due := [(becomes[both], at) for at, both in enumerate(zip(row, row[1:])) if both in becomes]:
            made, at = min(due)
            row[at : at + 2] = [made]
        return row

    seen = dict.fromkeys(becomes.values(), 0)
    for word, times in words.items():
        for one in encoded(word):
            if one in seen:
                seen[one] += times
    return sorted(pruning_order(merges, seen)[::-1][:budget])


def choose_cases(random):
    """Yield the words of three languages with their counts, each with a vocabulary trained on four."""
    for budget in (6, 9, 12):
        languages = [Counter(InventedLanguage(random).text(600).encode().split()) for _ in range(4)]
        merges = [step.pair for step in train_steps(sum(languages, Counter()), 340)]
        words = dict(random.choice(languages))
        best = saved(words, merges, choose_merges(words, merges, budget))
        yield Case("a language", (words, merges, budget), held=best)


def complaint(case, keep):
    """Return None for merges that can be kept, else the first broken rule.

    >>> complaint(Case("", ({}, [(97, 98), (256, 256)], 2)), [257])
    'merges that can still be made: 257 is made with 256, which does not stay'
    """
    _, merges, budget = case.args
    if not isinstance(keep, (list, tuple, set)):
        return "a list of ids"
    stays = list(keep)
    if not all(type(one) is int and 256 <= one < 256 + len(merges) for one in stays):
        return f"ids of merges, from 256 to {255 + len(merges)}"
    if len(set(stays)) < len(stays):
        return "every id once"
    if len(stays) > budget:
        return f"at most {budget} ids; you keep {len(stays)}"
    for one in sorted(stays):
        for half in merges[one - 256]:
            if half > 255 and half not in stays:
                return f"merges that can still be made: {one} is made with {half}, which does not stay"
    return None


def saved(words, merges, keep):
    """Return how many tokens these merges save, compared with one token for each byte."""
    ranks = ranks_of(drop_merges(merges, set(range(256, 256 + len(merges))) - set(keep)))
    return sum(count * (len(word) - len(encode_word(list(word), ranks))) for word, count in words.items())


def measured(cases, answers):
    """Return the tokens that the kept merges save, in percent of what the answer saves, without a complaint."""
    yours = sum(saved(*case.args[:2], keep) for case, keep in zip(cases, answers) if case.held)
    return 100 * yours / sum(case.held or 0 for case in cases), None


EXERCISE = Exercise(
    "17.choose_merges",
    "Which merges should stay?",
    "design",
    answer=choose_merges,
    difficulty=5,
    minutes=40,
    points=4,
    hints=(
        "Encode the words with all merges and count the tokens. Which merges does this language use, and which others "
        "must stay because those are made from them?",
        "Lesson 17, on pruning, and the exercise `17.pruning_order`.",
        "count the tokens of all words; drop merges until only the budget is left: always the rarest of those that no "
        "other merge needs, adding its count to its halves",
    ),
    accept=complaint,
    shown=(
        ("few merges", {b"abab": 3, b"cc": 1}, [(97, 98), (99, 99), (256, 256)], 2),
        ("few merges", {b"ccc": 2}, [(97, 98), (99, 99), (257, 99), (256, 256)], 2),
    ),
    drawn=choose_cases,
    mistakes=(
        Mistake(
            "cannot-be-made",
            "A merge that stays needs one that goes, so it can never be made. What does it need?",
            when=breaks(complaint, "which does not stay"),
        ),
        Mistake("too-many", "These are more merges than the budget allows.", when=breaks(complaint, "at most")),
        Mistake(
            "places",
            "These are places in the list. The n-th merge makes the id 256 + n.",
            when=lambda case, outcome, wanted: min(outcome.value) >= 0 and max(outcome.value) < len(case.args[1]),
        ),
    ),
    measure=measured,
    levels=((97.0, 4), (85.0, 3), (70.0, 2)),
    smaller_is_better=False,
    unit="percent of what is saved when always the rarest goes",
)
