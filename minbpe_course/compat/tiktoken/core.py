"""The door for programs that say ``tiktoken.core``; the room behind it is ``tokenizers.encoding``.

>>> from minbpe_course.compat.tiktoken.core import Encoding
"""

from minbpe_course.tokenizers.encoding import Encoding

__all__ = ["Encoding"]
