//! Prepares the rules of a game file for the engine in a page; [`PageRules`] says what is changed.

use leitai_game::{LocalizedText, PreparedRules};
use leitai_module::wire::Call;
use sha2::{Digest, Sha256};
use wasmparser::{ExternalKind, FunctionBody, Operator, Parser, Payload, ValType};

use crate::bots::BotKind;
use crate::file::bots::read_bots;
use crate::file::{GameFile, parts};
use crate::limits::Limits;
use crate::module::export_globals;
use crate::page_rules::{MEMORY_BYTES, PageRules};
use crate::sections::{CODE, MEMORY, rewrite_sections, write_leb};

/// The bytes of a page of memory.
const PAGE: usize = 65_536;

/// The rules of a game file for a page: the length of a text (four bytes, the lowest first), the text,
/// which is [`PageRules`] as JSON, and the changed module. `None` where a page cannot play the module.
pub fn prepare_for_page(file: &parts::Parts) -> Option<PreparedRules> {
    let about = GameFile::describe(file).ok()?;
    let (bytes, globals) = export_globals(file.bytes(parts::RULES)?, &Limits::default())?;
    let facts = Facts::read(&bytes)?;
    let module = rewrite_sections(&bytes, |section, _| match section {
        MEMORY => Some(facts.memory.clone()),
        CODE => Some(facts.code()),
        _ => None,
    });
    let has_bots = facts.calls.contains(&Call::Bot);
    let bots = read_bots(&about.bots, file, has_bots, &mut Vec::new());
    let exported = bots.into_iter().filter(|bot| bot.kind == BotKind::Export);
    let rules = PageRules {
        // Its guide is a text of the page's own.
        meta: about.meta(LocalizedText::default()),
        bots: exported.map(|bot| (bot.name, bot.about)).collect(),
        calls: facts.calls.iter().map(|call| call.name().into()).collect(),
        globals,
    };
    let text = rules.to_json().to_string().into_bytes();
    let mut all = (text.len() as u32).to_le_bytes().to_vec();
    all.extend(text);
    all.extend(module);
    let hash = hex::encode(Sha256::digest(&all));
    let bytes = all.into();
    Some(PreparedRules { hash, bytes })
}

/// What the changed module is made of.
#[derive(Default)]
struct Facts {
    /// The number of parameters of each type, and the type of each function.
    parameters: Vec<u32>,
    functions: Vec<usize>,
    bodies: Vec<Vec<u8>>,
    memory: Vec<u8>,
    /// The functions of the interface that it exports.
    calls: Vec<Call>,
}

impl Facts {
    fn read(bytes: &[u8]) -> Option<Facts> {
        let mut facts = Facts::default();
        for payload in Parser::new(0).parse_all(bytes) {
            facts.take(bytes, payload.ok()?)?;
        }
        (!facts.memory.is_empty()).then_some(facts)
    }

    /// `None` if a page cannot play the module.
    fn take(&mut self, bytes: &[u8], payload: Payload<'_>) -> Option<()> {
        match payload {
            Payload::TypeSection(types) => {
                for ty in types.into_iter_err_on_gc_types() {
                    self.parameters.push(ty.ok()?.params().len() as u32);
                }
            }
            Payload::FunctionSection(types) => {
                for ty in types {
                    self.functions.push(ty.ok()? as usize);
                }
            }
            Payload::MemorySection(memories) => {
                let is = memories.into_iter().next()?.ok()?;
                self.memory = bounded_memory(is.initial, is.maximum)?;
            }
            Payload::GlobalSection(globals) => {
                for global in globals {
                    let ty = global.ok()?.ty;
                    // JavaScript keeps no bits of a float.
                    if ty.mutable && !matches!(ty.content_type, ValType::I32 | ValType::I64) {
                        return None;
                    }
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export.ok()?;
                    let is_it = |call: &Call| PageRules::export_name(*call) == export.name;
                    let calls = Call::ALL.into_iter().filter(is_it);
                    self.calls
                        .extend(calls.filter(|_| export.kind == ExternalKind::Func));
                }
            }
            Payload::CodeSectionEntry(body) => {
                let ty = *self.functions.get(self.bodies.len())?;
                let parameters = *self.parameters.get(ty)?;
                self.bodies
                    .push(with_canonical_nans(bytes, &body, parameters)?);
            }
            _ => {}
        }
        Some(())
    }

    /// The section of the functions.
    fn code(&self) -> Vec<u8> {
        let mut code = Vec::new();
        write_leb(&mut code, self.bodies.len() as u32);
        for body in &self.bodies {
            write_leb(&mut code, body.len() as u32);
            code.extend(body);
        }
        code
    }
}

/// The section of a memory that grows no further than the interpreter lets it.
fn bounded_memory(initial: u64, maximum: Option<u64>) -> Option<Vec<u8>> {
    let most = maximum
        .unwrap_or(u64::MAX)
        .min((MEMORY_BYTES / PAGE) as u64);
    if initial > most {
        return None;
    }
    let mut memory = vec![1, 1];
    write_leb(&mut memory, initial as u32);
    write_leb(&mut memory, most as u32);
    Some(memory)
}

const F32: u8 = 0x7d;
const F64: u8 = 0x7c;

/// A function whose results of arithmetic are the canonical NaN wherever they are one. It gets two
/// variables, which come last, so no other is renumbered; no jump is measured in bytes.
fn with_canonical_nans(bytes: &[u8], body: &FunctionBody<'_>, parameters: u32) -> Option<Vec<u8>> {
    let locals = body.get_locals_reader().ok()?;
    let (groups, first) = (locals.get_count(), locals.original_position());
    let mut number = parameters;
    for group in locals {
        number = number.checked_add(group.ok()?.0)?;
    }
    let mut operators = body.get_operators_reader().ok()?;
    let start = operators.original_position();
    let mut code = Vec::new();
    let mut is_changed = false;
    while !operators.eof() {
        let from = operators.original_position();
        let operator = operators.read().ok()?;
        code.extend(&bytes[from..operators.original_position()]);
        if let Some(float) = float_of(&operator) {
            is_changed = true;
            canonicalise(&mut code, float, number);
        }
    }
    if !is_changed {
        return Some(bytes[body.range()].to_vec());
    }
    let mut changed = Vec::new();
    write_leb(&mut changed, groups + 2);
    changed.extend(&bytes[first..start]);
    changed.extend([1, F32, 1, F64]);
    changed.extend(code);
    Some(changed)
}

/// The value on the stack, or the canonical NaN if it equals nothing.
fn canonicalise(code: &mut Vec<u8>, float: u8, first: u32) {
    let variable = first + u32::from(float == F64);
    let with_variable = |operator: u8, code: &mut Vec<u8>| {
        code.push(operator);
        write_leb(code, variable);
    };
    with_variable(0x22, code); // local.tee
    match float {
        F32 => {
            code.push(0x43); // f32.const
            code.extend(0x7fc0_0000_u32.to_le_bytes());
        }
        _ => {
            code.push(0x44); // f64.const
            code.extend(0x7ff8_0000_0000_0000_u64.to_le_bytes());
        }
    }
    with_variable(0x20, code); // local.get
    with_variable(0x20, code);
    code.push(if float == F32 { 0x5b } else { 0x61 }); // eq
    code.push(0x1b); // select
}

/// The type of a result that may be another NaN elsewhere: what the interpreter makes canonical.
fn float_of(operator: &Operator<'_>) -> Option<u8> {
    use Operator as Op;
    Some(match operator {
        Op::F32Ceil
        | Op::F32Floor
        | Op::F32Trunc
        | Op::F32Nearest
        | Op::F32Sqrt
        | Op::F32Add
        | Op::F32Sub
        | Op::F32Mul
        | Op::F32Div
        | Op::F32Min
        | Op::F32Max
        | Op::F32DemoteF64 => F32,
        Op::F64Ceil
        | Op::F64Floor
        | Op::F64Trunc
        | Op::F64Nearest
        | Op::F64Sqrt
        | Op::F64Add
        | Op::F64Sub
        | Op::F64Mul
        | Op::F64Div
        | Op::F64Min
        | Op::F64Max
        | Op::F64PromoteF32 => F64,
        _ => return None,
    })
}
