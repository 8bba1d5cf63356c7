"""Load a set of files in two programs, each in a separate process: ours, and the library whose format it is.

    ours((form, files))       {"ids": [...], "specials": {...}} or {"refused": message}
    theirs((form, files))     the same, of tokenizers, mistral-common, minbpe, tiktoken, sentencepiece

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
Encoder = tuple[Callable[[Any], Any], Answer]

NAMES = {
    "gpt2": "", "tekken": "tekken.json", "minbpe": "mine.model", "tiktoken": "mine.tiktoken",
    "huggingface": "tokenizer.json", "sentencepiece": "pieces.model",
}  # fmt: skip
"""The forms, and the path that the reader of each takes."""
TEXTS = [
    "", "a", "aab aa abab", " aaaa  aab\n\n aa\r\n", "hello world, the cat's mat", "é\xc3\xbf 中文 😀 한국어",
    "0123 45 6789", "\x00\x01\xff\ufffd", "#version: 0.2", "<|endoftext|>", "ab" * 40, "\u2028\u0085\xa0",
    "AAaaBB aAbB", " \t x",
]  # fmt: skip
FOR_PIECES = [
    b"hello world, the cat sat on the mat", b" two  spaces \t and\n lines  ",
    "ﬁ ① Å é Ⅷ ガ ｶﾞ 한 ½ ＡＢＣ ㌔ ﷺ …".encode(), b"x<a><b>y <a><b <a>",
    "<s></s><unk><0x41>▁▁a▁b".encode(), b"a\0b\xff\xfe \xe2\x96 \xed\xa0\x80 \xc3", "你好 東京都 😀 Привет".encode(),
    b"9" * 30 + b" " * 17 + b"aab" * 40, bytes(range(1, 128)), ("▁" * 20 + "the " * 90).encode(),
]  # fmt: skip


@cache
def texts(form: str) -> list[Any]:
    """Return what is encoded. Of a .tiktoken file only the ranks are compared."""
    from tests.shared.huggingface_files import kind_texts, kinds

    if form == "huggingface":
        more = ["<|endoftext|>aab aa <s>x</s><think>aa b", "abc aab aaa bc 123 don't\n\n x<think>"]
        return [*TEXTS, *more, *(text for kind in kinds() for text in kind_texts(kind, 3))]
    return {"sentencepiece": FOR_PIECES, "tiktoken": [""]}.get(form, TEXTS)


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


def _answer(form: str, encoder: Encoder, errors: Any) -> Answer:
    encode, more = encoder
    ids = [_or_error(encode, text, errors) for text in texts(form)]
    if "decode" not in more:
        return {"ids": ids, **more}
    decode, count = more.pop("decode"), more.pop("count")
    some = [*range(min(60, count)), *[0, 1, 2] * 3]
    back = [some, some[::-1], *(each for each in ids if isinstance(each, list))]
    return {"ids": ids, "decoded": [_or_error(decode, each, errors) for each in back], **more}


def _or_error(call: Callable[[Any], Any], given: Any, errors: Any) -> Any:
    try:
        return call(given)
    except errors as error:
        return type(error).__name__


# ---- Ours


def ours(asked: tuple[str, Mapping[str, bytes]]) -> Answer:
    """Return what this package makes of the files."""
    from minbpe_course.errors import MinbpeCourseError
    from minbpe_course.formats import any_format, huggingface_json, sentencepiece_proto

    form, files = asked
    try:
        path = _put(files) / NAMES[form]
        model: Any = any_format.FORMATS[form].read(path)
        encoder = _our_encoder(form, model)
    except MinbpeCourseError as error:
        return {"refused": str(error), "kind": type(error).__name__}
    if form == "huggingface":
        assert huggingface_json.from_json(huggingface_json.to_json(model)) == model
    if form == "sentencepiece":
        assert sentencepiece_proto.to_bytes(model) == path.read_bytes()
    return _answer(form, encoder, MinbpeCourseError)


def _our_encoder(form: str, model: Any) -> Encoder:
    from minbpe_course import Encoding, SentencePieceTokenizer
    from minbpe_course.engines.byte_pair import BytePairEngine
    from minbpe_course.engines.same_ids import as_vocabulary
    from minbpe_course.model import BytePairModel

    if form == "sentencepiece":
        tokenizer = SentencePieceTokenizer(model=model)
        return tokenizer.encode, {"decode": tokenizer.decode, "count": tokenizer.vocab_size()}
    if form == "tiktoken":
        ranks = dict(as_vocabulary(model).ranks)
        return lambda _: ranks, {}
    if form == "huggingface":
        encoding = Encoding.from_model(model)
        before, after = ((), ()) if isinstance(model, BytePairModel) else model.frame

        def encode(text: str) -> list[list[int]]:
            ids = encoding.encode(text, allowed_special="all")
            return [ids, [*before, *ids, *after]]

        return encode, {}
    if isinstance(model, BytePairModel):
        engine = BytePairEngine.from_model(model, repair=True)
    else:
        engine = BytePairEngine.from_vocabulary(model, repair=True, keep_all=False)
    return lambda text: engine.encode(text).tolist(), {
        "pattern": model.pattern, "specials": dict(model.special_tokens), "model": repr(model)
    }  # fmt: skip


# ---- Theirs


def theirs(asked: tuple[str, Mapping[str, bytes]]) -> Answer:
    """Return what the library makes of the files."""
    form, files = asked
    libraries: dict[str, Callable[[Path], Encoder]] = {
        "gpt2": _merges, "tekken": _mistral, "minbpe": _minbpe, "tiktoken": _tiktoken, "huggingface": _tokenizers,
        "sentencepiece": _sentencepiece,
    }  # fmt: skip
    try:
        encoder = libraries[form](_put(files) / NAMES[form])
    except BaseException as error:  # a panic of Rust is not an Exception
        return {"refused": str(error)[:500], "kind": type(error).__name__}
    return _answer(form, encoder, BaseException)


def _merges(folder: Path) -> Encoder:
    from tokenizers import Tokenizer, pre_tokenizers
    from tokenizers.models import BPE

    tokenizer = Tokenizer(BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return lambda text: tokenizer.encode(text).ids, {}


def _mistral(path: Path) -> Encoder:
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    tokenizer = Tekkenizer.from_file(path)
    specials = {each["token_str"]: each["rank"] for each in tokenizer._all_special_tokens}
    return lambda text: tokenizer.encode(text, False, False), {"specials": specials}


def _minbpe(path: Path) -> Encoder:
    from tests.compat.minbpe_reference import MinbpeTwin

    # As minbpe opens it: UTF-8, and every kind of line end becomes one.
    twin = MinbpeTwin.from_model_file(path.read_text(encoding="utf-8"))
    assert twin.vocab  # minbpe builds it when it loads
    return twin.encode_ordinary, {}


def _tiktoken(path: Path) -> Encoder:
    import os

    from tiktoken.load import load_tiktoken_bpe

    os.environ["TIKTOKEN_CACHE_DIR"] = ""  # the cache would not notice a changed file
    ranks = load_tiktoken_bpe(str(path))
    return lambda _: ranks, {}


def _tokenizers(path: Path) -> Encoder:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    return lambda text: [tokenizer.encode(text, add_special_tokens=False).ids, tokenizer.encode(text).ids], {}


def _sentencepiece(path: Path) -> Encoder:
    from sentencepiece import SentencePieceProcessor

    processor = SentencePieceProcessor()
    processor.LoadFromSerializedProto(path.read_bytes())
    normalized = [processor.normalize(text).decode("utf-8", "surrogateescape") for text in FOR_PIECES]
    return processor.encode, {
        "decode": processor.decode, "count": processor.vocab_size(), "normalized": normalized
    }  # fmt: skip
