/* Talks ZeroMQ itself, by libzmq, and sheds the first card that it may. It reads the messages with patterns,
 * which their fixed order of fields allows. Builds where libzmq's header is: Debian has it in libzmq3-dev. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum { MAX_BYTES = 65536 }; /* of a message */

static void require(int done, const char *what) {
    if (done) return;
    fprintf(stderr, "%s: %s\n", what, zmq_strerror(errno));
    exit(1);
}

static int is(const char *message, const char *type) {
    static const char head[] = "{\"type\":\"";
    const size_t length = strlen(type);
    return strncmp(message, head, sizeof head - 1) == 0 && strncmp(message + sizeof head - 1, type, length) == 0 &&
           message[sizeof head - 1 + length] == '"';
}

/* What stands behind the first `key`; an empty text when there is none. */
static const char *behind(const char *message, const char *key) {
    const char *found = strstr(message, key);
    return found == NULL ? "" : found + strlen(key);
}

static void say(void *arena, const char *text) {
    require(zmq_send(arena, text, strlen(text), 0) >= 0, "zmq_send");
}

/* The first of the legal actions, which hold no quotes. */
static void answer(void *arena, const char *question) {
    static char text[MAX_BYTES];
    const char *action = behind(question, "\"legal\":[\"");
    snprintf(text, sizeof text, "{\"type\":\"action\",\"match\":%ld,\"turn\":%ld,\"action\":\"%.*s\"}",
             strtol(behind(question, "\"match\":"), NULL, 10), strtol(behind(question, "\"turn\":"), NULL, 10),
             (int)strcspn(action, "\""), action);
    say(arena, text);
}

/* Connects, and watches the connection: a DEALER alone does not notice that it is gone. */
static void *connected(void *context, const char *endpoint, void **watch) {
    static const int none = 0, never = -1;
    void *arena = zmq_socket(context, ZMQ_DEALER);
    require(arena != NULL, "zmq_socket");
    zmq_setsockopt(arena, ZMQ_LINGER, &none, sizeof none);
    zmq_setsockopt(arena, ZMQ_RECONNECT_IVL, &never, sizeof never); /* a second connection would be a fault */
    require(zmq_socket_monitor(arena, "inproc://watch", ZMQ_EVENT_DISCONNECTED) == 0, "zmq_socket_monitor");
    *watch = zmq_socket(context, ZMQ_PAIR);
    require(zmq_connect(*watch, "inproc://watch") == 0, "zmq_connect to the monitor");
    require(zmq_connect(arena, endpoint) == 0, "zmq_connect");
    return arena;
}

/* The next message; 0 when there will be none. */
static int heard(void *arena, void *watch, char *message) {
    zmq_pollitem_t waits[] = {{arena, 0, ZMQ_POLLIN, 0}, {watch, 0, ZMQ_POLLIN, 0}};
    require(zmq_poll(waits, 2, -1) > 0, "zmq_poll");
    int length = zmq_recv(arena, message, MAX_BYTES, ZMQ_DONTWAIT); /* the last one may still be there */
    if (length < 0) return 0;
    message[length] = '\0';
    return 1;
}

int main(void) {
    static char message[MAX_BYTES + 1];
    const char *endpoint = getenv("ARENA_ENDPOINT");
    void *watch, *context = zmq_ctx_new();
    if (endpoint == NULL) {
        fputs("ARENA_ENDPOINT is not set: a bot is started by the arena, not by hand\n", stderr);
        return 1;
    }
    void *arena = connected(context, endpoint, &watch);
    say(arena, "{\"type\":\"hello\",\"protocol\":1,\"name\":\"c_zmq\"}");
    while (heard(arena, watch, message) && !is(message, "bye")) {
        if (is(message, "decide")) answer(arena, message);
        if (is(message, "fault")) fprintf(stderr, "%s\n", message);
    }
    return 0; /* no zmq_ctx_term: it would wait for what ends with the process anyway */
}
