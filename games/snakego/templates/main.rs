// leitai: protocol=json-lines
// A SnakeGo bot to begin with: every snake goes to the nearest item and keeps out of what kills it.
mod leitai_snakego;
use leitai_snakego::{distance, play, step, viewer, State};

fn choose(state: &State) -> String {
    let worth = |action: &&String| {
        let cell = state.after(action);
        let exits = ["1", "2", "3", "4"].into_iter().filter(|way| state.is_free(step(cell, way))).count();
        let nearest = state.items.iter().map(|item| distance(cell, item.cell)).min().unwrap_or(0);
        (state.is_free(cell), exits > 0, -nearest, exits) // alive, a way out, the way to the nearest item
    };
    let best = state.legal.iter().rev().max_by_key(worth).expect("one action is legal");
    viewer::line(&[state.snake.cells[0], state.after(best)], "accent"); // drawn on the viewer of your matches
    best.clone()
}

fn main() {
    play(choose);
}
