# MEMORY MiB in its box
# in 64 MiB
from pathlib import Path

import speak

dealer, question = speak.asked()
number = 0
while True:
    number += 1
    Path(f"/tmp/{number}").touch()
