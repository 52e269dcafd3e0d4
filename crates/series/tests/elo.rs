//! The same results give the same Elo, whichever command counts them, and draws are results.

use leitai_game::Lang;
use leitai_ladder::most_informative::Precision;
use leitai_ladder::tournament::TournamentFormat;
use leitai_series::comparison::{Comparison, ComparisonOptions};
use leitai_series::ladder::{Ladder, LadderOptions};
use leitai_series::tournament::{Tournament, TournamentPlan, TournamentReport};
use leitai_series::{EloUnit, Language};
use serde_json::json;

use crate::injected::{MadeUp, MadeUpLeg, MakeLeg, mix, roster, unit};

const PAIRS: u32 = 200;

/// The difference of the two by a comparison of so many pairs.
fn compared(make: MakeLeg<'_>, elo: EloUnit) -> f64 {
    let roster = roster(&["space", "safe"], json!({}));
    let mut options = ComparisonOptions {
        max_pairs: u64::from(PAIRS),
        elo,
        ..ComparisonOptions::default()
    };
    // So wide that all pairs are played.
    (options.sprt.elo0, options.sprt.elo1, options.sprt.alpha) = (999.0, 1000.0, 0.001);
    options.sprt.beta = 0.001;
    let mut comparison = Comparison::open(options, &roster, |_| {}).expect("it begins");
    MadeUp::new(1, 2, make).play(&mut comparison);
    let result = comparison.result();
    assert_eq!(result.pairs.pair_count(), PAIRS);
    let json = result.to_json();
    assert_eq!(json["elo_unit"], json!(elo));
    json["elo"].as_f64().expect("it is finite")
}

/// The difference of the two by a tournament of the same matches.
fn in_tournament(make: MakeLeg<'_>, elo: EloUnit) -> f64 {
    let roster = roster(&["space", "safe"], json!({}));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plan = TournamentPlan {
        format: TournamentFormat::RoundRobin { cycles: PAIRS },
        matches: 1,
        seeds: Vec::new(),
        seed: 1,
        folder: folder.path().to_owned(),
    };
    let mut tournament = Tournament::open_tournament(&plan, &roster, |_| {}).expect("it begins");
    MadeUp::new(1, 2, make).play(&mut tournament);
    let report = TournamentReport::new(&tournament, elo).to_json();
    assert_eq!(report["standings"]["elo_unit"], json!(elo));
    let rows = report["standings"]["rows"].as_array().expect("rows");
    let of = |name: &str| {
        let row = rows.iter().find(|row| row["name"] == name);
        row.and_then(|row| row["elo"].as_f64()).expect("a rating")
    };
    of("space") - of("safe")
}

#[test]
fn a_comparison_and_a_tournament_of_the_same_games_give_one_elo() {
    // The first one wins 60 % of the legs and draws 15 %.
    let make = |seats: [usize; 2], seed: u64, _: usize| {
        let numbers = [seed, seats[0] as u64];
        let winner = match unit(&numbers) {
            at if at < 0.6 => Some(0),
            at if at < 0.75 => None,
            _ => Some(1),
        };
        MadeUpLeg {
            winner: winner.map(|player: usize| usize::from(seats[0] != player)),
            game: mix(&numbers),
        }
    };
    let [leg, whole] = [EloUnit::Leg, EloUnit::Match].map(|elo| {
        let both = [compared(&make, elo), in_tournament(&make, elo)];
        assert!((both[0] - both[1]).abs() < 2.0, "{elo:?}: {both:?}");
        both[0]
    });
    assert!((leg - 128.0).abs() < 40.0, "67.5 % of the points: {leg}");
    assert!(whole > leg + 20.0, "of a match: {whole}");
}

#[test]
fn bots_that_always_draw_are_settled_on_a_ladder() {
    let roster = roster(&["space", "safe"], json!({}));
    let make = |seats: [usize; 2], seed: u64, _: usize| MadeUpLeg {
        winner: None,
        game: mix(&[seed, seats[0] as u64]),
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = LadderOptions {
        folder: folder.path().to_owned(),
        precision: Precision {
            confidence: 0.95,
            equal_within: 20.0,
        },
        elo: EloUnit::Leg,
        seed: 1,
        max_matches: 400,
    };
    let mut ladder = Ladder::open(options, &roster, |_| {}).expect("it begins");
    MadeUp::new(1, 2, &make).play(&mut ladder);
    let json = ladder.to_json();
    assert_eq!(json["status"], "settled", "{}", json["neighbours"]);
    assert_eq!(json["neighbours"][0]["standing"], "equal");
    let matches = json["matches"].as_u64().expect("a number");
    assert!((60..250).contains(&matches), "{matches}");
}

/// What a comparison of ten pairs says, each won by the new version if it has the legs.
fn say_after_ten(is_won: bool, elo: EloUnit) -> [String; 2] {
    let roster = roster(&["space", "safe"], json!({}));
    let make = |seats: [usize; 2], seed: u64, _: usize| MadeUpLeg {
        winner: Some(usize::from((seats[0] == 0) != is_won)),
        game: mix(&[seed, seats[0] as u64]),
    };
    let mut options = ComparisonOptions {
        max_pairs: 10,
        elo,
        ..ComparisonOptions::default()
    };
    (options.sprt.alpha, options.sprt.beta) = (1e-9, 1e-9);
    let mut comparison = Comparison::open(options, &roster, |_| {}).expect("it begins");
    MadeUp::new(1, 2, &make).play(&mut comparison);
    let catalogue = leitai_series::messages::catalogue([&**roster.game()]);
    let language = Language::new(Lang::En, &catalogue);
    let result = comparison.result();
    [
        result.to_text(language),
        result.progress_line(1.0, language),
    ]
}

#[test]
fn a_one_sided_result_says_its_bound_and_progress_names_the_unit() {
    for (is_won, bound) in [(true, "at least +"), (false, "at most -")] {
        let [text, progress] = say_after_ten(is_won, EloUnit::Leg);
        assert!(text.contains(bound) && !text.contains('∞'), "{text}");
        assert!(progress.contains("Elo per leg"), "{progress}");
    }
    let [_, progress] = say_after_ten(true, EloUnit::Match);
    assert!(progress.contains("Elo per match"), "{progress}");
}
