# NONE
from pathlib import Path

import speak

dealer = speak.greeted()
assert {path.name for path in Path("/bot").iterdir()} == {"bot.toml", "main.py", "speak.py"}
for path in ("/etc/shadow", "/etc/hostname", "/home", "/mnt", "/var/lib", "/sys", "/boot", "/proc/1/root"):
    assert not Path(path).exists(), path
for path in ("/proc/kcore", "/proc/kmsg", "/proc/sys/kernel/hostname"):
    try:
        Path(path).open("r+b").close()
    except OSError:
        continue
    raise AssertionError(path)
for question in speak.questions(dealer):
    speak.plays(dealer, question)
