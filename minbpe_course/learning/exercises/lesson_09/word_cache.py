"""Exercise 09.word_cache: which word a full cache drops when a new one comes.

The cases are rows of words: a few common ones, some in fashion for a while, and many that occur once. The metric is the
number of words answered, in percent of the best cache that knows the future (Belady, 1966).
"""

from string import ascii_lowercase

from minbpe_course.learning.judge.equality import shown
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, breaks


class WordCache:
    """Decide which words a small cache holds.

    A cache has room for only a few words, but the text keeps coming. When a new word arrives and the cache is full, a
    word has to go. Which one?

    * `WordCache(size)`: how many words there is room for, 1 or more.
    * `ask(word)` is called for every word of a text, in order. It returns the word that leaves the cache:
      * `None` if the word is in the cache (then the cache answers it and nothing changes), or if there was room for it
        and you put it in;
      * otherwise a word that is in the cache, and the new word takes its place;
      * or the new word itself, which means that you don't put it in.

    We count the words that are in the cache at the moment `ask` is called, over four texts of 750 words, as a
    percentage of what a cache that *knows the future* answers. A result of 66 earns 4 points, 58 earns 3, and 50 earns
    2. In these texts, as in real ones, some words are frequent all the time, some are in fashion for a while, and many
    occur only once.

    Here is what a `WordCache(2)` that drops its oldest word does:

    | asked | returned | in the cache now |
    |---|---|---|
    | `"a"` | `None` | a |
    | `"b"` | `None` | a, b |
    | `"a"` | `None`, it was there | a, b |
    | `"c"` | `"a"` | b, c |
    """

    def __init__(self, size):
        self.size = size
        ### BEGIN SOLUTION
        self.inside, self.scores, self.clock = set(), {}, 0
        ### END SOLUTION

    def ask(self, word):
        """Record a word and return the word that leaves the cache, or None."""
        ### BEGIN SOLUTION
        self.clock += 1
        self.scores[word] = self.scores.get(word, 0) + 2 ** (self.clock / 150)
        self.inside.add(word)
        if len(self.inside) <= self.size:
            return None
        lowest = min(sorted(self.inside), key=self.scores.get)
        self.inside.remove(lowest)
        return lowest
        ### END SOLUTION


def asked(category, size, words):
    """Return a case that requests these words from a cache, one after the other."""
    return Case(category, (size,), tuple(("ask", (word,)) for word in words))


def cases(random):
    def new_word():
        """Return a word that does not tell whether it is common, in fashion, or occurs once."""
        return "".join(random.choices(ascii_lowercase, k=6))

    def text():
        common = [new_word() for _ in range(300)]
        for at in range(750):
            if at % 120 == 0:
                fashion = [new_word() for _ in range(6)]
            drawn = random.random()
            if drawn < 0.55:
                yield from random.choices(common, [1 / rank for rank in range(1, 301)])
            else:
                yield random.choice(fashion) if drawn < 0.75 else new_word()

    yield asked("a cache for one word", 1, "aababb")
    yield asked("few words", 3, random.choices("abcde", k=12))
    for size in (12, 24, 12, 24):
        yield asked("a text", size, text())


def hits_of(size, words, answers):
    """Return how many words the cache answered, and the first broken rule.

    >>> hits_of(1, ["a", "a", "b", "b"], [None, None, "a", None])
    (2, None)
    >>> hits_of(1, ["a", "b"], [None, None])[1]
    "at word 1, 'b': the cache is full, so a word has to go; you named none"
    """
    held, hits = set(), 0
    for at, (word, goes) in enumerate(zip(words, answers)):
        wrong, said = "", f"you said {shown(goes, 60)}"
        if not isinstance(goes, (str, type(None))):
            wrong = f"a word or None is wanted; {said}"
        elif word in held and goes is not None:
            wrong = f"the cache holds it, so nothing goes; {said}"
        elif goes is None and len({*held, word}) > size:
            wrong = "the cache is full, so a word has to go; you named none"
        elif goes not in {*held, word, None}:
            wrong = f"{said}, which the cache does not hold"
        if wrong:
            return hits, f"at word {at}, {word!r}: {wrong}"
        hits += word in held
        held = {*held, word} - {goes}
    return hits, None


def words_of(case):
    return [word for _, (word,) in case.script]


def complaint(case, answer):
    if not isinstance(answer, (list, tuple)) or len(answer) != len(case.script):
        return f"{len(case.script)} answers, one to each word"
    return hits_of(*case.args, words_of(case), answer)[1]


def most_hits(size, words):
    """Return the hits of a cache that knows the future and drops the word whose next use is last.

    >>> most_hits(1, ["a", "b", "a", "a"])
    2
    """
    held, hits = set(), 0
    for at, word in enumerate(words):
        hits += word in held
        held.add(word)
        if len(held) > size:
            held.remove(max(held, key=[*words[at + 1 :], *held].index))
    return hits


def measured(cases, answers):
    yours = best = 0
    for case, answer in zip(cases, answers):
        if case.category == "a text":
            yours += hits_of(*case.args, words_of(case), answer)[0]
            best += most_hits(*case.args, words_of(case))
    return 100 * yours / max(1, best), None


EXERCISE = Exercise(
    "09.word_cache",
    "Which word has to go?",
    "design",
    answer=WordCache,
    entry="WordCache",
    difficulty=5,
    minutes=40,
    points=4,
    hints=(
        "What do you know about a word that was asked for once? And about one that was asked for ten times, long ago?",
        "Lesson 09, on the long tail: most of its words occur once. They should not push out the others.",
        "give every word a score, and keep it when the word goes; each request adds to it, and later requests add more "
        "(twice as much every hundred words or so); the word with the lowest score goes, even if it is the new one",
    ),
    accept=complaint,
    shown=(asked("few words", 1, "aabb"), asked("few words", 2, "abacab")),
    drawn=cases,
    mistakes=(
        Mistake(
            "overflows",
            "When the cache is full, a word has to go: return it, or the new word if that is not worth a place.",
            when=breaks(complaint, "you named none"),
        ),
        Mistake(
            "goes-for-nothing",
            "The word was in the cache, so nothing is added and nothing goes: return None.",
            when=breaks(complaint, "so nothing goes"),
        ),
        Mistake(
            "goes-twice",
            "The word that you drop is not in the cache. Keep your own data in step with what you return.",
            when=breaks(complaint, "does not hold"),
        ),
    ),
    measure=measured,
    levels=((66.0, 4), (58.0, 3), (50.0, 2)),
    smaller_is_better=False,
    unit="percent of what a cache answers that knows the future",
)
