r"""Every format by name, which of them a file is in, and reading and writing with the right one.

    read_model("tokenizer.json")               "huggingface", by its content
    read_model("folder")                       "gpt2" when vocab.json and merges.txt are in it
    write_model(record, "mine.tiktoken")       "tiktoken", by name
    write_model(record, "mine.model")          "minbpe" or "sentencepiece", by the record

The content of a file decides its format. Its name decides only if the content matches no format, so that the reader of
that format can say what is wrong. To write a file, the name decides. ``format=`` overrules both.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, TypeAlias

from minbpe_course.engines.as_byte_pairs import as_byte_pairs
from minbpe_course.errors import FolderGiven, InvalidOption, UnreadableModel, UnsupportedModel
from minbpe_course.files import open_to_read, read_whole
from minbpe_course.formats import (
    gguf,
    gpt2_merges,
    huggingface_json,
    minbpe_text,
    sentencepiece_proto,
    tekken_json,
    tiktoken_ranks,
    wordpiece_vocab,
)
from minbpe_course.formats.detection import Seen, detect
from minbpe_course.formats.huggingface import transformers_folder
from minbpe_course.formats.huggingface.kept_parts import why_not_elsewhere
from minbpe_course.formats.tiktoken_ranks import UNSET as UNSET
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel

Model: TypeAlias = BytePairModel | VocabularyModel | PieceModel


@dataclass(frozen=True)
class Format:
    """One format: its name, what people call it, the module with its ``read``, ``write`` and ``why_not``, and
    an example of a file name.

    says_pattern : whether its files contain the split pattern.
    """

    name: str
    title: str
    module: ModuleType
    example: str
    says_pattern: bool = True

    def read(self, path: str | os.PathLike[str], **said: Any) -> Model:
        """Return the record in a file of this format. Raises UnreadableModel, UnsupportedModel, UnusablePath."""
        if self.name != "gpt2" and Path(path).is_dir():
            path = locate(path, self.name)[1]
        record: Model = self.module.read(path, **said)
        return record

    def why_not(self, model: Model) -> str | None:
        """Return why a file in this format would give other ids for some text, or cannot hold the model; None if it
        keeps all ids."""
        if self.name == "gguf":
            return gguf.why_not(model)
        if isinstance(model, PieceModel):
            if model.model_type == "wordpiece":
                if self.name == "wordpiece":
                    return wordpiece_vocab.why_not(model)
                return huggingface_json.why_not(model) if self.name == "huggingface" else _WORDPIECE_STAYS
            if model.pipeline is not None and not (self.name == "huggingface" and model.pipeline.by_scores):
                return _PIPELINE_STAYS
            if self.name == "huggingface":
                return huggingface_json.why_not(model)
            return None if self.name == "sentencepiece" else _PIECES_NOT_BYTES
        if self.name in ("sentencepiece", "wordpiece"):
            return _BYTES_NOT_PIECES
        if self.name != "huggingface" and (about_pairs := why_not_elsewhere(model)) is not None:
            return about_pairs
        if self.name == "minbpe":
            try:
                return minbpe_text.why_not(as_byte_pairs(model))
            except UnsupportedModel as problem:
                return str(problem)
        reason: str | None = self.module.why_not(model)
        return reason

    def write(
        self, model: Model, path: str | os.PathLike[str], companions: Mapping[str, bytes] = MappingProxyType({})
    ) -> Path:
        """Write ``model`` to ``path``; return it. Raises UnsupportedModel with the reason, UnusablePath.

        companions : name -> content of further files for a folder of transformers.
        """
        if self.name == "gguf":
            gguf.write(model, path)
        if isinstance(model, PieceModel):
            refused = self.name not in _OF_PIECES or (model.pipeline is not None and self.why_not(model) is not None)
        else:
            refused = self.name in ("sentencepiece", "wordpiece")
        if refused:
            raise UnsupportedModel(f"{self.title} cannot hold this model: {self.why_not(model)}")
        if self.name != "huggingface" and not isinstance(model, PieceModel) and (reason := why_not_elsewhere(model)):
            raise UnsupportedModel(f"{self.title} cannot hold this model: {reason}")
        if self.name == "minbpe" and not isinstance(model, PieceModel):
            return _write_minbpe(as_byte_pairs(model), path)
        if self.for_transformers(path):
            return huggingface_json.write_folder(model, path, companions)
        written: Path = self.module.write(model, path)
        return written

    def for_transformers(self, path: str | os.PathLike[str]) -> bool:
        """Tell whether ``write`` makes a folder for transformers of ``path``."""
        return self.name == "huggingface" and (Path(path).is_dir() or not Path(path).suffix)

    def files(self, path: str | os.PathLike[str], companions: Iterable[str] = ()) -> list[Path]:
        """Return every file that ``write`` may write or remove."""
        path = Path(path)
        if self.name == "minbpe":
            return [path, path.parent / f"{path.stem}.vocab"]
        if self.name == "tiktoken":
            return [path, path.parent / f"{path.name}.json"]
        if self.name == "gpt2":
            return gpt2_merges.files(path)
        if self.for_transformers(path):
            names = (transformers_folder.TOKENIZER, transformers_folder.CONFIG, transformers_folder.ROLES)
            return [path / name for name in dict.fromkeys((*names, *companions))]
        return [path]


def _write_minbpe(model: BytePairModel, path: str | os.PathLike[str]) -> Path:
    """Write minbpe's two files; its own function takes the name without an ending, and adds two."""
    if Path(path).suffix != ".model":
        raise InvalidOption(f"{Path(path).name}: minbpe's file is called NAME.model (and NAME.vocab).")
    return minbpe_text.write(model, os.fspath(path)[: -len(".model")])


_BYTES_NOT_PIECES = (
    "its tokens are bytes, and SentencePiece's are pieces of text.\n"
    "SentencePiece rewrites a text before it cuts it (spaces become ▁, and one more is added at the start), has no "
    "split pattern, and uses single bytes only for characters without a piece. So the ids would change. To get a "
    ".model file, train one on your text: train_sentencepiece."
)
_PIECES_NOT_BYTES = (
    "it is a SentencePiece model, and its tokens are pieces of text, not bytes.\n"
    "It rewrites a text before it cuts it (spaces become ▁, and one more is added at the start), has no split pattern, "
    "and uses single bytes only for characters without a piece. No list of byte merges does that, so the ids would "
    "change. Keep that file: load_tokenizer and sentencepiece read it, and a BPE model can become a tokenizer.json. Or "
    "train a byte-level model on your text: train."
)
_PIPELINE_STAYS = (
    "it was read from a tokenizer.json or a GGUF file whose tokens are pieces of text.\n"
    "There, added tokens are cut out before a text is normalized, and merges and scores have other rules than "
    "SentencePiece's. So no other format keeps all ids. Keep that file: load_tokenizer reads it."
)
_WORDPIECE_STAYS = (
    "it is a WordPiece model: it takes the longest token that fits and merges nothing, which no list of merges does. "
    "It can be written as a tokenizer.json or a vocab.txt."
)

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        made.name: made
        for made in (
            Format("minbpe", "minbpe's .model", minbpe_text, "mine.model"),
            Format("gpt2", "GPT-2's vocab.json and merges.txt", gpt2_merges, "a folder, mine/"),
            Format("tiktoken", "a .tiktoken file", tiktoken_ranks, "mine.tiktoken", says_pattern=False),
            Format("huggingface", "Hugging Face's tokenizer.json", huggingface_json, "tokenizer.json"),
            Format("sentencepiece", "SentencePiece's .model", sentencepiece_proto, "tokenizer.model"),
            Format("tekken", "mistral-common's tekken.json", tekken_json, "tekken.json"),
            Format("wordpiece", "BERT's vocab.txt", wordpiece_vocab, "vocab.txt"),
            Format("gguf", "llama.cpp's GGUF", gguf, "model.gguf"),
        )
    }
)

_OF_PIECES = ("sentencepiece", "huggingface", "wordpiece")
_PAIR_NAMES = re.compile(r"(?:.*-)?(?:vocab\.json|merges\.txt|encoder\.json|vocab\.bpe)\Z", re.IGNORECASE)
_MODEL_NAMES = re.compile(r".*\.(?:model|spm)(?:\.v\w+)?\Z", re.IGNORECASE | re.DOTALL)
# Preferred files of a folder, best first. vocab.json and merges.txt come late: they do not contain the split pattern.
_IN_FOLDERS = (
    ("huggingface", ("tokenizer.json",)),
    ("tekken", ("tekken.json",)),
    ("gpt2", ("vocab.json", "merges.txt")),
    ("gpt2", ("encoder.json", "vocab.bpe")),
    ("sentencepiece", ("tokenizer.model",)),
    ("wordpiece", ("vocab.txt",)),
)


def named(name: str) -> Format:
    """Return the format of this name. Raises InvalidOption, which lists the names.

    >>> named("tekken").title
    "mistral-common's tekken.json"
    """
    if isinstance(name, str) and name in FORMATS:
        return FORMATS[name]
    near = difflib.get_close_matches(str(name).lower(), FORMATS, 1)
    guessed = f" Did you mean {near[0]!r}?" if near else ""
    raise InvalidOption(f"there is no format {name!r}.{guessed} The formats are: {', '.join(map(repr, FORMATS))}.")


def guess(path: str | os.PathLike[str], record: Model | None = None) -> str:
    """Return the name of the format of the file at ``path`` or, given a record, of the file to write there.

    Raises MissingFile; UnreadableModel if the file is not a tokenizer's (the message says what it looks like);
    InvalidOption if the name does not decide the format to write.
    """
    if record is None:
        return locate(path)[0]
    if os.fspath(path).endswith(("/", os.sep)):
        return "gpt2"
    return _to_write(Path(path), record)


def locate(path: str | os.PathLike[str], format: str | None = None) -> tuple[str, Path]:
    """Return the format at ``path`` and the path for its reader: in a folder, that of the preferred file.

    Raises as ``guess`` does.
    """
    path = Path(path)
    if format is not None:
        named(format)
    if path.is_dir():
        return _in_folder(path, format)
    if path.exists() and not path.is_file():
        raise UnreadableModel(
            f"{path} is a pipe or a device, and a tokenizer is read more than once. Save it as a file first."
        )
    if format is not None:
        return format, path
    return _format_of(path), path


def _format_of(path: Path) -> str:
    """Return the format of a file. Raises UnreadableModel if it is not a tokenizer's, UnusablePath."""
    with open_to_read(path) as file:
        # A GGUF file may be larger than the memory.
        if file.read(len(gguf.MAGIC)) == gguf.MAGIC:
            return "gguf"
    data = read_whole(path)
    seen = detect(data)
    if seen is not None and seen.format is not None:
        return seen.format
    by_name = _by_name(path)
    if seen is None and by_name == "sentencepiece" and _is_text(data):
        seen = Seen(
            None,
            "text, but a model of neither minbpe nor SentencePiece: line 1 is not 'minbpe v1'",
            "Is it a complete copy?",
        )
    if seen is None and by_name is not None:
        # The reader of this format will say what is wrong.
        return by_name
    if seen is None:
        seen = Seen(None, "not a tokenizer file of a known format", f"The formats are: {_examples()}.")
    raise UnreadableModel(f"{path.name} is {seen.what}. {seen.advice}")


def read_model(
    path: str | os.PathLike[str], format: str | None = None, *, pattern: Any = UNSET, special_tokens: Any = UNSET
) -> Model:
    """Read a tokenizer's file, or folder, in any format.

    format : a name in FORMATS, to overrule the content · pattern, special_tokens : for a .tiktoken file, which contains
    neither. For other formats they are an error.

    Returns the simplest record that holds it: BytePairModel, VocabularyModel or PieceModel. Raises MissingFile,
    UnusablePath, InvalidOption, UnreadableModel, UnsupportedModel.
    """
    name, path = locate(path, format)
    said = {
        key: value for key, value in (("pattern", pattern), ("special_tokens", special_tokens)) if value is not UNSET
    }
    made = FORMATS[name]
    if made.name == "gguf" and "pattern" in said:
        # The file has a name for its pattern, which may be unknown here.
        return made.read(path, **said)
    if said and made.says_pattern:
        raise UnsupportedModel(
            f"{path.name} is {made.title}, which contains its {' and '.join(said)}. "
            f"Leave the argument out, and change the record: record.replace({next(iter(said))}=...)"
        )
    return made.read(path, **said)


def write_model(record: Model, path: str | os.PathLike[str], format: str | None = None) -> Path:
    """Write a record to a file or folder in any format; return its path.

    Raises UnsupportedModel, with the reason, if the format cannot hold the record with the same ids; InvalidOption,
    UnusablePath.

    >>> import tempfile
    >>> path = write_model(BytePairModel([(97, 97)]), Path(tempfile.mkdtemp(), "mine.model"))
    >>> read_model(path).merges
    ((97, 97),)
    """
    return named(format or guess(path, record)).write(record, path)


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in data


def _by_name(path: Path) -> str | None:
    """Return the format that a file name suggests: "sentencepiece" for .model, which minbpe uses too."""
    name = path.name.lower()
    if name.endswith(".tiktoken"):
        return "tiktoken"
    if _PAIR_NAMES.match(name):
        return "gpt2"
    if name.endswith(".json"):
        return "tekken" if "tekken" in name else "huggingface"
    if name.endswith("vocab.txt"):
        return "wordpiece"
    if name.endswith(".gguf"):
        return "gguf"
    return "sentencepiece" if _MODEL_NAMES.match(name) else None


def _to_write(path: Path, record: Model) -> str:
    if path.name.lower().endswith(".tiktoken.json"):
        raise InvalidOption(f"{path.name} is the name of the second file of a .tiktoken file. Give {path.stem}.")
    if path.is_dir():
        return "gpt2"
    found = _by_name(path)
    if found == "sentencepiece" and not isinstance(record, PieceModel):
        return "minbpe"
    if found is None:
        raise InvalidOption(
            f"{path.name!r} does not say in which format to write. Say format=, or use a name like one of these: "
            f"{_examples()}."
        )
    return found


def _in_folder(path: Path, format: str | None) -> tuple[str, Path]:
    for name, files in _IN_FOLDERS:
        if format in (None, name) and all((path / file).is_file() for file in files):
            for file in files if format is None else ():
                _format_of(path / file)
            return name, path if name == "gpt2" else path / files[0]
    wanted = (
        FORMATS[format].title
        if format
        else "tokenizer.json, tekken.json, tokenizer.model, vocab.txt, or vocab.json and merges.txt"
    )
    there = sorted(each.name for each in path.iterdir())
    models = [name for name in there if _by_name(Path(name)) is not None]
    shown = f"it contains {', '.join(models[:6])}: name one of them" if models else "name the file"
    raise FolderGiven(f"{path} is a folder without {wanted}; {shown}.")


def _examples() -> str:
    return ", ".join(f"{made.example} ({name})" for name, made in FORMATS.items())
