# NONE
import resource

import speak

for kind in range(16):
    soft, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        try:
            resource.setrlimit(kind, (soft, hard + 1))
        except (ValueError, OSError):
            continue
        raise AssertionError(kind)
dealer = speak.greeted()
for question in speak.questions(dealer):
    speak.plays(dealer, question)
