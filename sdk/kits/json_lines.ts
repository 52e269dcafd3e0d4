
/** Answers every question of the judge with what `decide(view, legal, setup)` gives. */
function answerAll(decide: (view: any, legal: string[], setup: any) => string): void {
  const node = require('node:process');
  let setup: any = {};
  require('node:readline').createInterface({ input: node.stdin }).on('line', (text: string) => {
    const message = JSON.parse(text);
    if (message.type === 'start') setup = message.setup; // everything that is known before the game
    if (message.type !== 'turn') return;
    node.stdout.write(JSON.stringify({ action: decide(message.view, message.legal, setup) }) + '\n');
  });
}

// Below: drawings and values for the viewer. The file sdk/viewer/leitai_viewer.ts of Leitai is the same by itself.
