"""Exercise 04.training_text: the smallest text from which training learns a vocabulary."""

from functools import cache, lru_cache

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_04.vocabularies import runs, toy
from minbpe_course.learning.judge.equality import difference
from minbpe_course.reference.training import train_steps


@cache
def replay(word, learned):
    "Return the parts of a word after the tokens in the tuple `learned` have been made, oldest first."
    parts = [word[at : at + 1] for at in range(len(word))]
    for token in learned:
        at = 0
        while at + 1 < len(parts):
            if parts[at] + parts[at + 1] == token:
                parts[at : at + 2] = [token]
            at += 1
    return parts


def next_merge(words, learned):
    "Return the token that training on these words makes next, or None if no pair is left."
    counts = {}
    for parts in (replay(word, tuple(learned)) for word in words):
        for pair in zip(parts, parts[1:]):
            counts[pair] = counts.get(pair, 0) + 1
    return b"".join(max(counts, key=counts.get)) if counts else None


def training_text(tokens):
    """Return words (bytes) on which training makes exactly these tokens, in this order.

    A vocabulary is a portrait of the text it was trained on. Here the text was lost and only the portrait remains.
    Write a text that gives the same portrait, and make it as small as you can.

    * **In:** `tokens`, the merged tokens (`bytes`) of a vocabulary, in the order in which they were learned.
    * **Out:** a list of words (`bytes`). Training on them must make exactly these tokens, in this order.

    Training works as in lesson 02: no merge reaches from one word into the next; the most frequent pair is merged;
    among equally frequent pairs, the one that comes first in the words wins. The list may contain a word several times.

    ```
    training_text([b"ab", b"abc"])           ->  [b"abc"]                             3 bytes
    training_text([b"bb", b"aa", b"baa"])    ->  [b"bb", b"bb", b"aa", b"baa"]        9 bytes
    ```

    In the second example, one copy of each token would not be enough: `aa` is also part of `baa`, so it would occur
    twice and be learned first.

    Your result is the size of all your texts together, in bytes, compared with ours. At most 1000% earns one point,
    200% two, 130% three; a text no larger than ours earns all four. (We do not claim that ours is the smallest there
    is.) A text that does not give the vocabulary back, or has more than 5,000 bytes or words, earns nothing. Tried:
    vocabularies of two to eleven tokens, and vocabularies of runs.

    The next cell has a function you may use: `next_merge(words, learned)` returns the token that training makes next.
    """
    text = []
    # From the last token to the first: words of older tokens are single ids by then and add no pairs.
    for rank in reversed(range(len(tokens))):
        while next_merge(text, tokens[:rank]) != tokens[rank]:
            text.insert(0, tokens[rank])
    return text


LARGEST_TEXT = 5_000  # bytes


def complaint(case, words):
    """Return why training on these words does not give the vocabulary, or None when it does."""
    wanted = case.args[0]
    if not isinstance(words, (list, tuple)) or not all(isinstance(word, bytes) for word in words):
        return "a list of words is wanted, each of them bytes"
    if sum(map(len, words)) > LARGEST_TEXT or len(words) > LARGEST_TEXT:
        return f"a text of at most {LARGEST_TEXT:,} bytes"
    made = trained(tuple(words), len(wanted))
    if made == wanted:
        return None
    return f"words on which training makes these tokens; yours make others ({difference(made, wanted)})"


@lru_cache(maxsize=1024)
def trained(words, number):
    return [step.token for step in train_steps(words, 256 + number)]


@lru_cache(maxsize=1024)
def our_size(tokens):
    return len(b"".join(training_text(tokens)))


def percent_of_ours(cases, answers):
    yours = sum(len(b"".join(words)) for words in answers)
    return 100 * yours / sum(our_size(tuple(case.args[0])) for case in cases), None


def cases(random):
    for number in range(2, 12):
        yield "a vocabulary of mixed tokens", toy(random, random.randint(2, 6), number).tokens
    for number in (3, 5, 7):
        yield "a vocabulary of runs", runs(random, number).tokens


EXERCISE = Exercise(
    "04.training_text",
    "The smallest text behind a vocabulary",
    "design",
    answer=training_text,
    picture="""
for words, made in [([b"bb", b"aa", b"baa"], []), ([b"bb", b"bb", b"aa", b"baa"], []), ([b"baa"], [b"bb", b"aa"])]:
    print(words, "after", made, "->", next_merge(words, made))
""",
    given=("replay",),
    difficulty=5,
    minutes=40,
    points=4,
    hints=(
        "Once a token has been made, its own words are single ids and add no pairs. But the words of a later token "
        "have pairs from the beginning. So which token would you settle first?",
        "Lesson 04, on the order of the ids: at the moment when training makes a token, the text has it as two parts.",
        "begin with no words; from the last token to the first: as long as next_merge(words, older tokens) is not "
        "this token, put one more copy of it in front of the words",
    ),
    accept=complaint,
    shown=(
        ("two tokens", [b"ab", b"abc"]),
        ("a token that has to be outvoted", [b"bb", b"aa", b"baa"]),
        ("a token that has to be outvoted", [b"ab", b"cd", b"cde", b"cdf"]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "each-token-once",
            "Each token once is nearly right. But a pair that is in several younger tokens outvotes the older one, "
            "which then needs another copy.",
            like=lambda tokens: tokens,
        ),
        Mistake(
            "youngest-first",
            "Of equally frequent pairs the first in the text wins, so put older tokens first.",
            like=lambda tokens: tokens[::-1],
        ),
        Mistake(
            "strings",
            "The words have to be bytes, as the tokens are: b'ab', not 'ab'.",
            when=lambda case, outcome, wanted: any(isinstance(word, str) for word in outcome.value),
        ),
    ),
    measure=percent_of_ours,
    levels=((100.0, 4), (130.0, 3), (200.0, 2), (1000.0, 1)),
    unit="% of our own text",
)
