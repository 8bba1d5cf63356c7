"""The exercises of lesson 12: vocabularies as files."""
