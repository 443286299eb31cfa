# Plays tables that were recorded, offline: asks the bot every question of tables/*.jsonl, as the arena would,
# and looks whether each answer is in form and one of the actions that were listed as legal.
# Type: sh test.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$here" "$work/bot" # what a build makes is left out of your folder: it would be part of the bot
cd "$work/bot"
{{build}}
for table in tables/*.jsonl; do
    ARENA_ENDPOINT=stdio: {{run}} <"$table" >"$work/answers" || {
        echo "$table: the bot ended with exit code $?"
        exit 1
    }
    awk -v table="$table" '
        function value(line, key, form) {
            if (!match(line, "\"" key "\" *: *" form)) return ""
            line = substr(line, RSTART, RLENGTH)
            sub(/^"[a-z]*" *: */, "", line)
            return line
        }
        function wrong(sentence) {
            print table ": " sentence
            failed = 1
            exit 1
        }
        FNR == NR && /^{"type":"decide"/ {
            asked[++questions] = $0
        }
        FNR == NR { next }
        value($0, "type", "\"[a-z]*\"") == "\"hello\"" && FNR == 1 { next }
        FNR == 1 { wrong("the first line is no hello but " $0) }
        {
            question = asked[++answers]
            if (answers > questions) wrong("more answers than questions: " $0)
            if (value($0, "type", "\"[a-z]*\"") != "\"action\"") wrong("no action but " $0)
            if (value($0, "match", "[0-9]+") != value(question, "match", "[0-9]+") ||
                value($0, "turn", "[0-9]+") != value(question, "turn", "[0-9]+"))
                wrong("answer " answers " is to another question: " $0)
            action = value($0, "action", "\"[^\"]*\"")
            legal = substr(question, index(question, "\"legal\":"))
            legal = substr(legal, 1, index(legal, "]"))
            if (action == "" || !index(legal, action)) wrong("found " action ", allowed are " legal)
        }
        END {
            if (failed) exit 1
            if (answers < questions) wrong(questions " questions and " answers + 0 " answers")
            print table ": " answers " answers, all of them legal"
        }' "$table" "$work/answers"
done
