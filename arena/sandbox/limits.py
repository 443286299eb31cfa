"""The limits of one box as util-linux prlimit sets them, inside the box.

Inside, because RLIMIT_NPROC counts by user namespace: there it counts this box alone, whoever started
it. From outside, root without CAP_SYS_RESOURCE (a container's default) may not set them for another uid.
"""

import resource
import shutil

from arena.sandbox import remedies
from arena.sandbox.base import Limits, SandboxError
from arena.sandbox.memory import MIB

STACK_BYTES = 8 * MIB
MEMLOCK_BYTES = 64 * 1024
PENDING_SIGNALS = 256


def prlimit(limits: Limits) -> tuple[str, ...]:
    """Give the command that sets the limits for the command after it.

    RLIMIT_DATA and not RLIMIT_AS bounds memory: runtimes like Node reserve address space by the
    gigabyte that they never touch. What DATA does not count: shared mappings, and each further process.
    """
    tool = shutil.which("prlimit", path="/usr/bin:/bin")
    if tool is None:
        raise SandboxError("prlimit is not in /usr/bin", remedy=remedies.install("util-linux"))
    # One byte, not none: that also keeps a piped core handler of the host from running. None where a host
    # has forbidden more.
    core = 0 if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0 else 1
    return (
        tool,
        f"--core={core}:{core}",
        f"--nofile={limits.files}:{limits.files}",
        f"--fsize={limits.file_mib * MIB}",
        f"--cpu={limits.cpu_s}:{limits.cpu_s + 1}",  # SIGXCPU names the cause; who ignores it is killed
        f"--nproc={limits.processes}:{limits.processes}",
        f"--memlock={MEMLOCK_BYTES}",
        "--msgqueue=0",
        "--rtprio=0:0",  # whoever starts us may be allowed what would starve the other processes of a core
        "--nice=0:0",
        f"--sigpending={PENDING_SIGNALS}",
        f"--stack={STACK_BYTES}",
        f"--data={limits.memory_mib * MIB}",
        "--",
    )
