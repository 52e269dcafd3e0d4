// leitai: protocol=json-lines
// A King of Bots bot to begin with: it goes where the most free cells can be reached.
#include "leitai_kob.hpp"

std::string choose(const leitai::State& state) {
  std::string best;
  int most = -1;
  for (const std::string& direction : state.legal) {
    int room = state.reach(state.after(direction));
    if (room > most) most = room, best = direction;
  }
  leitai::value("room", most);  // plotted on the viewer of your matches
  return best;
}

int main() { leitai::play(choose); }
