r"""A folder as transformers keeps a tokenizer: ``tokenizer.json`` and the two small files that name its class.

    tokenizer.json               how text becomes ids: ``formats.huggingface_json``
    tokenizer_config.json        {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|endoftext|>", ...}
    special_tokens_map.json      {"eos_token": "<|endoftext|>", "additional_special_tokens": [...]}

``AutoTokenizer.from_pretrained(folder)`` and ``PreTrainedTokenizerFast.from_pretrained(folder)`` read it; the ids
depend on ``tokenizer.json`` alone. ``<|endoftext|>``, if the model has it, is the bos and the eos token; the others are
additional special tokens. To read such a folder, ``any_format.read_model`` reads its ``tokenizer.json``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from minbpe_course.errors import MissingFile, UnreadableModel, UnusablePath
from minbpe_course.files import read_whole, write_together
from minbpe_course.formats.huggingface_json import to_json
from minbpe_course.model import BytePairModel, VocabularyModel

CONFIG, SPECIALS, TOKENIZER = "tokenizer_config.json", "special_tokens_map.json", "tokenizer.json"
_END = "<|endoftext|>"
# The number that transformers writes for no limit.
_NO_LIMIT = int(1e30)


def write(model: BytePairModel | VocabularyModel, folder: str | os.PathLike[str]) -> Path:
    """Write the three files into ``folder``, which is created if its parent exists; return the folder.

    All files are replaced together. Raises UnsupportedModel with the reason, and UnusablePath, also if the folder
    contains the config of another tokenizer.

    >>> import tempfile
    >>> from minbpe_course.model import BytePairModel
    >>> model = BytePairModel([(104, 105)], special_tokens={"<|endoftext|>": 257})
    >>> sorted(path.name for path in write(model, Path(tempfile.mkdtemp(), "a")).iterdir())
    ['special_tokens_map.json', 'tokenizer.json', 'tokenizer_config.json']
    """
    folder = Path(folder)
    plain = model.plain_tokens if isinstance(model, VocabularyModel) else frozenset()
    names = [text for text in model.special_tokens if text not in plain]
    roles: dict[str, Any] = {"bos_token": _END, "eos_token": _END} if _END in names else {}
    others = [text for text in names if text != _END]
    if others:
        roles["additional_special_tokens"] = others
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "model_max_length": _NO_LIMIT,
        "made_by": "minbpe_course",
        **roles,
    }
    files = {TOKENIZER: to_json(model), CONFIG: _json(config), SPECIALS: _json(roles)}
    if folder.is_dir():
        _refuse_foreign_config(folder)
    else:
        try:
            folder.mkdir()
        except OSError as error:
            raise MissingFile(f"cannot make the folder {folder}: {error.strerror}.") from error
    write_together(folder, files)
    return folder


def _json(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode("ascii")


def _refuse_foreign_config(folder: Path) -> None:
    try:
        made_by = json.loads(read_whole(folder / CONFIG)).get("made_by")
    except MissingFile:
        return
    except (ValueError, AttributeError, UnreadableModel):
        made_by = None
    if made_by != "minbpe_course":
        raise UnusablePath(
            f"{folder} contains the {CONFIG} of another tokenizer. Give a new folder, or write only "
            f"{folder / TOKENIZER}."
        )
