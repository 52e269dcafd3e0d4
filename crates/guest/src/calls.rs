//! The calls of a loaded module: instances for them, and faults that say what failed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use leitai_game::lang::say;
use leitai_game::{GameFault, InvalidSetup};
use leitai_module::wire::{Call, DONE, PREFIX, REFUSED, Reader};

use crate::instance::{Image, RunningModule};
use crate::limits::Limits;
use crate::machine::{CallError, ModuleSource};

/// Instances that wait for their next call.
const IDLE_INSTANCES: usize = 4;

/// A module that is called.
pub(crate) struct Rules {
    game: String,
    module: Box<dyn ModuleSource>,
    limits: Limits,
    /// What the module knows before its first call.
    base: Arc<Image>,
    idle: Mutex<Vec<RunningModule>>,
    reasons: Mutex<Reasons>,
    first_fault: OnceLock<GameFault>,
    /// The fuel of all calls so far.
    spent: AtomicU64,
    /// The fuel of a decision that a search makes.
    search_fuel: AtomicU64,
    /// The most fuel that a call of each function took.
    most_fuel: [AtomicU64; Call::ALL.len()],
}

/// What a call gives.
pub(crate) struct Answer {
    pub(crate) bytes: Vec<u8>,
    /// What the module knows afterwards, if that is kept.
    pub(crate) image: Option<Arc<Image>>,
}

/// What a call took: its fuel, and the parts of memory that were put back and looked at.
pub(crate) struct Taken {
    pub(crate) fuel: u64,
    pub(crate) parts: usize,
}

/// Why there is no answer.
pub(crate) enum NoAnswer {
    /// The rules refused the request, with a sentence for people.
    Refused(String),
    /// The rules failed.
    Failed(Box<GameFault>),
    /// They were given less fuel than they may take, and took it all.
    Spent,
}

impl From<NoAnswer> for InvalidSetup {
    fn from(why: NoAnswer) -> InvalidSetup {
        match why {
            NoAnswer::Refused(why) => InvalidSetup::new(why),
            NoAnswer::Failed(fault) => InvalidSetup::new(fault),
            NoAnswer::Spent => InvalidSetup(say!("took more fuel than it was given")),
        }
    }
}

/// The most bytes of the reasons of all games of a process.
const MOST_REASONS: usize = 16 << 20;

/// The reasons of all games that were loaded since the process began. A reason is a constant
/// everywhere else, so these are kept: each text once, and no more than [`MOST_REASONS`].
static ALL_REASONS: Mutex<Reasons> = Mutex::new(Reasons {
    known: BTreeSet::new(),
    bytes: 0,
});

/// Texts of reasons.
#[derive(Default)]
struct Reasons {
    known: BTreeSet<&'static str>,
    bytes: usize,
}

impl Reasons {
    /// Keeps a text once, unless all of them would be more bytes than these.
    fn keep(&mut self, text: &str, most: usize) -> Option<&'static str> {
        if let Some(known) = self.known.get(text) {
            return Some(known);
        }
        if self.bytes + text.len() > most {
            return None;
        }
        let known: &'static str = Box::leak(text.into());
        self.add(known);
        Some(known)
    }

    fn add(&mut self, known: &'static str) {
        self.bytes += known.len();
        self.known.insert(known);
    }
}

impl Rules {
    pub(crate) fn new(
        game: &str,
        module: Box<dyn ModuleSource>,
        limits: Limits,
    ) -> Result<Rules, CallError> {
        let mut first = RunningModule::start(&*module, &limits)?;
        Ok(Rules {
            game: game.to_owned(),
            module,
            limits,
            base: first.take_image(),
            // Games that nobody plays keep no instance.
            idle: Mutex::default(),
            reasons: Mutex::default(),
            first_fault: OnceLock::new(),
            spent: AtomicU64::new(0),
            search_fuel: AtomicU64::new(limits.search_fuel),
            most_fuel: Default::default(),
        })
    }

    /// The functions that were called, each with the most fuel that a call of it took.
    pub(crate) fn most_fuel(&self) -> Vec<(&'static str, u64)> {
        let of = |call: Call| {
            let fuel = self.most_fuel[call as usize].load(Ordering::Relaxed);
            (fuel > 0).then(|| (call.name(), fuel))
        };
        Call::ALL.into_iter().filter_map(of).collect()
    }

    /// The fuel of all calls so far.
    pub(crate) fn fuel_spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// Whether the calls took all the fuel that they may take together.
    pub(crate) fn is_spent(&self) -> bool {
        self.fuel_spent() >= self.limits.total_fuel
    }

    /// The first failure since the module was loaded.
    pub(crate) fn first_fault(&self) -> Option<GameFault> {
        self.first_fault.get().cloned()
    }

    /// What the module knows before its first call.
    pub(crate) fn base(&self) -> &Arc<Image> {
        &self.base
    }

    /// What a search may take for one decision.
    pub(crate) fn search_fuel(&self) -> u64 {
        self.search_fuel.load(Ordering::Relaxed)
    }

    pub(crate) fn bound_search(&self, fuel: u64) {
        self.search_fuel.store(fuel, Ordering::Relaxed);
    }

    pub(crate) fn has(&self, call: Call) -> bool {
        self.module.has(call)
    }

    /// Calls a function from what the module knows before its first call.
    pub(crate) fn call_fresh(&self, call: Call, request: &[u8]) -> Result<Answer, NoAnswer> {
        self.call(&self.base, call, request)
    }

    /// Calls a function from what the module knew then.
    pub(crate) fn call(
        &self,
        image: &Arc<Image>,
        call: Call,
        request: &[u8],
    ) -> Result<Answer, NoAnswer> {
        self.call_within(self.limits.fuel, image, call, request).1
    }

    /// The same with at most so much fuel; and what it took.
    pub(crate) fn call_within(
        &self,
        fuel: u64,
        image: &Arc<Image>,
        call: Call,
        request: &[u8],
    ) -> (Taken, Result<Answer, NoAnswer>) {
        let mut taken = Taken {
            fuel: 0,
            parts: image.parts(),
        };
        let answer = self.try_call(fuel, image, call, request, &mut taken);
        (taken, answer)
    }

    fn try_call(
        &self,
        fuel: u64,
        image: &Arc<Image>,
        call: Call,
        request: &[u8],
        taken: &mut Taken,
    ) -> Result<Answer, NoAnswer> {
        let failed = |why: CallError| self.fault(call, request, &why.0);
        if self.is_spent() {
            return Err(self.fault(call, request, "took more in all than a check allows"));
        }
        let mut running = self.take_instance(image).map_err(failed)?;
        running.restore(image);
        let done = running.call(call, request, fuel);
        taken.fuel = running.fuel_used();
        self.spent.fetch_add(taken.fuel, Ordering::Relaxed);
        if running.was_short() {
            return Err(NoAnswer::Spent);
        }
        let bytes = done.map_err(failed)?;
        let answer = Answer {
            image: call.is_kept().then(|| running.take_image()),
            bytes,
        };
        self.most_fuel[call as usize].fetch_max(running.fuel_used(), Ordering::Relaxed);
        self.put_back(running);
        match answer.bytes.first() {
            Some(&DONE) => Ok(answer),
            Some(&REFUSED) => match Reader::new(&answer.bytes[1..]).text() {
                Some(why) => Err(NoAnswer::Refused(
                    leitai_game::clean_text::clean_line(why).into_owned(),
                )),
                None => Err(self.unreadable(call, request)),
            },
            _ => Err(self.unreadable(call, request)),
        }
    }

    /// Reads an answer; one that cannot be read is a fault.
    pub(crate) fn read<'a, T>(
        &self,
        call: Call,
        request: &[u8],
        answer: &'a Answer,
        read: impl FnOnce(&mut Reader<'a>) -> Option<T>,
    ) -> Result<T, NoAnswer> {
        let mut reader = Reader::new(&answer.bytes[1..]);
        let value = read(&mut reader).filter(|_| reader.rest().is_empty());
        value.ok_or_else(|| self.unreadable(call, request))
    }

    /// The constant of a reason's text. They are never forgotten, so their number is bounded, for a
    /// game and for all.
    pub(crate) fn intern(&self, text: &str) -> Option<&'static str> {
        let text = leitai_game::clean_text::clean_line(text);
        let mut reasons = lock(&self.reasons);
        if let Some(known) = reasons.known.get(&*text) {
            return Some(known);
        }
        if reasons.bytes + text.len() > self.limits.reason_bytes {
            return None;
        }
        let known = lock(&ALL_REASONS).keep(&text, MOST_REASONS)?;
        reasons.add(known);
        Some(known)
    }

    pub(crate) fn unreadable(&self, call: Call, request: &[u8]) -> NoAnswer {
        self.fault(call, request, "answered what cannot be read")
    }

    fn fault(&self, call: Call, request: &[u8], what: &str) -> NoAnswer {
        let fault = GameFault {
            game: self.game.clone(),
            function: format!("{PREFIX}{}", call.name()),
            what: what.to_owned(),
            request: request.to_vec(),
        };
        let _ = self.first_fault.set(fault.clone()); // The first one is told.
        NoAnswer::Failed(Box::new(fault))
    }

    /// Best an instance that knows just that.
    fn take_instance(&self, image: &Arc<Image>) -> Result<RunningModule, CallError> {
        let mut idle = lock(&self.idle);
        let at = idle.iter().rposition(|running| running.is_at(image));
        let fits = at.or_else(|| idle.iter().rposition(|running| running.can_restore(image)));
        let found = fits.map(|index| idle.swap_remove(index));
        drop(idle);
        match found {
            Some(running) => Ok(running),
            None => RunningModule::start(&*self.module, &self.limits),
        }
    }

    /// The newest instance is kept: its memory fits the images that are used now.
    fn put_back(&self, running: RunningModule) {
        let mut idle = lock(&self.idle);
        if idle.len() == IDLE_INSTANCES {
            idle.remove(0);
        }
        idle.push(running);
    }
}

/// Nothing is left half done where a thread could panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
