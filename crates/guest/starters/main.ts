// leitai: protocol=json-lines
// A bot to begin with: it plays the first legal action. guide.md says what the view of your game means.
import * as readline from 'node:readline';
import * as process from 'node:process';

/** One of the legal actions; `view` is what you see, `setup` what was known before the game, if you may know it. */
function choose(view: any, legal: string[], setup: any): string {
  return legal[0];
}

let setup: any;
readline.createInterface({ input: process.stdin }).on('line', (line: string) => {
  const message = JSON.parse(line);
  if (message.type === 'start') setup = message.setup;
  if (message.type !== 'turn') return;
  process.stdout.write(JSON.stringify({ action: choose(message.view, message.legal, setup) }) + '\n');
});
