"""Byte-level BPE without a split pattern: the whole text is one word."""

from __future__ import annotations

import os

from minbpe_course.errors import UnsupportedModel
from minbpe_course.formats import minbpe_text
from minbpe_course.model import BytePairModel
from minbpe_course.tokenizers.minbpe_base import MinbpeShaped


class BasicTokenizer(MinbpeShaped):
    """The simplest tokenizer: 256 bytes, merges, nothing else.

    >>> tokenizer = BasicTokenizer().train("aaabdaaabac", vocab_size=259)
    >>> tokenizer.encode("aaabdaaabac")
    [258, 100, 258, 97, 99]
    >>> tokenizer.decode([258, 100])
    'aaabd'
    """

    def __init__(self) -> None:
        super().__init__(BytePairModel())

    def load(self, model_file: str | os.PathLike[str]) -> BasicTokenizer:
        """Become the tokenizer that was saved to ``model_file``; return it.

        Raises UnsupportedModel when the model splits text, UnreadableModel, UnusablePath.
        """
        model = minbpe_text.read(model_file)
        if model.pattern:
            raise UnsupportedModel(
                f"{os.fspath(model_file)} has a split pattern, which a BasicTokenizer would ignore.\n"
                f"Load it with the class that splits: RegexTokenizer().load({os.fspath(model_file)!r})"
            )
        self._set_model(model)
        return self
