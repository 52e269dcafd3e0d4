//! Names of streams, buckets and subjects. Everything of a batch carries its id, so that several
//! batches on one bus do not meet.

use std::fmt;

/// The stream of the jobs of all batches.
pub const JOBS: &str = "leitai-batch-jobs";
/// The subjects of that stream. The number is the version of messages.
pub const ALL_JOBS: &str = "leitai.batch.v1.jobs.>";
/// Where a batch asks who is attached.
pub const HELLO: &str = "leitai.batch.hello";
/// Where batches say that they have ended.
pub const ALL_ENDS: &str = "leitai.batch.v1.end.*";
/// The beginning of the names of streams with results, and of buckets.
pub const OWN_PREFIX: &str = "leitai-batch-of-";
/// Letters of an id.
const ID_LETTERS: usize = 16;

/// The id of a batch: 16 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BatchId(String);

impl BatchId {
    /// An id that no other batch has.
    pub fn random() -> BatchId {
        BatchId(format!("{:016x}", rand::random::<u64>()))
    }

    /// Reads an id. Nothing else can become a part of a subject or of a name.
    pub fn parse(text: &str) -> Option<BatchId> {
        let is_id = text.len() == ID_LETTERS
            && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
        is_id.then(|| BatchId(text.to_owned()))
    }

    /// The stream of its results, and its bucket.
    pub fn own_name(&self) -> String {
        format!("{OWN_PREFIX}{self}")
    }

    /// The subjects of its results.
    pub fn all_results(&self) -> String {
        format!("leitai.batch.v1.results.{self}.*")
    }

    /// The subject of the result of a job.
    pub fn result(&self, token: &str) -> String {
        format!("leitai.batch.v1.results.{self}.{token}")
    }

    /// The subjects of its jobs for workers of this version of Leitai.
    pub fn all_jobs(&self, version: &str) -> String {
        format!("leitai.batch.v1.jobs.{}.{self}.*", version_word(version))
    }

    /// The subject of a job.
    pub fn job(&self, version: &str, token: &str) -> String {
        let version = version_word(version);
        format!("leitai.batch.v1.jobs.{version}.{self}.{token}")
    }

    /// Where it says that it has ended.
    pub fn end(&self) -> String {
        format!("leitai.batch.v1.end.{self}")
    }
}

impl fmt::Display for BatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The jobs of all batches for workers of this version of Leitai.
pub fn jobs_of_version(version: &str) -> String {
    format!("leitai.batch.v1.jobs.{}.>", version_word(version))
}

/// The name of the consumer that workers of this version share.
pub fn consumer_of_version(version: &str) -> String {
    format!("workers-{}", version_word(version))
}

/// A version as one word of a subject: `0_1_0`.
fn version_word(version: &str) -> String {
    version
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

/// Whether it can be the token of a job: hexadecimal digits.
pub fn is_token(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_id_becomes_a_part_of_a_subject() {
        let id = BatchId::random();
        assert_eq!(BatchId::parse(&id.to_string()), Some(id));
        for wrong in [
            "",
            "*",
            "0123456789abcde>",
            "0123456789abcde.",
            "../../../../etc",
        ] {
            assert_eq!(BatchId::parse(wrong), None, "{wrong}");
        }
        assert!(!is_token("a.b") && is_token(&"0f".repeat(16)));
    }

    #[test]
    fn versions_have_subjects_of_their_own() {
        assert_eq!(
            jobs_of_version("0.2.0-rc.1"),
            "leitai.batch.v1.jobs.0_2_0_rc_1.>"
        );
        let id = BatchId::parse("0123456789abcdef").expect("an id");
        assert_eq!(
            id.job("0.1.0", "77"),
            "leitai.batch.v1.jobs.0_1_0.0123456789abcdef.77"
        );
    }
}
