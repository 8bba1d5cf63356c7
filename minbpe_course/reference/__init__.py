"""The algorithms in plain Python: to be read, quoted in lessons, and the oracle for the kernels of the same names.

Nothing here is fast and nothing here prints. Whatever takes several steps yields them as data.
"""
