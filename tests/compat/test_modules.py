"""Whole modules: every public name of a library is in the module that replaces it, with the same arguments."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.medium

MODULES = [
    "tiktoken", "tiktoken.core", "tiktoken.load", "tiktoken.model", "tiktoken.registry",
    "sentencepiece", "sentencepiece.sentencepiece_pb2", "sentencepiece.sentencepiece_model_pb2", "rustbpe",
]  # fmt: skip

# Only tiktoken itself uses these.
NOT_OURS = {
    "tiktoken.core": {"raise_disallowed_special_token", "TYPE_CHECKING"},
    "tiktoken.registry": {"ENCODING_CONSTRUCTORS"},
}


def public(thing: Any) -> Iterator[tuple[str, Any]]:
    for name in dir(thing):
        if not name.startswith("_") or name == "__version__":
            yield name, getattr(thing, name)


def names_of(function: Any) -> list[str] | None:
    """The names of a function's arguments; None where it does not tell them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    plain = [each.name for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    # pybind11 says nothing but *args.
    return plain if len(plain) == len(parameters) else None


def is_of(module: ModuleType, value: Any) -> bool:
    """Whether a value belongs to a module, and was not imported into it; a package has what its modules have."""
    home, name = getattr(value, "__module__", None) or "", module.__name__
    return not inspect.ismodule(value) and (home in ("", name) or home.startswith(f"{name}."))


def compare(where: str, theirs: Any, ours: Any) -> None:
    assert callable(theirs) == callable(ours), where
    wanted, found = names_of(theirs), names_of(ours)
    if wanted is not None and found is not None:
        assert found[: len(wanted)] == wanted, where
    if isinstance(theirs, type):
        assert isinstance(ours, type), where
        for name, value in public(theirs):
            assert hasattr(ours, name), f"{where}.{name}"
            compare(f"{where}.{name}", value, getattr(ours, name))


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_there(name: str) -> None:
    theirs, ours = importlib.import_module(name), importlib.import_module(f"minbpe_course.compat.{name}")
    for each, value in public(theirs):
        if is_of(theirs, value) and each not in NOT_OURS.get(name, ()):
            assert hasattr(ours, each), f"{name}.{each}"
            if not name.endswith("_pb2"):
                compare(f"{name}.{each}", value, getattr(ours, each))


PROGRAMS = {
    "tiktoken": """
        import tiktoken, tiktoken.model
        from tiktoken.load import dump_tiktoken_bpe
        from tiktoken import core
        assert isinstance(tiktoken.encoding_for_model("gpt-4o"), core.Encoding)
        assert tiktoken.model.MODEL_TO_ENCODING["gpt-4"] == "cl100k_base"
        assert tiktoken.get_encoding("gpt2").encode("hello world") == [31373, 995]
    """,
    "minbpe": """
        import minbpe, minbpe.regex
        from minbpe import BasicTokenizer, GPT4Tokenizer, RegexTokenizer, Tokenizer
        from minbpe.base import get_stats, merge
        from minbpe.gpt4 import bpe, recover_merges
        assert RegexTokenizer().pattern == minbpe.regex.GPT4_SPLIT_PATTERN
        assert isinstance(BasicTokenizer(), Tokenizer) and issubclass(GPT4Tokenizer, minbpe.base.Tokenizer)
    """,
    "rustbpe": """
        import rustbpe
        tokenizer = rustbpe.Tokenizer()
        tokenizer.train_from_iterator(["low lower lowest"], vocab_size=258)
        assert tokenizer.batch_decode(tokenizer.batch_encode(["low", ""])) == ["low", ""]
    """,
    "sentencepiece": """
        import io, pickle, sentencepiece as spm
        from sentencepiece import sentencepiece_model_pb2, sentencepiece_pb2
        import sentencepiece.sentencepiece_model_pb2 as again
        assert again is sentencepiece_model_pb2
        text = ["to be or not to be, that is the question", "whether it is nobler"] * 9
        for kind in ("unigram", "bpe"):
            file = io.BytesIO()
            spm.SentencePieceTrainer.train(
                sentence_iterator=iter(text), model_writer=file, vocab_size=25, model_type=kind, minloglevel=3
            )
            message = again.ModelProto.FromString(file.getvalue())
            sp = spm.SentencePieceProcessor(model_proto=message)
            proto = sp.encode("to be", return_type="proto")
            assert isinstance(proto, sentencepiece_pb2.SentencePieceText) and proto.text == "to be"
            assert pickle.loads(pickle.dumps(sp)).encode("to be") == sp.encode("to be")
        assert spm.SentencePieceNormalizer(rule_name="nfkc_cf").normalize("ＡＢＣ") == "▁abc"
        assert len(spm.SentencePieceNormalizer(norm_map=[("a", "b")]).Decompile()) == 1
        assert spm.ConvertToFlatbuffer(model_proto=file.getvalue())
        from minbpe_course import train_sentencepiece
        train_sentencepiece(sentence_iterator=text, vocab_size=25, model_type="unigram", minloglevel=3)
        assert sys.modules["sentencepiece"] is spm and spm.__name__.startswith("minbpe_course")
    """,
}


@pytest.mark.parametrize("library", PROGRAMS)
@pytest.mark.parametrize("before", ["", "import {library}\n"], ids=["alone", "after the library"])
def test_a_module_takes_the_place_of_the_library(library: str, before: str) -> None:
    if before and library == "minbpe":
        pytest.skip("minbpe is not a package that one installs")
    lines = [line[8:] for line in PROGRAMS[library].strip("\n").splitlines()]
    program = (
        "import sys\nfrom minbpe_course import use_bundled_vocabularies\nuse_bundled_vocabularies()\n"
        + before.format(library=library)
        + f"from minbpe_course.compat import {library} as ours\nsys.modules[{library!r}] = ours\n"
        + "\n".join(lines)
    )
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_module_says_what_it_lacks_without_the_library() -> None:
    program = (
        "import sys\nsys.modules['sentencepiece'] = None\n"
        "from minbpe_course.compat import sentencepiece as spm\n"
        "spm.SetRandomGeneratorSeed(1), spm.SetMinLogLevel(3), spm.SetNBestTimeout(5)\n"
        "assert spm.SentencePieceNormalizer(normalizer_spec=b'\\x18\\x00').normalize('a b') == 'a\\u2581b'\n"
        "try: spm.SentencePieceNormalizer(norm_map=[('a', 'b')])\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install sentencepiece" in done.stdout
