"""The record of a byte-level vocabulary in files of other programs: any ids, and merges in any order.

    BytePairModel      bytes have the ids 0..255, merge k makes the next id        the result of training
    VocabularyModel    id -> bytes, and a rule that turns words into tokens        files of other programs

There are two rules. With ``merges``, the pair that is first in the list merges first, wherever it is in the word, as in
Hugging Face's files. Without, two neighbours merge when their joined bytes are a token, lowest id first, as in
tiktoken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.errors import InvalidModel, InvalidSpecialToken
from minbpe_course.model.byte_pair import BytePairModel, check_pattern, check_special_text, checked_specials, merge_rows
from minbpe_course.model.copies import CopiedRecord, types_checked
from minbpe_course.model.frames import NO_FRAME, Frame, PairFrame, each_framed

MOST_IDS = 1 << 32

# The steps that a tokenizer.json may have, each with the types of its values.
NORMALIZER_STEPS = {
    "NFC": (),
    "NFD": (),
    "NFKC": (),
    "NFKD": (),
    "Nmt": (),
    "Lowercase": (),
    "Replace": (str, str, str),
    "Prepend": (str,),
    "Strip": (bool, bool),
    "StripAccents": (),
    "Bert": (bool, bool, bool, bool),
}
SPLIT_STEPS = {
    "Split": (str, str, str, bool),
    "Digits": (bool,),
    "Punctuation": (str,),
    "Bert": (),
    "Whitespace": (),
    "WhitespaceSplit": (),
    "ByteLevel": (bool, bool),
}
SPECIAL_FLAGS = ("lstrip", "normalized", "rstrip", "single_word")

Step = tuple[Any, ...]


class LaidTokens(NamedTuple):
    """Tokens end to end by ascending id, distinct: ids uint32[v], their bytes, and where each begins, int64[v + 1]."""

    ids: np.ndarray
    text: bytes
    starts: np.ndarray


@dataclass(frozen=True, init=False, eq=False, repr=False)
class VocabularyModel(CopiedRecord):
    """A byte-level vocabulary with any ids.

    Parameters
    ----------
    token_bytes : id -> bytes of the ordinary tokens, ids from 0 to 2**32 - 1. Each byte string once, and all 256 single
        bytes among them. A token without bytes may be there; no text gives its id. Or LaidTokens, which are trusted
        to be distinct, like the merges to join tokens.
    merges : (left id, right id, made id), the preferred one first. Several may make one token; of a pair that is in
        the list twice, the last place counts, as in `tokenizers`. None for the rule of ranks: neighbours merge when
        their joined bytes are a token, lowest id first (but never into 2**32 - 1, tiktoken's word for no rank).
    whole_words : a word that is a token is taken whole, before any merge.
    pattern : the regular expression that cuts text into words, or None for no cutting.
    pattern_engine : the library whose Unicode tables apply, a name of ``unicode_tables.ENGINES``; None for the one that
        the pattern comes from.
    normalization : None, "NFC", or several steps of ``text.normalizer_steps``, applied to ordinary text before it is
        split into words.
    special_tokens : text -> id of everything that is cut out of a text first. Two texts may share an id, which decodes
        to the last one. The id may be an ordinary token's if the text spells it, in UTF-8 or in GPT-2's printable
        bytes; the id decodes to the ordinary token.
    plain_tokens : those among ``special_tokens`` that are not special: they are found in every text, also where special
        tokens are ordinary text, and stay in a text when special tokens are skipped.
    frame : the ids before and after every text.
    pair_frame : the parts of what becomes of two texts, each with its type id: ids, "A" and "B". Empty if two texts
        cannot be encoded together; None if each of them has ``frame``, with the type ids 0 and 1.
    split_steps : the steps of ``text.split_steps`` that split text into words where one pattern cannot; the pattern is
        None then.
    prefix_space : whether ordinary text that does not begin with a space gets one, after it has been normalized.
    word_end : the ending of the last character of a word ("</w>" in CLIP), or "". Tokens that end a word have these
        bytes at their end; all 256 bytes with it are among them, and ``merges`` is given.
    special_flags : text -> which of lstrip, rstrip, single_word and normalized a special token has
        (``text.added_tokens``).
    decode_only : id -> text of tokens that are only decoded, since they are not spelled as bytes.
    lacking : the single bytes that have no token, b"" for none. In a text they become ``unknown``, or nothing where
        that is None: the parts of the word on both sides merge with each other then. fuse_unknown : whether adjacent
        ones in a word become one id; without ``unknown``, whether those parts stay apart, as in llama.cpp.
    source : the tokenizer.json that the model was read from, without vocabulary and merges. Its writer keeps what no
        field describes. Comparisons ignore it.

    Raises InvalidModel, InvalidSpecialToken.

    >>> tokens = {1000 + byte: bytes([byte]) for byte in range(256)} | {7: b"ab", 3: b"abc"}
    >>> model = VocabularyModel(tokens, merges=[(1097, 1098, 7), (7, 1099, 3)], special_tokens={"<|end|>": 0})
    >>> model.token_bytes[3], model.merges[1], model.byte_ids[97], model.vocab_size
    (b'abc', (7, 1099, 3), 1097, 1256)
    """

    ids: np.ndarray
    token_text: bytes
    token_starts: np.ndarray
    merge_table: np.ndarray | None
    whole_words: bool
    pattern: str | None
    pattern_engine: str | None
    normalization: str | tuple[Step, ...] | None
    special_tokens: Mapping[str, int]
    plain_tokens: frozenset[str]
    frame: Frame
    pair_frame: PairFrame | None
    split_steps: tuple[Step, ...]
    prefix_space: bool
    word_end: str
    special_flags: Mapping[str, tuple[str, ...]]
    decode_only: Mapping[int, str]
    lacking: bytes
    unknown: int | None
    fuse_unknown: bool
    source: str

    def __init__(
        self,
        token_bytes: Mapping[int, bytes] | LaidTokens,
        merges: Iterable[tuple[int, int, int]] | np.ndarray | None = None,
        *,
        whole_words: bool = True,
        pattern: str | None = None,
        pattern_engine: str | None = None,
        normalization: str | Iterable[Step] | None = None,
        special_tokens: Mapping[str, int] | None = None,
        plain_tokens: Iterable[str] = (),
        frame: tuple[Iterable[int], Iterable[int]] = NO_FRAME,
        pair_frame: Iterable[tuple[int | str, int]] | None = None,
        split_steps: Iterable[Step] = (),
        prefix_space: bool = False,
        word_end: str = "",
        special_flags: Mapping[str, Iterable[str]] | None = None,
        decode_only: Mapping[int, str] | None = None,
        lacking: bytes = b"",
        unknown: int | None = None,
        fuse_unknown: bool = False,
        source: str = "",
    ) -> None:
        put = partial(object.__setattr__, self)
        with types_checked(self):
            trusted = isinstance(token_bytes, LaidTokens)
            laid = token_bytes if isinstance(token_bytes, LaidTokens) else lay_tokens(token_bytes)
            before, behind = frame
            put("ids", laid.ids)
            put("token_text", laid.text)
            put("token_starts", laid.starts)
            put("merge_table", None if merges is None else merge_rows(merges, 3, np.uint32))
            put("whole_words", bool(whole_words))
            put("pattern", check_pattern(pattern))
            put("pattern_engine", check_pattern(pattern_engine, "pattern_engine"))
            put("normalization", _normalization(normalization))
            put("special_tokens", MappingProxyType(checked_specials(special_tokens)))
            put("plain_tokens", frozenset(plain_tokens))
            put("frame", (tuple(before), tuple(behind)))
            pair = None if pair_frame is None else tuple((part, kind) for part, kind in pair_frame)
            put("pair_frame", None if pair == each_framed(self.frame) else pair)
            put("split_steps", _steps(split_steps, SPLIT_STEPS, "split_steps"))
            put("prefix_space", bool(prefix_space))
            put("word_end", word_end)
            put("special_flags", _flags(special_flags))
            put("decode_only", MappingProxyType(dict(decode_only or {})))
            put("lacking", bytes(sorted(set(lacking))))
            put("unknown", unknown)
            put("fuse_unknown", bool(fuse_unknown))
            put("source", source)
            self._check(trusted)

    @classmethod
    def from_byte_pairs(cls, model: BytePairModel) -> VocabularyModel:
        """Return the same model as a vocabulary, with the same ids for every text.

        Raises InvalidModel when two merges make tokens of the same bytes, which this record cannot hold.

        >>> VocabularyModel.from_byte_pairs(BytePairModel([(97, 97)])).merges
        ((97, 97, 256),)
        """
        made = np.asarray(model.merge_ids, dtype=np.int64).reshape(-1, 1)
        return cls(
            model.token_bytes,
            np.concatenate([model.pairs, made], axis=1),
            whole_words=False,
            pattern=model.pattern,
            special_tokens=model.special_tokens,
            source=model.source,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, VocabularyModel):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.token_text, self.pattern, self.whole_words))

    def __repr__(self) -> str:
        rule = "ranks" if self.merge_table is None else f"{len(self.merge_table):,} merges"
        counts = f"{len(self.ids):,} tokens, {rule}, {len(self.special_tokens)} special tokens"
        return f"VocabularyModel({counts}, pattern={self.pattern!r})"

    def replace(self, **changes: object) -> VocabularyModel:
        """Return a copy with some fields changed. With another frame, each text of a pair has that.

        >>> model = VocabularyModel({byte: bytes([byte]) for byte in range(256)})
        >>> model.replace(special_tokens={"<|end|>": 256}).special_tokens["<|end|>"]
        256
        """
        # The tokens were checked before, and checking them takes the longest.
        tokens = LaidTokens(self.ids, self.token_text, self.token_starts)
        if "frame" in changes:
            changes = {"pair_frame": None, **changes}
        arguments: dict[str, Any] = {"token_bytes": tokens, "merges": self.merge_table, **self.options(), **changes}
        other = VocabularyModel(**arguments)
        if "merges" in changes and "token_bytes" not in changes:
            other._check_merges()
        return other

    @cached_property
    def token_bytes(self) -> Mapping[int, bytes]:
        """id -> bytes of the ordinary tokens, by ascending id; special tokens are not in it."""
        bounds = self.token_starts.tolist()
        text = self.token_text
        return MappingProxyType({i: text[a:b] for i, a, b in zip(self.ids.tolist(), bounds, bounds[1:])})

    @cached_property
    def ranks(self) -> Mapping[bytes, int]:
        """bytes -> id of the ordinary tokens, tiktoken's mergeable ranks."""
        return MappingProxyType({token: token_id for token_id, token in self.token_bytes.items()})

    @cached_property
    def merges(self) -> tuple[tuple[int, int, int], ...] | None:
        """(left id, right id, made id) in the order of preference, or None for the rule of ranks."""
        return None if self.merge_table is None else tuple(map(tuple, self.merge_table.tolist()))

    @cached_property
    def byte_ids(self) -> tuple[int, ...]:
        """The id of each of the bytes that have a token: of all 256, unless some are ``lacking``."""
        single = np.flatnonzero(np.diff(self.token_starts) == 1)
        bytes_there = np.frombuffer(self.token_text, dtype=np.uint8)[self.token_starts[single]]
        return tuple(self.ids[single[np.argsort(bytes_there)]].tolist())

    @property
    def vocab_size(self) -> int:
        """One more than the largest id in use, special tokens included."""
        return max(int(self.ids[-1]), *self.special_tokens.values(), *self.decode_only, 0) + 1

    def options(self) -> dict[str, Any]:
        """Return the arguments of the constructor, except the tokens and the merges, as plain values."""
        options = {each.name: getattr(self, each.name) for each in fields(VocabularyModel)[4:]}
        return options | {name: dict(options[name]) for name in ("special_tokens", "special_flags", "decode_only")}

    def _fields(self) -> dict[str, Any]:
        return dict(token_bytes=dict(self.token_bytes), merges=self.merge_table, **self.options())

    def _key(self) -> tuple:
        return (
            self.token_text,
            self.ids.tobytes(),
            self.token_starts.tobytes(),
            None if self.merge_table is None else self.merge_table.tobytes(),
            # The text of a shared id depends on the order of the texts.
            {token_id: text for text, token_id in self.special_tokens.items()},
            self.options() | {"source": ""},
        )

    def _check(self, trusted: bool) -> None:
        if not trusted and len(set(map(self.token_text.__getitem__, _slices(self.token_starts)))) < len(self.ids):
            _refuse_duplicates(self.token_bytes)
        self._check_bytes()
        if self.split_steps and self.pattern is not None:
            raise InvalidModel("text is split by a pattern or by split_steps; give only one of the two.")
        if self.split_steps and all(step[0] != "ByteLevel" for step in self.split_steps):
            raise InvalidModel("one of split_steps must be ByteLevel, which makes bytes of text.")
        if not trusted:
            self._check_merges()
        self._check_specials()
        self._check_word_end()
        for token_id, text in self.decode_only.items():
            if not _is_id(token_id) or not isinstance(text, str):
                raise InvalidModel(f"decode_only maps ids to texts, got {token_id!r:.60}: {text!r:.60}.")
            if self._has(token_id) or token_id in self.special_tokens.values():
                raise InvalidModel(f"decode_only names the id {token_id}, which another token has.")

    def _check_bytes(self) -> None:
        if len(self.byte_ids) + len(self.lacking) != 256:
            there = {token[0] for token in self.token_bytes.values() if len(token) == 1}
            missing = min(set(range(256)) - there - set(self.lacking), default=min(self.lacking, default=0))
            raise InvalidModel(
                f"no token is the single byte {missing:#04x}; all 256 single bytes are needed, each with its own id."
            )

    def _check_merges(self) -> None:
        table = self.merge_table
        if table is None or not len(table):
            return
        places = np.minimum(np.searchsorted(self.ids, table), len(self.ids) - 1)
        unknown = (self.ids[places] != table) | (np.diff(self.token_starts)[places] == 0)
        if unknown.any():
            at, part = np.argwhere(unknown)[0].tolist()
            raise InvalidModel(
                f"merge {at}, {tuple(table[at].tolist())}, names the id {int(table[at, part])}, which no token with "
                "bytes has."
            )
        wrong = ~_joins(np.frombuffer(self.token_text, dtype=np.uint8), self.token_starts, places.T)
        if wrong.any():
            at = int(wrong.argmax())
            left, right, made = (self.token_bytes[token_id] for token_id in table[at].tolist())
            raise InvalidModel(
                f"merge {at}, {tuple(table[at].tolist())}, joins {left!r:.60} and {right!r:.60} into {made!r:.60}, "
                "which is not the bytes of both."
            )

    def _check_specials(self) -> None:
        for text, token_id in self.special_tokens.items():
            check_special_text(text)
            if not _is_id(token_id):
                raise InvalidSpecialToken(
                    f"the id of {text!r} must be a whole number from 0 to 2**32 - 1, got {token_id!r}."
                )
            if self._has(token_id):
                token = self.token_bytes[int(token_id)]
                # In a tokenizer.json, an added token may be spelled like the printable bytes of another one.
                if text.encode("utf-8", "surrogatepass") != token and not _is_printable_form(text, token):
                    raise InvalidSpecialToken(
                        f"{text!r} cannot have id {token_id}: the ordinary token {token!r:.60} has it. "
                        f"The first id above all others is {self.vocab_size}."
                    )
        if strangers := self.plain_tokens - self.special_tokens.keys():
            raise InvalidSpecialToken(f"plain_tokens names {min(strangers)!r}, which is none of the special_tokens.")
        if unknown := self.special_flags.keys() - self.special_tokens.keys():
            raise InvalidSpecialToken(f"special_flags names {min(unknown)!r}, which is none of the special_tokens.")
        known = set(self.special_tokens.values())
        for token_id in (*self.frame[0], *self.frame[1]):
            if token_id not in known and (not _is_id(token_id) or not self._has(token_id)):
                raise InvalidModel(f"frame puts the id {token_id!r} round every text, and no token has it.")
        for part, kind in self.pair_frame or ():
            if part not in ("A", "B") and part not in known and (not _is_id(part) or not self._has(part)):
                raise InvalidModel(
                    f"pair_frame has the part {part!r:.60}, which is neither 'A' nor 'B' nor an id here."
                )
            if not _is_id(kind):
                raise InvalidModel(f"a type id of pair_frame is a whole number from 0 to 2**32 - 1, got {kind!r:.60}.")

    def _has(self, token_id: Any) -> bool:
        place = int(np.searchsorted(self.ids, token_id))
        return place < len(self.ids) and int(self.ids[place]) == token_id

    def _check_word_end(self) -> None:
        end = self.word_end
        if end and self.lacking:
            raise InvalidModel("with a word_end, all 256 bytes need a token.")
        if not isinstance(end, str):
            raise InvalidModel(f"word_end must be a str, got {end!r}.")
        if not end:
            return
        if self.merge_table is None or self.whole_words:
            raise InvalidModel("a word_end needs merges, and whole_words=False.")
        missing = [byte for byte in range(256) if bytes([byte]) + end.encode() not in self.ranks]
        if missing:
            raise InvalidModel(
                f"no token is the single byte {missing[0]:#04x} at the end of a word, {chr(missing[0])!r} and {end!r}; "
                "all 256 single bytes are needed with it, too."
            )

    @property
    def normalization_steps(self) -> tuple[Step, ...]:
        """The steps of ``normalization``, in the form of ``text.normalizer_steps``."""
        said = self.normalization
        return ((said,),) if isinstance(said, str) else said or ()

    @property
    def only_in_huggingface(self) -> str | None:
        """The property of this model that only a tokenizer.json can express, or None.

        >>> VocabularyModel({byte: bytes([byte]) for byte in range(256)}, prefix_space=True).only_in_huggingface
        'it puts a space before every text'
        """
        if self.normalization not in (None, "NFC"):
            steps = ", ".join(step[0] for step in self.normalization_steps)
            return f"it changes text in these steps before it encodes it: {steps}"
        if self.prefix_space:
            return "it puts a space before every text"
        if self.split_steps:
            return f"it splits text in several steps: {', '.join(step[0] for step in self.split_steps)}"
        if self.lacking:
            return f"{len(self.lacking)} of the 256 bytes have no token (the first is {self.lacking[0]:#04x})"
        if self.word_end:
            return f"its words end in {self.word_end!r}"
        if self.special_flags:
            text, flags = min(self.special_flags.items())
            return f"its added token {text!r:.60} is found by what is around it ({', '.join(flags)})"
        if self.decode_only:
            return f"no text becomes its token {min(self.decode_only)}, which is only decoded"
        return None


def _is_printable_form(text: str, token: bytes) -> bool:
    """Return whether GPT-2 may spell a token like this: a byte as a Latin-1 character or one of 68 from U+0100 on."""
    return len(text) == len(token) and all(ord(c) == byte or 0x100 <= ord(c) < 0x144 for c, byte in zip(text, token))


def _is_id(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and 0 <= int(value) < MOST_IDS


def _normalization(said: object) -> str | tuple[Step, ...] | None:
    if said is None:
        return None
    if said == "NFC":
        return "NFC"
    if isinstance(said, str) or not isinstance(said, Iterable):
        raise InvalidModel(f'normalization must be None, "NFC", or a list of steps, got {said!r}.')
    steps = _steps(said, NORMALIZER_STEPS, "normalization")
    return "NFC" if steps == (("NFC",),) else steps or None


def _steps(said: Iterable[Any], known: Mapping[str, tuple[type, ...]], name: str) -> tuple[Step, ...]:
    steps = tuple(tuple(step) if isinstance(step, (list, tuple)) else (step,) for step in said)
    for step in steps:
        if not step or not isinstance(step[0], str) or tuple(map(type, step[1:])) != known.get(step[0]):
            raise InvalidModel(f"{name} has a step {step!r:.80}; known are {known_steps(known)}.")
    return steps


def known_steps(known: Mapping[str, tuple[type, ...]]) -> str:
    """Say which steps there are, with the types of their values.

    >>> known_steps({"NFC": (), "Strip": (bool, bool)})
    "('NFC'), ('Strip', bool, bool)"
    """
    return ", ".join(f"({', '.join([repr(kind), *(each.__name__ for each in of)])})" for kind, of in known.items())


def _flags(said: Mapping[str, Iterable[str]] | None) -> Mapping[str, tuple[str, ...]]:
    found = {text: tuple(sorted(set(flags))) for text, flags in (said or {}).items()}
    for text, flags in found.items():
        if wrong := set(flags) - set(SPECIAL_FLAGS):
            raise InvalidSpecialToken(
                f"the flags of {text!r:.60} may be {', '.join(SPECIAL_FLAGS)}, got {min(wrong)!r:.60}."
            )
    return MappingProxyType({text: flags for text, flags in found.items() if flags})


def _slices(starts: np.ndarray) -> Iterable[slice]:
    bounds = starts.tolist()
    return map(slice, bounds, bounds[1:])


def lay_tokens(token_bytes: Mapping[int, bytes]) -> LaidTokens:
    """Lay out tokens by ascending id. Raises InvalidModel for an id or a token of another type."""
    listed = list(token_bytes.values())
    plain = not token_bytes or (
        set(map(type, token_bytes)) == {int} and 0 <= min(token_bytes) <= max(token_bytes) < MOST_IDS
    )
    if not plain and not all(map(_is_id, token_bytes)):
        wrong = next(token_id for token_id in token_bytes if not _is_id(token_id))
        raise InvalidModel(f"the id of a token must be a whole number from 0 to 2**32 - 1, got {wrong!r}.")
    if set(map(type, listed)) - {bytes}:
        at, token = next(item for item in token_bytes.items() if type(item[1]) is not bytes)
        raise InvalidModel(f"the token with id {at} must be bytes, got {token!r:.80}.")
    ids = np.fromiter(token_bytes, dtype=np.int64, count=len(listed))
    if len(ids) and not (ids[1:] > ids[:-1]).all():
        order = np.argsort(ids)
        ids, listed = ids[order], [listed[k] for k in order.tolist()]
    starts = np.zeros(len(listed) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, listed), dtype=np.int64, count=len(listed)), out=starts[1:])
    narrow = ids.astype(np.uint32)
    for array in (narrow, starts):
        array.setflags(write=False)
    return LaidTokens(narrow, b"".join(listed), starts)


def _joins(text: np.ndarray, starts: np.ndarray, merges: np.ndarray) -> np.ndarray:
    """Return whether each merge, three places of tokens, makes the bytes of both parts: bool[n]."""
    sizes = np.diff(starts)
    left, right, made = merges
    good = sizes[left] + sizes[right] == sizes[made]
    for part, begin in ((left, starts[made]), (right, starts[made] + sizes[left])):
        of, part = np.flatnonzero(good), part[good]
        length = sizes[part]
        ends = np.cumsum(length)
        within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - length, length)
        differ = text[np.repeat(starts[part], length) + within] != text[np.repeat(begin[of], length) + within]
        good[np.repeat(of, length)[differ]] = False
    return good


def _refuse_duplicates(token_bytes: Mapping[int, bytes]) -> None:
    first: dict[bytes, int] = {}
    for token_id, token in token_bytes.items():
        if first.setdefault(token, token_id) != token_id:
            raise InvalidModel(
                f"the ids {first[token]} and {token_id} both stand for {token!r:.60}; each byte string has one id."
            )
