"""A language model that trains in a moment: counts of which token follows which (Witten and Bell, 1991).

    P(token | context) = (count of token after it + kinds * P(token | shorter context)) / (count of all + kinds)

where kinds is the number of different tokens seen after the context: if much has been new, much new is expected. The
shortest context is empty; before it, every token of the vocabulary is equally likely. So every token has a probability
above 0, and all probabilities add up to 1.

Limits: small texts and small orders; everything is kept in dictionaries. It is here to be compared, not to be good.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from minbpe_course.errors import InvalidOption


class NGramModel:
    """Counts of every row of up to ``order`` ids, and the probabilities that follow from them.

    >>> model = NGramModel([0, 1, 0, 1, 0], size=2, order=2)
    >>> round(model.probability([0], 1), 3)
    0.81
    """

    def __init__(self, ids: Sequence[int], size: int, order: int = 3) -> None:
        """Count ``ids``. size : tokens in the vocabulary, ids from 0 on. order : 1 looks at no context at all."""
        if order < 1 or size < 1:
            raise InvalidOption(f"order {order} and size {size}: both are 1 or more.")
        if ids and not 0 <= min(ids) <= max(ids) < size:
            raise InvalidOption(f"ids from {min(ids)} to {max(ids)} do not fit a vocabulary of {size}.")
        self.size, self.order = size, order
        self.counts: dict[tuple[int, ...], Counter[int]] = {}
        for length in range(order):
            rows = zip(*(ids[skipped:] for skipped in range(length + 1)))
            for (*context, token), count in Counter(rows).items():
                self.counts.setdefault(tuple(context), Counter())[token] = count
        self._totals = {context: counts.total() for context, counts in self.counts.items()}
        self._entropies: dict[tuple[int, ...], float] = {}

    def probability(self, context: Sequence[int], token: int) -> float:
        """Return the probability of a token after a context, of which the last ``order - 1`` ids count."""
        share = 1 / self.size
        for length in range(min(self.order, len(context) + 1)):
            behind = tuple(context[len(context) - length :])
            if behind not in self.counts:
                break
            counts = self.counts[behind]
            share = (counts[token] + len(counts) * share) / (self._totals[behind] + len(counts))
        return share

    def entropy(self, context: Sequence[int]) -> float:
        """Return how uncertain the token after a context is: the entropy of its probabilities, in bits.

        >>> NGramModel([], size=256).entropy([7])
        8.0
        """
        known = tuple(context[max(0, len(context) - self.order + 1) :])
        if known not in self._entropies:
            shorter = self.entropy(known[1:]) if known else math.log2(self.size)
            self._entropies[known] = self._sharpened(known, shorter) if known in self.counts else shorter
        return self._entropies[known]

    def _sharpened(self, context: tuple[int, ...], entropy: float) -> float:
        """Return the entropy after a context, from that after the context without its first token.

        Every share is scaled by the same factor, and the tokens seen here gain something. So only those are computed:
        subtract them from the old sum, scale the rest, and add them to the new one.
        """
        counts = self.counts[context]
        whole = self._totals[context] + len(counts)
        factor = len(counts) / whole
        before = [self.probability(context[1:], token) if context else 1 / self.size for token in counts]
        after = [factor * share + count / whole for share, count in zip(before, counts.values())]
        unseen = entropy + math.fsum(share * math.log2(share) for share in before)
        scaled = factor * (unseen - (1 - math.fsum(before)) * math.log2(factor))
        return scaled - math.fsum(share * math.log2(share) for share in after)

    def nats(self, ids: Sequence[int]) -> float:
        """Return the loss on these ids: the sum of ``-log`` of the probability of each id after those before it.

        >>> NGramModel([], size=256).nats([7, 7]) == 2 * math.log(256)
        True
        """
        reach = self.order - 1
        return -math.fsum(
            math.log(self.probability(ids[max(0, at - reach) : at], token)) for at, token in enumerate(ids)
        )


class ByteContextModel:
    """The same counts after the last bytes instead of the last tokens: every vocabulary is given the same context.

    The contexts are the last 0, 1, 2, 4 and 8 bytes before a token, wherever tokens begin and end in them. With few
    lengths, a context that occurred once is not counted again at every length.

    >>> model = ByteContextModel([[0, 1, 0, 1, 0]], [b"a", b"b"], size=2, lengths=(0, 1))
    >>> round(model.probability(b"ba", 1), 3)
    0.81
    """

    def __init__(
        self,
        documents: Iterable[Sequence[int]],
        token_bytes: Mapping[int, bytes] | Sequence[bytes],
        size: int,
        lengths: Sequence[int] = (0, 1, 2, 4, 8),
    ) -> None:
        """Count the tokens of documents, none of which sees another.

        token_bytes : the bytes of each id. size : tokens in the vocabulary. lengths : of the contexts, ascending.
        """
        if size < 1 or not lengths or min(lengths) < 0 or list(lengths) != sorted(set(lengths)):
            raise InvalidOption(
                f"size {size}, lengths {lengths!r}: size is 1 or more, lengths are 0 or more, ascending."
            )
        self.size, self.lengths, self.token_bytes = size, tuple(lengths), token_bytes
        self.counts: dict[bytes, dict[int, int]] = {}
        for ids in documents:
            for before, token in self._places(ids):
                for length in self.lengths:
                    if length > len(before):
                        break
                    counts = self.counts.setdefault(before[len(before) - length :], {})
                    counts[token] = counts.get(token, 0) + 1
        self._totals = {context: sum(counts.values()) for context, counts in self.counts.items()}

    def _places(self, ids: Sequence[int]) -> Iterator[tuple[bytes, int]]:
        """Yield each token with the bytes before it, as many as the longest context has."""
        before, most = b"", self.lengths[-1]
        for token in ids:
            yield before, token
            before += self.token_bytes[token]
            before = before[max(0, len(before) - most) :]

    def probability(self, before: bytes, token: int) -> float:
        """Return the probability of a token after these bytes, of which the last ones count."""
        share = 1 / self.size
        for length in self.lengths:
            context = before[len(before) - length :]
            if length > len(before) or context not in self.counts:
                break
            counts = self.counts[context]
            share = (counts.get(token, 0) + len(counts) * share) / (self._totals[context] + len(counts))
        return share

    def nats(self, ids: Sequence[int]) -> float:
        """Return the loss on a document: the sum of ``-log`` of the probability of each id after the bytes before it.

        >>> ByteContextModel([], [b"a", b"b"], size=2).nats([0, 1]) == 2 * math.log(2)
        True
        """
        return -math.fsum(math.log(self.probability(before, token)) for before, token in self._places(ids))
