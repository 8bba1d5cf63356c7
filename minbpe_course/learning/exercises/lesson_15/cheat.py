"""Exercise 15.cheat: drop tokens until the Rényi efficiency looks wonderful.

counts, halves : the tokens of a text in an invented language, under a byte pair vocabulary trained on it, with the ids
    shuffled
metric : by how much the efficiency rises, all texts together, in percent of the gain of a search that tries every
    token at every step and drops the one that helps most

The commonest tokens are a poor guess: the halves of a dropped token become more common, perhaps too common.
"""

from collections import Counter

from minbpe_course.learning.exercises.invented_language import InventedLanguage
from minbpe_course.learning.exercises.lesson_15.efficiency import efficiency
from minbpe_course.learning.judge.equality import shown
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, breaks
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps


def cheat(counts, halves, most):
    """Return the tokens whose removal makes the efficiency look best.

    The Rényi efficiency looks only at the counts, so you can cheat: drop tokens until the counts look more even. A
    simple cheat drops the first token whose removal raises the number. Do better.

    * **In:** `counts`, a dict from token to how often it occurs; `halves`, a dict from token to the pair of tokens that
      it was merged from (you cannot drop a token without halves); `most`, an int.
    * **Out:** a list of at most `most` tokens to drop. Wherever a dropped token occurred, its two halves occur instead.
      If one of these is dropped, too, it is replaced by its own halves.

    We measure how much the Rényi efficiency with alpha 2.5 rises, over eight texts with six tokens to drop each, in
    percent of the gain of a search that drops the *best* token at every step. 98.5 earns 4 points, 80 earns 3, 40 earns
    2. You may call your `efficiency` from above here.

    With `counts = {1: 3, 2: 4, 3: 5, 9: 90, 12: 3}`, `halves = {9: (1, 2), 12: (9, 3)}` and `most = 1`, the best answer
    is `[9]`: then 1 and 2 occur 93 and 94 times, and 12 is still a separate token.
    """

    def number_without(gone):
        left, waiting = {}, list(counts.items())
        while waiting:
            token, times = waiting.pop()
            if token in gone:
                waiting.extend((half, times) for half in halves[token])
            else:
                left[token] = left.get(token, 0) + times
        return efficiency(list(left.values()), 2.5)

    chosen, so_far = [], number_without(())
    while len(chosen) < most:
        values = {token: number_without({*chosen, token}) for token in halves if token not in chosen}
        favourite = max(values, key=lambda token: (values[token], token))
        if values[favourite] <= so_far:
            break
        chosen.append(favourite)
        so_far = values[favourite]
    return chosen


def cheat_cases(random):
    """Yield the vocabularies that are measured."""
    for _ in range(8):
        words = [word.encode() for word in InventedLanguage(random).text(800).replace(" ", "\0 ").split("\0")]
        ranks = {step.pair: step.new_id for step in train_steps(words, 301)}
        counts = Counter(token for word in words for token in encode_word(word, ranks))
        names = random.sample(range(10_000, 99_999), 301)
        used = sorted((names[token], count) for token, count in counts.items())
        parts = sorted((names[token], (names[left], names[right])) for (left, right), token in ranks.items())
        args = dict(used), dict(parts), 6
        yield Case("a text and its vocabulary", args, held=gain(args, cheat(*args)))


def complaint(case, answer):
    """Return None if every rule is kept, else the first that is not."""
    _, halves, most = case.args
    if not isinstance(answer, (list, tuple)):
        return "a list of tokens"
    for token in answer:
        if type(token) is not int or token not in halves:
            return f"tokens with halves; {shown(token, 60)} has none"
    if len(set(answer)) != len(answer):
        return "every token once"
    return None if len(answer) <= most else f"no more than {most} tokens"


def gain(args, dropped):
    """Return by how much the efficiency rises."""
    counts, halves, _ = args
    after, waiting = Counter(), list(counts.items())
    while waiting:
        token, count = waiting.pop()
        if token in dropped:
            waiting += [(half, count) for half in halves[token]]
        else:
            after[token] += count
    return efficiency(list(after.values()), 2.5) - efficiency(list(counts.values()), 2.5)


def measured(cases, answers):
    """Return the gain over all texts, in percent of that of the search, without a complaint."""
    yours = sum(gain(case.args, answer) for case, answer in zip(cases, answers) if case.held)
    return 100 * yours / sum(case.held or 0 for case in cases), None


EXERCISE = Exercise(
    "15.cheat",
    "A cheat of your own",
    "design",
    answer=cheat,
    difficulty=5,
    minutes=40,
    points=4,
    hints=(
        "Which tokens hurt the number most? And what happens to the halves of the tokens you drop?",
        "Lesson 15, on the number that you can game. A simple cheat takes the first token that helps; there is a "
        "better one to take.",
        "at every step: for each token with halves, work out the efficiency without it; drop the one that gives the "
        "most; stop when none helps, or when there are enough",
    ),
    accept=complaint,
    shown=(("few tokens", {1: 3, 2: 4, 3: 5, 9: 90, 12: 3}, {9: (1, 2), 12: (9, 3)}, 1),),
    drawn=cheat_cases,
    mistakes=(
        Mistake(
            "too-many", "There is a limit: you may drop at most `most` tokens.", when=breaks(complaint, "no more than")
        ),
        Mistake("bytes", "Only a token with halves can be spelled in another way.", when=breaks(complaint, "has none")),
    ),
    measure=measured,
    levels=((98.5, 4), (80.0, 3), (40.0, 2)),
    smaller_is_better=False,
    unit="percent of the gain of a search that takes the best token each time",
)
