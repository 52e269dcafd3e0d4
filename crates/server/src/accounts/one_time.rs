//! One-time passwords: printed, typed once, then replaced by the owner's own.

/// Letters and digits that are not mistaken for others in print.
const SIGNS: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
/// Signs of a password: 59 random bits.
const LENGTH: usize = 12;
/// The largest multiple of the number of signs that a byte holds.
const FAIR: u8 = 248;

/// A new one-time password, as `k7mw-qp3h-x2cd`.
pub fn make_one_time_password() -> String {
    let mut signs = Vec::with_capacity(LENGTH);
    while signs.len() < LENGTH {
        let mut bytes = [0u8; LENGTH];
        rand::fill(&mut bytes);
        let fair = bytes.iter().filter(|byte| **byte < FAIR);
        signs.extend(fair.map(|byte| SIGNS[usize::from(*byte) % SIGNS.len()]));
    }
    let parts = signs[..LENGTH].chunks(4).map(String::from_utf8_lossy);
    parts.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_long_different_and_readable() {
        let (one, two) = (make_one_time_password(), make_one_time_password());
        assert_ne!(one, two);
        assert_eq!(one.len(), LENGTH + 2);
        assert!(
            one.bytes()
                .all(|byte| byte == b'-' || SIGNS.contains(&byte)),
            "{one}"
        );
    }
}
