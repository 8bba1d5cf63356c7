"""Word counts to merges and pieces."""
