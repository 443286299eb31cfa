// A bot: one JSON message a line comes in on stdin, one goes out on stdout. `choose` is yours to change.
// What a view holds, and what actions mean, is on the page of the game: type `arena rules GAME`.
"use strict";

const readline = require("node:readline");

// Answers a question with one of the legal actions; this bot takes the first.
//   view    all that your seat may know, such as view.hand
//   events  what the others did since you were last asked
//   clock   the milliseconds you have: move_ms for this answer, and what is left in the bank
function choose({ view, events, legal, clock }) {
  return legal[0];
}

// stdout is the line to the arena; what you want to read yourself goes to stderr, as console.error does.
function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

let seated = {};

const HANDLERS = {
  start: (message) => { seated = message; }, // seat, side, and a seed for your own randomness
  decide: (question) => {
    say({ type: "action", match: question.match, turn: question.turn, action: choose(question) });
  },
  end: ({ places }) => console.error(`place ${places[seated.side]}`),
  fault: ({ kind, detail }) => console.error(`fault ${kind}: ${detail}`),
  bye: () => process.exit(0),
};

// Only what has to be loaded before the first question comes before this line: hello says "I am ready".
say({ type: "hello", protocol: 1, name: "javascript" });
readline
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    HANDLERS[message.type]?.(message); // a type it does not know is a later arena's: to be ignored
  })
  .on("close", () => process.exit(0)); // the arena is gone
