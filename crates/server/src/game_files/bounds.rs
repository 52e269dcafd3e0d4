//! What rules may take in an arena, and how their files are named.

use leitai_guest::Limits;
use sha2::{Digest, Sha256};

/// What rules may take in an arena, where others wait for them.
pub const ARENA: Limits = Limits {
    module_bytes: 4 << 20,
    memory_bytes: 16 << 20,
    table_items: 100_000,
    fuel: 50_000_000,
    total_fuel: u64::MAX,
    search_fuel: 200_000_000,
    depth: 2_000,
    request_bytes: 4 << 20,
    answer_bytes: 4 << 20,
    reason_bytes: 64 << 10,
    log_bytes: 4 << 10,
};

/// SHA-256 in hexadecimal digits.
pub fn hash_of(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
