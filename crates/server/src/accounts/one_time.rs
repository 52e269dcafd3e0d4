//! Codes that are printed and typed once: one-time passwords, which the owner's own replaces, and
//! recovery codes of a second factor.

/// Letters and digits that are not mistaken for others in print.
pub const SIGNS: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
/// Signs of a password: 59 random bits.
pub const PASSWORD: usize = 12;
/// Random bytes that are drawn at a time.
const DRAWN: usize = 16;
/// The largest multiple of the number of signs that a byte holds.
const FAIR: u8 = 248;

/// A new one-time password, as `k7mw-qp3h-x2cd`.
pub fn make_one_time_password() -> String {
    make_one_time_code(PASSWORD)
}

/// So many random signs in groups of four.
pub fn make_one_time_code(length: usize) -> String {
    let mut signs = Vec::with_capacity(length + DRAWN);
    while signs.len() < length {
        let mut bytes = [0u8; DRAWN];
        rand::fill(&mut bytes);
        let fair = bytes.iter().filter(|byte| **byte < FAIR);
        signs.extend(fair.map(|byte| SIGNS[usize::from(*byte) % SIGNS.len()]));
    }
    let parts = signs[..length].chunks(4).map(String::from_utf8_lossy);
    parts.collect::<Vec<_>>().join("-")
}
