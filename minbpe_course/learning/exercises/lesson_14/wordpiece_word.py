"""Exercise 14.wordpiece_word: the longest token first, in one word."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference.wordpiece import encode_word


def wordpiece_word(word, tokens):
    """Return the tokens of one word, the longest first; ["[UNK]"] where none fits.

    This is all of WordPiece's encoder: no merges, no scores, no looking ahead.

    * **In:** `word`, a str without spaces; `tokens`, a set of str.
    * **Out:** a list of tokens. The first is the longest token that the word begins with. Each of the others is written
      with `##` in front, the **mark** of a token that continues a word: the longest `"##" + part` in `tokens` where
      `part` is what comes next in the word.
    * If at some position no token fits, the *whole* word is unknown: return `["[UNK]"]`. The same holds for a word of
      more than 100 characters.

    With `tokens = {"un", "una", "##aff", "##able", "##ff", "a"}`:

    | word | tokens | |
    |---|---|---|
    | `unable` | `["[UNK]"]` | `una` is the longest, and then there is no `##b`. `un` and `##able` are never tried. |
    | `unaffable` | `["una", "##ff", "##able"]` | |
    | `una` | `["una"]` | |
    | `unaff!` | `["[UNK]"]` | the exclamation mark has no token |

    The check tries marks, several tokens that fit, words that get stuck, unknown characters, long words, and the empty
    word, which has no tokens.
    """
    if len(word) > 100:
        return ["[UNK]"]
    found, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = len(word)
        while end > start and mark + word[start:end] not in tokens:
            end -= 1
        if end == start:
            return ["[UNK]"]
        found.append(mark + word[start:end])
        start = end
    return found


def of_reference(word, tokens):
    names = ["[UNK]", *sorted(tokens)]
    return [names[at] for at in encode_word(word, {name: at for at, name in enumerate(names)})]


def looks_ahead(word, tokens):
    """Return the fewest tokens, of all ways to cut the word."""
    if len(word) > 100:
        return ["[UNK]"]
    best = {0: []}
    for end in range(1, len(word) + 1):
        for start in range(end):
            part = ("##" if start else "") + word[start:end]
            if start in best and part in tokens and (end not in best or len(best[start]) + 1 < len(best[end])):
                best[end] = [*best[start], part]
    return best.get(len(word), ["[UNK]"])


MARKS, SEVERAL, STUCK = "tokens with a mark", "several tokens that fit", "a word that gets stuck"
UNKNOWN, LONG, EMPTY = "an unknown character", "a long word", "the empty word"


def cases(random):
    yield LONG, "a" * 100, {"a", "##a"}
    yield LONG, "ab" * 51, {"ab", "##ab", "##b"}
    for size in range(2, 11):
        letters = random.choice(("ab", "abc", "é中a", "a🙂"))
        word = "".join(random.choices(letters, k=size))
        parts = {word[at : at + random.randint(1, 4)] for at in range(size) for _ in range(2)}
        marked = {"##" + part for part in parts}
        yield SEVERAL, word, {*letters, *parts, *marked, *("##" + letter for letter in letters)}
        yield MARKS, word, {word[:1], *parts, "##" + word[1:], "##" + word[-1]}
        yield UNKNOWN, word[:-1] + "?" + word[-1], {*letters, *marked, *("##" + letter for letter in letters)}
        yield STUCK, "x" + word + "yz", {"x" + word[:-1], "x" + word, "##" + word[-1] + "yz", "##z"}


EXERCISE = Exercise(
    "14.wordpiece_word",
    "The longest token first",
    "write",
    answer=wordpiece_word,
    wanted=of_reference,
    difficulty=2,
    minutes=8,
    points=3,
    hints=(
        "Which ends do you try first, if you want the longest token? And what do you look up at a position that isn't "
        "the beginning?",
        "Lesson 14, the notebook on WordPiece, section 1: the table of what the word becomes step by step.",
        "start = 0; until start is the end of the word: try each end from len(word) down to start + 1, and look up the "
        'part, with "##" in front unless start is 0; append the first that is a token, and continue where it ends; if '
        'none is, return ["[UNK]"]',
    ),
    shown=(
        (MARKS, "ab", {"a", "##b", "b"}),
        (SEVERAL, "aab", {"a", "aa", "##a", "##b", "##ab"}),
        (STUCK, "abc", {"a", "ab", "##bc"}),
        (UNKNOWN, "a?", {"a", "##a"}),
        (EMPTY, "", {"a"}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "without-marks",
            "Inside a word, look up the part with `##` in front. Without it, the word could begin there.",
            like=('"##" if start else ""', '""'),
        ),
        Mistake(
            "keeps-the-beginning",
            'One character without a token, and the whole word is unknown: return `["[UNK]"]` alone.',
            like=('            return ["[UNK]"]\n        found', '            return [*found, "[UNK]"]\n        found'),
        ),
        Mistake(
            "looks-ahead",
            "You find a way where the longest token leads nowhere. WordPiece never goes back: the word is `[UNK]`.",
            like=looks_ahead,
        ),
        Mistake(
            "words-of-any-length",
            "A word of more than 100 characters is unknown, even if you know each of them.",
            like=('    if len(word) > 100:\n        return ["[UNK]"]\n', ""),
        ),
    ),
)
