//! A module, checked before anything of it runs: what it imports and exports, and that nothing of
//! its state is where it could not be restored.

use leitai_module::wire::{Call, PREFIX};
use wasmi::{CompilationMode, Config, EnforcedLimits, Engine, ExternType, ValType};
use wasmparser::{ExternalKind, Operator, Parser, Payload, TypeRef};

use crate::limits::Limits;
use crate::machine::InvalidModule;
use crate::sections::{EXPORT, rewrite_sections, split_leb, write_leb};

/// What begins the name that Leitai gives to a mutable global, so that it can be restored.
const GLOBAL_PREFIX: &str = "leitai global ";

/// A checked and translated module.
pub(crate) struct CheckedModule {
    pub(crate) engine: Engine,
    pub(crate) module: wasmi::Module,
    /// The exported names of its mutable globals.
    pub(crate) globals: Vec<String>,
    pub(crate) exports: Vec<Call>,
}

impl CheckedModule {
    /// Checks the bytes of a module.
    pub(crate) fn new(bytes: &[u8], limits: &Limits) -> Result<CheckedModule, InvalidModule> {
        if bytes.len() > limits.module_bytes {
            let (is, most) = (bytes.len(), limits.module_bytes);
            return Err(InvalidModule(format!(
                "the module has {is} bytes; at most {most} are allowed"
            )));
        }
        let engine = Engine::new(&config(limits));
        // Before its parts are read here: what is no module is refused by wasmi in words.
        wasmi::Module::validate(&engine, bytes).map_err(not_webassembly)?;
        let parts = Parts::read(bytes).map_err(|why| InvalidModule(why.to_string()))??;
        let module = wasmi::Module::new(&engine, parts.with_exported_globals(bytes))
            .map_err(not_webassembly)?;
        let exports = check_exports(&module)?;
        Ok(CheckedModule {
            engine,
            module,
            globals: parts.global_names(),
            exports,
        })
    }
}

/// The same module with an export for each mutable global, and their names; `None` if it would be
/// refused.
pub(crate) fn export_globals(bytes: &[u8], limits: &Limits) -> Option<(Vec<u8>, Vec<String>)> {
    wasmi::Module::validate(&Engine::new(&config(limits)), bytes).ok()?;
    let parts = Parts::read(bytes).ok()?.ok()?;
    Some((parts.with_exported_globals(bytes), parts.global_names()))
}

fn not_webassembly(why: wasmi::Error) -> InvalidModule {
    InvalidModule(format!(
        "this is not WebAssembly that Leitai runs: {why}; compile for wasm32 without SIMD, threads, 64-bit memory and tail calls"
    ))
}

/// Translated as a whole, so that fuel does not depend on what was called before.
fn config(limits: &Limits) -> Config {
    let mut config = Config::default();
    config
        .consume_fuel(true)
        .compilation_mode(CompilationMode::Eager)
        .enforced_limits(EnforcedLimits::strict())
        .allow_start_fn(false)
        .ignore_custom_sections(true)
        .wasm_multi_memory(false)
        .wasm_tail_call(false)
        .set_max_recursion_depth(limits.depth);
    config
}

/// What wasmi does not tell of a module.
struct Parts {
    /// The mutable globals, by number.
    mutable: Vec<u32>,
}

impl Parts {
    fn read(bytes: &[u8]) -> Result<Result<Parts, InvalidModule>, wasmparser::BinaryReaderError> {
        let mut parts = Parts {
            mutable: Vec::new(),
        };
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::ImportSection(imports) => {
                    for import in imports {
                        let import = import?;
                        let is_log = (import.module, import.name) == ("leitai", "log");
                        if !(is_log && matches!(import.ty, TypeRef::Func(_))) {
                            return Ok(Err(unknown_import(import.module, import.name)));
                        }
                    }
                }
                Payload::GlobalSection(globals) => {
                    for (number, global) in (0..).zip(globals) {
                        if global?.ty.mutable {
                            parts.mutable.push(number);
                        }
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        if export?.name.starts_with(GLOBAL_PREFIX) {
                            let why = format!(
                                "an export's name begins with {GLOBAL_PREFIX:?}, which is Leitai's own; rename it"
                            );
                            return Ok(Err(InvalidModule(why)));
                        }
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    for operator in body.get_operators_reader()? {
                        if let Some(name) = name_hidden_state(&operator?) {
                            return Ok(Err(InvalidModule(format!(
                                "the module uses {name}, whose effect no call could undo; keep state in memory"
                            ))));
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(Ok(parts))
    }

    fn global_names(&self) -> Vec<String> {
        self.mutable
            .iter()
            .map(|number| global_name(*number))
            .collect()
    }

    /// The module with an export for each mutable global.
    fn with_exported_globals(&self, bytes: &[u8]) -> Vec<u8> {
        rewrite_sections(bytes, |section, content| {
            (section == EXPORT).then(|| {
                let (count, items) = split_leb(content);
                let mut content = Vec::new();
                write_leb(&mut content, count + self.mutable.len() as u32);
                content.extend(items);
                for number in &self.mutable {
                    let name = global_name(*number);
                    write_leb(&mut content, name.len() as u32);
                    content.extend(name.as_bytes());
                    content.push(ExternalKind::Global as u8);
                    write_leb(&mut content, *number);
                }
                content
            })
        })
    }
}

fn global_name(number: u32) -> String {
    format!("{GLOBAL_PREFIX}{number}")
}

fn unknown_import(module: &str, name: &str) -> InvalidModule {
    InvalidModule(format!(
        "the module imports {name:?} from {module:?}; rules may import nothing but \"log\" from \"leitai\": there is no clock, no chance and no input beside what a call hands in"
    ))
}

/// Instructions that change tables or segments, which are not restored between calls.
fn name_hidden_state(operator: &Operator<'_>) -> Option<&'static str> {
    Some(match operator {
        Operator::TableSet { .. } => "table.set",
        Operator::TableGrow { .. } => "table.grow",
        Operator::TableFill { .. } => "table.fill",
        Operator::TableCopy { .. } => "table.copy",
        Operator::TableInit { .. } => "table.init",
        Operator::ElemDrop { .. } => "elem.drop",
        Operator::DataDrop { .. } => "data.drop",
        _ => return None,
    })
}

/// The functions of the interface that a module has; those that it must have are there, with their
/// types.
fn check_exports(module: &wasmi::Module) -> Result<Vec<Call>, InvalidModule> {
    if !matches!(module.get_export("memory"), Some(ExternType::Memory(_))) {
        return Err(InvalidModule(
            "the module exports no memory; export it by the name \"memory\"".into(),
        ));
    }
    check_function(module, "input", &[ValType::I32], &[ValType::I32])?;
    let mut exports = Vec::new();
    for call in Call::ALL {
        let name = format!("{PREFIX}{}", call.name());
        if module.get_export(&name).is_none() && call.is_optional() {
            continue;
        }
        check_function(module, call.name(), &[], &[ValType::I64])?;
        exports.push(call);
    }
    if let Some(start) = module.get_export("_initialize") {
        let is_plain = start
            .func()
            .is_some_and(|ty| ty.params().is_empty() && ty.results().is_empty());
        if !is_plain {
            let why = "_initialize takes or returns values; it must be a function of none";
            return Err(InvalidModule(why.into()));
        }
    }
    Ok(exports)
}

fn check_function(
    module: &wasmi::Module,
    name: &str,
    params: &[ValType],
    results: &[ValType],
) -> Result<(), InvalidModule> {
    let found = module.get_export(&format!("{PREFIX}{name}"));
    let found = found.as_ref().and_then(ExternType::func);
    if found.is_some_and(|ty| ty.params() == params && ty.results() == results) {
        return Ok(());
    }
    let is = if found.is_some() {
        "has another type"
    } else {
        "is missing"
    };
    Err(InvalidModule(format!(
        "the function {PREFIX}{name} {is}; it takes {params:?} and returns {results:?}"
    )))
}
