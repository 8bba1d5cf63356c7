"""What all kernels share: compiling, memory, Python objects, the on-disk cache of compiled code."""
