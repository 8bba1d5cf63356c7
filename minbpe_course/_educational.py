"""The door for programs that say ``from tiktoken._educational import *``; behind it is ``visual.merging_aloud``.

>>> from minbpe_course._educational import SimpleBytePairEncoding
"""

from minbpe_course.visual.merging_aloud import (
    SimpleBytePairEncoding,
    bpe_encode,
    bpe_train,
    train_simple_encoding,
    visualise_tokens,
)

__all__ = ["SimpleBytePairEncoding", "bpe_encode", "bpe_train", "train_simple_encoding", "visualise_tokens"]
