"""Show tokens, charts and verdicts from plain data. Importing this package imports none of its parts."""

from __future__ import annotations

import logging

# On its first import matplotlib builds a font cache and says so on stderr, which the notebooks' tests compare.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
