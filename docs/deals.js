// Deals the cards of card-arena again: a line of JSON in is a board and a deck of it, a line out its cards.
const { createHash } = require("node:crypto");

function number(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function h(...parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(number(Buffer.byteLength(part))).update(part);
  return hash.digest();
}

function boardSeed({ secret, game, options, versions, number: board }) {
  const names = [...versions].sort();
  const parts = [Buffer.from(secret, "hex"), game, options, number(names.length), ...names, number(board)];
  return h("card-arena board", ...parts);
}

function deck(seed, k, cards) {
  const order = Array.from({ length: cards }, (_, place) => place);
  let words = [];
  let block = 0;
  for (let last = cards - 1; last > 0; last--) {
    const bound = last + 1;
    let word;
    do {
      if (!words.length) {
        const digest = h("card-arena deck", seed, number(k), number(block++));
        words = Array.from({ length: 8 }, (_, place) => digest.readUInt32BE(4 * place));
      }
      word = words.shift();
    } while (word >= 2 ** 32 - (2 ** 32 % bound));
    [order[last], order[word % bound]] = [order[word % bound], order[last]];
  }
  return order;
}

const asked = require("node:fs").readFileSync(0, "utf8").split("\n").filter(Boolean).map(JSON.parse);
for (const each of asked) console.log(JSON.stringify(deck(boardSeed(each), each.deck, each.cards)));
