"""The many names of one thing: what sentencepiece calls ``encode``, for each type of result and in both spellings."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from minbpe_course.errors import InvalidOption
from minbpe_course.tokenizers.sentencepiece_shaped.sampling import Sampling

Kind = TypeVar("Kind")


class Aliases(Sampling):
    """Names that only call another one: ``encode_as_ids``, ``EncodeAsIds``, ``nbest_encode_as_pieces``, ..."""

    encode: Callable[..., Any]
    nbest_encode: Callable[..., Any]

    def encode_as_ids(self, input: Any, **options: Any) -> Any:
        """Return the ids, whatever the ``out_type`` of the tokenizer."""
        return self.encode(input, return_type=int, **options)

    def encode_as_pieces(self, input: Any, **options: Any) -> Any:
        """Return the pieces, whatever the ``out_type`` of the tokenizer."""
        return self.encode(input, return_type=str, **options)

    def encode_as_numpy(self, input: Any, **options: Any) -> Any:
        """Return the ids as ``numpy.int32``."""
        return self.encode(input, return_type="numpy", **options)

    def encode_as_proto(self, input: Any, **options: Any) -> Any:
        """Return a SentencePieceText."""
        return self.encode(input, return_type="proto", **options)

    def encode_as_offset_mapping(self, input: Any, **options: Any) -> Any:
        """Return a dictionary of ids, pieces and offsets."""
        return self.encode(input, return_type="offset_mapping", **options)

    def sample_encode_as_ids(
        self, input: Any, nbest_size: int | None = None, alpha: float | None = None, **options: Any
    ) -> Any:
        """Return the ids of an encoding drawn at random."""
        return self.encode_as_ids(input, nbest_size=nbest_size, alpha=alpha, enable_sampling=True, **options)

    def sample_encode_as_pieces(
        self, input: Any, nbest_size: int | None = None, alpha: float | None = None, **options: Any
    ) -> Any:
        """Return the pieces of an encoding drawn at random."""
        return self.encode_as_pieces(input, nbest_size=nbest_size, alpha=alpha, enable_sampling=True, **options)

    def sample_encode_as_numpy(
        self, input: Any, nbest_size: int | None = None, alpha: float | None = None, **options: Any
    ) -> Any:
        """Return the ids of an encoding drawn at random, as ``numpy.int32``."""
        return self.encode_as_numpy(input, nbest_size=nbest_size, alpha=alpha, enable_sampling=True, **options)

    def sample_encode_as_proto(
        self, input: Any, nbest_size: int | None = None, alpha: float | None = None, **options: Any
    ) -> Any:
        """Return an encoding drawn at random as a SentencePieceText."""
        return self.encode_as_proto(input, nbest_size=nbest_size, alpha=alpha, enable_sampling=True, **options)

    def nbest_encode_as_ids(self, input: Any, nbest_size: int | None = None, **options: Any) -> Any:
        """Return the ids of the best encodings."""
        return self.nbest_encode(input, nbest_size=nbest_size, return_type=int, **options)

    def nbest_encode_as_pieces(self, input: Any, nbest_size: int | None = None, **options: Any) -> Any:
        """Return the pieces of the best encodings."""
        return self.nbest_encode(input, nbest_size=nbest_size, return_type=str, **options)

    def nbest_encode_as_numpy(self, input: Any, nbest_size: int | None = None, **options: Any) -> Any:
        """Return the ids of the best encodings as ``numpy.int32``."""
        return self.nbest_encode(input, nbest_size=nbest_size, return_type="numpy", **options)

    def nbest_encode_as_proto(self, input: Any, nbest_size: int | None = None, **options: Any) -> Any:
        """Return the best encodings as a NBestSentencePieceText."""
        return self.nbest_encode(input, nbest_size=nbest_size, return_type="proto", **options)

    def parallel_encode(
        self,
        input: Any,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        chunk_len: int | None = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_type: Any = None,
        out_type: Any = None,
    ) -> Any:
        """Return what ``encode`` returns; ``chunk_len`` is checked and changes nothing.

        sentencepiece encodes chunks of so many characters apart and joins what it finds; where that goes wrong its ids
        are others than those of its ``encode``. Here they are always the same, and long texts need no chunks.
        """
        if not isinstance(chunk_len, int) or chunk_len <= 0:
            raise InvalidOption(f"chunk_len is a whole number from 1 up, got {chunk_len!r}.")
        if "offset_mapping" in (return_type, out_type):
            raise InvalidOption("return_type='offset_mapping' is for encode; here 'proto' has the offsets.")
        return self.encode(
            input,
            add_bos,
            add_eos,
            reverse,
            emit_unk_piece,
            enable_sampling=False,
            num_threads=num_threads,
            thread_pool=thread_pool,
            return_type=return_type,
            out_type=out_type,
        )

    def parallel_encode_as_ids(self, input: Any, **options: Any) -> Any:
        """Return the ids of a long text."""
        return self.parallel_encode(input, return_type=int, **options)

    def parallel_encode_as_pieces(self, input: Any, **options: Any) -> Any:
        """Return the pieces of a long text."""
        return self.parallel_encode(input, return_type=str, **options)

    def parallel_encode_as_numpy(self, input: Any, **options: Any) -> Any:
        """Return the ids of a long text as ``numpy.int32``."""
        return self.parallel_encode(input, return_type="numpy", **options)

    def parallel_encode_as_proto(self, input: Any, **options: Any) -> Any:
        """Return a SentencePieceText of a long text."""
        return self.parallel_encode(input, return_type="proto", **options)

    def decode_ids(self, input: Any, return_type: Any = None, **options: Any) -> Any:
        """Return the text of ids, as ``decode``."""
        return self.decode(input, return_type=return_type, **options)

    def decode_pieces(self, input: Any, return_type: Any = None, **options: Any) -> Any:
        """Return the text of pieces, as ``decode``."""
        return self.decode(input, return_type=return_type, **options)

    def decode_ids_as_proto(self, input: Any, **options: Any) -> Any:
        """Return a SentencePieceText that says what each id became."""
        return self.decode(input, return_type="proto", **options)

    def decode_pieces_as_proto(self, input: Any, **options: Any) -> Any:
        """Return a SentencePieceText that says what each piece became."""
        return self.decode(input, return_type="proto", **options)


def in_both_spellings(cls: type[Kind]) -> type[Kind]:
    """Give every public method of a class its second name: ``encode_as_ids`` is ``EncodeAsIds`` too.

    >>> in_both_spellings(type("T", (), {"nbest_encode": lambda self: 5}))().NBestEncode()
    5
    """
    for name in dir(cls):
        method = getattr(cls, name)
        if inspect.isfunction(method) and not name.startswith("_") and name.islower():
            setattr(cls, "".join(part.title() for part in name.replace("nbest", "n_best").split("_")), method)
    return cls
