// A King of Bots bot to begin with: it goes where the most free cells can be reached.
// Each round it reads one line, MAP#my row#my column#(my steps)#your row#your column#(your steps), and prints one
// digit: 0 up, 1 right, 2 down, 3 left. What goes to stderr is your own log, shown beside the replay.
#include <deque>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
using namespace std;

const int ROWS = 13, COLUMNS = 14;
const int DOWN[] = {-1, 0, 1, 0}, RIGHT[] = {0, 1, 0, -1};
using Cell = pair<int, int>;
using Board = vector<vector<bool>>;  // true: something is there

bool grows(int step) { return step <= 10 || step % 3 == 1; }

// The cells of a snake from tail to head.
deque<Cell> body(int row, int column, const string& steps) {
  deque<Cell> cells{{row, column}};
  int number = 0;
  for (char digit : steps) {
    if (digit < '0' || digit > '3') continue;  // the brackets
    row += DOWN[digit - '0'], column += RIGHT[digit - '0'];
    cells.push_back({row, column});
    if (!grows(++number)) cells.pop_front();
  }
  return cells;
}

bool is_free(const Board& board, int row, int column) {
  return row >= 0 && row < ROWS && column >= 0 && column < COLUMNS && !board[row][column];
}

int reach(Board board, int row, int column) {
  if (!is_free(board, row, column)) return 0;
  vector<Cell> open{{row, column}};
  board[row][column] = true;
  int count = 0;
  while (!open.empty()) {
    auto [r, c] = open.back();
    open.pop_back();
    count++;
    for (int d = 0; d < 4; d++) {
      int nr = r + DOWN[d], nc = c + RIGHT[d];
      if (!is_free(board, nr, nc)) continue;
      board[nr][nc] = true;
      open.push_back({nr, nc});
    }
  }
  return count;
}

int choose(const string& line) {
  vector<string> parts;
  stringstream stream(line);
  for (string part; getline(stream, part, '#');) parts.push_back(part);
  Board board(ROWS, vector<bool>(COLUMNS));
  for (int at = 0; at < ROWS * COLUMNS; at++) board[at / COLUMNS][at % COLUMNS] = parts[0][at] == '1';
  deque<Cell> me = body(stoi(parts[1]), stoi(parts[2]), parts[3]);
  deque<Cell> you = body(stoi(parts[4]), stoi(parts[5]), parts[6]);
  for (auto& snake : {me, you})
    for (auto [row, column] : snake) board[row][column] = true;
  int best = 0, most = -1;
  for (int d = 0; d < 4; d++) {
    int cells = reach(board, me.back().first + DOWN[d], me.back().second + RIGHT[d]);
    if (cells > most) most = cells, best = d;
  }
  return best;
}

int main() {
  for (string line; getline(cin, line);) cout << choose(line) << endl;
}
