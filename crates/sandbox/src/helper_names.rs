//! The names by which the processes of the sandbox know each other.

use std::ffi::CStr;

/// The `argv[0]` with which a binary is started as a helper.
pub const NAME: &str = "leitai-sandbox";

/// The name of its process, which tells it from a helper (`/proc/PID/comm`).
pub const PROCESS_NAME: &CStr = c"leitai-spawner";
