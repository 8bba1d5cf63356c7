"""The hot loops, compiled by Numba: arrays in, the caller's buffers out, counts back.

No strings, dicts, files or exceptions live in a kernel. It may call kernels of other files: the one decorator
``compiled.compiled`` keeps what was compiled until any source of this room changes. Nothing here checks its input; the
rooms above do. Every kernel has a readable twin of the same name in ``reference``.
"""
