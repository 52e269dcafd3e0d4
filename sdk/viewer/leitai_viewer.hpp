// Draws on the viewer of your matches: copy this file beside your bot, then
//
//     #include "leitai_viewer.hpp"
//     leitai::mark({{3, 4}, {3, 5}}, "bad");
//     leitai::value("danger", 0.7);
//
// Only you see it. Cells are numbered as in the game's rules. C++11. docs/remarks.md
#ifndef LEITAI_VIEWER_HPP
#define LEITAI_VIEWER_HPP

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace leitai {

using Cells = std::vector<std::pair<int, int>>;

namespace detail {

/// A text as a JSON string.
inline std::string quote(const std::string& text) {
  std::string quoted = "\"";
  for (unsigned char letter : text) {
    if (letter == '"' || letter == '\\') {
      quoted += '\\';
      quoted += static_cast<char>(letter);
    } else if (letter < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", letter);
      quoted += escaped;
    } else {
      quoted += static_cast<char>(letter);
    }
  }
  return quoted + "\"";
}

inline std::string list(const Cells& cells) {
  std::ostringstream out;
  out << '[';
  for (std::size_t at = 0; at < cells.size(); ++at)
    out << (at ? "," : "") << '[' << cells[at].first << ',' << cells[at].second << ']';
  out << ']';
  return out.str();
}

inline void show(const std::string& inside) {
  std::cerr << "#leitai {" + inside + "}\n" << std::flush;
}

inline void cells(const char* key, const Cells& where, const std::string& tone) {
  show(std::string("\"") + key + "\":" + list(where) + ",\"tone\":" + quote(tone));
}

}  // namespace detail

/// Marks cells; the tone is accent, good or bad.
inline void mark(const Cells& where, const std::string& tone = "accent") {
  detail::cells("mark", where, tone);
}

/// A line through cells, two at least.
inline void line(const Cells& where, const std::string& tone = "accent") {
  detail::cells("line", where, tone);
}

/// A text of this turn.
inline void text(const std::string& words) { detail::show("\"text\":" + detail::quote(words)); }

/// A number that is plotted over the leg under its name. It must be finite.
inline void value(const std::string& name, double number) {
  std::ostringstream out;
  out.precision(10);
  out << "\"value\":{" << detail::quote(name) << ':' << number << '}';
  detail::show(out.str());
}

/// A word to search for.
inline void tag(const std::string& word) { detail::show("\"tag\":" + detail::quote(word)); }

}  // namespace leitai

#endif
