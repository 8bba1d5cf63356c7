"""The door for programs that say ``tiktoken.registry``; the room behind it is ``tokenizers.encoding_names``.

``ENCODINGS`` holds what was asked for by name so far. The table of constructors stays tiktoken's own.

>>> from minbpe_course.compat.tiktoken.registry import get_encoding
"""

from minbpe_course.tokenizers.encoding_names import get_encoding, list_encoding_names
from minbpe_course.tokenizers.encoding_registry import ENCODINGS

__all__ = ["ENCODINGS", "get_encoding", "list_encoding_names"]
