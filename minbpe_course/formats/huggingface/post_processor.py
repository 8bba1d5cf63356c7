"""The ids added around texts: the ``post_processor`` of a tokenizer.json, and ``frame`` and ``pair_frame`` of a record.

    {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}], ...}
    {"type": "RobertaProcessing", "cls": ["<s>", 0], "sep": ["</s>", 2], ...}
    {"type": "ByteLevel"}, null                                                   nothing

The reader does with the letters A and B, which stand for two texts, what `tokenizers` does with their ids: each step
takes the segments that the step before has made, and makes others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from minbpe_course.formats.huggingface.pre_tokenizer import check_byte_level
from minbpe_course.formats.json_text import Value
from minbpe_course.model.frames import NO_FRAME, Frame, PairFrame, each_framed

# Ids, "A" and "B", each with its type id.
Segment = list[tuple[int | str, int]]

MOST_IDS = 1000
"""How many ids a frame may have: a template may use one token often, and each token may stand for many ids."""


def read_frame(document: Value, size: int | None = None) -> tuple[Frame, PairFrame | None]:
    """Read the fields frame and pair_frame of a record. Raises UnreadableModel, UnsupportedModel.

    size : refuse ids from this one on.
    """
    single: list[Segment] | None = [[("A", 0)]]
    pair: list[Segment] | None = [[("A", 0)], [("B", 1)]]
    parts: list[Any] = ["A"]
    for step in document.get("post_processor").steps("processors"):
        kind = step.get("type").text()
        if kind == "ByteLevel":
            check_byte_level(step)
        elif kind == "TemplateProcessing":
            rows = _template(step)
            single, pair = _filled(step, rows, single), _filled(step, rows, pair)
        elif kind in ("RobertaProcessing", "BertProcessing"):
            roberta = kind == "RobertaProcessing" and _roberta(step)
            cls, sep = _named(step.get("cls")), _named(step.get("sep"))
            single, pair = (_enclosed(each, cls, sep, roberta) for each in (single, pair))
        else:
            step.unsupported("This post_processor is not supported.")
        parts = [part for segment in single or () for part, _ in segment]
        if parts.count("A") != 1 or "B" in parts:
            step.get("single").unsupported("It must contain the text, A, exactly once.")
        _check_size(step, max(len(parts) - 1, sum(map(len, pair or ())) - 2))
    place = parts.index("A")
    frame = tuple(parts[:place]), tuple(parts[place + 1 :])
    joined = tuple(one for segment in pair or () for one in segment)
    largest = max([-1, *frame[0], *frame[1], *(part for part, _ in joined if not isinstance(part, str))])
    if size is not None and largest >= size:
        document.get("post_processor").unsupported(f"It adds the id {largest}, which no token has.")
    return frame, None if joined == each_framed(frame) else joined


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


def _template(step: Value) -> list[list[tuple[str, list[int], int]]]:
    """Return the rows for one text and for two: "A", "B" or "" for ids, the ids, and the type id."""
    known = {
        name: _special(step.get("special_tokens").get(name), name) for name in step.get("special_tokens").an_object()
    }
    return [[_piece(piece, known) for piece in step.get(key).items()] for key in ("single", "pair")]


def _filled(
    step: Value, rows: list[list[tuple[str, list[int], int]]], given: list[Segment] | None
) -> list[Segment] | None:
    """Return the segments that a template makes of one or two, or None where `tokenizers` stops."""
    if given is None or len(given) not in (1, 2):
        return None
    made: list[Segment] = []
    size = 0
    for name, ids, kind in rows[len(given) - 1]:
        if name == "B" and len(given) == 1:
            return None
        parts = [part for part, _ in given["AB".index(name)]] if name else ids
        made.append([(part, kind) for part in parts])
        size += len(parts)
        _check_size(step, size - 2)
    return made


def _enclosed(given: list[Segment] | None, cls: int, sep: int, roberta: bool) -> list[Segment] | None:
    """Return segments with ``cls`` before the first and ``sep`` after each, in RoBERTa also before each but the first.

    BERT gives each ``sep`` but the first the type id 1, RoBERTa gives everything the type id 0.
    """
    if given is None:
        return None
    made: list[Segment] = []
    for place, segment in enumerate(given):
        kind = int(place > 0 and not roberta)
        before: Segment = [(sep if place else cls, 0)] if roberta or not place else []
        made.append([*before, *((part, 0 if roberta else type_id) for part, type_id in segment), (sep, kind)])
    return made


def _roberta(step: Value) -> bool:
    """Tell whether `tokenizers` reads this as RobertaProcessing: without its two options, it reads a BertProcessing."""
    return all(isinstance(step.get(name).value, bool) for name in ("trim_offsets", "add_prefix_space"))


def _check_size(step: Value, size: int) -> None:
    if size > MOST_IDS:
        step.unsupported(f"It adds {size:,} ids to texts; the most is {MOST_IDS:,}.")


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


def _piece(piece: Value, known: Mapping[str, list[int]]) -> tuple[str, list[int], int]:
    """Return the name of the text in a piece of a template or "", the ids, and the type id."""
    kind = next(iter(piece.an_object()), "")
    if len(piece.an_object()) != 1 or kind not in ("Sequence", "SpecialToken"):
        piece.unreadable('{"Sequence": ...} or {"SpecialToken": ...}')
    name = piece.get(kind).get("id")
    type_id = piece.get(kind).get("type_id").token_id()
    if kind == "Sequence" and name.text() not in ("A", "B"):
        name.unreadable("A or B")
    if kind == "SpecialToken" and name.text() not in known:
        name.unreadable("a key of special_tokens")
    return ("", known[name.text()], type_id) if kind == "SpecialToken" else (name.text(), [], type_id)


def _named(value: Value) -> int:
    listed = value.items()
    if len(listed) != 2:
        value.unreadable('a token and its id, as ["</s>", 2]')
    listed[0].text()
    return listed[1].token_id()


# Writing


def frame_document(frame: Frame, pair_frame: PairFrame | None, names: Mapping[int, str]) -> dict[str, Any]:
    """Return the post_processor of a record. names : id -> the text of its token."""
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}
    if frame == NO_FRAME and pair_frame is None:
        return byte_level
    before, after = frame
    pair = each_framed(frame) if pair_frame is None else pair_frame

    def row(parts: Iterable[tuple[int | str, int]]) -> list[dict[str, Any]]:
        return [
            {"Sequence": {"id": part, "type_id": kind}}
            if isinstance(part, str)
            else {"SpecialToken": {"id": names[part], "type_id": kind}}
            for part, kind in parts
        ]

    single: list[tuple[int | str, int]] = [(part, 0) for part in before]
    single += [("A", 0), *((part, 0) for part in after)]
    used = {names[part]: int(part) for part, _ in (*single, *pair) if not isinstance(part, str)}
    template = {
        "type": "TemplateProcessing",
        "single": row(single),
        "pair": row(pair),
        "special_tokens": {
            name: {"id": name, "ids": [token_id], "tokens": [name]} for name, token_id in sorted(used.items())
        },
    }
    return {"type": "Sequence", "processors": [byte_level, template]}
