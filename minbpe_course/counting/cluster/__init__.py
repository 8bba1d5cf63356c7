"""Counting on a Dask cluster."""
