r"""GPT-2's two files: which token has which id, and which pairs merge, in order.

    vocab.json    {"!": 0, "\"": 1, ..., "\u0120t": 256, ..., "<|endoftext|>": 50256}
    merges.txt    #version: 0.2
                  \u0120 t
                  \u0120 a                                     the first merge is preferred

Tokens are spelled with one printable character a byte (``text.byte_alphabet``). The release calls the files
``encoder.json`` and ``vocab.bpe``; `tokenizers` also saves ``NAME-vocab.json`` and ``NAME-merges.txt``. A path may be
the folder or either file. The files written here have the bytes of the published ones when the model is GPT-2's.

Readers differ. OpenAI's and transformers' drop the first line of the merges, even if it is not a header, and the text
after the last line break. `tokenizers` drops every line that begins with "#version", and keeps 32 bits of an id. All of
them read the files written here alike. A file on which they would disagree is refused, with the place.

The two files do not contain the split pattern: readers use GPT-2's. Nor do they mark special tokens: GPT-2's rule is
that a token of several characters that no merge makes is special. Other special tokens go into
``tokenizer_config.json`` (``gpt2_config``). A model that other readers would read differently is refused.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple

from minbpe_course.engines.as_byte_pairs import simplest
from minbpe_course.engines.same_ids import as_vocabulary, merging_of
from minbpe_course.errors import (
    FolderGiven,
    InvalidModel,
    InvalidSpecialToken,
    InvalidText,
    MissingFile,
    UnreadableModel,
    UnsupportedModel,
    UnusablePath,
)
from minbpe_course.files import read_whole, remove_file, write_files
from minbpe_course.formats import gpt2_config
from minbpe_course.formats.gpt2_config import Config
from minbpe_course.formats.huggingface_json import from_json
from minbpe_course.formats.json_text import Value, is_id, parse, shown, utf8_text
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel
from minbpe_course.model.piece_rules import is_text
from minbpe_course.text.byte_alphabet import from_printable, printable_bytes, to_printable
from minbpe_course.text.patterns import GPT2_FAMILY, R50K_PATTERN, engine_of, scanner_for

Model = BytePairModel | VocabularyModel

WORD_END = "</w>"
_CLIP_WORDS = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
HEADER = "#version: 0.2"
_NAMES = (("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"))


def read(path: str | os.PathLike[str]) -> Model | PieceModel:
    """Return the model in the two files; ``path`` is their folder, or one of them.

    It is a BytePairModel where the bytes have the ids 0 to 255 and each merge makes the next id, else a
    VocabularyModel. GPT-1's files, whose tokens are text and end words with ``</w>``, give a PieceModel, and CLIP's a
    VocabularyModel. Raises UnusablePath (MissingFile, FolderGiven), UnreadableModel with the line or the path in the
    JSON, UnsupportedModel for what transformers does there that this course does not.

    >>> import tempfile
    >>> path = write(BytePairModel([(97, 97)], pattern=R50K_PATTERN), tempfile.mkdtemp())
    >>> path.name, read(path).merges, read(path.parent).pattern == R50K_PATTERN
    ('vocab.json', ((97, 97),), True)
    """
    there = _there(path)
    files = _present(there, there.names)
    for name in (there.vocab, there.merges):
        if name not in files:
            raise MissingFile(
                f"there is no {name} in {there.folder}. GPT-2's model is two files: "
                f"{there.vocab} and {there.merges}. Copy both."
            )
    return from_files(files)


def write(model: Model, path: str | os.PathLike[str]) -> Path:
    """Write the two files, and ``tokenizer_config.json`` if they are not enough; return the path of the first.

    ``path`` is a folder (created if its parent exists) or the name of one of the files. Each file is replaced once it
    is complete. Raises UnsupportedModel with the reason, UnusablePath.
    """
    there = _there(path, writing=True)
    files = to_files(model, there)
    if any(each.name in there.config_names for each in there.folder.glob("*") if there.folder.is_dir()):
        _refuse_foreign_config(there)
    if not there.folder.exists() and there.folder == Path(path):
        try:
            there.folder.mkdir()
        except OSError as error:
            raise MissingFile(f"cannot make the folder {there.folder}: {error.strerror}.") from error
    # Delete old configs first and write the new one last: after a crash in between, the reader notices the gap.
    for name in there.config_names:
        remove_file(there.folder / name)
    write_files(
        there.folder, {name: files[name] for name in (there.merges, there.vocab, *there.config_names) if name in files}
    )
    return there.folder / there.vocab


def _present(there: Names, names: Iterable[str]) -> dict[str, bytes]:
    """Return name -> content of those files that exist."""
    files = {}
    for name in names:
        with contextlib.suppress(MissingFile):
            files[name] = read_whole(there.folder / name)
    return files


def files(path: str | os.PathLike[str]) -> list[Path]:
    """Return every file that ``write`` may write or remove. Raises UnusablePath."""
    there = _there(path, writing=True)
    return [there.folder / name for name in there.names]


def why_not(model: Model) -> str | None:
    """Return why others would not get the same ids from these two files, or None when they would.

    >>> why_not(BytePairModel([(97, 97)], pattern=r"\\w+|\\W+"))
    "readers of these files split text with GPT-2's pattern, and this model has another."
    """
    try:
        _held(model)
    except UnsupportedModel as error:
        return str(error)
    return None


class Names(NamedTuple):
    """Where the files of one model are, and what they are called."""

    folder: Path
    vocab: str = "vocab.json"
    merges: str = "merges.txt"

    @property
    def config_names(self) -> tuple[str, ...]:
        """The names of the config files."""
        start = self.vocab.removesuffix("vocab.json") if self.vocab.endswith("vocab.json") else ""
        return tuple(start + name for name in gpt2_config.NAMES)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all files."""
        return (self.vocab, self.merges, *self.config_names)


def _there(path: str | os.PathLike[str], writing: bool = False) -> Names:
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str) or "\0" in os.fspath(path):
        raise UnusablePath(f"a folder or file is named by str or pathlib.Path, got {path!r}.")
    path = Path(path)
    for vocab, merges in _NAMES:
        if not path.is_dir() and path.name in (vocab, merges):
            return Names(path.parent, vocab, merges)
    for end in ("-vocab.json", "-merges.txt"):
        if not path.is_dir() and path.name.endswith(end):
            start = path.name.removesuffix(end)
            return Names(path.parent, f"{start}-vocab.json", f"{start}-merges.txt")
    if path.is_dir() and not writing:
        return _in_folder(path)
    if path.is_dir() or (writing and not path.suffix):
        return Names(path)
    if not path.exists() and not writing:
        raise MissingFile(f"there is no {path}.")
    raise UnusablePath(
        f"{path.name} is not a name of GPT-2's files. Give a folder, or vocab.json, merges.txt, encoder.json, "
        "vocab.bpe, NAME-vocab.json or NAME-merges.txt."
    )


def _in_folder(folder: Path) -> Names:
    for vocab, merges in _NAMES:
        if (folder / vocab).exists() or (folder / merges).exists():
            return Names(folder, vocab, merges)
    starts = sorted(each.name.removesuffix("-vocab.json") for each in folder.glob("*-vocab.json"))
    if len(starts) == 1:
        return Names(folder, f"{starts[0]}-vocab.json", f"{starts[0]}-merges.txt")
    if starts:
        raise FolderGiven(f"{folder} holds several models; name one file, for example {folder / starts[0]}-vocab.json.")
    raise FolderGiven(
        f"{folder} is a folder without vocab.json and merges.txt, and without encoder.json and vocab.bpe."
    )


def _refuse_foreign_config(there: Names) -> None:
    """Refuse to write next to config files of another program, which would be read together with the new files."""
    for name, data in _present(there, there.config_names).items():
        if not gpt2_config.is_ours(data):
            raise UnusablePath(
                f"{there.folder / name} was written by another program for another model, and would be read together "
                "with the new files. Write to an empty folder, or move it away."
            )


# ---- Reading


def is_two_tokens(text: str, table: Mapping[str, int], sizes: Set[int]) -> bool:
    """Tell whether two tokens of a table spell a text. Then it may be an ordinary token whose merge was lost.

    sizes : the lengths of the tokens, which are few even where a token is long.
    """
    cuts = (at for at in sizes if len(text) - at in sizes)
    return any(text[:at] in table and text[at:] in table for at in cuts)


def from_files(files: Mapping[str, bytes]) -> Model | PieceModel:
    """Return the model in files (name -> content) that were written here or by another program.

    Raises UnreadableModel, UnsupportedModel.

    >>> table = {character: byte for byte, character in printable_bytes().items()} | {"aa": 256}
    >>> from_files({"vocab.json": gpt2_config.compact(table), "merges.txt": b"a a\\n"}).merges
    ((97, 97),)
    """
    name = next(each for each in files if each.endswith(("vocab.json", "encoder.json")))
    merges_name = next(each for each in files if each.endswith(("merges.txt", "vocab.bpe")))
    vocab = _vocabulary(files[name], name)
    if WORD_END in "".join(list(vocab.value)[:4096]):
        return _with_word_ends(vocab, utf8_text(files[merges_name], merges_name))
    merges = _merge_lines(files[merges_name], merges_name, vocab)
    others = {each: data for each, data in files.items() if each not in (name, merges_name)}
    config = gpt2_config.read(others, vocab.value)
    try:
        return _record(vocab, merges_name, merges, config)
    except (InvalidModel, InvalidSpecialToken) as error:
        raise UnreadableModel(f"{name} and {merges_name}: {error}") from error


def _with_word_ends(vocab: Value, merges: str) -> Model | PieceModel:
    """Return the model of GPT-1's or CLIP's files, as transformers converts them to a tokenizer.json."""
    table = vocab.value
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    if all(character + WORD_END in table for character in printable_bytes().values()):
        names = [text for text in ("<|startoftext|>", "<|endoftext|>") if text in table]
        space = {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}
        steps = [{"type": "NFC"}, space, {"type": "Lowercase"}]
        words = {"type": "Split", "pattern": {"Regex": _CLIP_WORDS}, "behavior": "Removed", "invert": True}
        document: dict[str, Any] = {
            "normalizer": {"type": "Sequence", "normalizers": steps},
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [words, byte_level]},
            "decoder": byte_level,
        }
        if len(names) == 2:
            around = {"cls": [names[0], table[names[0]]], "sep": [names[1], table[names[1]]]}
            spaces = {"trim_offsets": False, "add_prefix_space": False}
            document["post_processor"] = {"type": "RobertaProcessing", **around, **spaces}
    else:
        names = [text for text in ("<unk>",) if text in table]
        bert = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
        document = {
            "normalizer": {"type": "BertNormalizer", **bert},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "decoder": {"type": "BPEDecoder", "suffix": WORD_END},
        }
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    document["added_tokens"] = [{"id": table[text], "content": text, **flags, "special": True} for text in names]
    lines = [line for line in merges.splitlines() if line and not line.startswith("#version")]
    marks = {"unk_token": names[-1] if names else None, "end_of_word_suffix": WORD_END}
    document["model"] = {"type": "BPE", **marks, "vocab": table, "merges": lines}
    return from_json(json.dumps(document), vocab.name)


def _vocabulary(data: bytes, name: str) -> Value:
    """Return the checked content of vocab.json: spelling -> id."""
    document = Value(parse(data, name), "$", name)
    seen: dict[int, str] = {}
    for key, token_id in document.an_object().items():
        if not is_id(token_id):
            document.get(key).token_id()
        if not is_text(key):
            document.get(key).wrong("a token cannot hold a lone surrogate.")
        if seen.setdefault(token_id, key) != key:
            document.get(key).wrong(
                f"the id {token_id} is also that of {shown(seen[token_id])}. Give each token an id of its own."
            )
    return document


def _merge_lines(data: bytes, name: str, vocab: Value) -> list[tuple[int, int, int]]:
    """Return (left id, right id, made id) of every line but the header."""
    lines = utf8_text(data, name).split("\n")
    if lines.pop():
        raise UnreadableModel(
            f"{name}, line {len(lines) + 1}: expected a line break at its end. Is it a complete copy? (OpenAI's and "
            "transformers' readers drop the text after the last line break.)"
        )
    table = vocab.value
    merges = []
    for number, line in enumerate(lines, 1):
        if line.startswith("#version"):
            if number == 1:
                continue
            raise UnreadableModel(
                f"{name}, line {number}, is {line[:60]!r}: a header may only be line 1. Some readers drop this line, "
                "others read it as a merge."
            )
        parts = line.removesuffix("\r").split(" ")
        if len(parts) != 2:
            raise UnreadableModel(
                f"{name}, line {number}, is {line[:60]!r}: expected two tokens and one space between."
            )
        left, right = parts
        try:
            merges.append((table[left], table[right], table[left + right]))
        except KeyError as error:
            raise UnreadableModel(
                f"{name}, line {number}, is {line[:60]!r}: {shown(error.args[0])} is not a token of {vocab.name}. "
                "Do the two files belong together?"
            ) from None
    return merges


def _record(vocab: Value, merges_name: str, merges: list[tuple[int, int, int]], config: Config) -> Model:
    table = vocab.value
    tokens: dict[int, bytes] = {}
    specials: dict[str, int] = {}
    made = {token_id for *_, token_id in merges}
    used = made.union(token_id for left, right, _ in merges for token_id in (left, right))
    sizes = {len(key) for key in table if key}
    for key, token_id in table.items():
        if not key:
            # Whisper's files have one; no text becomes it.
            tokens[token_id] = b""
            continue
        try:
            token: bytes | None = from_printable(key)
        except InvalidText:
            token = None
        if token is not None and len(token) == 1:
            tokens[token_id] = token
            continue
        if token_id in used and token is None:
            raise UnsupportedModel(
                f"{merges_name} merges {shown(key)}, which is not spelled in GPT-2's printable bytes: this is BPE over "
                "characters, not over bytes."
            )
        if token_id not in used and config.special_tokens.get(key) == token_id:
            continue
        if token_id not in made and is_two_tokens(key, table, sizes):
            vocab.get(key).wrong(
                f"no line of {merges_name} makes this token (id {token_id}), though two others together spell it. Is "
                f"{merges_name} a complete copy? If this is a special token, list it in added_tokens.json: "
                f"{{{shown(key)}: {token_id}}}"
            )
        if token is not None and token_id in used:
            tokens[token_id] = token
        else:
            specials[key] = token_id
    missing = sorted(set(range(256)) - {token[0] for token in tokens.values() if len(token) == 1})
    if missing:
        raise UnsupportedModel(
            f"{vocab.name}: no token for the byte {missing[0]:#04x} ({shown(printable_bytes()[missing[0]])})"
            f"{f' and {len(missing) - 1} more' if missing[1:] else ''}. Other readers drop such bytes from a text."
        )
    _check_names(config.special_tokens, config.places, table, tokens)
    return simplest(
        VocabularyModel(
            tokens,
            merges,
            whole_words=False,
            pattern=config.pattern,
            normalization=config.normalization,
            special_tokens=dict(sorted({**specials, **config.special_tokens}.items(), key=lambda item: item[1])),
            plain_tokens=config.plain_tokens,
        )
    )


def _check_names(
    names: Mapping[str, int], places: Mapping[str, str], table: Mapping[str, int], tokens: Mapping[int, bytes]
) -> None:
    """Refuse a special token of the config whose id vocab.json gives to another token."""
    keys = {token_id: key for key, token_id in table.items()}
    for text, token_id in names.items():
        token = tokens.get(token_id)
        other = token is not None and token != text.encode("utf-8", "surrogatepass")
        if other or (token is None and token_id in keys and names.get(keys[token_id]) != token_id):
            raise UnreadableModel(
                f"{places[text]}: the special token {shown(text)} cannot have the id {token_id}, which is that of "
                f"{shown(keys[token_id])} in vocab.json."
            )


# ---- Writing


def to_files(model: Model, there: Names | None = None) -> dict[str, bytes]:
    """Return name -> content of the files that ``write`` would write. Raises UnsupportedModel.

    >>> files = to_files(BytePairModel([(97, 98)], pattern=R50K_PATTERN))
    >>> list(files), files["merges.txt"]
    (['vocab.json', 'merges.txt'], b'#version: 0.2\\na b\\n')
    """
    there = there or Names(Path())
    try:
        vocabulary = _held(model)
    except UnsupportedModel as error:
        raise UnsupportedModel(f"GPT-2's two files cannot hold this model: {error}") from error
    spelled = {token_id: to_printable(token) for token_id, token in model.token_bytes.items()}
    taken = set(spelled.values())
    vocab = dict(spelled)
    for text, token_id in model.special_tokens.items():
        if text not in taken:
            vocab.setdefault(token_id, text)
    table = {key: token_id for token_id, key in sorted(vocab.items())}
    lines = [HEADER, *(f"{spelled[left]} {spelled[right]}" for left, right, _ in vocabulary.merges or ())]
    files = {there.vocab: gpt2_config.compact(table), there.merges: ("\n".join(lines) + "\n").encode("utf-8")}
    specials, sizes = vocabulary.special_tokens, set(map(len, table))
    if vocabulary.plain_tokens or any(
        token_id in spelled or is_two_tokens(text, table, sizes) for text, token_id in specials.items()
    ):
        files[there.config_names[0]] = gpt2_config.written(specials, vocabulary.plain_tokens)
    return files


def _held(model: Model) -> VocabularyModel:
    """Return the model as a vocabulary that all three files can hold. Raises UnsupportedModel with the reason."""
    vocabulary = as_vocabulary(model)
    if (reason := _why_not_held(vocabulary)) is not None:
        raise UnsupportedModel(reason)
    return vocabulary


def _why_not_held(model: VocabularyModel) -> str | None:
    if model.only_in_huggingface is not None:
        return f"{model.only_in_huggingface}, which readers of these files do not support."
    if model.merges is None:
        return (
            "it has no list of merges: neighbours merge when they are a token together, lowest id first. "
            "engines.as_byte_pairs.simplest(model) finds equal merges, if there are any."
        )
    if model.whole_words and len(unmade := merging_of(model).unmade):
        token_id = int(unmade[0])
        return (
            "it takes a word that is a token whole, and no merges lead to the token "
            f"{model.token_bytes[token_id]!r:.60} (id {token_id}); readers of these files only merge."
        )
    if model.normalization is not None:
        return f"it normalizes text to {model.normalization} first, which readers of these files do not."
    if any(model.frame):
        return "it adds tokens around every text, which readers of these files do not."
    if b"" in model.ranks:
        return f"its token {model.ranks[b'']} has no bytes, and these files cannot contain an empty token."
    if model.pattern is None or scanner_for(model.pattern) != GPT2_FAMILY:
        which = "none" if model.pattern is None else "another"
        return f"readers of these files split text with GPT-2's pattern, and this model has {which}."
    if (engine := model.pattern_engine or engine_of(model.pattern)) != engine_of(R50K_PATTERN):
        return f"its pattern uses the Unicode tables of {engine}, which readers of these files do not."
    made = {token_id for *_, token_id in model.merges}
    for token_id, token in model.token_bytes.items():
        if len(token) > 1 and token_id not in made:
            return f"no merge makes its token {token!r:.60} (id {token_id}), which readers take for a special one."
    keys = {to_printable(token): token_id for token_id, token in model.token_bytes.items()}
    names: dict[int, str] = {}
    for text, token_id in model.special_tokens.items():
        if not is_text(text):
            return f"the special token {text!r} holds a lone surrogate, which no other reader accepts."
        if keys.get(text, token_id) != token_id:
            return f"the special token {text!r} is spelled like the token {keys[text]}; other readers use that id."
        if names.setdefault(token_id, text) != text:
            return f"the special tokens {names[token_id]!r} and {text!r} share an id; other readers know only one."
    for left, right, _ in model.merges:
        if model.token_bytes[left].startswith(b"#version"):
            line = f"{to_printable(model.token_bytes[left])} {to_printable(model.token_bytes[right])}"
            return f"the line {line!r:.60} of merges.txt would be taken for its header, and the merge would be lost."
    return None
