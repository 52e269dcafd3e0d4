// leitai: protocol=json-lines
// A King of Bots bot to begin with: it goes where the most free cells can be reached.
mod leitai_kob;
use leitai_kob::{play, viewer, State};

fn choose(state: &State) -> String {
    let room = |direction: &String| state.reach(state.after(direction));
    let mut best = &state.legal[0];
    for direction in &state.legal {
        if room(direction) > room(best) {
            best = direction;
        }
    }
    viewer::value("room", room(best) as f64); // plotted on the viewer of your matches
    best.clone()
}

fn main() {
    play(choose);
}
