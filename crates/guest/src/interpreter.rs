//! A module in the interpreter.

use leitai_module::wire::{Call, PREFIX};
use wasmi::{
    Extern, Func, Global, Instance, Linker, Memory, Store, StoreLimits, StoreLimitsBuilder,
    TrapCode, TypedFunc,
};

use crate::limits::Limits;
use crate::machine::{CallError, GlobalValue, Machine, ModuleSource};
use crate::module::CheckedModule;

impl ModuleSource for CheckedModule {
    fn has(&self, call: Call) -> bool {
        self.exports.contains(&call)
    }

    fn start(&self, limits: &Limits) -> Result<Box<dyn Machine>, CallError> {
        Ok(Box::new(Interpreter::start(self, limits)?))
    }
}

/// What the host keeps for a module while it runs.
struct HostState {
    limits: StoreLimits,
    log: Vec<u8>,
    log_bytes: usize,
    memory: Option<Memory>,
}

/// An instance of a module.
pub(crate) struct Interpreter {
    store: Store<HostState>,
    memory: Memory,
    globals: Vec<Global>,
    input: TypedFunc<u32, u32>,
    calls: [Option<TypedFunc<(), u64>>; Call::ALL.len()],
    fuel: u64,
    is_out_of_fuel: bool,
}

impl Interpreter {
    /// Starts a module; `_initialize` is called if it has one.
    pub(crate) fn start(module: &CheckedModule, limits: &Limits) -> Result<Interpreter, CallError> {
        let mut store = Store::new(&module.engine, host_state(limits));
        store.limiter(|state| &mut state.limits);
        store.set_fuel(limits.fuel).expect("fuel is counted");
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
        let mut running = Interpreter {
            input: input.expect("the module was checked"),
            memory,
            globals,
            calls,
            store,
            fuel: limits.fuel,
            is_out_of_fuel: false,
        };
        if let Some(initialize) = instance.get_func(&running.store, "_initialize") {
            running.initialize(initialize)?;
        }
        Ok(running)
    }

    fn initialize(&mut self, initialize: Func) -> Result<(), CallError> {
        self.refuel(self.fuel);
        let done = initialize.call(&mut self.store, &[], &mut []);
        done.map_err(|why| self.describe(&why))
    }

    /// What went wrong, with what the module logged last.
    fn describe(&mut self, why: &wasmi::Error) -> CallError {
        self.is_out_of_fuel = why.as_trap_code() == Some(TrapCode::OutOfFuel);
        let what = match why.as_trap_code() {
            Some(TrapCode::OutOfFuel) => format!("took more than {} instructions", self.fuel),
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

impl Machine for Interpreter {
    fn memory_bytes(&self) -> usize {
        self.memory.data_size(&self.store)
    }

    fn look(&mut self) -> &[u8] {
        self.memory.data(&self.store)
    }

    fn change(&mut self) -> &mut [u8] {
        self.memory.data_mut(&mut self.store)
    }

    fn read(&mut self, from: usize, length: usize) -> Option<Vec<u8>> {
        let bytes = self.look().get(from..from.saturating_add(length));
        bytes.map(<[u8]>::to_vec)
    }

    fn write(&mut self, from: usize, bytes: &[u8]) -> bool {
        let room = self
            .change()
            .get_mut(from..from.saturating_add(bytes.len()));
        room.map(|room| room.copy_from_slice(bytes)).is_some()
    }

    fn grow(&mut self, pages: usize) {
        let grown = self.memory.grow(&mut self.store, pages as u64);
        grown.expect("an image of this module is within its limits");
    }

    fn globals(&mut self) -> Vec<GlobalValue> {
        let globals = self.globals.iter();
        globals
            .map(|global| GlobalValue::Interpreted(global.get(&self.store)))
            .collect()
    }

    fn set_globals(&mut self, values: &[GlobalValue]) {
        for (global, value) in self.globals.iter().zip(values) {
            if let GlobalValue::Interpreted(value) = value {
                let set = global.set(&mut self.store, value.clone());
                set.expect("the value was read from this global");
            }
        }
    }

    fn refuel(&mut self, fuel: u64) {
        self.store.set_fuel(fuel).expect("fuel is counted");
        self.store.data_mut().log.clear();
        self.is_out_of_fuel = false;
    }

    fn fuel_left(&self) -> u64 {
        self.store.get_fuel().expect("fuel is counted")
    }

    fn is_out_of_fuel(&self) -> bool {
        self.is_out_of_fuel
    }

    fn ask_place(&mut self, length: u32) -> Result<u32, CallError> {
        let place = self.input.call(&mut self.store, length);
        place.map_err(|why| self.describe(&why))
    }

    fn call(&mut self, call: Call) -> Result<u64, CallError> {
        let function = self.calls[call as usize].expect("callers ask whether the module has it");
        let answer = function.call(&mut self.store, ());
        answer.map_err(|why| self.describe(&why))
    }
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
