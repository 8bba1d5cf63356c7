"""Turn submissions into marks; docs/architecture.md follows an answer from the hand-in to the report.

Importing this package imports none of its modules.
"""
