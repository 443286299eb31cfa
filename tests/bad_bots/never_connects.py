# START it never connected
# with little time to start
import time

time.sleep(60)
