// leitai: protocol=json-lines
// A TankCraft bot to begin with: every tank shoots the weakest enemy in range, or goes to a mine that is not ours.
mod leitai_tankcraft;
use leitai_tankcraft::{fire, in_range, play, viewer, State, Tank};

fn order(state: &State, tank: &Tank) -> String {
    let targets = state.enemies.iter().filter(|enemy| in_range(tank, enemy));
    if let Some(weakest) = targets.min_by_key(|enemy| enemy.life) {
        viewer::mark(&[weakest.cell], "bad"); // drawn on the viewer of your matches
        return fire(weakest.cell);
    }
    let goals: Vec<_> = state.mines.iter().filter(|mine| mine.owner != state.me).map(|mine| mine.cell).collect();
    state.towards(tank, &goals)
}

fn main() {
    play(["Striker", "Striker", "Pioneer", "Pioneer", "Sniper"], order);
}
