"""Reading GPT-2's two files, and what stands beside them: from bytes to a record.

Each reader of others was asked what it does with an odd file (OpenAI's encoder.py, transformers, `tokenizers`). Where
they agree, so does this one; where they differ, or lose something without a word, the file is refused and the place
named.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from minbpe_course.errors import InvalidModel, InvalidSpecialToken, UnreadableModel, UnsupportedModel
from minbpe_course.formats import gpt2_config_files as gpt2_beside
from minbpe_course.formats.gpt2_config_files import Beside
from minbpe_course.formats.json_text import parse, place, shown
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.text.byte_alphabet import printable_bytes

Model = BytePairModel | VocabularyModel

MOST_IDS = 1 << 32


def in_two(text: str, table: Mapping[str, int]) -> bool:
    """Tell whether a text is two tokens of a table: then it may be one whose merge was lost.

    >>> in_two("ab", {"a": 0, "b": 1}), in_two("<|endoftext|>", {"<": 0})
    (True, False)
    """
    return any(text[:at] in table and text[at:] in table for at in range(1, len(text)))


def has_utf8(text: str) -> bool:
    """Tell whether a text holds no lone surrogate.

    >>> has_utf8("a"), has_utf8(chr(0xD800))
    (True, False)
    """
    return not any("\ud800" <= character <= "\udfff" for character in text)


def from_files(files: Mapping[str, bytes]) -> Model:
    """Return the model in files (name -> content) that were written here or by another program.

    Raises UnreadableModel, UnsupportedModel.

    >>> table = {character: byte for byte, character in printable_bytes().items()} | {"aa": 256}
    >>> from_files({"vocab.json": gpt2_beside.compact(table), "merges.txt": b"a a\\n"}).merges
    ((97, 97),)
    """
    name = next(each for each in files if each.endswith(("vocab.json", "encoder.json")))
    merges_name = next(each for each in files if each.endswith(("merges.txt", "vocab.bpe")))
    table = _table(files[name], name)
    merges = _merge_lines(files[merges_name], merges_name, table, name)
    others = {each: data for each, data in files.items() if each not in (name, merges_name)}
    beside = gpt2_beside.read(others, table, merges)
    try:
        return _record(table, merges, beside, name, merges_name)
    except (InvalidModel, InvalidSpecialToken) as error:
        raise UnreadableModel(f"{name} and {merges_name}: {error}") from error


def _table(data: bytes, name: str) -> dict[str, int]:
    """spelled -> id, as vocab.json has it."""
    table = parse(data, name)
    if not isinstance(table, dict):
        raise UnreadableModel(f"{name}, $: expected an object with tokens and their ids, found {shown(table)}.")
    for key, token_id in table.items():
        if type(token_id) is not int or not 0 <= token_id < MOST_IDS:
            raise UnreadableModel(
                f"{name}, {place(key)}: expected an id, a whole number from 0 to 2**32 - 1, found {shown(token_id)}."
            )
        if not key or not has_utf8(key):
            raise UnreadableModel(f"{name}, {place(key)}: a token cannot be empty or hold a lone surrogate.")
    if len(set(table.values())) < len(table):
        keys: dict[int, str] = {}
        for key, token_id in table.items():
            if keys.setdefault(token_id, key) != key:
                raise UnreadableModel(
                    f"{name}, {place(key)}: the id {token_id} is also that of {shown(keys[token_id])}; which of them "
                    "it stands for, nobody could say."
                )
    return table


def _merge_lines(data: bytes, name: str, table: Mapping[str, int], vocab: str) -> list[tuple[int, int, int]]:
    """(left id, right id, made id) of every line but the header."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise UnreadableModel(
            f"{name}, line {number}: expected UTF-8 text, found the byte {data[error.start]:#04x} "
            f"at offset {error.start}."
        ) from None
    lines = text.split("\n")
    if lines.pop():
        raise UnreadableModel(
            f"{name}, line {len(lines) + 1}: expected a line break after it. Is it a whole copy? (OpenAI's and "
            "transformers' readers drop what stands behind the last line break.)"
        )
    merges = []
    for number, line in enumerate(lines, 1):
        if line.startswith("#version"):
            if number == 1:
                continue
            raise UnreadableModel(
                f"{name}, line {number}, is {line[:60]!r}: a header belongs into line 1. Some readers drop this line, "
                "others take it for a merge."
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
                f"{name}, line {number}, is {line[:60]!r}: {shown(error.args[0])} is no token of {vocab}. "
                "Do the two files belong together?"
            ) from None
    return merges


_BYTES = {ord(character): byte for byte, character in printable_bytes().items()}
# Of the characters up to U+00FF, those that spell nothing become one that Latin-1 does not have.
_UNSPELL = {point: _BYTES.get(point, 0xFFFF) for point in range(256)} | _BYTES


def _unspelled(key: str) -> bytes | None:
    """The bytes that a key spells, or None when it holds a character that spells none."""
    try:
        return key.translate(_UNSPELL).encode("latin-1")
    except UnicodeEncodeError:
        return None


def _record(
    table: Mapping[str, int], merges: list[tuple[int, int, int]], beside: Beside, name: str, merges_name: str
) -> Model:
    tokens: dict[int, bytes] = {}
    specials: dict[str, int] = {}
    made = {token_id for *_, token_id in merges}
    joined = {token_id for left, right, _ in merges for token_id in (left, right)}
    for key, token_id in table.items():
        token = _unspelled(key)
        ordinary = token_id in made or token_id in joined or token_id in beside.unmerged
        if token is not None and (len(token) == 1 or ordinary):
            _must_be_made(key, token_id, token, made, beside, table, name, merges_name)
            tokens[token_id] = token
        elif ordinary:
            raise UnsupportedModel(
                f"{merges_name} merges {shown(key)}, which is not spelled in GPT-2's printable bytes: this is BPE over "
                "characters, not over bytes."
            )
        elif beside.special_tokens.get(token_id) != key:
            _must_be_made(key, token_id, token, made, beside, table, name, merges_name)
            specials[key] = token_id
    missing = sorted(set(range(256)) - {token[0] for token in tokens.values() if len(token) == 1})
    if missing:
        raise UnsupportedModel(
            f"{name}: no token for the byte {missing[0]:#04x} ({shown(printable_bytes()[missing[0]])})"
            f"{f' and {len(missing) - 1} more' if missing[1:] else ''}. Other readers drop such bytes from a text."
        )
    names = dict(beside.other_names) | {text: token_id for token_id, text in beside.special_tokens.items()}
    specials = {text: token_id for text, token_id in specials.items() if text not in names} | names
    _must_be_known(names, beside.places, table, tokens)
    return _simplest(tokens, merges, dict(sorted(specials.items(), key=lambda item: item[1])), beside)


def _must_be_made(
    key: str,
    token_id: int,
    token: bytes | None,
    made: set[int],
    beside: Beside,
    table: Mapping[str, int],
    name: str,
    merges_name: str,
) -> None:
    """A token of which only the merge is missing is one that a merges.txt cut short has lost."""
    if token_id in made or token_id in beside.unmerged or (token is not None and len(token) == 1):
        return
    if in_two(key, table):
        raise UnreadableModel(
            f"{name}, {place(key)}: no line of {merges_name} makes this token (id {token_id}), though two others "
            f"together spell it. Is {merges_name} a whole copy? If this is a special token, say so in "
            f"added_tokens.json: {{{shown(key)}: {token_id}}}"
        )


def _must_be_known(
    names: Mapping[str, int], places: Mapping[str, str], table: Mapping[str, int], tokens: Mapping[int, bytes]
) -> None:
    """A special token named beside may have the id of a key that is its text, and of no other."""
    keys = {token_id: key for key, token_id in table.items()}
    for text, token_id in names.items():
        token = tokens.get(token_id)
        other = token is not None and token != text.encode("utf-8", "surrogatepass")
        if other or (token is None and token_id in keys and names.get(keys[token_id]) != token_id):
            raise UnreadableModel(
                f"{places[text]}: the special token {shown(text)} cannot have the id {token_id}, which is that of "
                f"{shown(keys[token_id])} in vocab.json."
            )


def _simplest(
    tokens: dict[int, bytes], merges: list[tuple[int, int, int]], specials: dict[str, int], beside: Beside
) -> Model:
    """A BytePairModel where the files say one, else a VocabularyModel."""
    order = bytes(tokens[at][0] for at in range(256) if at in tokens and len(tokens[at]) == 1)
    ids = [made for *_, made in merges]
    free = set(specials.values())
    holes = frozenset(beside.skipped_ids) if beside.skipped_ids is not None else free
    last = max(ids, default=255)
    skipped = sorted(hole for hole in holes if beside.skipped_ids is not None or 256 <= hole < last)
    if (
        len(order) == 256
        and len(tokens) == 256 + len(ids)
        and len(ids) + 256 + len([hole for hole in skipped if hole < last]) == last + 1
        and ids == sorted(set(ids))
        and ids[:1] >= [256][: len(ids)]
        and all(left < made and right < made for left, right, made in merges)
        and not free & tokens.keys()
        and beside.pattern_engine is None
        and beside.normalization is None
        and not beside.whole_words
        and not beside.plain_tokens
    ):
        pairs = np.array([merge[:2] for merge in merges], dtype=np.int64).reshape(-1, 2)
        return BytePairModel(pairs, order, beside.pattern, specials, skipped)
    return VocabularyModel(
        tokens,
        merges,
        whole_words=beside.whole_words,
        pattern=beside.pattern,
        pattern_engine=beside.pattern_engine,
        normalization=beside.normalization,
        special_tokens=specials,
        plain_tokens=beside.plain_tokens,
    )
