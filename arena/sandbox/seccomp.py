"""The system calls that a bot may not make, as a program for the kernel.

Namespaces hide the host; this takes away what they do not cover: sockets of families that have no
namespace (AF_VSOCK talks to the hypervisor), kernel keyrings, nested namespaces, channels between two
seats over shared inodes (locks, inotify), other instruction sets, and the newest, least tried calls.
"""

import errno
import functools
import os
import socket
import struct
from typing import Any

from arena.sandbox import remedies
from arena.sandbox.base import SandboxError

DENIED = (
    # mounts and namespaces
    *("mount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick"),
    *("open_tree", "move_mount", "unshare", "setns"),
    # other processes
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp"),
    # kernel surface that no bot needs
    *("add_key", "request_key", "keyctl", "bpf", "perf_event_open", "userfaultfd"),
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "modify_ldt", "iopl", "ioperm"),
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot"),
    *("swapon", "swapoff", "syslog", "acct", "quotactl", "nfsservctl", "vhangup", "lookup_dcookie"),
    *("uselib", "migrate_pages", "move_pages", "sethostname", "setdomainname"),
    # time
    *("clock_settime", "clock_adjtime", "adjtimex", "settimeofday", "stime"),
    # files past the mount table, and watching files that others share
    *("name_to_handle_at", "open_by_handle_at", "fanotify_init", "fanotify_mark"),
    *("inotify_init", "inotify_init1", "inotify_add_watch"),
    # which pages of a shared file are in memory: a note to whoever reads that file next
    *("fadvise64", "readahead", "mincore", "preadv2", "pwritev2", "sync_file_range"),
    # what all of the machine has together: its slots for asynchronous I/O, the writing of its disks
    *("io_setup", "io_submit", "io_getevents", "io_pgetevents", "io_cancel", "io_destroy", "sync", "syncfs"),
    # memory that outlives a process or is counted to nobody
    *("shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl"),
    *("msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink", "memfd_create"),
    # where it runs and how soon is the arena's choice: who is last in line on a busy machine dies last, too
    *("sched_setaffinity", "setpriority", "sched_setattr", "ioprio_set"),
)
"""Calls answered with EPERM. Those that an architecture does not have are passed over."""

DENIED_NUMBERS = {
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
    "memfd_secret": 447,
}
"""The same for calls younger than some libseccomp; their numbers are equal on all architectures."""

FIRST_UNREVIEWED = 451
"""Calls from this number on (Linux 6.5) answer ENOSYS, as on an older kernel; x32 calls lie above too."""

NEW_NAMESPACE = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""

LOCK = "flock"
LOCKS = (5, 6, 7, 36, 37, 38)
"""fcntl: F_GETLK, F_SETLK, F_SETLKW, and the three of open file descriptions."""

NOTICES = (1024, 1026)
"""fcntl: F_SETLEASE, F_NOTIFY, which tell what others do with a file."""

SIZES = (1031,)
"""fcntl: F_SETPIPE_SZ, which takes from what all pipes of a user may have together."""

TERMINAL = (0x5412, 0x541C, 0x5423)
"""ioctl: TIOCSTI and TIOCLINUX, which type on somebody's terminal, and TIOCSETD, which fetches drivers."""

URGENT = 1
"""MSG_OOB, in the flags of these calls: new in unix sockets, unused, and broken more than once."""
MESSAGES = {"sendto": 3, "sendmsg": 2, "sendmmsg": 3, "recvfrom": 3, "recvmsg": 2, "recvmmsg": 3}

LAST_IN_LINE = (5, 7)
"""sched_setscheduler: SCHED_IDLE, and SCHED_EXT, which a program of the host's schedules. libzmq asks for the
usual one in each of its threads, and ends where that is refused."""
RESET_ON_FORK = 0x40000000
"""A flag beside them."""

OUT_OF_MEMORY = (20, 21)
"""madvise: MADV_COLD and MADV_PAGEOUT, which drop pages of files that others map, too."""

LOW_WORD = 0xFFFFFFFF
"""The kernel reads only the low half of an int argument: so the filter must, too."""


@functools.cache
def program(*, locks: bool) -> bytes:
    """Give the filter for this machine, built once a process (about 25 ms, most of it finding the library).

    With `locks` files may be locked, as compilers want to; leases and notices stay refused.
    Raises `SandboxError` where libseccomp is missing.
    """
    try:
        import pyseccomp  # noqa: PLC0415 - looks for the library when imported
    except (ImportError, RuntimeError, OSError):
        raise SandboxError("libseccomp.so.2 was not found", remedy=remedies.install("libseccomp")) from None
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    rules.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.ERRNO(errno.ENOSYS))
    denied = pyseccomp.ERRNO(errno.EPERM)
    for call in (*DENIED, *DENIED_NUMBERS.values(), *([] if locks else [LOCK])):
        rules.add_rule(denied, call)
    for flag in NEW_NAMESPACE:
        rules.add_rule(denied, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    # its flags lie in memory, out of a filter's sight
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    # the limits of another process: 0 is the caller itself
    rules.add_rule(denied, "prlimit64", pyseccomp.Arg(0, pyseccomp.NE, 0))
    requests = NOTICES + SIZES if locks else LOCKS + NOTICES + SIZES
    for call, place, numbers in (
        ("fcntl", 1, requests),
        ("ioctl", 1, TERMINAL),
        ("madvise", 2, OUT_OF_MEMORY),
    ):
        for number in numbers:
            rules.add_rule(denied, call, pyseccomp.Arg(place, pyseccomp.MASKED_EQ, LOW_WORD, number))
    for policy in LAST_IN_LINE:
        last = pyseccomp.Arg(1, pyseccomp.MASKED_EQ, LOW_WORD & ~RESET_ON_FORK, policy)
        rules.add_rule(denied, "sched_setscheduler", last)
    for call, place in MESSAGES.items():
        rules.add_rule(denied, call, pyseccomp.Arg(place, pyseccomp.MASKED_EQ, URGENT, URGENT))
    for call in ("socket", "socketpair"):
        not_unix = pyseccomp.Arg(0, pyseccomp.NE, socket.AF_UNIX)
        rules.add_rule(pyseccomp.ERRNO(errno.EAFNOSUPPORT), call, not_unix)
    return unreviewed() + exported(rules)


def unreviewed() -> bytes:
    """Give the instructions that answer ENOSYS from `FIRST_UNREVIEWED` on and fall through below it."""
    instructions = (
        (0x20, 0, 0, 0),  # A = the call's number
        (0x35, 0, 1, FIRST_UNREVIEWED),  # A >= it: next, else: skip one
        (0x06, 0, 0, 0x00050000 | errno.ENOSYS),  # return SECCOMP_RET_ERRNO
    )
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)


def exported(rules: Any) -> bytes:
    """Read a filter of libseccomp back as the kernel's instructions."""
    descriptor = os.memfd_create("seccomp")
    with open(descriptor, "r+b") as file:  # noqa: PTH123 - a descriptor has no path
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
