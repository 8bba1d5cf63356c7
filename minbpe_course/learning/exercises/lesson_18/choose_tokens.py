"""Exercise 18.choose_tokens: tokens for words of which some are hidden.

A learner sees words with their counts. The hidden words combine beginnings and ends of those, so an answer that takes
whole words has learned them by heart. The metric is how many pieces are left of a hundred bytes.
"""

from collections import Counter

from minbpe_course.learning.judge.equality import shown
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, breaks


def pieces(word, tokens):
    """Return the smallest number of pieces, tokens and single bytes, that a word can be split into."""
    fewest = [0]
    for end in range(1, len(word) + 1):
        fewest.append(1 + min(fewest[at] for at in range(end) if end - at == 1 or word[at:end] in tokens))
    return fewest[-1]


def choose_tokens(words, budget):
    """Return the tokens you choose.

    A vocabulary is a budget: each token costs a row of the model's table. You get the words of an invented language,
    with their counts, and a budget. Choose the tokens for words you have **not** seen.

    The hidden words are made of the beginnings and the ends of the words you see. `pieces`, below, splits them into as
    few pieces as your tokens allow; single bytes are always available. Your result is the number of pieces per hundred
    bytes, in five languages together. At most 61 earns all 4 points, and at most 69.5 earns 2.

    * **In:** `words`, a dict from a word (bytes) to its count, and `budget`, an int.
    * **Out:** a list of at most `budget` different tokens: bytes, each of length two or more.
    """
    spelled = {word: [word[at : at + 1] for at in range(len(word))] for word in words}
    chosen = []
    while len(chosen) < budget:
        votes = {}
        for word, count in words.items():
            for left, right in zip(spelled[word], spelled[word][1:]):
                votes[left + right] = votes.get(left + right, 0) + count
        if not votes:
            return chosen
        winner = max(votes, key=votes.get)
        chosen += [winner] * (winner not in chosen)
        for cut in spelled.values():
            place = 0
            while place + 1 < len(cut):
                if cut[place] + cut[place + 1] == winner:
                    cut[place : place + 2] = [winner]
                place += 1
    return chosen


def budget_cases(dice):
    """Yield words of invented languages, each with a budget."""
    for budget in (16, 24, 16, 24, 20):
        words = language(dice)
        yield Case("words of a language", (words, budget), held=hidden_words(dice, words))


def language(dice):
    """Return the words of an invented language: stems and endings, common ones and rare ones."""

    def syllables(number):
        return "".join(dice.choice("bdfgklmnprst") + dice.choice("aeiou") for _ in range(number))

    stems = [syllables(2) + dice.choice(["", "n", "r", "st"]) for _ in range(14)]
    endings = [syllables(1) + dice.choice(["", "s", "t", "nd"]) for _ in range(8)]
    counts = Counter()
    for at in range(90):
        stem = stems[min(int(dice.expovariate(0.22)), 13)]
        ending = endings[min(int(dice.expovariate(0.4)), 7)]
        word = (stem + ending).encode()
        counts[word] += dice.randint(1, 1 + 400 // (at + 10))
    return dict(counts)


def hidden_words(dice, words):
    """Return words that combine beginnings and ends of these."""
    known = [*Counter(words).elements()]
    made = []
    for _ in range(120):
        one, other = dice.choices(known, k=2)
        made.append(one[: dice.randint(2, max(2, len(one) - 2))] + other[-dice.randint(2, max(2, len(other) - 2)) :])
    return made


def complaint(case, answer):
    """Return the rule that a list of tokens breaks, or None."""
    _, budget = case.args
    if not isinstance(answer, (list, tuple)) or not all(isinstance(token, bytes) for token in answer):
        return "a list of tokens, which are bytes"
    if len(answer) > budget:
        return f"at most {budget} tokens; these are {len(answer):,}"
    short = [token for token in answer if len(token) < 2]
    if short:
        return f"tokens of at least two bytes: single bytes need no token, and {shown(short[0])} is too short"
    return f"tokens that are all different; {shown(answer[0], 60)} ..." if len(set(answer)) < len(answer) else None


def measured(cases, answers):
    """Return the pieces of a hundred bytes of the hidden words, all languages together."""
    left = size = 0
    for case, tokens in zip(cases, answers):
        for word in case.held or ():
            left += pieces(word, {token[:64] for token in tokens})
            size += len(word)
    return 100 * left / size, None


EXERCISE = Exercise(
    "18.choose_tokens",
    "A vocabulary for words you have not seen",
    "design",
    answer=choose_tokens,
    given=("pieces",),
    difficulty=5,
    minutes=40,
    points=4,
    hints=(
        "If you take whole words, you learn them by heart. What occurs again in words you have not seen?",
        "Lesson 02: training means choosing, one pair at a time. Lesson 18 measures on a corpus you have not seen.",
        "beginnings and ends recur, and so do their parts; choose one token at a time, and count again in the words as "
        "they are split by then",
    ),
    accept=complaint,
    shown=(("few words", {b"low": 3, b"lower": 2, b"lowest": 1}, 2),),
    drawn=budget_cases,
    mistakes=(
        Mistake(
            "too-many",
            "The budget counts every token that you return, whatever its length.",
            when=breaks(complaint, "at most"),
        ),
        Mistake(
            "single-bytes",
            "Single bytes are there anyway, and cost nothing.",
            when=breaks(complaint, "at least two bytes"),
        ),
        Mistake(
            "twice",
            "A token that you return twice is charged twice. Leave the second out.",
            when=breaks(complaint, "all different"),
        ),
    ),
    measure=measured,
    levels=((61.0, 4), (69.5, 2)),
    unit="pieces for a hundred bytes of the hidden words",
)
