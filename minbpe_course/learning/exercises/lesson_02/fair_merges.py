"""Exercise 02.fair_merges: merges for several languages, judged by the language that gains least.

The learner gets much English and three sentences in each of three other languages. The metric uses text that the
learner's function has not seen: the English that follows, and the other two sentences. It is the number of bytes per
id in the language where that is lowest, compared with plain training on all texts together.

The course text is public, so each draw replaces the characters of the other languages by rarely used ones, in blocks of
64: lengths and repetitions stay the same, and no list of merges prepared in advance fits the bytes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, pairwise
from random import Random
from typing import Any

from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning.judge.exercise import Case, Exercise

Merges = list[tuple[int, int]]
Texts = Mapping[str, str]

# Languages with their own scripts, and with five sentences that end in a full stop.
LANGUAGES = ["Greek", "Russian", "Ukrainian", "Georgian", "Amharic", "Hebrew", "Arabic", "Persian"]
LANGUAGES += ["Hindi", "Bengali", "Gujarati", "Tamil", "Telugu", "Kannada", "Malayalam"]
ENGLISH, UNSEEN_ENGLISH = 2000, 400  # characters
SENTENCES = 3  # of five in each language
MERGES = 30
CATEGORY = "much English, little of the others"
LEAST_GAIN = 1.06  # of a good answer in every drawn case


@cache
def stories() -> str:
    """Return the English part of the course text."""
    return "".join(list(course_sections().values())[:11])


@cache
def sentences(language: str) -> tuple[str, ...]:
    """Return the five sentences of a language in the course text."""
    body = course_sections()[f"A morning in {language}"].split("\n\n", 1)[1].strip()
    return tuple(re.findall(r".+?(?:[.!?।။۔።]+[”»“\"」]*\.?|$)\s*", body, re.DOTALL))


@dataclass(frozen=True)
class FairCase(Case):
    """Texts by language as ``args``. The shown case is a plain one: an answer prepared for it proves nothing.

    unseen : other texts, by which the merges are measured.
    plain : the bytes per id of plain training in the language where they are fewest.
    """

    unseen: Mapping[str, bytes] = field(default_factory=dict)
    plain: float = 1.0


def _drawn_texts(random: Random, languages: Iterable[str] = ()) -> tuple[dict[str, str], dict[str, str]]:
    """Return texts to give, and others in the same languages to measure with."""
    begin = random.randrange(len(stories()) - ENGLISH - UNSEEN_ENGLISH)
    end = begin + ENGLISH
    texts, unseen = {"English": stories()[begin:end]}, {"English": stories()[end : end + UNSEEN_ENGLISH]}
    given = sorted(random.sample(range(5), SENTENCES))
    for language in languages or random.sample(LANGUAGES, 3):
        every = sentences(language)
        texts[language] = "".join(every[number] for number in given)
        unseen[language] = "".join(every[number] for number in range(len(every)) if number not in given)
    return texts, unseen


# A block of 64 characters shares all bytes but the last: blocks of characters with two bytes, and with three.
_TWO_BYTES, _THREE_BYTES = range(0x80 >> 6, 0x800 >> 6), range(0x800 >> 6, 0xD800 >> 6)


def in_other_letters(random: Random, texts: Texts, unseen: Texts) -> tuple[dict[str, str], dict[str, str]]:
    """Exchange the blocks of characters of ``texts`` at random, and those of ``unseen`` likewise, except in English.

    >>> (greek, unseen) = in_other_letters(Random(1), {"Greek": "αβ α"}, {"Greek": "β"})
    >>> greek["Greek"][0] != "α", greek["Greek"][0] == greek["Greek"][3], unseen["Greek"] == greek["Greek"][1]
    (True, True, True)
    """
    free = {blocks: random.sample(blocks, len(blocks)) for blocks in (_TWO_BYTES, _THREE_BYTES)}
    changed: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for language, text in texts.items():
        table: dict[int, int] = {}
        for block in dict.fromkeys(ord(character) >> 6 for character in text):
            for blocks in (_TWO_BYTES, _THREE_BYTES) if language != "English" else ():
                if block in blocks:
                    table[block] = free[blocks].pop()
        for made, side in zip(changed, (texts, unseen)):
            codes = {code: table.get(code >> 6, code >> 6) << 6 | code & 63 for code in map(ord, set(side[language]))}
            made[language] = side[language].translate(codes)
    return changed


def _in_utf8(texts: Texts) -> dict[str, bytes]:
    return {language: text.encode("utf-8") for language, text in texts.items()}


def _fair_case(random: Random) -> FairCase:
    given, unseen = map(_in_utf8, in_other_letters(random, *_drawn_texts(random)))
    plain = _least(unseen, _trained(given, MERGES, lambda now: now.values()))
    return FairCase(CATEGORY, (given, MERGES), unseen=unseen, plain=plain)


def _trained(texts: Mapping[str, bytes], number: int, counted: Callable[[dict[str, str]], Iterable[str]]) -> Merges:
    """Merge the commonest pair of ``counted`` texts in all texts. Ids are characters: replacing in a str is fast."""
    now = {language: data.decode("latin-1") for language, data in texts.items()}
    merges: Merges = []
    for new_id in range(256, 256 + number):
        counts = Counter(chain.from_iterable(map(pairwise, counted(now))))
        if not counts:
            break
        (left, right), _ = counts.most_common(1)[0]
        merges.append((ord(left), ord(right)))
        now = {language: text.replace(left + right, chr(new_id)) for language, text in now.items()}
    return merges


def train_for_the_worst_off(texts: Mapping[str, bytes], number: int) -> Merges:
    """Return merges, each chosen for the language with the fewest bytes per id so far: one good answer."""
    return _trained(texts, number, lambda now: [now[min(now, key=lambda one: len(texts[one]) / len(now[one]))]])


def _bytes_per_id(data: bytes, merges: Merges) -> float:
    text = data.decode("latin-1")
    for new_id, (left, right) in enumerate(merges, 256):
        text = text.replace(chr(left) + chr(right), chr(new_id))
    return len(data) / len(text)


def _least(unseen: Mapping[str, bytes], merges: Merges) -> float:
    return min(_bytes_per_id(data, merges) for data in unseen.values())


def _gain(case: FairCase, merges: Merges) -> float:
    return _least(case.unseen, merges) / case.plain


def _measured(cases: tuple[Case, ...], answers: list[Any]) -> tuple[float, str | None]:
    for case, answer in zip(cases, answers, strict=True):
        complaint = _complaint(answer, case.args[1])
        if complaint is not None:
            return 0.0, complaint
    drawn = [(case, answer) for case, answer in zip(cases, answers) if isinstance(case, FairCase)]
    gains = [_gain(case, [(left, right) for left, right in answer]) for case, answer in drawn]
    return 100 * sum(gains) / len(gains), None


def _complaint(answer: Any, number: int) -> str | None:
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


def _fair_cases(random: Random) -> Iterator[Case]:
    for _ in range(2):
        case = _fair_case(random)
        while _gain(case, train_for_the_worst_off(case.args[0], MERGES)) < LEAST_GAIN:
            case = _fair_case(random)
        yield case


EXERCISE = Exercise(
    key="02.fair_merges",
    title="A fair tokenizer",
    kind="design",
    difficulty=5,
    minutes=30,
    points=4,
    hints=(
        "Before each merge, find out which language is worst off, and choose a merge that helps this language.",
        "repeat: for each text, bytes / ids so far; take the language where that is lowest; count the "
        "pairs of its text alone; merge the most frequent of them in all texts",
        "Lesson 02 shows what a merge buys, and why Greek gains so little.",
    ),
    shown=(Case(CATEGORY, (_in_utf8(_drawn_texts(Random(3), ("Greek", "Georgian", "Hindi"))[0]), MERGES)),),
    drawn=_fair_cases,
    measure=_measured,
    levels=((105.0, 4), (101.0, 2)),
    smaller_is_better=False,
    unit="% of plain training",
)
