"""The maintainers' tools: run from the repository's root as ``python -m tools.<name>``; none of them is installed."""
