"""SentencePiece models of every type (Llama 2, Mistral, T5, ...): a ``.model`` file in, the ids of sentencepiece out.

    tokenizer = SentencePieceTokenizer(model_file="tokenizer.model")
    tokenizer.encode("Hello world")     tokenizer.encode("Hello world", out_type=str)     tokenizer.decode(ids)

The surface is that of ``sentencepiece.SentencePieceProcessor`` 0.2.3: the same names in both spellings, the same
arguments, ids, pieces, messages and decoded text; errors are subclasses of what sentencepiece raises.

On purpose it differs in three things. A sample is drawn from a seed of our own. ``parallel_encode`` gives exactly the
ids of ``encode``, where sentencepiece joins chunks that it encoded apart. What is broken says so: an id is never
silently something else, and a tokenizer without a model raises NotTrained.

``decode`` is not the inverse of ``encode``: SentencePiece adds and drops spaces, and a normaliser rewrites text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minbpe_course.engines.sentencepiece.choose_engine import is_old
from minbpe_course.engines.text_engine import TextEngine
from minbpe_course.errors import InvalidOption, InvalidSpecialToken, InvalidText, NotText
from minbpe_course.formats.sentencepiece_text import nbest_message, parsed
from minbpe_course.model import PieceModel
from minbpe_course.splitting.words import utf8_or_bytes
from minbpe_course.text.offsets import places_of_characters
from minbpe_course.tokenizers.sentencepiece_shaped.aliases import Aliases, in_both_spellings
from minbpe_course.tokenizers.sentencepiece_shaped.lookups import batch_of
from minbpe_course.tokenizers.sentencepiece_shaped.options import (
    RETURN_TYPES,
    WITH_PLACES,
    Options,
    filled,
    return_type_of,
    threads_of,
)
from minbpe_course.tokenizers.sentencepiece_shaped.results import (
    OneText,
    offset_mapping,
    pieces_of,
    placed_pieces,
    serialized,
)


@in_both_spellings
class SentencePieceTokenizer(Aliases):
    """A SentencePiece model that encodes and decodes like sentencepiece 0.2.3.

    Parameters
    ----------
    model_file : path of a ``.model`` file, or ``model_proto`` : its bytes, or ``model`` : a PieceModel; or none of
        them, and ``load`` later.
    out_type, add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha, num_threads, return_type :
        what ``encode`` does when it is not told.
    compat : "0.2.1" for the ids of releases before 0.2.2 (``engines`` says what differed).
    seed : where the random numbers of samples begin; any two tokenizers without a seed differ.

    Raises UnusablePath, UnreadableModel, InvalidOption.

    >>> from minbpe_course.model import PieceModel
    >>> model = PieceModel(("<unk>", "▁", "a", "▁a", "aa"), (0.0, -2.0, -3.0, -1.0, -0.0), (2, 1, 1, 1, 1))
    >>> tokenizer = SentencePieceTokenizer(model=model)
    >>> tokenizer.encode("aaa a"), tokenizer.encode("aaa a", out_type=str)
    ([1, 4, 2, 3], ['▁', 'aa', 'a', '▁a'])
    >>> tokenizer.decode([1, 4, 2, 3])
    'aaa a'
    """

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
        compat: str | None = None,
        seed: int | None = None,
    ) -> None:
        wanted = return_type_of(return_type, out_type, int)
        self._defaults = Options(
            wanted, add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha, num_threads
        )
        self._old = is_old(compat)
        if seed is not None:
            self.set_random_generator_seed(seed)
        if model is not None and (model_file or model_proto):
            raise InvalidOption("give one model: model_file, model_proto or model.")
        if model is not None:
            self._use(model)
        elif model_file or model_proto:
            self.load(model_file, model_proto)

    def __repr__(self) -> str:
        return f"SentencePieceTokenizer({self._model!r})"

    # ---- Encoding

    def encode(
        self,
        input: Any,
        add_bos: Any = None,
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
    ) -> Any:
        """Return the ids of a text (``return_type=int``), its pieces (``str``, ``bytes``) or more; of a list of texts,
        a list of those.

        The ids are turned round first (``reverse``), then ``bos`` goes in front and ``eos`` behind. bytes may be
        given, broken UTF-8 included: a bad byte counts as U+FFFD. ``emit_unk_piece`` shows the unknown piece in place
        of the text that it stands for. return_type (or out_type; releases up to 0.2.1 had it as the second argument,
        which works too) :

        * int, str, bytes, "numpy" (int32): ids, pieces
        * "proto", "serialized_proto": a SentencePieceText, with the bytes of the text that each piece stands for
        * "offset_mapping": a dictionary of ids, pieces and offsets, in characters, or in bytes with ``return_bytes``

        ``enable_sampling`` draws one of many encodings: a unigram model one of all (``nbest_size=-1``) or of the best,
        with probabilities raised to ``alpha``; a BPE model leaves out each merge with probability ``alpha``.

        Raises NotText, UnencodableText for a lone surrogate, InvalidSpecialToken when the model has no such piece,
        InvalidOption, NotAvailable.
        """
        if (
            self._list_of is not None
            and type(input) is str
            and add_bos is add_eos is reverse is enable_sampling is num_threads is None
            and return_type is out_type is return_bytes is None
        ):
            return self._list_of(input)

        if add_bos in RETURN_TYPES:
            add_bos, out_type = None, add_bos if out_type is None else out_type
        wanted = return_type_of(return_type, out_type, self._defaults.return_type)
        if return_bytes is not None and wanted != "offset_mapping":
            raise InvalidOption("return_bytes goes with return_type='offset_mapping' only.")
        asked = (wanted, add_bos, add_eos, reverse, emit_unk_piece, enable_sampling, nbest_size, alpha, num_threads)
        options = filled(self._defaults, asked)
        threads = threads_of(options.num_threads, thread_pool)
        self._check_added(options)

        texts = input if isinstance(input, list) else [input]
        if wanted == "offset_mapping" and return_bytes is None:
            return_bytes = bool(texts) and isinstance(texts[0], bytes)
        places = wanted in WITH_PLACES
        if wanted in (int, str) and not options.enable_sampling:
            if texts is input:
                lists = self._of_batch(self._engine.encode_lists, texts, threads)
                if wanted is int and not options.changes_ids:
                    return lists
                return [self._shown_ids(ids, text, options) for ids, text in zip(lists, texts)]
            return self._shown_ids(self._engine.encode_list(input), input, options)
        data = batch_of(texts) if texts is input else [utf8_or_bytes(input)]
        if options.enable_sampling:
            found = iter([self._sampled(one, options, places) for one in data])
        else:
            found = self._encoded(data, places)
        results = [self._shown(one, options, bool(return_bytes)) for one in found]
        return results if isinstance(input, list) else results[0]

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
    ) -> list[Any]:
        """Encode many texts in one go, on ``num_threads`` threads (default: as many as there are processors)."""
        found: list[Any] = self.encode(
            list(texts), add_bos, add_eos, reverse, emit_unk_piece, out_type=out_type, num_threads=num_threads
        )
        return found

    def clear_caches(self) -> None:
        """Forget the words of earlier texts. Only the speed of the next calls depends on them."""
        # What takes words whole remembers none.
        if isinstance(self._engine, TextEngine):
            self._engine.clear_caches()

    def encode_to_array(self, text: str | bytes, add_bos: bool = False, add_eos: bool = False) -> np.ndarray:
        """Return the ids as ``numpy.uint32``. (An id is never negative: a model without unknown piece writes bytes.)"""
        ids: np.ndarray = self._engine.encode(text)
        if add_bos or add_eos:
            front = [self._added("bos")] if add_bos else []
            back = [self._added("eos")] if add_eos else []
            ids = np.concatenate([np.array(front, np.uint32), ids, np.array(back, np.uint32)])
        return ids

    def encode_batch_to_array(
        self, texts: Sequence[str | bytes], *, num_threads: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of all texts in one ``numpy.uint32`` array, and where each text ends, ``numpy.int64``."""
        ids, offsets = self._of_batch(
            self._engine.encode_many, texts, None if num_threads is None else threads_of(num_threads, None)
        )
        return ids, offsets[1:]

    def encode_with_offsets(self, text: str | bytes) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the ids and, for each, the bytes ``(begin, end)`` of the text that it stands for.

        Of the byte pieces of one character only the last has the character's bytes; the others are empty. The added
        space takes none. Unknown pieces that fused have all of theirs.
        """
        (one,) = self._encoded([utf8_or_bytes(text)], True)
        return list(one.ids), [(piece.begin, piece.end) for piece in placed_pieces(one, self.model)]

    def nbest_encode(
        self,
        input: Any,
        add_bos: Any = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        nbest_size: int | None = None,
        return_type: Any = None,
        out_type: Any = None,
    ) -> Any:
        """Return the ``nbest_size`` best encodings of a text, best first; of a list of texts, a list of those.

        For unigram models. "proto" gives one NBestSentencePieceText, with scores. Raises NotAvailable for other models
        and for more than 512.
        """
        if add_bos in RETURN_TYPES:
            add_bos, out_type = None, add_bos if out_type is None else out_type
        wanted = return_type_of(return_type, out_type, self._defaults.return_type)
        if wanted == "offset_mapping":
            raise InvalidOption("return_type='offset_mapping' is for encode; here 'proto' has the offsets.")
        size = max(self._defaults.nbest_size if nbest_size is None else nbest_size, 1)
        options = filled(self._defaults, (wanted, add_bos, add_eos, reverse, emit_unk_piece, False, -1, None, None))
        self._check_added(options)
        if isinstance(input, list):
            return [self._n_best_shown(data, size, options) for data in batch_of(input)]
        return self._n_best_shown(utf8_or_bytes(input), size, options)

    def normalize(self, input: Any, with_offsets: bool | None = None) -> Any:
        """Return the text as the pieces see it: rules applied, spaces as ▁. bytes give bytes, a list gives a list.

        with_offsets : return a pair, with the place in ``input`` that each character (of bytes: each byte) of the
        result comes from, and one more for the end.
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

    tokenize = encode

    # ---- Private

    def _of_batch(self, encode: Any, texts: Sequence[Any], threads: int | None) -> Any:
        """Encode a batch with one call of the engine, which names what is wrong in its own words."""
        if any(type(text) is not str for text in texts):
            texts = batch_of(texts)
        try:
            return encode(texts, threads)
        except (InvalidText, NotText):
            batch_of(texts)
            raise

    def _encoded(self, data: list[bytes], places: bool) -> Iterator[OneText]:
        """What each text became, one by one."""
        for one in data:
            found = self._engine.spell([one], positions=places)
            places_of = found.positions.tolist() if places else []
            yield OneText(found.ids.tolist(), found.spans.tolist(), found.normalized.tobytes(), places_of, one)

    def _shown_ids(self, ids: list[int], text: Any, options: Options) -> list[Any]:
        """What is asked for, ids or pieces, where only unknown pieces need a look at the text."""
        if options.return_type is int:
            return self._finished(ids, self._added, options)
        if self.model.unk_id in ids and self.model.pipeline is None:
            (one,) = self._encoded(batch_of([text]), False)
            shown: list[Any] = self._shown(one, options, False)
            return shown
        pieces = self.model.pieces if self.model.pipeline is None else self._engine.shown
        return self._finished([pieces[each] for each in ids], lambda role: pieces[self._added(role)], options)

    def _shown(self, one: OneText, options: Options, as_bytes: bool, score: float | None = None) -> Any:
        wanted = options.return_type
        if wanted in (int, "numpy"):
            ids = self._finished(list(one.ids), self._added, options)
            return np.array(ids, np.int32) if wanted == "numpy" else ids
        if wanted in (str, bytes):
            if self.model.pipeline is None:
                pieces = pieces_of(one, self.model)
            else:
                pieces = [self._engine.shown[each] for each in one.ids]
            if options.emit_unk_piece:
                unk_id = self.unk_id()
                pieces = [self.model.pieces[unk_id] if self.piece_to_id(each) == unk_id else each for each in pieces]
            pieces = self._finished(pieces, lambda name: self.model.pieces[self._added(name)], options)
            return pieces if wanted is str else [piece.encode("utf-8") for piece in pieces]
        if wanted == "offset_mapping":
            return offset_mapping(placed_pieces(one, self.model), one.source, as_bytes)
        message = serialized(one, self.model, score)
        return parsed(message) if wanted == "proto" else message

    def _n_best_shown(self, data: bytes, size: int, options: Options) -> Any:
        places = options.return_type in WITH_PLACES
        ranked = self._n_best(data, size, places)
        if not places:
            return [self._shown(one, options, False) for one, _ in ranked]
        whole = nbest_message(serialized(one, self.model, score) for one, score in ranked)
        return parsed(whole, "NBestSentencePieceText") if options.return_type == "proto" else whole

    def _finished(self, result: list[Any], added: Any, options: Options) -> list[Any]:
        if options.reverse:
            result.reverse()
        if options.add_bos:
            result.insert(0, added("bos"))
        if options.add_eos:
            result.append(added("eos"))
        return result

    def _check_added(self, options: Options) -> None:
        if options.add_bos:
            self._added("bos")
        if options.add_eos:
            self._added("eos")
        if options.emit_unk_piece and options.return_type in (str, bytes) and self.unk_id() < 0:
            raise InvalidSpecialToken("emit_unk_piece=True, but this model has no unknown piece. Leave it out.")

    def _added(self, role: str) -> int:
        token_id = self.bos_id() if role == "bos" else self.eos_id()
        if token_id < 0:
            raise InvalidSpecialToken(
                f"add_{role}=True, but this model has no control piece {getattr(self.model, f'{role}_piece')!r}. "
                f"Leave add_{role} out."
            )
        return token_id
