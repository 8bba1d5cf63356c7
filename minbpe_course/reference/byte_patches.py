"""Cut bytes into patches where the next byte is hard to guess, without any vocabulary.

    text      t h e _ c a t _ s a t           the entropy before each byte, in bits: high at the start of a word,
    entropy   5 2 1 1 4 3 2 1 4 3 2           low inside it, where few bytes are likely
    patches   t h e _|c a t _|s a t           cut before every byte whose entropy is above 3

A small model of bytes gives the entropies (in the paper a transformer, here ``NGramModel``). A patch begins

    by the global threshold    where the entropy is above the threshold
    by the rise                where it is above that of the byte before by more than the threshold

The paper sets the threshold to get patches of a wanted average length; ``threshold_for`` finds it.

Limits: the first byte always begins a patch. Lengths have no upper bound, and the model does not forget
at line breaks, as it does in some of the paper's experiments.

Source: Pagnoni et al., "Byte Latent Transformer: Patches Scale Better Than Tokens" (2024), section 2.3,
https://arxiv.org/abs/2412.09871. Entropies are in nats there, in bits here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from minbpe_course.errors import InvalidOption
from minbpe_course.reference.ngrams import NGramModel


def entropies(text: bytes, model: NGramModel) -> list[float]:
    """Return the entropy of every byte of a text in bits, each before it is seen: 0 is certain, 8 is anything.

    model : counts of bytes, made with ``size=256``.

    >>> model = NGramModel(b"the cat sat on the mat", size=256, order=2)
    >>> [round(each, 1) for each in entropies(b"the mat", model)]
    [5.4, 3.0, 2.6, 2.4, 4.4, 3.5, 1.9]
    """
    reach = model.order - 1
    return [model.entropy(text[max(0, at - reach) : at]) for at in range(len(text))]


def _begins(entropies: Sequence[float], rise: bool) -> list[float]:
    """Return the numbers that the threshold is compared with, of all bytes but the first."""
    return [now - before if rise else now for before, now in pairwise(entropies)]


def patches(text: bytes, entropies: Sequence[float], threshold: float, *, rise: bool = False) -> list[bytes]:
    """Return the patches of a text; joined, they are the text.

    entropies : of every byte, in bits. rise : compare the rise over the byte before, not the entropy itself.

    >>> patches(b"the cat", [5, 2, 1, 1, 4, 3, 2], 2.5)
    [b'the ', b'c', b'at']
    >>> patches(b"the cat", [5, 2, 1, 1, 4, 3, 2], 2.5, rise=True)
    [b'the ', b'cat']
    """
    if len(entropies) != len(text):
        raise InvalidOption(f"{len(entropies):,} entropies for {len(text):,} bytes: every byte has one.")
    cuts = [at for at, height in enumerate(_begins(entropies, rise), start=1) if height > threshold]
    return [text[begin:end] for begin, end in pairwise([0, *cuts, len(text)]) if begin < end]


def threshold_for(entropies: Sequence[float], length: float, *, rise: bool = False) -> float:
    """Return the lowest threshold whose patches are at least ``length`` bytes long on average.

    >>> threshold_for([5, 2, 1, 1, 4, 3, 2], 3)
    3
    >>> patches(b"the cat", [5, 2, 1, 1, 4, 3, 2], 3)
    [b'the ', b'cat']
    """
    if not 1 <= length <= len(entropies):
        raise InvalidOption(
            f"patches of {length:,} bytes from a text of {len(entropies):,}: choose from 1 to the length of the text."
        )
    heights = sorted(_begins(entropies, rise), reverse=True)
    most = int(len(entropies) / length)  # patches; the first needs no threshold
    return heights[most - 1] if most <= len(heights) else float("-inf")
