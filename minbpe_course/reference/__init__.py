"""The algorithms in plain Python. Lessons quote them, and tests compare every kernel with its reference.

Nothing here is fast and nothing prints. Functions that take several steps yield them as data.
"""
