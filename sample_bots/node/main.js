// Sheds its least useful card, in both shedding games. JSON lines on stdin and stdout; no package needed.
"use strict";

const readline = require("node:readline");

// Ranks in the order in which to give them away: the special ones last.
const ORDER = { idiot: "3456789JQKA2T", imp: "56789JQKAT432" };
let order = "";

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// "play 3c 3h" -> [rank of its cards, how many]; what is no play comes after all plays.
function price(action) {
  const [verb, ...cards] = action.split(" ");
  return verb === "play" ? [order.indexOf(cards[0][0]), -cards.length] : [order.length, 0];
}

function choose(legal) {
  const quad = legal.find((action) => action.startsWith("quad"));
  if (quad !== undefined) return quad;
  const cheaper = (a, b) => price(a)[0] - price(b)[0] || price(a)[1] - price(b)[1];
  return [...legal].sort(cheaper)[0];
}

const HANDLERS = {
  welcome: ({ game }) => { order = ORDER[game]; },
  decide: ({ match, turn, legal }) => say({ type: "action", match, turn, action: choose(legal) }),
  fault: ({ kind, detail }) => console.error(`fault ${kind}: ${detail}`),
  bye: () => process.exit(0),
};

say({ type: "hello", protocol: 1, name: "node" });
readline
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    HANDLERS[message.type]?.(message);
  })
  .on("close", () => process.exit(0));
