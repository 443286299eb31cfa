import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * A bot: one JSON message a line comes in on stdin, one goes out on stdout. choose is yours to change.
 * What a view holds, and what actions mean, is on the page of the game: type `arena rules GAME`.
 */
final class Main {
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private Main() {
    }

    /**
     * Answers a question with one of the legal actions; this bot takes the first.
     *
     * view is all that your seat may know, such as Json.list(view.get("hand")).
     */
    private static String choose(Map<String, Object> view, List<Object> legal) {
        return (String) legal.get(0);
    }

    /** Actions are ASCII without quotes and backslashes, so that they need no escapes. */
    private static String answer(Map<String, Object> question) {
        String action = choose(Json.object(question.get("view")), Json.list(question.get("legal")));
        return "{\"type\":\"action\",\"match\":" + question.get("match") + ",\"turn\":" + question.get("turn")
            + ",\"action\":\"" + action + "\"}";
    }

    /** Flushes: else the line waits in a buffer, and the clock runs out. */
    private static void say(String line) {
        OUT.print(line + "\n");
        OUT.flush();
    }

    public static void main(String[] given) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        int side = 0;

        // Load what you need before this line: hello says "I am ready".
        say("{\"type\":\"hello\",\"protocol\":1,\"name\":\"java\"}");
        for (String line = lines.readLine(); line != null; line = lines.readLine()) { // ends when the arena is gone
            Map<String, Object> message = Json.object(Json.read(line));
            switch (String.valueOf(message.get("type"))) {
                case "start": // has a "seed" for your own randomness, too
                    side = ((Number) message.get("side")).intValue();
                    break;
                case "decide":
                    say(answer(message));
                    break;
                case "end": // what is printed to stderr is kept for your eyes
                    System.err.println("place " + Json.list(message.get("places")).get(side));
                    break;
                case "fault":
                    System.err.println("fault " + message.get("kind") + ": " + message.get("detail"));
                    break;
                case "bye":
                    return;
                default: // a later arena's: to be ignored
            }
        }
    }
}
