"""Measure counting at scale: ``python -m benchmarks.scale`` measures, extrapolates and writes ``scale.md``."""
