//! Messages as actions of a replay: ASCII without white space, `/`, `!` and `%`; every other byte is
//! `%` and two hexadecimal digits, and no byte at all is `%`.

/// Writes a message.
pub(super) fn write(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "%".into();
    }
    let write = |byte: &u8| match byte {
        b'/' | b'!' | b'%' => format!("%{byte:02x}"),
        byte if byte.is_ascii_graphic() => char::from(*byte).to_string(),
        byte => format!("%{byte:02x}"),
    };
    bytes.iter().map(write).collect()
}

/// Reads a message; `None` for any other text.
pub(super) fn read(text: &str) -> Option<Vec<u8>> {
    if text == "%" {
        return Some(Vec::new());
    }
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    (!bytes.is_empty() && write(&bytes) == text).then_some(bytes)
}

/// Shows a message to people: as it is if it is text, else its bytes.
pub(super) fn show(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(|letter: char| letter.is_control() && letter != '\n') => {
            text.to_owned()
        }
        _ => bytes
            .iter()
            .map(|byte| format!("{byte:02x} "))
            .collect::<String>()
            .trim_end()
            .to_owned(),
    }
}
