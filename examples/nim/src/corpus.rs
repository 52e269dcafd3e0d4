//! Parity with recorded legs. A line of the corpus contains the heap, the actions, and the winner:
//! `4 1 2 1 first`. Empty lines and lines that begin with `#` are ignored.

use leitai_game::parity::{MAX_CASES, ParityCase};
use leitai_game::{BySeat, Game, Reply};

use crate::{Nim, Setup, Unchecked};

/// Compares every line.
pub fn compare_corpus(text: &str, report: &mut dyn FnMut(ParityCase)) {
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    for (index, line) in lines.take(MAX_CASES) {
        report(ParityCase {
            id: format!("line {}", index + 1),
            result: compare_line(line),
        });
    }
}

fn compare_line(line: &str) -> Result<(), String> {
    let words: Vec<&str> = line.split(' ').collect();
    let [heap, actions @ .., winner] = words.as_slice() else {
        return Err(format!("{line:?} is not: heap, actions, winner"));
    };
    let heap = heap
        .parse()
        .map_err(|_| format!("{heap:?} is no number of coins"))?;
    let setup = Setup::try_from(Unchecked { heap }).map_err(|invalid| invalid.to_string())?;
    let mut leg = Nim::start(&setup);
    for action in actions {
        if leg.outcome().is_some() {
            return Err(format!("the leg was over before {action:?}"));
        }
        let coins =
            Nim::read_action(action).ok_or_else(|| format!("there is no action {action:?}"))?;
        leg.step(
            &setup,
            BySeat::from_fn(|_| Some(Reply::Action(coins))),
            &mut (),
        );
    }
    let ours = leg.outcome().and_then(|outcome| outcome.winner);
    let ours = ours.map_or("nobody".to_owned(), |seat| seat.to_string());
    if ours == *winner {
        Ok(())
    } else {
        Err(format!("there {winner} won, here {ours}"))
    }
}
