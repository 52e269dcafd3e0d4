
// King of Bots: play(choose) asks `choose` for a direction in every round.
//
// Cells are {row, column} from the upper left, both from 0. What you draw with mark, line, text, tag and value is shown
// on the viewer of your matches, to you alone. Standard output belongs to the judge: print to std::cerr.
namespace leitai {

/// The neighbour of a cell in a direction: "0" up, "1" right, "2" down, "3" left.
inline Cell step(Cell cell, const std::string& direction) {
  static const Cell steps[] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}};
  const Cell& by = steps[(direction[0] - '0') & 3];
  return {cell.first + by.first, cell.second + by.second};
}

/// A round before both snakes move.
struct State {
  int round;
  bool grows;                      // whether the tails stay in this round
  std::vector<std::string> legal;  // directions to choose from
  std::vector<Cell> me, other;     // cells from head to tail
  std::set<Cell> taken;            // walls and snakes

  State(const Json& view, const Json& legal)
      : round(view["round"].number()), grows(view["grows"].is_true()), legal(legal.words()) {
    for (const Json& snake : view["snakes"].items)
      (snake["seat"].word == view["you"].word ? me : other) = snake["cells"].cells();
    const std::vector<std::string> map = view["map"].words();
    for (int row = 0; row < int(map.size()); row++)
      for (int column = 0; column < int(map[row].size()); column++)
        if (map[row][column] == '1') taken.insert({row, column});
    taken.insert(me.begin(), me.end());
    taken.insert(other.begin(), other.end());
  }

  /// The cell of your head after a move.
  Cell after(const std::string& direction) const { return step(me[0], direction); }

  /// How many free cells can be reached from this one, itself included; 0 if it is taken.
  int reach(Cell cell) const {
    std::set<Cell> seen = taken;
    std::vector<Cell> open;
    auto visit = [&](Cell next) {
      if (seen.insert(next).second) open.push_back(next);
    };
    visit(cell);
    for (std::size_t at = 0; at < open.size(); at++)
      for (const char* direction : {"0", "1", "2", "3"}) visit(step(open[at], direction));
    return int(open.size());
  }
};

/// Plays a game: `choose(state)` gives a direction.
template <typename Choose>
void play(Choose choose) {
  answer_all([&](const Json& view, const Json& legal, const Json&) { return choose(State(view, legal)); });
}

}  // namespace leitai
