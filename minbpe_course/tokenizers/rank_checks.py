"""Check tiktoken's ``mergeable_ranks`` and ``special_tokens``.

mergeable_ranks    {bytes: id}, including all 256 single bytes, no id twice
special_tokens     {text: id}
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from minbpe_course.errors import (
    InvalidModel,
    InvalidOption,
    InvalidSpecialToken,
    LoneSurrogate,
    quoted,
)

_AN_ID = "an id is a whole number from 0 to 2**32 - 1"


def checked_ranks(ranks: object) -> dict[bytes, int]:
    """Return a copy of ``ranks`` with ids as int. Raises InvalidOption, InvalidModel."""
    if not isinstance(ranks, Mapping):
        raise InvalidOption(f"mergeable_ranks maps bytes to ids, got {type(ranks).__name__}: {{b'a': 0, ...}}.")
    found = dict(ranks)
    if set(map(type, found)) - {bytes}:
        # A subclass of bytes may say anything about its length and its items.
        found = {_plain_bytes(token): token_id for token, token_id in found.items()}
    for token, token_id in found.items():
        if type(token_id) is not int or not 0 <= token_id < 1 << 32:
            if not _is_id(token_id):
                raise InvalidOption(f"the rank of {token!r} is {token_id!r}; {_AN_ID}.")
            found[token] = int(token_id)
    if len(set(found.values())) < len(found):
        first: dict[int, bytes] = {}
        for token, token_id in found.items():
            if first.setdefault(token_id, token) != token:
                raise InvalidModel(
                    f"{first[token_id]!r} and {token!r} have the same rank, {token_id}; each needs its own."
                )
    missing = [byte for byte in range(256) if bytes([byte]) not in found]
    if missing:
        raise InvalidModel(f"mergeable_ranks has no token for byte {missing[0]:#04x}; all 256 single bytes are needed.")
    return found


def _plain_bytes(token: object) -> bytes:
    if not isinstance(token, bytes):
        raise InvalidOption(f"mergeable_ranks maps bytes to ids, not {quoted(token)}; encode it: b'...'.")
    return bytes(memoryview(token))


def checked_special_tokens(special_tokens: object) -> dict[str, int]:
    """Return a copy of ``special_tokens`` with ids as int. Raises InvalidSpecialToken, LoneSurrogate."""
    if not isinstance(special_tokens, Mapping):
        raise InvalidSpecialToken(f"special_tokens maps texts to ids, got {type(special_tokens).__name__}.")
    found = {}
    for name, token_id in special_tokens.items():
        if not isinstance(name, str):
            raise InvalidSpecialToken(f"a special token is a str, got {quoted(name)}.")
        name = str.__str__(name)
        if not _is_id(token_id):
            raise InvalidSpecialToken(f"the id of the special token {name!r} is {token_id!r}; {_AN_ID}.")
        try:
            name.encode("utf-8")
        except UnicodeEncodeError as error:
            raise LoneSurrogate(*error.args) from None
        found[name] = int(token_id)
    return found


def check_size(ranks: Mapping[bytes, int], special_tokens: Mapping[str, int], size: object) -> None:
    """Check that there are as many tokens as ids below ``size``. Raises InvalidModel."""
    found = len(ranks) + len(special_tokens)
    largest = max([*ranks.values(), *special_tokens.values()])
    if found != size or largest + 1 != size:
        raise InvalidModel(
            f"explicit_n_vocab={size!r}, but there are {found} tokens with ids up to {largest}.\n"
            "Omit explicit_n_vocab, or give every id below it a token."
        )


def _is_id(value: object) -> bool:
    return (type(value) is int or isinstance(value, np.integer)) and 0 <= int(value) < 1 << 32
