"""The filter of system calls that the Linux rungs share, as the program that the kernel takes (classic BPF, seccomp).

What it forbids: other processes (threads are fine), sockets of any kind but a pair joined to itself, memory that no
limit counts (memfd, System V), named pipes and devices, namespaces and mounts, other processes' memory, signals that
the kernel would send for it, keyrings, clocks, and the large interfaces of the kernel that no answer to an exercise
needs. With one process, the limit on address space bounds all memory, and there is nothing to bomb with.

    program()   -> bytes for ``bwrap --seccomp`` or ``seccomp(2)``; empty on a machine whose numbers are not known here

Limits: x86-64 and 64-bit ARM. Elsewhere the other walls of a rung stand without this one.
"""

from __future__ import annotations

import errno
import platform
import struct

# Numbers of linux/unistd.h; those from 424 on are the same everywhere.
_COMMON = {
    "pidfd_send_signal": 424,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "pidfd_open": 434,
    "pidfd_getfd": 438,
    "mount_setattr": 442,
    "memfd_secret": 447,
}
_X86_64 = {
    "shmget": 29,
    "shmat": 30,
    "shmctl": 31,
    "socket": 41,
    "fork": 57,
    "vfork": 58,
    "semget": 64,
    "msgget": 68,
    "ptrace": 101,
    "syslog": 103,
    "mknod": 133,
    "pivot_root": 155,
    "adjtimex": 159,
    "chroot": 161,
    "acct": 163,
    "settimeofday": 164,
    "mount": 165,
    "umount2": 166,
    "swapon": 167,
    "reboot": 169,
    "sethostname": 170,
    "init_module": 175,
    "quotactl": 179,
    "clock_settime": 227,
    "mq_open": 240,
    "kexec_load": 246,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "unshare": 272,
    "mknodat": 259,
    "perf_event_open": 298,
    "fanotify_init": 300,
    "name_to_handle_at": 303,
    "open_by_handle_at": 304,
    "clock_adjtime": 305,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kcmp": 312,
    "finit_module": 313,
    "memfd_create": 319,
    "bpf": 321,
    "userfaultfd": 323,
}
_AARCH64 = {
    "mknodat": 33,
    "umount2": 39,
    "mount": 40,
    "pivot_root": 41,
    "chroot": 51,
    "quotactl": 60,
    "acct": 89,
    "unshare": 97,
    "kexec_load": 104,
    "init_module": 105,
    "clock_settime": 112,
    "syslog": 116,
    "ptrace": 117,
    "reboot": 142,
    "sethostname": 161,
    "settimeofday": 170,
    "adjtimex": 171,
    "mq_open": 180,
    "msgget": 186,
    "semget": 190,
    "shmget": 194,
    "shmctl": 195,
    "shmat": 196,
    "socket": 198,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "swapon": 224,
    "perf_event_open": 241,
    "fanotify_init": 262,
    "name_to_handle_at": 264,
    "open_by_handle_at": 265,
    "clock_adjtime": 266,
    "setns": 268,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "kcmp": 272,
    "finit_module": 273,
    "memfd_create": 279,
    "bpf": 280,
    "userfaultfd": 282,
}
# Where an answer can see the machine: what says something about a file rather than what is in it, and what is done to
# other processes of the same user. Landlock has no rules for the former, and for the latter only lately.
_OUTSIDE = {
    "x86_64": {
        "kill": 62,
        "rt_sigqueueinfo": 129,
        "setpriority": 141,
        "sched_setparam": 142,
        "sched_setscheduler": 144,
        "tkill": 200,
        "sched_setaffinity": 203,
        "tgkill": 234,
        "ioprio_set": 251,
        "migrate_pages": 256,
        "move_pages": 279,
        "rt_tgsigqueueinfo": 297,
        "sched_setattr": 314,
        "chmod": 90,
        "fchmod": 91,
        "chown": 92,
        "fchown": 93,
        "lchown": 94,
        "utime": 132,
        "setxattr": 188,
        "lsetxattr": 189,
        "fsetxattr": 190,
        "removexattr": 197,
        "lremovexattr": 198,
        "fremovexattr": 199,
        "utimes": 235,
        "fchownat": 260,
        "futimesat": 261,
        "fchmodat": 268,
        "utimensat": 280,
        "fchmodat2": 452,
        "setxattrat": 463,
        "removexattrat": 466,
        "file_setattr": 469,
        "truncate": 76,
        "openat2": 437,
    },
    "aarch64": {
        "ioprio_set": 30,
        "sched_setparam": 118,
        "sched_setscheduler": 119,
        "sched_setaffinity": 122,
        "kill": 129,
        "tkill": 130,
        "tgkill": 131,
        "rt_sigqueueinfo": 138,
        "setpriority": 140,
        "migrate_pages": 238,
        "move_pages": 239,
        "rt_tgsigqueueinfo": 240,
        "sched_setattr": 274,
        "setxattr": 5,
        "lsetxattr": 6,
        "fsetxattr": 7,
        "removexattr": 14,
        "lremovexattr": 15,
        "fremovexattr": 16,
        "fchmod": 52,
        "fchmodat": 53,
        "fchownat": 54,
        "fchown": 55,
        "utimensat": 88,
        "fchmodat2": 452,
        "setxattrat": 463,
        "removexattrat": 466,
        "file_setattr": 469,
        "truncate": 45,
        "openat2": 437,
    },
}
_LIMITS_OF_OTHERS = {"x86_64": 302, "aarch64": 261}  # prlimit64: of oneself, with 0 for the process, it is harmless
_PAIR = {"x86_64": 53, "aarch64": 199}  # socketpair: one end of a pair of datagrams can write to any socket
_CONTROL = {"x86_64": 72, "aarch64": 25}  # fcntl: the owner of a pipe is sent a signal, whoever that is
_OPEN = {"x86_64": ((2, 24), (257, 32)), "aarch64": ((56, 32),)}  # number, offset of the flags
# machine -> (AUDIT_ARCH of the kernel, clone, numbers)
_MACHINES = {
    "x86_64": (0xC000003E, 56, {**_COMMON, **_X86_64}),
    "aarch64": (0xC00000B7, 220, {**_COMMON, **_AARCH64}),
}
_CLONE3 = 435
_CLONE_THREAD = 0x10000
_AF_UNIX, _STREAM, _KINDS = 1, 1, 0xF
_SET_OWNER, _SET_OWNER_EX = 8, 15
_TRUNCATE, _WRITE_ONLY, _READ_AND_WRITE, _ACCESS = 0o1000, 1, 2, 3
_X32 = 0x40000000  # a second table of the same numbers on x86-64

# Classic BPF: load a word, keep some of its bits, jump when equal, when at least, when a bit is set, return.
_LOAD, _KEEP, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24  # offsets in struct seccomp_data
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000


def program(machine: str | None = None, *, outside: bool = False) -> bytes:
    """Return the filter for a machine, this one unless told; ``outside`` is for rungs from which a machine can be seen.

    >>> len(program("x86_64")) % 8, program("pdp11")
    (0, b'')
    """
    machine = platform.machine() if machine is None else machine
    known = _MACHINES.get(machine)
    if known is None:
        return b""
    arch, clone, numbers = known
    steps = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, arch), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":
        steps += [(_AT_LEAST, 0, 1, _X32), _refuse(errno.ENOSYS)]
    # "Not there" makes the C library fall back to clone, whose flags can be looked at.
    steps += [(_EQUAL, 0, 1, _CLONE3), _refuse(errno.ENOSYS)]
    more = _OUTSIDE[machine] if outside else {}
    for number in sorted({*numbers.values(), *more.values()}):
        steps += [(_EQUAL, 0, 1, number), _refuse(errno.EPERM)]
    steps += [(_EQUAL, 0, 7, _PAIR[machine]), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_EQUAL, 0, 3, _AF_UNIX)]
    steps += [(_LOAD, 0, 0, _SECOND_ARGUMENT), (_KEEP, 0, 0, _KINDS), (_EQUAL, 1, 0, _STREAM), _refuse(errno.EPERM)]
    steps += [(_RETURN, 0, 0, _ALLOW), (_EQUAL, 0, 5, _CONTROL[machine]), (_LOAD, 0, 0, _SECOND_ARGUMENT)]
    steps += [(_EQUAL, 1, 0, _SET_OWNER), (_EQUAL, 0, 1, _SET_OWNER_EX), _refuse(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
    # Before version 3 of its rules, Landlock lets a file be cut that may not be written.
    for number, flags in _OPEN[machine] if outside else ():
        steps += [(_EQUAL, 0, 7, number), (_LOAD, 0, 0, flags), (_ANY_BIT, 0, 4, _TRUNCATE), (_KEEP, 0, 0, _ACCESS)]
        steps += [(_EQUAL, 2, 0, _WRITE_ONLY), (_EQUAL, 1, 0, _READ_AND_WRITE), _refuse(errno.EPERM)]
        steps += [(_RETURN, 0, 0, _ALLOW)]
    steps += [(_EQUAL, 0, 4, _LIMITS_OF_OTHERS[machine]), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_EQUAL, 1, 0, 0)]
    steps += [_refuse(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
    steps += [(_EQUAL, 0, 3, clone), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_ANY_BIT, 1, 0, _CLONE_THREAD)]
    steps += [_refuse(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _refuse(number: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, _ERRNO | number)
