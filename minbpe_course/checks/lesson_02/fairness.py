"""Lesson 02, the open question: merges for several languages, judged by the language that gains least.

What the learner gets is much English and three sentences in each of three other languages. What is measured is text
that the learner's function has not seen: the English that follows, and the other two sentences. The metric is how many
bytes an id stands for in the language where that is least, compared with plain training on all texts together.

The course text is public, so each draw exchanges the letters of the other languages for such as nobody uses, 64 by 64:
a text keeps its lengths and what comes again in it, and no list of merges made beforehand knows its bytes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import combinations, pairwise
from random import Random
from typing import Any

from minbpe_course.checks.exercise import Case, Exercise
from minbpe_course.corpus.texts import course_sections

Merges = list[tuple[int, int]]

# Scripts of their own, and five sentences that a full stop ends.
LANGUAGES = ["Greek", "Russian", "Ukrainian", "Georgian", "Amharic", "Hebrew", "Arabic", "Persian"]
LANGUAGES += ["Hindi", "Bengali", "Gujarati", "Tamil", "Telugu", "Kannada", "Malayalam"]
ENGLISH, UNSEEN_ENGLISH = 2000, 400  # characters
SENTENCES = 3  # of five in each language
MERGES = 30
ROOM = 1.06  # what a good answer gains in every case that is drawn


@cache
def _stories() -> str:
    return "".join(list(course_sections().values())[:11])


@cache
def _sentences(language: str) -> tuple[str, ...]:
    body = course_sections()[f"A morning in {language}"].split("\n\n", 1)[1].strip()
    return tuple(re.findall(r".+?(?:[.!?។।۔።]+[”»“\"」]*\.?|$)\s*", body, re.DOTALL))


def _texts(random: Random, languages: Iterable[str] = ()) -> dict[str, bytes]:
    begin = random.randrange(len(_stories()) - ENGLISH - UNSEEN_ENGLISH)
    texts = {"English": _stories()[begin : begin + ENGLISH]}
    shown = sorted(random.sample(range(5), SENTENCES))
    for language in languages or random.sample(LANGUAGES, 3):
        texts[language] = "".join(_sentences(language)[number] for number in shown)
    return {language: text.encode("utf-8") for language, text in texts.items()}


# Which 64 characters a character belongs to is said by all of its bytes but the last: two bytes to write, or three.
_SHORT, _LONG = range(0x80 >> 6, 0x800 >> 6), range(0x800 >> 6, 0xD800 >> 6)


def in_other_letters(random: Random, texts: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the same texts, all but the English one in letters of their own.

    >>> greek = {"Greek": "αβ α".encode()}
    >>> other = in_other_letters(Random(1), greek)["Greek"]
    >>> len(other), other == greek["Greek"], other[:2] == other[-2:]
    (7, False, True)
    """
    free = {blocks: random.sample(blocks, len(blocks)) for blocks in (_SHORT, _LONG)}
    changed = {}
    for language, data in texts.items():
        text = data.decode("utf-8")
        table: dict[int, int] = {}
        for block in dict.fromkeys(ord(character) >> 6 for character in text):
            for blocks in (_SHORT, _LONG) if language != "English" else ():
                if block in blocks:
                    table[block] = free[blocks].pop()
        changed[language] = _moved(text, table).encode("utf-8")
    return changed


def _moved(text: str, table: Mapping[int, int]) -> str:
    return "".join(chr(table.get(ord(one) >> 6, ord(one) >> 6) << 6 | ord(one) & 63) for one in text)


def _blocks_between(before: str, after: str) -> dict[int, int] | None:
    """Return which 64 characters were exchanged for which, or None where the texts are not the same but for that."""
    table: dict[int, int] = {}
    for one, other in zip(before, after):
        if (ord(one) ^ ord(other)) & 63 or table.setdefault(ord(one) >> 6, ord(other) >> 6) != ord(other) >> 6:
            return None
    return table if len(before) == len(after) else None


def _unseen(texts: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the text that is measured: what the given text is followed by, or leaves out, in the same letters."""
    unseen = {}
    for language, data in texts.items():
        text = data.decode("utf-8")
        if language == "English":
            end = _stories().index(text) + len(text)
            rest = _stories()[end : end + UNSEEN_ENGLISH]
        else:
            rest = _left_out(language, text)
        unseen[language] = rest.encode("utf-8")
    return unseen


def _left_out(language: str, text: str) -> str:
    sentences = _sentences(language)
    for given in combinations(range(len(sentences)), SENTENCES):
        table = _blocks_between("".join(sentences[number] for number in given), text)
        if table is not None:
            rest = "".join(sentence for number, sentence in enumerate(sentences) if number not in given)
            return _moved(rest, table)
    raise ValueError(f"this is no text in {language} of ours")


def _plain_training(texts: Mapping[str, bytes], number: int) -> Merges:
    """Train on all texts together, as if the languages were one; a character for each id, since replacing is quick."""
    now = [data.decode("latin-1") for data in texts.values()]
    merges = []
    for new_id in range(256, 256 + number):
        counts: Counter[tuple[str, str]] = Counter()
        for text in now:
            counts.update(pairwise(text))
        if not counts:
            break
        left, right = max(counts, key=lambda pair: counts[pair])
        merges.append((ord(left), ord(right)))
        now = [text.replace(left + right, chr(new_id)) for text in now]
    return merges


def _for_the_poorest(texts: Mapping[str, bytes], number: int) -> Merges:
    """Make each merge for the language that is worst off so far: one good answer, which shows that there is room."""
    now = {language: data.decode("latin-1") for language, data in texts.items()}
    merges: Merges = []
    for new_id in range(256, 256 + number):
        poorest = min(now, key=lambda language: len(texts[language]) / len(now[language]))
        (left, right), _ = Counter(pairwise(now[poorest])).most_common(1)[0]
        merges.append((ord(left), ord(right)))
        now = {language: text.replace(left + right, chr(new_id)) for language, text in now.items()}
    return merges


def bytes_for_an_id(data: bytes, merges: Merges) -> float:
    """Return how many bytes one id stands for, on average, once the merges have been made in their order.

    >>> bytes_for_an_id(b"aaab", [(97, 97)])
    1.3333333333333333
    """
    text = data.decode("latin-1")
    for new_id, (left, right) in enumerate(merges, 256):
        text = text.replace(chr(left) + chr(right), chr(new_id))
    return len(data) / len(text)


def _least(unseen: Mapping[str, bytes], merges: Merges) -> float:
    return min(bytes_for_an_id(data, merges) for data in unseen.values())


@lru_cache(maxsize=64)
def _plain_result(texts: tuple[tuple[str, bytes], ...], number: int) -> float:
    return _least(_unseen(dict(texts)), _plain_training(dict(texts), number))


def _measured(cases: tuple[Case, ...], answers: list[Any]) -> tuple[float, str | None]:
    results = []
    for case, answer in zip(cases, answers, strict=True):
        texts, number = case.args
        complaint = complaint_about(answer, number)
        if complaint is not None:
            return 0.0, complaint
        merges = [(left, right) for left, right in answer]
        results.append(_gain(texts, merges, number))
    drawn = results[len(FAIR_MERGES.shown) :]  # an answer made for the case that everybody sees shows nothing
    return 100 * sum(drawn) / len(drawn), None


def complaint_about(answer: Any, number: int) -> str | None:
    """Say what keeps an answer from being a list of at most ``number`` merges; None when nothing does.

    >>> complaint_about([(97, 98), (256, 99)], 40) is None
    True
    >>> complaint_about([(97, 256)], 40)
    'Merge 0 is (97, 256): the halves of a merge are bytes or ids made before it, and here only ids below 256 exist.'
    """
    if not isinstance(answer, (list, tuple)):
        return (
            f"Return a list of pairs, in the order in which they are merged; yours is of type {type(answer).__name__}."
        )
    if len(answer) > number:
        return f"{number} merges are allowed, and yours are {len(answer)}."
    for at, pair in enumerate(answer):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not all(type(half) is int for half in pair):
            return f"Merge {at} is {repr(pair)[:60]}: a merge is a pair of two ids."
        if not all(0 <= half < 256 + at for half in pair):
            return (
                f"Merge {at} is {repr(tuple(pair))[:60]}: the halves of a merge are bytes or ids made before it, "
                f"and here only ids below {256 + at} exist."
            )
    return None


def _gain(texts: Mapping[str, bytes], merges: Merges, number: int) -> float:
    return _least(_unseen(texts), merges) / _plain_result(tuple(texts.items()), number)


def _fair_cases(random: Random) -> Iterator[Case]:
    for _ in range(3):
        texts = in_other_letters(random, _texts(random))
        while _gain(texts, _for_the_poorest(texts, MERGES), MERGES) < ROOM:
            texts = in_other_letters(random, _texts(random))
        yield Case("much English, little of the others", (texts, MERGES))


FAIR_MERGES = Exercise(
    key="02.fair_merges",
    title="A fair tokenizer",
    kind="design",
    entry="fair_merges",
    difficulty=5,
    minutes=30,
    points=4,
    hints=(
        "Before each merge, find out which language is worst off, and let the merge be one that helps this language.",
        "repeat: for each text, bytes / ids so far; take the language where that is lowest; count pairs in its text "
        "alone; merge the commonest of them in all texts",
        'Lesson 02, "What a merge buys": why Greek hardly left 1. The tables there are all that you need to measure.',
    ),
    shown=(Case("much English, little of the others", (_texts(Random(3), ("Greek", "Georgian", "Hindi")), MERGES)),),
    drawn=_fair_cases,
    measure=_measured,
    levels=((105.0, 4), (101.0, 2)),
    smaller_is_better=False,
    unit="% of plain training",
)
