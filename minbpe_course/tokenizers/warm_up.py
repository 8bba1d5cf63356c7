"""Compile every kernel once, so that no learner has to wait in the middle of a lesson.

Compiled kernels are stored on disk (see ``kernels.common.cache``), so only the first time takes long: a second call
compiles nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from minbpe_course.kernels import on_compile
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, O200K_PATTERN

_TEXT = "warm up: the cat in the hat, 12345 times… 温 " + "x" * 80


def warm_up(
    progress: Callable[[str], None] | None = None, compiling: Callable[[str, int], None] | None = None
) -> float:
    """Compile the kernels of this package that are not on disk yet, and return how many seconds it took.

    progress : called with a line before each step, ending in "...", and with a line after it that has the number of
    compiled kernels and the time, for example ``print``. compiling : called before each kernel with the names of its
    step and of the kernel, and the number of kernels before it, for a moving display.

    >>> warm_up() > 0
    True
    """
    say = progress or (lambda line: None)
    steps = {"counting pairs": _pairs, "splitting and training": _training}
    steps |= {"encoding": _encoding, "decoding": _decoding, "SentencePiece": _pieces}
    steps["training SentencePiece"] = _piece_training
    begun = time.perf_counter()
    kernels: list[str] = []
    heading = ""

    def about_to_compile(kernel: str) -> None:
        if compiling is not None:
            compiling(f"{heading}: {kernel}", len(kernels))
        kernels.append(kernel)

    on_compile.append(about_to_compile)
    try:
        for number, (what, step) in enumerate(steps.items(), 1):
            heading = f"[{number}/{len(steps)}] {what}"
            before, start = len(kernels), time.perf_counter()
            say(f"{heading} ...")
            step()
            fresh = len(kernels) - before
            made = f"{fresh} kernel{'s' * (fresh != 1)} compiled" if fresh else "nothing to compile"
            say(f"{heading}: {made}, {time.perf_counter() - start:.1f} s")
    finally:
        on_compile.remove(about_to_compile)
    return time.perf_counter() - begun


def _pairs() -> None:
    import numpy as np

    from minbpe_course.kernels.training import pairs

    ids = np.array([1, 2, 1, 2], dtype=np.int32)
    keys, counts, order = np.full(16, -1, dtype=np.int64), np.zeros(16, dtype=np.int64), np.zeros(16, dtype=np.int64)
    pairs.count_pairs(ids, 1, keys, counts, order, 0)
    pairs.merge_pair(ids, 1, 2, 3, np.empty_like(ids))


def _training() -> None:
    from minbpe_course.counting.word_table import WordTable
    from minbpe_course.splitting.blocks import TextBlock
    from minbpe_course.splitting.splitter import Splitter
    from minbpe_course.trainers.byte_pair import train

    for pattern in (GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, O200K_PATTERN, None):
        train(_TEXT, 260, pattern=pattern)
    # For large texts: tables that grow, and tables of several threads that are merged.
    splitter = Splitter(r"\w|\W")
    many, few = WordTable(splitter), WordTable(splitter, words=1)
    for run in splitter.runs("".join(map(chr, range(256)))):
        many.add(run)
    few.add_words(many, many.entries(), 0, len(many))
    TextBlock("й", [0, 1]).size()
    _counts_files()


def _counts_files() -> None:
    import tempfile
    from pathlib import Path

    from minbpe_course.counting.counts_file import merge_counts, write_counts

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "warm.counts")
        write_counts({b"low": 2, b"lower": 1}, path)
        merge_counts([path, path], path, min_frequency=3).load()


def _encoding() -> None:
    import numpy as np

    from minbpe_course.formats import huggingface_json
    from minbpe_course.kernels.lazy import layout, raw_bytes
    from minbpe_course.model import BytePairModel, VocabularyModel
    from minbpe_course.tokenizers.encoding import Encoding
    from minbpe_course.tokenizers.regex_bpe import RegexTokenizer

    model = BytePairModel([(97, 97)], pattern=GPT4_SPLIT_PATTERN)
    tokenizer = RegexTokenizer.from_model(model)
    # Short texts, long texts and batches have separate kernels.
    for text in (_TEXT, _TEXT * 100):
        tokenizer.encode(text)
        tokenizer.encode_to_array(text)
    tokenizer.encode_batch([_TEXT, _TEXT, "a"])
    tokenizer.encode_batch([_TEXT * 1000, _TEXT * 1000])
    ranks = {token: token_id for token_id, token in model.token_bytes.items()}
    encoding = Encoding("warm", pat_str=O200K_PATTERN, mergeable_ranks=ranks, special_tokens={})
    encoding.encode_ordinary(_TEXT)
    # Caches grow when a text has many words.
    worker = encoding._engine._borrow_worker()
    worker.provide(layout.NEEDS_CACHE)
    worker.provide(layout.NEEDS_LONG)
    # Bytes that are not UTF-8 are merged without a splitter.
    encoding._encode_bytes(b"a\xff")
    # The bytes of files.
    data = np.frombuffer(_TEXT.encode("utf-8"), dtype=np.uint8)
    raw_bytes.is_utf8(data.ctypes.data, data.size)
    raw_bytes.has_pair(data.ctypes.data, data.size, 0x3C, 0x7C)
    huggingface_json.from_json(huggingface_json.to_json(model))
    # A pattern with a table, and several steps.
    RegexTokenizer.from_model(model.replace(pattern=r"\w+|\W+")).encode(_TEXT)
    steps = (("Digits", True), ("ByteLevel", False, True))
    Encoding.from_model(VocabularyModel(model.token_bytes, [(97, 97, 256)], split_steps=steps)).encode_ordinary(_TEXT)


def _decoding() -> None:
    import numpy as np

    from minbpe_course.kernels.common import lists
    from minbpe_course.tokenizers.basic import BasicTokenizer

    tokenizer, ids = BasicTokenizer(), np.arange(97, 101, dtype=np.uint32)
    lists.list_from(ids)
    lists.lists_from(ids, np.array([0, 2, 4]))
    for form in (ids, ids.tolist()):
        tokenizer.decode(form)
        tokenizer.decode_tokens_bytes(form)
        tokenizer.decode_with_offsets(form)


def _pieces() -> None:
    from minbpe_course.formats import sentencepiece_proto
    from minbpe_course.model import NORMAL, UNKNOWN, PieceModel
    from minbpe_course.tokenizers.sentencepiece_tokenizer import SentencePieceTokenizer

    pieces = ("<unk>", "▁", "a", "▁a")
    kinds = (UNKNOWN, NORMAL, NORMAL, NORMAL)
    for model_type in ("bpe", "unigram"):
        model = PieceModel(pieces, (0.0, -2.0, -3.0, -1.0), kinds, model_type)
        tokenizer = SentencePieceTokenizer(model_proto=sentencepiece_proto.to_bytes(model))
        for text in (_TEXT, _TEXT * 100):
            tokenizer.encode_to_array(text)
            tokenizer.decode(tokenizer.encode(text))
        tokenizer.encode([_TEXT, "a"], out_type=str)
        tokenizer.encode_with_offsets(_TEXT)
        tokenizer.encode("aa", enable_sampling=True, alpha=0.5)
    tokenizer.nbest_encode("aa", nbest_size=2)


def _piece_training() -> None:
    import numpy as np

    from minbpe_course.kernels.training.piece_corpus import keep_lines
    from minbpe_course.trainers.piece_training import train_sentencepiece

    # Reading text from files.
    text = np.frombuffer(b"line\n", dtype=np.uint8)
    keep_lines(text, 10, np.empty_like(text), np.empty(2, dtype=np.int64))
    train_sentencepiece(
        sentence_iterator=[_TEXT], vocab_size=40, normalization_rule_name="identity", hard_vocab_limit=False
    )
