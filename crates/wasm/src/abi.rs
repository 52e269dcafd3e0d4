//! The functions that JavaScript calls. A call has three steps: `allocate` a request and write it,
//! `call`, read the `answer`. Numbers and addresses are all that crosses the border.
//!
//! This file has no unsafe block: memory is only handed out as an address. `unsafe` stands in the
//! attributes that export a name, and in the declaration of the imported functions.

#![allow(unsafe_code, reason = "exports and imports need it; see above")]

use std::cell::RefCell;
use std::sync::Once;

use crate::answer_request;

#[link(wasm_import_module = "leitai")]
unsafe extern "C" {
    /// Takes the progress of the running call: JSON text.
    safe fn report_progress(from: *const u8, length: usize);
    /// Takes the reason why the engine stops: the next instruction ends the instance.
    safe fn report_panic(from: *const u8, length: usize);

    // Modules of game files, which the worker runs (web/src/lib/engine/guest_modules.ts).

    /// Starts a module; the number of the instance, or -1.
    pub safe fn guest_start(module: u32) -> i32;
    /// Forgets an instance.
    pub safe fn guest_end(instance: i32);
    /// The bytes of its memory.
    pub safe fn guest_size(instance: i32) -> usize;
    /// Copies its memory from a place on.
    pub safe fn guest_read(instance: i32, from: usize, to: *mut u8, length: usize);
    /// Copies to its memory.
    pub safe fn guest_write(instance: i32, to: usize, from: *const u8, length: usize);
    /// Adds pages to its memory.
    pub safe fn guest_grow(instance: i32, pages: usize);
    /// Copies its mutable globals.
    pub safe fn guest_globals(instance: i32, to: *mut u64);
    /// Gives its mutable globals these values.
    pub safe fn guest_set_globals(instance: i32, from: *const u64);
    /// Calls `input`; 0, or why it failed.
    pub safe fn guest_place(instance: i32, length: u32, to: *mut u64) -> u32;
    /// Calls another function; 0, or why it failed.
    pub safe fn guest_call(instance: i32, call: u32, to: *mut u64) -> u32;
    /// The time since the worker began, in milliseconds.
    pub safe fn guest_clock() -> f64;
}

thread_local! {
    /// The request while it is written, the answer afterwards.
    static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Where a request of this length is to be written.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    report_panics();
    BYTES.with_borrow_mut(|bytes| {
        bytes.clear();
        bytes.resize(length, 0);
        bytes.as_mut_ptr()
    })
}

/// Answers the request; returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn call() -> usize {
    let request = BYTES.take();
    let answer = answer_request(&request, &mut |progress| {
        report_progress(progress.as_ptr(), progress.len());
    });
    let length = answer.len();
    BYTES.set(answer);
    length
}

/// Where the answer begins. It stays until the next `allocate`.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    BYTES.with_borrow(|bytes| bytes.as_ptr())
}

fn report_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let text = info.to_string();
            report_panic(text.as_ptr(), text.len());
        }));
    });
}
