//! Who is attached: a batch asks from time to time, and every worker answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_nats::Client;
use futures_util::StreamExt;

use crate::message::{Hello, HelloReply};
use crate::notice::{BatchListener, BatchNotice};
use crate::subjects;
use crate::{VERSION, results::Results};

/// The interval of the question, while nobody has answered and afterwards.
const INTERVALS: [Duration; 2] = [Duration::from_millis(300), Duration::from_secs(2)];
/// A worker that has not answered for so long is gone.
const GONE: Duration = Duration::from_secs(9);
/// How long no worker may be there before people are told.
const PATIENCE: Duration = Duration::from_secs(4);
/// The most workers that are counted, and the most slots and bytes of an answer.
const MOST: (usize, usize, usize) = (10_000, 1024, 4096);

/// Asks until the task is ended, and keeps the number of slots of attached workers.
pub async fn count_workers(
    client: Client,
    bus: String,
    slots: Arc<AtomicUsize>,
    results: Arc<Results>,
    tell: BatchListener,
) {
    let inbox = client.new_inbox();
    let Ok(mut answers) = client.subscribe(inbox.clone()).await else {
        return;
    };
    let question = serde_json::to_vec(&Hello {
        leitai: VERSION.to_owned(),
    })
    .unwrap_or_default();
    let mut seen = SeenWorkers::new();
    loop {
        let asked =
            client.publish_with_reply(subjects::HELLO, inbox.clone(), question.clone().into());
        let _ = asked.await;
        let until = tokio::time::sleep(INTERVALS[usize::from(seen.slots > 0)]);
        tokio::pin!(until);
        loop {
            tokio::select! {
                () = &mut until => break,
                answer = answers.next() => match answer {
                    Some(answer) => seen.note_reply(&answer.payload),
                    None => return,
                }
            }
        }
        if let Some(notice) = seen.look(&bus, results.has_any()) {
            tell(&notice);
        }
        slots.store(seen.slots, Ordering::Relaxed);
    }
}

struct SeenWorkers {
    all: HashMap<u64, (HelloReply, Instant)>,
    /// Slots of workers of this version.
    slots: usize,
    told: Option<(usize, usize)>,
    /// Since when nobody of this version has been there, and whether that was told.
    alone: Option<(Instant, bool)>,
}

impl SeenWorkers {
    fn new() -> SeenWorkers {
        SeenWorkers {
            all: HashMap::new(),
            slots: 0,
            told: None,
            alone: Some((Instant::now(), false)),
        }
    }

    fn note_reply(&mut self, bytes: &[u8]) {
        let (most_workers, most_slots, most_bytes) = MOST;
        if bytes.len() > most_bytes || self.all.len() >= most_workers {
            return;
        }
        if let Ok(mut reply) = serde_json::from_slice::<HelloReply>(bytes) {
            reply.slots = reply.slots.min(most_slots);
            self.all.insert(reply.instance, (reply, Instant::now()));
        }
    }

    /// Forgets who is gone, counts who is there, and says what people should know.
    fn look(&mut self, bus: &str, has_results: bool) -> Option<BatchNotice> {
        self.all.retain(|_, (_, heard)| heard.elapsed() < GONE);
        let own = || {
            self.all
                .values()
                .filter(|(reply, _)| reply.leitai == VERSION)
        };
        let count = (own().count(), own().map(|(reply, _)| reply.slots).sum());
        self.slots = count.1;
        if self.slots > 0 {
            self.alone = None;
            let is_news = self.told != Some(count);
            self.told = Some(count);
            let (workers, slots) = count;
            return is_news.then_some(BatchNotice::Workers { workers, slots });
        }
        self.told = None;
        let (since, was_told) = self.alone.get_or_insert((Instant::now(), false));
        if *was_told || since.elapsed() < PATIENCE {
            return None;
        }
        *was_told = true;
        let mut others: Vec<String> = (self.all.values())
            .map(|(reply, _)| {
                reply
                    .leitai
                    .chars()
                    .filter(|c| c.is_ascii_graphic())
                    .take(40)
                    .collect()
            })
            .collect();
        others.sort();
        others.dedup();
        others.truncate(5);
        let (bus, found) = (bus.to_owned(), others.join(", "));
        Some(match (others.is_empty(), has_results) {
            (false, _) => BatchNotice::OtherVersions { found },
            (true, false) => BatchNotice::NoWorkers { bus },
            (true, true) => BatchNotice::NoWorkersLeft { bus },
        })
    }
}
