"""BERT's ``vocab.txt``: one token a line, the id is the number of the line.

    [PAD]
    [UNK]          the unknown token; the five in brackets are special
    ...
    the
    ##ing          continues a word

The file does not say how text is rewritten before it is cut. A ``tokenizer_config.json`` in its folder does
(``do_lower_case``, ``strip_accents``, ``tokenize_chinese_chars``, ``unk_token`` and the others), as transformers
writes it. Without one, a vocabulary in which no ordinary token has a capital letter is one for small letters.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from minbpe_course.errors import UnreadableModel, UnsupportedModel
from minbpe_course.files import read_whole, write_whole
from minbpe_course.formats.json_text import Value, read_value, utf8_text
from minbpe_course.model import CONTROL, NORMAL, UNKNOWN, AddedToken, NormalizerRules, PieceModel, PiecePipeline

MARK = "##"
ROLES = {"unk": "[UNK]", "sep": "[SEP]", "pad": "[PAD]", "cls": "[CLS]", "mask": "[MASK]"}
CONFIG = "tokenizer_config.json"


def read(path: str | os.PathLike[str]) -> PieceModel:
    """Return the record in a vocab.txt, with the settings in its folder.

    Raises UnreadableModel, with the line; UnsupportedModel without an unknown token; UnusablePath.
    """
    path = Path(path)
    config = path.parent / CONFIG
    settings = read_value(read_whole(config), CONFIG) if config.is_file() else Value({}, "$", CONFIG)
    return from_text(read_whole(path), path.name, settings)


def from_text(data: bytes, name: str = "vocab.txt", settings: Value | None = None) -> PieceModel:
    """Return the record in the text of a vocab.txt. settings : the values of a tokenizer_config.json.

    >>> from_text(b"[UNK]\\nlow\\n##er\\n").pieces
    ('[UNK]', 'low', '##er')
    """
    settings = settings or Value({}, "$", CONFIG)
    lines = utf8_text(data, name).removesuffix("\n").split("\n")
    pieces = [line.rstrip("\r") for line in lines]
    first: dict[str, int] = {}
    for place, piece in enumerate(pieces):
        if not piece or first.setdefault(piece, place) != place:
            what = f"the token {piece!r:.60} of line {first[piece] + 1} again" if piece else "no token"
            raise UnreadableModel(f"{name}, line {place + 1}: {what}. Each line of a vocab.txt is another token.")
    roles = {role: _role(settings, role, text) for role, text in ROLES.items()}
    if roles["unk"] not in first:
        raise UnsupportedModel(
            f"{name}: there is no unknown token {roles['unk']!r:.60}. If another line is it, name it in a {CONFIG} "
            'beside the file: {"unk_token": "..."}'
        )
    special = sorted(first.keys() & roles.values(), key=first.__getitem__)
    ordinary = "".join(piece for piece in pieces if piece not in special and not piece.startswith("["))
    lowercase = settings.get("do_lower_case").flag(default=ordinary == ordinary.lower())
    accents = settings.get("strip_accents")
    strip = lowercase if accents.value is None else accents.flag()
    return wordpiece_record(
        pieces,
        special,
        roles["unk"],
        ("Bert", True, settings.get("tokenize_chinese_chars").flag(default=True), strip, lowercase),
        frame=(roles["cls"], roles["sep"]),
    )


def wordpiece_record(
    pieces: list[str],
    special: list[str],
    unknown: str,
    normalizer: tuple[Any, ...] | None,
    frame: tuple[str, str],
    mark: str = MARK,
) -> PieceModel:
    """Return the record of tokens with BERT's rules. frame : the tokens before and after a text, if both are pieces."""
    ids = {piece: at for at, piece in enumerate(pieces)}
    kinds = [UNKNOWN if piece == unknown else CONTROL if piece in special else NORMAL for piece in pieces]
    before, after = frame if all(text in ids for text in frame) else ("", "")
    framed = ((ids[before],), (ids[after],)) if before else ((), ())
    pair = ((ids[before], 0), ("A", 0), (ids[after], 0), ("B", 1), (ids[after], 1)) if before else None
    return PieceModel(
        pieces=tuple(pieces),
        scores=(0.0,) * len(pieces),
        kinds=tuple(kinds),
        model_type="wordpiece",
        normalizer=NormalizerRules(add_dummy_prefix=False, remove_extra_whitespaces=False),
        unk_piece=unknown,
        pipeline=PiecePipeline(
            known=len(pieces),
            added=tuple(AddedToken(text, ids[text]) for text in special),
            normalizer=(normalizer,) if normalizer else (),
            cutting=(("Bert",),),
            decoder=(("WordPiece", mark, True),),
            frame=framed,
            pair_frame=pair,
            unknown_is_special=unknown in special,
            continuing_prefix=mark,
        ),
    )


def _role(settings: Value, role: str, default: str) -> str:
    said = settings.get(f"{role}_token")
    if isinstance(said.value, dict):
        said = said.get("content")
    return default if said.value is None else said.text()


# Writing


def why_not(model: PieceModel) -> str | None:
    """Return why a vocab.txt would give other ids, or None."""
    if model.model_type != "wordpiece":
        return "its lines are the tokens of WordPiece, and this is another model."
    if read_back(model) == model:
        return None
    return (
        "the file has the tokens alone. Read again, it would have BERT's rules: [UNK], [CLS] and its other special "
        "tokens, ##, words of at most 100 characters, and small letters if no token has a capital one."
    )


def read_back(model: PieceModel) -> PieceModel | None:
    """Return the record that the file of this model would give, or None."""
    try:
        return from_text(_text(model))
    except (UnreadableModel, UnsupportedModel, UnicodeEncodeError):
        return None


def write(model: PieceModel, path: str | os.PathLike[str]) -> Path:
    """Write the tokens to a vocab.txt; return the path. Raises UnsupportedModel, with the reason, and UnusablePath."""
    if (reason := why_not(model)) is not None:
        raise UnsupportedModel(reason)
    return write_whole(path, _text(model))


def _text(model: PieceModel) -> bytes:
    return "".join(f"{piece}\n" for piece in model.pieces).encode("utf-8")
