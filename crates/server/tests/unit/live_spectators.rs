//! Tests of `live::spectators`.

use leitai_server::client_address::ClientAddress;
use leitai_server::live::spectators::*;
use leitai_server::sync::lock;

#[test]
fn guests_are_counted_by_address() {
    let guests = SpectatorCounter {
        most: 3,
        most_from_one: 2,
        ..SpectatorCounter::default()
    };
    let [one, two] =
        ["10.0.0.1", "10.0.0.2"].map(|text| ClientAddress(text.parse().expect("an address")));
    let first = guests.admit_spectator(one);
    let others = [guests.admit_spectator(one), guests.admit_spectator(two)];
    assert!(first.is_some() && others.iter().all(Option::is_some));
    assert!(guests.admit_spectator(one).is_none() && guests.admit_spectator(two).is_none());
    drop(first);
    assert!(guests.admit_spectator(two).is_some());
    drop(others);
    assert!(lock(&guests.by_address).is_empty());
}
