//! What a module may take.

/// The bounds of a module and of each call. A call that needs more is a
/// [`GameFault`](leitai_game::GameFault).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of the module.
    pub module_bytes: usize,
    /// The bytes of its memory, which is copied once or twice in each call.
    pub memory_bytes: usize,
    /// The items of its tables.
    pub table_items: usize,
    /// The fuel of one call: about one unit an instruction.
    pub fuel: u64,
    /// The fuel of all calls together, for a check that somebody waits for.
    pub total_fuel: u64,
    /// What a search takes for one decision, of a level or of an analysis: fuel, and a hundred for each
    /// part of 4 KiB of memory that a call puts back.
    pub search_fuel: u64,
    /// The calls that may be inside one another.
    pub depth: usize,
    /// The bytes of one request.
    pub request_bytes: usize,
    /// The bytes of one answer.
    pub answer_bytes: usize,
    /// The bytes of all reasons that a game gives for ends of legs and matches.
    pub reason_bytes: usize,
    /// The bytes that one call may log; more is left out.
    pub log_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            module_bytes: 4 << 20,
            memory_bytes: 16 << 20,
            table_items: 100_000,
            fuel: 1_000_000_000,
            total_fuel: u64::MAX,
            search_fuel: 1_000_000_000,
            depth: 2_000,
            request_bytes: 4 << 20,
            answer_bytes: 4 << 20,
            reason_bytes: 64 << 10,
            log_bytes: 4 << 10,
        }
    }
}
