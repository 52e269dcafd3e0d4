//! Series of deterministic programs, which play the same games again.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use leitai_game::Lang;
use leitai_ladder::Decision;
use leitai_ladder::most_informative::Precision;
use leitai_ladder::tournament::TournamentFormat;
use leitai_series::comparison::{Comparison, ComparisonOptions, compare};
use leitai_series::ladder::{Ladder, LadderOptions};
use leitai_series::report::standings::Standings;
use leitai_series::tournament::{Tournament, TournamentPlan, TournamentReport};
use leitai_series::{EloUnit, Language, Roster, messages, play_series};
use serde_json::json;

use crate::injected::{MadeUp, MadeUpLeg, independent, mix, roster, unit};

/// An empty map of King of Bots: no chance is left.
fn one_map() -> serde_json::Value {
    let row = |inner: char| format!("1{}1", inner.to_string().repeat(12));
    let map: Vec<String> = (0..13)
        .map(|y| row(if y % 12 == 0 { '1' } else { '0' }))
        .collect();
    json!({"map": map.join("\n"), "rows": 13, "cols": 14})
}

fn in_both(roster: &Roster, text: impl Fn(Language<'_>) -> String) -> [String; 2] {
    let catalogue = messages::catalogue([&**roster.game()]);
    [Lang::En, Lang::Zh].map(|lang| text(Language::new(lang, &catalogue)))
}

#[track_caller]
fn says_games(count: u32, [english, chinese]: [String; 2]) {
    let said = format!(
        "these programs play only {count} different games under these conditions; add maps, \
        seeds or positions"
    );
    assert!(english.contains(&said), "{english}");
    let said = format!("只会下出 {count} 种不同的对局");
    assert!(chinese.contains(&said), "{chinese}");
}

#[test]
fn a_comparison_on_one_map_stops_without_a_decision() {
    let roster = roster(&["level7", "level6"], one_map());
    let (result, ended) = compare(
        &roster,
        ComparisonOptions::default(),
        3,
        &AtomicBool::new(false),
        &mut |_| {},
    )
    .expect("it is played");
    let json = result.to_json();
    assert!(ended && result.decision() == Decision::Undecided, "{json}");
    assert_eq!(result.games.game_count(), 2, "copies are no evidence");
    let counts = ["status", "distinct_games", "games_played"].map(|key| json[key].clone());
    assert_eq!(counts, [json!("no-new-games"), json!(2), json!(42)]);
    says_games(2, in_both(&roster, |language| result.to_text(language)));
}

fn plan(folder: &Path, seeds: Vec<u64>) -> TournamentPlan {
    TournamentPlan {
        format: TournamentFormat::RoundRobin { cycles: 100 },
        matches: 1,
        seeds,
        seed: 1,
        folder: folder.to_owned(),
    }
}

#[test]
fn a_tournament_with_one_seed_stops() {
    // Built-in bots have other chance when they begin the match: two matches of two games.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let roster = roster(&["space", "safe"], json!({}));
    let plan = plan(folder.path(), vec![2]);
    let again = |played: usize| {
        let mut tournament =
            Tournament::open_tournament(&plan, &roster, |_| {}).expect("it begins");
        let ended = play_series(
            &mut tournament,
            &roster,
            1,
            &AtomicBool::new(false),
            &mut |_| {},
        );
        assert!(ended.expect("it is played"));
        assert!(tournament.has_no_new_games());
        let report = TournamentReport::new(&tournament, EloUnit::Leg);
        assert_eq!(report.finished[0], played);
        let json = report.to_json();
        assert_eq!(
            (&json["status"], &json["standings"]["distinct_games"]),
            (&json!("no-new-games"), &json!(4))
        );
        says_games(4, in_both(&roster, |language| report.copies_text(language)));
    };
    again(22);
    again(22);
}

#[test]
fn copies_count_for_points_but_not_for_strength() {
    let roster = roster(&["space", "safe"], json!({}));
    let deterministic = |seats: [usize; 2], _: u64, _: usize| MadeUpLeg {
        winner: Some(seats[0]),
        game: seats[0] as u64,
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plan = plan(folder.path(), Vec::new());
    let mut tournament = Tournament::open_tournament(&plan, &roster, |_| {}).expect("it begins");
    MadeUp::new(2, 2, &deterministic).play(&mut tournament);
    let standings = Standings::from_games(
        &roster.entrant_names(),
        &[],
        tournament.games.values(),
        EloUnit::Leg,
    );
    let places: Vec<[usize; 2]> = standings.rows.iter().map(|row| row.places).collect();
    assert_eq!(places, [[1, 2], [1, 2]], "one match is no evidence");
    assert!(standings.rows[0].points > 15.0);
}

#[test]
fn a_ladder_goes_on_with_other_bots_and_counts_different_games() {
    let roster = roster(&["space", "safe", "sample"], json!({}));
    // The first two repeat one match; the third is as strong, and its games are new.
    let make = |seats: [usize; 2], seed: u64, index: usize| match seats.contains(&2) {
        true => independent(0.0, &[seed, index as u64, seats[0] as u64, seats[1] as u64]),
        false => MadeUpLeg {
            winner: Some(seats[0]),
            game: seats[0] as u64,
        },
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = LadderOptions {
        folder: folder.path().to_owned(),
        precision: Precision {
            confidence: 0.95,
            equal_within: 0.0,
        },
        elo: EloUnit::Leg,
        seed: 1,
        max_matches: 120,
    };
    let mut ladder = Ladder::open(options, &roster, |_| {}).expect("it begins");
    MadeUp::new(1, 2, &make).play(&mut ladder);
    let json = ladder.to_json();
    assert_eq!(json["matches"], 120, "it goes on");
    let cross = json["standings"]["crosstable"].as_array().expect("a table");
    let met: u64 = cross
        .iter()
        .flat_map(|row| row.as_array().expect("a row"))
        .map(|tally| ["wins", "draws", "losses"].map(|key| tally[key].as_u64().unwrap_or(0)))
        .map(|tally| tally.iter().sum::<u64>())
        .sum();
    assert_eq!(met, 240);
    let distinct = json["standings"]["distinct_games"]
        .as_u64()
        .expect("a count");
    assert!((160..240).contains(&distinct), "{distinct}");
}

/// In percent, how often a comparison of equals is decided for either, where a share of the matches
/// repeat earlier ones.
fn wrong_decisions(runs: u64, variants: u64) -> f64 {
    let roster = roster(&["space", "safe"], json!({}));
    let mut wrong = 0;
    for run in 0..runs {
        // So many different games in each seat, each won or lost for ever.
        let make = |seats: [usize; 2], seed: u64, index: usize| {
            let variant = mix(&[run, seed, index as u64, seats[0] as u64]) % variants;
            let numbers = [run, variant, seats[0] as u64];
            MadeUpLeg {
                winner: Some(usize::from(unit(&numbers) < 0.5)),
                game: variant,
            }
        };
        let mut options = ComparisonOptions::default();
        (options.sprt.elo0, options.sprt.elo1, options.max_pairs) = (0.0, 50.0, 400);
        let mut comparison = Comparison::open(options, &roster, |_| {}).expect("it begins");
        MadeUp::new(1, 2, &make).play(&mut comparison);
        wrong += u32::from(comparison.result().decision() == Decision::Accepted);
    }
    let wrong = 100.0 * f64::from(wrong) / runs as f64;
    println!("compare, {variants} different games a seat: {wrong:.1} % of {runs} accept an equal");
    wrong
}

#[test]
fn programs_with_few_games_are_not_accepted() {
    for variants in [1, 4, 30] {
        assert!(wrong_decisions(40, variants) <= 15.0);
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "2,000 comparisons of each kind"]
    fn programs_with_few_games_are_not_accepted() {
        for variants in [1, 2, 4, 10, 30, 100, 1000] {
            assert!(wrong_decisions(2000, variants) <= 6.0, "{variants}");
        }
    }

    /// Series with real bots instead of made-up results: none is better than itself.
    #[test]
    #[ignore = "200 series of each of five bots"]
    fn bots_are_not_accepted_against_themselves() {
        const SERIES: u64 = 200;
        let rows = [
            ("random", json!({})),
            ("space", json!({})),
            ("safe", json!({})),
            // Deterministic, where the map leaves no chance.
            ("sample", one_map()),
            ("level7", one_map()),
        ];
        for (bot, config) in rows {
            let roster = roster(&[bot, bot], config);
            let (mut accepted, mut games) = (0, 0);
            for series in 1..=SERIES {
                let mut options = ComparisonOptions {
                    // No two series share a pair.
                    seed: 1_000 * series,
                    max_pairs: 400,
                    ..ComparisonOptions::default()
                };
                (options.sprt.elo0, options.sprt.elo1) = (0.0, 50.0);
                let stop = AtomicBool::new(false);
                let played = compare(&roster, options, 2, &stop, &mut |_| {});
                let (result, _) = played.expect("it is played");
                accepted += u64::from(result.decision() == Decision::Accepted);
                games += result.games.game_count();
            }
            println!(
                "{bot} against itself: {accepted} of {SERIES} series accepted, {games} different games"
            );
            assert!(100 * accepted <= 6 * SERIES, "{bot}: {accepted}");
        }
    }
}
