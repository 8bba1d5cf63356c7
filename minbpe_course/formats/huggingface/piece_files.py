r"""A tokenizer.json whose tokens are pieces of text: Llama 2, Mistral, Gemma, Phi-3, T5, XLM-R, GPT-1.

    normalizer       Prepend ▁, Replace " " by ▁, a Precompiled table of SentencePiece's, ...
    pre_tokenizer    nothing, Metaspace, WhitespaceSplit
    model            BPE over characters, with byte_fallback; or Unigram
    decoder          Replace, ByteFallback, Fuse, Strip; or Metaspace

The ids are those of ``Tokenizer.encode(text, add_special_tokens=False)`` of `tokenizers` 0.23. A file with a setting
that would give other ids here is refused, with the path of the setting.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from minbpe_course.engines.sentencepiece.pipeline import keeps_spaces
from minbpe_course.errors import InvalidModel, UnsupportedModel
from minbpe_course.formats.huggingface.added_tokens import ids_in_tokenizers
from minbpe_course.formats.huggingface.kept_parts import unapplied_in
from minbpe_course.formats.huggingface.post_processor import read_frame
from minbpe_course.formats.huggingface.pre_tokenizer import read_normalizer, read_replacement, split_step
from minbpe_course.formats.huggingface.vocabulary import read_vocabulary
from minbpe_course.formats.json_text import Value
from minbpe_course.model import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    USER_DEFINED,
    AddedToken,
    NormalizerRules,
    PieceModel,
    PiecePipeline,
)
from minbpe_course.model.piece_rules import BYTE_PIECES
from minbpe_course.text.byte_alphabet import BYTE_OF
from minbpe_course.text.normalizer_steps import normalizer

MARK = "▁"
MOST_MERGES = (1 << 22) - 2  # the table of pairs has no room for more

_MARKS_SPACES = ("Replace", "String", " ", MARK)
NO_RULES = NormalizerRules(add_dummy_prefix=False, remove_extra_whitespaces=False)


def holds_pieces(document: Value) -> bool:
    """Tell whether the tokens of a tokenizer.json are read as pieces of text.

    These are the tokens of Unigram models, and of BPE without bytes. Bytes with marks may be such pieces, too.

    >>> holds_pieces(Value({"model": {"type": "BPE"}, "normalizer": {"type": "Prepend", "prepend": "▁"}}, "$", "x"))
    True
    >>> holds_pieces(Value({"model": {"type": "BPE"}, "pre_tokenizer": {"type": "ByteLevel"}}, "$", "x"))
    False
    """
    whole = document.value
    if not isinstance(whole, dict) or not isinstance(whole.get("model"), dict):
        return False
    model = whole["model"]
    if kind_of(model) != "BPE":
        return kind_of(model) == "Unigram"
    steps = [step for step in _all_steps(whole.get("pre_tokenizer")) if isinstance(step, dict)]
    return not any(step.get("type") == "ByteLevel" for step in steps) or _lacks_marked_bytes(model)


def _lacks_marked_bytes(model: Mapping[str, Any]) -> bool:
    """Tell whether tokens have marks that a VocabularyModel cannot have: inside words, or not for every byte."""
    ending, tokens = model.get("end_of_word_suffix"), model.get("vocab")
    if model.get("continuing_subword_prefix"):
        return True
    if not ending or not isinstance(ending, str) or not isinstance(tokens, dict):
        return False
    return not (ending.isascii() and all(byte in tokens and byte + ending in tokens for byte in BYTE_OF))


def kind_of(model: Mapping[str, Any]) -> str:
    """Return the type of a model; files of 2020 do not name it, and it follows from the fields, as in `tokenizers`.

    >>> kind_of({"vocab": [["a", -1.0]], "unk_id": 0}), kind_of({"vocab": {}, "max_input_chars_per_word": 100})
    ('Unigram', 'WordPiece')
    """
    if model.get("type") is not None:
        return str(model["type"])
    if isinstance(model.get("vocab"), list):
        return "Unigram"
    if "merges" in model:
        return "BPE"
    return "WordPiece" if "max_input_chars_per_word" in model else "WordLevel"


def _all_steps(value: Any, depth: int = 0) -> list[Any]:
    if not isinstance(value, dict) or value.get("type") != "Sequence" or depth > 100:
        return [value]
    inner: list[Any] = next((value[key] for key in _SEQUENCES if isinstance(value.get(key), list)), [])
    return [step for one in inner for step in _all_steps(one, depth + 1)]


_SEQUENCES = ("normalizers", "pretokenizers", "decoders")


def record_of_pieces(document: Value) -> PieceModel:
    """Return the record that such a tokenizer.json holds. Raises UnreadableModel, UnsupportedModel."""
    normalize_steps = read_normalizer(document.get("normalizer"), of_pieces=True)
    cutting, cut_at_marks = _cutting(document.get("pre_tokenizer"), normalize_steps)
    decoder = read_decoder(document.get("decoder"))
    model = document.get("model")
    unigram = kind_of(model.an_object()) == "Unigram"
    pieces, scores, merges, unk_id, marks = _read_unigram(model) if unigram else _read_bpe(document)
    known = len(pieces)
    added, specials = read_added(document.get("added_tokens") if "added_tokens" in document else None, pieces)
    check_forms(document, normalize_steps, added)
    byte_fallback = _byte_fallback(model, pieces[:known], merges)
    if byte_fallback and not unigram and keeps_spaces(normalize_steps, cutting):
        document.get("normalizer").unsupported(
            "With byte_fallback, spaces must become ▁ before merging: by a Metaspace, or by a Replace."
        )
    if unigram and unk_id < 0 and not byte_fallback:
        model.unsupported("It has no unknown token, and tokenizers would stop at an unknown character.")
    if any(marks.values()) and byte_fallback:
        model.get("byte_fallback").unsupported("With marks on the tokens of a word, it must be false.")
    if not unigram and not byte_fallback and (unk_id < 0 or not model.get("fuse_unk").flag()):
        marks["fuse_unknown"] = False
    whole = len(cutting) < 2 or cutting == (("WhitespaceSplit",), ("Metaspace", "always"))
    whole &= not any(marks.values()) and "fuse_unknown" not in marks
    if whole and not unigram and not byte_fallback and cut_at_marks and MARK not in pieces[:known]:
        model.get("vocab").unsupported(f"It has no {MARK}, at which words are split.")
    if merges is not None:
        merges = _without_crossing(merges, pieces) if cut_at_marks else merges
        if len(merges) > MOST_MERGES:
            model.get("merges").unsupported(f"At most {MOST_MERGES:,} merges are supported.")
    frame, pair_frame = read_frame(document, len(pieces))
    kinds = [NORMAL] * len(pieces)
    for token in added:
        kinds[token.id] = CONTROL if token.content in specials else USER_DEFINED
    if byte_fallback:
        for place, piece in enumerate(pieces[:known]):
            if piece in _BYTE_NAMES:
                kinds[place] = BYTE
    if unk_id >= 0:
        kinds[unk_id] = UNKNOWN
    named: dict[str, Any] = {}
    for name, ids in (("bos_piece", frame[0]), ("eos_piece", frame[1])):
        if ids and ids[-1] < len(pieces) and kinds[ids[-1]] == CONTROL:
            named[name] = pieces[ids[-1]]
    exact = None if not unigram else np.array(scores, dtype=np.float64)
    if merges is not None:
        shown = np.zeros(len(pieces))
        shown[merges[::-1, 2]] = -np.arange(len(merges), dtype=np.float64)[::-1]
        scores = shown.tolist()
    try:
        return PieceModel(
            pieces=tuple(pieces),
            scores=(*scores, *[0.0] * (len(pieces) - len(scores))),
            kinds=tuple(kinds),
            model_type="unigram" if unigram else "bpe",
            byte_fallback=byte_fallback,
            normalizer=NO_RULES,
            pipeline=PiecePipeline(
                *(
                    known,
                    merges,
                    exact,
                    tuple(added),
                    normalize_steps,
                    cutting,
                    cut_at_marks,
                    decoder,
                    frame,
                    pair_frame,
                ),
                unknown_is_special=unk_id >= 0 and pieces[unk_id] in specials,
                unapplied=tuple(unapplied_in(document.value)),
                **marks,
            ),
            **named,
        )
    except InvalidModel as error:
        raise UnsupportedModel(f"{document.name}: {error}") from error


def check_forms(document: Value, steps: tuple[tuple[Any, ...], ...], added: list[AddedToken]) -> None:
    """Refuse added tokens that the normalizer takes away or makes the same."""
    forms = [normalizer(steps)(token.content) for token in added if token.normalized]
    if not all(forms) or len(set(forms)) < len(forms):
        document.get("added_tokens").unsupported(
            "The normalizer turns one of these tokens into an empty text, or two of them into the same text."
        )


# The model


def _read_bpe(document: Value) -> tuple[list[str], list[float], np.ndarray, int, dict[str, Any]]:
    model = document.get("model")
    vocabulary = read_vocabulary(document)
    if vocabulary.whole_words:
        model.get("ignore_merges").unsupported(
            "Words that are tokens are merged like any other word here, so it must be false."
        )
    pieces = by_id(model.get("vocab"), vocabulary.ids)
    unknown = model.get("unk_token")
    if unknown.value is not None and unknown.text() not in vocabulary.ids:
        unknown.unsupported("The vocabulary has no such token, and tokenizers would stop at an unknown character.")
    marks = {"continuing_prefix": vocabulary.prefix, "word_end": vocabulary.word_end}
    return pieces, [], vocabulary.merges, -1 if unknown.value is None else vocabulary.ids[unknown.text()], marks


def by_id(value: Value, ids: Mapping[str, int]) -> list[str]:
    """Return the names in the order of their ids, 0, 1, 2, ... Raises UnreadableModel, UnsupportedModel."""
    pieces = [""] * len(ids)
    for piece, piece_id in ids.items():
        if value.get(piece).token_id() >= len(pieces):
            value.get(piece).unsupported(
                f"There are {len(pieces):,} tokens, whose ids must be 0 to {len(pieces) - 1:,}."
            )
        if pieces[piece_id] or not piece:
            value.get(piece).unsupported("Every token must have its own id, and none may be empty.")
        pieces[piece_id] = piece
    return pieces


def _read_unigram(model: Value) -> tuple[list[str], list[float], None, int, dict[str, Any]]:
    pieces, scores = [], []
    vocabulary = model.get("vocab")
    for entry in vocabulary.items():
        pair = entry.value
        if (
            not isinstance(pair, list)
            or len(pair) != 2
            or not isinstance(pair[0], str)
            or type(pair[1]) not in (int, float)
        ):
            entry.unreadable('a piece and its score, as ["a", -1.5]')
        if not pair[0] or not math.isfinite(pair[1]):
            entry.unsupported("A piece must not be empty, and its score must be finite.")
        pieces.append(pair[0])
        scores.append(float(pair[1]))
    if len(set(pieces)) < len(pieces):
        first: dict[str, int] = {}
        twice = next(place for place, piece in enumerate(pieces) if first.setdefault(piece, place) != place)
        vocabulary.items()[twice].unsupported("This piece is listed before.")
    unknown = model.get("unk_id")
    unk_id = -1 if unknown.value is None else unknown.token_id()
    if unk_id >= len(pieces):
        unknown.unreadable("the place of the unknown piece in the list")
    return pieces, scores, None, unk_id, {}


def _byte_fallback(model: Value, pieces: list[str], merges: np.ndarray | None) -> bool:
    if not model.get("byte_fallback").flag():
        return False
    known = set(pieces)
    if known.isdisjoint(BYTE_PIECES):
        return False
    # A byte that is a character of the vocabulary is never needed (Gemma has a tab, and no <0x09>).
    needed = (byte for byte in _BYTES_OF_UTF8 if byte >= 0x80 or chr(byte) not in known)
    lacking = [BYTE_PIECES[byte] for byte in needed if BYTE_PIECES[byte] not in known]
    if lacking:
        model.get("byte_fallback").unsupported(f"{len(lacking)} of the bytes have no token, for example {lacking[0]}.")
    if merges is not None:
        byte_ids = [place for place, piece in enumerate(pieces) if piece in _BYTE_NAMES]
        if np.isin(merges[:, :2], byte_ids).any():
            model.get("merges").unsupported("Merges of byte tokens such as <0x0A> are not supported.")
    return True


_BYTE_NAMES = frozenset(BYTE_PIECES)
_BYTES_OF_UTF8 = [*range(0xC0), *range(0xC2, 0xF5)]


def _without_crossing(merges: np.ndarray, pieces: list[str]) -> np.ndarray:
    """Return the merges that can happen if a word ends before every ▁."""
    crosses = np.array([MARK in piece[1:] for piece in pieces])
    return merges[~crosses[merges[:, 2]]]


# Added tokens


def read_added(value: Value | None, pieces: list[str]) -> tuple[list[AddedToken], set[str]]:
    """Read the added tokens and append new ones to ``pieces``; return the tokens and the texts of special ones."""
    tokens: list[AddedToken] = []
    specials: set[str] = set()
    listed = [] if value is None else value.items()
    for one in listed:
        content = one.get("content").text()
        if not content:
            one.get("content").unreadable("the text of the token")
        if one.get("single_word").required_flag():
            one.get("single_word").unsupported("Tokens that must not touch a letter are not supported.")
        flags = {name: one.get(name).required_flag() for name in ("normalized", "lstrip", "rstrip")}
        if one.get("special").required_flag():
            specials.add(content)
        tokens.append(AddedToken(content, one.get("id").token_id(), **flags))
    if len({token.content for token in tokens}) < len(tokens):
        assert value is not None
        value.unsupported("A text is listed twice.")
    given = ids_in_tokenizers([token.content for token in tokens], {piece: k for k, piece in enumerate(pieces)})
    for one, token in zip(listed, tokens):
        if given[token.content] != token.id:
            one.get("id").unsupported(
                f"tokenizers gives {token.content!r} the id {given[token.content]}: the one in the vocabulary, or the "
                "next free one. Write that id."
            )
        if token.id >= len(pieces):
            pieces.append(token.content)
    return tokens, specials


# Normalizer, pre-tokenizer, decoder


def _cutting(value: Value, normalizer: tuple[tuple[Any, ...], ...]) -> tuple[tuple[tuple[Any, ...], ...], bool]:
    """Read the pre-tokenizer; return its steps and whether a word ends before every ▁."""
    steps: list[tuple[Any, ...]] = []
    cut = False
    for step in value.steps("pretokenizers"):
        kind = step.get("type").text()
        if kind == "Metaspace":
            if any(name == "Metaspace" for name, *_ in steps):
                step.unsupported("Only one Metaspace is supported.")
            scheme = _scheme(step)
            if scheme == "first" and not all(_keeps_places(one) for one in normalizer):
                step.unsupported("With this normalizer, prepend_scheme first is not supported.")
            steps.append((kind, scheme))
            cut = step.get("split").flag(default=True)
        elif (
            kind == "Split"
            and step.get("pattern").an_object() == {"String": " "}
            and normalizer[-1:] == (_MARKS_SPACES,)
        ):
            # The normalizer has replaced all spaces.
            if step.get("invert").required_flag() and step.get("behavior").text() == "Removed":
                step.get("behavior").unsupported("It would remove every text.")
        else:
            steps.append(split_step(step, kind))
    place = next((place for place, (kind, *_) in enumerate(steps) if kind == "Metaspace"), None)
    if place and steps[place][1] == "first":
        value.unsupported("prepend_scheme first is supported for a Metaspace that is the first step.")
    if steps[:1] == [("WhitespaceSplit",)] and place == 1 and not cut:
        value.unsupported("WhitespaceSplit must be followed by a Metaspace with split.")
    return tuple(steps), cut


def _keeps_places(step: tuple[Any, ...]) -> bool:
    kind, *options = step
    return kind == "Replace" and options[0] == "String" and len(options[1]) == len(options[2]) == 1


def _scheme(step: Value) -> str:
    """Return where a Metaspace adds ▁: "always", "never", or "first", which means only at the start of the text."""
    if step.get("replacement").text() != MARK:
        step.get("replacement").unsupported(f"It must be {MARK}.")
    if step.get("prepend_scheme").value is None:
        return "always" if step.get("add_prefix_space").flag(default=True) else "never"
    scheme = step.get("prepend_scheme").text()
    if scheme not in ("always", "first", "never"):
        step.get("prepend_scheme").unreadable('"always", "first" or "never"')
    if step.get("add_prefix_space").value is False and scheme != "never":
        step.get("add_prefix_space").unsupported(f"It contradicts prepend_scheme {scheme!r}.")
    return scheme


def read_decoder(value: Value) -> tuple[tuple[Any, ...], ...] | None:
    """Read the steps of a decoder, as ``text.decoder_steps`` runs them."""
    if value.value is None:
        return None
    steps: list[tuple[Any, ...]] = []
    for step in value.steps("decoders"):
        kind = step.get("type").text()
        if kind == "Replace":
            steps.append(read_replacement(step))
        elif kind in ("ByteFallback", "Fuse", "ByteLevel"):
            steps.append((kind,))
        elif kind == "Strip":
            content = step.get("content").text()
            if len(content) != 1:
                step.get("content").unreadable("one character")
            steps.append((kind, content, step.get("start").token_id(), step.get("stop").token_id()))
        elif kind == "Metaspace":
            steps.append((kind, MARK, _scheme(step) != "never"))
        elif kind == "WordPiece":
            steps.append((kind, step.get("prefix").text(), step.get("cleanup").required_flag()))
        elif kind == "BPEDecoder":
            steps.append((kind, step.get("suffix").text()))
        else:
            step.get("type").unsupported(
                "The supported decoders are Replace, ByteFallback, ByteLevel, Fuse, Strip, Metaspace, WordPiece, "
                "BPEDecoder."
            )
    return tuple(steps)
