"""Ids on disk: shards of a corpus and arrays of ids."""
