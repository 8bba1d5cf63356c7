"""Models laid out as flat arrays for the kernels."""
