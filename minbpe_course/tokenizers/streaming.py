"""Encode a text that comes in chunks: the ids of the whole text, without the whole text in memory.

``splitting.long_texts`` decides which part of the text later chunks cannot change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.errors import NotText
from minbpe_course.splitting.long_texts import LongText
from minbpe_course.splitting.words import repaired
from minbpe_course.tokenizers.special_tokens import split_on_special_tokens


def encode_chunks(
    chunks: Iterable[str],
    engine: BytePairEngine,
    special_tokens: Mapping[str, int],
    choose: Callable[[str], Mapping[str, int]],
) -> Iterator[int]:
    """Yield the ids of the joined ``chunks``.

    choose : returns the special tokens that are allowed in a piece of text, or raises.
    """
    if isinstance(chunks, str):
        chunks = [chunks]
    text = LongText(engine.splitter, special_tokens, composed=engine.composes)
    for piece in _pieces(chunks, text, engine.repair):
        for part, token_id in split_on_special_tokens(piece, choose(piece)):
            if token_id is None:
                yield from engine.encode(part).tolist()
            else:
                yield token_id


def _pieces(chunks: Iterable[str], text: LongText, repair: bool) -> Iterator[str]:
    held = ""
    for chunk in chunks:
        if not isinstance(chunk, str):
            raise NotText(
                f"chunks must be str, got {type(chunk).__name__}; open files as text: open(path, encoding='utf-8')."
            )
        if repair and (chunk := held + chunk):
            # The first half of a surrogate pair waits for the second.
            split = len(chunk) - ("\ud800" <= chunk[-1] <= "\udbff")
            held, chunk = chunk[split:], repaired(chunk[:split])
        if piece := text.add(chunk):
            yield piece
    yield text.add(repaired(held)) + text.finish()
