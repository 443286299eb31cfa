"""What to type when the kernel or the distribution keeps bubblewrap from making its namespaces."""

from pathlib import Path

SETTINGS = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),  # Ubuntu from 23.10 on
    ("kernel/unprivileged_userns_clone", "0", "1"),  # Debian up to 10, hardened kernels
    ("user/max_user_namespaces", "0", "15000"),  # RHEL and its relatives
)
"""Switch below /proc/sys, the value that forbids namespaces to ordinary users, one that allows them."""


def for_namespaces(*, switches: Path = Path("/proc/sys")) -> str:
    """Give the line for the switch that stands in the way, or for a container when none does."""
    for name, forbidden, allowed in SETTINGS:
        path = switches / name
        if path.exists() and path.read_text("ascii").strip() == forbidden:
            return f"type: sudo sysctl -w {name.replace('/', '.')}={allowed}"
    return "in a container, start it by: docker run " + " ".join(
        f"--security-opt {each}" for each in CONTAINER
    )


CONTAINER = ("seccomp=unconfined", "apparmor=unconfined", "systempaths=unconfined")
"""What a container's defaults forbid: new namespaces, mounts, a /proc of one's own."""

WITHOUT_WALLS = "or run trusted bots without walls: --sandbox plain"


def for_words(said: str) -> str:
    """Give what to type after bubblewrap said this."""
    namespaces = ("namespace", "uid map", "RTM_NEWADDR", "Operation not permitted", "Permission denied")
    return for_namespaces() if any(word in said for word in namespaces) else ""
