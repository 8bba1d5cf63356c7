"""Words to ids: merging, the cache of words, the tables of a vocabulary."""
