# TIMEOUT no answer within 500 ms
# over stdio
# on a short clock
import speak

speak.greets_by_line()
speak.waits()
