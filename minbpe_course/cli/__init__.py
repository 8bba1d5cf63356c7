"""The command ``minbpe-course``: one file per verb, each with ``add_args`` and ``run``; ``main`` wires them."""
