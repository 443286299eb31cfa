# START bad hello: found {"type": "hello", "protocol": 1, "name": "\u001b]0;
import speak

speak.connected().send_json(speak.HELLO | {"name": "\x1b]0;\u202e" + "x" * 20_000})
speak.waits()
