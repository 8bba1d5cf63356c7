"""Write a ``tokenizer.json`` of a published vocabulary, so that the tokenizers library can take part.

The merges are the ones that the course recovers. ``ignore_merges`` means that a word that is a token is not merged
step by step, as in tiktoken. Two patterns are spelled differently than in tiktoken:

    cl100k_base   tiktoken writes ``\\p{N}{1,3}+``. The engine of tokenizers 0.23 reads that as a repeated group and
                  would leave 1234567 whole. tokenizers 1.0 accepts only the spelling of the published JSON files.
    gpt2          tokenizers 1.0 accepts only the published spelling here, too.

Both spellings split alike, except for white space at the end of a text, which the texts here do not have.
"""

from __future__ import annotations

import json
from pathlib import Path

from minbpe_course import vocabularies
from minbpe_course.files import write_whole
from minbpe_course.text.byte_alphabet import to_printable
from minbpe_course.text.patterns import CL100K_FIRST_PATTERN, GPT2_RELEASE_PATTERN

PATTERNS = {"cl100k_base": CL100K_FIRST_PATTERN, "gpt2": GPT2_RELEASE_PATTERN}


def tokenizer_file(folder: Path, name: str) -> Path:
    """Return the path of the file in ``folder``, and write it if it does not exist yet."""
    path = folder / f"{name}.json"
    if not path.exists():
        write_whole(path, json.dumps(tokenizer_json(name), ensure_ascii=False).encode("utf-8"))
    return path


def tokenizer_json(name: str) -> dict[str, object]:
    """Return the content of the file for a published vocabulary, without special tokens."""
    model = vocabularies.load(name)
    shown = {token_id: to_printable(token) for token_id, token in model.token_bytes.items()}
    split = {
        "type": "Split",
        "pattern": {"Regex": PATTERNS.get(name, model.pattern)},
        "behavior": "Isolated",
        "invert": False,
    }
    to_characters = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, to_characters]},
        "post_processor": None,
        "decoder": to_characters,
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
