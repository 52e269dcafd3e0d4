
/** Answers every question of the judge with what `decide(view, legal, setup)` gives. */
function answerAll(decide) {
  let setup = {};
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.type === 'start') setup = message.setup; // everything that is known before the game
    if (message.type !== 'turn') return;
    console.log(JSON.stringify({ action: decide(message.view, message.legal, setup) }));
  });
}

// Below: drawings and values for the viewer. The file sdk/viewer/leitai_viewer.js of Leitai is the same by itself.
