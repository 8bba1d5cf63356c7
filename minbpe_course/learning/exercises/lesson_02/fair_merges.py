"""Exercise 02.fair_merges: merges for several languages, judged by the language that gains least.

The learner gets much text in one language and little in three others. The metric uses text that the learner's function
has not seen, in the same languages. It is the number of bytes per id in the language where that is lowest, compared
with plain training on all texts together.

The shown texts are real. All others are in languages that are invented for the draw, in letters from anywhere in
Unicode, so no list of merges prepared in advance fits them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, pairwise
from random import Random
from typing import Any

from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning.exercises.invented_language import InventedLanguage
from minbpe_course.learning.judge.exercise import Case, Exercise


def fair_merges(texts, number):
    """Return at most number merges that serve the language that is worst off.

    In the lesson, a tokenizer trained on English saved almost nothing on Greek. Can one small vocabulary serve several
    languages when there is a lot of text in one of them and little in the others? This is an open question, and it has
    more than one right answer.

    * **In:** `texts`, a dict from language to text (`bytes`): 2,000 characters of one language in Latin letters, and
      150 characters of each of three others in other scripts; `number`, how many merges are allowed.
    * **Out:** a list of at most `number` pairs of ids, in the order in which they are to be merged. The first makes id
      256.

    We apply your merges to *other* texts in the same languages, and measure how many bytes one id stands for in the
    language **that is worst off**. Plain training on all the texts together is 100 %. You earn two points for 103 % and
    all four for 105 %, on average over several choices of languages. For example, `[(97, 98)]` is a valid answer for
    every input, but a bad one. The first texts are real. All the others are in languages that are invented for the
    check, so a list prepared in advance won't help.

    Here is the result of plain training, on texts like those you will get:
    """
    # With one character per id, str.replace does the merging and Counter the counting.
    now = {language: data.decode("latin-1") for language, data in texts.items()}
    chosen = []
    for new_id in range(256, 256 + number):
        poorest = min(now, key=lambda language: len(texts[language]) / len(now[language]))
        counts = Counter(zip(now[poorest], now[poorest][1:]))
        if not counts:
            break
        (left, right), _ = counts.most_common(1)[0]
        chosen.append((ord(left), ord(right)))
        now = {language: text.replace(left + right, chr(new_id)) for language, text in now.items()}
    return chosen


Merges = list[tuple[int, int]]

MUCH, LITTLE, UNSEEN = 2000, 150, 400  # characters
CASES = 6
SCRIPT = 30  # letters
SCRIPTS = (range(0x80, 0x7E0), range(0x800, 0xD7E0), range(0x800, 0xD7E0))  # where they begin: of two and three bytes
MERGES = 30
CATEGORY = "much of one language, little of the others"
LEAST_GAIN = 1.06  # of a good answer in every drawn case


@dataclass(frozen=True)
class FairCase(Case):
    """Texts by language as ``args``. The shown case is a plain one: an answer prepared for it proves nothing.

    unseen : other texts, by which the merges are measured.
    plain : the bytes per id of plain training in the language where they are fewest.
    """

    unseen: Mapping[str, bytes] = field(default_factory=dict)
    plain: float = 1.0


def _script(random: Random, codes: range) -> str:
    """Return letters from these codes: neighbors in Unicode, as those of real scripts are."""
    first = random.choice(codes)
    return "".join(map(chr, range(first, first + SCRIPT)))


def _fair_case(random: Random) -> FairCase:
    languages = [InventedLanguage(random), *(InventedLanguage(random, _script(random, codes)) for codes in SCRIPTS)]
    given, unseen = {}, {}
    for language, length in zip(languages, (MUCH, LITTLE, LITTLE, LITTLE)):
        text, name = language.text(length + UNSEEN), "".join(language.sentence())
        given[name], unseen[name] = text[:length].encode("utf-8"), text[length:].encode("utf-8")
    plain = _least(unseen, _trained(given, MERGES, lambda now: now.values()))
    return FairCase(CATEGORY, (given, MERGES), unseen=unseen, plain=plain)


def _shown_texts() -> dict[str, bytes]:
    sections = course_sections()
    texts = {"English": list(sections.values())[1].partition("\n\n")[2][:MUCH]}
    for language in ("Greek", "Georgian", "Hindi"):
        texts[language] = sections[f"A morning in {language}"].partition("\n\n")[2][:LITTLE]
    return {language: text.encode("utf-8") for language, text in texts.items()}


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
    for _ in range(CASES):
        case = _fair_case(random)
        while _gain(case, train_for_the_worst_off(case.args[0], MERGES)) < LEAST_GAIN:
            case = _fair_case(random)
        yield case


EXERCISE = Exercise(
    key="02.fair_merges",
    answer=fair_merges,
    picture=r"""
from minbpe_course import BasicTokenizer
from minbpe_course.corpus.texts import course_sections
from minbpe_course.showing import compare_tokens

sections = course_sections()
texts = {name: sections[f"A morning in {name}"].split("\n\n")[1] for name in ("Greek", "Georgian", "Hindi")}
texts = {"English": sections["The Neighbours"].split("\n\n", 1)[1][:2000]} | texts
plain = BasicTokenizer().train("".join(texts.values()), vocab_size=256 + 30)
print({name: round(len(text.encode()) / len(plain.encode(text)), 2) for name, text in texts.items()}, "bytes per id")
compare_tokens({name: (plain.decode_tokens_bytes(plain.encode(text[:40])), None) for name, text in texts.items()})
""",
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
    shown=(Case(CATEGORY, (_shown_texts(), MERGES)),),
    drawn=_fair_cases,
    measure=_measured,
    levels=((105.0, 4), (103.0, 2)),
    smaller_is_better=False,
    unit="% of plain training",
)
