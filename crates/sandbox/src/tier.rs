//! How well programs are kept apart from the machine and from each other.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How well programs are kept apart, the best first (`docs/sandbox.md`).
///
/// ```
/// use leitai_sandbox::Tier;
/// assert_eq!("b".parse(), Ok(Tier::B));
/// assert_eq!(Tier::None.to_string(), "none");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tier {
    /// Namespaces, a system-call filter, and a control group that bounds memory exactly: for
    /// anybody's programs.
    A,
    /// Namespaces and a system-call filter; memory is watched up to 250 times a second.
    B,
    /// Landlock, a system-call filter and resource limits, without namespaces: for programs of
    /// one's own.
    C,
    /// Resource limits and a process group only.
    #[serde(rename = "none")]
    None,
}

impl Tier {
    /// All, the best first.
    pub const ALL: [Tier; 4] = [Tier::A, Tier::B, Tier::C, Tier::None];

    /// Whether programs of strangers may run in it.
    pub fn holds_strangers(self) -> bool {
        matches!(self, Tier::A | Tier::B)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tier::A => "A",
            Tier::B => "B",
            Tier::C => "C",
            Tier::None => "none",
        })
    }
}

impl FromStr for Tier {
    type Err = String;

    fn from_str(text: &str) -> Result<Tier, String> {
        let found = Tier::ALL
            .into_iter()
            .find(|tier| tier.to_string().eq_ignore_ascii_case(text));
        found.ok_or_else(|| {
            format!("{text:?} is not an isolation tier; the tiers are A, B, C and none")
        })
    }
}
