# Sheds its least useful card, in both shedding games. It reads the messages with patterns, which their
# fixed order of fields allows. The arena starts it as `awk -Winteractive -f main.awk`: without the option
# mawk would wait for a full buffer.

BEGIN {
    # Ranks in the order in which to give them away: the special ones last.
    order["idiot"] = "3456789JQKA2T"
    order["imp"] = "56789JQKAT432"
    say("{\"type\":\"hello\",\"protocol\":1,\"name\":\"awk\"}")
}

/^\{"type":"welcome"/ { ranks = order[field("\"game\":\"", "[a-z]+")] }

/^\{"type":"decide"/ {
    say("{\"type\":\"action\",\"match\":" field("\"match\":", "[0-9]+") \
        ",\"turn\":" field("\"turn\":", "[0-9]+") ",\"action\":\"" choose() "\"}")
}

/^\{"type":"bye"/ { exit }

# What stands behind the first `key` of the line, as far as it looks like `form`.
function field(key, form) {
    match($0, key form)
    return substr($0, RSTART + length(key), RLENGTH - length(key))
}

function choose(    list, legal, count, i, best, price, least) {
    list = field("\"legal\":.\"", "[^]]*")
    count = split(substr(list, 1, length(list) - 1), legal, "\",\"")
    least = 1000
    for (i = 1; i <= count; i++) {
        price = cost(legal[i])
        if (price < least) { least = price; best = legal[i] }
    }
    return best
}

# Of an action: a quad is worth most, then plays by rank, many cards before few, then all the rest.
function cost(action,    words, count) {
    count = split(action, words, " ")
    if (words[1] == "quad") return -1
    if (words[1] != "play") return 900
    return 10 * index(ranks, substr(words[2], 1, 1)) - count
}

function say(line) {
    print line
    fflush()
}
