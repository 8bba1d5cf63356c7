r"""A SentencePiece model as a tokenizer.json, with which `tokenizers` gives the ids of sentencepiece for every text.

    normalizer      Prepend ▁, Replace " " by ▁; before and after that, what removes extra spaces
    model           BPE: each way to make a piece of two others is a merge, the best score first
    added_tokens    the control pieces and the unknown one, special; user-defined pieces, not special
    decoder         Replace ▁ by " ", ByteFallback, Fuse, Strip

sentencepiece joins the two neighbours whose joined text has the best score, `tokenizers` the pair with the lowest rank,
and both the leftmost of several. That is the same if no two pieces share a score and if every character of a piece is a
piece. Pieces that repeat one character, as ▁▁ and ▁▁▁ in Llama 2's model, may share one. Of two pairs that make one
piece, only one is ever there (``engines.vocabulary_tables`` says why). Everything else that could change ids is refused
by name.

Control pieces in a text are the exception: sentencepiece never finds them, and `tokenizers` does, as it finds every
special token, unless ``encode_special_tokens`` is set.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from minbpe_course.errors import UnsupportedModel
from minbpe_course.formats.huggingface.piece_files import MARK, MOST_MERGES
from minbpe_course.model import CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, PieceModel
from minbpe_course.model.piece_rules import is_text

_ODD = [
    " ",
    "  ",
    "   ",
    MARK,
    f"{MARK} {MARK}",
    "\0",
    "\n",
    "\r\n",
    "\t",
    "é",
    "e\u0301",
    "\u00a0",
    "ﬁ",
    "中",
    "😀",
    "\U0010ffff",
]
_PROBES = 400
# More spaces than any text begins with.
_ALL = 1 << 30


def piece_document(model: PieceModel) -> dict[str, Any]:
    """Return the tokenizer.json of a SentencePiece model. Raises UnsupportedModel, with the reason."""
    if (reason := _why_not(model)) is not None:
        raise UnsupportedModel(reason)
    ids = {piece: piece_id for piece_id, piece in enumerate(model.pieces)}
    normal = {piece for piece, kind in zip(model.pieces, model.kinds) if kind == NORMAL and " " not in piece}
    # In a run of one character whose pieces share a score, the one further left is the longer one.
    best_first = sorted(normal, key=lambda piece: (-model.scores[ids[piece]], -len(piece)))
    splits = ((piece[:at], piece[at:]) for piece in best_first for at in range(1, len(piece)))
    merges = [f"{left} {right}" for left, right in splits if left in normal and right in normal]
    if len(merges) > MOST_MERGES:
        raise UnsupportedModel(f"its pieces can be made in {len(merges):,} ways; the most is {MOST_MERGES:,}.")
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(model, at) for at, kind in enumerate(model.kinds) if kind in _ADDED],
        "normalizer": {"type": "Sequence", "normalizers": _normalizers(model)},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": _decoders(model)},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None if model.unk_id < 0 else model.pieces[model.unk_id],
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": model.byte_fallback,
            "ignore_merges": False,
            "vocab": ids,
            "merges": merges,
        },
    }


def probes(model: PieceModel) -> Iterator[str]:
    """Yield texts that would show most differences: pieces, their halves, spaces, awkward characters, in any order."""
    draw = random.Random(0)
    specials = [piece for piece, kind in zip(model.pieces, model.kinds) if kind in (CONTROL, UNKNOWN)]
    pieces = [piece for piece in model.pieces if is_text(piece)]
    yield ""
    for _ in range(_PROBES):
        parts = draw.choices(pieces, k=draw.randint(1, 8)) + draw.choices(_ODD, k=draw.randint(0, 4))
        draw.shuffle(parts)
        text = "".join(part[draw.randint(0, 1) * len(part) // 2 :] for part in parts)
        text = text.replace(MARK, " ") if draw.random() < 0.7 else text
        if not any(special in text for special in specials):
            yield text


_ADDED = (CONTROL, UNKNOWN, USER_DEFINED)


def _why_not(model: PieceModel) -> str | None:
    """Return what `tokenizers` would do differently, or None."""
    rules = model.normalizer
    if model.model_type == "unigram":
        return (
            "tokenizers adds the scores of a Unigram model in double precision, sentencepiece in single precision. "
            "Where several ways to cut a text have nearly the same score (in 'aaa', for example), the ids differ."
        )
    if model.model_type != "bpe":
        return f"tokenizers has no model of the type {model.model_type!r}."
    if rules.charsmap:
        return (
            "tokenizers applies its table of replacements (nmt_nfkc, for example) to clusters of characters, and takes "
            "the shortest rule that fits; sentencepiece takes the longest. Half-width ｶﾞ differs, for example. Train "
            "with normalization_rule_name='identity'."
        )
    if model.denormalizer.charsmap:
        return "it rewrites decoded text with a table of replacements (denormalization_rule_tsv)."
    if not rules.escape_whitespaces or model.treat_whitespace_as_suffix:
        return "it does not write a space as ▁ before the word (escape_whitespaces, treat_whitespace_as_suffix)."
    if UNUSED in model.kinds:
        piece = model.pieces[model.kinds.index(UNUSED)]
        return f"the piece {piece!r:.60} is UNUSED: it is cut again after merging, which tokenizers does not do."
    if not is_text("".join(model.pieces)):
        piece = next(piece for piece in model.pieces if not is_text(piece))
        return f"the piece {piece!r:.60} is not UTF-8."
    for piece, kind in zip(model.pieces, model.kinds):
        if kind in (CONTROL, UNKNOWN) and len(piece) == 1:
            return f"the piece {piece!r} is one character and no text becomes it; in tokenizers, that character does."
    return _why_not_symbols(model) or _why_not_merges(model)


def _why_not_symbols(model: PieceModel) -> str | None:
    """Return what `tokenizers` would do differently with user-defined pieces, or None."""
    for piece_id in model.ids_of_kind(USER_DEFINED):
        piece = model.pieces[piece_id]
        found = f"the piece {piece!r:.60} is USER_DEFINED"
        if model.normalizer.add_dummy_prefix:
            return (
                f"{found}, and texts begin with a space: tokenizers adds none before such a piece, and one after it. "
                "Train with add_dummy_prefix=False, or make it a special token: "
                f"model.with_kinds({{{piece!r:.60}: 'CONTROL'}})."
            )
        if " " in piece or (model.normalizer.remove_extra_whitespaces and piece.endswith(MARK)):
            return f"{found} and contains spaces that sentencepiece treats differently."
    return None


def _why_not_merges(model: PieceModel) -> str | None:
    """Return why merges in order do not give the ids that scores give, or None."""
    characters = {piece for piece, kind in zip(model.pieces, model.kinds) if kind in (NORMAL, USER_DEFINED)}
    made = [
        (piece, score)
        for piece, score, kind in zip(model.pieces, model.scores, model.kinds)
        if kind == NORMAL and len(piece) > 1 and " " not in piece
    ]
    runs: dict[str, set[float]] = {}
    for piece, score in made:
        if lacking := set(piece) - characters:
            return f"the piece {piece!r:.60} contains {min(lacking)!r}, which is not a piece itself."
        if _is_run(piece):
            runs.setdefault(piece[0], set()).add(score)
    scores: dict[float, str] = {}
    for piece, score in made:
        other = scores.setdefault(score, piece)
        one_run = _is_run(piece) and _is_run(other) and piece[0] == other[0] and len(runs[piece[0]]) == 1
        if score != score or not (other == piece or one_run):
            return (
                f"the pieces {other!r:.60} and {piece!r:.60} have the same score, {score:g}: sentencepiece takes the "
                "one further left, tokenizers always the same one."
            )
    return None


def _is_run(piece: str) -> bool:
    return len(set(piece)) == 1


def _added(model: PieceModel, piece_id: int) -> dict[str, Any]:
    plain = model.kinds[piece_id] == USER_DEFINED
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": plain, "special": not plain}
    return {"id": piece_id, "content": model.pieces[piece_id], **flags}


def _replace(kind: str, found: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {kind: found}, "content": content}


def _normalizers(model: PieceModel) -> list[dict[str, Any]]:
    steps = [_replace("String", " ", MARK)]
    if model.normalizer.add_dummy_prefix:
        steps.insert(0, {"type": "Prepend", "prepend": MARK})
    if model.normalizer.remove_extra_whitespaces:
        # A ▁ of the text that ends it is removed like a space.
        steps = [_replace("Regex", r"\A +", ""), _replace("Regex", " {2,}", " "), *steps]
        steps.append(_replace("Regex", rf"{MARK}+\z", ""))
    return steps


def _decoders(model: PieceModel) -> list[dict[str, Any]]:
    steps = [_replace("String", MARK, " "), {"type": "ByteFallback"}, {"type": "Fuse"}]
    if model.normalizer.add_dummy_prefix or model.normalizer.remove_extra_whitespaces:
        spaces = _ALL if model.normalizer.remove_extra_whitespaces else 1
        steps.append({"type": "Strip", "content": " ", "start": spaces, "stop": 0})
    return steps
