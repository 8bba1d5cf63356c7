"""The exercises of lesson 04, merges from ranks, shuffled bytes, and the files they come in: one file for each."""
