"""The shape of ``Encoding._core_bpe``: programs that are in a hurry call tiktoken's compiled part without its coat.

Nothing is compiled here that is not compiled for ``Encoding`` as well; the names are tiktoken's, and so are their
arguments. ``encode`` does not look for special tokens that are not allowed.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minbpe_course.tokenizers.encoding import Encoding


class CoreShape:
    """The ten methods of ``tiktoken._tiktoken.CoreBPE`` for one encoding.

    >>> from minbpe_course import get_encoding
    >>> core = get_encoding("gpt2")._core_bpe
    >>> core.encode("hello<|endoftext|>", {"<|endoftext|>"}), core.encode_single_piece(b"hello")
    ([31373, 50256], [31373])
    """

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ordinary text."""
        return self._encoding.encode_ordinary(text)

    def encode(self, text: str, allowed_special: Set[str]) -> list[int]:
        """Return the ids of a text in which these special tokens stand for themselves, and no other is looked for."""
        return self._encoding.encode(text, allowed_special=allowed_special, disallowed_special=())

    def encode_to_tiktoken_buffer(self, text: str, allowed_special: Set[str]) -> memoryview:
        """Return the same as memory that ``numpy.frombuffer(..., dtype="uint32")`` reads."""
        ids = self._encoding.encode_to_numpy(text, allowed_special=allowed_special, disallowed_special=())
        return ids.data.toreadonly()

    def encode_with_unstable(self, text: str, allowed_special: Set[str]) -> tuple[list[int], list[list[int]]]:
        """Return the ids that stay and what may follow them; see ``Encoding.encode_with_unstable``."""
        return self._encoding.encode_with_unstable(text, allowed_special=allowed_special, disallowed_special=())

    def encode_single_token(self, piece: bytes) -> int:
        """Return the id of one token, special tokens included. Raises UnknownToken."""
        return self._encoding.encode_single_token(piece)

    def encode_single_piece(self, piece: bytes) -> list[int]:
        """Return the ids of one word, which is not split."""
        return self._encoding._encode_single_piece(piece)

    def _encode_bytes(self, bytes: bytes) -> list[int]:
        return self._encoding._encode_bytes(bytes)

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """Return the bytes of ids. Raises InvalidTokenId."""
        return self._encoding.decode_bytes(tokens)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of one id. Raises InvalidTokenId."""
        return self._encoding.decode_single_token_bytes(token)

    def token_byte_values(self) -> list[bytes]:
        """Return the bytes of all ordinary tokens, sorted."""
        return self._encoding.token_byte_values()
