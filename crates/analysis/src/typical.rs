//! Many matches of one entrant: its typical ways of losing, by phase.

use std::collections::BTreeMap;

use leitai_game::lang::{Localizer, say};
use leitai_game::{Entrant, InvalidSetup};
use serde::Serialize;

use crate::analysis::MatchAnalysis;
use crate::decision::Decision;
use crate::digest::{grade_word, phase_word, way_words};
use crate::grade::{Grade, GradeCounts, mean_accuracy};
use crate::way_of_losing::{LostLeg, Phase, WayOfLosing};

/// The worst examples of a way of losing that are kept.
pub const MOST_EXAMPLES: usize = 3;
/// The version of the JSON form.
pub const FORMAT: &str = "leitai-losses/1";

/// The matches of one entrant.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ManyMatches {
    /// [`FORMAT`].
    pub format: &'static str,
    /// Its name.
    pub entrant: String,
    /// Matches in which it played.
    pub matches: usize,
    /// Its legs.
    pub legs: usize,
    /// Legs won.
    pub won: usize,
    /// Legs drawn.
    pub drawn: usize,
    /// Legs lost.
    pub lost: usize,
    /// The accuracy over all decisions with a choice, in percent.
    #[serde(serialize_with = "crate::leg::write_percent")]
    pub accuracy: Option<f64>,
    /// How many decisions have each grade.
    pub grades: GradeCounts,
    /// Its ways of losing, the most frequent first.
    pub ways: Vec<TypicalWay>,
    /// Files that could not be analysed, with the reason.
    pub failed: Vec<FailedFile>,
    #[serde(skip)]
    losses: Vec<f64>,
}

/// Legs that were lost in the same way and phase.
#[derive(Clone, Debug, Serialize)]
pub struct TypicalWay {
    /// The way.
    pub way: WayOfLosing,
    /// The phase of the decision that stands for each leg.
    pub phase: Phase,
    /// The number of legs.
    pub legs: usize,
    /// The worst examples, the worst first.
    pub examples: Vec<LossExample>,
}

/// The decision that stands for a lost leg.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LossExample {
    /// The replay.
    pub file: String,
    /// The leg, from 1.
    pub leg: usize,
    /// The round.
    pub round: u32,
    /// Which entrant of the match it was.
    pub entrant: Entrant,
    /// What it played.
    pub played: String,
    /// What was best.
    pub best: String,
    /// What it lost, as a difference of win probabilities.
    #[serde(serialize_with = "crate::decision::write_probability")]
    pub loss: f64,
    /// Its grade.
    pub grade: Grade,
    /// The command that pins it.
    pub pin: String,
}

/// A file that could not be analysed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FailedFile {
    /// The path.
    pub file: String,
    /// The reason.
    pub why: String,
}

impl ManyMatches {
    /// No match yet of an entrant of this name.
    pub fn new(entrant: &str) -> ManyMatches {
        ManyMatches {
            format: FORMAT,
            entrant: entrant.to_owned(),
            ..ManyMatches::default()
        }
    }

    /// Adds a match of the entrant. `pin` writes the command that pins an example.
    pub fn add_match(
        &mut self,
        file: &str,
        analysis: &MatchAnalysis,
        entrant: Entrant,
        pin: impl Fn(&LossExample) -> String,
    ) {
        self.matches += 1;
        for leg in &analysis.legs {
            let Some(side) = leg.side_of(entrant) else {
                continue;
            };
            self.legs += 1;
            let own = leg.decisions.iter().filter(|one| one.entrant == entrant);
            for one in own {
                self.grades.add(one.grade);
                if one.choices > 1 {
                    self.losses.push(one.loss);
                }
            }
            match leg.outcome.as_ref().map(|outcome| outcome.winner) {
                Some(Some(_)) if side.lost.is_none() => self.won += 1,
                Some(None) => self.drawn += 1,
                _ => {}
            }
            if let Some(lost) = side.lost {
                self.lost += 1;
                let example = lost.decision.map(|index| {
                    let mut example = example_of(file, leg.leg, entrant, &leg.decisions[index]);
                    example.pin = pin(&example);
                    example
                });
                self.add_loss(lost, example);
            }
        }
        self.accuracy = mean_accuracy(self.losses.iter().copied());
    }

    /// Adds a file that could not be analysed.
    pub fn add_failure(&mut self, file: &str, why: String) {
        self.failed.push(FailedFile {
            file: file.to_owned(),
            why,
        });
    }

    fn add_loss(&mut self, lost: LostLeg, example: Option<LossExample>) {
        let is_same = |known: &&mut TypicalWay| (known.way, known.phase) == (lost.way, lost.phase);
        match self.ways.iter_mut().find(is_same) {
            Some(known) => {
                known.legs += 1;
                known.examples.extend(example);
            }
            None => self.ways.push(TypicalWay {
                way: lost.way,
                phase: lost.phase,
                legs: 1,
                examples: example.into_iter().collect(),
            }),
        }
        for way in &mut self.ways {
            way.examples.sort_by(|a, b| b.loss.total_cmp(&a.loss));
            way.examples.truncate(MOST_EXAMPLES);
        }
        self.ways
            .sort_by_key(|one| (std::cmp::Reverse(one.legs), one.way, one.phase));
    }
}

fn example_of(file: &str, leg: usize, entrant: Entrant, one: &Decision) -> LossExample {
    LossExample {
        file: file.to_owned(),
        leg,
        round: one.round,
        entrant,
        played: one.played.clone(),
        best: one.best.clone(),
        loss: one.loss,
        grade: one.grade,
        pin: String::new(),
    }
}

/// The name of the entrant whose matches these are: the asked one if it played, or the only one
/// that played in all.
pub fn find_common_entrant(
    matches: &[[&str; 2]],
    asked: Option<&str>,
) -> Result<String, InvalidSetup> {
    let mut played: BTreeMap<&str, usize> = BTreeMap::new();
    for [a, b] in matches {
        *played.entry(a).or_default() += 1;
        if a != b {
            *played.entry(b).or_default() += 1;
        }
    }
    let names: Vec<&str> = played.keys().copied().take(12).collect();
    let names = names.join(", ");
    if let Some(asked) = asked {
        return match played.contains_key(asked) {
            true => Ok(asked.to_owned()),
            false => Err(InvalidSetup(say!(
                "{asked:?} played in none of these matches; there played: {names}"
            ))),
        };
    }
    let mut in_all = played.iter().filter(|(_, count)| **count == matches.len());
    match (in_all.next(), in_all.next()) {
        (Some((name, _)), None) => Ok((*name).to_owned()),
        _ => Err(InvalidSetup(say!(
            "whose losses? add --entrant NAME; there played: {names}"
        ))),
    }
}

/// The entrants of a match that have this name, or are called A or B so.
pub fn entrants_named(names: [&str; 2], asked: &str) -> Vec<Entrant> {
    let is = |entrant: &Entrant| names[entrant.index()] == asked;
    let named: Vec<Entrant> = Entrant::BOTH.into_iter().filter(is).collect();
    if !named.is_empty() {
        return named;
    }
    let is = |entrant: &Entrant| entrant.to_string() == asked;
    Entrant::BOTH.into_iter().filter(is).collect()
}

/// The ways of losing in words, with a newline after every line.
pub fn write_typical(many: &ManyMatches, lang: Localizer<'_>) -> String {
    let mut lines = vec![lang.fill(
        "{}: matches {}; legs won {}, drawn {}, lost {}",
        &[
            &many.entrant,
            &many.matches,
            &many.won,
            &many.drawn,
            &many.lost,
        ],
    )];
    if let Some(accuracy) = many.accuracy {
        let accuracy = format!("{accuracy:.1}%");
        let values: [&dyn std::fmt::Display; 4] = [
            &accuracy,
            &many.grades.blunder,
            &many.grades.mistake,
            &many.grades.inaccuracy,
        ];
        lines.push(lang.fill(
            "accuracy {}; blunders {}, mistakes {}, inaccuracies {}",
            &values,
        ));
    }
    for way in &many.ways {
        lines.push(String::new());
        let share = format!("{:.0}%", 100.0 * way.legs as f64 / many.lost.max(1) as f64);
        let values: [&dyn std::fmt::Display; 4] = [
            &way_words(lang, way.way),
            &phase_word(lang, way.phase),
            &way.legs,
            &share,
        ];
        lines.push(lang.fill("{} ({}): {} of the lost legs, {}", &values));
        lines.extend(
            way.examples
                .iter()
                .flat_map(|one| describe_example(one, lang)),
        );
    }
    if many.lost == 0 {
        lines.push(lang.label("no leg was lost").to_owned());
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

fn describe_example(one: &LossExample, lang: Localizer<'_>) -> [String; 2] {
    let loss = format!("{:.0}%", 100.0 * one.loss);
    let values: [&dyn std::fmt::Display; 6] = [
        &one.file,
        &one.leg,
        &one.round,
        &grade_word(lang, one.grade),
        &one.played,
        &loss,
    ];
    let told = lang.fill("  {}, leg {}, round {}: {} {}, lost {}", &values);
    [told, format!("    {}", one.pin)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entrant_is_the_asked_one_or_the_common_one() {
        let matches = [["me", "greedy"], ["random", "me"]];
        assert_eq!(find_common_entrant(&matches, None).as_deref(), Ok("me"));
        assert_eq!(
            find_common_entrant(&matches, Some("greedy")).as_deref(),
            Ok("greedy")
        );
        let unknown = find_common_entrant(&matches, Some("hydra")).expect_err("unknown");
        assert!(
            unknown.to_string().contains("\"hydra\" played in none"),
            "{unknown}"
        );
        let both = find_common_entrant(&[["a", "b"]], None).expect_err("two");
        assert!(both.to_string().contains("--entrant"), "{both}");
    }

    #[test]
    fn a_name_counts_before_a_letter() {
        assert_eq!(entrants_named(["B", "x"], "B"), [Entrant::A]);
        assert_eq!(entrants_named(["x", "y"], "B"), [Entrant::B]);
        assert_eq!(entrants_named(["x", "x"], "x"), Entrant::BOTH);
        assert_eq!(entrants_named(["x", "y"], "z"), []);
    }
}
