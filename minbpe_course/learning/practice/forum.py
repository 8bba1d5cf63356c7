"""A tokenizer that has read more than its model: stories and a forum for the one, the stories alone for the other."""

from __future__ import annotations

import random

from minbpe_course.corpus.texts import course_sections
from minbpe_course.reference.bigram_model import BigramModel, sampled
from minbpe_course.tokenizers.regex_bpe import RegexTokenizer

USERS = ("QuietHeronOwl", "SevenBridgesBot", "xX_TinnedPeach", "reposted_by_mod")
STORIES = 12  # sections at the beginning of the course's text
POSTS = 150
SIZE = 900  # tokens
TEXTS, LENGTH = 1000, 20  # that a model writes, and their ids


def stories_and_forum(seed: int) -> tuple[RegexTokenizer, list[int]]:
    """Return a tokenizer that learned from the stories and from posts about four users, and the ids of the stories.

    A post is a sentence of the stories, drawn by the seed, with the name of a user before it.

    >>> tokenizer, ids = stories_and_forum(12)
    >>> len(tokenizer.vocab), b"QuietHeronOwl" in tokenizer.vocab.values()
    (900, True)
    """
    stories = "".join([*course_sections().values()][:STORIES])
    draw = random.Random(seed)
    posts = [f"{draw.choice(USERS)} said: {line}\n" for line in draw.sample(stories.split(". "), POSTS)]
    tokenizer = RegexTokenizer().train(stories + "".join(posts), SIZE)
    return tokenizer, tokenizer.encode_ordinary(stories)


def encoded_again(
    model: BigramModel, tokenizer: RegexTokenizer, begin: int, seed: int
) -> list[tuple[list[int], list[int]]]:
    """Let a model write texts after the id ``begin``; return the ids that it drew, and the ids of the whole text.

    Texts that are not UTF-8 are left out.

    >>> from minbpe_course.reference.bigram_model import trained_bigrams
    >>> rows = encoded_again(trained_bigrams([97, 98] * 300, 256), RegexTokenizer(), 97, seed=0)
    >>> rows[0][1] == [97, *rows[0][0]]
    True
    """
    rows = []
    for drawn in sampled(model, begin, LENGTH, TEXTS, seed):
        try:
            text = b"".join(tokenizer.vocab[token] for token in [begin, *drawn]).decode("utf-8")
        except UnicodeDecodeError:
            continue
        rows.append((drawn, tokenizer.encode_ordinary(text)))
    return rows
