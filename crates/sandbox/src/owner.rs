//! Names that say which process made a thing, so that what a killed process left behind can be told from what is in use.

use std::fs;
use std::path::Path;

/// With what every name begins.
const PREFIX: &str = "leitai";

/// A name for something that belongs to this process: `leitai-NAMESPACE-PID-START`.
pub fn name() -> String {
    let pid = std::process::id();
    format!("{PREFIX}-{}-{pid}-{}", namespace(), start_of(pid).unwrap_or(0))
}

/// Whether a thing of this name belongs to a process of this machine that is gone. Names of others, and of processes
/// that cannot be seen from here, are left alone.
pub fn is_stale(name: &str) -> bool {
    let mut parts = name.split('-');
    if parts.next() != Some(PREFIX) || parts.next() != Some(&namespace()) {
        return false;
    }
    let mut number = || parts.next()?.parse::<u64>().ok();
    let (Some(pid), Some(start)) = (number(), number()) else { return false };
    u32::try_from(pid).is_ok_and(|pid| start_of(pid) != Some(start))
}

/// The process id namespace, by its number.
fn namespace() -> String {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    link.to_string_lossy().chars().filter(char::is_ascii_digit).collect()
}

/// When a process started, in ticks since the machine did; `None` if there is no such process.
fn start_of(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    text[text.rfind(')')? + 1..].split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_dead_process_left_is_stale() {
        let own = name();
        let (head, start) = own.rsplit_once('-').expect("a name has parts");
        assert!(!is_stale(&own), "{own}");
        assert!(!is_stale(&format!("{own}-x7")), "with something behind");
        assert!(is_stale(&format!("{head}-{}", start.parse::<u64>().expect("a number") + 1)));
        assert!(is_stale(&format!("{PREFIX}-{}-4194999-5", namespace())));
        for other in ["", "leitai", "leitai-", "leitai-1-2-3", "somebody-else", "leitai-x-y-z"] {
            assert!(!is_stale(other), "{other}");
        }
    }
}
