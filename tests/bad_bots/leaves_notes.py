# NONE
import ctypes
import mmap
from pathlib import Path

import speak

for folder in ("/tmp", "/dev/shm", "/var/tmp"):
    note = Path(folder, "arena-note")
    assert not note.exists() or folder == "/var/tmp", note  # /var/tmp is /tmp
    note.write_text("seen")
libc = ctypes.CDLL(None, use_errno=True)
assert libc.shmget(0xCA4D, mmap.PAGESIZE, 0o1666) == -1
assert libc.semget(0xCA4D, 1, 0o1666) == -1
assert libc.msgget(0xCA4D, 0o1666) == -1
assert libc.syscall(240, b"/arena-note", 0o102, 0o666, None) == -1  # mq_open
dealer = speak.greeted()
for question in speak.questions(dealer):
    speak.plays(dealer, question)
