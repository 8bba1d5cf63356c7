"""``minbpe.basic``: BasicTokenizer."""

from minbpe_course.tokenizers.basic import BasicTokenizer

__all__ = ["BasicTokenizer"]
