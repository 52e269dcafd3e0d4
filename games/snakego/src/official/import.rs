//! Reads an official file as a replay, after a comparison of all its values with our rules.

use leitai_game::lang::say;
use leitai_game::replay::{
    EntrantKind, EntrantRecord, FORMAT, FaultRecord, LegRecord, MatchStatus, Recorder, Replay,
    ReplayWalker, VerdictRecord,
};
use leitai_game::{AnyGame, AnyLeg, AnySetup, ByEntrant, Erased, Fault, Game, InvalidSetup, Seat};
use serde_json::Value;

use crate::official::compare::{check_agreement, shorten, show_value, to_plain_json};
use crate::official::file::{BasicOperation, ImportOrigin, NAME, TruncatedHalf};
use crate::official::playback::Playback;
use crate::official::read::{OfficialFile, error_at, name_turn};
use crate::position::Position;
use crate::saiblo::{EndType, official_scores};
use crate::setup::{Config, ItemSource, Setup};

/// Reads an official file. Fails if a value that follows from the rules differs from the engine's.
pub fn import_file(text: &str) -> Result<Replay, InvalidSetup> {
    let file = OfficialFile::read(text)?;
    let setup = file.setup()?;
    let mut playback = Playback::new(&setup);
    let mut replies = file.follow_operations(&mut playback)?;
    let close = file.read_end(&playback)?;
    file.agree_extent(&playback, &close)?;
    if let Some((_, fault)) = close.fault.filter(|_| !close.cut) {
        replies.push(format!("!{}", fault.code()));
    }
    file.into_replay(&setup, &playback, &replies, &close)
}

impl OfficialFile {
    /// Plays the recorded operations, comparing each with the engine's result, and returns the
    /// replies.
    fn follow_operations(&self, playback: &mut Playback) -> Result<Vec<String>, InvalidSetup> {
        let mut replies = Vec::new();
        for (turn, operations) in self.turns.iter().enumerate() {
            if turn % 2 == 0 {
                self.agree_round(turn / 2, playback)?;
            }
            for (index, recorded) in operations.iter().enumerate() {
                let action = follow_operation(playback, turn, index, recorded);
                let action = action.map_err(|what| {
                    InvalidSetup(say!("{}, operation {}: {what}", name_turn(turn), index + 1))
                })?;
                replies.push(action);
            }
            if playback.completed_rounds() == turn {
                let next = describe_turn(playback.position());
                let count = operations.len();
                return Err(error_at(
                    turn,
                    format!("{count} operations are recorded, then {next} in the engine"),
                ));
            }
        }
        for round in 0..self.rounds.len() {
            self.agree_round(round, playback)?;
        }
        Ok(replies)
    }

    /// Compares the events before a round's first turn; skipped if the file or the engine does not
    /// have the round.
    fn agree_round(&self, round: usize, playback: &Playback) -> Result<(), InvalidSetup> {
        let (Some(recorded), Some(ours)) = (self.rounds.get(round), playback.rounds().get(round))
        else {
            return Ok(());
        };
        check_agreement(recorded, ours)
            .map_err(|what| InvalidSetup(say!("round {}, before the turns: {what}", round + 1)))
    }

    /// Compares the end of the file as far as our rules determine it.
    fn read_end(&self, playback: &Playback) -> Result<FileEnd, InvalidSetup> {
        let name = self.end_info.get("type");
        let kind = name.and_then(Value::as_str).and_then(EndType::from_name);
        let fault = match kind {
            None => {
                return Err(InvalidSetup(say!(
                    "end_info: the type {} is not known",
                    show_value(name)
                )));
            }
            Some(EndType::Normal) => {
                self.agree_end(playback)?;
                return Ok(FileEnd {
                    fault: None,
                    cut: false,
                });
            }
            Some(EndType::InternalError) => {
                return Ok(FileEnd {
                    fault: None,
                    cut: true,
                });
            }
            Some(EndType::PlayerError) => Fault::Crashed,
            Some(EndType::IllegalAction) => Fault::Illegal,
            Some(EndType::InvalidFormat) => Fault::Malformed,
        };
        let loser = self.find_loser()?;
        let asked = playback.position().current().is_some() && playback.position().seat() == loser;
        let cut = !asked || playback.completed_rounds() != self.turns.len();
        if cut && fault == Fault::Illegal {
            let (loser, now) = (loser.index(), describe_turn(playback.position()));
            return Err(self.at_end(format!(
                "an illegal action of player {loser} is recorded, but {now}"
            )));
        }
        // A message out of turn, or a program that ended while the other one was asked, also loses
        // the official half. Our rules have no such end: the half counts as interrupted.
        Ok(FileEnd {
            fault: Some((loser, fault)),
            cut,
        })
    }

    fn find_loser(&self) -> Result<Seat, InvalidSetup> {
        let winner = self.end_info.get("winner");
        match winner.and_then(Value::as_u64) {
            Some(0) => Ok(Seat::Second),
            Some(1) => Ok(Seat::First),
            _ => Err(InvalidSetup(say!(
                "end_info: the winner is {}; 0 and 1 are known",
                show_value(winner)
            ))),
        }
    }

    /// "Half: more cells wins": a normal end must have the engine's score and winner.
    fn agree_end(&self, playback: &Playback) -> Result<(), InvalidSetup> {
        let Some(outcome) = playback.position().outcome() else {
            let now = describe_turn(playback.position());
            return Err(self.at_end(format!("a normal end is recorded, but {now} in the engine")));
        };
        let winner = outcome.winner.map(Seat::index);
        for (key, ours) in [
            ("score", to_plain_json(&official_scores(&outcome))),
            ("winner", to_plain_json(&winner)),
        ] {
            let recorded = self.end_info.get(key);
            if recorded != Some(&ours) {
                let recorded = show_value(recorded);
                return Err(self.at_end(format!(
                    "the {key} is recorded as {recorded}, the engine gives {ours}"
                )));
            }
        }
        Ok(())
    }

    /// Compares the numbers of turns and rounds. An aborted file may lack some of the engine's.
    fn agree_extent(&self, playback: &Playback, close: &FileEnd) -> Result<(), InvalidSetup> {
        let counts = [
            ("turns", self.turns.len(), playback.completed_rounds()),
            ("rounds", self.rounds.len(), playback.rounds().len()),
        ];
        for (what, recorded, ours) in counts {
            if recorded > ours || (recorded < ours && !close.cut) {
                return Err(self.at_end(format!(
                    "{recorded} {what} are recorded, the engine has {ours}"
                )));
            }
        }
        Ok(())
    }

    fn at_end(&self, what: String) -> InvalidSetup {
        InvalidSetup(say!(
            "at the end, after {} turns in {} rounds: {what}",
            self.turns.len(),
            self.rounds.len()
        ))
    }

    fn into_replay(
        self,
        setup: &Setup,
        playback: &Playback,
        replies: &[String],
        close: &FileEnd,
    ) -> Result<Replay, InvalidSetup> {
        let config = Config {
            max_round: setup.max_round(),
            items: ItemSource::Given(setup.items().to_vec()),
            fault_scope: setup.fault_scope(),
            stop_decided: false,
        };
        let any_setup = Erased::<Position>::new().read_setup(&to_plain_json(setup))?;
        let (mut leg, end) = record_leg(&*any_setup, replies.join(" "))?;
        leg.faults
            .extend(self.fault_record(playback, replies, close));
        let verdict = (!close.cut).then(|| VerdictRecord::from(&any_setup.decide_match(&[end])));
        Ok(Replay {
            format: FORMAT.into(),
            game: Position::META.id.into(),
            rules: Position::META.rules.into(),
            engine: concat!("leitai ", env!("CARGO_PKG_VERSION")).into(),
            recorded: None,
            seed: self.game_config.get("random_seed").and_then(Value::as_u64),
            config: to_plain_json(&config),
            setup: any_setup.to_json(),
            entrants: ByEntrant::new(entrant_record("player 0"), entrant_record("player 1")),
            limits: None,
            status: if close.cut {
                MatchStatus::Interrupted
            } else {
                MatchStatus::Complete
            },
            legs: vec![leg],
            verdict,
            forced: None,
            origin: Some(to_plain_json(&self.into_origin(close))),
            signature: None,
        })
    }

    /// The fault for people, with the judge's text if there is one.
    fn fault_record(
        &self,
        playback: &Playback,
        replies: &[String],
        close: &FileEnd,
    ) -> Option<FaultRecord> {
        let (seat, fault) = close.fault?;
        let words = self
            .end_info
            .get("err")
            .and_then(Value::as_str)
            .filter(|words| !words.is_empty());
        Some(FaultRecord {
            entrant: seat.entrant_in_leg(0),
            seat,
            code: fault.into(),
            leg: Some(1),
            round: playback.position().round().into(),
            step: replies.len() - usize::from(!close.cut),
            what: words.map_or(fault.phrase().into(), shorten),
            said: None,
            limit: None,
            exit: None,
            last_words: Vec::new(),
            received: None,
        })
    }

    fn into_origin(self, close: &FileEnd) -> ImportOrigin {
        let cut = TruncatedHalf {
            turns: self.turns.len(),
            rounds: self.rounds.len(),
        };
        ImportOrigin {
            format: NAME.into(),
            game_config: self.game_config,
            end_info: self.end_info,
            extra: self.extra,
            cut: close.cut.then_some(cut),
        }
    }
}

/// The end of a file.
struct FileEnd {
    /// The fault, if there is one.
    fault: Option<(Seat, Fault)>,
    /// Whether the file ends in the middle of a half, as far as our rules can tell.
    cut: bool,
}

/// Plays one recorded operation and returns its reply. `Err` names the difference.
fn follow_operation(
    playback: &mut Playback,
    turn: usize,
    index: usize,
    recorded: &Value,
) -> Result<String, String> {
    let action = BasicOperation::read(recorded)?;
    if playback.completed_rounds() != turn || playback.position().current().is_none() {
        return Err(format!(
            "is recorded, but {} in the engine",
            describe_turn(playback.position())
        ));
    }
    playback
        .play_action(action)
        .map_err(|why| format!("is recorded, but the snake {}", why.phrase()))?;
    check_agreement(recorded, &playback.turns()[turn][index])?;
    Ok(Position::write_action(action))
}

/// Plays the replies once more with the engine, for hashes and the outcome.
fn record_leg(
    setup: &dyn AnySetup,
    replies: String,
) -> Result<(LegRecord, Box<dyn AnyLeg>), InvalidSetup> {
    let source = LegRecord {
        replies,
        ..LegRecord::default()
    };
    let mut walk = ReplayWalker::new(setup, &source);
    let mut recorder = Recorder::default();
    while let Some(replies) = walk.next(&mut recorder)? {
        recorder.record_replies(&replies);
    }
    let end = walk.into_leg();
    Ok((recorder.finish_leg(end.outcome()), end))
}

fn entrant_record(name: &str) -> EntrantRecord {
    EntrantRecord {
        name: name.into(),
        kind: EntrantKind::Imported,
        protocol: None,
        settings: None,
    }
}

/// The seat to move, as a sentence.
fn describe_turn(position: &Position) -> String {
    match position.current() {
        Some(snake) => {
            let (round, seat) = (position.round(), position.seat().index());
            format!(
                "snake {} of player {seat} is to act in round {round}",
                snake.id
            )
        }
        None => "the half is over".into(),
    }
}
