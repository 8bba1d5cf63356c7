"""SuperBPE: merges inside words first, then merges across them (Liu and others, arXiv 2503.13423, 2025).

    text      by the way, by the way            cut into phrases, and each phrase into words

    stage 1   by| the| way , by| the| way       merges inside words, until there are ``transition`` tokens
    stage 2   by the way , by the way           the same merges again, in phrases; then merges that cross words

Only the border that stops a merge changes between the stages. Without stage 1 the first merges of English would be
"e " and " t", and tokens such as "e t" would come before the words. With it, the common words are tokens when the
second stage begins, which then joins whole words: " of the", " by the way".

A phrase is to stage 2 what a word is to BPE, so the result is an ordinary tokenizer: phrases are its words, and its
merges apply in rank order, as ``encoding.encode_word`` applies them. Words are cut from phrases, so no token of stage 1
crosses a border that the tokenizer keeps.

The paper's second stage cuts numbers into threes, and allows no colon before a space and at most four words in a token.
Here the pattern that cuts phrases sets the limits: "superwords" in ``text.patterns`` does so with numbers and colons,
and ends a phrase at a blank line. The package trains this way with ``train(..., stages=[(transition, pattern)],
pattern="superwords")``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from minbpe_course.reference.counting import count_words
from minbpe_course.reference.pairs import Pair
from minbpe_course.reference.training import MergeStep, train_steps

Split = Callable[[str], Iterable[str]]


def words_in(phrases: Mapping[bytes, int], split: Split) -> dict[bytes, int]:
    """Count the words of counted phrases; each phrase is split once, however often it occurs.

    >>> words_in({b"by the way": 2, b" the": 1}, lambda phrase: phrase.replace(" ", "| ").strip("|").split("|"))
    {b'by': 2, b' the': 3, b' way': 2}
    """
    words: dict[bytes, int] = {}
    for phrase, count in phrases.items():
        for word in split(phrase.decode()):
            words[word.encode()] = words.get(word.encode(), 0) + count
    return words


def superword_steps(
    phrases: Mapping[bytes, int] | Iterable[bytes],
    split: Split,
    vocab_size: int,
    transition: int,
    *,
    tie_break: str = "first-seen",
    min_frequency: int = 1,
) -> Iterator[MergeStep]:
    """Yield the merges of both stages; stop early when no pair is left.

    phrases : byte strings with how often each occurs, or just byte strings in the order of the text. split : cuts a
    phrase into its words. transition : how many tokens, the 256 bytes among them, the first stage makes; 256 leaves
    it out, and ``vocab_size`` leaves out the second. tie_break, min_frequency : as of ``training.train_steps``.

    >>> split = lambda phrase: phrase.replace(" ", "| ").strip("|").split("|")
    >>> phrases = [b"by the way", b"by the way"]
    >>> [step.token for step in superword_steps(phrases, split, 265, transition=263)]
    [b'by', b' t', b' th', b' the', b' w', b' wa', b' way', b'by the', b'by the way']
    """
    counted = phrases if isinstance(phrases, Mapping) else count_words(phrases)
    merges: list[Pair] = []
    for words, size in ((words_in(counted, split), min(transition, vocab_size)), (counted, vocab_size)):
        for step in train_steps(words, size, after=merges, tie_break=tie_break, min_frequency=min_frequency):
            merges.append(step.pair)
            yield step
