"""The exercises of lesson 10: a regular expression becomes a table."""
