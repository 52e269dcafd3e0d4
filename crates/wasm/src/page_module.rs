//! A module of a game file that the browser runs beside the engine, in the same worker. Its memory is
//! another one than the engine's, so what is looked at is copied.
//!
//! A module counts no fuel here, so the time of its calls stands for it: a search ends when its fuel is
//! gone, and only there depends on the machine. A call is not broken off: the page ends a worker that
//! does not answer.

use leitai_guest::limits::Limits;
use leitai_guest::machine::{CallError, GlobalValue, Machine, ModuleSource};
use leitai_guest::page_rules::PageRules;
use leitai_module::wire::Call;

#[cfg(target_arch = "wasm32")]
use crate::abi as host;
#[cfg(not(target_arch = "wasm32"))]
use no_host as host;

/// What a millisecond of a call counts as: a decision of a search takes at most two seconds.
const FUEL_OF_MILLISECOND: f64 = 500_000.0;

/// A module that the page compiled.
pub(crate) struct PageModule {
    /// Its number in the worker.
    pub number: u32,
    /// What it has.
    pub rules: PageRules,
}

impl ModuleSource for PageModule {
    fn has(&self, call: Call) -> bool {
        self.rules.has(call)
    }

    fn start(&self, _: &Limits) -> Result<Box<dyn Machine>, CallError> {
        let instance = host::guest_start(self.number);
        if instance < 0 {
            return Err(CallError("could not be started".into()));
        }
        Ok(Box::new(PageMachine {
            instance,
            globals: self.rules.globals.len(),
            copy: Vec::new(),
            is_fresh: false,
            is_changed: false,
            fuel: 0,
            was_short: false,
        }))
    }
}

/// A running module.
struct PageMachine {
    instance: i32,
    globals: usize,
    /// Its memory as it was looked at, or as it is to be before the next call.
    copy: Vec<u8>,
    is_fresh: bool,
    is_changed: bool,
    fuel: u64,
    /// Whether a call was refused because there was no fuel for it.
    was_short: bool,
}

impl PageMachine {
    /// Takes the time of a call from the fuel.
    fn run(&mut self, call: impl FnOnce(i32) -> u32) -> Result<(), CallError> {
        self.was_short = self.fuel == 0;
        if self.was_short {
            return Err(CallError("took more fuel than it was given".into()));
        }
        let began = host::guest_clock();
        self.write_changes();
        self.is_fresh = false;
        let code = call(self.instance);
        let spent = (host::guest_clock() - began) * FUEL_OF_MILLISECOND;
        self.fuel = self.fuel.saturating_sub(spent as u64);
        describe(code)
    }

    fn write_changes(&mut self) {
        if std::mem::take(&mut self.is_changed) {
            let (from, length) = (self.copy.as_ptr(), self.copy.len());
            host::guest_write(self.instance, 0, from, length);
        }
    }
}

impl Drop for PageMachine {
    fn drop(&mut self) {
        host::guest_end(self.instance);
    }
}

impl Machine for PageMachine {
    fn memory_bytes(&self) -> usize {
        host::guest_size(self.instance)
    }

    fn look(&mut self) -> &[u8] {
        if !self.is_fresh {
            self.copy.resize(self.memory_bytes(), 0);
            let (to, length) = (self.copy.as_mut_ptr(), self.copy.len());
            host::guest_read(self.instance, 0, to, length);
            self.is_fresh = true;
        }
        &self.copy
    }

    fn change(&mut self) -> &mut [u8] {
        self.copy.resize(self.memory_bytes(), 0);
        (self.is_fresh, self.is_changed) = (true, true);
        &mut self.copy
    }

    fn read(&mut self, from: usize, length: usize) -> Option<Vec<u8>> {
        let end = from.checked_add(length)?;
        if end > self.memory_bytes() {
            return None;
        }
        let mut bytes = vec![0; length];
        host::guest_read(self.instance, from, bytes.as_mut_ptr(), length);
        Some(bytes)
    }

    fn write(&mut self, from: usize, bytes: &[u8]) -> bool {
        let end = from.checked_add(bytes.len());
        let has_room = end.is_some_and(|end| end <= self.memory_bytes());
        if has_room {
            self.is_fresh = false;
            host::guest_write(self.instance, from, bytes.as_ptr(), bytes.len());
        }
        has_room
    }

    fn grow(&mut self, pages: usize) {
        self.is_fresh = false;
        host::guest_grow(self.instance, pages);
    }

    fn globals(&mut self) -> Vec<GlobalValue> {
        let mut bits = vec![0; self.globals];
        host::guest_globals(self.instance, bits.as_mut_ptr());
        bits.into_iter().map(GlobalValue::Bits).collect()
    }

    fn set_globals(&mut self, values: &[GlobalValue]) {
        let bits = values.iter().map(|value| match value {
            GlobalValue::Bits(bits) => *bits,
            #[cfg(not(target_family = "wasm"))]
            GlobalValue::Interpreted(_) => 0,
        });
        let bits: Vec<u64> = bits.collect();
        host::guest_set_globals(self.instance, bits.as_ptr());
    }

    fn refuel(&mut self, fuel: u64) {
        self.fuel = fuel;
    }

    fn fuel_left(&self) -> u64 {
        self.fuel
    }

    fn is_out_of_fuel(&self) -> bool {
        self.was_short
    }

    fn ask_place(&mut self, length: u32) -> Result<u32, CallError> {
        let mut place = 0;
        self.run(|instance| host::guest_place(instance, length, &raw mut place))?;
        Ok(place as u32)
    }

    fn call(&mut self, call: Call) -> Result<u64, CallError> {
        let mut answer = 0;
        self.run(|instance| host::guest_call(instance, call as u32, &raw mut answer))?;
        Ok(answer)
    }
}

/// What a code of the worker says: web/src/lib/engine/guest_modules.ts.
fn describe(code: u32) -> Result<(), CallError> {
    let what = match code {
        0 => return Ok(()),
        1 => "stopped by a trap (unreachable)",
        2 => "called itself too deeply",
        _ => "stopped by a trap",
    };
    Err(CallError(what.into()))
}

/// There is no browser: no module can be started.
#[cfg(not(target_arch = "wasm32"))]
mod no_host {
    pub fn guest_start(_: u32) -> i32 {
        -1
    }
    pub fn guest_end(_: i32) {}
    pub fn guest_size(_: i32) -> usize {
        0
    }
    pub fn guest_read(_: i32, _: usize, _: *mut u8, _: usize) {}
    pub fn guest_write(_: i32, _: usize, _: *const u8, _: usize) {}
    pub fn guest_grow(_: i32, _: usize) {}
    pub fn guest_globals(_: i32, _: *mut u64) {}
    pub fn guest_set_globals(_: i32, _: *const u64) {}
    pub fn guest_place(_: i32, _: u32, _: *mut u64) -> u32 {
        3
    }
    pub fn guest_call(_: i32, _: u32, _: *mut u64) -> u32 {
        3
    }
    pub fn guest_clock() -> f64 {
        0.0
    }
}
