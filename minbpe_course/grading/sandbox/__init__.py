"""What keeps an answer in: a ladder of rungs, from a namespace of its own down to nothing but limits.

ladder        tries every rung once and picks the best
bubblewrap    Linux namespaces: nothing of the machine is visible
landlock      Linux rules on files and sockets, where namespaces are not allowed
container     docker or podman
bare          a process with limits, and a guard inside it that a determined program gets past
base          what a rung is: limits in, a started process out
system_calls  the filter of system calls that the Linux rungs share
inside        what the process does to itself before it reads the first line of an answer
"""
