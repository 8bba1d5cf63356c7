"""Words to counts: the counting table, sorted runs and merging them."""
