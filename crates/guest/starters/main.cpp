// leitai: protocol=json-lines
// A bot to begin with: it plays the first legal action. guide.md says what the view of your game means.
#include "leitai_lines.hpp"

int main() {
  // `view` is what you see, `setup` what was known before the game, if you may know it.
  leitai::answer_all([](const leitai::Json& view, const leitai::Json& legal, const leitai::Json& setup) {
    (void)view, (void)setup;
    return legal.items[0].word;
  });
}
