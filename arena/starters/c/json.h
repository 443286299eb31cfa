/* Reads JSON as the arena sends it: one value, nested at most JSON_DEPTH deep, into a tree.
 *
 *     const Json *message = json_read(line);
 *     const char *type = json_text(json_get(message, "type"));
 *     for (const Json *card = json_get(json_get(message, "view"), "hand")->first; card; card = card->next) ...
 *     json_forget();
 *
 * Everything of a tree lives until json_forget. A line that is no JSON ends the program: the arena sends none. */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_DEPTH = 64 };

typedef enum { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_LIST, JSON_OBJECT } JsonKind;

typedef struct Json Json;
struct Json {
    JsonKind kind;
    const char *key;   /* its name, in an object */
    const char *text;  /* of a string: UTF-8; of a number, true and false: as it was written */
    const Json *first; /* of a list or an object */
    const Json *next;  /* behind it in the list or object */
};

/* Memory in blocks, all given back at once. */

typedef struct JsonBlock JsonBlock;
struct JsonBlock {
    JsonBlock *older;
    _Alignas(16) char bytes[];
};
static JsonBlock *json_blocks;

static void *json_keep(size_t size) {
    JsonBlock *block = malloc(sizeof *block + size);
    if (block == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    block->older = json_blocks;
    json_blocks = block;
    return memset(block->bytes, 0, size);
}

static void json_forget(void) {
    while (json_blocks != NULL) {
        JsonBlock *older = json_blocks->older;
        free(json_blocks);
        json_blocks = older;
    }
}

/* Reading */

static void json_wrong(const char *at) {
    fprintf(stderr, "this is no JSON, from here on: %.40s\n", at);
    exit(1);
}

static const char *json_blank(const char *at) {
    return at + strspn(at, " \t\r\n");
}

static unsigned json_hex(const char *at) {
    char digits[5] = {0};
    memcpy(digits, at, strnlen(at, 4));
    if (strspn(digits, "0123456789abcdefABCDEF") != 4) json_wrong(at);
    return (unsigned)strtoul(digits, NULL, 16);
}

static char *json_utf8(char *to, unsigned code) {
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* What stands behind a backslash; gives where the escape ends. */
static const char *json_escape(const char *at, char **to) {
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *found = *at != '\0' ? strchr(names, *at) : NULL;
    if (found != NULL) {
        *(*to)++ = meant[found - names];
        return at + 1;
    }
    if (*at != 'u') json_wrong(at);
    unsigned code = json_hex(at + 1);
    at += 5;
    if (code >> 10 == 0xD800 >> 10 && at[0] == '\\' && at[1] == 'u') { /* the first half of a pair */
        code = 0x10000 + ((code & 0x3FF) << 10) + (json_hex(at + 2) & 0x3FF);
        at += 6;
    }
    *to = json_utf8(*to, code);
    return at;
}

static const char *json_string(const char *at, const char **text) {
    if (*at != '"') json_wrong(at);
    const char *end = at + 1;
    while (*end != '"' && *end != '\0') end += end[0] == '\\' && end[1] != '\0' ? 2 : 1;
    char *to = json_keep((size_t)(end - at)); /* no escape is shorter than what it stands for */
    *text = to;
    at++;
    while (at < end) {
        if (*at == '\\')
            at = json_escape(at + 1, &to);
        else
            *to++ = *at++;
    }
    if (*at != '"') json_wrong(at);
    return at + 1;
}

static const char *json_value(const char *at, Json *value, int depth);

/* What stands between brackets or braces. */
static const char *json_inside(const char *at, Json *value, char close, int depth) {
    const Json **link = &value->first;
    at = json_blank(at + 1);
    if (*at == close) return at + 1;
    for (;;) {
        Json *item = json_keep(sizeof *item);
        if (close == '}') {
            at = json_blank(json_string(at, &item->key));
            if (*at != ':') json_wrong(at);
            at = json_blank(at + 1);
        }
        at = json_blank(json_value(at, item, depth));
        *link = item;
        link = &item->next;
        if (*at == close) return at + 1;
        if (*at != ',') json_wrong(at);
        at = json_blank(at + 1);
    }
}

static const char *json_value(const char *at, Json *value, int depth) {
    if (depth == JSON_DEPTH) json_wrong(at);
    switch (*at) {
    case '{':
        value->kind = JSON_OBJECT;
        return json_inside(at, value, '}', depth + 1);
    case '[':
        value->kind = JSON_LIST;
        return json_inside(at, value, ']', depth + 1);
    case '"':
        value->kind = JSON_STRING;
        return json_string(at, &value->text);
    }
    size_t length = strspn(at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");
    char *text = json_keep(length + 1);
    value->text = memcpy(text, at, length);
    if (strcmp(text, "null") == 0)
        value->kind = JSON_NULL;
    else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        value->kind = JSON_BOOL;
    else if (strchr("-0123456789", *at) != NULL && *at != '\0')
        value->kind = JSON_NUMBER;
    else
        json_wrong(at);
    return at + length;
}

/* The tree of a line. */
static const Json *json_read(const char *line) {
    Json *value = json_keep(sizeof *value);
    const char *end = json_blank(json_value(json_blank(line), value, 0));
    if (*end != '\0') json_wrong(end);
    return value;
}

/* Looking */

/* A field of an object; NULL when it has none of that name. */
static inline const Json *json_get(const Json *object, const char *key) {
    if (object == NULL || object->kind != JSON_OBJECT) return NULL;
    const Json *found = NULL;
    for (const Json *field = object->first; field != NULL; field = field->next)
        if (strcmp(field->key, key) == 0) found = field;
    return found;
}

/* An item of a list or object by its number from 0; NULL when there are fewer. */
static inline const Json *json_item(const Json *list, long number) {
    const Json *item = list == NULL ? NULL : list->first;
    while (item != NULL && number-- > 0) item = item->next;
    return item;
}

/* A string, or a number as it was written; "" for anything else. */
static inline const char *json_text(const Json *value) {
    return value == NULL || value->text == NULL ? "" : value->text;
}

static inline long json_long(const Json *value) {
    return strtol(json_text(value), NULL, 10);
}

#endif
