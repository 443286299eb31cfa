# START bad hello: found {"type":"hello"}
import speak

speak.connected().send(b'{"type":"hello"}')
speak.waits()
