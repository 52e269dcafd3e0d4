//! Tests of `http::queue_place`.

use leitai_game::Lang;
use leitai_server::http::queue_place::*;
use leitai_server::messages;
use leitai_store::QueuePlace;
use std::time::Duration;

use crate::kit::table;

#[test]
fn a_place_says_what_it_waits_for_and_about_how_long() {
    // How many are ahead, how many run, the typical seconds of one, and the slots.
    let rows = "
0 0 - 2 | number 1 in the queue: it begins at once
0 1 60 2 | number 1 in the queue: it begins at once
0 2 - 2 | number 1 in the queue: it waits for a free slot (2 of 2 at work)
3 1 20 1 | number 4 in the queue: it waits for a free slot (1 of 1 at work); it begins in about 70 s
99 4 60 4 | number 100 in the queue: it waits for a free slot (4 of 4 at work); it begins in about 25 min
4 0 60 0 | number 5 in the queue: it begins as soon as a worker that can do it is connected
";
    for [numbers, en] in table(rows) {
        let numbers: Vec<Option<u64>> = numbers.split(' ').map(|word| word.parse().ok()).collect();
        let [Some(ahead), Some(running), typical, Some(slots)] = numbers[..] else {
            panic!("four numbers: {numbers:?}")
        };
        let place = QueuePlace {
            ahead,
            running,
            typical: typical.map(Duration::from_secs),
        };
        let time = waiting_time(&place, slots);
        let text = messages::catalogue([]).write_both(|lang| place_text(lang, &place, slots, time));
        assert_eq!(text.in_language(Lang::En), en);
        assert_ne!(text.in_language(Lang::Zh), en);
    }
}
