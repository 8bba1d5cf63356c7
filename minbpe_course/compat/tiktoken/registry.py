"""``tiktoken.registry``: encodings by name. The table of constructors stays in tiktoken."""

from minbpe_course.tokenizers.encoding import ENCODINGS
from minbpe_course.tokenizers.encoding_names import get_encoding, list_encoding_names

__all__ = ["ENCODINGS", "get_encoding", "list_encoding_names"]
