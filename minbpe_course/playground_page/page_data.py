"""The data of the self-contained page: vocabularies and models, compressed.

    page_data(["gpt2"], {"mine": model})     plain data for json.dumps, which createEngine(data) of engine/ takes
    as_json(data)                            the same as text for <script type="application/json">

Bytes are compressed: {"zlib": base64}; unpack.js unpacks them in the browser. Classes of characters are part of the
data, because every browser has another version of Unicode.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from minbpe_course import vocabularies
from minbpe_course.engines.sentencepiece.normalizer import LONGEST_TEXT as LONGEST_BYTES
from minbpe_course.errors import UnsupportedModel, UnsupportedPattern
from minbpe_course.formats.json_text import MOST_STEPS
from minbpe_course.formats.tekken_json import MOST_SPECIALS
from minbpe_course.model import BytePairModel, PieceModel
from minbpe_course.model.byte_pair import LONG_TOKEN, SMALL_VOCABULARY
from minbpe_course.model.piece_rules import is_text
from minbpe_course.splitting.splitter import compile_pattern
from minbpe_course.text import patterns, unicode_tables
from minbpe_course.text.normalize import Charsmap
from minbpe_course.text.normalizer_steps import LONGEST_TEXT, MOST_GROWTH
from minbpe_course.text.pattern_reading import MOST_PARTS
from minbpe_course.text.pattern_writing import to_javascript
from minbpe_course.vocabularies import bundle

PAGE_ENCODINGS = ("gpt2", "cl100k_base", "o200k_base")

# The limits of Python, for files that are opened in the page.
LIMITS = {
    "specials": MOST_SPECIALS,
    "steps": MOST_STEPS,
    "parts": MOST_PARTS,
    "vocabulary": SMALL_VOCABULARY,
    "token": LONG_TOKEN,
    "text": LONGEST_TEXT,
    "bytes": LONGEST_BYTES,
    "growth": MOST_GROWTH,
}
_MOST_IDS = 1 << 24  # three bytes for each id of a pair


def page_data(encodings: Iterable[str] = PAGE_ENCODINGS, models: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the data with which the page's engine cuts text with these encodings and models.

    encodings : names of bundled encodings · models : name -> a ``BytePairModel`` or a ``PieceModel``.

    Raises UnknownEncoding, UnsupportedModel, UnsupportedPattern.
    """
    tables: dict[str, dict[str, str]] = {}
    entries = [_encoding_entry(name, tables) for name in dict.fromkeys(encodings)]
    for name, model in (models or {}).items():
        if any(entry["name"] == name for entry in entries):
            raise UnsupportedModel(f"two tokenizers of the page would be called {name!r}; give one another name.")
        entries.append(_model_entry(name, model))
    engines = sorted({entry["split"]["classes"] for entry in entries if "classes" in (entry.get("split") or {})})
    classes = {engine: _zlib(unicode_tables.data_file(f"classes-{engine}").read_bytes()) for engine in engines}
    return {"tokenizers": entries, "tables": tables, "classes": classes, "opening": _for_opening()}


def _for_opening() -> dict[str, Any]:
    """Return what the page needs to open files: Unicode tables, patterns by name, and limits."""
    tables = {"categories": "categories-tiktoken"}
    tables |= {"composing": "composing-tokenizers", "compatible": "compatible-tokenizers"}
    packed = {name: _zlib(unicode_tables.data_file(file).read_bytes()) for name, file in tables.items()}
    named = {name: patterns.PATTERNS[name] for name in PAGE_ENCODINGS}
    return {**packed, "patterns": named, "limits": LIMITS}


def as_json(data: Any) -> str:
    """Return data as JSON for an HTML script element, with ``<`` escaped, so that nothing ends the element.

    >>> as_json({"a": "</script>"})
    '{"a":"\\\\u003c/script>"}'
    """
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _encoding_entry(name: str, tables: dict[str, dict[str, str]]) -> dict[str, Any]:
    facts = vocabularies.passport(name)
    model = vocabularies.load(name)
    table = facts["table"]
    if table not in tables:
        tables[table] = _zlib(bundle.packed_table(table))
    more = 0
    if facts["space_runs"]:
        first, last = facts["space_runs"]
        more = last - first + 1
    return {
        "name": name,
        "kind": "merges",
        "table": table,
        "more": model.pairs[len(model.pairs) - more :].tolist(),
        **_frame(model),
    }


def _model_entry(name: str, model: Any) -> dict[str, Any]:
    if isinstance(model, BytePairModel):
        return _merges_entry(name, model)
    if isinstance(model, PieceModel):
        return _pieces_entry(name, model)
    raise UnsupportedModel(f"the page cannot run a {type(model).__name__}.")


def _merges_entry(name: str, model: BytePairModel) -> dict[str, Any]:
    if len(model.pairs) and int(model.pairs.max()) >= _MOST_IDS:
        raise UnsupportedModel(f"{name!r} has merges of ids above {_MOST_IDS:,}, the most that the page can store.")
    packed = _packed(bundle.pack_table(model.byte_order, model.pairs))
    return {"name": name, "kind": "merges", "packed": packed, **_frame(model)}


def _pieces_entry(name: str, model: PieceModel) -> dict[str, Any]:
    if model.model_type == "wordpiece":
        raise UnsupportedModel(f"the page cannot run {name!r}: its model is WordPiece. Use playground() in a notebook.")
    if model.pipeline is not None:
        raise UnsupportedModel(
            f"the page cannot run {name!r} from here: it was read from a tokenizer.json whose tokens are pieces of "
            "text. Open that file in the page itself, or use playground() in a notebook."
        )
    rules = model.normalizer
    table = Charsmap(rules.charsmap)
    return {
        "name": name,
        "kind": "pieces",
        "type": model.model_type,
        # Text never becomes a piece that is not UTF-8, so only its place is needed.
        "pieces": _packed(json.dumps([piece if is_text(piece) else "" for piece in model.pieces]).encode()),
        "kinds": _packed(bytes(model.kinds)),
        "scores": _packed(np.array(model.scores, dtype="<f4").tobytes()),
        "unknown": model.unk_id,
        "byteIds": list(model.byte_ids) or None,
        "normalizer": {
            "units": _packed(np.array(table.units, dtype="<u4").tobytes()) if table.units else None,
            "strings": _packed(table.strings) if table.units else None,
            "dummyPrefix": rules.add_dummy_prefix,
            "removeExtra": rules.remove_extra_whitespaces,
            "escape": rules.escape_whitespaces,
            "suffix": model.treat_whitespace_as_suffix,
        },
    }


def _packed(data: bytes) -> dict[str, str]:
    return _zlib(zlib.compress(data, 9))


def _frame(model: BytePairModel) -> dict[str, Any]:
    """Return everything of a model except its merges."""
    return {
        "skipped": list(model.skipped_ids),
        "split": _split(model.pattern),
        # A special token with lone surrogates is never found, because they are replaced first.
        "specials": [[text, int(i)] for text, i in model.special_tokens.items() if _has_utf8(text)],
    }


def _split(pattern: str | None) -> dict[str, Any] | None:
    if not pattern:
        return None
    family = patterns.scanner_for(pattern)
    if family is None:
        compile_pattern(pattern)
        try:
            return dict(to_javascript(pattern))
        except UnsupportedPattern as error:
            raise UnsupportedPattern(
                f"the page cannot run the pattern of this model: {error}\nUse one of the named patterns "
                "(text.patterns.PATTERNS), spell it differently, or use the widget in a notebook, which asks Python."
            ) from None
    return {"family": family, "classes": patterns.engine_of(pattern)}


def _has_utf8(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _zlib(compressed: bytes) -> dict[str, str]:
    return {"zlib": base64.b64encode(compressed).decode("ascii")}
