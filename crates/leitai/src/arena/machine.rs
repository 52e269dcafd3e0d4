//! This machine.

/// The name of the machine.
pub fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() {
        "arena".to_owned()
    } else {
        name.trim().to_owned()
    }
}
