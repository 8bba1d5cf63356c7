"""Calls that every tokenizer has, built on a few methods of each class: budgets, segments of a chat, streams.

count(text)         how many ids there are              truncate(text, n)    the beginning of a text, n ids at most
encode_segments     special tokens only where allowed   stream()             ids in, complete characters out
"""

from __future__ import annotations

import operator
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from minbpe_course.engines.decoding import must_iterate
from minbpe_course.errors import InvalidOption, NotText
from minbpe_course.model.frames import NO_FRAME, Frame
from minbpe_course.splitting.splitter import must_be_text
from minbpe_course.tokenizers.framing import framed_list

# How many characters after the place that counting finds may still be a better one.
_AHEAD = 32


class StreamDecoder:
    """Turns ids into text, one by one, as they arrive; ``tokenizer.stream()`` makes one.

    Joined, the texts are what ``decode`` gives for all ids. Each text has complete characters; the bytes of an
    unfinished one wait for the rest.

    >>> from minbpe_course import get_encoding
    >>> encoding = get_encoding("gpt2")
    >>> decoder = encoding.stream()
    >>> [decoder.push(token_id) for token_id in encoding.encode("Hi 👋")], decoder.finish()
    (['Hi', ' ', '👋'], '')
    """

    def __init__(self, push: Callable[[int], str], finish: Callable[[], str], prompt_ids: Iterable[int]) -> None:
        self._push, self._finish = push, finish
        self._finished = False
        for token_id in must_iterate(prompt_ids):
            push(token_id)

    def push(self, token_id: int) -> str:
        """Take the next id; return the text that is certain now, often "". Raises InvalidTokenId.

        Raises InvalidOption after ``finish``.
        """
        if self._finished:
            raise InvalidOption("this stream is finished. Begin another: tokenizer.stream().")
        return self._push(token_id)

    def finish(self) -> str:
        """Return the rest of the text, with U+FFFD for a character that no id has completed."""
        if self._finished:
            return ""
        self._finished = True
        return self._finish()


class CommonCalls:
    """The calls that are the same in every class; a base class."""

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ``text``; special tokens in it are ordinary text."""
        raise NotImplementedError

    def _cut_special(self, text: str) -> Iterable[str | int]:
        """Return the parts of a text between its special tokens, and the ids of these."""
        raise NotImplementedError

    def _encode_part(self, text: str, first: bool) -> list[int]:
        """Return the ids of a text between special tokens. first : whether none is before it."""
        return self.encode_ordinary(text)

    def stream(self, prompt_ids: Iterable[int] = (), *, skip_special_tokens: bool = False) -> StreamDecoder:
        """Return a StreamDecoder, which turns ids into text as they arrive."""
        raise NotImplementedError

    @property
    def _frame(self) -> Frame:
        """The ids before and after a text, for ``frame=True``."""
        return NO_FRAME

    def encode_segments(self, segments: Iterable[tuple[str, bool]], *, frame: bool = False) -> list[int]:
        """Return the ids of a text in segments, each with ``allow_special``: whether its special tokens count.

        A segment with False never gives a special token, so it is for the text of a stranger. The text between two
        special tokens is encoded as one, also if it is from several segments. So tokens may reach across a border, but
        special tokens may not. Tokens of a tokenizer.json that take in spaces next to them (``lstrip``, ``rstrip``,
        ``normalized``) do not do so here. frame : put the ids of the post-processor around all. Raises NotText,
        InvalidOption.

        >>> from minbpe_course import get_encoding
        >>> encoding = get_encoding("cl100k_base")
        >>> encoding.encode_segments([("<|endoftext|>", True), ("Hi ", False), ("<|endoftext|>", False)])
        [100257, 13347, 83739, 8862, 728, 428, 91, 29]
        """
        ids: list[int] = []
        texts: list[str] = []
        for segment in must_iterate(segments):
            text, allowed = _checked_segment(segment)
            for part in self._cut_special(text) if allowed else [text]:
                if isinstance(part, str):
                    texts.append(part)
                else:
                    ids += [*self._encode_part("".join(texts), not ids), part]
                    texts.clear()
        ids += self._encode_part("".join(texts), not ids)
        return framed_list(ids, self._frame) if frame else ids

    def decode_stream(self, ids: Iterable[int], *, skip_special_tokens: bool = False) -> Iterator[str]:
        """Yield the text of ids as they come; the bytes of an unfinished character wait for the rest.

        Joined, the texts are the result of ``decode`` for all ids. ``stream`` takes the ids one by one. Raises
        InvalidTokenId.

        >>> from minbpe_course import get_encoding
        >>> list(get_encoding("gpt2").decode_stream(iter([31373, 995])))
        ['hello', ' world']
        """
        decoder = self.stream(skip_special_tokens=skip_special_tokens)
        for token_id in must_iterate(ids):
            if text := decoder.push(token_id):
                yield text
        if text := decoder.finish():
            yield text


def longest_prefix(
    text: str,
    most: int,
    encode: Callable[[str], np.ndarray],
    count: Callable[[str], int],
    tokens_of: Callable[[np.ndarray], list[bytes]] | None = None,
    added: int = 0,
) -> str:
    """Return the longest beginning of ``text`` that is whole tokens and whole characters, and ``most`` ids at most.

    tokens_of : the bytes of each id, where they may be those of the text · added : ids that are added to each text.
    Raises InvalidOption for a number below that.
    """
    most = _whole_number(most, added) - added
    ids = encode(must_be_text(text))
    if len(ids) <= most:
        return text
    places: Sequence[int] | None = None if tokens_of is None else _token_ends(text, tokens_of(ids[:most]))
    searched = places is None
    if places is None:
        # Normalization hides where tokens end: the end of a token is where the ids so far are those of the whole text.
        # A longer beginning may have fewer ids: "▁na" is one, and "▁n" may be two.
        near = bisect_right(range(len(text)), most, key=lambda end: count(text[:end]))
        places = range(min(near + _AHEAD, len(text)))

    def fits(prefix: str) -> bool:
        if not searched:
            return count(prefix) <= most
        own = encode(prefix)
        whole = not ("\ud800" <= prefix[-1:] <= "\udbff" and "\udc00" <= text[len(prefix)] <= "\udfff")
        return whole and len(own) <= most and np.array_equal(own, ids[: len(own)])

    # A beginning alone may have more ids than as a part of the text. The steps grow, so that there are few.
    back = 1
    while back <= len(places):
        prefix = text[: places[-back]]
        if fits(prefix):
            return prefix
        back += 1 + back // 64
    return ""


def _token_ends(text: str, tokens: list[bytes]) -> list[int] | None:
    """Return where the tokens at the beginning of a text end, in characters, or None if the text has other bytes.

    The end of a token inside a character is left out.
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        return None
    if not data.startswith(b"".join(tokens)):
        return None
    begins = (np.frombuffer(data + b" ", dtype=np.uint8) & 0xC0) != 0x80
    ends = np.cumsum([0, *map(len, tokens)])
    found: list[int] = (np.cumsum(begins)[ends] - 1)[begins[ends]].tolist()
    return found


def _whole_number(most: int, least: int) -> int:
    try:
        number = operator.index(most)
    except TypeError:
        number = -1
    if number < least:
        raise InvalidOption(
            f"n is the most ids that a text may have, a whole number from {least} up, got {most!r:.80}."
        )
    return number


def _checked_segment(segment: object) -> tuple[str, bool]:
    pair = tuple(segment) if isinstance(segment, (tuple, list)) else ()
    if len(pair) != 2 or not isinstance(pair[0], str):
        raise NotText(f'a segment is a text and whether its special tokens count, ("Hi", False), got {segment!r:.80}.')
    if not isinstance(pair[1], (bool, np.bool_)):
        raise InvalidOption(f'allow_special is True or False, got {pair[1]!r:.80}: ("Hi", False).')
    return pair[0], bool(pair[1])
