//! The streams of batches on the bus: made where they are missing, removed at the end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{Config, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions, Event};
use futures_util::TryStreamExt;
use tokio::io::AsyncReadExt;

use crate::subjects::{self, BatchId, OWN_PREFIX};

/// The consumer of a batch's results.
const ASKER: &str = "asker";
/// A job that nobody took for so long is forgotten.
const JOB_AGE: Duration = Duration::from_secs(24 * 3600);
/// What a batch left behind is removed after this time: a cut run can be continued until then.
pub const BATCH_AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// A worker that says nothing for so long does not play any more; another one gets the job. It says
/// three times as often that it plays.
pub const ACK_WAIT: Duration = Duration::from_secs(6);
/// The number of workers that may fail at a job before it fails.
pub const TRIES: i64 = 3;
/// The most deliveries of a job: after [`TRIES`] they only carry the news that it failed.
const DELIVERIES: i64 = TRIES + 5;
/// The most jobs that are played at once, on all workers.
const MOST_AT_ONCE: i64 = 65_536;

/// Connects to a bus under this name and opens JetStream. `tell_away` hears that the bus is away, and
/// that it is back.
///
/// # Errors
/// If the bus cannot be used.
pub async fn connect(
    bus: &str,
    name: String,
    tell_away: impl Fn(bool) + Send + Sync + 'static,
) -> anyhow::Result<(Client, Context)> {
    let was_lost = AtomicBool::new(false);
    let options = ConnectOptions::new()
        .name(name)
        .event_callback(move |event| {
            match event {
                Event::Disconnected if !was_lost.swap(true, Ordering::Relaxed) => tell_away(true),
                Event::Connected if was_lost.swap(false, Ordering::Relaxed) => tell_away(false),
                Event::ServerError(error) => tracing::warn!(%error, "the bus refuses something"),
                _ => {}
            }
            async {}
        });
    let client = leitai_bus::connect(bus, options).await?;
    Ok((client.clone(), jetstream::new(client)))
}

/// The stream of jobs. The server makes it if it is missing.
///
/// # Errors
/// If the server has no JetStream, or a stream of this name that is none of ours.
pub async fn open_jobs(jetstream: &Context) -> anyhow::Result<Stream> {
    let description = "Matches of leitai compare, rate, tournament and ladder --on";
    let config = Config {
        name: subjects::JOBS.to_owned(),
        subjects: vec![subjects::ALL_JOBS.to_owned()],
        description: Some(description.to_owned()),
        retention: RetentionPolicy::WorkQueue,
        storage: StorageType::File,
        max_age: JOB_AGE,
        ..Config::default()
    };
    let opened = jetstream.get_or_create_stream(config.clone()).await;
    let stream = opened.map_err(|error| explain(&error.to_string()))?;
    let found = &stream.cached_info().config;
    if found.subjects != config.subjects || found.retention != config.retention {
        bail!(
            "the stream {} on the bus has other settings (subjects {}, retention {:?}): another \
             program or version made it; remove it with `nats stream rm {}`, or use another bus",
            subjects::JOBS,
            found.subjects.join(" "),
            found.retention,
            subjects::JOBS
        );
    }
    Ok(stream)
}

fn explain(error: &str) -> anyhow::Error {
    let is_missing = ["unavailable", "not enabled", "no responders", "503"]
        .iter()
        .any(|part| error.contains(part));
    if is_missing {
        return anyhow::anyhow!(
            "the bus has no JetStream, which batches need; start nats-server with --jetstream, or \
             enable it for this user's account"
        );
    }
    if error.contains("timed out") {
        return anyhow::anyhow!(
            "the bus does not answer questions about JetStream; allow this user to publish to \
             `leitai.batch.>`, `_INBOX.>`, `$JS.>` and `$O.>`, and to subscribe to \
             `leitai.batch.>` and `_INBOX.>`"
        );
    }
    anyhow::anyhow!("the bus refuses a stream of the batch: {error}")
}

/// The consumer that the workers of a version share.
pub async fn open_worker_consumer(
    jobs: &Stream,
    version: &str,
) -> anyhow::Result<Consumer<pull::Config>> {
    let name = subjects::consumer_of_version(version);
    let config = pull::Config {
        durable_name: Some(name.clone()),
        filter_subject: subjects::jobs_of_version(version),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        max_deliver: DELIVERIES,
        max_ack_pending: MOST_AT_ONCE,
        max_waiting: 8192,
        inactive_threshold: BATCH_AGE,
        ..pull::Config::default()
    };
    let opened = jobs.get_or_create_consumer(&name, config).await;
    opened.map_err(|error| explain(&error.to_string()))
}

/// Whether the workers' consumer is done with this job although it is still there: no worker will
/// ever get it. nats-server 2.9 leaves such a job behind that came while its storage was full.
pub async fn is_passed_over(jobs: &Stream, version: &str, sequence: u64) -> bool {
    let consumer = jobs
        .consumer_info(subjects::consumer_of_version(version))
        .await;
    consumer.is_ok_and(|consumer| {
        let open = consumer.num_pending + consumer.num_ack_pending as u64;
        is_behind(sequence, consumer.ack_floor.stream_sequence, open)
    })
}

/// Whether a consumer that is done up to `floor`, and has so many messages to give or with a worker,
/// will not give the message of this sequence any more. The floor moves only with what is given: if
/// nothing came after the message, it stays before it for ever.
fn is_behind(sequence: u64, floor: u64, open: u64) -> bool {
    floor >= sequence || open == 0
}

/// The stream of a batch's results.
pub async fn open_results(jetstream: &Context, id: &BatchId) -> anyhow::Result<Stream> {
    let description = "Results of a batch of Leitai";
    let config = Config {
        name: id.own_name(),
        subjects: vec![id.all_results()],
        description: Some(description.to_owned()),
        retention: RetentionPolicy::WorkQueue,
        storage: StorageType::File,
        max_age: BATCH_AGE,
        ..Config::default()
    };
    let opened = jetstream.get_or_create_stream(config).await;
    opened.map_err(|error| explain(&error.to_string()))
}

/// The consumer of a batch's results; what an earlier run did not take comes again.
pub async fn open_result_consumer(results: &Stream) -> anyhow::Result<Consumer<pull::Config>> {
    let config = pull::Config {
        durable_name: Some(ASKER.to_owned()),
        deliver_policy: DeliverPolicy::All,
        ack_policy: AckPolicy::Explicit,
        ack_wait: Duration::from_secs(30),
        max_ack_pending: MOST_AT_ONCE,
        ..pull::Config::default()
    };
    let opened = results.get_or_create_consumer(ASKER, config).await;
    opened.map_err(|error| explain(&error.to_string()))
}

/// Removes the consumer of an earlier run: what it had taken and not counted comes again at once.
pub async fn forget_result_consumer(results: &Stream) {
    let _ = results.delete_consumer(ASKER).await;
}

/// The bucket of a batch.
pub async fn open_bucket(jetstream: &Context, id: &BatchId) -> anyhow::Result<ObjectStore> {
    let name = id.own_name();
    if let Ok(bucket) = jetstream.get_object_store(&name).await {
        return Ok(bucket);
    }
    let description = "Programs of a batch of Leitai";
    let config = object_store::Config {
        bucket: name,
        description: Some(description.to_owned()),
        max_age: BATCH_AGE,
        ..object_store::Config::default()
    };
    let made = jetstream.create_object_store(config).await;
    made.map_err(|error| explain(&error.to_string()))
}

/// The largest piece of an object, in bytes; a bus may take smaller messages only.
const LARGEST_PIECE: usize = 128 << 10;

/// Puts an object into a bucket, in pieces that the bus takes as messages: at most `most` bytes.
///
/// # Errors
/// If the bus does not take it.
pub async fn put_object(
    bucket: &ObjectStore,
    name: &str,
    bytes: &[u8],
    most: usize,
) -> anyhow::Result<()> {
    let object = object_store::ObjectMetadata {
        name: name.to_owned(),
        chunk_size: Some(most.clamp(1, LARGEST_PIECE)),
        ..object_store::ObjectMetadata::default()
    };
    bucket.put(object, &mut &*bytes).await?;
    Ok(())
}

/// Reads an object of a bucket that has at most so many bytes.
///
/// # Errors
/// If it is not there, or too large.
pub async fn fetch_object(bucket: &ObjectStore, name: &str, most: u64) -> anyhow::Result<Vec<u8>> {
    let object = bucket.get(name).await?;
    ensure!(object.info.size as u64 <= most, "it is too large");
    let mut bytes = Vec::new();
    object.take(most).read_to_end(&mut bytes).await?;
    Ok(bytes)
}

/// Removes everything of a batch.
pub async fn remove_batch(jetstream: &Context, jobs: &Stream, id: &BatchId, version: &str) {
    purge_jobs(jobs, id, version).await;
    let name = id.own_name();
    let _ = jetstream.delete_stream(&name).await;
    let _ = jetstream.delete_stream(format!("OBJ_{name}")).await;
}

/// Removes the jobs of a batch that nobody has taken.
pub async fn purge_jobs(jobs: &Stream, id: &BatchId, version: &str) {
    if let Err(error) = jobs.purge().filter(id.all_jobs(version)).await {
        tracing::debug!(%error, "jobs of a batch stay on the bus until they are too old");
    }
}

/// Removes streams of batches that nobody continued. Their content is gone by its age.
pub async fn remove_leftovers(jetstream: &Context) -> anyhow::Result<()> {
    let mut streams = jetstream.streams();
    let mut old = Vec::new();
    while let Some(stream) = streams.try_next().await.context("cannot list streams")? {
        let name = &stream.config.name;
        let is_ours = name
            .strip_prefix("OBJ_")
            .unwrap_or(name)
            .starts_with(OWN_PREFIX);
        let created = stream.created.unix_timestamp();
        let last = stream.state.last_timestamp.unix_timestamp().max(created);
        let is_old = unix_now().saturating_sub(last) > BATCH_AGE.as_secs() as i64;
        if is_ours && is_old && stream.state.messages == 0 {
            old.push(name.clone());
        }
    }
    for name in old {
        let _ = jetstream.delete_stream(&name).await;
    }
    Ok(())
}

fn unix_now() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs() as i64)
}

/// The time between two notices that the bus has no room.
const FULL_NEWS: Duration = Duration::from_secs(60);

/// Whether the bus says that it has no room.
pub fn is_full(why: &str) -> bool {
    let signs = [
        "maximum bytes",
        "maximum messages",
        "insufficient",
        "resource limits",
    ];
    signs.iter().any(|sign| why.contains(sign))
}

/// Whether it was told lately that the bus has no room; if not, it is now.
pub fn was_told(told: &mut Option<Instant>) -> bool {
    let lately = told.is_some_and(|last| last.elapsed() <= FULL_NEWS);
    if !lately {
        *told = Some(Instant::now());
    }
    lately
}

/// Publishes once and waits until the bus has stored it.
///
/// # Errors
/// The reason; [`PublishErrorKind::StreamNotFound`] where no stream takes the subject.
pub async fn publish(
    jetstream: &Context,
    subject: String,
    bytes: Vec<u8>,
) -> Result<(), (PublishErrorKind, String)> {
    let explain = |error: jetstream::context::PublishError| (error.kind(), error.to_string());
    let sent = jetstream
        .publish(subject, bytes.into())
        .await
        .map_err(explain)?;
    sent.await.map(drop).map_err(explain)
}

#[cfg(test)]
mod tests {
    use super::is_behind;

    #[test]
    fn a_job_that_nobody_will_get_is_told_from_one_that_waits_or_is_played() {
        // The job's sequence, the consumer's floor, what it has to give or with a worker.
        for (sequence, floor, open, expected) in [
            (12, 22, 1, true),
            (12, 12, 0, true),
            (12, 11, 1, false),
            (12, 0, 30, false),
            // It was passed over, and nothing came after it.
            (12, 11, 0, true),
        ] {
            let found = is_behind(sequence, floor, open);
            assert_eq!(found, expected, "{sequence} {floor} {open}");
        }
    }
}
