
// SnakeGo: play(choose) asks `choose` for an action whenever one of your snakes has to act.
//
// Cells are {x, y} from the lower left, both from 0. What you draw with mark, line, text, tag and value is shown on the
// viewer of your matches, to you alone. Standard output belongs to the judge: print to std::cerr.
namespace leitai {

struct Snake {
  int id;
  bool mine;
  int bank;  // cells it will still grow
  bool ray;
  std::vector<Cell> cells;  // from head to tail
};

struct Item {
  Cell cell;
  int type;  // 0 grows by `param` cells, 2 brings a ray
  int param;
  int expires;  // the last round in which it lies there
};

/// The neighbour of a cell: "1" +x, "2" +y, "3" -x, "4" -y; "5", a ray, and "6", a split, stay where they are.
inline Cell step(Cell cell, const std::string& action) {
  static const Cell steps[] = {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {0, 0}, {0, 0}, {0, 0}};
  const Cell& by = steps[(action[0] - '0') & 7];
  return {cell.first + by.first, cell.second + by.second};
}

/// The steps between two cells on an empty board.
inline int distance(Cell one, Cell other) {
  return std::abs(one.first - other.first) + std::abs(one.second - other.second);
}

/// A moment in which one of your snakes acts.
struct State {
  int length, width, round, rounds;
  std::vector<std::string> legal;  // actions to choose from
  Snake snake;                     // the one that acts
  std::vector<Snake> snakes;
  std::vector<Item> items;
  std::set<Cell> my_walls, other_walls, taken;  // `taken`: walls and snakes

  State(const Json& view, const Json& legal, const Json& setup)
      : length(setup["length"].number(16)),
        width(setup["width"].number(16)),
        round(view["round"].number()),
        rounds(view["rounds"].number()),
        legal(legal.words()) {
    for (const Json& own : view["snakes"].items) {
      bool mine = own["seat"].word == view["you"].word;
      snakes.push_back({own["id"].number(), mine, own["bank"].number(), own["ray"].is_true(), own["cells"].cells()});
      if (snakes.back().id == view["snake"].number()) snake = snakes.back();
      taken.insert(snakes.back().cells.begin(), snakes.back().cells.end());
    }
    for (const Json& item : view["items"].items)
      items.push_back({{item["x"].number(), item["y"].number()},
                       item["type"].number(),
                       item["param"].number(),
                       item["expires"].number()});
    for (int side = 0; side < int(view["walls"].items.size()); side++) {
      const std::vector<Cell> walls = view["walls"].items[side].cells();
      ((side == 0) == (view["you"].word == "first") ? my_walls : other_walls).insert(walls.begin(), walls.end());
      taken.insert(walls.begin(), walls.end());
    }
  }

  /// The cell of the head after an action.
  Cell after(const std::string& action) const { return step(snake.cells[0], action); }

  /// Whether it is on the board, and neither wall nor snake.
  bool is_free(Cell cell) const {
    bool inside = cell.first >= 0 && cell.first < length && cell.second >= 0 && cell.second < width;
    return inside && taken.count(cell) == 0;
  }
};

/// Plays a leg: `choose(state)` gives an action.
template <typename Choose>
void play(Choose choose) {
  answer_all([&](const Json& view, const Json& legal, const Json& setup) { return choose(State(view, legal, setup)); });
}

}  // namespace leitai
