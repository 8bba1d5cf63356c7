"""Whether a tokenizer.json holds a SentencePiece model: Llama 2, Gemma, Phi-3, T5.

The contents decide, not the name: a Unigram model; or BPE over characters, with a byte for what has
no token (``byte_fallback``), and with "\u2581" for the space, by Metaspace or by Replace.
"""

from __future__ import annotations

from minbpe_course.formats.huggingface.strict_json import Value


def sentencepiece_sign(document: Value) -> Value | None:
    """Return the value that tells that a file holds a SentencePiece model, or None. Raises UnreadableModel."""
    model = document.get("model")
    if model.get("type").value == "Unigram":
        return model.get("type")
    splits = _all_steps(document.get("pre_tokenizer"), "pretokenizers")
    if any(step.get("type").value == "ByteLevel" for step in splits):
        return None
    for step in splits:
        if step.get("type").value == "Metaspace":
            return step.get("type")
    if model.get("byte_fallback").value is True:
        return model.get("byte_fallback")
    for step in _all_steps(document.get("normalizer"), "normalizers"):
        if "\u2581" in (step.get("content").value, step.get("prepend").value):
            return step.get("type")
    return None


def _all_steps(value: Value, of: str) -> list[Value]:
    if not isinstance(value.value, dict):
        return []
    if value.get("type").value != "Sequence":
        return [value]
    return [step for one in value.get(of).items() for step in _all_steps(one, of)]
