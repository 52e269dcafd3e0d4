// leitai: protocol=json-lines
// A SnakeGo bot to begin with: every snake goes to the nearest item and keeps out of what kills it.
// Print answers to stdout and nothing else; what goes to stderr is your own log, shown beside the replay.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>
using namespace std;

// Just enough JSON for the judge's messages.
struct Json {
  string text;  // of strings and numbers
  vector<Json> items;
  map<string, Json> members;
  const Json& operator[](const string& key) const {
    static const Json nothing;
    auto found = members.find(key);
    return found == members.end() ? nothing : found->second;
  }
  int number(int otherwise = 0) const { return text.empty() ? otherwise : atoi(text.c_str()); }
};

struct Reader {
  const string& s;
  size_t at = 0;
  char peek() {
    while (at < s.size() && (isspace((unsigned char)s[at]) || s[at] == ',' || s[at] == ':')) at++;
    return at < s.size() ? s[at] : '\0';
  }
  string word() {  // a string without its quotes, or a number
    string out;
    if (peek() == '"') {
      for (at++; at < s.size() && s[at] != '"'; at++) {
        if (s[at] == '\\' && at + 1 < s.size()) at++;
        out += s[at];
      }
      at++;
    } else {
      while (at < s.size() && string(",:]} \n\r").find(s[at]) == string::npos) out += s[at++];
    }
    return out;
  }
  Json value() {
    Json json;
    char first = peek();
    if (first == '{') {
      for (at++; peek() && peek() != '}';) {
        string key = word();
        json.members[key] = value();
      }
      at++;
    } else if (first == '[') {
      for (at++; peek() && peek() != ']';) json.items.push_back(value());
      at++;
    } else {
      json.text = word();
    }
    return json;
  }
};

int length = 16, width = 16;
const int DX[] = {0, 1, 0, -1, 0}, DY[] = {0, 0, 1, 0, -1};  // by action; "5" shoots a ray, "6" splits

string choose(const Json& view, const vector<Json>& legal) {
  vector<vector<bool>> blocked(length, vector<bool>(width, false));
  auto inside = [&](int x, int y) { return x >= 0 && x < length && y >= 0 && y < width; };
  auto is_free = [&](int x, int y) { return inside(x, y) && !blocked[x][y]; };
  auto block = [&](const Json& cells) {
    for (const Json& cell : cells.items) {
      int x = cell.items[0].number(), y = cell.items[1].number();
      if (inside(x, y)) blocked[x][y] = true;
    }
  };
  for (const Json& walls : view["walls"].items) block(walls);
  int x = 0, y = 0;
  for (const Json& snake : view["snakes"].items) {
    block(snake["cells"]);
    if (snake["id"].text == view["snake"].text) {
      x = snake["cells"].items[0].items[0].number();
      y = snake["cells"].items[0].items[1].number();
    }
  }
  string best = legal[0].text;
  int best_worth = -1000000;
  for (const Json& action : legal) {
    int number = action.number();
    if (number < 1 || number > 4) continue;
    int nx = x + DX[number], ny = y + DY[number], room = 0, way = 1000;
    for (int d = 1; d <= 4; d++) room += is_free(nx + DX[d], ny + DY[d]);
    for (const Json& item : view["items"].items)
      way = min(way, abs(nx - item["x"].number()) + abs(ny - item["y"].number()));
    int worth = (is_free(nx, ny) ? 10000 : 0) + (room > 0 ? 5000 : 0) - 10 * min(way, 100) + room;
    if (worth > best_worth) best_worth = worth, best = action.text;
  }
  return best;
}

int main() {
  for (string line; getline(cin, line);) {
    Reader reader{line};
    Json message = reader.value();
    string type = message["type"].text;
    if (type == "start") {
      length = message["setup"]["length"].number(16);
      width = message["setup"]["width"].number(16);
    } else if (type == "turn") {
      cout << "{\"action\":\"" << choose(message["view"], message["legal"].items) << "\"}" << endl;
    } else if (type == "end") {
      cerr << "that was a " << message["you"].text << endl;
    }
  }
}
