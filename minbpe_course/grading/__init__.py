"""From solutions to exercises, and from submissions to marks.

Importing this room imports none of its files.
"""
