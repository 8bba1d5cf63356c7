"""The examples of tiktoken's README and of its modules, run with tiktoken and with only the import changed.

``tests/tokenizers/test_encoding.py`` compares the methods of ``Encoding`` for any arguments.
"""

from __future__ import annotations

import contextlib
import io
from typing import Any

import pytest

from minbpe_course import use_bundled_vocabularies

pytestmark = pytest.mark.medium

# Each is a program that leaves what is to be compared in ``shown``. tiktoken's name is put in place of LIBRARY.
EXAMPLES = {
    "README: the educational module": """
        from LIBRARY._educational import *
        enc = train_simple_encoding()
        shown = [enc.mergeable_ranks, enc.encode("hello world", visualise=None), enc.decode([388, 372])]
        enc = SimpleBytePairEncoding.from_tiktoken("cl100k_base")
        shown += [enc.encode("hello world aaaaaaaaaaaa")]
    """,
    "SimpleBytePairEncoding": """
        from LIBRARY._educational import SimpleBytePairEncoding, bpe_encode, bpe_train, visualise_tokens
        enc = SimpleBytePairEncoding.train("a word, a word and another word " * 3, 268, r" ?[a-z]+|[^a-z]")
        shown = [enc.mergeable_ranks, enc.encode("a word"), enc.encode("another", visualise="simple")]
        ids = enc.encode("word", visualise=None)
        shown += [enc.decode(ids), enc.decode_bytes(ids), enc.decode_tokens_bytes(ids)]
        shown += [bpe_encode(enc.mergeable_ranks, b"word", visualise="color")]
        shown += [bpe_train("abc abc", 257, r"[a-z]+", visualise="simple"), bpe_train("a", 256, ".", visualise=None)]
        visualise_tokens([b"to", "kén".encode()[:2], b"", "\\u4e2d".encode(), b"n"])
    """,
    "load and dump": """
        from LIBRARY.load import data_gym_to_mergeable_bpe_ranks, load_tiktoken_bpe
        url = "https://openaipublic.blob.core.windows.net/"
        ranks = load_tiktoken_bpe(
            url + "encodings/cl100k_base.tiktoken",
            expected_hash="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        )
        gpt2 = data_gym_to_mergeable_bpe_ranks(
            vocab_bpe_file=url + "gpt-2/encodings/main/vocab.bpe",
            encoder_json_file=url + "gpt-2/encodings/main/encoder.json",
        )
        shown = [ranks, gpt2, list(gpt2)[:300]]
    """,
}


def run(program: str, library: str) -> tuple[Any, str]:
    lines = program.replace("LIBRARY", library).strip("\n").splitlines()
    margin = len(lines[0]) - len(lines[0].lstrip())
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec("\n".join(line[margin:] for line in lines), names)
    return names["shown"], printed.getvalue()


@pytest.mark.parametrize("label", EXAMPLES)
def test_an_example_runs_with_only_the_import_changed(label: str) -> None:
    use_bundled_vocabularies()
    theirs, they_print = run(EXAMPLES[label], "tiktoken")
    for library in ("minbpe_course", "minbpe_course.compat.tiktoken"):
        ours, we_print = run(EXAMPLES[label], library)
        assert ours == theirs
        assert we_print == they_print
