// Leitai's SDK of one game: put it beside your bot. What the game has is at its end, in namespace leitai: begin there.
#pragma once
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace leitai {

using Cell = std::pair<int, int>;

/// Just enough JSON for the messages of the judge: a word (a string or a number), a list or an object.
struct Json {
  std::string word;
  std::vector<Json> items;
  std::map<std::string, Json> members;

  const Json& operator[](const std::string& key) const {
    static const Json nothing;
    auto found = members.find(key);
    return found == members.end() ? nothing : found->second;
  }
  int number(int otherwise = 0) const { return word.empty() ? otherwise : std::atoi(word.c_str()); }
  bool is_true() const { return word == "true"; }
  Cell cell() const { return items.size() < 2 ? Cell{-1, -1} : Cell{items[0].number(), items[1].number()}; }
  std::vector<Cell> cells() const {
    std::vector<Cell> all;
    for (const Json& item : items) all.push_back(item.cell());
    return all;
  }
  std::vector<std::string> words() const {
    std::vector<std::string> all;
    for (const Json& item : items) all.push_back(item.word);
    return all;
  }
};

namespace detail {

struct JsonReader {
  const std::string& text;
  std::size_t at = 0;

  char peek() {
    auto skipped = [](unsigned char c) { return std::isspace(c) || c == ',' || c == ':'; };
    while (at < text.size() && skipped(text[at])) at++;
    return at < text.size() ? text[at] : '\0';
  }
  std::string word() {
    std::string out;
    if (peek() != '"') {
      while (at < text.size() && std::string(",:]} \n\r").find(text[at]) == std::string::npos) out += text[at++];
      return out;
    }
    for (at++; at < text.size() && text[at] != '"'; at++) {
      if (text[at] == '\\' && at + 1 < text.size()) at++;
      out += text[at];
    }
    at++;
    return out;
  }
  Json value() {
    Json json;
    char first = peek();
    if (first == '{') {
      for (at++; peek() && peek() != '}';) {
        std::string key = word();
        json.members[key] = value();
      }
      at++;
    } else if (first == '[') {
      for (at++; peek() && peek() != ']';) json.items.push_back(value());
      at++;
    } else {
      json.word = word();
    }
    return json;
  }
};

}  // namespace detail

/// Answers every question of the judge with what `decide(view, legal, setup)` gives.
template <typename Decide>
void answer_all(Decide decide) {
  Json setup;
  for (std::string line; std::getline(std::cin, line);) {
    Json message = detail::JsonReader{line}.value();
    if (message["type"].word == "start") setup = message["setup"];
    if (message["type"].word == "turn")
      std::cout << "{\"action\":\"" << decide(message["view"], message["legal"], setup) << "\"}" << std::endl;
  }
}

}  // namespace leitai

// Drawings and values for the viewer. The file sdk/viewer/leitai_viewer.hpp of Leitai is the same by itself.
