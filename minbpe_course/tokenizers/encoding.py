"""``Encoding``: the class of tiktoken 0.14, with its ids, methods and exceptions, offline.

It accepts more than tiktoken: any iterable of ids, lists instead of sets, and lone surrogates in all methods that
encode (in tiktoken, only in ``encode`` and ``encode_ordinary``). ``encode_batch_to_array`` is the fastest way to encode
many texts. Two things raise an error on purpose: a str given as a batch, and a vocabulary that lacks a byte.

An encoding stores only its arguments, and only they are pickled; the engine, the decoder and all tables are computed
when they are first needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.decoding import Decoder, ids_array, must_iterate
from minbpe_course.engines.same_ids import why_not_ranks
from minbpe_course.engines.unstable_ends import UnstableEnds
from minbpe_course.engines.vocabulary_tables import VocabularyTables
from minbpe_course.errors import LoneSurrogate, NotText, NotTokenIds, UnknownToken, UnsupportedModel, quoted
from minbpe_course.kernels.lazy import built_once, lists
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.model.frames import Frame
from minbpe_course.model.vocabulary import lay_tokens
from minbpe_course.resources.threads import cores, threads_of
from minbpe_course.splitting.splitter import Splitter, must_be_batch, must_be_text, repaired
from minbpe_course.text.added_tokens import AddedTokens
from minbpe_course.text.normalizer_steps import normalizer
from minbpe_course.tokenizers.base import ByteLevelTokenizer
from minbpe_course.tokenizers.framing import EncodedPair, frame_of, framed_array, framed_batch, framed_list, framed_pair
from minbpe_course.tokenizers.rank_checks import check_size, checked_ranks, checked_special_tokens
from minbpe_course.tokenizers.special_tokens import allowed_for_tiktoken

if TYPE_CHECKING:
    from minbpe_course.tokenizers.file_encoding import Source

AllowedSpecial = Literal["all"] | Set[str]
DisallowedSpecial = Literal["all"] | Collection[str]
Ids = Sequence[int] | np.ndarray
Self = TypeVar("Self", bound="Encoding")

# The encodings that callers requested by name. ``encoding_names`` fills this table; they are pickled as their names.
ENCODINGS: dict[str, Encoding] = {}

_NOTHING: frozenset[str] = frozenset()
_SETS = (set, frozenset)

# The pattern with which a whole text is one word.
ONE_WORD = r"(?s:.+)"


class Encoding(ByteLevelTokenizer):
    """A byte-level BPE encoding: bytes -> ids by rank, a split pattern, special tokens.

    name : shown to people · pat_str : the split pattern · mergeable_ranks : bytes -> id, including all 256 single bytes
    · special_tokens : text -> id · explicit_n_vocab : when given, the number of tokens is checked against it.

    Raises InvalidOption, InvalidModel, InvalidSpecialToken, InvalidPattern. The constructor and
    the methods are those of tiktoken 0.14.

    >>> from minbpe_course import get_encoding
    >>> enc = get_encoding("cl100k_base")
    >>> im = Encoding("cl100k_im", pat_str=enc._pat_str, mergeable_ranks=enc._mergeable_ranks,
    ...               special_tokens={**enc._special_tokens, "<|im_start|>": 100264})
    >>> im.encode("<|im_start|>hello", allowed_special={"<|im_start|>"})
    [100264, 15339]
    """

    name: str
    max_token_value: int
    _pat_str: str
    _special_tokens: dict[str, int]
    # The added tokens of a tokenizer.json that are not special, and are found in every text.
    _plain_tokens: Mapping[str, int] = MappingProxyType({})
    # One of the two is given: ranks, or a record with the merges.
    _ranks: dict[bytes, int]
    _record: BytePairModel | VocabularyModel | None = None
    # Whether a check has shown that merging the bytes of each token of the record gives that token.
    _proven: bool = False
    # ``get_encoding``, set by ``encoding_names``.
    _get_by_name: ClassVar[Callable[[str], Encoding]]

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: Mapping[bytes, int],
        special_tokens: Mapping[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        if not isinstance(pat_str, str):
            raise NotText(f"pat_str is a split pattern, a str, got {type(pat_str).__name__}.")
        self.name = name
        self._pat_str = pat_str
        self._ranks = checked_ranks(mergeable_ranks)
        self._special_tokens = checked_special_tokens(special_tokens)
        # Reject an invalid pattern now, not at the first text.
        Splitter(pat_str, keep_all=False, engine="tiktoken")
        self.max_token_value = max([*self._ranks.values(), *self._special_tokens.values()])
        if explicit_n_vocab:
            check_size(self._ranks, self._special_tokens, explicit_n_vocab)

    @classmethod
    def from_model(cls: type[Self], record: BytePairModel | VocabularyModel, name: str | None = None) -> Self:
        """Return the encoding of a record, for example one that ``train`` returned or that was read from a file.

        Words become tokens as the record says. ``_mergeable_ranks`` exists if ranks give the same ids. The
        ``plain_tokens`` of a VocabularyModel are found in every text and are not special; its frame is put around a
        text on request: ``encode(text, frame=True)``.

        >>> from minbpe_course import Encoding, train
        >>> Encoding.from_model(train("aaabdaaabac", 259, pattern=None), "tiny").encode("aaab")
        [258]
        """
        return cls._around(record, name or "encoding", proven=False)

    @classmethod
    def _around(cls: type[Self], record: BytePairModel | VocabularyModel, name: str, *, proven: bool) -> Self:
        Splitter(record.pattern, engine=record.pattern_engine)
        encoding = cls.__new__(cls)
        encoding.name, encoding._record, encoding._proven = name, record, proven
        encoding._pat_str = ONE_WORD if record.pattern is None else record.pattern
        plain = record.plain_tokens
        encoding._special_tokens = {text: each for text, each in record.special_tokens.items() if text not in plain}
        if plain:
            encoding._plain_tokens = {text: each for text, each in record.special_tokens.items() if text in plain}
        encoding.max_token_value = record.vocab_size - 1
        return encoding

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    def __reduce_ex__(self, protocol: Any) -> str | tuple[Any, ...]:
        if isinstance(self.name, str) and ENCODINGS.get(self.name) is self:
            return Encoding._get_by_name, (self.name,)
        return super().__reduce_ex__(protocol)

    # Encoding

    def encode_ordinary(self, text: str, *, frame: bool = False) -> list[int]:
        """Return the ids of ``text``; special tokens in it are ordinary text. frame : as for ``encode``."""
        return framed_list(self._encode_list(text), self._frame) if frame else self._encode_list(text)

    def encode(
        self,
        text: str,
        *,
        allowed_special: AllowedSpecial = _NOTHING,
        disallowed_special: DisallowedSpecial = "all",
        frame: bool = False,
    ) -> list[int]:
        """Return the ids of ``text``.

        allowed_special : the special tokens that stand for themselves, or "all". disallowed_special : those that raise
        DisallowedSpecialToken where they occur; "all" means all that are not allowed. frame : whether to put the ids
        around the text that the post_processor of the tokenizer.json names, such as BOS and EOS, as `tokenizers` does
        with ``add_special_tokens=True``. An encoding without such ids adds nothing.
        """
        if frame:
            options: Any = dict(allowed_special=allowed_special, disallowed_special=disallowed_special)
            return framed_list(self.encode(text, **options), self._frame)
        # Most texts contain no special token, and the options then make no difference.
        if (
            type(text) is str
            and (allowed_special is _NOTHING or (not allowed_special and type(allowed_special) in _SETS))
            and (disallowed_special == "all" or disallowed_special == ())
        ):
            mark = self._mark
            # Its last character is found faster than the whole mark.
            if mark is None or disallowed_special == () or (mark and (mark[-1] not in text or mark not in text)):
                return self._encode_list(text)
        return self._encode_to_list(text, self._allowed(text, allowed_special, disallowed_special))

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: AllowedSpecial = _NOTHING,
        disallowed_special: DisallowedSpecial = "all",
        frame: bool = False,
    ) -> npt.NDArray[np.uint32]:
        """Return the ids of ``text`` as uint32[n]; the arguments are those of ``encode``."""
        ids = self._encode(text, self._allowed(text, allowed_special, disallowed_special))
        return framed_array(ids, self._frame) if frame else ids

    encode_to_array = encode_to_numpy

    def encode_pair(
        self,
        first: str,
        second: str,
        *,
        allowed_special: AllowedSpecial = _NOTHING,
        disallowed_special: DisallowedSpecial = "all",
    ) -> EncodedPair:
        """Return the ids of two texts as one input for a model, and the type id of each of them.

        The post_processor of the tokenizer.json adds ids around and between them, as `tokenizers` does for
        ``encode(first, second)``. Without one, the ids of both follow each other, with the type ids 0 and 1. The
        other arguments are those of ``encode``. Raises UnsupportedModel if the post_processor has no rule for two.

        >>> from minbpe_course import get_encoding
        >>> get_encoding("gpt2").encode_pair("hello", " world")
        EncodedPair(ids=[31373, 995], type_ids=[0, 1])
        """
        options: Any = dict(allowed_special=allowed_special, disallowed_special=disallowed_special)
        return framed_pair(self._record, self.name, partial(self.encode, **options), first, second)

    def encode_ordinary_batch(
        self, text: Iterable[str], *, num_threads: int | None = 8, frame: bool = False
    ) -> list[list[int]]:
        """Return the ids of many texts; special tokens in them are ordinary text. frame : as for ``encode``."""
        if frame or self._plain_tokens:
            return self.encode_batch(text, num_threads=num_threads, disallowed_special=(), frame=frame)
        return self._engine.encode_lists(must_be_batch(text), min(threads_of(num_threads), cores()))

    def encode_batch(
        self,
        text: Iterable[str],
        *,
        num_threads: int | None = 8,
        allowed_special: AllowedSpecial = _NOTHING,
        disallowed_special: DisallowedSpecial = "all",
        frame: bool = False,
    ) -> list[list[int]]:
        """Return the ids of many texts; the other arguments are those of ``encode``."""
        options: Any = dict(allowed_special=allowed_special, disallowed_special=disallowed_special, frame=frame)
        found: list[list[int]] = lists.lists_from(*self.encode_batch_to_array(text, num_threads=num_threads, **options))
        return found

    def encode_batch_to_array(
        self,
        text: Iterable[str],
        *,
        num_threads: int | None = 8,
        allowed_special: AllowedSpecial = _NOTHING,
        disallowed_special: DisallowedSpecial = "all",
        frame: bool = False,
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Return the ids of many texts, uint32[m], and where those of each text begin, int64[n + 1].

        The fastest way to encode many texts: the ids of text k are ``ids[offsets[k]:offsets[k + 1]]``. The other
        arguments are those of ``encode``.

        >>> from minbpe_course import get_encoding
        >>> ids, offsets = get_encoding("cl100k_base").encode_batch_to_array(["hello world", "hi"])
        >>> ids.tolist(), offsets.tolist()
        ([15339, 1917, 6151], [0, 2, 3])
        """

        choose, ask = self._choice(allowed_special, disallowed_special)
        ids, offsets = self._encode_many(text, choose, min(threads_of(num_threads), cores()), ask)
        return framed_batch(ids, offsets, self._frame) if frame else (ids, offsets)

    def count(
        self,
        text: str,
        *,
        allowed_special: AllowedSpecial = _NOTHING,
        disallowed_special: DisallowedSpecial = "all",
        frame: bool = False,
    ) -> int:
        """Return how many ids ``encode`` gives, faster and without a list of them. Raises as ``encode`` does.

        >>> from minbpe_course import get_encoding
        >>> get_encoding("cl100k_base").count("hello world")
        2
        """
        if allowed_special is _NOTHING and disallowed_special == "all" and type(text) is str and not frame:
            mark = self._mark
            if mark is None or (mark and mark not in text):
                return self._engine.count(text)
        return self._count(text, self._allowed(text, allowed_special, disallowed_special)) + self._frame_length(frame)

    def count_batch(
        self,
        texts: Iterable[str],
        *,
        num_threads: int | None = None,
        allowed_special: AllowedSpecial = _NOTHING,
        disallowed_special: DisallowedSpecial = "all",
        frame: bool = False,
    ) -> npt.NDArray[np.int64]:
        """Return how many ids each text has, int64[n]; the other arguments are those of ``encode_batch``.

        >>> from minbpe_course import get_encoding
        >>> get_encoding("cl100k_base").count_batch(["hello world", "hi"])
        array([2, 1])
        """
        choose, ask = self._choice(allowed_special, disallowed_special)
        return self._count_many(texts, choose, min(threads_of(num_threads), cores()), ask) + self._frame_length(frame)

    def truncate(
        self,
        text: str,
        n: int,
        *,
        allowed_special: AllowedSpecial = _NOTHING,
        disallowed_special: DisallowedSpecial = "all",
        frame: bool = False,
    ) -> str:
        """Return the longest beginning of ``text`` that is whole tokens, ``n`` at most, and whole characters.

        The result, encoded with the same arguments, has at most ``n`` ids. Where a beginning alone would have more ids
        than as a part of the text, it is shorter. Raises as ``encode`` does, and InvalidOption for ``n`` below 0
        or below the length of the frame.

        >>> from minbpe_course import get_encoding
        >>> [get_encoding("gpt2").truncate("hello 👋 world", n) for n in (1, 2, 3)]
        ['hello', 'hello', 'hello 👋']
        """
        allowed = self._allowed(text, allowed_special, disallowed_special)
        return self._truncate(text, n, allowed, self._frame_length(frame))

    def encode_files(
        self,
        source: Source,
        output: str | os.PathLike[str],
        *,
        append: str | int | None = None,
        specials: str = "raise",
        dtype: str | None = None,
        num_threads: int | None = None,
        frame: bool = False,
    ) -> tuple[npt.NDArray[np.uint16] | npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Encode files of any size into one file of ids, on all cores and in bounded memory; return it as memory maps.

        source : a file, a pattern such as ``"data/**/*.txt"``, several of them, or a Corpus, for documents that are
        lines or fields of JSON · output : an .npy file, which appears only when it is complete · append : a special
        token, or an id, added after each document · specials : special tokens in the text: "raise" stops there,
        "none" takes them as ordinary text, "all" gives their ids · dtype : "uint16" or "uint32", by default the
        smaller one that holds every id · num_threads : None for one for each core · frame : whether to put the ids of
        ``encode(text, frame=True)`` around each document; what ``append`` adds comes after them.

        Returns the ids of all documents, and where each document ends, int64. The file has both:
        ``np.load(output, mmap_mode="r")`` opens the ids, a second ``np.load`` of the same open file the ends. Each file
        is one document, read as UTF-8, with its line ends and without dropping a byte order mark. Raises
        UnreadableInput, with the place of the byte, DisallowedSpecialToken, InvalidSpecialToken, InvalidOption,
        InvalidSource, and UnusablePath, also if a file changes meanwhile.

        >>> import tempfile
        >>> from pathlib import Path
        >>> from minbpe_course import get_encoding
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.txt").write_text("hello world", encoding="utf-8")
        >>> ids, ends = get_encoding("gpt2").encode_files(folder / "a.txt", folder / "a.npy", append="<|endoftext|>")
        >>> ids.tolist(), ends.tolist(), str(ids.dtype)
        ([31373, 995, 50256], [3], 'uint16')
        """
        from minbpe_course.tokenizers.adapters import ByteLevelAdapter
        from minbpe_course.tokenizers.file_encoding import encode_files

        adapter = ByteLevelAdapter(self.name, self, specials)
        return encode_files(adapter, source, output, append=append, dtype=dtype, num_threads=num_threads, frame=frame)

    def encode_with_unstable(
        self, text: str, *, allowed_special: AllowedSpecial = _NOTHING, disallowed_special: DisallowedSpecial = "all"
    ) -> tuple[list[int], list[list[int]]]:
        """Return the ids that stay however the text continues, and the lists of ids that may follow them.

        The arguments are those of ``encode``. The ids that stay and any of the lists decode to a text that begins with
        ``text``. The lists are those of tiktoken, sorted. An added token at the end of ``text`` stays.
        As in tiktoken, time grows with the square of the length of the last word and the spaces after it.

        >>> from minbpe_course import get_encoding
        >>> stay, ways = get_encoding("gpt2").encode_with_unstable("hello fanta")
        >>> stay, len(ways), ways[0]
        ([31373], 1432, [277, 4910])
        """
        allowed = self._allowed(text, allowed_special, disallowed_special)
        text = repaired(text)
        last = [text, *self._added.cut(text, allowed)][-1]
        ids = self._encode_to_list(text, allowed)
        if not isinstance(last, str):
            return ids, []
        stay, unstable = self._unstable.split_off(ids, last)
        return stay, self._unstable.completions(unstable)

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """Return the id of exactly one token, special tokens included. Raises UnknownToken.

        >>> from minbpe_course import get_encoding
        >>> get_encoding("gpt2").encode_single_token(" SolidGoldMagikarp")
        43453
        """
        token = _bytes_of(text_or_bytes)
        if token in self._token_ids:
            return self._token_ids[token]
        text = token.decode("utf-8", errors="backslashreplace")
        added = {**self._special_tokens, **self._plain_tokens}
        if text in added and text.encode("utf-8") == token:
            return added[text]
        raise UnknownToken(f"{text_or_bytes!r} is not a single token of {self.name}; encode() gives its ids.")

    # Decoding

    def decode(self, tokens: Ids, errors: str = "replace", *, skip_special_tokens: bool = False) -> str:
        """Return the text of ``tokens``; errors : how to treat bytes that are not UTF-8, as for ``bytes.decode``.

        skip_special_tokens : leave out special tokens; added tokens that are not special stay. Raises InvalidTokenId.

        >>> from minbpe_course import get_encoding
        >>> get_encoding("gpt2").decode([31373, 50256], skip_special_tokens=True)
        'hello'
        """
        if skip_special_tokens:
            tokens = self._without_special(tokens)
        return self._decoder.text_of(tokens, errors)

    def decode_bytes(self, tokens: Ids) -> bytes:
        """Return the bytes of ``tokens``, of special tokens those of their text. Raises InvalidTokenId."""
        return self._decoder.bytes_of(tokens)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of one id, special tokens included. Raises InvalidTokenId."""
        return self._decoder.tokens_of(ids_array([token]))[0]

    def decode_tokens_bytes(self, tokens: Ids) -> list[bytes]:
        """Return the bytes of each id separately. Raises InvalidTokenId."""
        return self._decoder.tokens_of(tokens)

    def decode_with_offsets(self, tokens: Ids) -> tuple[str, list[int]]:
        """Return the text and, for each id, the index of the first character that its bytes belong to.

        A token that begins inside a character gets that character's index. Raises InvalidTokenId, and
        UnicodeDecodeError when the ids are not whole text.

        >>> from minbpe_course import get_encoding
        >>> get_encoding("gpt2").decode_with_offsets([31373, 995])
        ('hello world', [0, 5])
        """
        return super().decode_with_offsets(tokens)

    def decode_batch(
        self,
        batch: Iterable[Ids],
        *,
        errors: str = "replace",
        num_threads: int | None = 8,
        skip_special_tokens: bool = False,
    ) -> list[str]:
        """Return the texts of many lists of ids; the other arguments are those of ``decode``."""
        threads_of(num_threads)
        skip = skip_special_tokens
        return [self.decode(ids, errors, skip_special_tokens=skip) for ids in must_iterate(batch)]

    def decode_bytes_batch(self, batch: Iterable[Ids], *, num_threads: int | None = 8) -> list[bytes]:
        """Return the bytes of many lists of ids."""
        threads_of(num_threads)
        return [self.decode_bytes(ids) for ids in must_iterate(batch)]

    # Facts

    def token_byte_values(self) -> list[bytes]:
        """Return the bytes of all ordinary tokens, sorted."""
        return sorted(self._token_ids)

    @property
    def eot_token(self) -> int:
        """The id of ``<|endoftext|>``. Raises KeyError for an encoding without it."""
        return self._special_tokens["<|endoftext|>"]

    @cached_property
    def special_tokens_set(self) -> set[str]:
        """The texts of the special tokens, without added tokens that are not special."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Return whether the id belongs to a special token. Raises NotTokenIds."""
        if not isinstance(token, (int, np.integer)):
            raise NotTokenIds(f"an id is a whole number, got {quoted(token)}.")
        return token in self._special_token_values

    @property
    def n_vocab(self) -> int:
        """One more than the largest id.

        >>> from minbpe_course import get_encoding
        >>> get_encoding("o200k_base").n_vocab
        200019
        """
        return self.max_token_value + 1

    # Private in tiktoken, and used by programs nevertheless

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        """Return the ids of one word, without splitting it; special tokens are ordinary text."""
        return self._unstable.ids_of_word(_bytes_of(text_or_bytes))

    def _encode_bytes(self, text: bytes) -> list[int]:
        """Return the ids of bytes; from the first byte that is not UTF-8 on, all belong to the last word."""
        if isinstance(text, str):
            raise NotText("expected bytes, got a str; for text call encode_ordinary(text).")
        if self._plain_tokens:
            raise UnsupportedModel(f"{self.name} has added tokens that are found in every text; call encode(text).")
        return self._unstable.encode_bytes(_bytes_of(text))

    # Computed when first needed

    @cached_property
    def _special_token_values(self) -> set[int]:
        return set(self._special_tokens.values())

    @cached_property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        if self._record is None:
            return self._ranks
        reason = None if self._proven else why_not_ranks(self._record)
        if reason is not None:
            raise UnsupportedModel(
                f"{self.name} has no mergeable ranks: {reason}\nThe record it was made from has its merges."
            )
        return dict(self._token_ids)

    @built_once
    def _token_ids(self) -> Mapping[bytes, int]:
        if self._record is None:
            return self._ranks
        found: dict[bytes, int] = {}
        for token_id, token in self._record.token_bytes.items():
            found.setdefault(token, token_id)
        return found

    @built_once
    def _engine(self) -> BytePairEngine:
        if self._record is None:
            tokens = lay_tokens({token_id: token for token, token_id in self._ranks.items()})
            record = VocabularyModel(tokens, pattern=self._pat_str, pattern_engine="tiktoken")
            return BytePairEngine.from_vocabulary(record, repair=True, keep_all=False)
        if isinstance(self._record, VocabularyModel):
            return BytePairEngine.from_vocabulary(self._record, repair=True)
        # If merging reaches every token, encoding by merges and by ranks is the same.
        return BytePairEngine.from_model(self._record, repair=True, proven=self._proven)

    @built_once
    def _encode_list(self) -> Callable[[str], list[int]]:
        return self._encode_around_plain if self._plain_tokens else self._engine.encode_list

    def _encode_around_plain(self, text: str) -> list[int]:
        return self._encode_to_list(must_be_text(text), {})

    @cached_property
    def _added(self) -> AddedTokens:
        record = self._record
        if not isinstance(record, VocabularyModel) or not record.special_flags:
            return super()._added
        normalize = normalizer(record.normalization_steps)
        return AddedTokens(self._specials, self._plain, record.special_flags, normalize)

    @cached_property
    def _unstable(self) -> UnstableEnds:
        if self._record is not None and (reason := self._record.only_in_huggingface) is not None:
            raise UnsupportedModel(
                f"the ids that may follow are known only for tiktoken's way of encoding; {self.name} differs: {reason}."
            )
        if self._record is not None:
            return UnstableEnds(self._engine, self._record.token_bytes, self._token_ids)
        return UnstableEnds(self._engine, {rank: token for token, rank in self._token_ids.items()}, self._token_ids)

    @built_once
    def _decoder(self) -> Decoder:
        tables = self._engine.tables
        if isinstance(self._record, VocabularyModel) and self._record.word_end:
            # The tables of the engine have a mark instead of the word's end.
            tables = VocabularyTables.plain(self._record)
        ids, starts = tables.ids, tables.token_start
        if isinstance(self._record, VocabularyModel) and self._record.lacking:
            # The tables have ids for bytes without a token, which come last.
            tables = VocabularyTables.plain(self._record)
            ids, starts = self._record.ids, self._record.token_starts
        specials = dict(self._special_texts)
        # The decoder has no entry for an ordinary token without bytes. Asking for all tokens takes 30 MB.
        if not np.diff(starts).all() and b"" in self._token_ids:
            specials[self._token_ids[b""]] = ""
        return Decoder(tables.token_text, starts, ids, specials)

    @property
    def _frame(self) -> Frame:
        return frame_of(self._record)

    @property
    def _specials(self) -> Mapping[str, int]:
        return self._special_tokens

    @property
    def _plain(self) -> Mapping[str, int]:
        return self._plain_tokens

    @cached_property
    def _special_texts(self) -> Mapping[int, str]:
        if self._record is None:
            return {token_id: text for text, token_id in self._special_tokens.items()}
        # As in tokenizers, a token that is searched for in normalized text decodes to its normalized form.
        found = self._added.normal_form
        added = {token_id: found.get(text, text) for text, token_id in self._record.special_tokens.items()}
        return {**self._record.decode_only, **added}

    def _choice(
        self, allowed: AllowedSpecial, disallowed: DisallowedSpecial
    ) -> tuple[Callable[[str], Mapping[str, int]], bool | None]:
        """Return ``choose`` and ``ask`` for the methods for batches; see ``_encode_many``."""
        ask: bool | None = True
        if not allowed and disallowed == ():
            ask = None
        elif not allowed and disallowed == "all":
            ask = False
        return lambda one: allowed_for_tiktoken(one, allowed, disallowed, self._special_tokens), ask

    def _allowed(self, text: str, allowed: AllowedSpecial, disallowed: DisallowedSpecial) -> Mapping[str, int]:
        must_be_text(text)
        return allowed_for_tiktoken(text, allowed, disallowed, self._special_tokens)


def _bytes_of(given: str | bytes) -> bytes:
    if isinstance(given, str):
        try:
            return str.encode(given, "utf-8")
        except UnicodeEncodeError as error:
            raise LoneSurrogate(*error.args) from None
    if not isinstance(given, (bytes, bytearray, memoryview)):
        raise NotText(f"expected bytes or a str, got {type(given).__name__}.")
    return bytes(given)
