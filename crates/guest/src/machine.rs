//! What runs a module: the interpreter here, the browser in the page. Everything above it is the same.

use leitai_module::wire::Call;

use crate::limits::Limits;

/// The value of a mutable global.
#[derive(Clone, Debug)]
pub enum GlobalValue {
    /// The bits of a number.
    Bits(u64),
    /// What the interpreter has.
    #[cfg(not(target_family = "wasm"))]
    Interpreted(wasmi::Val),
}

/// Why a call failed, as the end of a sentence that begins with the export's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError(pub String);

/// A module that cannot be a game, as a sentence with the cure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidModule(pub String);

/// A module that can be started.
pub trait ModuleSource: Send + Sync {
    /// Whether it has this function.
    fn has(&self, call: Call) -> bool;

    /// Starts it; nothing of it was called yet but `_initialize`, if it has one.
    ///
    /// # Errors
    /// It cannot be started.
    fn start(&self, limits: &Limits) -> Result<Box<dyn Machine>, CallError>;
}

/// A running module: its memory and its mutable globals are all its state.
pub trait Machine: Send {
    /// The bytes of its memory.
    fn memory_bytes(&self) -> usize;

    /// Its memory, to be looked at.
    fn look(&mut self) -> &[u8];

    /// Its memory, to be changed before the next call.
    fn change(&mut self) -> &mut [u8];

    /// These bytes of its memory, if it is so long.
    fn read(&mut self, from: usize, length: usize) -> Option<Vec<u8>>;

    /// Writes to its memory; false if it ends before.
    fn write(&mut self, from: usize, bytes: &[u8]) -> bool;

    /// Adds pages to its memory.
    fn grow(&mut self, pages: usize);

    /// Its mutable globals.
    fn globals(&mut self) -> Vec<GlobalValue>;

    /// Gives its mutable globals these values, which were read from them.
    fn set_globals(&mut self, values: &[GlobalValue]);

    /// Gives it fuel for a call; a machine that counts none does nothing.
    fn refuel(&mut self, fuel: u64);

    /// The fuel that is left.
    fn fuel_left(&self) -> u64;

    /// Whether the last call failed because its fuel was used up.
    fn is_out_of_fuel(&self) -> bool;

    /// Asks for the place of a request of so many bytes.
    ///
    /// # Errors
    /// The call failed.
    fn ask_place(&mut self, length: u32) -> Result<u32, CallError>;

    /// Calls a function that the module has.
    ///
    /// # Errors
    /// The call failed.
    fn call(&mut self, call: Call) -> Result<u64, CallError>;
}
