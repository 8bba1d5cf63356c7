"""Real text: what a tokenizer may learn from, and what is held out to score it.

    sources()          English, code and other languages of the course's texts, without what is held out
    held_out()         two stories, a program, and six sentences in twelve languages: the same for everyone
    held_out(seed)     passages of this Python's help pages and standard library, drawn from a secret

Nothing is generated and nothing is downloaded. Limits: all of it is public, so a learner can train on it. A secret
hides only which passages count; texts that a teacher brings (``own_texts``) are the ones that no learner has seen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from minbpe_course.corpus.texts import clock_story, course_sections, parallel_sentences, pydoc_topics, python_source
from minbpe_course.errors import InvalidSource

CODE = ("A program in Python", "Indented with tabs", "Other notations", "Numbers")
HELD_STORIES = ("Questions at the Counter", "Seven Ways to Cross a River")
HELD_CODE = CODE[:1]
STORIES = 12  # sections at the beginning of the course's text
LEARNED = 8, 3  # sentences at the beginning of the story and of the scene that a tokenizer may learn from
PASSAGES = 20  # drawn of each kind
SENTENCES = 4  # drawn of those that are held out in every language
SOURCE_BYTES = 20_000_000
Texts = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class HeldOut:
    """Texts by kind, and the same sentences in several languages.

    name : the start of a fingerprint; results on texts with different names must not be compared.
    """

    name: str
    texts: Texts = field(repr=False)
    parallel: Texts = field(repr=False)


def sources() -> dict[str, list[str]]:
    """Return the texts to learn from by kind: "English", "code", and each other language by its name.

    >>> texts = sources()
    >>> len(texts), len(texts["Tamil"]), texts["Greek"][0]
    (38, 11, 'Το ρολόι της πλατείας ήταν σταματημένο εδώ και έντεκα χρόνια.\\n')
    """
    story, scenes = clock_story(), parallel_sentences()
    found = {"English": _paragraphs(set(_stories()) - {*HELD_STORIES}), "code": _paragraphs({*CODE} - {*HELD_CODE})}
    for language in [*story, *(each for each in scenes if each not in story)]:
        known = story.get(language, [])[: LEARNED[0]] + scenes.get(language, [])[: LEARNED[1]]
        found[language] = found.get(language, []) + known
    return found


def held_out(seed: str | None = None) -> HeldOut:
    """Return the texts that are the same for everyone; with a seed, those that are drawn from it.

    >>> public, one, same, other = held_out(), held_out("a"), held_out("a"), held_out("b")
    >>> [*public.texts], len(public.parallel), len(public.parallel["Tamil"])
    (['stories', 'code'], 12, 6)
    >>> one == same, one.texts["code"] == other.texts["code"]
    (True, False)
    """
    story, scenes = clock_story(), parallel_sentences()
    parallel = {language: story[language][LEARNED[0] :] + scenes[language][LEARNED[1] :] for language in story}
    texts = {"stories": _paragraphs(HELD_STORIES), "code": _paragraphs(HELD_CODE)}
    if seed is not None:
        dice = Random(hashlib.sha256(b"held out\0" + seed.encode("utf-8", "surrogatepass")).digest())
        chosen = dice.sample(range(len(parallel["English"])), SENTENCES)
        parallel = {language: [sentences[at] for at in chosen] for language, sentences in parallel.items()}
        for kind, whole in ("help pages", pydoc_topics()), ("code", python_source(SOURCE_BYTES)):
            passages = [each + "\n\n" for each in whole.split("\n\n") if 200 < len(each) < 1000]
            texts[kind] = dice.sample(passages, PASSAGES)
    return own_texts(texts, parallel)


def own_texts(texts: Texts, parallel: Texts) -> HeldOut:
    """Return texts of the caller's.

    texts : by kind. parallel : by language, all with the same content.

    Raises InvalidSource without any text, or with fewer than two languages.

    >>> hats = {"en": ["hat"], "de": ["Hut"]}
    >>> own_texts({"mine": ["low lower"]}, hats).name == own_texts({"mine": ["low"]}, hats).name
    False
    """
    if not any(map("".join, texts.values())):
        raise InvalidSource("there is no text to measure: give at least one that is not empty.")
    if len(parallel) < 2 or not all(map("".join, parallel.values())):
        raise InvalidSource("costs are compared in at least two languages: give the same text in each of them.")
    whole = repr([sorted((name, *each) for name, each in one.items()) for one in (texts, parallel)])
    name = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return HeldOut(name, dict(texts), dict(parallel))


def _stories() -> list[str]:
    return [*course_sections()][:STORIES]


def _paragraphs(titles: Sequence[str] | set[str]) -> list[str]:
    """Return the paragraphs of some sections in the order of the course's text."""
    found = []
    for title, section in course_sections().items():
        if title in titles:
            found += [part + "\n\n" for part in section.partition("\n\n")[2].strip("\n").split("\n\n")]
    return found
