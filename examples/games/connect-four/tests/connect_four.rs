//! Connect Four, natively, passes the conformance kit and agrees with the recorded matches of another
//! program (`examples/games/independent.py`).

use std::fs;
use std::path::Path;

use leitai_connect_four::ConnectFour;
use leitai_game::Erased;
use leitai_game::conformance::{ConformanceOptions, check_game};
use leitai_game::replay::{Replay, verify_replay};

#[test]
fn connect_four_keeps_the_contract_of_a_game() {
    let report = check_game::<ConnectFour>(&ConformanceOptions::default());
    println!("{}", report.unwrap_or_else(|failure| panic!("{failure}")));
}

#[test]
fn recorded_matches_agree() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut reasons = Vec::new();
    for number in 1..=6 {
        let path = golden.join(format!("{number}.json"));
        let text = fs::read_to_string(&path).expect("a recorded match");
        let replay = Replay::parse(&text).unwrap_or_else(|why| panic!("{number}: {why}"));
        let found = verify_replay(&Erased::<ConnectFour>::new(), &replay);
        let found = found.unwrap_or_else(|why| panic!("{number}: {why}"));
        assert!(found.is_ok(), "{number}: {found:?}");
        let ends = replay.legs.iter().filter_map(|leg| leg.outcome.as_ref());
        reasons.extend(ends.map(|end| end.reason.clone()));
    }
    for reason in ["four", "full", "fault"] {
        assert!(reasons.iter().any(|told| told == reason), "{reasons:?}");
    }
}
