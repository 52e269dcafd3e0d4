//! A text as tokens: keywords and signs count, names and values only as such, comments and layout
//! not at all.

/// Tokens of one source that are looked at.
pub const MOST: usize = 100_000;

/// Languages that are read alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Comments are `//` and `/* */`.
    C,
    /// Comments are `#`.
    Python,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub code: u64,
    /// Its line, from 1.
    pub line: u32,
}

const NAME: u64 = 1;
const NUMBER: u64 = 2;
const TEXT: u64 = 3;

/// Words that are kept as they are.
pub const KEYWORDS: &[&str] = &[
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "del",
    "delete",
    "do",
    "elif",
    "else",
    "enum",
    "except",
    "false",
    "final",
    "finally",
    "fn",
    "for",
    "from",
    "function",
    "global",
    "goto",
    "if",
    "impl",
    "in",
    "interface",
    "is",
    "lambda",
    "let",
    "loop",
    "match",
    "mut",
    "namespace",
    "new",
    "nonlocal",
    "not",
    "null",
    "or",
    "pass",
    "private",
    "protected",
    "public",
    "raise",
    "return",
    "self",
    "sizeof",
    "static",
    "struct",
    "super",
    "switch",
    "template",
    "this",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "typename",
    "union",
    "unsafe",
    "var",
    "virtual",
    "void",
    "while",
    "with",
    "yield",
];

/// Lines with one of these words at their beginning say only what is used.
const USES: &[&str] = &[
    "import", "from", "using", "use", "package", "#include", "#pragma", "extern",
];

impl Family {
    /// The family of a file by its name; `None` if it is no source.
    pub fn of_file(name: &str) -> Option<Family> {
        let (_, ending) = name.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "py" => Some(Family::Python),
            "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "hxx" | "java" | "js" | "mjs"
            | "ts" | "rs" | "go" | "cs" | "kt" => Some(Family::C),
            _ => None,
        }
    }
}

/// Reads a text, and at most so many tokens of it.
pub fn read_tokens(family: Family, text: &str, most: usize) -> Vec<Token> {
    let mut reader = Reader {
        family,
        bytes: text.as_bytes(),
        at: 0,
        line: 1,
        tokens: Vec::new(),
    };
    while reader.tokens.len() < most && reader.read_next() {}
    reader.tokens
}

struct Reader<'a> {
    family: Family,
    bytes: &'a [u8],
    at: usize,
    line: u32,
    tokens: Vec<Token>,
}

impl Reader<'_> {
    /// Reads one token, or what lies between two; false at the end.
    fn read_next(&mut self) -> bool {
        let Some(&byte) = self.bytes.get(self.at) else {
            return false;
        };
        match byte {
            b'\n' => self.advance(1),
            _ if byte.is_ascii_whitespace() => self.advance(1),
            b'#' if self.family == Family::Python => self.skip_line(),
            b'/' if self.family == Family::C && self.begins(b"//") => self.skip_line(),
            b'/' if self.family == Family::C && self.begins(b"/*") => self.skip_until(2, b"*/"),
            _ if self.begins_line() && self.says_use() => self.skip_line(),
            b'"' | b'`' => self.read_text(),
            b'\'' if self.is_text() => self.read_text(),
            b'0'..=b'9' => self.read_number(),
            _ if is_word(byte) => self.read_word(),
            _ => {
                self.push(u64::from(byte) + 16);
                self.advance(1);
            }
        }
        true
    }

    fn begins(&self, start: &[u8]) -> bool {
        self.bytes[self.at..].starts_with(start)
    }

    /// Whether only blanks stand before it in its line.
    fn begins_line(&self) -> bool {
        let before = self.bytes[..self.at].iter().rev();
        let mut before = before.take_while(|byte| **byte != b'\n').take(200);
        before.all(u8::is_ascii_whitespace)
    }

    fn says_use(&self) -> bool {
        let rest = &self.bytes[self.at..];
        USES.iter().any(|word| {
            rest.starts_with(word.as_bytes())
                && rest.get(word.len()).is_some_and(|next| !is_word(*next))
        })
    }

    /// Whether an apostrophe begins a text, and not a lifetime of Rust.
    fn is_text(&self) -> bool {
        let rest = &self.bytes[self.at + 1..];
        let is_name = rest.first().is_some_and(|byte| is_word(*byte));
        self.family == Family::Python || !is_name || rest.iter().take(5).any(|byte| *byte == b'\'')
    }

    fn advance(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.bytes.len());
        let passed = &self.bytes[self.at..end];
        self.line += passed.iter().filter(|byte| **byte == b'\n').count() as u32;
        self.at = end;
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| *byte == b'\n');
        self.advance(end.unwrap_or(rest.len()));
    }

    fn skip_until(&mut self, from: usize, end: &[u8]) {
        let rest = &self.bytes[self.at..];
        let inside = rest.get(from..).unwrap_or_default();
        let found = inside.windows(end.len()).position(|here| here == end);
        self.advance(found.map_or(rest.len(), |found| from + found + end.len()));
    }

    /// Adds a token. Lists of values count as one: tables in two programs say nothing.
    fn push(&mut self, code: u64) {
        let is_value = code == NUMBER || code == TEXT;
        if let [.., one, comma] = self.tokens[..]
            && is_value
            && comma.code == u64::from(b',') + 16
            && one.code == code
        {
            self.tokens.pop();
            return;
        }
        let line = self.line;
        self.tokens.push(Token { code, line });
    }

    fn read_text(&mut self) {
        let quote = self.bytes[self.at];
        let triple = [quote; 3];
        self.push(TEXT);
        if self.family == Family::Python && self.begins(&triple) {
            return self.skip_until(3, &triple);
        }
        let mut end = self.at + 1;
        while let Some(&byte) = self.bytes.get(end) {
            end += 1;
            match byte {
                b'\\' => end += 1,
                b'\n' if quote != b'`' => break,
                _ if byte == quote => break,
                _ => {}
            }
        }
        self.advance(end - self.at);
    }

    fn read_number(&mut self) {
        self.push(NUMBER);
        let rest = &self.bytes[self.at..];
        let end = rest
            .iter()
            .position(|byte| !is_word(*byte) && *byte != b'.');
        self.advance(end.unwrap_or(rest.len()));
    }

    fn read_word(&mut self) {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| !is_word(*byte));
        let word = &rest[..end.unwrap_or(rest.len())];
        let keyword = KEYWORDS.binary_search_by(|known| known.as_bytes().cmp(word));
        self.push(keyword.map_or(NAME, |found| found as u64 + 512));
        self.advance(word.len());
    }
}

/// Letters beyond ASCII count as parts of words.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
