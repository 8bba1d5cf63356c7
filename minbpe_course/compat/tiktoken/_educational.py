"""The door for programs that say ``from tiktoken._educational import *``; the code is in ``educational_steps``.

>>> from minbpe_course.compat.tiktoken._educational import SimpleBytePairEncoding
"""

from minbpe_course.compat.tiktoken.educational_steps import (
    SimpleBytePairEncoding,
    bpe_encode,
    bpe_train,
    train_simple_encoding,
    visualise_tokens,
)

__all__ = ["SimpleBytePairEncoding", "bpe_encode", "bpe_train", "train_simple_encoding", "visualise_tokens"]
