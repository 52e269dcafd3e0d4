//! What a dry run says about a contest.

use leitai_contest::dry_run::{Assumptions, dry_run};
use leitai_contest::file::{Contest, Games, check_contest};
use leitai_contest::template::contest_file;
use leitai_game::lang::Catalogue;

fn contest() -> Contest {
    let text = contest_file("spring", "kob", 1_800_000_000);
    let games = Games::new(leitai_games::ALL, Catalogue::default());
    check_contest(&text, &games).expect("the template is sound")
}

fn assumed(entrants: usize) -> Assumptions {
    Assumptions {
        entrants,
        workers: 4,
        match_seconds: 2.0,
        match_cpu_seconds: 3.0,
        longest_match_seconds: 60.0,
        spread: 200.0,
        seed: 1,
    }
}

#[test]
fn matches_hours_and_ends_are_counted() {
    let contest = contest();
    let dry = dry_run(&contest, &assumed(16));
    let [swiss, last] = &dry.stages[..] else {
        panic!("two stages");
    };
    assert_eq!(
        swiss.matches,
        [80, 80],
        "five rounds of eight encounters of two"
    );
    assert_eq!(last.matches, [70, 75], "14 or 15 encounters of five");
    assert_eq!(dry.matches, [150, 155]);
    assert!((dry.cpu_hours - 155.0 * 3.0 / 3600.0).abs() < 1e-9);
    // Five rounds, each of 16 matches on four workers.
    assert_eq!(swiss.ends - swiss.begins, 5 * 4 * 2);
    assert_eq!(swiss.ends_at_the_latest - swiss.begins, 5 * 4 * 60);
    assert_eq!(Some(last.begins), contest.stages[1].starts);
    assert!(!last.is_delayed && dry.warnings.is_empty());
}

#[test]
fn the_same_numbers_give_the_same_answer() {
    let contest = contest();
    assert_eq!(
        dry_run(&contest, &assumed(12)),
        dry_run(&contest, &assumed(12))
    );
    let other = Assumptions {
        seed: 2,
        ..assumed(12)
    };
    assert_ne!(
        dry_run(&contest, &assumed(12)).quality,
        dry_run(&contest, &other).quality
    );
}

#[test]
fn more_matches_tell_more() {
    let mut contest = contest();
    let few = dry_run(&contest, &assumed(16)).quality;
    for stage in &mut contest.stages {
        stage.matches *= 16;
    }
    let many = dry_run(&contest, &assumed(16)).quality;
    assert!(many.best_wins > few.best_wins + 0.1, "{few:?} {many:?}");
    assert!(many.ranking_error < few.ranking_error, "{few:?} {many:?}");
}

#[test]
fn advice_halves_what_it_says() {
    let dry = dry_run(&contest(), &assumed(16));
    let advice = dry.halves_wrong_winner.expect("more matches do it");
    let (before, after) = (dry.quality.best_wins, advice.quality.best_wins);
    assert!(1.0 - after <= (1.0 - before) / 2.0, "{before} {after}");
    assert!(advice.matches > dry.matches[1]);
}

#[test]
fn one_entrant_and_a_thousand_are_handled() {
    for entrants in [0, 1] {
        let dry = dry_run(&contest(), &assumed(entrants));
        assert_eq!((dry.matches, dry.warnings.len()), ([0, 0], 1));
        assert_eq!(dry.halves_wrong_winner, None);
    }
    let mut contest = contest();
    contest.entry.most = 1_000;
    let dry = dry_run(&contest, &assumed(1_000));
    assert_eq!(dry.stages[0].matches, [5_000, 5_000]);
    assert!(dry.quality.ranking_error > 10.0);
}

#[test]
fn a_stage_that_takes_longer_delays_the_next() {
    let slow = Assumptions {
        match_seconds: 6.0 * 3600.0,
        ..assumed(16)
    };
    let dry = dry_run(&contest(), &slow);
    assert!(dry.stages[1].is_delayed);
    assert_eq!(dry.stages[1].begins, dry.stages[0].ends);
    assert!(dry.warnings[0].en.contains("Final begins late"));
}
