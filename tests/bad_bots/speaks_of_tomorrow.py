# START protocol 99, only 1 is spoken here
import speak

speak.connected().send_json(speak.HELLO | {"protocol": 99})
speak.waits()
