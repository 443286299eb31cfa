import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON as the arena sends it: one value, nested at most DEPTH deep. Objects become Map, lists List,
 * strings String, numbers BigDecimal (a seed has 64 bits), the rest Boolean and null.
 *
 *     Map<String, Object> message = Json.object(Json.read(line));
 *     for (Object card : Json.list(Json.object(message.get("view")).get("hand"))) ...
 *
 * A line that is no JSON throws IllegalArgumentException.
 */
final class Json {
    private static final int DEPTH = 64;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object read(String line) {
        Json reader = new Json(line);
        Object value = reader.value(0);
        if (reader.blank() != '\0') throw reader.wrong();
        return value;
    }

    /** A value as an object; an empty one when it is none. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return value instanceof Map ? (Map<String, Object>) value : Map.of();
    }

    /** A value as a list; an empty one when it is none. */
    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        return value instanceof List ? (List<Object>) value : List.of();
    }

    private IllegalArgumentException wrong() {
        String rest = text.substring(Math.min(at, text.length()), Math.min(at + 40, text.length()));
        return new IllegalArgumentException("this is no JSON, from here on: " + rest);
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private char blank() {
        while (at < text.length() && " \t\r\n".indexOf(peek()) >= 0) at++;
        return peek();
    }

    /** Pass over blanks and this character, if it is the next. */
    private boolean passes(char expected) {
        boolean there = blank() == expected;
        if (there) at++;
        return there;
    }

    private Object value(int depth) {
        if (depth == DEPTH) throw wrong();
        if (passes('{')) return fields(depth + 1);
        if (passes('[')) return items(depth + 1);
        return peek() == '"' ? string() : word();
    }

    private Map<String, Object> fields(int depth) {
        Map<String, Object> found = new LinkedHashMap<>();
        if (passes('}')) return found;
        do {
            blank();
            String key = string();
            if (!passes(':')) throw wrong();
            found.put(key, value(depth));
        } while (passes(','));
        if (!passes('}')) throw wrong();
        return found;
    }

    private List<Object> items(int depth) {
        List<Object> found = new ArrayList<>();
        if (passes(']')) return found;
        do {
            found.add(value(depth));
        } while (passes(','));
        if (!passes(']')) throw wrong();
        return found;
    }

    private Object word() {
        int start = at;
        while (Character.isLetterOrDigit(peek()) || "+-.".indexOf(peek()) >= 0) at++;
        String word = text.substring(start, at);
        switch (word) {
            case "null": return null;
            case "true": return true;
            case "false": return false;
            default:
        }
        try {
            return new BigDecimal(word);
        } catch (NumberFormatException error) {
            at = start;
            throw wrong();
        }
    }

    private String string() {
        if (peek() != '"') throw wrong();
        at++;
        StringBuilder found = new StringBuilder();
        while (peek() != '"') {
            if (at >= text.length()) throw wrong();
            if (peek() == '\\') {
                at++;
                found.append(escape());
            } else {
                found.append(text.charAt(at++));
            }
        }
        at++;
        return found.toString();
    }

    /** What stands behind a backslash; the halves of a pair come one after the other. */
    private char escape() {
        int name = "\"\\/bfnrt".indexOf(peek());
        if (name >= 0) {
            at++;
            return "\"\\/\b\f\n\r\t".charAt(name);
        }
        if (peek() != 'u' || at + 5 > text.length()) throw wrong();
        try {
            char code = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
            at += 5;
            return code;
        } catch (NumberFormatException error) {
            throw wrong();
        }
    }
}
