"""SentencePiece models of every type (Llama 2, Mistral, T5, ...): a ``.model`` file in, the ids of sentencepiece out.

    tokenizer = SentencePieceTokenizer(model_file="tokenizer.model")
    tokenizer.encode("Hello world")     tokenizer.encode("Hello world", out_type=str)     tokenizer.decode(ids)

The class has the interface of ``sentencepiece.SentencePieceProcessor`` 0.2.3: the same names in both spellings, the
same arguments, ids, pieces, messages and decoded text; errors are subclasses of what sentencepiece raises.

It differs on purpose in three points. Samples have the same probabilities, but are drawn with a seed of our own, since
sentencepiece's generator cannot be shared. ``parallel_encode`` gives exactly the ids of ``encode``, while sentencepiece
joins chunks that it encoded separately. And errors are never silent: a tokenizer without a model raises NotTrained.

``decode`` is not the inverse of ``encode``: SentencePiece adds and drops spaces, and a normaliser rewrites text.
"""

from __future__ import annotations

import operator
import os
import random
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from minbpe_course.engines.sentencepiece.choose_engine import engine_for
from minbpe_course.engines.sentencepiece.normalized_text import Encoded
from minbpe_course.engines.sentencepiece.piece_decoding import (
    PieceDecoder,
    SurfaceDecoder,
    decode_bytes,
    decode_surfaces,
)
from minbpe_course.engines.text_engine import TextEngine
from minbpe_course.errors import (
    InvalidOption,
    InvalidPieceId,
    InvalidSpecialToken,
    InvalidText,
    NotAvailable,
    NotText,
    NotTrained,
)
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.formats.sentencepiece_message import PieceInText, nbest_message, parsed, text_message
from minbpe_course.model import BYTE, CONTROL, UNKNOWN, UNUSED, PieceModel, piece_utf8
from minbpe_course.model.copies import Copied, forget_computed
from minbpe_course.model.frames import Frame
from minbpe_course.resources.threads import cores
from minbpe_course.splitting.splitter import utf8_or_bytes
from minbpe_course.text.added_tokens import TokenSearch
from minbpe_course.text.decoder_steps import TokenStream
from minbpe_course.text.offsets import places_of_characters
from minbpe_course.tokenizers.common_calls import CommonCalls, StreamDecoder, longest_prefix
from minbpe_course.tokenizers.framing import EncodedPair, frame_of, framed_array, framed_batch, framed_pair
from minbpe_course.tokenizers.sentencepiece_options import (
    WITH_PLACES,
    Options,
    check_nbest,
    filled,
    return_type_of,
    threads_for,
)
from minbpe_course.tokenizers.sentencepiece_results import offset_mapping, pieces_of, placed_pieces, serialized

if TYPE_CHECKING:
    from minbpe_course.tokenizers.file_encoding import Source

Self = TypeVar("Self", bound="SentencePieceTokenizer")


class SentencePieceTokenizer(Copied, CommonCalls):
    """A SentencePiece model that encodes and decodes like sentencepiece 0.2.3.

    Parameters
    ----------
    model_file : path of a ``.model`` file, or ``model_proto`` : its bytes, or ``model`` : a PieceModel; or none of
        them, and call ``load`` later.
    out_type, add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha, num_threads, return_type :
        the defaults of ``encode``.
    seed : the start of the random numbers of samples; two tokenizers without a seed draw different ones.

    Raises UnusablePath, UnreadableModel, InvalidOption.

    >>> from minbpe_course.model import PieceModel
    >>> model = PieceModel(("<unk>", "▁", "a", "▁a", "aa"), (0.0, -2.0, -3.0, -1.0, -0.0), (2, 1, 1, 1, 1))
    >>> tokenizer = SentencePieceTokenizer(model=model)
    >>> tokenizer.encode("aaa a"), tokenizer.encode("aaa a", out_type=str)
    ([1, 4, 2, 3], ['▁', 'aa', 'a', '▁a'])
    >>> tokenizer.decode([1, 4, 2, 3])
    'aaa a'
    """

    _model: PieceModel | None = None
    _defaults: Options = Options()
    # The generator of a tokenizer with a seed; a copy continues where the original was.
    _seeded: random.Random | None = None
    # The most milliseconds for a search of the n best; 0 for no limit.
    _nbest_timeout: int = 0

    def __init__(
        self,
        model_file: str | os.PathLike[str] | bytes | None = None,
        model_proto: Any = None,
        out_type: Any = None,
        add_bos: bool = False,
        add_eos: bool = False,
        reverse: bool = False,
        emit_unk_piece: bool = False,
        enable_sampling: bool = False,
        nbest_size: int = -1,
        alpha: float = 0.1,
        num_threads: int = -1,
        return_type: Any = None,
        *,
        model: PieceModel | None = None,
        seed: int | None = None,
    ) -> None:
        wanted = return_type_of(return_type, out_type, int)
        self._defaults = Options(
            wanted, add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha, num_threads
        )
        if seed is not None:
            self.set_random_generator_seed(seed)
        if model is not None and (model_file or model_proto):
            raise InvalidOption("give one model: model_file, model_proto or model.")
        if model is not None:
            self._use(model)
        elif model_file or model_proto:
            self.load(model_file, model_proto)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._model!r})"

    # ---- Loading

    @classmethod
    def from_file(cls: type[Self], model_file: str | os.PathLike[str], **options: Any) -> Self:
        """Make a tokenizer from a ``.model`` file; the other arguments are those of the class."""
        tokenizer = cls(**_without_model(options))
        tokenizer.load_from_file(model_file)
        return tokenizer

    @classmethod
    def from_proto(cls: type[Self], model_proto: Any, **options: Any) -> Self:
        """Make a tokenizer from the bytes of a ``.model`` file; the other arguments are those of the class."""
        tokenizer = cls(**_without_model(options))
        tokenizer.load_from_serialized_proto(model_proto)
        return tokenizer

    def load(self, model_file: Any = None, model_proto: Any = None) -> bool:
        """Replace the model by one from a path or from bytes, and return True.

        Raises UnusablePath, UnreadableModel, InvalidOption when both or none are given.
        """
        if model_file and model_proto:
            raise InvalidOption("give model_file or model_proto, not both.")
        if model_proto:
            return self.load_from_serialized_proto(model_proto)
        if model_file:
            return self.load_from_file(model_file)
        raise InvalidOption("give a model: load('tokenizer.model'), or load(model_proto=its bytes).")

    def load_from_file(self, filename: str | os.PathLike[str] | bytes) -> bool:
        """Load a ``.model`` file and return True. Raises UnusablePath, UnreadableModel."""
        if not isinstance(filename, (str, bytes, os.PathLike)):
            raise NotText(f"a path is a str or a Path, got {type(filename).__name__}.")
        self._use(sentencepiece_proto.read(os.fsdecode(filename)))
        return True

    def load_from_serialized_proto(self, serialized: Any) -> bool:
        """Load the bytes of a ``.model`` file, or a ModelProto message, and return True. Raises UnreadableModel."""
        if hasattr(serialized, "SerializeToString"):
            serialized = serialized.SerializeToString()
        if not isinstance(serialized, bytes):
            raise NotText(f"a serialised model is bytes, got {type(serialized).__name__}.")
        self._use(sentencepiece_proto.from_bytes(serialized, "model_proto"))
        return True

    def serialized_model_proto(self) -> bytes:
        """Return the bytes of the ``.model`` file, empty when no model is loaded."""
        return b"" if self._model is None else sentencepiece_proto.to_bytes(self._model)

    # ---- Encoding

    def encode(
        self,
        input: Any,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        enable_sampling: bool | None = None,
        nbest_size: int | None = None,
        alpha: float | None = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_type: Any = None,
        out_type: Any = None,
        return_bytes: bool | None = None,
        *,
        frame: bool = False,
    ) -> Any:
        """Return the ids of a text (``return_type=int``), its pieces (``str``, ``bytes``) or more; of a list of texts,
        a list of those.

        First the ids are reversed (``reverse``), then ``bos`` is added before them and ``eos`` after them. The text
        may be bytes; a byte that is not UTF-8 counts as U+FFFD. ``emit_unk_piece`` shows the unknown piece instead of
        the text that it stands for. ``frame`` puts the ids around that the post_processor of a tokenizer.json names, as
        `tokenizers` does with ``add_special_tokens=True``. A ``.model`` file names none, so there ``frame`` adds
        nothing; use ``add_bos`` and ``add_eos``. return_type (or out_type) :

        * int, str, bytes, "numpy" (int32): ids, pieces
        * "proto", "serialized_proto": a SentencePieceText, with the bytes of the text that each piece stands for
        * "offset_mapping": a dictionary of ids, pieces and offsets, in characters, or in bytes with ``return_bytes``

        ``enable_sampling`` draws one of many encodings: a unigram model draws from all (``nbest_size=-1``) or from the
        best, with probabilities raised to ``alpha``; a BPE model leaves out each merge with probability ``alpha``.

        Raises NotText, InvalidText for a lone surrogate, InvalidSpecialToken when the model has no such piece,
        InvalidOption, NotAvailable.
        """
        if (
            self._list_of is not None
            and type(input) is str
            and add_bos is add_eos is reverse is enable_sampling is num_threads is None
            and return_type is out_type is return_bytes is None
            and not frame
        ):
            return self._list_of(input)

        wanted = return_type_of(return_type, out_type, self._defaults.return_type)
        if return_bytes is not None and wanted != "offset_mapping":
            raise InvalidOption("return_bytes goes with return_type='offset_mapping' only.")
        asked = (wanted, add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha, num_threads)
        options = filled(self._defaults, (*asked, frame))
        threads = threads_for(options.num_threads, thread_pool)
        self._check_added(options)

        texts = input if isinstance(input, list) else [input]
        if wanted in (int, str) and not options.enable_sampling:
            if texts is input:
                found = self._of_batch(self._engine.encode_lists, texts, threads)
            else:
                found = [self._engine.encode_list(input)]
            if wanted is str or options.changes_ids:
                found = [self._shown_ids(ids, text, options) for ids, text in zip(found, texts)]
        else:
            data = batch_of(texts) if texts is input else [utf8_or_bytes(input)]
            if return_bytes is None:
                return_bytes = bool(texts) and isinstance(texts[0], bytes)
            one_text = self._sampled if options.enable_sampling else self._spelled
            found = [self._shown(one_text(each, options), each, options, return_bytes) for each in data]
        return found if texts is input else found[0]

    def encode_batch(
        self,
        texts: Sequence[str | bytes],
        out_type: Any = None,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        *,
        num_threads: int | None = None,
        frame: bool = False,
    ) -> list[Any]:
        """Return the ids of many texts, on ``num_threads`` threads (default: as many as there are processors)."""
        found: list[Any] = self.encode(
            *(list(texts), add_bos, add_eos, reverse, emit_unk_piece),
            **dict(out_type=out_type, num_threads=num_threads, frame=frame),
        )
        return found

    def encode_pair(self, first: str | bytes, second: str | bytes) -> EncodedPair:
        """Return the ids of two texts as one input for a model, and the type id of each of them.

        As ``Encoding.encode_pair``. The ids of a ``.model`` file follow each other, with the type ids 0 and 1.
        Raises UnsupportedModel if the file has no rule for two texts.

        >>> from minbpe_course.model import PieceModel
        >>> model = PieceModel(("<unk>", "▁", "a", "b"), (0.0, -1.0, -2.0, -3.0), (2, 1, 1, 1))
        >>> SentencePieceTokenizer(model=model).encode_pair("a", "b")
        EncodedPair(ids=[1, 2, 1, 3], type_ids=[0, 0, 1, 1])
        """
        return framed_pair(self.model.pipeline, type(self).__name__, self._engine.encode_list, first, second)

    def clear_caches(self) -> None:
        """Forget the words of earlier texts. Only the speed of the next calls depends on them."""
        # The engine of char and word models has no caches.
        if isinstance(self._engine, TextEngine):
            self._engine.clear_caches()

    def encode_to_array(
        self, text: str | bytes, add_bos: bool = False, add_eos: bool = False, *, frame: bool = False
    ) -> npt.NDArray[np.uint32]:
        """Return the ids as ``numpy.uint32``. (An id is never negative: a model without unknown piece writes bytes.)"""
        ids: np.ndarray = self._engine.encode(text)
        if add_bos or add_eos:
            front = [self._added("bos")] if add_bos else []
            back = [self._added("eos")] if add_eos else []
            ids = framed_array(ids, (tuple(front), tuple(back)))
        return framed_array(ids, self._frame) if frame else ids

    def encode_batch_to_array(
        self, texts: Sequence[str | bytes], *, num_threads: int | None = None, frame: bool = False
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Return the ids of all texts in one ``numpy.uint32`` array, and where each text ends, ``numpy.int64``."""
        ids, offsets = self._of_batch(
            self._engine.encode_many, texts, None if num_threads is None else threads_for(num_threads, None)
        )
        if frame:
            ids, offsets = framed_batch(ids, offsets, self._frame)
        return ids, offsets[1:]

    def encode_ordinary(self, text: str | bytes) -> list[int]:
        """Return the ids of ``text`` alone, without ``bos`` and ``eos``; special tokens in it are ordinary text.

        Special tokens are control pieces, and the special ones of a tokenizer.json. User-defined pieces are found in
        every text. Raises NotText, InvalidText.
        """
        engine = self._engine if self.model.pipeline is None else self._engine.ordinary
        found: list[int] = engine.encode_list(text)
        return found

    def count(
        self, text: str | bytes, add_bos: bool | None = None, add_eos: bool | None = None, *, frame: bool = False
    ) -> int:
        """Return how many ids ``encode`` gives, faster and without a list of them. Raises as ``encode`` does.

        >>> from minbpe_course.model import PieceModel
        >>> model = PieceModel(("<unk>", "▁", "a", "▁a", "aa"), (0.0, -2.0, -3.0, -1.0, -0.0), (2, 1, 1, 1, 1))
        >>> SentencePieceTokenizer(model=model).count("aaa a")
        4
        """
        found: int = self._engine.count(text)
        return found + self._around(add_bos, add_eos, frame)

    def count_batch(
        self,
        texts: Sequence[str | bytes],
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        *,
        num_threads: int | None = None,
        frame: bool = False,
    ) -> npt.NDArray[np.int64]:
        """Return how many ids each text has, int64[n]; the arguments are those of ``encode_batch``."""
        threads = threads_for(-1 if num_threads is None else num_threads, None) or cores()

        def count(texts: Sequence[Any], threads: int) -> np.ndarray:
            if isinstance(self._engine, TextEngine) and all(isinstance(text, str) for text in texts):
                return self._engine.count_many(texts, threads)
            return np.fromiter(map(self._engine.count, texts), np.int64, len(texts))

        found: np.ndarray = self._of_batch(count, list(texts), threads)
        return found + self._around(add_bos, add_eos, frame)

    def truncate(
        self, text: str, n: int, add_bos: bool | None = None, add_eos: bool | None = None, *, frame: bool = False
    ) -> str:
        """Return the longest beginning of ``text`` that is whole pieces, ``n`` ids at most, and whole characters.

        Encoded, it has at most ``n`` ids, including ``bos`` and ``eos`` if they are added. Raises as ``encode`` does,
        and InvalidOption for ``n`` below 0 or for less than what is added.
        """
        added = self._around(add_bos, add_eos, frame)
        return longest_prefix(text, n, self._engine.encode, self._engine.count, added=added)

    def encode_files(
        self,
        source: Source,
        output: str | os.PathLike[str],
        *,
        append: str | int | None = None,
        dtype: str | None = None,
        num_threads: int | None = None,
        frame: bool = False,
    ) -> tuple[npt.NDArray[np.uint16] | npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Encode files into one file of ids; see ``Encoding.encode_files``.

        The model decides itself what its symbols in the text are. append : a piece, or an id.
        """
        from minbpe_course.tokenizers.adapters import SentencePieceAdapter
        from minbpe_course.tokenizers.file_encoding import encode_files

        adapter = SentencePieceAdapter(type(self).__name__, self, "none")
        return encode_files(adapter, source, output, append=append, dtype=dtype, num_threads=num_threads, frame=frame)

    def encode_with_offsets(self, text: str | bytes) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the ids and, for each, the bytes ``(begin, end)`` of the text that it stands for.

        Of the byte pieces of one character only the last has the character's bytes; the others are empty. The added
        space has no bytes. An unknown piece has the bytes of all pieces that fused into it.
        """
        data = utf8_or_bytes(text)
        one: Encoded = self._engine.spell(data, positions=True)
        return one.ids.tolist(), [(piece.begin, piece.end) for piece in placed_pieces(one, data, self.model)]

    def nbest_encode(
        self,
        input: Any,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        nbest_size: int | None = None,
        return_type: Any = None,
        out_type: Any = None,
        *,
        frame: bool = False,
    ) -> Any:
        """Return the ``nbest_size`` best encodings of a text, best first; of a list of texts, a list of those.

        For unigram models. "proto" gives one NBestSentencePieceText, with scores. Raises NotAvailable for other models
        and for more than 512.
        """
        wanted = return_type_of(return_type, out_type, self._defaults.return_type)
        if wanted == "offset_mapping":
            raise InvalidOption("return_type='offset_mapping' is for encode; here 'proto' has the offsets.")
        size = max(self._defaults.nbest_size if nbest_size is None else nbest_size, 1)
        options = filled(
            self._defaults, (wanted, add_bos, add_eos, reverse, emit_unk_piece, False, -1, None, None, frame)
        )
        self._check_added(options)
        if isinstance(input, list):
            return [self._n_best_shown(data, size, options) for data in batch_of(input)]
        return self._n_best_shown(utf8_or_bytes(input), size, options)

    def normalize(self, input: Any, with_offsets: bool | None = None) -> Any:
        """Return the text as the pieces see it: rules applied, spaces as ▁. bytes give bytes, a list gives a list.

        with_offsets : return a pair, the text and the place in ``input`` of each of its characters (for bytes, of each
        byte) and of the end.
        """
        if isinstance(input, list):
            batch_of(input)
            return [self.normalize(one, with_offsets) for one in input]
        data = utf8_or_bytes(input)
        if not with_offsets:
            normalized: bytes = self._engine.normalize(data)
            return normalized if isinstance(input, bytes) else normalized.decode("utf-8")
        normalized, positions = self._engine.normalize_with_positions(data)
        if isinstance(input, bytes):
            return normalized, positions
        return normalized.decode("utf-8"), places_of_characters(positions, data, normalized)

    # ---- Sampling

    def set_random_generator_seed(self, seed: int) -> None:
        """Start the random numbers of this tokenizer again from a seed.

        >>> from minbpe_course import SentencePieceTokenizer
        >>> from minbpe_course.model import PieceModel
        >>> model = PieceModel(("<unk>", "▁", "a", "aa"), (0.0, -2.0, -3.0, -1.0), (2, 1, 1, 1))
        >>> tokenizer = SentencePieceTokenizer(model=model, seed=1)
        >>> first = [tokenizer.encode("aaaa", enable_sampling=True, alpha=0.5) for _ in range(9)]
        >>> tokenizer.set_random_generator_seed(1)
        >>> first == [tokenizer.encode("aaaa", enable_sampling=True, alpha=0.5) for _ in range(9)]
        True
        """
        self._seeded = self._random = random.Random(seed)

    # ---- Decoding

    def decode(
        self,
        input: Any,
        return_type: Any = None,
        out_type: Any = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_bytes: bool | None = None,
        *,
        skip_special_tokens: bool = False,
    ) -> Any:
        """Return the text of ids or of pieces; of a list of lists, a list of texts.

        return_type (or out_type) : str, bytes, "proto" or "serialized_proto" (a SentencePieceText, with the part of the
        text that each piece became), "offset_mapping" (the same as a dictionary; ``return_bytes`` for bytes instead of
        characters). num_threads and thread_pool are accepted and change nothing. skip_special_tokens : leave out the
        special tokens of a tokenizer.json. Control pieces of a ``.model`` file have no text, unknown ones keep theirs.

        Raises InvalidPieceId for an id that the model does not have, NotText for input that is neither ids nor pieces.
        """
        if (
            type(input) is list
            and not skip_special_tokens
            and return_type is out_type is num_threads is thread_pool is return_bytes is None
        ):
            text = self._text_in_one_call(input)
            if text is not None:
                return text
        wanted = return_type_of(return_type, out_type, str)
        if return_bytes is not None and wanted != "offset_mapping":
            raise InvalidOption("return_bytes goes with return_type='offset_mapping' only.")
        if num_threads is not None and not isinstance(num_threads, int):
            raise InvalidOption(f"num_threads is a whole number, got {num_threads!r}.")
        items = _sequence(input)
        if wanted in (int, "numpy"):
            raise InvalidOption(f"return_type={wanted!r} is for encoding; decode gives str, bytes or a message.")
        is_batch = items.ndim > 1 if isinstance(items, np.ndarray) else len(items) > 0 and _is_sequence(items[0])
        rows = items if is_batch else [items]
        first: Any = next((row[0] for row in rows if _is_sequence(row) and len(row)), None)
        for row in rows:
            if not _is_sequence(row):
                raise NotText(f"decode takes a list of lists or a list of ids, not both: it holds {row!r}.")
        found = [self._decoded(row, type(first), wanted, bool(return_bytes), skip_special_tokens) for row in rows]
        return found if is_batch else found[0]

    def stream(self, prompt_ids: Iterable[int] = (), *, skip_special_tokens: bool = False) -> StreamDecoder:
        """Return a decoder with ``push(id) -> str`` and ``finish() -> str``, which turns ids into text as they arrive.

        prompt_ids : ids before the stream, whose text is not returned again, but which decide, for example, whether a
        space is at the beginning · skip_special_tokens : as for ``decode``. Where the text depends on all ids (a model
        with a denormaliser, some files of tokenizers), it comes at the end. Raises InvalidPieceId, NotText.

        >>> from minbpe_course.model import PieceModel
        >>> model = PieceModel(("<unk>", "▁to", "▁be"), (0.0, -1.0, -2.0), (2, 1, 1))
        >>> decoder = SentencePieceTokenizer(model=model).stream(prompt_ids=[1])
        >>> decoder.push(2), decoder.finish()
        (' be', '')
        """
        model, pieces = self.model, self._pieces
        special = self._skipped_ids if skip_special_tokens else frozenset()
        surfaces, tokens = SurfaceDecoder(model), TokenStream(self.decode, False)
        if model.pipeline is not None:
            tokens = self._engine.stream()

        def push(token_id: int) -> str:
            at = self._checked(token_id)
            if at in special:
                return ""
            if model.denormalizer.charsmap or model.pipeline is not None:
                return tokens.push(at if model.pipeline is None else pieces[at])
            return "".join(surfaces.push(pieces[at], at))

        decoder = StreamDecoder(push, lambda: "".join([*surfaces.finish(), tokens.finish()]), prompt_ids)
        tokens.leave_out()
        return decoder

    # ---- Looking things up

    @property
    def model(self) -> PieceModel:
        """The frozen record. Raises NotTrained when no model was loaded."""
        if self._model is None:
            raise NotTrained("no model is loaded: tokenizer.load('tokenizer.model'), or model_file= when it is made.")
        return self._model

    def __len__(self) -> int:
        return 0 if self._model is None else len(self._model)

    def __getitem__(self, piece: Any) -> Any:
        return self.piece_to_id(piece)

    def id_to_piece(self, id: Any) -> Any:
        """Return the piece of an id, or a list of pieces. Raises InvalidPieceId, NotText."""
        pieces = self._pieces
        return self._each(id, lambda at: pieces[at])

    def piece_to_id(self, piece: Any) -> Any:
        """Return the id of a piece (the unknown one's, or -1, for one that the model lacks), or a list of ids."""
        if isinstance(piece, (str, bytes, bytearray)):
            return self.model.piece_ids.get(text_of_piece(piece), self.model.unk_id)
        if not isinstance(piece, (Sequence, np.ndarray)):
            raise NotText(f"a piece is a str or bytes, got {type(piece).__name__}.")
        for one in piece:
            if not isinstance(one, (str, bytes, bytearray)):
                raise NotText(f"pieces are str or bytes, got {type(one).__name__} in a list.")
        return [self.piece_to_id(one) for one in piece]

    def get_score(self, id: Any) -> Any:
        """Return the score of an id, or a list of scores: in a BPE model minus the position of a merge, in a unigram
        model the logarithm of a probability.
        """
        scores = self.model.scores
        return self._each(id, lambda at: scores[at])

    def is_unknown(self, id: Any) -> Any:
        """Return whether the id is that of the unknown piece."""
        return self._is(id, UNKNOWN)

    def is_control(self, id: Any) -> Any:
        """Return whether the id is that of a control piece, such as ``<s>``, which no text encodes to."""
        return self._is(id, CONTROL)

    def is_unused(self, id: Any) -> Any:
        """Return whether the id is that of an unused piece, which no text encodes to."""
        return self._is(id, UNUSED)

    def is_byte(self, id: Any) -> Any:
        """Return whether the id is that of a byte, such as ``<0x0A>``."""
        return self._is(id, BYTE)

    def vocab_size(self) -> int:
        """Return the number of pieces."""
        return len(self)

    piece_size = get_piece_size = vocab_size

    @property
    def n_vocab(self) -> int:
        """One more than the largest id: the number of pieces."""
        return len(self)

    def unk_id(self) -> int:
        """Return the id of the unknown piece, or -1."""
        return -1 if self._model is None else self._model.declared_unk_id

    def bos_id(self) -> int:
        """Return the id that begins a text, or -1."""
        return -1 if self._model is None else self._model.bos_id

    def eos_id(self) -> int:
        """Return the id that ends a text, or -1."""
        return -1 if self._model is None else self._model.eos_id

    def pad_id(self) -> int:
        """Return the id that fills up a batch, or -1."""
        return -1 if self._model is None else self._model.pad_id

    # ---- Other names of the methods above

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
        *,
        frame: bool = False,
    ) -> Any:
        """Return what ``encode`` returns; ``chunk_len`` is checked and changes nothing.

        sentencepiece encodes chunks of this length separately and joins the results, which sometimes gives other ids
        than its ``encode``. Here the ids are always the same, and long texts need no chunks.
        """
        if not isinstance(chunk_len, int) or chunk_len <= 0:
            raise InvalidOption(f"chunk_len is a whole number from 1 up, got {chunk_len!r}.")
        if "offset_mapping" in (return_type, out_type):
            raise InvalidOption("return_type='offset_mapping' is for encode; here 'proto' has the offsets.")
        return self.encode(
            input, add_bos, add_eos, reverse, emit_unk_piece, enable_sampling=False, num_threads=num_threads,
            thread_pool=thread_pool, return_type=return_type, out_type=out_type, frame=frame,
        )  # fmt: skip

    def decode_ids(self, input: Any, return_type: Any = None, **options: Any) -> Any:
        """Return the text of ids or pieces, as ``decode``."""
        return self.decode(input, return_type=return_type, **options)

    def decode_ids_as_proto(self, input: Any, **options: Any) -> Any:
        """Return what ``decode`` returns for return_type="proto"."""
        return self.decode(input, return_type="proto", **options)

    def encode_as_ids(self, input: Any, **options: Any) -> Any:
        """Return what ``encode`` returns for return_type=int."""
        return self.encode(input, return_type=int, **options)

    def encode_as_pieces(self, input: Any, **options: Any) -> Any:
        """Return what ``encode`` returns for return_type=str."""
        return self.encode(input, return_type=str, **options)

    def encode_as_numpy(self, input: Any, **options: Any) -> Any:
        """Return what ``encode`` returns for return_type="numpy"."""
        return self.encode(input, return_type="numpy", **options)

    def encode_as_proto(self, input: Any, **options: Any) -> Any:
        """Return what ``encode`` returns for return_type="proto"."""
        return self.encode(input, return_type="proto", **options)

    def encode_as_offset_mapping(self, input: Any, **options: Any) -> Any:
        """Return what ``encode`` returns for return_type="offset_mapping"."""
        return self.encode(input, return_type="offset_mapping", **options)

    def sample_encode_as_ids(self, input: Any, nbest_size: Any = None, alpha: Any = None, **options: Any) -> Any:
        """Return the ids of a sample: ``encode`` with enable_sampling=True."""
        return self.encode_as_ids(input, nbest_size=nbest_size, alpha=alpha, enable_sampling=True, **options)

    def sample_encode_as_pieces(self, input: Any, nbest_size: Any = None, alpha: Any = None, **options: Any) -> Any:
        """Return the pieces of a sample: ``encode`` with enable_sampling=True."""
        return self.encode_as_pieces(input, nbest_size=nbest_size, alpha=alpha, enable_sampling=True, **options)

    def sample_encode_as_numpy(self, input: Any, nbest_size: Any = None, alpha: Any = None, **options: Any) -> Any:
        """Return the ids of a sample as an array: ``encode`` with enable_sampling=True."""
        return self.encode_as_numpy(input, nbest_size=nbest_size, alpha=alpha, enable_sampling=True, **options)

    def sample_encode_as_proto(self, input: Any, nbest_size: Any = None, alpha: Any = None, **options: Any) -> Any:
        """Return the message of a sample: ``encode`` with enable_sampling=True."""
        return self.encode_as_proto(input, nbest_size=nbest_size, alpha=alpha, enable_sampling=True, **options)

    def nbest_encode_as_ids(self, input: Any, nbest_size: int | None = None, **options: Any) -> Any:
        """Return what ``nbest_encode`` returns for return_type=int."""
        return self.nbest_encode(input, nbest_size=nbest_size, return_type=int, **options)

    def nbest_encode_as_pieces(self, input: Any, nbest_size: int | None = None, **options: Any) -> Any:
        """Return what ``nbest_encode`` returns for return_type=str."""
        return self.nbest_encode(input, nbest_size=nbest_size, return_type=str, **options)

    def nbest_encode_as_numpy(self, input: Any, nbest_size: int | None = None, **options: Any) -> Any:
        """Return what ``nbest_encode`` returns for return_type="numpy"."""
        return self.nbest_encode(input, nbest_size=nbest_size, return_type="numpy", **options)

    def nbest_encode_as_proto(self, input: Any, nbest_size: int | None = None, **options: Any) -> Any:
        """Return what ``nbest_encode`` returns for return_type="proto"."""
        return self.nbest_encode(input, nbest_size=nbest_size, return_type="proto", **options)

    def parallel_encode_as_ids(self, input: Any, **options: Any) -> Any:
        """Return what ``parallel_encode`` returns for return_type=int."""
        return self.parallel_encode(input, return_type=int, **options)

    def parallel_encode_as_pieces(self, input: Any, **options: Any) -> Any:
        """Return what ``parallel_encode`` returns for return_type=str."""
        return self.parallel_encode(input, return_type=str, **options)

    def parallel_encode_as_numpy(self, input: Any, **options: Any) -> Any:
        """Return what ``parallel_encode`` returns for return_type="numpy"."""
        return self.parallel_encode(input, return_type="numpy", **options)

    def parallel_encode_as_proto(self, input: Any, **options: Any) -> Any:
        """Return what ``parallel_encode`` returns for return_type="proto"."""
        return self.parallel_encode(input, return_type="proto", **options)

    tokenize, detokenize, decode_pieces, decode_pieces_as_proto = encode, decode, decode_ids, decode_ids_as_proto

    # sentencepiece's other spelling.
    Load, LoadFromFile, LoadFromSerializedProto = load, load_from_file, load_from_serialized_proto
    Encode = Tokenize = encode
    EncodeAsIds, EncodeAsPieces, EncodeAsNumpy = encode_as_ids, encode_as_pieces, encode_as_numpy
    EncodeAsProto, EncodeAsOffsetMapping = encode_as_proto, encode_as_offset_mapping
    SampleEncodeAsIds, SampleEncodeAsPieces = sample_encode_as_ids, sample_encode_as_pieces
    SampleEncodeAsNumpy, SampleEncodeAsProto = sample_encode_as_numpy, sample_encode_as_proto
    NBestEncode, NBestEncodeAsIds, NBestEncodeAsPieces = nbest_encode, nbest_encode_as_ids, nbest_encode_as_pieces
    NBestEncodeAsNumpy, NBestEncodeAsProto = nbest_encode_as_numpy, nbest_encode_as_proto
    ParallelEncode, ParallelEncodeAsIds = parallel_encode, parallel_encode_as_ids
    ParallelEncodeAsPieces, ParallelEncodeAsNumpy = parallel_encode_as_pieces, parallel_encode_as_numpy
    ParallelEncodeAsProto = parallel_encode_as_proto
    Decode = Detokenize = decode
    DecodeIds = DecodePieces = decode_ids
    DecodeIdsAsProto = DecodePiecesAsProto = decode_ids_as_proto
    Normalize, GetPieceSize, GetScore, IdToPiece, PieceToId = normalize, vocab_size, get_score, id_to_piece, piece_to_id
    IsUnknown, IsControl, IsUnused, IsByte = is_unknown, is_control, is_unused, is_byte

    # ---- Private

    def _around(self, add_bos: bool | None, add_eos: bool | None, frame: bool) -> int:
        """Return how many ids are added to those of a text."""
        if frame:
            return sum(map(len, self._frame)) + self._around(add_bos, add_eos, False)
        if not (add_bos or add_eos or self._defaults.add_bos or self._defaults.add_eos):
            return 0
        options = filled(self._defaults, (int, add_bos, add_eos, *[None] * 6))
        self._check_added(options)
        return bool(options.add_bos) + bool(options.add_eos)

    def _encode_part(self, text: str, first: bool) -> list[int]:
        if first or self.model.pipeline is None:
            return self.encode_ordinary(text)
        found: list[int] = self._engine.ordinary.encode_list(text, first=False)
        return found

    def _cut_special(self, text: str) -> Iterable[str | int]:
        if self.model.pipeline is not None:
            found: list[str | int] = self._engine.cut_special(text)
            return found
        return self._control_search.cut(text)

    @cached_property
    def _control_ids(self) -> frozenset[int]:
        return frozenset(at for at, kind in enumerate(self.model.kinds) if kind == CONTROL)

    @cached_property
    def _skipped_ids(self) -> frozenset[int]:
        # As in tokenizers, which asks whether the text that it shows is that of a special token.
        ids = self._control_ids if self.model.pipeline is None else self._engine.special_ids
        names = {self.model.pieces[at] for at in ids}
        return frozenset(at for at in ids if self._pieces[at] in names)

    @cached_property
    def _control_search(self) -> TokenSearch:
        return TokenSearch({self.model.pieces[at]: at for at in self._control_ids}, {})

    def _of_batch(self, encode: Any, texts: Sequence[Any], threads: int | None) -> Any:
        """Encode a batch with one call of ``encode``, and raise the errors of ``batch_of``."""
        if any(type(text) is not str for text in texts):
            texts = batch_of(texts)
        try:
            return encode(texts, threads)
        except (InvalidText, NotText):
            batch_of(texts)
            raise

    def _spelled(self, data: bytes, options: Options) -> Encoded:
        """Return the one encoding of a text without sampling."""
        found: Encoded = self._engine.spell(data, positions=options.return_type in WITH_PLACES)
        return found

    def _shown_ids(self, ids: list[int], text: Any, options: Options) -> list[Any]:
        """Return ids or pieces as the options ask; only unknown pieces need the text."""
        if options.return_type is int:
            return self._finished(ids, self._added, options)
        if self.model.unk_id in ids and self.model.pipeline is None:
            data = batch_of([text])[0]
            shown: list[Any] = self._shown(self._spelled(data, options), data, options)
            return shown
        pieces = self._pieces
        return self._finished([pieces[each] for each in ids], lambda role: pieces[self._added(role)], options)

    def _shown(self, one: Encoded, data: bytes, options: Options, as_bytes: bool = False) -> Any:
        wanted = options.return_type
        if wanted in (int, "numpy"):
            ids = self._finished(one.ids.tolist(), self._added, options)
            if wanted is int:
                return ids
            array = np.array(ids, np.int32)
            # As sentencepiece's.
            array.setflags(write=False)
            return array
        if wanted in (str, bytes):
            if self.model.pipeline is None:
                pieces = pieces_of(one, self.model)
            else:
                pieces = [self._pieces[each] for each in one.ids.tolist()]
            if options.emit_unk_piece:
                unk_id = self.unk_id()
                pieces = [self.model.pieces[unk_id] if self.piece_to_id(each) == unk_id else each for each in pieces]
            pieces = self._finished(pieces, lambda name: self.model.pieces[self._added(name)], options)
            return pieces if wanted is str else [piece.encode("utf-8") for piece in pieces]
        if wanted == "offset_mapping":
            return offset_mapping(placed_pieces(one, data, self.model), data, as_bytes)
        message = serialized(one, data, self.model)
        return parsed(message) if wanted == "proto" else message

    def _n_best_shown(self, data: bytes, size: int, options: Options) -> Any:
        """Return the best encodings as the options ask, best first."""
        check_nbest(size)
        if self.model.model_type != "unigram":
            raise NotAvailable(
                f"a {self.model.model_type} model has one encoding and no others to rank; nbest_encode is for unigram "
                "models."
            )
        ranked = self._engine.n_best(data, size, self._nbest_timeout)
        if options.return_type not in WITH_PLACES:
            return [self._shown(one, data, options) for one, _ in ranked]
        whole = nbest_message(serialized(one, data, self.model, score) for one, score in ranked)
        return parsed(whole, "NBestSentencePieceText") if options.return_type == "proto" else whole

    def _finished(self, result: list[Any], added: Any, options: Options) -> list[Any]:
        if options.reverse:
            result.reverse()
        if options.add_bos:
            result.insert(0, added("bos"))
        if options.add_eos:
            result.append(added("eos"))
        return [*map(added, self._frame[0]), *result, *map(added, self._frame[1])] if options.frame else result

    def _check_added(self, options: Options) -> None:
        if options.add_bos:
            self._added("bos")
        if options.add_eos:
            self._added("eos")
        if options.emit_unk_piece and options.return_type in (str, bytes) and self.unk_id() < 0:
            raise InvalidSpecialToken("emit_unk_piece=True, but this model has no unknown piece. Leave it out.")

    @property
    def _frame(self) -> Frame:
        return frame_of(self.model.pipeline)

    def _added(self, role: str | int) -> int:
        """Return the id of ``"bos"`` or ``"eos"``, or an id of the frame as it is."""
        if isinstance(role, int):
            return role
        token_id = self.bos_id() if role == "bos" else self.eos_id()
        if token_id < 0:
            raise InvalidSpecialToken(
                f"add_{role}=True, but this model has no control piece {getattr(self.model, f'{role}_piece')!r}. "
                f"Leave add_{role} out."
            )
        return token_id

    def _sampled(self, data: bytes, options: Options) -> Encoded:
        """Return one encoding, drawn at random."""
        kind = self.model.model_type
        if kind in ("char", "word"):
            raise NotAvailable(f"a {kind} model has one encoding and nothing to sample from.")
        limits = (options.nbest_size, self._nbest_timeout) if kind == "unigram" else ()
        found: Encoded = self._engine.sample(data, options.alpha, self._random, *limits)
        return found

    def _decoded(self, items: Any, kind: type, wanted: Any, return_bytes: bool, skips: bool) -> Any:
        """Return what a row of ids, or of pieces if ``kind`` is str or bytes, becomes."""
        model = self.model
        as_bytes = issubclass(kind, bytes)
        by_piece = as_bytes or (issubclass(kind, str) and not isinstance(items, np.ndarray))
        text = None
        if by_piece:
            pairs = self._pairs_of_pieces(items)
            if skips:
                pairs = [pair for pair in pairs if pair[1] not in self._skipped_ids]
        else:
            ids = self._ids_of(items)
            if skips:
                ids = [at for at in ids if at not in self._skipped_ids]
            text = self._text_in_one_call(ids) if wanted in (str, bytes) else None
            pairs = [] if text is not None else [(self._pieces[at], at) for at in ids]
        if wanted in (str, bytes):
            if model.pipeline is not None:
                text = self._engine.decode([piece for piece, _ in pairs])
            elif text is None:
                text = self._denormalized("".join(decode_surfaces(pairs, model, joined=True)))
            if wanted is bytes or as_bytes:
                return piece_utf8(text)
            return piece_utf8(text).decode("utf-8") if by_piece else text
        if model.pipeline is not None:
            raise NotAvailable(
                "for a tokenizer.json the part of the text that each id becomes is not known. Ask for the text: "
                "return_type=str."
            )
        placed, text = self._placed(pairs)
        if wanted == "offset_mapping":
            return offset_mapping(placed, piece_utf8(text), return_bytes or as_bytes, include_text=True)
        message = text_message(piece_utf8(text), placed)
        return parsed(message) if wanted == "proto" else message

    @cached_property
    def _decoder(self) -> PieceDecoder:
        return PieceDecoder(self.model)

    def _text_in_one_call(self, ids: list[Any]) -> str | None:
        model = self._model
        if model is None or model.denormalizer.charsmap or model.pipeline is not None:
            return None
        return self._decoder.text_in_one_call(ids)

    def _denormalized(self, text: str) -> str:
        if not self.model.denormalizer.charsmap:
            return text
        # The denormaliser replaces each broken byte by U+FFFD.
        result: str = self._engine.denormalize(decode_bytes(piece_utf8(text)))
        return result

    def _placed(self, pairs: Sequence[tuple[str, int]]) -> tuple[list[PieceInText], str]:
        """Return the pieces with the bytes of the text that they became, and the text."""
        placed: list[PieceInText] = []
        out = bytearray()
        for (piece, token_id), surface in zip(pairs, decode_surfaces(pairs, self.model)):
            data = piece_utf8(surface)
            # An id of -1 (a piece that a model without unknown piece does not have) is written as uint32.
            placed.append(PieceInText(piece_utf8(piece), token_id & 0xFFFFFFFF, data, len(out), len(out) + len(data)))
            out += data
        return placed, self._denormalized(out.decode("utf-8", "surrogateescape"))

    def _pairs_of_pieces(self, items: Any) -> list[tuple[str, int]]:
        pairs = []
        for item in items:
            if not isinstance(item, (str, bytes, bytearray)):
                raise NotText(f"decode takes ids or pieces, not both in one list: it holds {item!r}.")
            pairs.append((text_of_piece(item), self.piece_to_id(item)))
        return pairs

    def _ids_of(self, items: Any) -> list[int]:
        if isinstance(items, np.ndarray):
            if items.ndim != 1 or items.dtype.kind not in "iu":
                raise NotText(f"decode takes whole numbers in one row, got an array of {items.dtype}, {items.ndim}-D.")
            items = items.tolist()
        size = len(self)
        if isinstance(items, (set, frozenset, dict)):
            raise NotText(f"decode takes ids in order, got a {type(items).__name__}: decode([1, 2, 3]).")
        try:
            good = not items or (min(items) >= 0 and max(items) < size and set(map(type, items)) <= {int})
        except TypeError:
            good = False
        if good:
            return items if isinstance(items, list) else list(items)
        return [self._checked(item) for item in items]

    def _checked(self, token_id: Any) -> int:
        try:
            number = operator.index(token_id)
        except TypeError:
            raise NotText(f"an id is a whole number, got {token_id!r}.") from None
        if not 0 <= number < len(self):
            raise InvalidPieceId(f"id {number} is not in this model; its ids are 0 to {len(self) - 1}.")
        return number

    def _each(self, ids: Any, look: Callable[[int], Any]) -> Any:
        if isinstance(ids, (str, bytes, bytearray)) or not hasattr(ids, "__iter__"):
            return look(self._checked(ids))
        return [look(self._checked(one)) for one in ids]

    def _is(self, ids: Any, kind: int) -> Any:
        kinds = self.model.kinds
        return self._each(ids, lambda at: kinds[at] == kind)

    def _use(self, model: PieceModel) -> None:
        # Nothing computed from an earlier model may stay.
        forget_computed(self)
        self._model = model

    @property
    def _pieces(self) -> Sequence[str]:
        """The text of each piece as it is shown."""
        shown: Sequence[str] = self.model.pieces if self.model.pipeline is None else self._engine.shown
        return shown

    @cached_property
    def _list_of(self) -> Callable[[str], list[int]] | None:
        """The method that encodes most texts in one call; None without a model, or with options that change ids."""
        plain = self._defaults.return_type is int and not any(self._defaults[1:6])
        return self._engine.encode_list if plain and self._model is not None else None

    @cached_property
    def _engine(self) -> Any:
        # Laying out the tables takes many times as long as reading the file, so it waits until they are needed.
        return engine_for(self.model)

    @cached_property
    def _random(self) -> random.Random:
        return self._seeded or random.Random()


def _without_model(options: dict[str, Any]) -> dict[str, Any]:
    if "model_file" in options or "model_proto" in options:
        raise InvalidOption("the model is the first argument here; leave model_file and model_proto out.")
    return options


def text_of_piece(piece: str | bytes | bytearray) -> str:
    """Return a piece as text; bytes that are not UTF-8 become lone surrogates ("surrogateescape")."""
    if isinstance(piece, str):
        utf8_or_bytes(piece)
        return piece
    return bytes(piece).decode("utf-8", "surrogateescape")


def batch_of(texts: Iterable[Any]) -> list[bytes]:
    """Return the bytes of every text of a batch; a bytearray is allowed. Raises NotText, InvalidText."""
    return [bytes(text) if isinstance(text, bytearray) else utf8_or_bytes(text) for text in texts]


def _sequence(given: Any) -> Any:
    if given is None or (isinstance(given, (str, bytes)) and not given):
        return []
    if not _is_sequence(given):
        return [given]
    if isinstance(given, np.ndarray) and given.ndim == 0:
        raise NotText("decode takes a list of ids, got an array without a dimension: decode([int(array)]).")
    if isinstance(given, (set, frozenset, dict)) and given:
        raise NotText(f"decode takes ids in order, got a {type(given).__name__}: decode([1, 2, 3]).")
    return given


def _is_sequence(given: Any) -> bool:
    return hasattr(given, "__len__") and not isinstance(given, (str, bytes))
