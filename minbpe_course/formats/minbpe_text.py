r"""minbpe's two text files: ``prefix.model`` to load again, ``prefix.vocab`` for people to read.

    minbpe v1                              minbpe_course v1
    the split pattern                      pattern "the split pattern"
    1                                      byte_order 2122232425...
    <|endoftext|> 258                      skipped_ids
    97 97                                  special_tokens 1
    256 98                                 "<|end of\ntext|>" 258
                                           merges 2
                                           97 97
                                           256 98

The left form is minbpe's, byte for byte, so minbpe reads our files and we read its files. ``write`` uses it if minbpe
would read back exactly this model. It cannot hold a pattern with line breaks or with white space at its ends, a special
token with white space, or shuffled bytes. Such a model gets the right form, with JSON strings, a count before each
list, and bytes in hexadecimal. ``read`` reads both. It keeps white space that minbpe's own reader would drop.

Limits: an empty pattern comes back as None. ``.vocab`` cannot be loaded: a token that is not valid UTF-8 shows as
U+FFFD there. A ``.model`` whose tokens have more bytes together than ``most_token_bytes`` says is refused.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from minbpe_course.errors import InvalidModel, InvalidSpecialToken, UnreadableModel, UnsupportedModel, UnusablePath
from minbpe_course.files import read_whole, write_files, write_whole
from minbpe_course.formats.json_text import unspellable, utf8_text
from minbpe_course.model import IDENTITY_BYTE_ORDER, BytePairModel, VocabularyModel
from minbpe_course.model.byte_pair import most_token_bytes
from minbpe_course.model.piece_rules import is_text

MINBPE_HEADER = "minbpe v1"
COURSE_HEADER = "minbpe_course v1"
_MERGE = "the two ids of a merge"

_NUMBER = re.compile(r"[0-9]{1,18}\Z")


def read(path: str | os.PathLike[str]) -> BytePairModel:
    """Return the model in a ``.model`` file of either form.

    Raises UnusablePath if there is no such file, and UnreadableModel, with the line and what was expected there, if the
    file is damaged or something else.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write(BytePairModel([(97, 97)], special_tokens={"<|end of text|>": 257}), folder / "small").name
    'small.model'
    >>> read(folder / "small.model").special_tokens["<|end of text|>"]
    257
    """
    path = Path(_path_text(path))
    lines = _Lines(path.name, _read(path))
    header = lines.next("a first line with the name of the form")
    if header not in (MINBPE_HEADER, COURSE_HEADER):
        lines.fail(f"{MINBPE_HEADER!r} or {COURSE_HEADER!r}")
    try:
        return _read_minbpe(lines) if header == MINBPE_HEADER else _read_course(lines)
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
        raise UnsupportedModel(f"minbpe's .model cannot hold this model: {reason}")
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
    return unspellable(model.pattern or "", *model.special_tokens)


def write_vocab(model: BytePairModel, path: str | os.PathLike[str]) -> Path:
    """Write only the list of tokens for people to read, to exactly ``path``. Raises UnusablePath."""
    return write_whole(_path_text(path), _vocab_text(model).encode("utf-8"))


# Writing


def _model_text(model: BytePairModel) -> str:
    merges = [f"{left} {right}" for left, right in model.pairs.tolist()]
    if _minbpe_can_hold(model):
        specials = [f"{text} {token_id}" for text, token_id in model.special_tokens.items()]
        lines = [MINBPE_HEADER, model.pattern or "", str(len(specials)), *specials, *merges]
    else:
        specials = [f"{_quoted(text)} {token_id}" for text, token_id in model.special_tokens.items()]
        lines = [
            COURSE_HEADER,
            f"pattern {_quoted(model.pattern or '')}",
            f"byte_order {model.byte_order.hex()}",
            " ".join(["skipped_ids", *map(str, model.skipped_ids)]),
            f"special_tokens {len(specials)}",
            *specials,
            f"merges {len(merges)}",
            *merges,
        ]
    return "\n".join(lines) + "\n"


def _minbpe_can_hold(model: BytePairModel) -> bool:
    pattern = model.pattern or ""
    texts = [pattern, *model.special_tokens]
    return (
        model.byte_order == IDENTITY_BYTE_ORDER
        and not model.skipped_ids
        # Its reader keeps one id per pair, strips every line, and splits special tokens from their ids at white space.
        and len(model.ranks) == len(model.pairs)
        and pattern == pattern.strip()
        and all(text.split() == [text] for text in model.special_tokens)
        and not any("\n" in text or "\r" in text for text in texts)
        and all(is_text(text) for text in texts)
    )


def _quoted(text: str) -> str:
    # A lone surrogate has no UTF-8 form; JSON can still spell it.
    return json.dumps(text, ensure_ascii=not is_text(text))


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


def _read_minbpe(lines: _Lines) -> BytePairModel:
    pattern = lines.next("the split pattern, which may be an empty line")
    wanted = "the number of special tokens (minbpe's form has no room for a pattern with line breaks)"
    count = lines.whole_number(lines.next(wanted), wanted)
    specials = _special_tokens(lines, count, quoted=False)
    pairs = _merges(lines, lines.rest(_MERGE), ())
    return BytePairModel(pairs, IDENTITY_BYTE_ORDER, pattern or None, specials)


def _read_course(lines: _Lines) -> BytePairModel:
    wanted = "pattern and a JSON string"
    pattern = _unquoted(lines, _field(lines, "pattern", wanted), wanted)
    wanted = "byte_order and 512 hexadecimal digits, each byte once"
    digits = _field(lines, "byte_order", wanted)
    if not re.fullmatch("[0-9a-f]{512}", digits) or len(set(bytes.fromhex(digits))) != 256:
        lines.fail(wanted)
    wanted = "skipped_ids and ascending ids above 255"
    numbers = _field(lines, "skipped_ids", wanted).split()
    skipped = [lines.whole_number(number, wanted) for number in numbers]
    if any(i < 256 for i in skipped) or skipped != sorted(set(skipped)):
        lines.fail(wanted)

    wanted = "special_tokens and how many"
    specials = _special_tokens(lines, lines.whole_number(_field(lines, "special_tokens", wanted), wanted), quoted=True)
    wanted = "merges and how many"
    count = lines.whole_number(_field(lines, "merges", wanted), wanted)
    pairs = _merges(lines, (lines.next(_MERGE) for _ in range(count)), tuple(skipped))
    for _ in lines.rest("the end of the file"):
        lines.fail("the end of the file")
    return BytePairModel(pairs, bytes.fromhex(digits), pattern or None, specials, skipped)


def _field(lines: _Lines, name: str, wanted: str) -> str:
    found, _, value = lines.next(wanted).partition(" ")
    if found != name:
        lines.fail(wanted)
    return value


def _unquoted(lines: _Lines, text: str, wanted: str) -> str:
    # json accepts other values too, and recurses into nested brackets: only let strings through.
    try:
        value = json.loads(text) if text.startswith('"') else None
    except ValueError:
        value = None
    if not isinstance(value, str):
        lines.fail(wanted)
    return value


def _special_tokens(lines: _Lines, count: int, *, quoted: bool) -> dict[str, int]:
    wanted = f"a special token{' as a JSON string' if quoted else ''}, a space and its id ({count} are announced)"
    specials: dict[str, int] = {}
    for _ in range(count):
        # In minbpe's form a token may contain spaces: the last space comes before the id.
        text, _, number = lines.next(wanted).rpartition(" ")
        token_id = lines.whole_number(number, wanted)
        text = _unquoted(lines, text, wanted) if quoted else text
        if not text:
            lines.fail(wanted)
        # Two texts may share an id (in o200k_harmony two do), one text cannot have two.
        if text in specials:
            lines.fail("a special token that no line before has")
        specials[text] = token_id
        lines.specials[text] = lines.number
    return specials


def _merges(lines: _Lines, texts: Iterator[str], skipped: tuple[int, ...]) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    lengths = dict.fromkeys(range(256), 1)
    total, new_id, holes = 256, 256, set(skipped)
    most = most_token_bytes(lines.count)
    for text in texts:
        while new_id in holes:
            new_id += 1
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
        new_id += 1
    return pairs
