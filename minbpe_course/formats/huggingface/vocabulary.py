"""The ``model`` of a tokenizer.json: tokens spelled with GPT-2's printable bytes, and the pairs that merge.

    "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"] or [["a", "b"]]     ->     {0: b"a", ...}, [(0, 1, 2)]

The first pair in the list merges first. Of a pair that is listed twice, the last position counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, NamedTuple, NoReturn

import numpy as np

from minbpe_course.errors import UnsupportedModel
from minbpe_course.formats.huggingface.model_scan import Scanned
from minbpe_course.formats.json_text import Value, is_id
from minbpe_course.model.vocabulary import LaidTokens
from minbpe_course.text.byte_alphabet import BYTE_OF, to_printable


class Vocabulary(NamedTuple):
    """The model of a file: spelling -> id, merges as uint32[n, 3], whether words are taken whole, and their ending."""

    ids: Mapping[str, int]
    merges: np.ndarray
    whole_words: bool
    word_end: str


def read_vocabulary(document: Value, scanned: Scanned | None = None) -> Vocabulary:
    """Read the model; its names and merges may be scanned already. Raises UnreadableModel, UnsupportedModel."""
    model = document.get("model")
    # Files of 2020 do not name the type; only BPE has merges.
    if model.get("type").value is not None or "merges" not in model:
        kind = model.get("type").text()
        if kind != "BPE":
            model.get("type").unsupported(
                "Only BPE is supported. If this is a SentencePiece model, give its tokenizer.model."
            )
    _refuse_options(model)
    value = model.get("vocab")
    ids = value.an_object()
    if not all(map(is_id, ids.values())):
        wrong = next(key for key, token_id in ids.items() if not is_id(token_id))
        value.get(wrong).token_id()
    whole_words, word_end = model.get("ignore_merges").flag(), _word_end(model.get("end_of_word_suffix"))
    if word_end and whole_words:
        model.get("ignore_merges").unsupported("It must be false for a model with end_of_word_suffix.")
    if scanned is not None:
        return Vocabulary(scanned.names, scanned.names.ids[scanned.merges], whole_words, word_end)
    return Vocabulary(ids, _merges(model.get("merges"), ids), whole_words, word_end)


def _word_end(value: Value) -> str:
    said = "" if value.value is None else value.text()
    if not all("!" <= character <= "~" for character in said):
        value.unsupported("The suffix may only contain ASCII characters other than space.")
    return said


def _refuse_options(model: Value) -> None:
    dropout = model.get("dropout")
    if dropout.value is not None and (isinstance(dropout.value, bool) or not isinstance(dropout.value, (int, float))):
        dropout.unreadable("a number or null")
    if dropout.value:
        dropout.unsupported("With dropout the ids of a text depend on chance.")
    mark = model.get("continuing_subword_prefix")
    if mark.value is not None and mark.text():
        mark.unsupported("Byte-level tokenizers have no marks inside words, so no prefix is supported.")
    # These two and the unknown token have no effect, since all 256 bytes have to be there.
    for name in ("fuse_unk", "byte_fallback"):
        model.get(name).flag()
    if model.get("unk_token").value is not None:
        model.get("unk_token").text()


def _merges(value: Value, ids: Mapping[str, int]) -> np.ndarray:
    made: list[tuple[int, int, int]] = []
    if not isinstance(value.value, list):
        value.unreadable("a list")
    for place, one in enumerate(value.value):
        try:
            # There are hundreds of thousands of merges, so only the first wrong one is examined closely.
            left, right = one.split(" ") if isinstance(one, str) else _a_list(one)
            made.append((ids[left], ids[right], ids[left + right]))
        except (KeyError, TypeError, ValueError):
            _refuse_merge(value.items()[place], ids)
    return np.array(made, dtype=np.uint32).reshape(-1, 3)


def _a_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _refuse_merge(value: Value, ids: Mapping[str, int]) -> NoReturn:
    one = value.value
    parts = one.split(" ") if isinstance(one, str) else one
    if not isinstance(parts, list) or len(parts) != 2 or not all(isinstance(part, str) for part in parts):
        value.unreadable('two tokens, as ["a", "b"] or "a b"')
    missing = next((part for part in (*parts, "".join(parts)) if part not in ids), "")
    value.unreadable(f"tokens of the vocabulary that make one (it has no {missing!r:.80})")


class Tokens(NamedTuple):
    """The ordinary tokens, id -> bytes or laid out, and tokens that only decode, id -> text."""

    of_bytes: dict[int, bytes] | LaidTokens
    decode_only: dict[int, str]


def read_tokens(
    document: Value,
    vocabulary: Vocabulary,
    added: Mapping[str, int],
    keep_added: bool,
    scanned: Scanned | None = None,
) -> Tokens:
    """Read the tokens of the vocabulary.

    Left out are added tokens that are in the vocabulary too, unless a merge makes or uses them or ``keep_added`` is
    set, and tokens that share their id with an added token and that no text gives. Raises UnsupportedModel.
    """
    if scanned is not None:
        return _scanned_tokens(document, vocabulary, added, keep_added, scanned)
    merged = set(np.unique(vocabulary.merges).tolist())
    found, decode_only = _chosen(document, vocabulary, vocabulary.ids, merged, added, keep_added)
    missing = set(BYTE_OF.values()).difference(token[0] for token in found.values() if len(token) == 1)
    if missing:
        value = document.get("model").get("vocab")
        raise UnsupportedModel(
            f"{value.name}, at {value.path}: {len(missing)} of the 256 bytes have no token (the first is "
            f"{min(missing):#04x}), and text with them would lose them.\nTrain with "
            "BpeTrainer(initial_alphabet=pre_tokenizers.ByteLevel.alphabet()) to have a token for every byte."
        )
    return Tokens(found, decode_only)


def _scanned_tokens(
    document: Value, vocabulary: Vocabulary, added: Mapping[str, int], keep_added: bool, scanned: Scanned
) -> Tokens:
    names = scanned.names
    # Only names that share their id with an added token, and those that spell no bytes, take a closer look.
    special = np.flatnonzero(np.isin(names.ids, list(added.values())) | ~names.spelled)
    merged = np.zeros(len(names), dtype=bool)
    merged[scanned.merges] = True
    ids = {names.name(place): int(names.ids[place]) for place in special.tolist()}
    also_merged = set(names.ids[special[merged[special]]].tolist())
    found, decode_only = _chosen(document, vocabulary, ids, also_merged, added, keep_added)
    keep = np.ones(len(names), dtype=bool)
    keep[special] = np.isin(names.ids[special], list(found))
    return Tokens(LaidTokens.chosen(names.ids, names.tokens, names.token_starts, keep), decode_only)


def _chosen(
    document: Value,
    vocabulary: Vocabulary,
    ids: Mapping[str, int],
    merged: Set[int],
    added: Mapping[str, int],
    keep_added: bool,
) -> tuple[dict[int, bytes], dict[int, str]]:
    """Return the ordinary tokens among the names ``ids``, and those that only decode.

    merged : the ids that merges make or use.
    """
    value = document.get("model").get("vocab")
    taken = set(added.values())
    found: dict[int, bytes] = {}
    decode_only: dict[int, str] = {}
    byte_of = BYTE_OF.__getitem__
    for key, token_id in ids.items():
        is_added = key in added
        reached = token_id in merged or len(key) == 1 or (keep_added and key.isascii())
        reached = reached or (len(key) == 1 + len(vocabulary.word_end) and key.endswith(vocabulary.word_end))
        if not reached and (is_added or (token_id in taken and not vocabulary.whole_words)):
            continue
        try:
            token: bytes | None = bytes(map(byte_of, key))
        except KeyError:
            if is_added:
                continue
            if token_id in merged:
                value.get(key).unsupported(
                    f"The token {key!r:.80} is part of a merge, but is not spelled with GPT-2's 256 printable bytes."
                )
            token = None
        if token_id in found or token_id in decode_only:
            other = found.get(token_id, decode_only.get(token_id))
            value.get(key).unsupported(f"Two tokens have this id: it is also {other!r:.60}.")
        if token is not None:
            found[token_id] = token
        elif token_id not in taken:
            decode_only[token_id] = key
    return found, decode_only


# Writing


def spelled_tokens(tokens: Mapping[int, bytes]) -> dict[int, str]:
    """id -> spelling with GPT-2's printable bytes, by ascending id."""
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
