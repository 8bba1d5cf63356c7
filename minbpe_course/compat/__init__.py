"""Swap the import line and nothing else: the names of other libraries, as whole modules.

    from minbpe_course.compat import tiktoken            (also minbpe, sentencepiece, rustbpe, cs336)

Where the import line cannot be changed, put the module in the library's place before anything imports the library:

    >>> import sys
    >>> from minbpe_course.compat import minbpe
    >>> sys.modules["minbpe"] = minbpe
    >>> from minbpe.base import Tokenizer
    >>> del sys.modules["minbpe"]
"""
