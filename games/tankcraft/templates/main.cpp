// leitai: protocol=json-lines
// A TankCraft bot to begin with: every tank shoots the weakest enemy in range, or goes to a mine that is not ours.
#include "leitai_tankcraft.hpp"

std::string order(const leitai::State& state, const leitai::Tank& tank) {
  const leitai::Tank* weakest = nullptr;
  for (const leitai::Tank& enemy : state.enemies)
    if (leitai::in_range(tank, enemy) && (!weakest || enemy.life < weakest->life)) weakest = &enemy;
  if (weakest) {
    leitai::mark({weakest->cell}, "bad");  // drawn on the viewer of your matches
    return leitai::fire(weakest->cell);
  }
  std::vector<leitai::Cell> goals;
  for (const leitai::Mine& mine : state.mines)
    if (mine.owner != state.me) goals.push_back(mine.cell);
  return state.towards(tank, goals);
}

int main() { leitai::play({"Striker", "Striker", "Pioneer", "Pioneer", "Sniper"}, order); }
