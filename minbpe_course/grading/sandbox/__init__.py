"""Keep an answer confined: a ladder of rungs, from Linux namespaces down to a process with limits.

``choose_sandbox`` tries each rung (bubblewrap, landlock, container, bare) once; ``base`` has what they share.
``inside`` restricts the process of an answer from within, before it reads the first line.
"""
