#!/usr/bin/env node
// leitai: protocol=json-lines
// A SnakeGo bot to begin with: every snake goes to the nearest item and keeps out of what kills it.
// Print answers to stdout and nothing else; what goes to stderr (console.error) is your own log, shown beside the replay.
const MOVES = { 1: [1, 0], 2: [0, 1], 3: [-1, 0], 4: [0, -1] }; // '5' shoots a ray, '6' splits
let size = [16, 16];

function choose(view, legal) {
  const [x, y] = view.snakes.find((snake) => snake.id === view.snake).cells[0];
  const blocked = new Set([...view.walls.flat(), ...view.snakes.flatMap((snake) => snake.cells)].map(String));
  const isFree = ([x, y]) => x >= 0 && x < size[0] && y >= 0 && y < size[1] && !blocked.has(`${x},${y}`);

  /** Alive first, then a way out, then the way to the nearest item. */
  const worth = (action) => {
    const cell = [x + MOVES[action][0], y + MOVES[action][1]];
    const exits = Object.values(MOVES).filter(([dx, dy]) => isFree([cell[0] + dx, cell[1] + dy])).length;
    const ways = view.items.map((item) => Math.abs(cell[0] - item.x) + Math.abs(cell[1] - item.y));
    return (isFree(cell) ? 10000 : 0) + (exits ? 1000 : 0) - 10 * Math.min(...ways, 32) + exits;
  };
  const moves = legal.filter((action) => action in MOVES);
  return moves.length ? moves.reduce((best, action) => (worth(action) > worth(best) ? action : best)) : legal[0];
}

require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'start') size = [message.setup.length ?? 16, message.setup.width ?? 16];
  if (message.type === 'turn') console.log(JSON.stringify({ action: choose(message.view, message.legal) }));
  if (message.type === 'end') console.error(`that was a ${message.you}`);
});
