"""One file per format, each with ``read(path) -> record`` and ``write(record, path)``.

Formats know the records of ``model``, never the tokenizer classes.
"""
