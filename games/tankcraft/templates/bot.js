#!/usr/bin/env node
// A TankCraft bot to begin with: every tank shoots whatever it sees in range, and else goes to the nearest mine that is
// not ours. It speaks the text protocol; what goes to stderr (console.error) is your own log, shown beside the replay.
const TEAM = ['Striker', 'Striker', 'Pioneer', 'Pioneer', 'Sniper'];
const RANGE = { Striker: 3, Pioneer: 1, Sniper: 5 };
const WAYS = { GOUP: [-1, 0], GODOWN: [1, 0], GOLEFT: [0, -1], GORIGHT: [0, 1] };
const SIZE = 21;
const key = ([row, column]) => row * 100 + column;
const after = (lines, word) => lines.slice(lines.indexOf(word) + 1, lines.indexOf(word) + 1 + SIZE);

/** The first order on a shortest way to a goal, over open cells and through bricks, and its cell. */
function firstStep(start, goals, terrain, taken) {
  const seen = new Set([key(start)]), queue = [{ cell: start, first: null }];
  for (const { cell, first } of queue) {
    if (first && goals.has(key(cell))) return first;
    for (const [order, [down, right]] of Object.entries(WAYS)) {
      const next = [cell[0] + down, cell[1] + right];
      const kind = terrain[next[0] - 1]?.[next[1] - 1];
      if (kind === undefined || kind === '#' || seen.has(key(next)) || taken.has(key(next))) continue;
      seen.add(key(next));
      queue.push({ cell: next, first: first ?? { order, cell: next } });
    }
  }
  return { order: 'STOP', cell: start };
}

let isRed, mines;
function open(lines) {
  isRed = lines.includes('SIDE RED');
  mines = after(lines, 'MAP').flatMap((line, row) =>
    [...line].flatMap((kind, column) => ('rbn'.includes(kind) ? [[row + 1, column + 1]] : [])));
  console.log(['TEAM', ...TEAM].join(' '));
}

function play(lines) {
  const terrain = after(lines, 'TERRAIN');
  const owners = lines.find((line) => line.startsWith('OWNERS')).split(' ')[1];
  const tanks = lines.filter((line) => line.startsWith('TANK ')).map((line) => line.split(' ')).map((words) =>
    ({ ours: words[1] < 5 === isRed, type: words[2], cell: [+words[3], +words[4]], life: +words[5] }));
  const own = tanks.filter((tank) => tank.ours);
  const enemies = tanks.filter((tank) => !tank.ours && tank.cell[0] > 0 && tank.life > 0);
  const goals = new Set(mines.filter((_, at) => owners[at] !== (isRed ? 'R' : 'B')).map(key));
  const orders = own.map(({ type, cell, life }) => {
    if (life <= 0) return 'STOP';
    const far = (enemy) => Math.abs(enemy.cell[0] - cell[0]) + Math.abs(enemy.cell[1] - cell[1]);
    const [target] = enemies.filter((enemy) => far(enemy) <= RANGE[type]).sort((a, b) => a.life - b.life);
    if (target) return `FIRE ${target.cell.join(' ')}`;
    const others = new Set(own.filter((tank) => tank.cell !== cell).map((tank) => key(tank.cell)));
    const step = firstStep(cell, goals, terrain, others);
    const isBrick = '12'.includes(terrain[step.cell[0] - 1][step.cell[1] - 1]);
    goals.delete(key(step.cell));
    return isBrick && step.order !== 'STOP' ? `FIRE ${step.cell.join(' ')}` : step.order;
  });
  console.log(orders.join('\n'));
}

let lines = [];
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  lines.push(line);
  if (line !== 'CHOOSE' && line !== 'GO') return;
  (line === 'CHOOSE' ? open : play)(lines);
  lines = [];
});
