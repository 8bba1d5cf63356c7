"""The ids added around every text: the ``post_processor`` of a tokenizer.json, and the ``frame`` of a record.

    {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}], ...}
    {"type": "RobertaProcessing", "cls": ["<s>", 0], "sep": ["</s>", 2], ...}
    {"type": "ByteLevel"}, null                                                   nothing

A frame is about single texts. Templates for pairs of texts are checked here, and kept by ``kept_parts``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from minbpe_course.formats.huggingface.pre_tokenizer import check_byte_level
from minbpe_course.formats.json_text import Value

Frame = tuple[tuple[int, ...], tuple[int, ...]]

NO_FRAME: Frame = ((), ())
MOST_IDS = 1000
"""How many ids a frame may have: a template may use one token often, and each token may stand for many ids."""


def read_frame(document: Value) -> Frame:
    """Read the frame. Raises UnreadableModel, UnsupportedModel."""
    found = NO_FRAME
    for step in document.get("post_processor").steps("processors"):
        kind = step.get("type").text()
        if kind == "ByteLevel":
            check_byte_level(step)
            continue
        if kind == "TemplateProcessing":
            frame = _template(step)
        elif kind in ("RobertaProcessing", "BertProcessing"):
            frame = (_named(step.get("cls")),), (_named(step.get("sep")),)
        else:
            step.unsupported("This post_processor is not supported.")
        # A later step adds its ids around those of the earlier ones.
        found = frame[0] + found[0], found[1] + frame[1]
        _check_size(step, sum(map(len, found)))
    return found


def named_ids(post_processor: Value) -> Iterator[tuple[str, int]]:
    """Yield (text, id) for each use of a token in a checked post_processor, for single texts and for pairs."""
    for step in post_processor.steps("processors"):
        for key in ("cls", "sep"):
            if key in step:
                yield tuple(step.get(key).value)
        known = step.get("special_tokens").value or {}
        for row in ("single", "pair"):
            for piece in step.get(row).value or ():
                if "SpecialToken" in piece:
                    used = known[piece["SpecialToken"]["id"]]
                    yield from zip(used["tokens"], used["ids"])


def _template(step: Value) -> Frame:
    known = {
        name: _special(step.get("special_tokens").get(name), name) for name in step.get("special_tokens").an_object()
    }
    before: list[int] = []
    after: list[int] = []
    texts = []
    for row in ("single", "pair"):
        for piece in step.get(row).items():
            name = _piece(piece, known)
            if row == "pair":
                continue
            if name in ("A", "B") and "Sequence" in piece:
                texts.append(name)
            else:
                (after if texts else before).extend(known[name])
                _check_size(step, len(before) + len(after))
    if texts != ["A"]:
        step.get("single").unsupported("It must contain the text, A, exactly once.")
    return tuple(before), tuple(after)


def _check_size(step: Value, size: int) -> None:
    if size > MOST_IDS:
        step.unsupported(f"It adds {size:,} ids to every text; the most is {MOST_IDS:,}.")


def _special(value: Value, key: str) -> list[int]:
    """Return the ids of a special token of a template."""
    ids, tokens = value.get("ids").items(), value.get("tokens").items()
    if value.get("id").text() != key:
        value.get("id").unreadable(f"the key of this entry, {key!r:.60}")
    if len(ids) != len(tokens):
        value.get("tokens").unreadable("as many tokens as ids")
    for token in tokens:
        token.text()
    return [one.token_id() for one in ids]


def _piece(piece: Value, known: Mapping[str, list[int]]) -> str:
    """Return the name in a piece of a template."""
    kind = next(iter(piece.an_object()), "")
    if len(piece.an_object()) != 1 or kind not in ("Sequence", "SpecialToken"):
        piece.unreadable('{"Sequence": ...} or {"SpecialToken": ...}')
    name = piece.get(kind).get("id")
    piece.get(kind).get("type_id").token_id()
    if kind == "Sequence" and name.text() not in ("A", "B"):
        name.unreadable("A or B")
    if kind == "SpecialToken" and name.text() not in known:
        name.unreadable("a key of special_tokens")
    return name.text()


def _named(value: Value) -> int:
    listed = value.items()
    if len(listed) != 2:
        value.unreadable('a token and its id, as ["</s>", 2]')
    listed[0].text()
    return listed[1].token_id()


# Writing


def frame_document(frame: Frame, names: Mapping[int, str]) -> dict[str, Any]:
    """Return the post_processor of a record. names : id -> the text of its token."""
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}
    if frame == NO_FRAME:
        return byte_level
    before, after = frame

    def row(text: str, kind: int) -> list[dict[str, Any]]:
        ids = (*before, None, *after)
        return [
            {"Sequence": {"id": text, "type_id": kind}}
            if token_id is None
            else {"SpecialToken": {"id": names[token_id], "type_id": kind}}
            for token_id in ids
        ]

    used = {names[token_id]: int(token_id) for token_id in sorted({*before, *after})}
    template = {
        "type": "TemplateProcessing",
        "single": row("A", 0),
        "pair": row("A", 0) + row("B", 1),
        "special_tokens": {
            name: {"id": name, "ids": [token_id], "tokens": [name]} for name, token_id in sorted(used.items())
        },
    }
    return {"type": "Sequence", "processors": [byte_level, template]}
