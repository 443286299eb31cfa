"""Which tables a league plays, and the playing of them on this machine."""
