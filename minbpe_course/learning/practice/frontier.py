"""Texts and measures of the second part of lesson 19: halves of stories, and sentences that are held out in turn.

story_halves()                 six stories to learn from, the paragraphs of six others
held_out(learn, languages)     the tokens of every sentence, when it was among the fifth that was held out
encoder(merges, units)         a function from text to tokens, each spelled in its units
difference(first, second)      a paired interval for the charts
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import regex

from minbpe_course.corpus.texts import clock_story, course_sections, parallel_sentences
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.measures import bootstrap, gini, interval, paired_interval
from minbpe_course.reference.pairs import Pair
from minbpe_course.reference.parity_merges import parity_steps
from minbpe_course.reference.script_units import Units, spellings, train_units
from minbpe_course.text.patterns import PATTERNS
from minbpe_course.trainers.byte_pair import train

FOLDS = 5
TWELVE = (
    "English", "German", "French", "Spanish", "Russian", "Greek", "Turkish", "Arabic", "Hindi", "Tamil",
    "Simplified Chinese", "Japanese",
)  # fmt: skip
TEN_SCRIPTS = (
    "English", "Greek", "Russian", "Georgian", "Hebrew", "Arabic", "Hindi", "Tamil", "Amharic", "Japanese",
)  # fmt: skip
Encoder = Callable[[str], Sequence[Units]]
Tokens = Mapping[tuple[str, int], Sequence[Units]]
Interval = tuple[float, tuple[float, float]]
_words = regex.compile(PATTERNS["o200k_base"]).findall


def stories() -> list[str]:
    """Return the twelve English stories of the course's text, without their titles."""
    return ["\n\n".join(text.strip().split("\n\n")[1:]) for text in course_sections().values()][:12]


def words_of(texts: Iterable[str]) -> Counter[str]:
    """Return how often each word occurs, cut as GPT-4o does.

    >>> words_of(["to be or not to be"])[" be"]
    2
    """
    return Counter(word for text in texts for word in _words(text))


def story_halves() -> tuple[Counter[bytes], list[Counter[bytes]]]:
    """Return the words of six stories, and those of each paragraph of the other six.

    >>> len(story_halves()[1])
    49
    """
    whole = Counter[bytes]()
    for story in stories()[:6]:
        whole += bytes_of(words_of([story]))
    return whole, [bytes_of(words_of([part])) for story in stories()[6:] for part in story.split("\n\n")]


def bytes_of(words: Mapping[str, int]) -> Counter[bytes]:
    """Return the counts with the UTF-8 of each word."""
    return Counter({word.encode(): count for word, count in words.items()})


def is_text(token: bytes) -> bool:
    """Return whether a token consists of whole characters.

    >>> is_text("é".encode()), is_text(b" \\xc3")
    (True, False)
    """
    try:
        return bool(token.decode())
    except UnicodeDecodeError:
        return False


def sentences() -> dict[str, list[str]]:
    """Return parallel sentences in 37 languages: 17 in each of TWELVE, five in the others.

    >>> [len(sentences()[language]) for language in ("Tamil", "Georgian")]
    [17, 5]
    """
    return {language: clock_story().get(language, []) + scene for language, scene in parallel_sentences().items()}


def encoder(merges: Mapping[Pair, int], units: Callable[[str], Sequence[int]] = str.encode) -> Encoder:
    """Return a function from a text to its tokens, each a tuple of units.

    >>> encoder({(97, 98): 256})("ab abc")
    [(97, 98), (32,), (97, 98), (99,)]
    """
    spelled = spellings(merges)
    known = cache(lambda word: [spelled.get(one, (one,)) for one in encode_word(units(word), merges)])
    return lambda text: [token for word in _words(text) for token in known(word)]


def held_out(
    learn: Callable[..., Mapping[Pair, int]],
    *options: Any,
    tested: Sequence[str] = TWELVE,
    units: Callable[[str], Sequence[int]] = str.encode,
) -> Tokens:
    """Learn from four fifths of the sentences, five times; return the tokens of each that was not among them.

    learn : gets sentences by language, and the options; returns merges. tested : TWELVE, which are then the languages
    to learn from, too; or some of all 37. Keys are (language, number of the sentence).

    >>> found = held_out(lambda kept: {})
    >>> len(found), len(found["Greek", 0])
    (204, 113)
    """
    languages, found = TWELVE if tested == TWELVE else tuple(sentences()), {}
    for fold in range(FOLDS):
        kept = {one: [s for at, s in enumerate(sentences()[one]) if at % FOLDS != fold] for one in languages}
        encode = encoder(learn(kept, *options), units)
        for language in tested:
            for at, text in list(enumerate(sentences()[language]))[fold::FOLDS]:
                found[language, at] = encode(text)
    return dict(sorted(found.items()))


def plain(kept: Mapping[str, Sequence[str]], size: int, prose: Sequence[str] = (), fewest: int = 1) -> dict[Pair, int]:
    """Return the merges of BPE on all sentences and ``prose``.

    >>> plain({"English": ["to be or not to be"]}, 257)
    {(116, 111): 256}
    """
    texts = [*prose, *(text for each in kept.values() for text in each)]
    return dict(train(texts, size, pattern="o200k_base", min_frequency=fewest).ranks)


def parity(
    kept: Mapping[str, Sequence[str]],
    size: int,
    choose: Callable[[Any, Any], tuple[str, Pair] | None] | None = None,
    balanced: bool = False,
) -> dict[Pair, int]:
    """Return the merges of parity-aware BPE on sentences that say the same.

    choose : a learner's ``worst_off``; without one, ``train`` learns. balanced : whether English learns from these
    alone, and not from the stories, too.

    >>> list(parity({"English": ["Once"], "Greek": ["Μια φορά, μια μέρα"]}, 258))
    [(206, 177), (206, 185)]
    """
    words = {one: bytes_of(words_of(texts)) for one, texts in kept.items()}
    same = dict(words)
    if not balanced:
        words["English"] = bytes_of(words_of([*kept["English"], *stories()]))
    if choose is None:
        return dict(train(words, size, parity=same).ranks)
    steps = parity_steps(words, {one: list(counts.elements()) for one, counts in same.items()}, size - 256, choose)
    return {pair: number for number, (_, pair) in enumerate(steps, 256)}


def constrained(
    kept: Mapping[str, Sequence[str]],
    size: int,
    allowed: Callable[[Units, Units], bool],
    units: Callable[[str], Sequence[int]] = str.encode,
    first: int = 256,
) -> dict[Pair, int]:
    """Return the merges of those pairs that ``allowed`` allows, of units that have the ids below ``first``.

    >>> constrained({"English": ["to be or not to be"]}, 257, lambda left, right: left == (32,))
    {(32, 98): 256}
    """
    words = words_of(text for each in kept.values() for text in each)
    return train_units({tuple(units(word)): count for word, count in words.items()}, first, size - first, allowed)


def tokens_by_language(found: Tokens) -> dict[str, int]:
    """Return the number of tokens of each language's sentences.

    >>> tokens_by_language({("Greek", 0): [(1, 2), (3,)], ("Greek", 1): [(4,)]})
    {'Greek': 3}
    """
    counts = Counter[str]()
    for (language, _), tokens in found.items():
        counts[language] += len(tokens)
    return dict(counts)


def difference(first: Sequence[float], second: Sequence[float], sizes: Sequence[float], scale: float = 1) -> Interval:
    """Return second minus first for each unit of size, times ``scale``, and its 95 % interval.

    >>> difference([10, 20], [9, 18], [10, 20], 100)
    (-10.0, (-10.0, -10.0))
    """
    value, low, high = paired_interval(first, second, sizes)
    return scale * value, (scale * low, scale * high)


def gini_changes(results: Mapping[str, Tokens]) -> dict[str, Interval]:
    """Return the Gini index of the tokens that TWELVE need, minus that of the first result; sentences are drawn.

    >>> one = {(language, at): [(1,)] for language in TWELVE for at in range(17)}
    >>> gini_changes({"one": one, "other": one})
    {'other': (0.0, (0.0, 0.0))}
    """
    base, *others = results

    def unfair(name: str, drawn: Iterable[int]) -> float:
        counts = Counter(drawn)
        return gini(sum(n * len(results[name][one, at]) for at, n in counts.items()) for one in TWELVE)

    def change(name: str, drawn: Sequence[int]) -> float:
        return round(unfair(name, drawn) - unfair(base, drawn), 6)

    return {
        name: (change(name, range(17)), interval(bootstrap(range(17), partial(change, name), 500))) for name in others
    }


def saved(pack: Callable[[Sequence[int]], Sequence[int]], rows: Sequence[Sequence[int]]) -> Interval:
    """Return how many percent of the ids ``pack`` saves, and the 95 % interval over the documents.

    >>> saved(lambda ids: ids[1:], [[1, 2], [3, 4]])
    (50.0, (50.0, 50.0))
    """
    lengths = [len(ids) for ids in rows]
    return difference([len(pack(ids)) for ids in rows], lengths, lengths, 100)
