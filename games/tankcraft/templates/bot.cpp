// A TankCraft bot to begin with: every tank shoots whatever it sees in range, and else goes to the nearest mine that is
// not ours. It speaks the text protocol; what goes to stderr is your own log, shown beside the replay.
#include <cstdlib>
#include <deque>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
using namespace std;

const int SIZE = 21;
const string WAYS[] = {"GOUP", "GODOWN", "GOLEFT", "GORIGHT"};
const int DOWN[] = {-1, 1, 0, 0}, RIGHT[] = {0, 0, -1, 1};

struct Tank {
  int number, row, column, life;
  string kind;
};

int range_of(const string& kind) { return kind == "Striker" ? 3 : kind == "Sniper" ? 5 : 1; }

// Rows and columns count from 1.
struct Grid {
  vector<string> lines;
  char& at(int row, int column) { return lines[row - 1][column - 1]; }
};

Grid read_grid() {
  Grid grid;
  grid.lines.resize(SIZE);
  for (string& line : grid.lines) getline(cin, line);
  return grid;
}

// The first order on a shortest way to a goal ('*'), over open cells and through bricks.
string first_step(Grid terrain, Grid goals, const Tank& tank) {
  vector<vector<int>> first(SIZE + 2, vector<int>(SIZE + 2, -1));
  deque<pair<int, int>> open{{tank.row, tank.column}};
  terrain.at(tank.row, tank.column) = '#';
  while (!open.empty()) {
    auto [row, column] = open.front();
    open.pop_front();
    for (int way = 0; way < 4; way++) {
      int r = row + DOWN[way], c = column + RIGHT[way];
      if (r < 1 || r > SIZE || c < 1 || c > SIZE || terrain.at(r, c) == '#') continue;
      bool brick = terrain.at(r, c) == '1' || terrain.at(r, c) == '2';
      int begun = first[row][column];
      first[r][c] = begun >= 0 ? begun : way + (brick ? 4 : 0);
      if (goals.at(r, c) == '*') {
        int step = first[r][c];
        if (step < 4) return WAYS[step];
        return "FIRE " + to_string(tank.row + DOWN[step - 4]) + " " + to_string(tank.column + RIGHT[step - 4]);
      }
      terrain.at(r, c) = '#';
      open.push_back({r, c});
    }
  }
  return "STOP";
}

string order(const Tank& tank, const vector<Tank>& own, const vector<Tank>& enemies, Grid terrain, Grid goals) {
  if (tank.life <= 0) return "STOP";
  const Tank* target = nullptr;
  for (const Tank& enemy : enemies) {
    int far = abs(enemy.row - tank.row) + abs(enemy.column - tank.column);
    if (far <= range_of(tank.kind) && (!target || enemy.life < target->life)) target = &enemy;
  }
  if (target) return "FIRE " + to_string(target->row) + " " + to_string(target->column);
  for (const Tank& other : own)
    if (other.life > 0 && other.number != tank.number) terrain.at(other.row, other.column) = '#';
  return first_step(terrain, goals, tank);
}

int main() {
  bool red = true;
  Grid board, terrain;
  string owners;
  vector<Tank> own, enemies;
  for (string line; getline(cin, line);) {
    stringstream words(line);
    string word;
    words >> word;
    if (word == "SIDE") {
      words >> word;
      red = word == "RED";
    } else if (word == "MAP") {
      board = read_grid();
    } else if (word == "CHOOSE") {
      cout << "TEAM Striker Striker Pioneer Pioneer Sniper" << endl;
    } else if (word == "ROUND") {
      own.clear(), enemies.clear();
    } else if (word == "TERRAIN") {
      terrain = read_grid();
    } else if (word == "OWNERS") {
      words >> owners;
    } else if (word == "TANK") {
      Tank tank;
      words >> tank.number >> tank.kind >> tank.row >> tank.column >> tank.life;
      if ((tank.number < 5) == red) own.push_back(tank);
      else if (tank.row > 0 && tank.life > 0) enemies.push_back(tank);
    } else if (word == "GO") {
      Grid goals = board;
      size_t mine = 0;
      for (string& row : goals.lines)
        for (char& cell : row)
          if (cell == 'r' || cell == 'b' || cell == 'n') cell = owners[mine++] == (red ? 'R' : 'B') ? '.' : '*';
      for (const Tank& tank : own) cout << order(tank, own, enemies, terrain, goals) << "\n";
      cout.flush();
    }
  }
}
