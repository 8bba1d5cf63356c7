"""The door for programs that say ``from minbpe.basic import BasicTokenizer``.

>>> from minbpe_course.compat.minbpe.basic import BasicTokenizer
"""

from minbpe_course.tokenizers.basic import BasicTokenizer

__all__ = ["BasicTokenizer"]
