//! Tests of `http::queue_place`.

use leitai_game::Lang;
use leitai_server::http::queue_place::*;
use leitai_server::messages;
use leitai_store::QueuePlace;
use std::time::Duration;

#[test]
fn a_place_says_what_it_waits_for_and_about_how_long() {
    let check = |ahead: u64, running: u64, typical: Option<u64>, slots: u64, en: &str| {
        let place = QueuePlace {
            ahead,
            running,
            typical: typical.map(Duration::from_secs),
        };
        let time = waiting_time(&place, slots);
        let text = messages::catalogue([]).write_both(|lang| place_text(lang, &place, slots, time));
        assert_eq!(text.in_language(Lang::En), en);
        assert_ne!(text.in_language(Lang::Zh), en);
    };
    let at_once = "number 1 in the queue: it begins at once";
    check(0, 0, None, 2, at_once);
    check(0, 1, Some(60), 2, at_once);
    check(
        0,
        2,
        None,
        2,
        "number 1 in the queue: it waits for a free slot (2 of 2 at work)",
    );
    check(
        3,
        1,
        Some(20),
        1,
        "number 4 in the queue: it waits for a free slot (1 of 1 at work); it begins in about 70 s",
    );
    check(
        99,
        4,
        Some(60),
        4,
        "number 100 in the queue: it waits for a free slot (4 of 4 at work); it begins in about \
         25 min",
    );
    check(
        4,
        0,
        Some(60),
        0,
        "number 5 in the queue: it begins as soon as a worker that can do it is connected",
    );
}
