# MALFORMED found
# over stdio
import speak

for _ in speak.asked_by_line():
    speak.says_line("\0\0\0")
