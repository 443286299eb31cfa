// Talks ZeroMQ itself, by the package `zeromq` of npm, and sheds the first card that it may. The box has no
// network and no packages: `npm run vendor` puts into this folder what Linux needs of it (about 24 MB).
"use strict";

const { Dealer } = require("zeromq");

function choose({ legal }) {
  return legal[0];
}

async function play() {
  // One connection for life: a second one would be a fault.
  const arena = new Dealer({ linger: 0, reconnectInterval: -1 });
  arena.events.on("disconnect", () => process.exit(0)); // nothing else tells that the arena is gone
  arena.connect(process.env.ARENA_ENDPOINT);

  const say = (message) => arena.send(JSON.stringify(message));
  await say({ type: "hello", protocol: 1, name: "node_zmq" });
  for await (const [frame] of arena) {
    const message = JSON.parse(frame);
    if (message.type === "decide") {
      const { match, turn } = message;
      await say({ type: "action", match, turn, action: choose(message) });
    } else if (message.type === "fault") {
      console.error(`fault ${message.kind}: ${message.detail}`);
    } else if (message.type === "bye") {
      process.exit(0);
    }
  }
}

play();
