"""Exercise 19.fewest_tokens: the ids of a word in the fewest tokens; of equals, the longest last token."""

from minbpe_course.learning.exercises.lesson_13.lattices import cases_against
from minbpe_course.learning.exercises.lesson_18.encode_parts import encode_parts
from minbpe_course.learning.judge.exercise import Exercise, Mistake
from minbpe_course.reference.fewest_tokens import fewest_tokens as reference_fewest_tokens
from minbpe_course.reference.fewest_tokens import longest_match


def fewest_tokens(word, vocabulary):
    """Return the ids of the fewest tokens that make the word.

    You have a word and a vocabulary, and no merges. Cut the word into as few tokens as possible.

    * **In:** `word`, bytes, at most 200 of them; `vocabulary`, a dict from a token (bytes) to its id. Every byte of the
      word is a token, too.
    * **Out:** a list of ids. If several ways have the fewest tokens, take the one whose last token is the longest. If
      that leaves several, look at the token before it, and so on.

    With the tokens `ab`, `abc`, `cde` and single bytes, `abcde` is `ab|cde`. With `ab`, `bc` and single bytes, `abc` is
    `a|bc`, because `bc` is longer than `c`.

    The answer to a long word has to come quickly. The number of ways to cut it doubles with every byte.
    """
    paths = [[]]  # the best one to every position, from the left
    for stop in range(1, len(word) + 1):
        arriving = [paths[start] + [word[start:stop]] for start in range(stop) if word[start:stop] in vocabulary]
        paths.append(min(arriving, key=len))  # the first of equals begins furthest to the left
    return [vocabulary[token] for token in paths[-1]]


GREEDY, TIES = "words in which the longest token misleads", "several ways with the fewest tokens"


def _from_the_end(cut):
    return lambda word, vocabulary: cut(word[::-1], {token[::-1]: at for token, at in vocabulary.items()})[::-1]


def _longest_anywhere(word, vocabulary):
    for size in range(len(word), 0, -1):
        for at in range(len(word) - size + 1):
            token = word[at : at + size]
            if token in vocabulary:
                before, after = (_longest_anywhere(part, vocabulary) for part in (word[:at], word[at + size :]))
                return [*before, vocabulary[token], *after]
    return []


def word_cases(random):
    """Yield words with vocabularies, short ones first, until each mistake has failed several times."""
    yield "the empty word", b"", {b"a": 0, b"b": 1}
    tempting = {
        GREEDY: ("longest-first", "longest-from-the-end", "longest-anywhere", "merges"),
        TIES: ("longest-first-of-equals", "shortest-last-of-equals"),
    }
    yield from cases_against(EXERCISE, tempting, lambda category: _drawn(random, random.randint(4, 11)))
    for length in (80, 160):
        yield "long words", *_drawn(random, length)


def _drawn(random, length):
    letters = random.choice(("ab", "abc", "é")).encode()
    word = bytes(random.choices(letters, k=length))
    cuts = [random.randrange(length - 1) for _ in range(random.randint(4, 9))]
    longer = {word[at : at + random.randint(2, 4)] for at in cuts}
    tokens = [bytes([byte]) for byte in sorted(set(word))] + sorted(longer)
    numbers = random.sample(range(len(tokens)), len(tokens))
    return word, dict(sorted(zip(tokens, numbers), key=lambda pair: pair[1]))


EXERCISE = Exercise(
    key="19.fewest_tokens",
    answer=fewest_tokens,
    title="As few as possible",
    kind="write",
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Suppose you know the best way to make every beginning of the word. Which token can be the last one?",
        "for every end from left to right: of all tokens that end there, take the one with the fewest tokens before "
        "it, and of equals the longest; remember where it begins. Then walk back from the end of the word",
        "Lesson 19, on the fewest tokens. Lesson 13 finds the best path in the same way, by sums of scores.",
    ),
    shown=(
        (GREEDY, b"abcde", {b"a": 0, b"b": 1, b"c": 2, b"d": 3, b"e": 4, b"ab": 5, b"abc": 6, b"cde": 7}),
        (TIES, b"abc", {b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"bc": 4}),
        (GREEDY, b"ababb", {b"bab": 0, b"a": 1, b"b": 2, b"abb": 3, b"ab": 4}),
        # Both wrong ways to choose between equals fail here, and not alike.
        (TIES, b"abcde", {b"a": 0, b"b": 1, b"c": 2, b"d": 3, b"e": 4, b"ab": 5, b"bc": 6, b"bcd": 7, b"de": 8}),
        ("the empty word", b"", {b"a": 0}),
        ("long words", b"ab" * 25, {b"a": 0, b"b": 1, b"ab": 2, b"ba": 3, b"aba": 4}),
    ),
    wanted=reference_fewest_tokens,
    drawn=word_cases,
    mistakes=(
        Mistake(
            "longest-first",
            "You always take the longest token that fits next. A shorter one may leave room for a longer one after it.",
            like=longest_match,
        ),
        Mistake(
            "longest-from-the-end",
            "You take the longest token from the end. A shorter one may leave room for a longer one before it.",
            like=_from_the_end(longest_match),
        ),
        Mistake(
            "longest-anywhere",
            "You take the longest token of the word first, wherever it is. It can break two better ones.",
            like=_longest_anywhere,
        ),
        Mistake(
            "merges",
            "You join neighbors, the smallest id first. That is byte pair encoding; here any token may be used.",
            like=encode_parts,
        ),
        Mistake(
            "longest-first-of-equals",
            "The number is right. Of several ways, take the one with the longest *last* token; yours has the longest "
            "first token.",
            like=_from_the_end(fewest_tokens),
        ),
        Mistake(
            "shortest-last-of-equals",
            "The number is right. Of several ways, take the one with the longest last token; yours has the shortest.",
            like=("min(arriving", "min(arriving[::-1]"),
        ),
        Mistake(
            "not-turned-round",
            "If you walk back from the end, you find the last token first. Reverse the list.",
            like=lambda word, vocabulary: fewest_tokens(word, vocabulary)[::-1],
        ),
        Mistake(
            "tokens",
            "Those are the tokens. Return their ids.",
            when=lambda case, outcome, wanted: b"".join(outcome.value) == case.args[0],
        ),
        Mistake(
            "only-how-many",
            "That is how many tokens there are. Which are they?",
            like=lambda word, vocabulary: len(fewest_tokens(word, vocabulary)),
        ),
    ),
)
