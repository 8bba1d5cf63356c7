"""``minbpe.regex``: RegexTokenizer and the split patterns."""

from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN
from minbpe_course.tokenizers.regex_bpe import RegexTokenizer

__all__ = ["GPT2_SPLIT_PATTERN", "GPT4_SPLIT_PATTERN", "RegexTokenizer"]
