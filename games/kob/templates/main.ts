// leitai: protocol=json-lines
// A King of Bots bot to begin with: it goes where the most free cells can be reached.
import { play, value } from './leitai_kob';

play((state) => {
  const room = (direction: string) => state.reach(state.after(direction));
  const best = state.legal.reduce((one, other) => (room(other) > room(one) ? other : one));
  value({ room: room(best) }); // plotted on the viewer of your matches
  return best;
});
