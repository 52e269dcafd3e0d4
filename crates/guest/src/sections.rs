//! The sections of a module's bytes, which is sound WebAssembly.

/// The section of types, memories, exports and code.
pub(crate) const MEMORY: u8 = 5;
pub(crate) const EXPORT: u8 = 7;
pub(crate) const CODE: u8 = 10;
const CUSTOM: u8 = 0;
/// What stands before the sections.
const HEAD: usize = 8;

/// The same module with other contents of some sections, and without those that mean nothing to
/// whoever runs it.
pub(crate) fn rewrite_sections(
    bytes: &[u8],
    mut change: impl FnMut(u8, &[u8]) -> Option<Vec<u8>>,
) -> Vec<u8> {
    let mut module = bytes[..HEAD].to_vec();
    let mut rest = &bytes[HEAD..];
    while let Some((&section, after)) = rest.split_first() {
        let (length, after) = split_leb(after);
        let (content, next) = after.split_at(length as usize);
        if section != CUSTOM {
            let changed = change(section, content);
            let content = changed.as_deref().unwrap_or(content);
            module.push(section);
            write_leb(&mut module, content.len() as u32);
            module.extend(content);
        }
        rest = next;
    }
    module
}

pub(crate) fn write_leb(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A number and what follows it.
pub(crate) fn split_leb(bytes: &[u8]) -> (u32, &[u8]) {
    let mut value = 0;
    for (at, byte) in bytes.iter().enumerate() {
        value |= u32::from(byte & 0x7f) << (7 * at).min(31);
        if byte & 0x80 == 0 {
            return (value, &bytes[at + 1..]);
        }
    }
    (value, &[])
}
