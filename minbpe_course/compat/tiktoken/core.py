"""``tiktoken.core``: Encoding."""

from minbpe_course.tokenizers.encoding import Encoding

__all__ = ["Encoding"]
