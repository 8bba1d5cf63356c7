"""Languages drawn from a seed, for open questions: no table prepared in advance knows their words or their grammar."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from string import ascii_lowercase

_STEMS = {"noun": 60, "verb": 40, "adjective": 30, "particle": 10}
_ENDINGS = 4


class InventedLanguage:
    """Draw the syllables, stems, endings and word order of a language, and how common each of them is.

    random : decides on the language and on its sentences.
    letters : the letters of its words, at least eight; a quarter of them are vowels.

    >>> InventedLanguage(Random(1)).text(60)
    'Rcas e jiltem mpjjdfsrafev, wcffpqc. Ozeoxsbsas hc fdbpfafcw'
    """

    def __init__(self, random: Random, letters: str = ascii_lowercase) -> None:
        self._random = random
        shuffled = random.sample(letters, len(letters))
        self._vowels, self._consonants = shuffled[: len(letters) // 4], shuffled[len(letters) // 4 :]
        clusters = ["".join(random.sample(self._consonants, 2)) for _ in range(5)]
        onsets = ["", "", *self._consonants, *clusters]
        self._onsets = random.sample(onsets, len(onsets))
        self._closed = random.uniform(0.3, 0.7)  # the share of syllables that end in a consonant
        self._stems = {kind: self._words(number, kind) for kind, number in _STEMS.items()}
        self._endings = {kind: ["", *(self._syllable() for _ in range(_ENDINGS))] for kind in _STEMS}
        self._prefixing = random.random() < 0.25
        self._phrase = random.sample(["particle", "adjective", "noun"], 3)
        self._order = random.sample(["subject", "verb", "object"], 3)

    def _common(self, items: Sequence[str]) -> str:
        """Return one of the items, drawn by the Zipf-Mandelbrot law: the first is the most common."""
        return self._random.choices(items, [1 / (rank + 2.7) for rank in range(len(items))])[0]

    def _syllable(self) -> str:
        end = self._common(self._consonants) if self._random.random() < self._closed else ""
        return self._common(self._onsets) + self._common(self._vowels) + end

    def _words(self, number: int, kind: str) -> list[str]:
        longest = 1 if kind == "particle" else 3
        return ["".join(self._syllable() for _ in range(self._random.randint(1, longest))) for _ in range(number)]

    def _word(self, kind: str) -> str:
        stem = self._common(self._stems[kind])
        if kind == "particle":
            return stem
        ending = self._common(self._endings[kind])
        return ending + stem if self._prefixing else stem + ending

    def sentence(self) -> list[str]:
        """Return the words of a sentence: two noun phrases and a verb, in the order of the language."""
        words = []
        for part in self._order:
            kinds = ["verb"] if part == "verb" else self._phrase
            words += [self._word(kind) for kind in kinds if kind in ("noun", "verb") or self._random.random() < 0.5]
        return words

    def text(self, length: int) -> str:
        """Return ``length`` characters of sentences, which begin with a capital if the letters have capitals."""
        text = ""
        while len(text) < length:
            one, *more = self.sentence()
            between = self._random.choices([" ", ", "], [4, 1], k=len(more))
            text += one.capitalize() + "".join(map(str.__add__, between, more)) + ". "
        return text[:length]
