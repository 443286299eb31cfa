# START bad hello: found loading
# over stdio
import speak

speak.says_line("loading")
speak.waits()
