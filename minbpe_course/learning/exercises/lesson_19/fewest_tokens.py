"""Exercise 19.fewest_tokens: the ids of a word in the fewest tokens; of equals, the longest last token."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_13.lattices import cases_against
from minbpe_course.learning.exercises.lesson_18.encode_parts import encode_parts, ranks_of
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
EMPTY, LONG = "the empty word", "long words"


def _from_the_end(cut):
    return lambda word, vocabulary: cut(word[::-1], {token[::-1]: at for token, at in vocabulary.items()})[::-1]


def _longest_anywhere(word, vocabulary):
    if not word:
        return []
    found = max((token for token in vocabulary if token in word), key=lambda token: (len(token), -word.index(token)))
    before, after = (_longest_anywhere(part, vocabulary) for part in word.split(found, 1))
    return [*before, vocabulary[found], *after]


def word_cases(random):
    """Yield words with vocabularies, short ones first, until each mistake has failed several times."""
    yield EMPTY, b"", ranks_of("a b")
    tempting = {
        GREEDY: ("longest-first", "longest-from-the-end", "longest-anywhere", "merges"),
        TIES: ("longest-first-of-equals", "shortest-last-of-equals"),
    }
    yield from cases_against(EXERCISE, tempting, lambda category: _drawn(random, random.randint(4, 11)))
    for length in (80, 160):
        yield LONG, *_drawn(random, length)


def _drawn(random, length):
    letters = random.choice(("ab", "abc", "é")).encode()
    word = bytes(random.choices(letters, k=length))
    cuts = [random.randrange(length - 1) for _ in range(random.randint(4, 9))]
    longer = {word[at : at + random.randint(2, 4)] for at in cuts}
    tokens = [bytes([byte]) for byte in sorted(set(word))] + sorted(longer)
    numbers = random.sample(range(len(tokens)), len(tokens))
    return word, dict(sorted(zip(tokens, numbers), key=lambda pair: pair[1]))


EXERCISE = Exercise(
    "19.fewest_tokens",
    "As few as possible",
    "write",
    answer=fewest_tokens,
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Suppose you know the best way to make every beginning of the word. Which token can be the last one?",
        "Lesson 19, on the fewest tokens. Lesson 13 finds the best path in the same way, by sums of scores.",
        "for every end from left to right: of all tokens that end there, take the one with the fewest tokens before "
        "it, and of equals the longest; remember where it begins. Then walk back from the end of the word",
    ),
    shown=(
        (GREEDY, b"abcde", ranks_of("a b c d e ab abc cde")),
        (TIES, b"abc", ranks_of("a b c ab bc")),
        (GREEDY, b"ababb", ranks_of("bab a b abb ab")),
        # Both wrong ways to choose between equals fail here, and not alike.
        (TIES, b"abcde", ranks_of("a b c d e ab bc bcd de")),
        (EMPTY, b"", ranks_of("a")),
        (LONG, b"ab" * 25, ranks_of("a b ab ba aba")),
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
            like=("in paths[-1]]", "in paths[-1][::-1]]"),
        ),
        Mistake(
            "tokens",
            "Those are the tokens. Return their ids.",
            when=lambda case, outcome, wanted: b"".join(outcome.value) == case.args[0],
        ),
        Mistake(
            "only-how-many",
            "That is how many tokens there are. Which are they?",
            like=("[vocabulary[token] for token in paths[-1]]", "len(paths[-1])"),
        ),
    ),
)
