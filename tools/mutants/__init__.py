"""Measure how many planted faults the tests notice."""
