//! A running module. Its whole state is its memory and its mutable globals: an [`Image`] of both is
//! put back before each call, so that no call can see an earlier one.

use std::sync::{Arc, LazyLock};

use leitai_module::wire::Call;

use crate::limits::Limits;
use crate::machine::{CallError, GlobalValue, Machine, ModuleSource};

/// The bytes of a part of memory. Images share the parts that are equal: most of a step's memory is
/// that of the step before.
const PART: usize = 4096;

/// All that a module knows at one moment.
#[derive(Debug)]
pub(crate) struct Image {
    memory: Vec<Arc<[u8]>>,
    globals: Vec<GlobalValue>,
}

impl Image {
    fn memory_bytes(&self) -> usize {
        self.memory.len() * PART
    }

    /// The parts of its memory.
    pub(crate) fn parts(&self) -> usize {
        self.memory.len()
    }

    /// The bytes that it takes beside an earlier one.
    pub(crate) fn bytes_beside(&self, earlier: &Image) -> usize {
        let other = |(number, part): &(usize, &Arc<[u8]>)| {
            let before = earlier.memory.get(*number);
            !before.is_some_and(|before| Arc::ptr_eq(before, part))
        };
        let own = self.memory.iter().enumerate().filter(other).count();
        own * PART + self.memory.len() * size_of::<Arc<[u8]>>()
    }
}

/// An instance of a module.
pub(crate) struct RunningModule {
    machine: Box<dyn Machine>,
    limits: Limits,
    /// The image that was put back or taken last.
    last: Option<Arc<Image>>,
    /// The fuel that the last call was given.
    given: u64,
    /// Whether nothing was called since.
    is_untouched: bool,
}

impl RunningModule {
    /// Starts a module.
    pub(crate) fn start(
        module: &dyn ModuleSource,
        limits: &Limits,
    ) -> Result<RunningModule, CallError> {
        Ok(RunningModule {
            machine: module.start(limits)?,
            limits: *limits,
            last: None,
            given: limits.fuel,
            is_untouched: false,
        })
    }

    /// Everything that it knows.
    pub(crate) fn take_image(&mut self) -> Arc<Image> {
        let before = self.last.as_ref().map_or(&[][..], |last| &last.memory);
        let parts = self.machine.look().chunks(PART).enumerate();
        let part = |(number, bytes): (usize, &[u8])| match before.get(number) {
            Some(same) if is_same(same, bytes) => same.clone(),
            _ if is_same(&ZEROS, bytes) => ZEROS.clone(),
            _ => bytes.into(),
        };
        let memory = parts.map(part).collect();
        let globals = self.machine.globals();
        let image = Arc::new(Image { memory, globals });
        self.last = Some(image.clone());
        self.is_untouched = true;
        image
    }

    /// Whether it knows just what it knew then.
    pub(crate) fn is_at(&self, image: &Arc<Image>) -> bool {
        self.is_untouched
            && self
                .last
                .as_ref()
                .is_some_and(|last| Arc::ptr_eq(last, image))
    }

    /// Whether its memory can become that of an image: memory never shrinks.
    pub(crate) fn can_restore(&self, image: &Image) -> bool {
        self.machine.memory_bytes() <= image.memory_bytes()
    }

    /// Makes it know what it knew, and nothing else.
    pub(crate) fn restore(&mut self, image: &Arc<Image>) {
        if self.is_at(image) {
            return;
        }
        let (is, must) = (self.machine.memory_bytes(), image.memory_bytes());
        if is < must {
            self.machine.grow((must - is) / PAGE);
        }
        let memory = self.machine.change();
        for (is, must) in memory.chunks_mut(PART).zip(&image.memory) {
            // Comparing is cheaper than copying, and most parts are equal; a page writes all of them.
            if cfg!(target_family = "wasm") || !is_same(must, is) {
                is.copy_from_slice(must);
            }
        }
        self.machine.set_globals(&image.globals);
        self.last = Some(image.clone());
    }

    /// Calls a function that the module has, with at most so much fuel: writes the request, reads the
    /// answer.
    pub(crate) fn call(
        &mut self,
        call: Call,
        request: &[u8],
        fuel: u64,
    ) -> Result<Vec<u8>, CallError> {
        if request.len() > self.limits.request_bytes {
            let (is, most) = (request.len(), self.limits.request_bytes);
            return Err(CallError(format!(
                "was to read {is} bytes; at most {most} are allowed"
            )));
        }
        self.is_untouched = false;
        self.given = fuel.min(self.limits.fuel);
        self.machine.refuel(self.given);
        let place = self.machine.ask_place(request.len() as u32)? as usize;
        if !self.machine.write(place, request) {
            return Err(CallError("was given no place for its request".into()));
        }
        let answer = self.machine.call(call)?;
        self.read_answer(answer)
    }

    fn read_answer(&mut self, answer: u64) -> Result<Vec<u8>, CallError> {
        let (from, length) = ((answer >> 32) as usize, answer as u32 as usize);
        if length > self.limits.answer_bytes {
            let most = self.limits.answer_bytes;
            return Err(CallError(format!(
                "answered {length} bytes; at most {most} are allowed"
            )));
        }
        self.machine.read(from, length).ok_or_else(|| {
            CallError(format!(
                "answered {length} bytes at {from}, beyond its memory"
            ))
        })
    }

    /// The fuel that the last call took.
    pub(crate) fn fuel_used(&self) -> u64 {
        self.given - self.machine.fuel_left()
    }

    /// Whether the last call failed because it was given less fuel than any call may take.
    pub(crate) fn was_short(&self) -> bool {
        self.machine.is_out_of_fuel() && self.given < self.limits.fuel
    }
}

/// Whether a part is these bytes. Most parts are zeros, which need not be read twice; WebAssembly compares
/// slices byte by byte.
fn is_same(part: &Arc<[u8]>, bytes: &[u8]) -> bool {
    if Arc::ptr_eq(part, &ZEROS) {
        return bytes.len() == PART && is_zero(bytes);
    }
    if !cfg!(target_family = "wasm") {
        return **part == *bytes;
    }
    let (ones, others) = (part.as_chunks::<8>(), bytes.as_chunks::<8>());
    let mut pairs = ones.0.iter().zip(others.0);
    let are_same = pairs.all(|(one, other)| u64::from_ne_bytes(*one) == u64::from_ne_bytes(*other));
    part.len() == bytes.len() && ones.1 == others.1 && are_same
}

fn is_zero(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    let any = words
        .iter()
        .fold(0, |any, word| any | u64::from_ne_bytes(*word));
    any == 0 && rest.iter().all(|byte| *byte == 0)
}

/// The part of zeros, of which most memory consists before a game begins.
static ZEROS: LazyLock<Arc<[u8]>> = LazyLock::new(|| [0; PART].into());

/// The bytes of a page of memory.
const PAGE: usize = 65_536;
