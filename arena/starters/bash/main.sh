# A bot: one JSON message a line comes in on stdin, one goes out on stdout. `choose` is yours to change.
# It reads the messages with patterns, which the fixed order of their fields allows.
# What a view holds, and what actions mean, is on the page of the game: type `arena rules GAME`.

# Answers a question with one of the legal actions, which are its arguments; this bot takes the first.
# The whole question is in $line: "$(list hand)" gives the cards in your hand, quoted and with commas.
choose() {
    action=$1
}

# What stands between the brackets of the first field of that name.
list() {
    local rest=${line#*"\"$1\":["}
    printf '%s' "${rest%%]*}"
}

# The number behind the first field of that name.
number() {
    local rest=${line#*"\"$1\":"}
    printf '%s' "${rest%%[!0-9]*}"
}

answer() {
    local legal actions
    legal=$(list legal)
    IFS=, read -r -a actions <<<"${legal//\"/}"
    choose "${actions[@]}"
    printf '{"type":"action","match":%d,"turn":%d,"action":"%s"}\n' \
        "$(number match)" "$(number turn)" "$action"
}

# Load what you need before this line: hello says "I am ready".
echo '{"type":"hello","protocol":1,"name":"bash"}'
while IFS= read -r line; do # ends when the arena is gone
    case $line in
        '{"type":"start"'*) side=$(number side) ;; # has a "seed" for your own randomness, too
        '{"type":"decide"'*) answer ;;
        '{"type":"end"'*) # what is printed to stderr is kept for your eyes
            IFS=, read -r -a places <<<"$(list places)"
            echo "place ${places[side]}" >&2
            ;;
        '{"type":"fault"'*) echo "$line" >&2 ;;
        '{"type":"bye"'*) break ;;
    esac
done
