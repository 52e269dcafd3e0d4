//! Records games between built-in bots as a corpus (`docs/rules/tankcraft.md`, Appendix C) on the
//! standard output: `cargo run --release -p leitai-tankcraft --example tankcraft_record >
//! games/tankcraft/golden/games.json`.

use leitai_game::lang::say;
use leitai_game::{BySeat, Game, GamePackage, InvalidSetup, Perspective, Seat, Untimed};
use leitai_tankcraft::parity::{GameDoc, GameRound};
use leitai_tankcraft::{Action, Config, Position, Setup, View};
use serde_json::{Value, json};

const PAIRS: [[&str; 2]; 6] = [
    ["random", "random"],
    ["miner", "random"],
    ["miner", "miner"],
    ["squad", "miner"],
    ["random", "squad"],
    ["squad", "squad"],
];

fn main() -> Result<(), InvalidSetup> {
    let documents = (0..).zip(PAIRS).map(|(seed, names)| record(seed, names));
    let documents = documents
        .map(|document| Ok(document?.to_string()))
        .collect::<Result<Vec<_>, InvalidSetup>>()?;
    println!("[\n{}\n]", documents.join(",\n"));
    Ok(())
}

fn record(seed: u64, names: [&str; 2]) -> Result<Value, InvalidSetup> {
    let setup = Setup::deal(&Config::default(), seed)?;
    let bot = |name: &str| {
        let info = Position::CONTENTS
            .bots
            .iter()
            .find(|info| info.name == name);
        info.map(|info| (info.make)(seed))
            .ok_or_else(|| InvalidSetup(say!("there is no bot {name:?}")))
    };
    let mut bots = BySeat::new(bot(names[0])?, bot(names[1])?);
    let mut position = Position::start(&setup);
    let mut ask = |position: &Position| {
        Seat::BOTH.map(|seat| {
            let view = View::new(&setup, position, Perspective::Seat(seat));
            bots[seat].choose_action(&setup, &view, &Untimed)
        })
    };
    let [Action::Team(red), Action::Team(blue)] = ask(&position) else {
        return Err(InvalidSetup(say!("a bot named no team")));
    };
    position.choose_teams(&setup, BySeat::new(red, blue), &mut ());
    let mut rounds = Vec::new();
    while position.end().is_none() {
        let lines: Vec<String> = ask(&position).into_iter().flat_map(order_lines).collect();
        rounds.push(GameRound::play_round(
            &setup,
            &mut position,
            &lines,
            &mut (),
        ));
    }
    let id = format!("leitai-{seed}-{}-{}", names[0], names[1]);
    Ok(document(
        &id,
        &GameDoc::from_setup(&setup, &position, [red, blue], rounds),
    ))
}

/// The lines that a program would send.
fn order_lines(action: Action) -> Vec<String> {
    Position::write_action(action)
        .split(';')
        .map(|word| word.replace(':', " "))
        .collect()
}

fn document(id: &str, game: &GameDoc) -> Value {
    let mut document = json!(game);
    document["kind"] = "game".into();
    document["id"] = id.into();
    document
}
