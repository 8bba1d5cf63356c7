r"""minbpe's two text files: ``prefix.model`` to load again, ``prefix.vocab`` for people to read.

    minbpe v1
    the split pattern
    1                    how many special tokens follow
    <|endoftext|> 258
    97 97                the merge that makes 256
    256 98

A model that minbpe would not read back from its file is refused: shuffled bytes, merges that skip ids, a pattern with
line breaks or with white space at its ends, a special token with white space. ``read`` keeps white space that minbpe's
own reader would drop.

Limits: an empty pattern comes back as None. ``.vocab`` cannot be loaded: a token that is not valid UTF-8 shows as
U+FFFD there. A ``.model`` whose tokens have more bytes together than ``most_token_bytes`` says is refused.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from minbpe_course.errors import InvalidModel, InvalidSpecialToken, UnreadableModel, UnsupportedModel, UnusablePath
from minbpe_course.files import read_whole, write_files, write_whole
from minbpe_course.formats.json_text import utf8_text
from minbpe_course.model import IDENTITY_BYTE_ORDER, BytePairModel, VocabularyModel
from minbpe_course.model.byte_pair import most_token_bytes
from minbpe_course.model.piece_rules import is_text

_HEADER = "minbpe v1"
_MERGE = "the two ids of a merge"

_NUMBER = re.compile(r"[0-9]{1,18}\Z")


def read(path: str | os.PathLike[str]) -> BytePairModel:
    """Return the model in a ``.model`` file.

    Raises UnusablePath if there is no such file, and UnreadableModel, with the line and what was expected there, if the
    file is damaged or something else.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write(BytePairModel([(97, 97)], special_tokens={"<|endoftext|>": 257}), folder / "small").name
    'small.model'
    >>> read(folder / "small.model").special_tokens["<|endoftext|>"]
    257
    """
    path = Path(_path_text(path))
    lines = _Lines(path.name, _read(path))
    first = lines.next("a first line with the name of the form")
    if first == "minbpe_course v1":
        raise UnreadableModel(
            f"{path.name}: an earlier version of this package wrote this form, which minbpe cannot read either. With "
            "that version: convert(load_tokenizer('it.model'), 'tokenizer.json')"
        )
    if first != _HEADER:
        lines.fail(repr(_HEADER))
    try:
        return _read_lines(lines)
    except (InvalidModel, InvalidSpecialToken) as error:
        at = next((f", line {line}" for text, line in lines.specials.items() if repr(text) in str(error)), "")
        raise UnreadableModel(f"{lines.name}{at}: {error}") from error


def write(model: BytePairModel, prefix: str | os.PathLike[str]) -> Path:
    """Write ``prefix.model`` and ``prefix.vocab``; return the path of the first.

    Each file is written under another name and then renamed, the ``.model`` first. If the program is killed, both files
    are still complete. Raises UnusablePath, and UnsupportedModel for a text that the file cannot hold.
    """
    start = _path_text(prefix)
    reason = why_not(model)
    if reason is not None:
        raise UnsupportedModel(
            f"minbpe's .model cannot hold this model: {reason}\nWrite a tokenizer.json: convert(it, 'tokenizer.json')"
        )
    path, vocab = Path(start + ".model"), Path(start + ".vocab")
    write_whole(path, _model_text(model).encode("utf-8"))
    write_files(vocab.parent, {vocab.name: _vocab_text(model).encode("utf-8")})
    return path


def why_not(model: BytePairModel | VocabularyModel) -> str | None:
    """Return why a ``.model`` file cannot hold a model with the same ids, or None when it can.

    >>> why_not(BytePairModel([(97, 97)]))
    >>> why_not(VocabularyModel({byte: bytes([byte]) for byte in range(256)}))
    'its bytes do not have the ids 0 to 255 with one merge for each id after them.'
    """
    if not isinstance(model, BytePairModel):
        return "its bytes do not have the ids 0 to 255 with one merge for each id after them."
    if model.byte_order != IDENTITY_BYTE_ORDER:
        return "its bytes do not have the ids 0 to 255 in their order."
    if model.skipped_ids:
        return f"no merge makes its id {model.skipped_ids[0]}, and there every merge makes the next id."
    if len(model.ranks) < len(model.pairs):
        return "one of its pairs merges twice, and minbpe keeps one id for each pair."
    pattern = model.pattern or ""
    if pattern != pattern.strip() or "\n" in pattern or "\r" in pattern or not is_text(pattern):
        return "its split pattern has a line break, white space at an end, or a lone surrogate."
    for text in model.special_tokens:
        if text.split() != [text] or not is_text(text):
            return f"its special token {text!r:.60} has white space or a lone surrogate, which minbpe cannot read."
    return None


def write_vocab(model: BytePairModel, path: str | os.PathLike[str]) -> Path:
    """Write only the list of tokens for people to read, to exactly ``path``. Raises UnusablePath."""
    return write_whole(_path_text(path), _vocab_text(model).encode("utf-8"))


# Writing


def _model_text(model: BytePairModel) -> str:
    specials = [f"{text} {token_id}" for text, token_id in model.special_tokens.items()]
    merges = [f"{left} {right}" for left, right in model.pairs.tolist()]
    return "\n".join([_HEADER, model.pattern or "", str(len(specials)), *specials, *merges]) + "\n"


def _vocab_text(model: BytePairModel) -> str:
    shown = {token_id: _shown(token) for token_id, token in model.token_bytes.items()}
    lines = [f"[{shown[i]}] {i}" for i in range(256)]
    for new_id, (left, right) in zip(model.merge_ids, model.merges):
        lines.append(f"[{shown[left]}][{shown[right]}] -> [{shown[new_id]}] {new_id}")
    # One line per id, as in minbpe: of two texts with one id, the last.
    for token_id, text in {token_id: text for text, token_id in model.special_tokens.items()}.items():
        lines.append(f"[{_shown(text.encode('utf-8', 'replace'))}] {token_id}")
    return "\n".join(lines) + "\n"


def _shown(token: bytes) -> str:
    text = token.decode("utf-8", errors="replace")
    # Nearly every token is printable, and then nothing in it can be a control character.
    if text.isprintable():
        return text
    return "".join(f"\\u{ord(c):04x}" if unicodedata.category(c)[0] == "C" else c for c in text)


# Reading


class _Lines:
    """The lines of a file, read in order; errors name the current line."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.number = 0
        self.line = ""
        self.specials: dict[str, int] = {}  # special token -> its line
        # Only \n and \r\n end a line: a pattern may contain U+2028 and similar characters.
        self._lines = [line.removesuffix("\r") for line in text.split("\n")]
        self._whole = self._lines[-1] == ""
        if self._whole:
            self._lines.pop()
        self.count = len(self._lines)

    def next(self, wanted: str) -> str:
        if self.number == len(self._lines):
            raise UnreadableModel(
                f"{self.name}: the file ends after line {self.number}, where {wanted} should follow. "
                "Is it a complete copy?"
            )
        self.line = self._lines[self.number]
        self.number += 1
        if self.number == len(self._lines) and not self._whole:
            self.fail("a line break at its end (is it a complete copy?)")
        return self.line

    def rest(self, wanted: str) -> Iterator[str]:
        while self.number < len(self._lines):
            yield self.next(wanted)

    def fail(self, wanted: str) -> NoReturn:
        seen = self.line if len(self.line) <= 60 else self.line[:60] + "..."
        raise UnreadableModel(f"{self.name}, line {self.number}, is {seen!r}: expected {wanted}.")

    def whole_number(self, text: str, wanted: str) -> int:
        if not _NUMBER.match(text):
            self.fail(wanted)
        return int(text)


def _read(path: Path) -> str:
    try:
        data = read_whole(path)
    except ValueError as error:
        raise UnusablePath(f"cannot read {str(path)!r}: {error}.") from error
    hint = " Is this a .model file of minbpe? (SentencePiece's are binary; SentencePieceTokenizer reads those.)"
    return utf8_text(data, path.name, hint)


def _path_text(path: str | os.PathLike[str]) -> str:
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise UnusablePath(f"a file is named by str or pathlib.Path, got {path!r}.")
    if "\0" in text:
        raise UnusablePath(f"a file name cannot hold a NUL character, got {text!r}.")
    return text


def _read_lines(lines: _Lines) -> BytePairModel:
    pattern = lines.next("the split pattern, which may be an empty line")
    wanted = "the number of special tokens (a pattern cannot contain line breaks)"
    count = lines.whole_number(lines.next(wanted), wanted)
    specials = _special_tokens(lines, count)
    pairs = _merges(lines)
    return BytePairModel(pairs, IDENTITY_BYTE_ORDER, pattern or None, specials)


def _special_tokens(lines: _Lines, count: int) -> dict[str, int]:
    wanted = f"a special token, a space and its id ({count} are announced)"
    specials: dict[str, int] = {}
    for _ in range(count):
        # A token may contain spaces: the last one comes before the id.
        text, _, number = lines.next(wanted).rpartition(" ")
        token_id = lines.whole_number(number, wanted)
        if not text:
            lines.fail(wanted)
        # Two texts may share an id (in o200k_harmony two do), one text cannot have two.
        if text in specials:
            lines.fail("a special token that no line before has")
        specials[text] = token_id
        lines.specials[text] = lines.number
    return specials


def _merges(lines: _Lines) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    lengths = dict.fromkeys(range(256), 1)
    total = 256
    most = most_token_bytes(lines.count)
    for new_id, text in enumerate(lines.rest(_MERGE), 256):
        left, space, right = text.partition(" ")
        if not space:
            lines.fail(_MERGE)
        pair = lines.whole_number(left, _MERGE), lines.whole_number(right, _MERGE)
        if pair[0] not in lengths or pair[1] not in lengths:
            lines.fail(f"two ids that exist before {new_id}, the one that this merge makes")
        lengths[new_id] = lengths[pair[0]] + lengths[pair[1]]
        total += lengths[new_id]
        if total > most:
            lines.fail(f"merges whose tokens have {most:,} bytes or fewer together")
        pairs.append(pair)
    return pairs
