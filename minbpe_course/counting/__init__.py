"""Word counts, in memory, on disk or on a cluster."""
