r"""One way to see how any tokenizer cuts a text.

    view_of("gpt2")                     a bundled encoding, by name
    view_of("tokenizer.json")           a file in any format, or a folder with vocab.json and merges.txt
    view_of(model)                      a record: BytePairModel, VocabularyModel or PieceModel
    view_of(tokenizer)                  ours, tiktoken's, sentencepiece's, tokenizers', or an object of your own class

    view_of("gpt2").cut("hello world")  ids (31373, 995), tokens (b'hello', b' world')

Tokens are bytes if the tokenizer works on bytes, and str if it works on pieces. Your own class needs ``encode(text)``
and a way back from ids; ``own_class`` lists the possible ones. Special tokens follow the rules of each library:
SentencePiece finds its user-defined pieces in every text and its control pieces in none, with or without ``specials``.

A lone surrogate has no UTF-8 form, and libraries differ: some raise, some replace it. Here it becomes U+FFFD before any
tokenizer gets the text, as in tiktoken; ``Cut.text`` is the text that was cut.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from minbpe_course import vocabularies
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.formats.sources import RECORDS, record_from
from minbpe_course.inspecting.own_class import CHARACTERS, OwnClass, asked, difference, ids_given
from minbpe_course.model import CONTROL, USER_DEFINED, BytePairModel, PieceModel, VocabularyModel
from minbpe_course.splitting.splitter import must_be_text, repaired
from minbpe_course.text.byte_alphabet import from_printable
from minbpe_course.tokenizers.encoding import Encoding
from minbpe_course.tokenizers.encoding_names import get_encoding
from minbpe_course.tokenizers.minbpe_base import MinbpeShaped
from minbpe_course.tokenizers.regex_bpe import RegexTokenizer
from minbpe_course.tokenizers.sentencepiece_tokenizer import SentencePieceTokenizer

Token = bytes | str
# The answer of a tokenizer for one text: ids, tokens, the places of special tokens, and a note.
Answer = tuple[Iterable[int], Iterable[Token], Iterable[int], str]


@dataclass(frozen=True)
class Cut:
    """A text and the tokens that it was cut into.

    ids, tokens : the ids, and the bytes or the text of each · special : the places of the special tokens among them ·
    text : the text that was cut, without lone surrogates · note : a remark about the tokens, mostly empty.

    >>> cut = view_of("gpt2").cut("hello world")
    >>> len(cut), cut.bytes_per_token, cut.characters_per_token
    (2, 5.5, 5.5)
    """

    ids: tuple[int, ...]
    tokens: tuple[Token, ...]
    special: frozenset[int] = frozenset()
    text: str = ""
    note: str = ""

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def bytes_per_token(self) -> float:
        """The number of bytes of the text for each token; 0.0 without tokens."""
        return len(self.text.encode("utf-8")) / len(self.ids) if self.ids else 0.0

    @property
    def characters_per_token(self) -> float:
        """The number of characters (code points) of the text for each token; 0.0 without tokens."""
        return len(self.text) / len(self.ids) if self.ids else 0.0


class TokenizerView:
    """A tokenizer as a function from a text to tokens; ``view_of`` makes it.

    tokenizer : the object itself.
    """

    def __init__(
        self, name: str, size: Callable[[], int | None], answer: Callable[[str, bool], Answer], tokenizer: Any = None
    ) -> None:
        self.name = name
        self.tokenizer = tokenizer
        self._size = size
        self._answer = answer

    def __repr__(self) -> str:
        return f"TokenizerView({self.name!r})"

    @property
    def n_vocab(self) -> int | None:
        """The size of the vocabulary, as the tokenizer gives it, or None."""
        return self._size()

    def cut(self, text: str, specials: bool = False) -> Cut:
        """Cut a text into tokens.

        specials : whether special tokens in the text are recognised; otherwise they are ordinary text.

        Raises NotText, and the errors of the tokenizer for this text.

        >>> view_of("cl100k_base").cut("a<|endoftext|>", specials=True)
        Cut(ids=(64, 100257), tokens=(b'a', b'<|endoftext|>'), special=frozenset({1}), text='a<|endoftext|>', note='')
        """
        text = repaired(must_be_text(text))
        ids, tokens, special, note = self._answer(text, bool(specials))
        return Cut(tuple(ids), tuple(tokens), frozenset(special), text, note)


def view_of(tokenizer: Any, name: str | None = None) -> TokenizerView:
    """Return the view of a tokenizer.

    tokenizer : a name of ``list_encoding_names()``, the path of a tokenizer's file in any format, a record, or a
    tokenizer: one of ours, of tiktoken, sentencepiece or tokenizers, or an object of your own class · name : to
    show.

    Raises UnknownEncoding, MissingFile, UnreadableModel, UnsupportedModel, MissingPattern, and UnusableTokenizer for
    any other object, with what it lacks.

    >>> view_of("o200k_base").n_vocab
    200019
    >>> from minbpe_course import BasicTokenizer
    >>> view_of(BasicTokenizer().train("aaab", 257), "mine").cut("aab").tokens
    (b'aa', b'b')
    """
    if isinstance(tokenizer, TokenizerView):
        return (
            tokenizer if name is None else TokenizerView(name, tokenizer._size, tokenizer._answer, tokenizer.tokenizer)
        )
    if isinstance(tokenizer, str) and tokenizer in vocabularies.names():
        tokenizer, name = get_encoding(tokenizer), name or tokenizer
    elif isinstance(tokenizer, (str, os.PathLike, *RECORDS)):
        tokenizer, source = record_from(tokenizer)
        name = name or source
    if isinstance(tokenizer, BytePairModel):
        tokenizer = RegexTokenizer.from_model(tokenizer)
    elif isinstance(tokenizer, VocabularyModel):
        tokenizer = Encoding.from_model(tokenizer, name)
    elif isinstance(tokenizer, PieceModel):
        tokenizer = SentencePieceTokenizer(model=tokenizer)
    found_name, size, answer = _kind_of(tokenizer)
    return TokenizerView(name or found_name, size, answer, tokenizer)


# A name, a function that returns the size of the vocabulary, and one that answers for a text.
_Kind = tuple[str, Callable[[], int | None], Callable[[str, bool], Answer]]
_HUGGING_FACE = ("encode", "id_to_token", "token_to_id", "get_vocab_size", "encode_special_tokens")
_switching = threading.Lock()


def _kind_of(tokenizer: Any) -> _Kind:
    # Only a library that is imported can have made the object.
    tiktoken, sentencepiece = sys.modules.get("tiktoken"), sys.modules.get("sentencepiece")
    if isinstance(tokenizer, MinbpeShaped):
        return _minbpe_shaped(tokenizer)
    if isinstance(tokenizer, Encoding) or (tiktoken and isinstance(tokenizer, tiktoken.Encoding)):
        return _tiktoken_shaped(tokenizer)
    if isinstance(tokenizer, SentencePieceTokenizer) or (
        sentencepiece and isinstance(tokenizer, sentencepiece.SentencePieceProcessor)
    ):
        return _sentencepiece_shaped(tokenizer)
    # A tokenizer of transformers contains one of tokenizers.
    inside = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if all(hasattr(inside, name) for name in _HUGGING_FACE):
        return _hugging_face(inside)
    own = OwnClass(tokenizer)
    return own.name, lambda: own.n_vocab, own.answer


def _minbpe_shaped(tokenizer: MinbpeShaped) -> _Kind:
    def answer(text: str, specials: bool) -> Answer:
        ids = tokenizer.encode(text, "all" if specials else "none")
        special_ids = set(tokenizer.model.special_tokens.values())
        return ids, tokenizer.decode_tokens_bytes(ids), _places(ids, special_ids.__contains__, specials), ""

    return type(tokenizer).__name__, lambda: tokenizer.model.vocab_size, answer


def _tiktoken_shaped(encoding: Any) -> _Kind:
    """Adapt our Encoding or tiktoken's, which have the same methods."""

    def answer(text: str, specials: bool) -> Answer:
        options: dict[str, Any] = {"allowed_special": "all"} if specials else {"disallowed_special": ()}
        ids = asked(f"encoding {encoding.name}", lambda: encoding.encode(text, **options))
        return ids, encoding.decode_tokens_bytes(ids), _places(ids, encoding.is_special_token, specials), ""

    return str(encoding.name), lambda: int(encoding.n_vocab), answer


def _sentencepiece_shaped(tokenizer: Any) -> _Kind:
    """Adapt our SentencePieceTokenizer or sentencepiece's class. Options of the object (add_bos=True) are ignored."""
    plain = dict(
        add_bos=False, add_eos=False, reverse=False, emit_unk_piece=False, enable_sampling=False, num_threads=1
    )

    @cache
    def kinds() -> tuple[int, ...]:
        if isinstance(tokenizer, SentencePieceTokenizer):
            return tokenizer.model.kinds
        # sentencepiece's class does not say which pieces are user-defined; its file does.
        return sentencepiece_proto.from_bytes(tokenizer.serialized_model_proto()).kinds

    def answer(text: str, specials: bool) -> Answer:
        ids = tokenizer.encode(text, out_type=int, **plain)
        pieces = tokenizer.encode(text, out_type=str, **plain)
        return ids, pieces, _places(ids, lambda each: kinds()[each] in (CONTROL, USER_DEFINED), True), ""

    return type(tokenizer).__name__, lambda: int(tokenizer.vocab_size()), answer


def _hugging_face(tokenizer: Any) -> _Kind:
    """Adapt a tokenizers.Tokenizer, recognised by its methods: this package does not require the library."""

    def answer(text: str, specials: bool) -> Answer:
        with _switching:
            # There, an attribute of the tokenizer, not an argument, enables special tokens in the text.
            before = tokenizer.encode_special_tokens
            tokenizer.encode_special_tokens = not specials
            try:
                encoded = asked("tokenizers", lambda: tokenizer.encode(text, add_special_tokens=False))
            finally:
                tokenizer.encode_special_tokens = before
        ids = ids_given(encoded.ids, "tokenizers")
        added = tokenizer.get_added_tokens_decoder()
        parts = (tokenizer.decoder, tokenizer.pre_tokenizer, tokenizer.normalizer)
        spelled = any("ByteLevel" in repr(part) for part in parts if part is not None)
        tokens: list[Token] = []
        for token_id in ids:
            if token_id in added:
                content = str(added[token_id].content)
                tokens.append(content.encode("utf-8") if spelled else content)
            else:
                tokens.append(_unspelled(tokenizer.id_to_token(token_id) or "", spelled))
        places = _places(ids, lambda each: each in added and added[each].special, True)
        return ids, tokens, places, difference(tokens, text) if spelled else ""

    return "tokenizers", lambda: int(tokenizer.get_vocab_size()), answer


def _unspelled(token: str, spelled: bool) -> Token:
    """Return the bytes of GPT-2's printable characters; a token with other characters stays as it is."""
    return from_printable(token) if spelled and CHARACTERS.issuperset(token) else token


def _places(ids: Iterable[int], is_special: Callable[[int], bool], asked: bool) -> list[int]:
    return [place for place, token_id in enumerate(ids) if is_special(token_id)] if asked else []
