"""Show tokens, charts and verdicts from plain data.

    tokens        coloured tokens, as HTML in a notebook and as text everywhere else
    charts        matplotlib charts; the only part of the package that imports matplotlib
    playground    type and see the tokens, in a notebook or in a page

Importing this package imports none of them.
"""

from __future__ import annotations

import logging

# On its first import matplotlib builds a font cache and says so on stderr, which the notebooks' tests compare.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
