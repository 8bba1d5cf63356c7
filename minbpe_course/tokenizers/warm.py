"""Compiling every kernel once, so that no learner waits in the middle of a lesson.

Numba keeps what it compiled beside the package (or in a user folder where that may not be written), so only
the first time takes long.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, O200K_PATTERN

_TEXT = "warm up: the cat in the hat, 12345 times… 温 " + "x" * 80


def warm_up(progress: Callable[[str], None] | None = None) -> float:
    """Compile the kernels of this package and return how many seconds it took.

    progress : called with one line before each step; ``print`` will do.

    >>> warm_up() > 0
    True
    """
    say = progress or (lambda line: None)
    start = time.perf_counter()
    steps = {"counting pairs": _pairs, "splitting and training": _training, "encoding and decoding": _encoding}
    steps["SentencePiece"] = _pieces
    for number, (what, step) in enumerate(steps.items(), 1):
        say(f"[{number}/{len(steps)}] {what} ...")
        step()
    return time.perf_counter() - start


def _pairs() -> None:
    import numpy as np

    from minbpe_course.kernels import pairs

    ids = np.array([1, 2, 1, 2], dtype=np.int32)
    keys, counts, order = np.full(16, -1, dtype=np.int64), np.zeros(16, dtype=np.int64), np.zeros(16, dtype=np.int64)
    pairs.count_pairs(ids, 1, keys, counts, order, 0)
    pairs.merge_pair(ids, 1, 2, 3, np.empty_like(ids))


def _training() -> None:
    from minbpe_course.trainers.byte_pair import train

    for pattern in (GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, O200K_PATTERN, None):
        train(_TEXT, 260, pattern=pattern)


def _encoding() -> None:
    from minbpe_course.model import BytePairModel
    from minbpe_course.tokenizers.encoding import Encoding
    from minbpe_course.tokenizers.regex_bpe import RegexTokenizer

    model = BytePairModel([(97, 97)], pattern=GPT4_SPLIT_PATTERN)
    tokenizer = RegexTokenizer.from_model(model)
    tokenizer.decode(tokenizer.encode(_TEXT))
    ranks = {token: token_id for token_id, token in model.token_bytes.items()}
    Encoding("warm", pat_str=O200K_PATTERN, mergeable_ranks=ranks, special_tokens={}).encode_ordinary(_TEXT)


def _pieces() -> None:
    from pathlib import Path

    import mistral_common

    from minbpe_course.tokenizers.sentencepiece_bpe import SentencePieceTokenizer

    model = Path(mistral_common.__file__).parent / "data" / "tokenizer.model.v1"
    tokenizer = SentencePieceTokenizer(model_file=model)
    tokenizer.decode(tokenizer.encode(_TEXT))
