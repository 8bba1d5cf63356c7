"""Write a ``tokenizer.json`` of a published vocabulary, so that the tokenizers library can take part.

The merges are the ones that the course recovers. ``ignore_merges`` means that a word that is a token is not merged
step by step, as in tiktoken. Two vocabularies are split in another spelling than in tiktoken, that of the published
files:

    cl100k_base   tiktoken writes ``\\p{N}{1,3}+``. The engine of tokenizers 0.23 reads that as a repeated group and
                  would leave 1234567 whole. tokenizers 1.0 accepts only the spelling of the published JSON files.
    gpt2          The published file has no pattern: ByteLevel alone splits. gigatoken knows only this spelling.

Both spellings split alike, except for white space at the end of a text, which the texts here do not have. A sequence of
``published_patterns`` is written with the tokens of cl100k_base.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.published_patterns import SEQUENCES, TO_BYTES, split
from minbpe_course import vocabularies
from minbpe_course.files import write_whole
from minbpe_course.text.byte_alphabet import to_printable
from minbpe_course.text.patterns import CL100K_FIRST_PATTERN

STEPS = {
    **SEQUENCES,
    "cl100k_base": [split(CL100K_FIRST_PATTERN), TO_BYTES],
    "gpt2": [{**TO_BYTES, "use_regex": True}],
}


def tokenizer_file(folder: Path, name: str) -> Path:
    """Return the path of the file in ``folder``, and write it if it does not exist yet."""
    path = folder / f"{name}.json"
    if not path.exists():
        write_whole(path, json.dumps(tokenizer_json(name), ensure_ascii=False).encode("utf-8"))
    return path


def tokenizer_json(name: str) -> dict[str, object]:
    """Return the content of the file for a published vocabulary or sequence, without special tokens."""
    model = vocabularies.load("cl100k_base" if name in SEQUENCES else name)
    shown = {token_id: to_printable(token) for token_id, token in model.token_bytes.items()}
    steps = STEPS.get(name, [split(model.pattern), TO_BYTES])
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": steps[0] if len(steps) == 1 else {"type": "Sequence", "pretokenizers": steps},
        "post_processor": None,
        "decoder": TO_BYTES,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": True,
            "vocab": {token: token_id for token_id, token in shown.items()},
            "merges": [[shown[left], shown[right]] for left, right in model.merges],
        },
    }
