r"""A tokenizer.json with a WordPiece model, as BERT's: read, and written.

    normalizer       BertNormalizer, and all others that ``text.normalizer_steps`` knows
    pre_tokenizer    BertPreTokenizer, Whitespace, WhitespaceSplit, Punctuation, Digits, Split
    model            WordPiece: the tokens, "##", and the most characters of a word
    decoder          WordPiece

The ids are those of ``Tokenizer.encode(text, add_special_tokens=False)`` of `tokenizers` 0.23. A record keeps the text
of its file without the vocabulary, so the file is written as it was.
"""

from __future__ import annotations

import json
from typing import Any

from minbpe_course.errors import InvalidModel, UnsupportedModel
from minbpe_course.formats.huggingface.kept_parts import unapplied_in
from minbpe_course.formats.huggingface.piece_files import NO_RULES, by_id, check_forms, read_added, read_decoder
from minbpe_course.formats.huggingface.post_processor import frame_document, read_frame
from minbpe_course.formats.huggingface.pre_tokenizer import read_normalizer, split_step, step_document
from minbpe_course.formats.json_text import Value
from minbpe_course.model import CONTROL, NORMAL, UNKNOWN, USER_DEFINED, PieceModel, PiecePipeline


def record_of_word_pieces(document: Value) -> PieceModel:
    """Return the record that such a tokenizer.json holds. Raises UnreadableModel, UnsupportedModel."""
    model = document.get("model")
    steps = read_normalizer(document.get("normalizer"), of_pieces=True)
    cutting = tuple(
        split_step(step, step.get("type").text()) for step in document.get("pre_tokenizer").steps("pretokenizers")
    )
    decoder = read_decoder(document.get("decoder"))
    pieces = by_id(model.get("vocab"), model.get("vocab").an_object())
    known = len(pieces)
    unknown = model.get("unk_token")
    if unknown.text() not in pieces:
        unknown.unsupported("The vocabulary has no such token, and tokenizers would stop at an unknown word.")
    unk_id = pieces.index(unknown.text())
    added, specials = read_added(document.get("added_tokens") if "added_tokens" in document else None, pieces)
    check_forms(document, steps, added)
    frame, pair_frame = read_frame(document, len(pieces))
    kinds = [NORMAL] * len(pieces)
    for token in added:
        kinds[token.id] = CONTROL if token.content in specials else USER_DEFINED
    kinds[unk_id] = UNKNOWN
    most = model.get("max_input_chars_per_word")
    whole = document.value
    kept = whole | {"model": {key: value for key, value in whole["model"].items() if key != "vocab"}}
    try:
        return PieceModel(
            pieces=tuple(pieces),
            scores=(0.0,) * len(pieces),
            kinds=tuple(kinds),
            model_type="wordpiece",
            normalizer=NO_RULES,
            unk_piece=unknown.text(),
            pipeline=PiecePipeline(
                known=known,
                added=tuple(added),
                normalizer=steps,
                cutting=cutting,
                decoder=decoder,
                frame=frame,
                pair_frame=pair_frame,
                unknown_is_special=unknown.text() in specials,
                unapplied=tuple(unapplied_in(whole)),
                continuing_prefix=model.get("continuing_subword_prefix").text(),
                longest_word=most.token_id(),
            ),
            source=json.dumps(kept, ensure_ascii=False).encode("utf-8", "surrogatepass"),
        )
    except InvalidModel as error:
        raise UnsupportedModel(f"{document.name}: {error}") from error


def word_piece_document(model: PieceModel) -> dict[str, Any]:
    """Return the tokenizer.json of a record."""
    pipeline = model.pipeline
    assert pipeline is not None
    document = json.loads(model.source) if model.source else made_document(model, pipeline)
    vocabulary = {piece: at for at, piece in enumerate(model.pieces[: pipeline.known])}
    return document | {"model": document["model"] | {"vocab": vocabulary}}


def made_document(model: PieceModel, pipeline: PiecePipeline) -> dict[str, Any]:
    """Return the tokenizer.json of a record that was read from none, without its vocabulary."""
    special = {CONTROL, UNKNOWN} if pipeline.unknown_is_special else {CONTROL}
    added = [
        {
            "id": token.id,
            "content": token.content,
            "single_word": False,
            "lstrip": token.lstrip,
            "rstrip": token.rstrip,
            "normalized": token.normalized,
            "special": model.kinds[token.id] in special,
        }
        for token in pipeline.added
    ]

    def joined(steps: Any, key: str) -> Any:
        documents = [step_document(step) for step in steps or ()]
        return {"type": "Sequence", key: documents} if len(documents) > 1 else next(iter(documents), None)

    framed = frame_document(pipeline.frame, pipeline.pair_frame, dict(enumerate(model.pieces)))
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": joined(pipeline.normalizer, "normalizers"),
        "pre_tokenizer": joined(pipeline.cutting, "pretokenizers"),
        # Of a sequence, the first step is for tokens that are bytes.
        "post_processor": framed["processors"][1] if framed["type"] == "Sequence" else None,
        "decoder": joined(pipeline.decoder, "decoders"),
        "model": {
            "type": "WordPiece",
            "unk_token": model.pieces[model.unk_id],
            "continuing_subword_prefix": pipeline.continuing_prefix,
            "max_input_chars_per_word": pipeline.longest_word,
        },
    }
