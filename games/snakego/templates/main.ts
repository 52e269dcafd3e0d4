// leitai: protocol=json-lines
// A SnakeGo bot to begin with: every snake goes to the nearest item and keeps out of what kills it.
import { STEPS, distance, line, play, step } from './leitai_snakego';

play((state) => {
  /** Alive first, then a way out, then the way to the nearest item. */
  const worth = (action: string) => {
    const cell = state.after(action);
    const exits = Object.keys(STEPS).filter((way) => state.isFree(step(cell, way))).length;
    const nearest = Math.min(99, ...state.items.map((item) => distance(cell, item.cell)));
    return (state.isFree(cell) ? 10000 : 0) + (exits ? 5000 : 0) - 10 * nearest + exits;
  };
  const best = state.legal.reduce((one, other) => (worth(other) > worth(one) ? other : one));
  line([state.snake.cells[0], state.after(best)]); // drawn on the viewer of your matches
  return best;
});
