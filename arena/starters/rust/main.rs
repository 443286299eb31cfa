//! A bot: one JSON message a line comes in on stdin, one goes out on stdout. `choose` is yours to change.
//! What a view holds, and what actions mean, is on the page of the game: type `arena rules GAME`.

mod json;

use json::Json;
use std::error::Error;
use std::io::{self, BufRead, Write};

/// Answers a question with one of the legal actions; this bot takes the first.
///
/// `view` is all that your seat may know, such as `view.get("hand").items()`.
fn choose<'a>(_view: &Json, legal: &'a [Json]) -> &'a str {
    legal[0].text()
}

/// Actions are ASCII without quotes and backslashes, so that they need no escapes.
fn answer(question: &Json) -> String {
    format!(
        r#"{{"type":"action","match":{},"turn":{},"action":"{}"}}"#,
        question.get("match").text(),
        question.get("turn").text(),
        choose(question.get("view"), question.get("legal").items()),
    )
}

/// Flushes: else the line waits in a buffer, and the clock runs out.
fn say(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut side = 0;

    // Load what you need before this line: hello says "I am ready".
    say(r#"{"type":"hello","protocol":1,"name":"rust"}"#)?;
    for line in io::stdin().lock().lines() {
        // ends when the arena is gone
        let message = Json::read(&line?)?;
        match message.get("type").text() {
            "start" => side = message.get("side").whole() as usize, // has a "seed" for your own randomness, too
            "decide" => say(&answer(&message))?,
            "end" => {
                // what is printed to stderr is kept for your eyes
                let place = message.get("places").items().get(side).map_or("", Json::text);
                eprintln!("place {place}");
            }
            "fault" => eprintln!("fault {}: {}", message.get("kind").text(), message.get("detail").text()),
            "bye" => break,
            _ => {} // a later arena's: to be ignored
        }
    }
    Ok(())
}
