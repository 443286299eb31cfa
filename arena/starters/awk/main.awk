# A bot: one JSON message a line comes in on stdin, one goes out on stdout. `choose` is yours to change.
# It reads the messages with patterns, which the fixed order of their fields allows.
# What a view holds, and what actions mean, is on the page of the game: type `arena rules GAME`.

# Load what you need here: hello says "I am ready".
BEGIN { say("{\"type\":\"hello\",\"protocol\":1,\"name\":\"awk\"}") }

# Has a "seed" for your own randomness, too.
/^\{"type":"start"/ { side = field("\"side\":", "[0-9]+") }

/^\{"type":"decide"/ {
    list = field("\"legal\":.\"", "[^]]*")
    count = split(substr(list, 1, length(list) - 1), legal, "\",\"")
    say("{\"type\":\"action\",\"match\":" field("\"match\":", "[0-9]+") \
        ",\"turn\":" field("\"turn\":", "[0-9]+") ",\"action\":\"" choose(legal, count) "\"}")
}

# What is printed to stderr is kept for your eyes.
/^\{"type":"end"/ {
    split(field("\"places\":.", "[^]]*"), places, ",")
    print "place " places[side + 1] > "/dev/stderr"
}
/^\{"type":"fault"/ { print > "/dev/stderr" }

/^\{"type":"bye"/ { exit }

# Answers a question with one of the legal actions, from 1 to `count`; this bot takes the first.
# The whole question is in $0: field("\"hand\":.", "[^]]*") gives the cards in your hand.
function choose(legal, count) {
    return legal[1]
}

# What stands behind the first `key` of the line, as far as it looks like `form`.
function field(key, form) {
    match($0, key form)
    return substr($0, RSTART + length(key), RLENGTH - length(key))
}

# Flushes: else the line waits in a buffer, and the clock runs out.
function say(line) {
    print line
    fflush()
}
