//! Jobs and results as bytes: JSON, compressed. Whoever reads bounds them first: they come from
//! another machine.

use std::io::Read;
use std::time::Duration;

use anyhow::{Context, ensure};
use leitai_judge::{EntrantSettings, RefereeLimits, Resources, Transport};
use leitai_series::GameRecord;
use leitai_series::book::BookPosition;
use leitai_series::entrant::BuildNotice;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The version of these messages; it is in the subjects, too.
pub const FORMAT: u32 = 3;
/// The most bytes of an unpacked message: a replay, and what is around it.
const MOST_UNPACKED: u64 = 80 << 20;
/// The most bytes of a program.
pub const MOST_PROGRAM: u64 = 16 << 20;
/// The longest time limits that a worker takes.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// The longest build.
const LONGEST_BUILD: Duration = Duration::from_secs(3600);
/// The most bytes of a message of a program, of its kept log, and of its files.
const MOST_BYTES: u64 = 16 << 30;

/// A job: a match to play, or a program to build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The version of the message.
    pub format: u32,
    /// The id of the game.
    pub game: String,
    /// Its rules.
    pub rules: String,
    /// What programs are played with.
    pub terms: MatchTerms,
    /// The number of earlier attempts.
    pub attempt: u32,
    /// What is to be done.
    pub work: Work,
}

/// What is to be done.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "a job has one of them")]
#[allow(missing_docs, reason = "the names say it")]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Build a program, and say whether it is sound.
    Build { entrant: JobEntrant },
    /// Play a match.
    Match(MatchWork),
}

/// A match to play.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchWork {
    /// The entrants A and B by number, for the summary.
    pub pair: [usize; 2],
    /// The seed of its setup.
    pub seed: u64,
    /// Legs.
    pub legs: usize,
    /// The whole config.
    pub config: Value,
    /// Where it starts, if not at the game's beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<BookPosition>,
    /// The entrants A and B.
    pub entrants: [JobEntrant; 2],
}

/// An entrant of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobEntrant {
    /// Its name in the series.
    pub name: String,
    /// How it plays.
    pub source: EntrantSource,
    /// What it alone plays with.
    #[serde(default)]
    pub settings: EntrantSettings,
}

/// How an entrant plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntrantSource {
    /// A built-in bot, by name.
    BuiltIn(String),
    /// A program in the batch's bucket.
    Program(ProgramSource),
    /// A program that cannot be built, with the reason; it loses.
    Broken(String),
}

/// A program in the batch's bucket.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProgramSource {
    /// The SHA-256 of the file: its name in the bucket.
    pub hash: String,
    /// The name of the file, without folders.
    pub file_name: String,
    /// The protocol or host that was written before the path.
    pub prefix: Option<String>,
}

/// What programs are played with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchTerms {
    /// The limits that the referee enforces.
    pub limits: RefereeLimits,
    /// The limits that the sandbox enforces.
    pub resources: Resources,
    /// The connection to programs.
    pub transport: Transport,
    /// The CPU time of a build.
    pub build_limit: Duration,
}

impl MatchTerms {
    /// Refuses terms that no worker should take from another machine.
    ///
    /// # Errors
    /// The reason.
    pub fn check_bounds(&self, most_memory: u64) -> Result<(), String> {
        let limits = &self.limits;
        let times = [
            Some(limits.period),
            Some(limits.start),
            limits.total,
            limits.bank.map(|bank| bank.time),
            limits.bank.map(|bank| bank.increment),
            limits.grace.map(|grace| grace.time),
            limits.thought,
        ];
        let resources = &self.resources;
        let bytes = [
            Some(limits.message as u64),
            Some(limits.log as u64),
            resources.file,
            resources.disk,
        ];
        let processes = resources.processes.unwrap_or(u32::MAX);
        let files = resources.open_files.unwrap_or(u32::MAX);
        let is_bounded = times.into_iter().flatten().all(|time| time <= LONGEST)
            && self.build_limit <= LONGEST_BUILD
            && bytes
                .into_iter()
                .all(|bytes| bytes.is_some_and(|bytes| bytes <= MOST_BYTES))
            && processes <= 4096
            && files <= 65_536;
        if !is_bounded {
            return Err(
                "its limits are beyond what a worker takes from another machine".to_owned(),
            );
        }
        match resources.memory {
            Some(memory) if memory <= most_memory => Ok(()),
            _ => Err(format!(
                "it asks for {} MiB of memory for a program; this worker allows {} MiB \
                 (--most-memory)",
                resources.memory.unwrap_or(u64::MAX) >> 20,
                most_memory >> 20
            )),
        }
    }
}

/// The result of a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JobResult {
    /// The version of the message.
    pub format: u32,
    /// The worker's name.
    pub worker: String,
    /// How it ended.
    pub end: JobEnd,
}

/// How a job ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
#[serde(rename_all = "kebab-case")]
pub enum JobEnd {
    /// The match was played to its verdict.
    Played {
        game: Box<GameRecord>,
        replay: String,
    },
    /// The match could not be judged.
    Void { why: String },
    /// A program was built, or is broken.
    Built {
        broken: Option<String>,
        notices: Vec<BuildNotice>,
    },
    /// The job failed on several workers; nothing is known about the programs.
    Failed { why: String },
}

/// A question to all workers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Hello {
    pub leitai: String,
}

/// The answer of a worker. Its shape stays the same in all versions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct HelloReply {
    pub leitai: String,
    /// A random number of the process.
    pub instance: u64,
    pub worker: String,
    /// Matches at once.
    pub slots: usize,
}

/// A result that is too large for a message, and is in the batch's bucket.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Elsewhere {
    /// The name in the bucket.
    object: String,
}

/// The bytes of a message.
pub fn pack(message: &impl Serialize) -> anyhow::Result<Vec<u8>> {
    let text = serde_json::to_vec(message).context("a message is plain data")?;
    zstd::encode_all(&text[..], 3).context("cannot compress a message")
}

/// Reads a message.
///
/// # Errors
/// If it is no such message, or too large.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> anyhow::Result<T> {
    let mut text = Vec::new();
    let reader = zstd::Decoder::new(bytes).context("not a message of this version")?;
    let read = reader.take(MOST_UNPACKED + 1).read_to_end(&mut text);
    read.context("not a message of this version")?;
    ensure!(text.len() as u64 <= MOST_UNPACKED, "a message is too large");
    serde_json::from_slice(&text).context("not a message of this version")
}

/// A message that says in which object of the bucket the result is.
pub fn refer_to_object(object: &str) -> anyhow::Result<Vec<u8>> {
    let object = object.to_owned();
    serde_json::to_vec(&Elsewhere { object }).context("a message is plain data")
}

/// The object of the bucket in which a result is, if it is not in the message.
pub fn find_object(bytes: &[u8]) -> Option<String> {
    let elsewhere: Elsewhere = serde_json::from_slice(bytes.get(..200).unwrap_or(bytes)).ok()?;
    crate::subjects::is_token(&elsewhere.object).then_some(elsewhere.object)
}

/// The SHA-256 of bytes, in hexadecimal digits.
pub fn hash_of(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The token of a job: the same for the same job of the same batch, so that a run that was cut finds
/// the results that came meanwhile.
pub fn token_of(job: &Job) -> anyhow::Result<String> {
    let text = serde_json::to_vec(job).context("a message is plain data")?;
    let mut token = hash_of(&text);
    token.truncate(32);
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> MatchTerms {
        MatchTerms {
            limits: RefereeLimits::new(Duration::from_secs(3), 1 << 20),
            resources: Resources::BOT,
            transport: Transport::Stdio,
            build_limit: Duration::from_secs(30),
        }
    }

    #[test]
    fn terms_of_another_machine_are_bounded() {
        let most = 1 << 30;
        assert_eq!(terms().check_bounds(most), Ok(()));
        let mut long = terms();
        long.limits.period = Duration::from_secs(1_000_000);
        let mut wide = terms();
        wide.resources.processes = Some(1_000_000);
        let mut open = terms();
        open.resources.disk = None;
        for wrong in [long, wide, open] {
            assert!(
                wrong
                    .check_bounds(most)
                    .is_err_and(|why| why.contains("beyond"))
            );
        }
        let mut large = terms();
        large.resources.memory = Some(2 << 30);
        assert!(
            large
                .check_bounds(most)
                .is_err_and(|why| why.contains("2048 MiB"))
        );
    }

    #[test]
    fn bytes_that_are_no_message_are_refused() {
        let hello = Hello {
            leitai: "0.1.0".to_owned(),
        };
        let bytes = pack(&hello).expect("plain data");
        let read: Hello = unpack(&bytes).expect("own bytes");
        assert_eq!(read.leitai, "0.1.0");
        let bomb =
            zstd::encode_all(&vec![b' '; (MOST_UNPACKED + 1) as usize][..], 1).expect("bytes");
        for wrong in [
            &b""[..],
            b"{}",
            b"\x28\xb5\x2f\xfd",
            &bytes[..bytes.len() - 3],
            &bomb,
        ] {
            assert!(unpack::<Hello>(wrong).is_err());
        }
    }

    #[test]
    fn an_object_has_the_name_of_a_token() {
        let token = "0f".repeat(16);
        let bytes = refer_to_object(&token).expect("plain data");
        assert_eq!(find_object(&bytes), Some(token));
        assert_eq!(find_object(br#"{"object":"../x"}"#), None);
        assert_eq!(find_object(&pack(&1).expect("plain data")), None);
    }
}
