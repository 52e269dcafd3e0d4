// leitai: protocol=json-lines
// A bot to begin with: it plays the first legal action. guide.md says what the view of your game means.
mod leitai_lines;

fn main() {
    // `view` is what you see, `setup` what was known before the game, if you may know it.
    leitai_lines::answer_all(|_view, legal, _setup| legal.items[0].word.clone());
}
