"""Shared by all kernels: compiling, memory, Python objects, the on-disk cache of compiled code."""
