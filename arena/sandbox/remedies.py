"""What to type when something that the walls need is missing or forbidden, for this distribution."""

import os
import platform
from collections.abc import Sequence
from pathlib import Path

from arena.sandbox import cgroups

SETTINGS = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),  # Ubuntu from 23.10 on
    ("kernel/unprivileged_userns_clone", "0", "1"),  # Debian up to 10, hardened kernels
    ("user/max_user_namespaces", "0", "15000"),  # RHEL and its relatives
)
"""Switch below /proc/sys, the value that forbids namespaces to ordinary users, one that allows them."""

CONTAINER = ("seccomp=unconfined", "apparmor=unconfined", "systempaths=unconfined")
"""What a container's defaults forbid: new namespaces, mounts, a /proc of one's own."""

MANAGERS = {
    "debian": "apt-get install",
    "ubuntu": "apt-get install",
    "fedora": "dnf install",
    "rhel": "dnf install",
    "suse": "zypper install",
    "arch": "pacman -S",
    "alpine": "apk add",
}
"""Distribution, or the one that it says it is like -> how a package is installed."""

OTHER_NAMES = {("apt-get install", "libseccomp"): "libseccomp2"}
DELEGATED = "systemd-run --user --scope -p Delegate=yes"
ORDINARY_USER = "run the arena as an ordinary user"
WITHOUT_WALLS = "or run trusted bots without walls: --sandbox plain"


def for_namespaces(*, switches: Path = Path("/proc/sys")) -> str:
    """Give the line for the switch that stands in the way, or for a container when none does."""
    for name, forbidden, allowed in SETTINGS:
        path = switches / name
        if path.exists() and path.read_text("ascii").strip() == forbidden:
            return f"type: {as_root()}sysctl -w {name.replace('/', '.')}={allowed}"
    return "in a container, start it by: docker run " + " ".join(
        f"--security-opt {each}" for each in CONTAINER
    )


def for_words(said: str) -> str:
    """Give what to type after bubblewrap said this; nothing when it is not about rights."""
    rights = ("namespace", "uid map", "RTM_NEWADDR", "Operation not permitted", "Permission denied")
    return for_namespaces() if any(word in said for word in rights) else ""


def for_groups() -> str:
    """Give how to get control groups, which hold a bot better, as far as there is a way."""
    if os.environ.get(cgroups.SWITCH) == "no":
        return f"for control groups, type: unset {cgroups.SWITCH}"
    if os.geteuid() == 0:
        return ""  # root has them wherever the machine lets it
    return f"for control groups, type: {DELEGATED} arena run"


def install(package: str, *, distributions: Sequence[str] | None = None) -> str:
    """Give the line that installs a package on the first known of the distributions, by default this one."""
    known = [name for name in distributions or this_and_alike() if name in MANAGERS]
    manager = MANAGERS[known[0]] if known else "apt-get install"
    return f"type: {as_root()}{manager} {OTHER_NAMES.get((manager, package), package)}"


def this_and_alike() -> list[str]:
    """Give the distribution that this is, and those that it is like."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return []
    return [release.get("ID", ""), *release.get("ID_LIKE", "").split()]


def as_root() -> str:
    """Give what must stand before a command that needs root; containers that run as root lack sudo."""
    return "" if os.geteuid() == 0 else "sudo "
