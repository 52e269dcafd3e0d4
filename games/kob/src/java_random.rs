//! `java.util.Random` as its public specification defines it: the sites draw their maps with it, so
//! a seed must give the same numbers here.

/// A 48-bit linear congruential generator.
///
/// ```
/// use leitai_kob::java_random::JavaRandom;
/// let mut random = JavaRandom::new(42);
/// assert_eq!([random.next_int(13), random.next_int(14)], [0, 5]);
/// ```
#[derive(Clone, Debug)]
pub struct JavaRandom(u64);

const MULTIPLIER: u64 = 0x5_deec_e66d;
const MASK: u64 = (1 << 48) - 1;

impl JavaRandom {
    /// As `new Random(seed)`.
    pub const fn new(seed: i64) -> JavaRandom {
        JavaRandom((seed as u64 ^ MULTIPLIER) & MASK)
    }

    /// As `next(31)`: 31 bits.
    fn next_31(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(0xb) & MASK;
        (self.0 >> 17) as u32
    }

    /// As `nextInt(bound)`: uniform in `0..bound`, by rejection. Returns 0 for the bound 0, for
    /// which Java throws.
    pub fn next_int(&mut self, bound: u8) -> u8 {
        let bound = u32::from(bound);
        if bound.is_power_of_two() {
            return ((u64::from(bound) * u64::from(self.next_31())) >> 31) as u8;
        }
        if bound == 0 {
            return 0;
        }
        // The remainder by two multiplications (Lemire, Kaser, Kurz 2019), exact for 32 bits: with
        // short legs many maps are dealt, and divisions took most of that time.
        let inverse = u64::MAX / u64::from(bound) + 1;
        loop {
            let bits = self.next_31();
            let fraction = inverse.wrapping_mul(u64::from(bits));
            let value = ((u128::from(fraction) * u128::from(bound)) >> 64) as u32;
            // The last, incomplete run of `bound` numbers below 2^31 is rejected.
            if bits - value + (bound - 1) < 1 << 31 {
                return value as u8;
            }
        }
    }
}
