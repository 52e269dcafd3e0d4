//! Winnowing: of every window of hashes the least one is a fingerprint.

use super::source::SourceText;
use super::tokens::{Family, MOST, Token, read_tokens};

/// Tokens of one hash: shorter parts are never found.
pub const GRAM: usize = 20;
/// Hashes of which one is kept.
const WINDOW: usize = 10;
/// Tokens of which a part in common is always found.
pub const SEEN: usize = GRAM + WINDOW - 1;

/// A fingerprint and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// The hash of its tokens.
    pub hash: u64,
    /// The file's index.
    pub file: u32,
    /// The index of its first token in the file.
    pub token: u32,
}

/// A source as tokens and fingerprints.
#[derive(Clone, Debug, Default)]
pub struct FingerprintedSource {
    /// The tokens of each file.
    pub files: Vec<Vec<Token>>,
    /// Those that winnowing chose.
    pub fingerprints: Vec<Fingerprint>,
    /// Whether the source had more tokens than are read.
    pub is_cut: bool,
}

impl FingerprintedSource {
    /// The different hashes, sorted.
    pub fn into_hashes(self) -> Vec<u64> {
        let mut hashes: Vec<u64> = self.fingerprints.iter().map(|one| one.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.shrink_to_fit();
        hashes
    }
}

/// The tokens of one fingerprint.
pub const fn gram() -> usize {
    GRAM
}

/// Reads a source.
pub fn fingerprint_source(source: &SourceText) -> FingerprintedSource {
    let mut read = FingerprintedSource {
        is_cut: source.is_cut,
        ..FingerprintedSource::default()
    };
    let mut room = MOST;
    for (file, index) in source.files.iter().zip(0..) {
        let tokens = match Family::of_file(&file.name) {
            Some(family) => read_tokens(family, &file.text, room),
            None => Vec::new(),
        };
        room -= tokens.len();
        winnow_tokens(&tokens, index, &mut read.fingerprints);
        read.files.push(tokens);
    }
    read.is_cut |= room == 0;
    read
}

/// Adds the fingerprints of a file.
pub fn winnow_tokens(tokens: &[Token], file: u32, found: &mut Vec<Fingerprint>) {
    let hashes = hash_grams(tokens);
    let mut last = None;
    // A file with fewer hashes than a window has one fingerprint.
    let windows = hashes.len().saturating_sub(WINDOW - 1).max(1);
    for start in 0..windows.min(hashes.len()) {
        let window = &hashes[start..(start + WINDOW).min(hashes.len())];
        // The last of several least ones.
        let least = window
            .iter()
            .zip(start..start + window.len())
            .rev()
            .min_by_key(|(hash, _)| **hash);
        let Some((&hash, at)) = least else { continue };
        if last != Some(at) {
            last = Some(at);
            found.push(Fingerprint {
                hash,
                file,
                token: at as u32,
            });
        }
    }
}

/// The hash of every [`GRAM`] tokens in a row, each from the one before (Karp and Rabin).
fn hash_grams(tokens: &[Token]) -> Vec<u64> {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    if tokens.len() < GRAM {
        return Vec::new();
    }
    let highest = (1..GRAM).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut rolling = 0_u64;
    let mut hashes = Vec::with_capacity(tokens.len() - GRAM + 1);
    for (at, token) in tokens.iter().enumerate() {
        if at >= GRAM {
            let gone = mix(tokens[at - GRAM].code).wrapping_mul(highest);
            rolling = rolling.wrapping_sub(gone);
        }
        rolling = rolling.wrapping_mul(BASE).wrapping_add(mix(token.code));
        if at + 1 >= GRAM {
            hashes.push(mix(rolling));
        }
    }
    hashes
}

/// Spreads a number over 64 bits (splitmix64).
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
