
// TankCraft: play(team, order) names five tanks, then asks `order` for each of them in every round.
//
// Cells are {row, column} from the upper left, both from 1. What you draw with mark, line, text, tag and value is shown
// on the viewer of your matches, to you alone. Standard output belongs to the judge: print to std::cerr.
namespace leitai {

struct Tank {
  int id;
  std::string type;  // Striker, Pioneer or Sniper
  Cell cell;
  int life;
};

struct Mine {
  Cell cell;
  char owner;  // R, B, or N for nobody
};

/// The order to shoot at a cell.
inline std::string fire(Cell cell) {
  return "FIRE:" + std::to_string(cell.first) + ":" + std::to_string(cell.second);
}

/// Whether the one can hit the other.
inline bool in_range(const Tank& tank, const Tank& other) {
  int range = tank.type == "Striker" ? 3 : tank.type == "Sniper" ? 5 : 1;
  return std::abs(tank.cell.first - other.cell.first) + std::abs(tank.cell.second - other.cell.second) <= range;
}

/// A round as your side sees it.
struct State {
  int round;
  char me;                           // R or B
  std::vector<std::string> terrain;  // '.' open, '#' stone, '1' and '2' bricks
  std::vector<Mine> mines;
  std::vector<Tank> own, enemies;  // enemies that are seen and alive

  State(const Json& view, const Json& setup)
      : round(view["round"].number()), me(view["you"].word == "first" ? 'R' : 'B'), terrain(view["terrain"].words()) {
    const std::vector<std::string> map = setup["map"].words();
    for (int row = 0; row < int(map.size()); row++)
      for (int column = 0; column < int(map[row].size()); column++)
        if (std::string("rbn").find(map[row][column]) != std::string::npos)
          mines.push_back({{row + 1, column + 1}, view["owners"].word[mines.size()]});
    for (const Json& json : view["tanks"].items) {
      Tank tank{json["id"].number(), json["type"].word, json["cell"].cell(), json["life"].number()};
      if ((tank.id < 5) == (me == 'R')) own.push_back(tank);
      else if (tank.life > 0 && tank.cell.first > 0) enemies.push_back(tank);
    }
  }

  /// The order that begins a shortest way to one of these cells, through bricks too, round your other tanks.
  std::string towards(const Tank& tank, const std::vector<Cell>& goals) const {
    static const std::pair<std::string, Cell> steps[] = {
        {"GOUP", {-1, 0}}, {"GODOWN", {1, 0}}, {"GOLEFT", {0, -1}}, {"GORIGHT", {0, 1}}};
    const std::set<Cell> wanted(goals.begin(), goals.end());
    std::set<Cell> seen{tank.cell};
    for (const Tank& other : own)
      if (other.life > 0) seen.insert(other.cell);
    std::vector<std::pair<Cell, std::string>> open{{tank.cell, "STOP"}};
    for (std::size_t at = 0; at < open.size(); at++) {
      const auto [cell, first] = open[at];
      if (wanted.count(cell) && first != "STOP") return first;
      for (const auto& [order, by] : steps) {
        Cell near{cell.first + by.first, cell.second + by.second};
        char kind = terrain_at(near);
        if (kind == '#' || !seen.insert(near).second) continue;
        bool brick = kind == '1' || kind == '2';
        open.push_back({near, first != "STOP" ? first : brick ? fire(near) : order});
      }
    }
    return "STOP";
  }

  /// What is on a cell; '#' outside of the board.
  char terrain_at(Cell cell) const {
    bool inside = cell.first >= 1 && cell.first <= int(terrain.size()) && cell.second >= 1 &&
                  cell.second <= int(terrain[0].size());
    return inside ? terrain[cell.first - 1][cell.second - 1] : '#';
  }
};

/// Plays a leg with five types: `order(state, tank)` gives an order for each tank of yours that is alive.
template <typename Order>
void play(const std::vector<std::string>& team, Order order) {
  answer_all([&](const Json& view, const Json&, const Json& setup) {
    std::string answer;
    if (view["round"].number() == 0) {
      for (const std::string& type : team) answer += ";" + type;
      return "Team" + answer;
    }
    const State state(view, setup);
    for (const Tank& tank : state.own)
      answer += (answer.empty() ? "" : ";") + (tank.life > 0 ? order(state, tank) : std::string("STOP"));
    return answer;
  });
}

}  // namespace leitai
