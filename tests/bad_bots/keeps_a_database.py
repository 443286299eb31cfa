# CRASH exit code 1; last words: sqlite3.OperationalError
import sqlite3

import speak

sqlite3.connect(":memory:").execute("CREATE TABLE t (x)")
sqlite3.connect("file:/tmp/one?nolock=1", uri=True).execute("CREATE TABLE t (x)")
dealer, question = speak.asked()
sqlite3.connect("/tmp/two").execute("CREATE TABLE t (x)")
