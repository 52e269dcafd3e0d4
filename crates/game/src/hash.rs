//! FNV-1a, the hash of canonical state texts (`docs/rules/snakego.md`, `docs/rules/tankcraft.md`
//! R10).

/// FNV-1a 64 of the bytes.
///
/// ```
/// assert_eq!(leitai_game::hash::fnv1a(b""), 0xcbf2_9ce4_8422_2325);
/// ```
pub fn fnv1a(bytes: &[u8]) -> u64 {
    let mut fnv = Fnv::default();
    fnv.write(bytes);
    fnv.0
}

/// The 64-bit hash folded to 16 bits: `h ^ h>>16 ^ h>>32 ^ h>>48`.
pub const fn fold16(hash: u64) -> u16 {
    (hash ^ (hash >> 16) ^ (hash >> 32) ^ (hash >> 48)) as u16
}

/// An incremental FNV-1a 64 hash; also a [`std::fmt::Write`], so that a text can be hashed without
/// being built.
pub struct Fnv(pub u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds the bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

impl std::fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.write(text.as_bytes());
        Ok(())
    }
}
