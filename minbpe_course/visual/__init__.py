"""Pictures of tokens: plain data in, something to look at out.

    tokens    coloured tokens, as HTML in a notebook and as text everywhere else
    charts    matplotlib in the house style; the only part of the package that imports matplotlib

Importing this room imports neither.
"""

from __future__ import annotations

import logging

# On its first import matplotlib builds a font cache and says so on stderr, which the notebooks' tests compare.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
