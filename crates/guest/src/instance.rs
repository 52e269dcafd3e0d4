//! A running module. Its whole state is its memory and its mutable globals: an [`Image`] of both is
//! put back before each call, so that no call can see an earlier one.

use std::sync::{Arc, LazyLock};

use leitai_module::wire::{Call, PREFIX};
use wasmi::{
    Extern, Func, Global, Instance, Linker, Memory, Store, StoreLimits, StoreLimitsBuilder,
    TrapCode, TypedFunc, Val,
};

use crate::limits::Limits;
use crate::module::CheckedModule;

/// The bytes of a part of memory. Images share the parts that are equal: most of a step's memory is
/// that of the step before.
const PART: usize = 4096;

/// All that a module knows at one moment.
#[derive(Debug)]
pub(crate) struct Image {
    memory: Vec<Arc<[u8]>>,
    globals: Vec<Val>,
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

/// Why a call failed, as the end of a sentence that begins with the export's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallError(pub(crate) String);

/// What the host keeps for a module while it runs.
struct HostState {
    limits: StoreLimits,
    log: Vec<u8>,
    log_bytes: usize,
    memory: Option<Memory>,
}

/// An instance of a module.
pub(crate) struct RunningModule {
    store: Store<HostState>,
    memory: Memory,
    globals: Vec<Global>,
    input: TypedFunc<u32, u32>,
    calls: [Option<TypedFunc<(), u64>>; Call::ALL.len()],
    limits: Limits,
    /// The image that was put back or taken last.
    last: Option<Arc<Image>>,
    /// The fuel that the last call was given, and whether that was too little.
    given: u64,
    was_short: bool,
    /// Whether nothing was called since.
    is_untouched: bool,
}

impl RunningModule {
    /// Starts a module; `_initialize` is called if it has one.
    pub(crate) fn start(
        module: &CheckedModule,
        limits: &Limits,
    ) -> Result<RunningModule, CallError> {
        let mut store = Store::new(&module.engine, host_state(limits));
        store.limiter(|state| &mut state.limits);
        refuel(&mut store, limits.fuel);
        let instance = instantiate(module, &mut store)?;
        let memory = instance.get_memory(&store, "memory");
        let memory = memory.expect("the module was checked");
        store.data_mut().memory = Some(memory);
        let global = |name: &String| instance.get_global(&store, name);
        let globals = module.globals.iter().filter_map(global).collect();
        let typed = |call: Call| {
            let name = format!("{PREFIX}{}", call.name());
            instance.get_typed_func(&store, &name).ok()
        };
        let calls = Call::ALL.map(typed);
        let input = instance.get_typed_func(&store, &format!("{PREFIX}input"));
        let mut running = RunningModule {
            input: input.expect("the module was checked"),
            memory,
            globals,
            calls,
            limits: *limits,
            store,
            last: None,
            given: limits.fuel,
            was_short: false,
            is_untouched: false,
        };
        if let Some(initialize) = instance.get_func(&running.store, "_initialize") {
            running.initialize(initialize)?;
        }
        Ok(running)
    }

    fn initialize(&mut self, initialize: Func) -> Result<(), CallError> {
        refuel(&mut self.store, self.limits.fuel);
        let done = initialize.call(&mut self.store, &[], &mut []);
        done.map_err(|why| self.describe(&why))
    }

    /// Everything that it knows.
    pub(crate) fn take_image(&mut self) -> Arc<Image> {
        let before = self.last.as_ref().map_or(&[][..], |last| &last.memory);
        let parts = self.memory.data(&self.store).chunks(PART).enumerate();
        let part = |(number, bytes): (usize, &[u8])| match before.get(number) {
            Some(same) if **same == *bytes => same.clone(),
            _ if *bytes == ZEROS => zero_part(),
            _ => bytes.into(),
        };
        let image = Arc::new(Image {
            memory: parts.map(part).collect(),
            globals: self
                .globals
                .iter()
                .map(|global| global.get(&self.store))
                .collect(),
        });
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
        self.memory.data_size(&self.store) <= image.memory_bytes()
    }

    /// Makes it know what it knew, and nothing else.
    pub(crate) fn restore(&mut self, image: &Arc<Image>) {
        if self.is_at(image) {
            return;
        }
        let (is, must) = (self.memory.data_size(&self.store), image.memory_bytes());
        if is < must {
            let pages = (must - is) / PAGE;
            let grown = self.memory.grow(&mut self.store, pages as u64);
            grown.expect("an image of this module is within its limits");
        }
        let memory = self.memory.data_mut(&mut self.store);
        for (is, must) in memory.chunks_mut(PART).zip(&image.memory) {
            // Comparing is cheaper than copying, and most parts are equal.
            if *is != **must {
                is.copy_from_slice(must);
            }
        }
        for (global, value) in self.globals.iter().zip(&image.globals) {
            let set = global.set(&mut self.store, value.clone());
            set.expect("the value was read from this global");
        }
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
        (self.given, self.was_short) = (fuel.min(self.limits.fuel), false);
        refuel(&mut self.store, self.given);
        self.store.data_mut().log.clear();
        let place = self.input.call(&mut self.store, request.len() as u32);
        let place = place.map_err(|why| self.fail(&why))? as usize;
        let memory = self.memory.data_mut(&mut self.store);
        let room = memory.get_mut(place..place.saturating_add(request.len()));
        let Some(room) = room else {
            return Err(CallError("was given no place for its request".into()));
        };
        room.copy_from_slice(request);
        let function = self.calls[call as usize].expect("callers ask whether the module has it");
        let answer = function.call(&mut self.store, ());
        let answer = answer.map_err(|why| self.fail(&why))?;
        self.read_answer(answer)
    }

    fn read_answer(&self, answer: u64) -> Result<Vec<u8>, CallError> {
        let (from, length) = ((answer >> 32) as usize, answer as u32 as usize);
        if length > self.limits.answer_bytes {
            let most = self.limits.answer_bytes;
            return Err(CallError(format!(
                "answered {length} bytes; at most {most} are allowed"
            )));
        }
        let memory = self.memory.data(&self.store);
        let bytes = memory.get(from..from.saturating_add(length));
        let bytes = bytes.ok_or_else(|| {
            CallError(format!(
                "answered {length} bytes at {from}, beyond its memory"
            ))
        })?;
        Ok(bytes.to_vec())
    }

    /// The fuel that the last call took.
    pub(crate) fn fuel_used(&self) -> u64 {
        let left = self.store.get_fuel().expect("fuel is counted");
        self.given - left
    }

    /// Whether the last call failed because it was given less fuel than any call may take.
    pub(crate) fn was_short(&self) -> bool {
        self.was_short && self.given < self.limits.fuel
    }

    fn fail(&mut self, why: &wasmi::Error) -> CallError {
        self.was_short = why.as_trap_code() == Some(TrapCode::OutOfFuel);
        self.describe(why)
    }

    /// What went wrong, with what the module logged last.
    fn describe(&self, why: &wasmi::Error) -> CallError {
        let limits = &self.limits;
        let what = match why.as_trap_code() {
            Some(TrapCode::OutOfFuel) => format!("took more than {} instructions", limits.fuel),
            Some(TrapCode::StackOverflow) => "called itself too deeply".to_owned(),
            Some(TrapCode::UnreachableCodeReached) => "stopped by a trap (unreachable)".to_owned(),
            Some(trap) => format!("stopped by a trap ({trap})"),
            None => format!("stopped ({why})"),
        };
        let log = String::from_utf8_lossy(&self.store.data().log);
        match leitai_game::clean_text::clean_line(&log) {
            log if log.is_empty() => CallError(what),
            log => CallError(format!("{what}: {log}")),
        }
    }
}

const ZEROS: [u8; PART] = [0; PART];

/// The part of zeros, of which most memory consists before a game begins.
fn zero_part() -> Arc<[u8]> {
    static PART: LazyLock<Arc<[u8]>> = LazyLock::new(|| ZEROS.into());
    PART.clone()
}

/// The bytes of a page of memory.
const PAGE: usize = 65_536;

fn refuel(store: &mut Store<HostState>, fuel: u64) {
    store.set_fuel(fuel).expect("fuel is counted");
}

fn host_state(limits: &Limits) -> HostState {
    HostState {
        limits: StoreLimitsBuilder::new()
            .memory_size(limits.memory_bytes)
            .table_elements(limits.table_items)
            .instances(1)
            .memories(1)
            .trap_on_grow_failure(false)
            .build(),
        log: Vec::new(),
        log_bytes: limits.log_bytes,
        memory: None,
    }
}

fn instantiate(
    module: &CheckedModule,
    store: &mut Store<HostState>,
) -> Result<Instance, CallError> {
    let mut linker = Linker::new(&module.engine);
    let log = Func::wrap(
        &mut *store,
        |mut caller: wasmi::Caller<'_, HostState>, from: u32, length: u32| {
            let Some(memory) = caller.data().memory else {
                return;
            };
            let (bytes, state) = memory.data_and_store_mut(&mut caller);
            let end = (from as usize)
                .saturating_add(length as usize)
                .min(bytes.len());
            let said = bytes.get(from as usize..end).unwrap_or_default();
            let room = state.log_bytes.saturating_sub(state.log.len());
            state.log.extend(&said[..said.len().min(room)]);
        },
    );
    let defined = linker.define("leitai", "log", Extern::Func(log));
    defined.expect("it is the only import");
    let started = linker.instantiate_and_start(store, &module.module);
    started.map_err(|why| CallError(format!("could not be started ({why})")))
}
