"""A bot that works without a pause until it hears a line, and then takes memory for ever. For the doctor."""

import mmap
import select
import sys

MIB = 1024 * 1024


def main() -> None:
    """Spend time, then memory that no limit of a single process counts."""
    while not select.select([sys.stdin], [], [], 0)[0]:
        pass
    held = []
    while True:
        held.append(mmap.mmap(-1, MIB))
        held[-1].write(bytes(MIB))


if __name__ == "__main__":
    main()
