"""Load a set of files in two programs, each in a separate process: ours, and the library whose format it is.

    ours((form, files))       {"ids": [...], "specials": {...}} or {"refused": message}
    theirs((form, files))     the same, of tokenizers, of mistral-common, of minbpe

``files`` is name -> content. ``ours`` only catches our errors; any other comes back as Raised.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

Answer = dict[str, Any]

TEXTS = (
    "", "a", "aab aa abab", " aaaa  aab\n\n aa\r\n", "hello world, the cat's mat", "é\xc3\xbf 中文 😀 한국어",
    "0123 45 6789", "\x00\x01\xff\ufffd", "#version: 0.2", "<|endoftext|>", "ab" * 40, "\u2028\u0085\xa0",
    "AAaaBB aAbB", " \t x",
)  # fmt: skip


@cache
def _folder() -> Path:
    """Return the temporary folder of this process."""
    return Path(tempfile.mkdtemp(prefix="mutants"))


def _put(files: Mapping[str, bytes]) -> Path:
    folder = _folder() / "m"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


# ---- Ours


def ours(asked: tuple[str, Mapping[str, bytes]]) -> Answer:
    """Return what this package makes of the files."""
    from minbpe_course.engines.byte_pair import BytePairEngine
    from minbpe_course.errors import MinbpeCourseError
    from minbpe_course.formats import gpt2_merges, minbpe_text, tekken_json
    from minbpe_course.model import BytePairModel

    form, files = asked
    reads: dict[str, tuple[Callable[[Any], Any], str]] = {
        "gpt2": (gpt2_merges.read, ""),
        "tekken": (tekken_json.read, "tekken.json"),
        "minbpe": (minbpe_text.read, "mine.model"),
    }
    read, name = reads[form]
    try:
        model = read(_put(files) / name)
        if isinstance(model, BytePairModel):
            engine = BytePairEngine.from_model(model, repair=True)
        else:
            engine = BytePairEngine.from_vocabulary(model, repair=True, keep_all=False)
        said: Answer = {"pattern": model.pattern, "specials": dict(model.special_tokens), "model": repr(model)}
    except MinbpeCourseError as error:
        return {"refused": str(error), "kind": type(error).__name__}
    ids: list[Any] = []
    for text in TEXTS:
        try:
            ids.append(engine.encode(text).tolist())
        except MinbpeCourseError as error:
            ids.append(type(error).__name__)
    return said | {"ids": ids}


# ---- Theirs


def theirs(asked: tuple[str, Mapping[str, bytes]]) -> Answer:
    """Return what the library makes of the files."""
    form, files = asked
    try:
        encode, specials = {"gpt2": _tokenizers, "tekken": _mistral, "minbpe": _minbpe}[form](_put(files))
    except BaseException as error:  # a panic of Rust is not an Exception
        return {"refused": str(error)[:500], "kind": type(error).__name__}
    ids: list[Any] = []
    for text in TEXTS:
        try:
            ids.append(encode(text))
        except BaseException as error:
            ids.append(type(error).__name__)
    return {"ids": ids, "specials": specials}


Encoder = tuple[Callable[[str], list[int]], dict[str, int]]


def _tokenizers(folder: Path) -> Encoder:
    from tokenizers import Tokenizer, pre_tokenizers
    from tokenizers.models import BPE

    tokenizer = Tokenizer(BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return lambda text: tokenizer.encode(text).ids, {}


def _mistral(folder: Path) -> Encoder:
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    tokenizer = Tekkenizer.from_file(folder / "tekken.json")
    specials = {each["token_str"]: each["rank"] for each in tokenizer._all_special_tokens}
    return lambda text: tokenizer.encode(text, False, False), specials


def _minbpe(folder: Path) -> Encoder:
    from tests.compat.minbpe_reference import MinbpeTwin

    # As minbpe opens it: UTF-8, and every kind of line end becomes one.
    twin = MinbpeTwin.from_model_file((folder / "mine.model").read_text(encoding="utf-8"))
    assert twin.vocab  # minbpe builds it when it loads
    return twin.encode_ordinary, twin.special_tokens
