# CRASH exit code 1; last words: MemoryError
# in 64 MiB
import speak

dealer, question = speak.asked()
held = []
while True:
    held.append(bytearray(b"x" * (1 << 20)))
