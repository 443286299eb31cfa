/* A bot: one JSON message a line comes in on stdin, one goes out on stdout. `choose` is yours to change.
 * What a view holds, and what actions mean, is on the page of the game: type `arena rules GAME`. */
#include "json.h"

/* Answers a question with one of the legal actions; this bot takes the first.
 *   view    all that your seat may know, such as json_get(view, "hand")
 *   legal   a list of strings, never empty */
static const char *choose(const Json *view, const Json *legal) {
    (void)view;
    return json_text(json_item(legal, 0));
}

/* Actions are ASCII without quotes and backslashes, so that they need no escapes. */
static void answer(const Json *question) {
    printf("{\"type\":\"action\",\"match\":%ld,\"turn\":%ld,\"action\":\"%s\"}\n",
           json_long(json_get(question, "match")), json_long(json_get(question, "turn")),
           choose(json_get(question, "view"), json_get(question, "legal")));
    fflush(stdout); /* else the line waits in a buffer, and the clock runs out */
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    long side = 0;

    /* Load what you need before this line: hello says "I am ready". */
    puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"c\"}");
    fflush(stdout);
    while (getline(&line, &room, stdin) > 0) { /* ends when the arena is gone */
        const Json *message = json_read(line);
        const char *type = json_text(json_get(message, "type"));
        if (strcmp(type, "start") == 0) /* has a "seed" for your own randomness, too */
            side = json_long(json_get(message, "side"));
        else if (strcmp(type, "decide") == 0)
            answer(message);
        else if (strcmp(type, "end") == 0) /* what is printed to stderr is kept for your eyes */
            fprintf(stderr, "place %s\n", json_text(json_item(json_get(message, "places"), side)));
        else if (strcmp(type, "fault") == 0)
            fprintf(stderr, "fault %s: %s\n", json_text(json_get(message, "kind")),
                    json_text(json_get(message, "detail")));
        else if (strcmp(type, "bye") == 0)
            break;
        json_forget(); /* a type it does not know is a later arena's: to be ignored */
    }
    json_forget();
    free(line);
    return 0;
}
