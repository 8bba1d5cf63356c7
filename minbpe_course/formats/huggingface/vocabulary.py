"""The ``model`` of a tokenizer.json: tokens spelled with GPT-2's printable bytes, and the pairs that merge.

    "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"] or [["a", "b"]]     ->     {0: b"a", ...}, [(0, 1, 2)]

The first pair in the list merges first. Of a pair that is listed twice, the last position counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.engines.vocabulary_tables import in_order
from minbpe_course.formats.json_text import LARGEST_ID, Value, is_id
from minbpe_course.model.vocabulary import LaidTokens
from minbpe_course.text.byte_alphabet import BYTE_OF, to_printable

# The byte that each character spells, -1 for none.
_BYTES = np.full(max(map(ord, BYTE_OF)) + 2, -1, dtype=np.int16)
_BYTES[[ord(character) for character in BYTE_OF]] = list(BYTE_OF.values())


LONGEST_MARK = 64


class Vocabulary(NamedTuple):
    """The model of a file: spelling -> id, merges as uint32[n, 3], whether words are taken whole, and their marks."""

    ids: Mapping[str, int]
    merges: np.ndarray
    whole_words: bool
    word_end: str
    prefix: str


def read_vocabulary(document: Value) -> Vocabulary:
    """Read a BPE model. Raises UnreadableModel, UnsupportedModel."""
    model = document.get("model")
    # Files of 2020 do not name the type; only BPE has merges.
    if model.get("type").value is not None or "merges" not in model:
        kind = model.get("type").text()
        if kind != "BPE":
            model.get("type").unsupported("The supported models are BPE, Unigram and WordPiece.")
    _check_options(model)
    value = model.get("vocab")
    ids = value.an_object()
    # Quicker for many ids than asking each.
    if set(map(type, ids.values())) - {int} or not (
        min(ids.values(), default=0) >= 0 and max(ids.values(), default=0) <= LARGEST_ID
    ):
        wrong = next(key for key, token_id in ids.items() if not is_id(token_id))
        value.get(wrong).token_id()
    marks = [model.get(name) for name in ("continuing_subword_prefix", "end_of_word_suffix")]
    prefix, word_end = ("" if mark.value is None else mark.text() for mark in marks)
    for mark, said in zip(marks, (prefix, word_end)):
        if len(said) > LONGEST_MARK:
            mark.unsupported(f"A mark may have {LONGEST_MARK} characters: each character of a word gets one.")
    whole_words = model.get("ignore_merges").flag()
    if word_end and whole_words:
        model.get("ignore_merges").unsupported("It must be false for a model with end_of_word_suffix.")
    return Vocabulary(ids, _merges(model.get("merges"), ids, prefix), whole_words, word_end, prefix)


def _check_options(model: Value) -> None:
    dropout = model.get("dropout")
    if dropout.value is not None and (isinstance(dropout.value, bool) or not isinstance(dropout.value, (int, float))):
        dropout.unreadable("a number or null")
    if dropout.value:
        dropout.unsupported("With dropout the ids of a text depend on chance.")
    for name in ("fuse_unk", "byte_fallback"):
        model.get(name).flag()
    if model.get("unk_token").value is not None:
        model.get("unk_token").text()


def _merges(value: Value, ids: Mapping[str, int], prefix: str) -> np.ndarray:
    made: list[int] = []
    try:
        # There are hundreds of thousands of merges, so only the first wrong one is examined closely.
        for one in value.a_list():
            left, right = one.split(" ") if type(one) is str else one
            made += ids[left], ids[right], ids[left + right.removeprefix(prefix)]
        if "" in ids or set(map(type, value.value)) - {str, list}:
            raise TypeError
    except (KeyError, TypeError, ValueError):
        _check_merges(value, ids, prefix)
    return np.array(made, dtype=np.uint32).reshape(-1, 3)


def _check_merges(value: Value, ids: Mapping[str, int], prefix: str) -> None:
    """Refuse the first merge that does not join two tokens to a third one."""
    for merge in value.items():
        parts = merge.value.split(" ") if isinstance(merge.value, str) else merge.value
        if not isinstance(parts, list) or len(parts) != 2 or not all(isinstance(part, str) and part for part in parts):
            merge.unreadable('two tokens, as ["a", "b"] or "a b"')
        for part in (*parts, parts[0] + parts[1].removeprefix(prefix)):
            if part not in ids:
                merge.unreadable(f"tokens of the vocabulary that make one (it has no {part!r:.80})")


class Tokens(NamedTuple):
    """The ordinary tokens, id -> text of the tokens that only decode, and the bytes without a token."""

    ordinary: LaidTokens
    decode_only: dict[int, str]
    lacking: bytes


def read_tokens(document: Value, vocabulary: Vocabulary, added: Mapping[str, int], keep_added: bool) -> Tokens:
    """Read the tokens of the vocabulary.

    Left out are added tokens that are in the vocabulary too, unless a merge makes or uses them or ``keep_added`` is
    set, and tokens that share their id with an added token and that no text gives. Raises UnsupportedModel.
    """
    value = document.get("model").get("vocab")
    keys, ids = list(vocabulary.ids), np.fromiter(vocabulary.ids.values(), np.int64, len(vocabulary.ids))
    sizes = np.fromiter(map(len, keys), np.int64, len(keys))
    codes = np.frombuffer("".join(keys).encode("utf-32-le"), np.uint32)
    of_bytes = _BYTES[np.minimum(codes, len(_BYTES) - 1)]
    spelled = np.ones(len(keys), dtype=bool)
    spelled[np.repeat(np.arange(len(keys)), sizes)[of_bytes < 0]] = False
    keep = spelled.copy()
    taken = set(added.values())
    decode_only: dict[int, str] = {}
    # Few tokens have the id of an added token, or are not spelled as bytes.
    special = np.flatnonzero(np.isin(ids, list(taken)) | ~spelled)
    for place, merged in zip(special.tolist(), np.isin(ids[special], vocabulary.merges).tolist()):
        key, token_id = keys[place], int(ids[place])
        if spelled[place]:
            reached = merged or 1 in (len(key), len(key.removesuffix(vocabulary.word_end)))
            reached = reached or (keep_added and key.isascii())
            keep[place] = reached or not (key in added or not vocabulary.whole_words)
        elif key not in added:
            if merged:
                value.get(key).unsupported(
                    f"The token {key!r:.80} is part of a merge, but is not spelled with GPT-2's 256 printable bytes."
                )
            if token_id not in taken:
                decode_only[token_id] = key
    named = np.flatnonzero(keep | np.isin(ids, list(decode_only)))
    named = named[np.argsort(ids[named], kind="stable")]
    twice = np.flatnonzero(np.diff(ids[named]) == 0)
    if len(twice):
        first, second = (keys[place] for place in named[twice[0] : twice[0] + 2])
        value.get(second).unsupported(f"Two tokens have this id: it is also {first!r:.60}.")
    order = named[keep[named]]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    text, starts = in_order(of_bytes.astype(np.uint8), starts, order)
    missing = bytes(sorted(set(range(256)).difference(text[starts[:-1][np.diff(starts) == 1]].tolist())))
    laid = LaidTokens(ids[order].astype(np.uint32), text[: starts[-1]].tobytes(), starts)
    return Tokens(laid, decode_only, missing)


def read_unknown(model: Value, ids: Mapping[str, int], lacking: bytes) -> tuple[int | None, bool]:
    """Read what becomes of bytes without a token: the id of the unknown token, and whether adjacent ones fuse."""
    if not lacking:
        return None, False
    if model.get("byte_fallback").flag():
        model.get("byte_fallback").unsupported(
            f"{len(lacking)} of the 256 bytes have no token (the first is {lacking[0]:#04x}), so it must be false."
        )
    unknown = model.get("unk_token")
    if unknown.value is None:
        return None, False
    if unknown.text() not in ids:
        unknown.unsupported("The vocabulary has no such token, and tokenizers would stop at a byte without a token.")
    return ids[unknown.text()], model.get("fuse_unk").flag()


# Writing


def spelled_tokens(tokens: Mapping[int, bytes]) -> dict[int, str]:
    """Return id -> spelling with GPT-2's printable bytes, by ascending id."""
    return {token_id: to_printable(tokens[token_id]) for token_id in sorted(tokens)}


def model_document(
    spelled: Mapping[int, str],
    ids: Mapping[str, int],
    merges: np.ndarray,
    whole_words: bool,
    word_end: str,
) -> dict[str, Any]:
    """Return the ``model`` of a tokenizer.json. merges : ids, [n, 2]."""
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": word_end or None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": whole_words,
        "vocab": dict(sorted(ids.items(), key=lambda item: item[1])),
        "merges": [f"{spelled[left]} {spelled[right]}" for left, right in merges.tolist()],
    }


NOTE = "minbpe_course"
"""The key in ``model`` under which this package keeps a note that `tokenizers` ignores."""
