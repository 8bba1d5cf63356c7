"""Keep an answer confined: a ladder of rungs, from Linux namespaces down to a process with limits.

``choose_sandbox`` tries each rung (bubblewrap, landlock, container, bare) once; ``base`` has what they share.
``forks`` starts a worker of the best rung in an interpreter that is ready, and isolated, already.
``inside`` restricts the process of an answer from within, before it reads the first line.
"""
