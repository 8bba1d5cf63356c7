r"""Find out how a user's class cuts a text, and what each of its ids stands for.

The bytes or the text of an id come from the first of these that the class has:

    decode_tokens_bytes(ids)  decode_single_token_bytes(id)  decode_bytes(ids)      bytes, one id at a time
    id_to_byte_piece(id)                                                           as in Mistral's Tekken
    vocab, token_bytes                                                             a table: id -> token, or token -> id
    id_to_piece(id)  id_to_token(id)                                               text
    decode(ids)                                                                    text, one id at a time

The last one has a problem: half a character, decoded alone, is U+FFFD, which does not determine the bytes. They are
then taken from the text: the tokens in order must cover it, and decoded alone, and together with the tokens before
them, they must give what ``decode`` gave.

    text  "€!"  e2 82 ac 21       decode([7]) "\ufffd"   decode([9]) "\ufffd!"      so 7 is e2 82 and 9 is ac 21

If there is no such way, or more than one, UnusableTokenizer says what to add to the class.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from minbpe_course.errors import MinbpeCourseError, UnusableTokenizer
from minbpe_course.text.byte_alphabet import from_printable, printable_bytes

Token = bytes | str
ADVICE = (
    "A class of your own needs encode(text) -> ids and one way back: decode_bytes(ids) -> bytes, "
    "vocab (a dict from id to bytes), or decode(ids) -> str."
)
_TABLES = ("vocab", "token_bytes")
_PLAIN = {
    **dict.fromkeys(("add_special_tokens", "add_bos", "add_eos", "bos", "eos", "verbose"), False),
    "visualise": None,
}
_BROKEN = "\ufffd"
CHARACTERS = frozenset(printable_bytes().values())


class OwnClass:
    """A tokenizer known only by the methods that it has.

    >>> class Letters:
    ...     def encode(self, text): return list(text.encode("utf-8"))
    ...     def decode(self, ids): return bytes(ids).decode("utf-8", errors="replace")
    >>> OwnClass(Letters()).answer("é!", False)[:2]
    ([195, 169, 33], [b'\\xc3', b'\\xa9', b'!'])
    """

    def __init__(self, tokenizer: Any) -> None:
        if isinstance(tokenizer, type):
            raise UnusableTokenizer(f"{tokenizer.__name__} is a class; give an object of it: {tokenizer.__name__}().")
        self.name = type(tokenizer).__name__
        self._tokenizer = tokenizer
        if not callable(self._attribute("encode")):
            raise UnusableTokenizer(f"this is no tokenizer: {self.name} has no encode(text). {ADVICE}")
        self._way_back()

    @property
    def n_vocab(self) -> int | None:
        """The size that the class gives, or that of its table, or None."""
        for attribute in ("n_vocab", "vocab_size", "n_words", *_TABLES):
            value = self._attribute(attribute)
            if callable(value):
                value = self._asked(attribute, value)
            if isinstance(value, int):
                return value
            if isinstance(value, (Mapping, Sequence)):
                return len(value)
        return None

    def answer(self, text: str, specials: bool) -> tuple[list[int], list[Token], list[int], str]:
        """Return the ids, the tokens, the places of special tokens, and a note. Raises UnusableTokenizer."""
        ids = ids_given(self._asked("encode", lambda: self._encoded(text, specials)), self.name)
        known = {token_id: token for token, token_id in self._specials().items()}
        tokens, note = self._tokens(ids, text, known)
        special = [place for place, token_id in enumerate(ids) if specials and token_id in known]
        return ids, tokens, special, note

    # ---- Ids

    def _encoded(self, text: str, specials: bool) -> Any:
        """Call ``encode`` with the options for special tokens that it has: minbpe's or tiktoken's."""
        encode = self._tokenizer.encode
        try:
            known = set(inspect.signature(encode).parameters)
        except (TypeError, ValueError):
            known = set()
        # Add no tokens that are not in the text, and print nothing.
        plain: dict[str, Any] = {name: quiet for name, quiet in _PLAIN.items() if name in known}
        if specials:
            return encode(text, **plain, **({"allowed_special": "all"} if "allowed_special" in known else {}))
        if "disallowed_special" in known:
            return encode(text, disallowed_special=(), **plain)
        if callable(self._attribute("encode_ordinary")):
            return self._tokenizer.encode_ordinary(text)
        return encode(text, **plain, **({"allowed_special": "none"} if "allowed_special" in known else {}))

    def _specials(self) -> dict[str, int]:
        for attribute in ("special_tokens", "_special_tokens"):
            table = self._attribute(attribute)
            if isinstance(table, Mapping) and all(isinstance(token, str) for token in table):
                return dict(table)
        return {}

    # ---- Tokens

    def _way_back(self) -> Callable[[int], Any]:
        """Return a function from an id to its token."""
        tokenizer = self._tokenizer

        def offered(name: str) -> bool:
            return callable(self._attribute(name))

        if offered("decode_tokens_bytes"):
            return lambda token_id: next(iter(tokenizer.decode_tokens_bytes([token_id])))
        if offered("decode_single_token_bytes"):
            return lambda token_id: tokenizer.decode_single_token_bytes(token_id)
        if offered("decode_bytes"):
            return lambda token_id: tokenizer.decode_bytes([token_id])
        if offered("id_to_byte_piece"):
            return lambda token_id: tokenizer.id_to_byte_piece(token_id)
        tables = [table for table in map(self._attribute, _TABLES) if isinstance(table, (Mapping, Sequence))]
        for table in tables:
            if len(table):
                return _by_id(table).__getitem__
        for name in ("id_to_piece", "id_to_token"):
            if offered(name):
                return lambda token_id: getattr(tokenizer, name)(token_id)
        if offered("decode"):
            return lambda token_id: tokenizer.decode([token_id])
        if tables:
            # The table is empty before training.
            return tables[0].__getitem__
        raise UnusableTokenizer(f"{self.name} has encode(text) but no way back from ids. {ADVICE}")

    def _tokens(self, ids: list[int], text: str, known: Mapping[int, str]) -> tuple[list[Token], str]:
        one_by_one = self._way_back()
        found = {token_id: self._token(token_id, one_by_one, known) for token_id in dict.fromkeys(ids)}
        alone = [found[token_id] for token_id in ids]
        spelled = [token for token in alone if isinstance(token, str)]
        if len(spelled) < len(alone):
            return alone, difference(alone, text)
        aligned = aligned_bytes(spelled, text.encode("utf-8"), self._together(ids))
        if aligned is not None:
            return list(aligned if any(_BROKEN in token for token in spelled) else spelled), ""
        if all(character in CHARACTERS for token in spelled for character in token):
            data: list[Token] = [from_printable(token) for token in spelled]
            if not difference(data, text):
                return data, ""
        for token_id, token in zip(ids, spelled):
            if _BROKEN in token or not token:
                raise self._lossy(token_id)
        return alone, difference(alone, text)

    def _together(self, ids: list[int]) -> Callable[[int, int], str] | None:
        if not callable(self._attribute("decode")):
            return None
        return lambda first, end: str(self._asked("decode", lambda: self._tokenizer.decode(ids[first:end])))

    def _token(self, token_id: int, one_by_one: Callable[[int], Any], known: Mapping[int, str]) -> Token:
        try:
            token = one_by_one(token_id)
        except Exception as problem:
            # minbpe's vocab, for one, does not hold the special tokens.
            if token_id in known:
                return known[token_id].encode("utf-8")
            raise UnusableTokenizer(
                f"{self.name} gave the id {token_id}, but the token of that id cannot be found: "
                f"{type(problem).__name__}: {problem}\n{ADVICE}"
            ) from problem
        if isinstance(token, (bytearray, memoryview)):
            token = bytes(token)
        if not isinstance(token, (bytes, str)):
            raise UnusableTokenizer(
                f"{self.name} says that id {token_id} stands for {token!r:.60}, which is neither bytes nor str."
            )
        return token

    def _lossy(self, token_id: int) -> UnusableTokenizer:
        return UnusableTokenizer(
            f"{self.name} cannot say what the id {token_id} stands for: by itself it is no whole character, and "
            "the text does not tell which bytes it has.\n"
            "Add decode_bytes(ids) -> bytes to the class, or vocab, a dict from id to bytes."
        )

    def _attribute(self, name: str) -> Any:
        # A property of an unfinished class may raise anything.
        try:
            return getattr(self._tokenizer, name, None)
        except Exception:
            return None

    def _asked(self, method: str, call: Callable[[], Any]) -> Any:
        return asked(f"{self.name}.{method}", call)


def asked(what: str, call: Callable[[], Any]) -> Any:
    """Return the result of ``call``. Raises UnusableTokenizer for any error that is not one of this package."""
    try:
        return call()
    except (MinbpeCourseError, KeyboardInterrupt):
        raise
    except BaseException as problem:
        # A panic of a Rust library is not an Exception; tiktoken's encode_ordinary can panic on a million spaces.
        raise UnusableTokenizer(f"{what} raised {type(problem).__name__}: {problem}") from problem


def ids_given(ids: Any, name: str) -> list[int]:
    """Return the result of an ``encode`` as a list of ints. Raises UnusableTokenizer for anything else."""
    if not isinstance(ids, (str, bytes, Mapping)) and isinstance(ids, Iterable):
        try:
            return [operator.index(token_id) for token_id in ids]
        except TypeError:
            pass
    raise UnusableTokenizer(f"{name}.encode(text) must give a list of ints, got {ids!r:.60}.")


def aligned_bytes(
    alone: Sequence[str], data: bytes, together: Callable[[int, int], str] | None = None
) -> list[bytes] | None:
    r"""Cut ``data`` so that part k, decoded by itself with replacement, is ``alone[k]``.

    together : decodes parts i to k - 1 as one, to decide between several ways. Return None if there is no way, or more
    than one.

    >>> aligned_bytes(["\ufffd", "\ufffd!"], "€!".encode("utf-8"))
    [b'\xe2\x82', b'\xac!']
    """
    # Every place where a part can end, with the places where it can then begin. Only a part that ends in the middle of
    # a character can end in several places.
    steps: list[dict[int, list[int]]] = []
    places: dict[int, list[int]] = {0: []}
    # The last part whose beginning is certain, at the beginning of a character.
    sure, sure_place = 0, 0
    for number, token in enumerate(alone):
        ends: dict[int, list[int]] = {}
        broken = token.count(_BROKEN)
        exact = len(token.encode("utf-8", "surrogatepass")) - 3 * broken
        for start in places:
            for end in range(start + exact + broken, min(start + exact + 3 * broken, len(data)) + 1):
                if _decoded(data, start, end) == token:
                    ends.setdefault(end, []).append(start)
        if together is not None and (len(ends) > 1 or len(places) > 1):
            wanted = together(sure, number + 1)
            ends = {end: starts for end, starts in ends.items() if _decoded(data, sure_place, end) == wanted}
        if not ends:
            return None
        steps.append(ends)
        places = ends
        if len(ends) == 1:
            (end,) = ends
            if end == len(data) or data[end] & 0xC0 != 0x80:
                sure, sure_place = number + 1, end
    end = len(data)
    parts: list[bytes] = []
    for ends in reversed(steps):
        starts = ends.get(end, [])
        if len(starts) != 1:
            return None
        parts.append(data[starts[0] : end])
        end = starts[0]
    return parts[::-1] if end == 0 else None


def _decoded(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("utf-8", "replace")


def _by_id(table: Mapping[Any, Any] | Sequence[Any]) -> Mapping[int, Any]:
    """Return a table as id -> token; it may be token -> id, as in Hugging Face's files, or a list."""
    if not isinstance(table, Mapping):
        return dict(enumerate(table))
    if isinstance(next(iter(table)), (bytes, str)):
        return {token_id: token for token, token_id in table.items()}
    return table


def difference(tokens: Iterable[Token], text: str) -> str:
    """Return a note if the joined tokens are not the text, else an empty text."""
    joined = b"".join(each if isinstance(each, bytes) else each.encode("utf-8", "surrogatepass") for each in tokens)
    return "" if joined == text.encode("utf-8") else "the tokens joined are not the text"
