"""The exercises of lesson 09: vocabularies as files."""
