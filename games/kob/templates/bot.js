#!/usr/bin/env node
// leitai: protocol=json-lines
// A King of Bots bot to begin with: it goes where the most free cells can be reached.
// Print answers to stdout and nothing else; what goes to stderr (console.error) is your own log, shown beside the replay.
const STEPS = [[-1, 0], [0, 1], [1, 0], [0, -1]]; // 0 up, 1 right, 2 down, 3 left

/** How many free cells can be reached from here. */
function reach([row, column], taken) {
  if (taken[row][column]) return 0;
  const seen = taken.map((line) => [...line]), queue = [[row, column]];
  seen[row][column] = true;
  for (const [r, c] of queue) {
    for (const [down, right] of STEPS) {
      if (seen[r + down][c + right]) continue;
      seen[r + down][c + right] = true;
      queue.push([r + down, c + right]);
    }
  }
  return queue.length;
}

function choose({ map, snakes, you }, legal) {
  const taken = map.map((line) => [...line].map((cell) => cell === '1'));
  for (const { cells } of snakes) for (const [r, c] of cells) taken[r][c] = true;
  const [row, column] = snakes.find((snake) => snake.seat === you).cells[0];
  const worth = (action) => reach([row + STEPS[action][0], column + STEPS[action][1]], taken);
  return legal.reduce((best, action) => (worth(action) > worth(best) ? action : best));
}

require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'turn') console.log(JSON.stringify({ action: choose(message.view, message.legal) }));
  if (message.type === 'end') console.error(`that was a ${message.you}`);
});
