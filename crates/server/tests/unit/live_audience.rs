//! Tests of `live::audience`.

use leitai_server::client_address::ClientAddress;
use leitai_server::live::audience::*;
use leitai_server::live::spectators::SpectatorCounter;
use leitai_store::Timestamp;
use std::time::Duration;

#[test]
fn visitors_stay_a_minute_and_spectators_as_long_as_they_watch() {
    let spectators = SpectatorCounter::default();
    let start = Timestamp(1_000_000_000);
    let audience = Audience::new(spectators.clone());
    let after = |seconds| start.after(Duration::from_secs(seconds));
    assert!(!audience.is_present(start), "a start is no visit");
    audience.note_visit(after(100));
    audience.note_visit(after(90));
    assert!(audience.is_present(after(160)) && !audience.is_present(after(161)));
    let address = ClientAddress("10.0.0.1".parse().expect("an address"));
    let slot = spectators.admit_spectator(address);
    assert!(audience.is_present(after(5_000)));
    drop(slot);
    assert!(!audience.is_present(after(5_000)));
}
