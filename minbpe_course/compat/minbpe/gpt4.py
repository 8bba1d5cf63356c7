"""The door for programs that say ``from minbpe.gpt4 import ...``; behind it is ``tokenizers.gpt``.

>>> from minbpe_course.compat.minbpe.gpt4 import GPT4Tokenizer, recover_merges
"""

from minbpe_course.compat.minbpe.functions import GPT4_SPECIAL_TOKENS, GPT4_SPLIT_PATTERN, bpe, recover_merges
from minbpe_course.tokenizers.gpt import GPT4Tokenizer
from minbpe_course.tokenizers.regex_bpe import RegexTokenizer

__all__ = ["GPT4_SPECIAL_TOKENS", "GPT4_SPLIT_PATTERN", "GPT4Tokenizer", "RegexTokenizer", "bpe", "recover_merges"]
