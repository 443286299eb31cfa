# CRASH exit code 1; last words: MemoryError
import speak

dealer, question = speak.asked()
held = [bytearray(64 << 20) for _ in range(100)]
