// leitai: protocol=json-lines
// A bot to begin with: it plays the first legal action. guide.md says what the view of your game means.
'use strict';

/** One of the legal actions; `view` is what you see, `setup` what was known before the game, if you may know it. */
function choose(view, legal, setup) {
  return legal[0];
}

let setup;
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'start') setup = message.setup;
  if (message.type !== 'turn') return;
  console.log(JSON.stringify({ action: choose(message.view, message.legal, setup) }));
});
