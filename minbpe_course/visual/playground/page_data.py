"""What the self-contained page knows: vocabularies and models, packed, and the source of its tokenizer.

    page_data(["gpt2"], {"mine": model})     plain data, ready for json.dumps: what createEngine(data) of engine/ takes
    as_json(data)                            the same as text that may stand in <script type="application/json">
    engine_source()                          the engine as one piece of JavaScript: it defines createEngine

Tables stay compressed, as the bundle has them, and are unpacked in the browser when they are first asked for. Classes
of characters travel with them, for every browser has a Unicode of its own.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from minbpe_course import vocabularies
from minbpe_course.errors import UnsupportedModel
from minbpe_course.model import BytePairModel, PieceModel
from minbpe_course.model.piece_rules import is_text
from minbpe_course.text import patterns, unicode_tables
from minbpe_course.text.normalize import Charsmap
from minbpe_course.visual.playground.javascript_pattern import javascript_pattern
from minbpe_course.vocabularies import bundle

ENGINE = Path(__file__).parent / "engine"
# In this order each file finds above it what it needs.
ENGINE_FILES = (
    "inflate.js",
    "well_formed.js",
    "split.js",
    "merging.js",
    "specials.js",
    "byte_level.js",
    "trie.js",
    "normalize.js",
    "piece_kinds.js",
    "pieces.js",
    "unigram.js",
    "whole_pieces.js",
    "piece_model.js",
    "engine.js",
)
PAGE_ENCODINGS = ("gpt2", "cl100k_base", "o200k_base")

_MOST_IDS = 1 << 24  # three bytes for each id of a pair
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./[a-z_0-9]+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=function |class |const )", re.MULTILINE)


def page_data(encodings: Iterable[str] = PAGE_ENCODINGS, models: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return all that the page's engine needs to cut text with these encodings and models.

    encodings : names of bundled encodings · models : what to call it -> a ``BytePairModel`` or a ``PieceModel``.

    Raises UnknownEncoding, UnsupportedModel, UnsupportedPattern.

    >>> data = page_data(["gpt2"], {"mine": BytePairModel([(97, 97)])})
    >>> [entry["name"] for entry in data["tokenizers"]], list(data["tables"]), list(data["classes"])
    (['gpt2', 'mine'], ['r50k'], ['tiktoken'])
    """
    tables: dict[str, str] = {}
    entries = [_encoding_entry(name, tables) for name in dict.fromkeys(encodings)]
    for name, model in (models or {}).items():
        if any(entry["name"] == name for entry in entries):
            raise UnsupportedModel(f"two tokenizers of the page would be called {name!r}; give one another name.")
        entries.append(_model_entry(name, model))
    engines = sorted({entry["split"]["classes"] for entry in entries if "classes" in (entry.get("split") or {})})
    classes = {engine: _text_of(unicode_tables.data_file(f"classes-{engine}").read_bytes()) for engine in engines}
    return {"tokenizers": entries, "tables": tables, "classes": classes}


def as_json(data: Any) -> str:
    """Return data as JSON that may stand inside an HTML script element: nothing in it ends the element.

    >>> as_json({"a": "</script>"})
    '{"a":"\\\\u003c/script>"}'
    """
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def engine_source(*names: str) -> str:
    """Return the engine as one piece of JavaScript that defines ``createEngine`` and nothing else.

    names : what to define, if something else, for the tests.

    It may stand in a script element, classic or module, and in a Worker made from a Blob.

    >>> engine_source().startswith("const { createEngine } = (() => {")
    True
    """
    defined = ", ".join(names or ("createEngine",))
    parts = []
    for name in ENGINE_FILES:
        source = (ENGINE / name).read_text(encoding="utf-8")
        parts.append(f"// {name}\n{_EXPORT.sub('', _IMPORT.sub('', source))}")
    # A browser looks for the end of a script element in the text of the script, wherever that stands.
    body = "\n".join(parts).replace("</script", "<\\/script")
    return f"const {{ {defined} }} = (() => {{\n{body}\nreturn {{ {defined} }};\n}})();\n"


def _encoding_entry(name: str, tables: dict[str, str]) -> dict[str, Any]:
    facts = vocabularies.passport(name)
    model = vocabularies.load(name)
    table = facts["table"]
    if table not in tables:
        tables[table] = _text_of(bundle.packed_table(table))
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
    raise UnsupportedModel(f"the page has no way to run a {type(model).__name__}.")


def _merges_entry(name: str, model: BytePairModel) -> dict[str, Any]:
    if len(model.pairs) and int(model.pairs.max()) >= _MOST_IDS:
        raise UnsupportedModel(f"{name!r} has merges of ids above {_MOST_IDS:,}, which the page has no room for.")
    packed = _packed(bundle.pack_table(model.byte_order, model.pairs))
    return {"name": name, "kind": "merges", "packed": packed, **_frame(model)}


def _pieces_entry(name: str, model: PieceModel) -> dict[str, Any]:
    rules = model.normalizer
    table = Charsmap(rules.charsmap)
    return {
        "name": name,
        "kind": "pieces",
        "type": model.model_type,
        # A piece with bytes that are no UTF-8 never comes out of text, so its place is all that counts.
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


def _packed(data: bytes) -> str:
    return _text_of(zlib.compress(data, 9))


def _frame(model: BytePairModel) -> dict[str, Any]:
    """All of a model but its merges."""
    return {
        "skipped": list(model.skipped_ids),
        "split": _split(model.pattern),
        # Of a text with no UTF-8 form none is ever found: such characters are replaced before.
        "specials": [[text, int(i)] for text, i in model.special_tokens.items() if _has_utf8(text)],
    }


def _split(pattern: str | None) -> dict[str, Any] | None:
    if not pattern:
        return None
    family = patterns.scanner_for(pattern)
    if family is None:
        return dict(javascript_pattern(pattern))
    return {"family": family, "classes": patterns.engine_of(pattern)}


def _has_utf8(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _text_of(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
