# CRASH killed by SIGABRT
import os
import resource

import speak

dealer, question = speak.asked()
resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE))
os.chdir("/tmp")
os.abort()
