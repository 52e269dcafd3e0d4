// leitai: protocol=json-lines
// A SnakeGo bot to begin with: every snake goes to the nearest item and keeps out of what kills it.
#include "leitai_snakego.hpp"

std::string choose(const leitai::State& state) {
  std::string best;
  int most = -100000;
  for (const std::string& action : state.legal) {
    leitai::Cell cell = state.after(action);
    int exits = 0, nearest = 99;
    for (const char* way : {"1", "2", "3", "4"}) exits += state.is_free(leitai::step(cell, way));
    for (const leitai::Item& item : state.items) nearest = std::min(nearest, leitai::distance(cell, item.cell));
    int worth = 10000 * state.is_free(cell) + 5000 * (exits > 0) - 10 * nearest + exits;
    if (worth > most) most = worth, best = action;
  }
  leitai::line({state.snake.cells[0], state.after(best)});  // drawn on the viewer of your matches
  return best;
}

int main() { leitai::play(choose); }
