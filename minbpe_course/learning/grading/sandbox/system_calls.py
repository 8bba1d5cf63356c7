"""The filter of system calls that the Linux rungs share, as the program that the kernel takes (classic BPF, seccomp).

It refuses other processes (threads are fine), every socket except a pair connected to itself, memory that no limit
counts (memfd, System V), named pipes and devices, namespaces and mounts, the memory of other processes, keyrings,
clocks, and large kernel interfaces that no answer needs. With one process, the limit on address space bounds all
memory, and a fork bomb is impossible.

It also refuses signals, those that the kernel would send on request, and limits that kill. So an answer cannot end as
if something outside had killed it, and what has ended by SIGKILL was killed from outside.

Limits: x86-64 and 64-bit ARM. Elsewhere the program is empty, and a rung has to do without this filter.
"""

from __future__ import annotations

import errno
import functools
import platform
import struct

# The number of each refused call on x86-64 and on 64-bit ARM (linux/unistd.h); - where a machine does not have it.
_REFUSED = """
    pidfd_send_signal   424 424    io_uring_setup      425 425    io_uring_enter      426 426
    io_uring_register   427 427    open_tree           428 428    move_mount          429 429
    fsopen              430 430    fsconfig            431 431    fsmount             432 432
    fspick              433 433    pidfd_open          434 434    pidfd_getfd         438 438
    mount_setattr       442 442    memfd_secret        447 447    shmget               29 194
    shmat                30 196    shmctl               31 195    socket               41 198
    fork                 57   -    vfork                58   -    semget               64 190
    msgget               68 186    ptrace              101 117    syslog              103 116
    mknod               133   -    pivot_root          155  41    adjtimex            159 171
    chroot              161  51    acct                163  89    settimeofday        164 170
    mount               165  40    umount2             166  39    swapon              167 224
    reboot              169 142    sethostname         170 161    init_module         175 105
    quotactl            179  60    clock_settime       227 112    mq_open             240 180
    kexec_load          246 104    add_key             248 217    request_key         249 218
    keyctl              250 219    unshare             272  97    mknodat             259  33
    perf_event_open     298 241    fanotify_init       300 262    name_to_handle_at   303 264
    open_by_handle_at   304 265    clock_adjtime       305 266    setns               308 268
    process_vm_readv    310 270    process_vm_writev   311 271    kcmp                312 272
    finit_module        313 273    memfd_create        319 279    bpf                 321 280
    userfaultfd         323 282    kill                 62 129    tkill               200 130
    tgkill              234 131    rt_sigqueueinfo     129 138    rt_tgsigqueueinfo   297 240
    timer_create        222 107    setrlimit           160 164
"""
# They tell which pages of a file are in memory, or change that: a trace from one process to another.
_REFUSED += """
    mincore              27 232    fadvise64           221 223    readahead           187 213
    preadv2             327 286    cachestat           451 451
"""
# Refused as well where an answer can see the machine: changes to the metadata of files, and actions on other processes
# of the same user. Landlock has no rules for the former, and only lately some for the latter.
_REFUSED_OUTSIDE = """
    setpriority         141 140    sched_setparam      142 118    sched_setscheduler  144 119
    sched_setaffinity   203 122    ioprio_set          251  30    migrate_pages       256 238
    move_pages          279 239    sched_setattr       314 274    chmod                90   -
    fchmod               91  52    chown                92   -    fchown               93  55
    lchown               94   -    utime               132   -    setxattr            188   5
    lsetxattr           189   6    fsetxattr           190   7    removexattr         197  14
    lremovexattr        198  15    fremovexattr        199  16    utimes              235   -
    fchownat            260  54    futimesat           261   -    fchmodat            268  53
    utimensat           280  88    fchmodat2           452 452    setxattrat          463 463
    removexattrat       466 466    file_setattr        469 469    truncate             76  45
    openat2             437 437
"""
# Refused with some arguments.
_JUDGED = """
    clone                56 220    exit                 60  93    exit_group          231  94
    fcntl                72  25    ioctl                16  29    open                  2   -
    openat              257  56    prlimit64           302 261    socketpair           53 199
"""
# machine -> (AUDIT_ARCH of the kernel, column of the tables)
_MACHINES = {"x86_64": (0xC000003E, 1), "aarch64": (0xC00000B7, 2)}
_KILLING_LIMITS = (0, 15)  # RLIMIT_CPU and RLIMIT_RTTIME
_AS_IF_KILLED = 137
_CLONE3 = 435
_CLONE_THREAD = 0x10000
_AF_UNIX, _STREAM, _KINDS = 1, 1, 0xF
_SIGNALLED = (8, 10, 15)  # set the owner of a file (F_SETOWN, F_SETOWN_EX), and the signal that the owner gets
_TERMINALS, _GROUP = 0x5400, 0xFF00  # the commands that Python and the C library use, and the bits that tell them
_TRUNCATE, _WRITE_ONLY, _READ_AND_WRITE, _ACCESS = 0o1000, 1, 2, 3
_X32 = 0x40000000  # a second table of the same numbers on x86-64

# Classic BPF: load a word, keep some of its bits, jump when equal, when at least, when a bit is set, return.
_LOAD, _KEEP, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000


@functools.cache
def program(machine: str | None = None, *, outside: bool = False) -> bytes:
    """Return the filter, as bytes for ``seccomp(2)``, for a machine (default: this one).

    outside : for rungs where an answer can see the machine.
    """
    machine = platform.machine() if machine is None else machine
    if machine not in _MACHINES:
        return b""
    arch, column = _MACHINES[machine]
    steps = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, arch), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":
        steps += [(_AT_LEAST, 0, 1, _X32), _refuse(errno.ENOSYS)]
    # ENOSYS makes the C library fall back to clone, whose flags the filter can read.
    steps += [(_EQUAL, 0, 1, _CLONE3), _refuse(errno.ENOSYS)]
    for number in sorted(_numbers(_REFUSED + _REFUSED_OUTSIDE * outside, column).values()):
        steps += [(_EQUAL, 0, 1, number), _refuse(errno.EPERM)]
    judged = _numbers(_JUDGED, column)

    def judge(name: str, *tests: tuple[int, int, int, int]) -> None:
        """Add the steps for one call: the tests, then a refusal, then the step that allows it."""
        if name in judged:
            end = [_refuse(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
            steps.extend([(_EQUAL, 0, len(tests) + 2, judged[name]), *tests, *end])

    first, second, third = ((_LOAD, 0, 0, _ARGUMENTS + 8 * number) for number in range(3))
    # One end of a pair of datagrams can write to any socket.
    judge("socketpair", first, (_EQUAL, 0, 3, _AF_UNIX), second, (_KEEP, 0, 0, _KINDS), (_EQUAL, 1, 0, _STREAM))
    # It can name any process as the owner of a pipe, which then gets signals.
    judge("fcntl", second, *((_EQUAL, 2 - at, int(at == 2), command) for at, command in enumerate(_SIGNALLED)))
    # So can this, for a socket; others change the flags of files that are open to be read.
    judge("ioctl", second, (_KEEP, 0, 0, _GROUP), (_EQUAL, 1, 0, _TERMINALS))
    for name in ("exit", "exit_group"):  # with this status bubblewrap reports a process that was killed
        judge(name, first, (_KEEP, 0, 0, 0xFF), (_EQUAL, 0, 1, _AS_IF_KILLED))
    # Before version 3 of its rules, Landlock allows truncating a file that must not be written.
    for name, flags in (("open", second), ("openat", third)) if outside else ():
        writes = ((_EQUAL, 2, 0, _WRITE_ONLY), (_EQUAL, 1, 0, _READ_AND_WRITE))
        judge(name, flags, (_ANY_BIT, 0, 4, _TRUNCATE), (_KEEP, 0, 0, _ACCESS), *writes)
    # Of the process itself (0), and not those that kill it.
    killing = ((_EQUAL, 1, 0, _KILLING_LIMITS[0]), (_EQUAL, 0, 1, _KILLING_LIMITS[1]))
    judge("prlimit64", first, (_EQUAL, 0, 3, 0), second, *killing)
    judge("clone", first, (_ANY_BIT, 1, 0, _CLONE_THREAD))
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _numbers(table: str, column: int) -> dict[str, int]:
    """Return the number of each call of a table on the machine of a column."""
    words = table.split()
    return {name: int(number) for name, number in zip(words[::3], words[column::3]) if number != "-"}


def _refuse(number: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, _ERRNO | number)
