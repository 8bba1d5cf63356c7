"""The door for programs that say ``from minbpe.base import ...``; the room behind it is ``tokenizers.minbpe_names``.

minbpe's abstract ``Tokenizer`` is not here: its subclasses write to ``merges`` and ``vocab``, which are computed from
one record in this package. Subclass ``BasicTokenizer`` or ``RegexTokenizer``.

>>> from minbpe_course.compat.minbpe.base import get_stats, merge
"""

from minbpe_course.compat.minbpe.functions import get_stats, merge, render_token, replace_control_characters

__all__ = ["get_stats", "merge", "render_token", "replace_control_characters"]
