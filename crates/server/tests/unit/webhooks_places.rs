//! Tests of `webhooks::places`.

use leitai_server::webhooks::places::*;
use leitai_store::{DueWebhook, UserId, WebhookId};
use std::collections::HashMap;

fn hook(id: i64, creator: i64, is_silent: bool) -> DueWebhook {
    DueWebhook {
        id: WebhookId(id),
        creator: UserId(creator),
        is_silent,
    }
}

/// Accounts with ten receivers each that never answer, so that each attempt takes ten seconds,
/// always have something due; one account more has something due every second. Returns how long
/// it waits at most, in seconds. The receivers rest as the store says.
fn longest_wait(accounts: i64) -> i64 {
    const ATTEMPT: i64 = 10;
    let mut places = DeliveryPlaces::default();
    let mut hooks: HashMap<i64, (i64, i32)> = HashMap::new();
    let mut running: Vec<(i64, WebhookId)> = Vec::new();
    let (mut waits_since, mut longest) = (None, 0);
    for now in 0..600 {
        for (end, id) in running.clone() {
            if end <= now {
                places.free_place(id);
                running.retain(|one| one.1 != id);
                if id.0 > 0 {
                    let silent = hooks.entry(id.0).or_default();
                    *silent = (now + 60 * (1 << silent.1), silent.1 + 1);
                }
            }
        }
        let all = (0..accounts * 10).map(|id| {
            let (until, times) = hooks.get(&(id + 1)).copied().unwrap_or_default();
            (until, hook(id + 1, id / 10 + 1, times > 0))
        });
        let mut due: Vec<DueWebhook> = all
            .filter(|(until, _)| *until <= now)
            .map(|(_, one)| one)
            .collect();
        // What is due last stands last.
        due.push(hook(0, 0, false));
        waits_since.get_or_insert(now);
        for chosen in places.take_places(&due) {
            let takes = if chosen.id.0 == 0 { 1 } else { ATTEMPT };
            running.push((now + takes, chosen.id));
            if chosen.id.0 == 0 {
                let waited = now - waits_since.take().unwrap_or(now);
                longest = longest.max(waited);
            }
        }
    }
    longest
}

#[test]
fn receivers_that_do_not_answer_delay_nobody_elses() {
    // Its own attempt takes a second.
    assert!(longest_wait(4) <= 1, "{}", longest_wait(4));
    // 41 accounts take turns in 16 places: three attempts, before it is known who does not answer.
    assert!(longest_wait(40) <= 3 * 10, "{}", longest_wait(40));
}

#[test]
fn an_account_has_few_places_and_gets_them_back() {
    let mut places = DeliveryPlaces::default();
    let due: Vec<DueWebhook> = (0..10).map(|id| hook(id, 1, false)).collect();
    let taken = places.take_places(&due);
    assert_eq!(taken, due[..OF_ACCOUNT]);
    assert_eq!(places.full_accounts(), [UserId(1)]);
    assert_eq!(places.take_places(&due), []);
    places.free_place(WebhookId(0));
    assert_eq!(places.full_accounts(), []);
    assert_eq!(places.take_places(&due[2..]), due[2..3]);
    let silent: Vec<DueWebhook> = (0..10).map(|id| hook(100 + id, 10 + id, true)).collect();
    assert_eq!(places.take_places(&silent).len(), SILENT);
}
