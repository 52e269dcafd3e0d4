//! What the exported functions do. A call has two steps: `input` makes room for a request, which
//! Leitai writes; the function answers it with an address and a length. Numbers are all that crosses
//! the border.
//!
//! This file has no unsafe block: memory is only handed out as an address. `unsafe` stands in the
//! declaration of the imported function.

#![allow(unsafe_code, reason = "the import needs it; see above")]

use std::cell::RefCell;
use std::sync::Once;

use leitai_game::GamePackage;

use crate::answer::Leg;
use crate::wire::Call;

#[link(wasm_import_module = "leitai")]
unsafe extern "C" {
    /// Takes a line for the author of the game.
    safe fn log(from: *const u8, length: usize);
}

/// The memory of a module: its leg, and the bytes of the request and then of the answer.
pub struct Module<G: GamePackage> {
    leg: RefCell<Leg<G>>,
    bytes: RefCell<Vec<u8>>,
}

impl<G: GamePackage> Module<G> {
    /// Before the first call.
    #[allow(clippy::new_without_default, reason = "used in a constant")]
    pub const fn new() -> Module<G> {
        Module {
            leg: RefCell::new(Leg::new()),
            bytes: RefCell::new(Vec::new()),
        }
    }

    /// Where a request of this length is to be written.
    pub fn take_input(&self, length: usize) -> *mut u8 {
        report_panics();
        let mut bytes = self.bytes.borrow_mut();
        bytes.clear();
        bytes.resize(length, 0);
        bytes.as_mut_ptr()
    }

    /// Answers the request: the address of the answer in the upper half, its length in the lower.
    pub fn answer(&self, call: Call) -> u64 {
        let request = self.bytes.take();
        let mut leg = self.leg.borrow_mut();
        let answer = leg.answer(call, &request);
        leg.take_room(request);
        self.keep(answer)
    }

    /// The same for a bot of the game.
    pub fn answer_bot(&self) -> u64 {
        let request = self.bytes.take();
        self.keep(self.leg.borrow().answer_bot(&request))
    }

    fn keep(&self, answer: Vec<u8>) -> u64 {
        let place = (answer.as_ptr() as u64) << 32 | answer.len() as u64;
        self.bytes.replace(answer);
        place
    }
}

/// A panic is told before it becomes a trap.
fn report_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let text = info.to_string();
            log(text.as_ptr(), text.len());
        }));
    });
}
