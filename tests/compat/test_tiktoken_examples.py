"""The examples of tiktoken's README and of its modules, run with tiktoken and with only the import changed.

``tests/tokenizers/test_encoding.py`` compares the methods of ``Encoding`` for any arguments.
"""

from __future__ import annotations

import contextlib
import io
import pickle
from typing import Any

import pytest

from minbpe_course import use_bundled_vocabularies

pytestmark = pytest.mark.medium

# Each is a program that leaves what is to be compared in ``shown``. tiktoken's name is put in place of LIBRARY.
EXAMPLES = {
    "README: first lines": """
        import LIBRARY as tiktoken
        enc = tiktoken.get_encoding("o200k_base")
        assert enc.decode(enc.encode("hello world")) == "hello world"
        enc = tiktoken.encoding_for_model("gpt-4o")
        shown = [enc.name, enc.n_vocab, repr(enc), enc.encode("hello world")]
    """,
    "README: the educational module": """
        from LIBRARY._educational import *
        enc = train_simple_encoding()
        shown = [enc.mergeable_ranks, enc.encode("hello world", visualise=None), enc.decode([388, 372])]
        enc = SimpleBytePairEncoding.from_tiktoken("cl100k_base")
        shown += [enc.encode("hello world aaaaaaaaaaaa")]
    """,
    "README: an encoding of one's own": """
        import LIBRARY as tiktoken
        cl100k_base = tiktoken.get_encoding("cl100k_base")
        enc = tiktoken.Encoding(
            name="cl100k_im",
            pat_str=cl100k_base._pat_str,
            mergeable_ranks=cl100k_base._mergeable_ranks,
            special_tokens={
                **cl100k_base._special_tokens,
                "<|im_start|>": 100264,
                "<|im_end|>": 100265,
            }
        )
        chat = "<|im_start|>user\\nHello, world!<|im_end|>"
        shown = [enc.name, enc.encode(chat, allowed_special="all"), enc.special_tokens_set, enc.max_token_value]
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
    "the modules": """
        import LIBRARY as tiktoken
        import LIBRARY.core, LIBRARY.load, LIBRARY.registry
        enc = tiktoken.registry.get_encoding("cl100k_base")
        shown = [
            isinstance(enc, tiktoken.core.Encoding),
            enc is tiktoken.get_encoding("cl100k_base"),
            tiktoken.registry.ENCODINGS["cl100k_base"] is enc,
            tiktoken.encoding_for_model("gpt-4") is enc,
            tiktoken.list_encoding_names(),
            tiktoken.encoding_name_for_model("gpt-3.5-turbo-0301"),
            tiktoken.encoding_name_for_model(model_name="ft:gpt-4o:mine"),
        ]
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


def test_pickles_go_by_name_and_by_value() -> None:
    """As in tiktoken's own tests, except that here the copy of a named encoding is that encoding."""
    import minbpe_course as tiktoken

    named = tiktoken.get_encoding("r50k_base")
    again = pickle.loads(pickle.dumps(named))
    assert again is named
    assert len(pickle.dumps(named)) < 200
    own = tiktoken.Encoding(
        name="custom_enc",
        pat_str=named._pat_str,
        mergeable_ranks=named._mergeable_ranks,
        special_tokens={"<|pickle|>": 100_000},
    )
    again = pickle.loads(pickle.dumps(own))
    assert again is not own
    assert again.encode("hello world") == named.encode("hello world")
    assert again.encode("<|pickle|>", allowed_special="all") == own.encode("<|pickle|>", allowed_special="all")
