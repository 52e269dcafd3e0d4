// leitai: protocol=json-lines
// A TankCraft bot to begin with: every tank shoots the weakest enemy in range, or goes to a mine that is not ours.
import { fire, inRange, mark, play } from './leitai_tankcraft';

play(['Striker', 'Striker', 'Pioneer', 'Pioneer', 'Sniper'], (state, tank) => {
  const targets = state.enemies.filter((enemy) => inRange(tank, enemy));
  if (targets.length > 0) {
    const weakest = targets.reduce((one, other) => (other.life < one.life ? other : one));
    mark([weakest.cell], 'bad'); // drawn on the viewer of your matches
    return fire(weakest.cell);
  }
  return state.towards(tank, state.mines.filter((mine) => mine.owner !== state.me).map((mine) => mine.cell));
});
