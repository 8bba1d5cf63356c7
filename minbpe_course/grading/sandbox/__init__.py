"""Keep an answer confined: a ladder of rungs, from Linux namespaces down to a process with limits.

choose_sandbox  tries every rung once and picks the best
bubblewrap      Linux namespaces: nothing of the machine is visible
landlock        Linux rules on files and sockets, where namespaces are not allowed
container       docker or podman
bare            a process with limits, and a guard inside it that a determined program gets past
base            what every rung shares: limits, the started process, the files of the worker
system_calls    the filter of system calls that the Linux rungs share
libraries       the shared libraries that a Python needs
processor       the processor time of another process
removal         removes the folder of an answer in bounded time
inside          restricts the process of an answer, from inside, before it reads the first line
"""
