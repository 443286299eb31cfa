# CRASH exit code 1; last words: MemoryError
import speak

dealer, question = speak.asked()
held = bytearray(4 << 30)
