"""A folder for transformers: a tokenizer.json, and the files next to it that say what its tokens are for.

    tokenizer.json                 how text becomes ids
    tokenizer_config.json          {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|endoftext|>", ...}
    special_tokens_map.json        {"eos_token": "<|endoftext|>", "additional_special_tokens": [...]}
    chat_template.jinja            the chat template; more of them in additional_chat_templates/

Our readers use the tokenizer.json only. The other files, the companions, change no ids of a text here. A folder that is
made from another one gets copies of them; for a model from elsewhere, two of them are made.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from minbpe_course.errors import (
    InvalidSpecialToken,
    MissingFile,
    NotText,
    UnreadableModel,
    UnsupportedModel,
    UnusablePath,
)
from minbpe_course.files import read_whole, write_files
from minbpe_course.formats.gpt2_config import MADE_BY, is_ours
from minbpe_course.formats.json_text import parse, shown
from minbpe_course.model import CONTROL, BytePairModel, PieceModel, VocabularyModel

TOKENIZER, CONFIG, ROLES = "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"
_TEMPLATE = "chat_template.jinja"
_NAMES = (CONFIG, ROLES, "added_tokens.json", _TEMPLATE, "chat_template.json")
_TEMPLATES = "additional_chat_templates"

_END = "<|endoftext|>"
# The number that transformers writes for no limit.
_NO_LIMIT = int(1e30)
# What ``gpt2_config`` writes, which is in the model too.
_OF_GPT2 = {*("tokenizer_class", "add_prefix_space", "clean_up_tokenization_spaces", "added_tokens_decoder", "made_by")}


def companion_files(folder: Path) -> list[str]:
    """Return the names of the companions in a folder."""
    templates = sorted(f"{_TEMPLATES}/{each.name}" for each in (folder / _TEMPLATES).glob("*.jinja"))
    return [name for name in (*_NAMES, *templates) if (folder / name).is_file()]


def read_companions(folder: Path) -> dict[str, bytes]:
    """Return name -> content of the companions in a folder. Raises UnusablePath."""
    return {name: read_whole(folder / name) for name in companion_files(folder)}


def made_companions(
    model: BytePairModel | VocabularyModel | PieceModel, given: Mapping[str, str] = MappingProxyType({})
) -> dict[str, bytes]:
    """Return name -> content of the companions of a model from elsewhere.

    given : "bos_token" -> the text of that token, and others. Otherwise ``<|endoftext|>``, if the model has it, is the
    bos and the eos token, and a PieceModel says what its pieces are. Tokens without a role are additional special
    tokens.
    """
    names = _special_names(model)
    roles: dict[str, Any] = {"bos_token": _END, "eos_token": _END} if _END in names else {}
    if isinstance(model, PieceModel):
        ids = dict(unk=model.declared_unk_id, bos=model.bos_id, eos=model.eos_id, pad=model.pad_id)
        roles = {f"{role}_token": model.pieces[at] for role, at in ids.items() if at >= 0}
    roles |= given
    others = [text for text in names if text not in roles.values()]
    if others:
        roles["additional_special_tokens"] = others
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "model_max_length": _NO_LIMIT,
        "made_by": MADE_BY,
        **roles,
    }
    return {
        name: (json.dumps(said, indent=2) + "\n").encode("ascii") for name, said in ((CONFIG, config), (ROLES, roles))
    }


def _special_names(model: BytePairModel | VocabularyModel | PieceModel) -> list[str]:
    if isinstance(model, PieceModel):
        return [model.pieces[at] for at in model.ids_of_kind(CONTROL)]
    return [text for text in model.special_tokens if text not in model.plain_tokens]


def with_roles(
    companions: Mapping[str, bytes],
    model: BytePairModel | VocabularyModel | PieceModel,
    roles: Mapping[str, str],
    chat_template: str | None,
) -> dict[str, bytes]:
    """Return companions that give tokens their roles and have the chat template; everything else in them stays.

    companions : of the source, or none · roles : "bos_token" -> the text of that token, and others. Raises
    InvalidSpecialToken for a text that is not a special token of the model, UnreadableModel for a damaged companion.
    """
    names = _special_names(model)
    for role, text in roles.items():
        if text not in names:
            name = role.removesuffix("_token")
            raise InvalidSpecialToken(
                f"{name}={text!r} (--{name}) is not a special token of this model, so transformers would give it an id "
                f"that the model does not know. The model has {names or 'none'}. More come with special_tokens={{..., "
                "'TEXT': ID} (--special TEXT=ID), or with_pieces([...], kind='CONTROL') of a SentencePiece model."
            )
    files = dict(companions) if CONFIG in companions else {**made_companions(model, roles), **companions}
    added = {CONFIG: dict(roles), ROLES: dict(roles)}
    if chat_template is not None:
        # Every version of transformers reads it in the config; newer ones prefer the file, if there is one.
        added[CONFIG]["chat_template"] = chat_template
        if not isinstance(chat_template, str):
            raise NotText("chat_template is the text of a template: Path('chat.jinja').read_text(encoding='utf-8').")
        if _TEMPLATE in files:
            files[_TEMPLATE] = chat_template.encode("utf-8")
    for name, changes in added.items():
        said = parse(files.get(name, b"{}"), name)
        if not isinstance(said, dict):
            raise UnreadableModel(f"{name} is not a JSON object, so no role can be written into it.")
        files[name] = (json.dumps(said | changes, ensure_ascii=False, indent=2) + "\n").encode("utf-8")
    return files


def write(
    model: BytePairModel | VocabularyModel | PieceModel,
    tokenizer: bytes,
    folder: str | os.PathLike[str],
    companions: Mapping[str, bytes],
) -> Path:
    """Write ``tokenizer``, the tokenizer.json of ``model``, and companions into ``folder``; return the folder.

    companions : of the folder that the model was read from; they are written as they are. The folder is created if its
    parent exists. Each file is replaced once it is complete, the tokenizer.json last. Raises UnusablePath, also if the
    folder contains files of another tokenizer that would stay.
    """
    folder = Path(folder)
    files = dict(companions) if CONFIG in companions else {**made_companions(model), **companions}
    if folder.is_dir():
        _refuse_foreign(folder, files, made=_parsed(files[CONFIG]).get("made_by") == MADE_BY)
    else:
        _make(folder)
    if any(name.startswith(_TEMPLATES) for name in files):
        _make(folder / _TEMPLATES)
    write_files(folder, {**files, TOKENIZER: tokenizer})
    return folder


def _make(folder: Path) -> None:
    if folder.is_symlink() and folder.name == _TEMPLATES:
        raise UnusablePath(f"{folder} is a link to another folder. Remove it, or give a new folder.")
    try:
        folder.mkdir(exist_ok=folder.name == _TEMPLATES)
    except OSError as error:
        raise MissingFile(f"cannot make the folder {folder}: {error.strerror}.") from error


def _refuse_foreign(folder: Path, files: Mapping[str, bytes], made: bool) -> None:
    """Refuse a folder with companions of another tokenizer, which would be read with the new tokenizer.json."""
    left = [name for name in companion_files(folder) if name not in files]
    if made and (folder / CONFIG).exists() and _parsed(read_whole(folder / CONFIG)).get("made_by") != MADE_BY:
        left = [CONFIG, *left]
    if left:
        raise UnusablePath(
            f"{folder} contains the {left[0]} of another tokenizer. Give a new folder, or write only "
            f"{folder / TOKENIZER}."
        )


def check_special_tokens(model: BytePairModel | VocabularyModel, companions: Mapping[str, bytes]) -> None:
    """Raise UnsupportedModel if the config gives a special token another id than the model."""
    decoder = _parsed(companions.get(CONFIG, b"{}")).get("added_tokens_decoder")
    for token_id, said in decoder.items() if isinstance(decoder, dict) else ():
        text = str(said.get("content")) if isinstance(said, dict) else ""
        if str(model.special_tokens.get(text)) != token_id:
            raise UnsupportedModel(
                f"{CONFIG} gives the special token {shown(text)} the id {token_id}, and the new model does not. "
                f"Convert the {TOKENIZER} in the folder alone, or edit {CONFIG} first."
            )


def described(companions: Mapping[str, bytes]) -> Iterator[str]:
    """Yield what each companion is and what it says, for a message that names it."""
    for name, data in companions.items():
        config = _parsed(data)
        said = sorted(config.keys() - (_OF_GPT2 if is_ours(data) else set()))
        if said and name == CONFIG:
            yield f"{name} ({', '.join(said)})"
        elif name != CONFIG or not is_ours(data):
            yield name


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        found = parse(data, CONFIG)
    except UnreadableModel:
        return {}
    return found if isinstance(found, dict) else {}
