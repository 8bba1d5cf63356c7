"""What counting costs at scale: ``python -m benchmarks.scale`` measures, extrapolates and writes ``scale.md``."""
