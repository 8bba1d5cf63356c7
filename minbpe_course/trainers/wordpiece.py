"""Training WordPiece as the `tokenizers` library does: byte-pair merges of characters, of which the tokens are kept.

    words     low 5   lower 2   newest 6
    symbols   l ##o ##w   l ##o ##w ##e ##r   n ##e ##w ##e ##s ##t
    merges    ##w ##e -> ##we    ...

Encoding knows no merges, only the tokens. Reference implementation: ``reference.wordpiece_training``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from minbpe_course.corpus.mistaken_paths import warn_if_path
from minbpe_course.counting.sources import texts
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import InvalidSpecialToken, InvalidVocabularySize
from minbpe_course.formats.wordpiece_vocab import MARK, ROLES, wordpiece_record
from minbpe_course.model import PieceModel
from minbpe_course.text.normalizer_steps import normalizer
from minbpe_course.text.split_steps import word_cutter
from minbpe_course.trainers.byte_pair import learn_stage
from minbpe_course.trainers.training_arrays import BYTE_SIZES

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def train_wordpiece(
    source: Any,
    vocab_size: int = 30_000,
    *,
    lowercase: bool = True,
    special_tokens: Sequence[str] = SPECIAL_TOKENS,
    min_frequency: int = 1,
    limit_alphabet: int | None = None,
    continuing: Iterable[str] = (),
) -> PieceModel:
    """Learn a WordPiece model with BERT's rules; return its record, which ``load_tokenizer`` takes.

    source : a text, a path, or an iterable of both · vocab_size : of all tokens; fewer if no pair is left · lowercase :
    write small letters without accents, as BERT's uncased models do · special_tokens : they have the first ids;
    "[UNK]" must be one · min_frequency : of a pair that is merged · limit_alphabet : how many characters to keep, the
    commonest; others are left out of the words, as in `tokenizers` · continuing : marked characters that come first.

    The tokens and ids are those of ``WordPieceTrainer`` in `tokenizers`, but for one thing: there, the ids of marked
    characters have the order of a hash table, another one in each process, and of equally frequent pairs the one with
    the lower ids is merged. Here they are in the order of the characters, after those in ``continuing``.

    Raises InvalidSource, UnusablePath, InvalidVocabularySize, InvalidSpecialToken.

    >>> train_wordpiece("low low low lower", 17).pieces[-3:]
    ('lo', 'low', '##er')
    """
    if ROLES["unk"] not in special_tokens or len(set(special_tokens)) < len(special_tokens):
        raise InvalidSpecialToken(
            f"special_tokens must be different and have {ROLES['unk']!r}, got {special_tokens!r}."
        )
    warn_if_path(source)
    steps = ("Bert", True, True, lowercase, lowercase)
    rewrite, cut = normalizer((steps,)), word_cutter((("Bert",),))
    counts: Counter[str] = Counter()
    for text in texts(source, r"\S+|\s+"):
        counts.update(cut(rewrite(text)))
    alphabet: Counter[str] = Counter()
    for word, count in counts.items():
        for character in word:
            alphabet[character] += count
    kept = sorted(sorted(alphabet, key=lambda one: (-alphabet[one], one))[:limit_alphabet])
    known = set(kept)
    # A character keeps its mark where those before it are left out.
    words = [
        ([MARK + one if place else one for place, one in enumerate(word) if one in known], count)
        for word, count in counts.items()
    ]
    marked = {one for word, _ in words for one in word if one not in known}
    later = [*(one for one in continuing if one in marked), *sorted(marked)]
    tokens = list(dict.fromkeys([*special_tokens, *kept, *later]))
    if vocab_size < len(tokens):
        raise InvalidVocabularySize(
            f"vocab_size={vocab_size} cannot hold the {len(tokens):,} special tokens and characters. "
            f"Give {len(tokens)} or more, or limit_alphabet=."
        )
    tokens += _merged([word for word in words if word[0]], tokens, vocab_size, min_frequency)
    return wordpiece_record(tokens, list(special_tokens), ROLES["unk"], steps, (ROLES["cls"], ROLES["sep"]))


def _merged(split: list[tuple[list[str], int]], tokens: list[str], vocab_size: int, min_frequency: int) -> list[str]:
    """Return the tokens that merges make of words, given as their symbols and how often they occur."""
    ids = {token: 256 + place for place, token in enumerate(tokens)}
    symbols = np.array([ids[one] for word, _ in split for one in word], dtype=np.uint32)
    data = ["".join(one[-1] for one in word).encode("utf-8") for word, _ in split]
    words = WordCounts(
        np.frombuffer(b"".join(data), dtype=np.uint8),
        np.cumsum([len(word) for word in data], dtype=np.int64),
        np.array([count for _, count in split], dtype=np.int64),
    )
    sizes = [len(token[-1].encode("utf-8")) for token in tokens]
    given = np.concatenate([BYTE_SIZES, np.array(sizes, dtype=np.int64)])
    known, again = set(tokens), 0
    while True:
        size = 256 + vocab_size + again
        pairs = learn_stage(words, size, ("smallest-pair", max(1, min_frequency)), None, given, 0, symbols)
        texts, made = list(tokens), []
        for left, right in pairs.merges().tolist():
            texts.append(texts[left - 256] + texts[right - 256].removeprefix(MARK))
            made.append(texts[-1])
        new = list(dict.fromkeys(token for token in made if token not in known))
        if len(pairs.merges()) < size - 256 - len(tokens) or len(new) >= vocab_size - len(tokens):
            return new[: vocab_size - len(tokens)]
        # A token that two pairs make is one token.
        again += vocab_size - len(tokens) - len(new)
