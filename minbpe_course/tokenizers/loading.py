r"""Load any tokenizer from any file, and convert it to any format that can express it.

    load_tokenizer("tokenizer.json").encode("hello world")
    convert("tokenizer.json", "mine.tiktoken")
    convert("cl100k_base", "tokenizer.json")

A conversion keeps the ids of every text, or is refused with the reason. The new file is read and compared with the
original before it gets its name, so every file that exists has been verified.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from minbpe_course import vocabularies
from minbpe_course.engines.same_ids import as_vocabulary, merging_of, same_merging
from minbpe_course.errors import ExistingFile, InvalidOption, LeftOut, NotApplied, UnsupportedModel
from minbpe_course.files import write_whole
from minbpe_course.formats import any_format as opening
from minbpe_course.formats.any_format import UNSET, Model
from minbpe_course.formats.huggingface import transformers_folder
from minbpe_course.formats.huggingface.kept_parts import left_out, unapplied
from minbpe_course.formats.huggingface.piece_writing import probes
from minbpe_course.formats.sources import record_from
from minbpe_course.model import PieceModel, VocabularyModel
from minbpe_course.text.patterns import engine_of, scanner_for
from minbpe_course.tokenizers.encoding import Encoding
from minbpe_course.tokenizers.encoding_names import get_encoding
from minbpe_course.tokenizers.sentencepiece_tokenizer import SentencePieceTokenizer
from minbpe_course.tokenizers.text_tokenizer import TextTokenizer


def load_tokenizer(
    source: Any, *, format: str | None = None, pattern: Any = UNSET, special_tokens: Any = UNSET
) -> TextTokenizer:
    """Return a tokenizer that gives the ids of ``source``.

    source : the path of a file in any format (minbpe's or SentencePiece's ``.model``, ``.tiktoken``,
    ``tokenizer.json``, ``tekken.json``, a folder with ``vocab.json`` and ``merges.txt``), a name such as
    "cl100k_base", a record, or a tokenizer of another library · format : a name of ``formats.any_format.FORMATS``, to
    override the format that the file seems to have · pattern : a regular expression, the name of a known one, or None
    for no splitting; a ``.tiktoken`` file has no pattern unless it is published or this package wrote it ·
    special_tokens : text -> id. Both override those of the source; added tokens of a ``tokenizer.json`` that are not
    special stay.

    The result is a SentencePieceTokenizer for SentencePiece's models, and an Encoding for all others. A NotApplied
    warning says if a tokenizer.json asks for truncation or padding, since ``encode`` does neither.

    Raises UnusablePath (MissingFile and others), UnknownEncoding, InvalidOption, UnreadableModel (the file is something
    else, or damaged), UnsupportedModel, MissingPattern, UnusableTokenizer.

    >>> load_tokenizer("o200k_base").encode("hello world")
    [24912, 2375]
    >>> from minbpe_course import train
    >>> load_tokenizer(train("aaabdaaabac", 259, pattern=None)).encode("aaab")
    [258]
    """
    no_options = format is None and pattern is UNSET and special_tokens is UNSET
    if no_options and isinstance(source, str) and source in vocabularies.names():
        return get_encoding(source)
    record, name = record_from(source, format, pattern=pattern, special_tokens=special_tokens)
    if ignored := unapplied(record):
        warnings.warn(
            f"{name} asks for {' and '.join(ignored)}, which encode does not do: a text keeps all its ids and "
            "gets no others. Cut and pad in your program. (convert keeps the settings in a tokenizer.json.)",
            NotApplied,
            stacklevel=2,
        )
    if isinstance(record, PieceModel):
        return SentencePieceTokenizer(model=record)
    return Encoding.from_model(record, name)


class Conversion(NamedTuple):
    """What ``convert`` did.

    path : the file or folder · record, format : the written record and its format · files : all its files ·
    left_out : a sentence that names the parts of the source that the new file has no place for, or "".
    """

    path: Path
    record: Model
    format: str
    files: list[Path]
    left_out: str


def convert(
    src: Any,
    dst: str | os.PathLike[str],
    format: str | None = None,
    *,
    source_format: str | None = None,
    pattern: Any = UNSET,
    special_tokens: Any = UNSET,
    overwrite: bool = False,
    bos: str | None = None,
    eos: str | None = None,
    pad: str | None = None,
    chat_template: str | None = None,
) -> Path:
    """Write the tokenizer ``src`` to the file ``dst``, with the same ids for every text; return the path.

    src : anything that ``load_tokenizer`` takes · dst : a file, or a folder for GPT-2's two files or, with
    format="huggingface", for those of transformers · format : by default the name of ``dst`` decides (``.tiktoken``,
    ``tokenizer.json`` or any other ``.json``, ``tekken.json``, ``.model``, a folder) · source_format, pattern,
    special_tokens : as format, pattern, special_tokens of ``load_tokenizer`` · overwrite : whether existing files may
    be replaced · bos, eos, pad : for a folder of transformers, the special tokens that its ``bos_token`` and the others
    are · chat_template : for such a folder, the text of a template of Jinja.

    A tokenizer.json keeps everything that `tokenizers` reads from it, and a folder for transformers all files next to
    it. A LeftOut warning names what another format has no place for, if it changes no ids, such as a chat template,
    and special tokens that share an id, of which a tokenizer.json knows one (o200k_harmony has two).

    The new file is read and compared with the original before it replaces ``dst``; until then, and after an error,
    ``dst`` is untouched. Raises UnsupportedModel, with the reason, if the format cannot express the model with the same
    ids, ExistingFile if there is such a file already, InvalidSpecialToken for a role whose token the model lacks, and
    otherwise the errors of ``load_tokenizer``.

    >>> import tempfile
    >>> path = convert("gpt2", Path(tempfile.mkdtemp(), "mine.tiktoken"))
    >>> load_tokenizer(path).encode("hello world")
    [31373, 995]
    """
    given: dict[str, Any] = dict(source_format=source_format, pattern=pattern, special_tokens=special_tokens)
    given |= dict(overwrite=overwrite, bos=bos, eos=eos, pad=pad, chat_template=chat_template)
    done = converted(src, dst, format, **given)
    if done.left_out:
        warnings.warn(done.left_out, LeftOut, stacklevel=2)
    return done.path


def converted(
    src: Any,
    dst: str | os.PathLike[str],
    format: str | None,
    *,
    source_format: str | None,
    pattern: Any,
    special_tokens: Any,
    overwrite: bool,
    bos: str | None,
    eos: str | None,
    pad: str | None,
    chat_template: str | None,
) -> Conversion:
    """Do what ``convert`` does; return what was done, without a warning."""
    record = record_from(src, source_format, pattern=pattern, special_tokens=special_tokens).record
    path = Path(dst)
    made = opening.named(format or opening.guess(dst, record))
    record, doubled = without_doubles(record) if made.name == "huggingface" else (record, "")
    companions, belong = _companions(src, source_format)
    kept = companions if belong and made.for_transformers(path) else {}
    if special_tokens is not UNSET and not isinstance(record, PieceModel):
        transformers_folder.check_special_tokens(record, kept)
    given = {"bos_token": bos, "eos_token": eos, "pad_token": pad}
    roles = {role: text for role, text in given.items() if text is not None}
    if roles or chat_template is not None:
        if not made.for_transformers(path):
            raise InvalidOption(
                f"bos, eos, pad and chat_template are for a folder of transformers, and {path} is {made.title}. Name a "
                "folder, and the format 'huggingface'."
            )
        kept = transformers_folder.with_roles(kept, record, roles, chat_template)
    files = made.files(path, kept)
    existing = [file for file in files if _is_there(file, path)]
    if existing and not overwrite:
        raise ExistingFile(f"{existing[0]} exists already. Name another file, or overwrite it: overwrite=True")
    _write_proven(made, record, path, kept)
    lost = {name: data for name, data in companions.items() if name not in kept}
    told = " ".join(filter(None, (doubled, _left_out(made, record, lost, belong))))
    return Conversion(path, record, made.name, [file for file in files if file.is_file()], told)


def without_doubles(record: Model) -> tuple[Model, str]:
    """Return a record in which no two special tokens share an id, and a sentence about those that did.

    The one stays that the id decodes to: `tokenizers` knows one text for each id.
    """
    if isinstance(record, PieceModel):
        return record, ""
    kept = {token_id: text for text, token_id in record.special_tokens.items()}
    gone = {text: token_id for text, token_id in record.special_tokens.items() if kept[token_id] != text}
    if not gone:
        return record, ""
    said = ", ".join(f"{text} and {kept[token_id]} share the id {token_id}" for text, token_id in gone.items())
    texts = {text: token_id for text, token_id in record.special_tokens.items() if text not in gone}
    changes: dict[str, Any] = {"special_tokens": texts}
    if isinstance(record, VocabularyModel):
        changes["plain_tokens"] = record.plain_tokens - gone.keys()
        changes["special_flags"] = {text: flags for text, flags in record.special_flags.items() if text not in gone}
    known = ", ".join(kept[token_id] for token_id in gone.values())
    return record.replace(**changes), (
        f"{said}, and a tokenizer.json has one text for each id: it knows {known}, and {', '.join(gone)} is ordinary "
        "text there."
    )


def _write_proven(made: opening.Format, record: Model, path: Path, companions: Mapping[str, bytes]) -> None:
    """Write the record, once a file in another folder has been read again and compared with it."""
    with tempfile.TemporaryDirectory() as folder:
        tried = Path(folder, path.name)
        if path.is_dir():
            tried.mkdir(exist_ok=True)
        record, tried = _write_expressible(made, record, tried)
        if (part := difference(record, made.read(tried))) is not None:
            raise _refusal(made, record, f"read again, {part} would be another.")
        if list(Path(folder).rglob("*")) == [Path(folder, path.name)]:
            write_whole(path, tried.read_bytes())
            return
    # Write the verified model again: only the format knows which files belong together.
    made.write(record, path, companions)


def _is_there(file: Path, named: Path) -> bool:
    """Return whether there is something that would be replaced; the caller may name a device, which is written to."""
    return file.is_file() or (os.path.lexists(file) and (file != named or not file.exists()))


def _companions(src: Any, format: str | None) -> tuple[dict[str, bytes], bool]:
    """Return the files next to a tokenizer in a folder, or those that a tokenizer of transformers would write.

    Also return whether they belong to a tokenizer.json, so that a folder for transformers gets them.
    """
    if isinstance(src, (str, os.PathLike)):
        if format is None and src in vocabularies.names():
            return {}, False
        found, path = opening.locate(src, format)
        # The reader of GPT-2's files reads some of the others, whichever of the two is given.
        if not Path(src).is_dir() and not (found == "gpt2" and "-" not in path.name):
            return {}, False
        beside = Path(src) if Path(src).is_dir() else path.parent
        return transformers_folder.read_companions(beside), found == "huggingface"
    if hasattr(src, "backend_tokenizer") and hasattr(src, "save_pretrained"):
        with tempfile.TemporaryDirectory() as folder:
            src.save_pretrained(folder)
            return transformers_folder.read_companions(Path(folder)), True
    return {}, False


def _left_out(made: opening.Format, record: Model, companions: Mapping[str, bytes], belong: bool) -> str:
    """Say what of the source the new file has no place for. belong : as ``_companions`` says."""
    if isinstance(record, PieceModel):
        usual, parts = {}, []
    else:
        usual = transformers_folder.made_companions(record)
        parts = [] if made.name == "huggingface" else left_out(record)
        others = {} if made.name == "tekken" else getattr(record, "beyond", {}).get("others", {})
        parts += [f"{key} (of tekken.json)" for key in sorted(others)]
    told = {name: data for name, data in companions.items() if data != usual.get(name)}
    parts += transformers_folder.described(told)
    if not parts:
        return ""
    way_out = " A folder for transformers, of the format 'huggingface', keeps the files." if told and belong else ""
    return f"Every text keeps its ids, but {made.title} has no place for this: {'; '.join(parts)}.{way_out}"


def _write_expressible(made: opening.Format, record: Model, path: Path) -> tuple[Model, Path]:
    """Write the record, or one with the same ids that the format can express, such as merges instead of ranks.

    Return what was written, and where. Raises UnsupportedModel.
    """
    try:
        return record, made.write(record, path)
    except UnsupportedModel as problem:
        reason = made.why_not(record) or str(problem)
    if isinstance(record, VocabularyModel) and record.merges is None:
        found = merging_of(record)
        with_merges = record.replace(merges=found.merges, whole_words=found.whole)
        if made.why_not(with_merges) is None:
            return with_merges, made.write(with_merges, path)
    raise _refusal(made, record, reason)


def _refusal(made: opening.Format, record: Model, reason: str) -> UnsupportedModel:
    way_out = ""
    framed = isinstance(record, VocabularyModel) and any(record.frame)
    if framed and made.why_not(record.replace(frame=((), ()), pair_frame=None)) is None:
        ids = record.frame[0] + record.frame[1]
        way_out = (
            f"\nThe ids round a text are {list(ids)}; to leave them to your program: "
            "convert(read_model(src).replace(frame=((), ())), dst), with minbpe_course.formats.any_format.read_model"
        )
    return UnsupportedModel(f"{made.title} cannot hold this model with the same ids: {reason}{way_out}")


def difference(one: Model, other: Model) -> str | None:
    """Return the difference between two records that might give some text other ids, or None.

    >>> from minbpe_course.model import BytePairModel
    >>> difference(BytePairModel([(97, 97)]), BytePairModel([(97, 97)], pattern="gpt2"))
    'the split pattern'
    """
    if one == other:
        return None
    if isinstance(one, PieceModel) and isinstance(other, PieceModel) and other.pipeline is not None:
        return _other_ids(one, other)
    if isinstance(one, PieceModel) or isinstance(other, PieceModel):
        return "the list of pieces"
    try:
        one, other = as_vocabulary(one), as_vocabulary(other)
    except UnsupportedModel:
        # Only a BytePairModel can hold, for example, two tokens of the same bytes, and the other record does not.
        return "the list of merges"
    if not same_merging(one, other):
        return "how words become tokens"
    if _splitting(one) != _splitting(other):
        return "the split pattern"
    for part in (
        *("normalization", "split_steps", "prefix_space", "word_end"),
        *("special_tokens", "special_flags", "plain_tokens", "frame", "pair_frame", "decode_only"),
    ):
        if getattr(one, part) != getattr(other, part):
            return part.replace("_", " ")
    return None


def _other_ids(one: PieceModel, other: PieceModel) -> str | None:
    """Return the text of ``probes`` that has other ids in a tokenizer.json that was made from the model, or None."""
    texts = list(probes(one))
    given, made = (SentencePieceTokenizer(model=model).encode(texts) for model in (one, other))
    return next((f"the encoding of {text!r:.60}" for text, *ids in zip(texts, given, made) if ids[0] != ids[1]), None)


def _splitting(model: VocabularyModel) -> tuple[int | str | None, str]:
    """Return a key that is equal for patterns that split alike: those of one family with the same Unicode tables."""
    pattern = model.pattern or ""
    family = scanner_for(pattern)
    return (pattern if family is None else family), model.pattern_engine or engine_of(pattern)
