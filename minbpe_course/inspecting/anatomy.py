r"""Describe a tokenizer's record as plain data: its tokens and its rules.

    anatomy(record)["tokens"]["ordinary"]       the number of ordinary tokens

Nothing here encodes a text, except ``unreached``, which encodes the text of every token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minbpe_course.errors import UnknownToken
from minbpe_course.formats.any_format import Model
from minbpe_course.model import IDENTITY_BYTE_ORDER, KIND_NAMES, BytePairModel, PieceModel, VocabularyModel, piece_utf8
from minbpe_course.text.patterns import PATTERNS, engine_of, scanner_for
from minbpe_course.text.unicode_tables import VERSIONS


def tokens_of(record: Model) -> Iterator[tuple[int, bytes]]:
    r"""Yield the id and the bytes of every ordinary token by ascending id; of SentencePiece those of all pieces."""
    if isinstance(record, PieceModel):
        yield from ((token_id, piece_utf8(piece)) for token_id, piece in enumerate(record.pieces))
    else:
        yield from record.token_bytes.items()


def find(record: Model, token: bytes) -> list[int]:
    """Return the ids of exactly these bytes: of an ordinary token, a special one, or both.

    >>> find(BytePairModel([(97, 98)], special_tokens={"<|end|>": 300}), b"<|end|>")
    [300]
    """
    text = token.decode("utf-8", "surrogateescape")
    if isinstance(record, PieceModel):
        return [record.piece_ids[text]] if text in record.piece_ids else []
    found = [token_id for token_id, each in record.token_bytes.items() if each == token]
    special = record.special_tokens.get(text)
    return found if special is None or special in found else [*found, special]


def look_up(record: Model, token_id: int) -> dict[str, Any]:
    """Return the "id", "bytes" and "kind" of an id. Raises UnknownToken.

    >>> look_up(BytePairModel([(97, 98)]), 256)
    {'id': 256, 'bytes': b'ab', 'kind': 'merged'}
    """
    if isinstance(record, PieceModel):
        if 0 <= token_id < len(record):
            kind = KIND_NAMES[record.kinds[token_id]].lower().replace("_", "-")
            facts = {"id": token_id, "bytes": piece_utf8(record.pieces[token_id]), "kind": kind}
            return facts | {"score": record.scores[token_id]}
    else:
        # An id with several texts decodes to the last one.
        special = {each: text for text, each in record.special_tokens.items()}
        if token_id in record.token_bytes:
            token = record.token_bytes[token_id]
            return {"id": token_id, "bytes": token, "kind": "byte" if len(token) == 1 else "merged"}
        if token_id in special:
            kind = "added" if special[token_id] in record.plain_tokens else "special"
            return {"id": token_id, "bytes": special[token_id].encode("utf-8", "surrogatepass"), "kind": kind}
        if token_id in record.decode_only:
            return {"id": token_id, "bytes": record.decode_only[token_id].encode("utf-8"), "kind": "decode-only"}
    last = (len(record) if isinstance(record, PieceModel) else record.vocab_size) - 1
    raise UnknownToken(f"no token has the id {token_id}; ids go from 0 to {last}, perhaps with gaps.")


def anatomy(record: Model) -> dict[str, Any]:
    """Return the content of the record as plain values, the most interesting first.

    >>> anatomy(BytePairModel([(97, 98)]))["tokens"]
    {'vocab_size': 257, 'ordinary': 257, 'merges': 1, 'special': 0, 'unused_ids': 0}
    """
    return _of_pieces(record) if isinstance(record, PieceModel) else _of_bytes(record)


def _of_bytes(record: BytePairModel | VocabularyModel) -> dict[str, Any]:
    ordinary = record.token_bytes
    used = ordinary.keys() | set(record.special_tokens.values()) | record.decode_only.keys()
    merges, plain = record.merges, record.plain_tokens
    facts: dict[str, Any] = {
        "record": type(record).__name__,
        "tokens": {
            "vocab_size": record.vocab_size,
            "ordinary": len(ordinary),
            "merges": None if merges is None else len(merges),
            "special": len(record.special_tokens) - len(plain),
            **({"added": len(plain)} if plain else {}),
            "unused_ids": record.vocab_size - len(used),
        },
        "rule": _rule(record),
        "pattern": record.pattern,
        "pattern_names": names_of(record.pattern),
        "pattern_engine": None,
        "compiled_splitter": record.pattern is None or scanner_for(record.pattern) is not None,
        "byte_order": _byte_order(record),
        "special_tokens": {text: each for text, each in record.special_tokens.items() if text not in plain},
    }
    if record.pattern is not None:
        engine = record.pattern_engine or engine_of(record.pattern)
        facts["pattern_engine"] = " ".join(filter(None, [engine, VERSIONS.get(engine)]))
    if isinstance(record, VocabularyModel):
        facts |= {
            "whole_words": record.whole_words,
            "normalization": _steps(record.normalization_steps),
            "split_steps": _steps(record.split_steps),
            "prefix_space": record.prefix_space,
            "word_end": record.word_end,
            "special_flags": {text: list(flags) for text, flags in record.special_flags.items()},
            "plain_tokens": {text: each for text, each in record.special_tokens.items() if text in plain},
            "frame": [list(part) for part in record.frame],
        }
    return facts


def _steps(steps: Sequence[tuple[Any, ...]]) -> str | None:
    """Return the steps in one line, or None without any."""
    return ", ".join(step[0] if len(step) == 1 else " ".join(map(str, step)) for step in steps) or None


def _rule(record: BytePairModel | VocabularyModel) -> str:
    if isinstance(record, BytePairModel):
        return "a byte-level BPE tokenizer, whose merges are numbered as they were learned"
    if record.merges is None:
        return "a byte-level BPE tokenizer, which merges the two neighbours with the lowest id first"
    return "a byte-level BPE tokenizer, with a list that says in which order to merge"


_WORDPIECE = "a WordPiece tokenizer, which takes the longest token that a word begins with"


def _of_pieces(record: PieceModel) -> dict[str, Any]:
    kinds = {KIND_NAMES[kind]: record.kinds.count(kind) for kind in sorted(set(record.kinds))}
    return {
        "record": "PieceModel",
        "tokens": {"vocab_size": len(record), "kinds": kinds},
        "rule": _WORDPIECE
        if record.model_type == "wordpiece"
        else f"a SentencePiece tokenizer of the type {record.model_type}",
        "byte_fallback": record.byte_fallback,
        "ids": {name: getattr(record, f"{name}_id") for name in ("unk", "bos", "eos", "pad")},
        "normalizer": {
            "replacements": bool(record.normalizer.charsmap),
            "add_dummy_prefix": record.normalizer.add_dummy_prefix,
            "remove_extra_whitespaces": record.normalizer.remove_extra_whitespaces,
            "escape_whitespaces": record.normalizer.escape_whitespaces,
        },
        "user_defined": list(record.user_defined),
    }


def names_of(pattern: str | None) -> list[str]:
    """Return the names of a split pattern, all of them.

    >>> names_of(PATTERNS["o200k_base"])
    ['o200k_base', 'o200k_harmony']
    """
    return [name for name, known in PATTERNS.items() if known == pattern]


def _byte_order(record: BytePairModel | VocabularyModel) -> str:
    ids = tuple(record.byte_ids)
    if ids == tuple(IDENTITY_BYTE_ORDER):
        return "the id of a byte is its value"
    if sorted(ids) == list(range(256)):
        return "ids 0 to 255, in another order"
    return f"ids between {min(ids)} and {max(ids)}"


def longest(record: Model, count: int) -> list[int]:
    """Return the ids of the longest tokens, longest first, then by id.

    >>> longest(BytePairModel([(97, 98), (256, 98)]), 2)
    [257, 256]
    """
    found = sorted(tokens_of(record), key=lambda each: (-len(each[1]), each[0]))
    return [token_id for token_id, _ in found[: max(0, count)]]


def not_utf8(record: Model) -> list[int]:
    """Return the ids of the tokens whose bytes are not UTF-8, such as single bytes from 0x80."""
    return [token_id for token_id, token in tokens_of(record) if not _is_utf8(token)]


def _is_utf8(token: bytes) -> bool:
    try:
        token.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def unreached(record: BytePairModel | VocabularyModel, encode: Callable[[Sequence[str]], tuple[Any, Any]]) -> list[int]:
    """Return the ids of the tokens whose own text gives other tokens.

    encode : texts -> the ids of all, and where those of each text begin. ``reference.reachability`` explains such
    tokens.
    """
    asked = [(token_id, token.decode("utf-8")) for token_id, token in record.token_bytes.items() if _is_utf8(token)]
    ids, starts = (np.asarray(each, dtype=np.int64) for each in encode([text for _, text in asked]))
    wanted = np.array([token_id for token_id, _ in asked], dtype=np.int64)
    first = np.full(len(asked), -1, dtype=np.int64)
    one = np.diff(starts) == 1
    first[one] = ids[starts[:-1][one]]
    return wanted[first != wanted].tolist()
