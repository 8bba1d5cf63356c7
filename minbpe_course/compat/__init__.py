"""Swap the import line and nothing else: the names of minbpe, tiktoken and other libraries."""
