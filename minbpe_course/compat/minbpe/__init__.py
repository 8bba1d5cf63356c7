"""minbpe as a module: ``from minbpe_course.compat import minbpe``."""

from minbpe_course.compat.minbpe import base, basic, gpt4, regex
from minbpe_course.compat.minbpe.base import Tokenizer
from minbpe_course.compat.minbpe.basic import BasicTokenizer
from minbpe_course.compat.minbpe.gpt4 import GPT4Tokenizer
from minbpe_course.compat.minbpe.regex import RegexTokenizer

__all__ = ["BasicTokenizer", "GPT4Tokenizer", "RegexTokenizer", "Tokenizer", "base", "basic", "gpt4", "regex"]
