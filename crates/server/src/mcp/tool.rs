//! A tool for agents: its name, what it does, its arguments. Arguments are read and bounded once; a
//! refusal says which value is wrong and what to send instead.

use serde_json::{Map, Value, json};

/// A tool.
#[derive(Debug)]
pub struct Tool {
    /// The name.
    pub name: &'static str,
    /// What it does, and what it costs.
    pub about: &'static str,
    /// Whether it changes nothing.
    pub reads_only: bool,
    /// What it takes.
    pub parameters: &'static [Parameter],
}

/// An argument of a tool.
#[derive(Debug)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it means.
    pub about: &'static str,
    /// Whether the tool cannot do without.
    pub is_required: bool,
}

/// What an argument may be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// The id of a game or ladder: letters, digits, `-` and `_`.
    Id,
    /// A text of at most so many bytes.
    Text(usize),
    /// A whole number of this range.
    Number(u64, u64),
    /// Yes or no.
    Flag,
}

/// An argument that the tool cannot do without.
pub const fn required(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter {
        name,
        kind,
        about,
        is_required: true,
    }
}

/// An argument that may be left out.
pub const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter {
        is_required: false,
        ..required(name, kind, about)
    }
}

/// The bytes of a stranger's word that a refusal repeats.
const SHOWN: usize = 60;

impl Kind {
    fn schema(self) -> Map<String, Value> {
        let schema = match self {
            Kind::Id => json!({"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}),
            Kind::Text(most) => json!({"type": "string", "maxLength": most}),
            Kind::Number(least, most) => {
                json!({"type": "integer", "minimum": least, "maximum": most})
            }
            Kind::Flag => json!({"type": "boolean"}),
        };
        match schema {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    /// What is wrong with a value, if something is.
    fn find_fault(self, value: &Value) -> Option<String> {
        match (self, value) {
            (Kind::Id, Value::String(text)) => {
                let is_fine = |sign: char| sign.is_ascii_alphanumeric() || "-_".contains(sign);
                let fits = (1..=64).contains(&text.len()) && text.chars().all(is_fine);
                (!fits).then(|| "an id has 1 to 64 letters, digits, - and _".to_owned())
            }
            (Kind::Text(most), Value::String(text)) => {
                let length = text.len();
                (length > most).then(|| format!("it has {length} bytes; at most {most} are taken"))
            }
            (Kind::Number(least, most), value) => {
                let fits = value
                    .as_u64()
                    .is_some_and(|number| (least..=most).contains(&number));
                (!fits).then(|| format!("a whole number from {least} to {most} is needed"))
            }
            (Kind::Flag, value) => {
                (!value.is_boolean()).then(|| "true or false is needed".to_owned())
            }
            (Kind::Id | Kind::Text(_), _) => Some("a string is needed".to_owned()),
        }
    }
}

impl Tool {
    /// The JSON schema of its arguments.
    pub fn schema(&self) -> Map<String, Value> {
        let property = |parameter: &Parameter| {
            let mut schema = parameter.kind.schema();
            schema.insert("description".to_owned(), parameter.about.into());
            (parameter.name.to_owned(), Value::Object(schema))
        };
        let properties: Map<String, Value> = self.parameters.iter().map(property).collect();
        let required = self.parameters.iter().filter(|one| one.is_required);
        let required: Vec<&str> = required.map(|one| one.name).collect();
        let schema = json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false,
        });
        match schema {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    /// Reads what an agent sent.
    ///
    /// # Errors
    /// If an argument is missing, unknown or not what it may be: which one, and what is needed.
    pub fn read_arguments(&self, sent: Option<Map<String, Value>>) -> Result<Arguments, String> {
        let mut sent = sent.unwrap_or_default();
        sent.retain(|_, value| !value.is_null());
        let names = || {
            let names: Vec<&str> = self.parameters.iter().map(|one| one.name).collect();
            names.join(", ")
        };
        for (name, value) in &sent {
            let Some(known) = self.parameters.iter().find(|one| one.name == name) else {
                let name = cut(name);
                let tool = self.name;
                return Err(match self.parameters.is_empty() {
                    true => format!("{tool} takes no arguments; leave out {name:?}"),
                    false => format!("{tool} has no argument {name:?}; it takes {}", names()),
                });
            };
            if let Some(fault) = known.kind.find_fault(value) {
                let shown = cut(&value.to_string());
                return Err(format!("{name} is {shown}: {fault} ({})", known.about));
            }
        }
        let needed = self.parameters.iter().filter(|one| one.is_required);
        let mut missing = needed.filter(|one| !sent.contains_key(one.name));
        match missing.next() {
            Some(one) => Err(format!("{} needs {}: {}", self.name, one.name, one.about)),
            None => Ok(Arguments(sent)),
        }
    }
}

fn cut(word: &str) -> String {
    let mut end = SHOWN.min(word.len());
    while !word.is_char_boundary(end) {
        end -= 1;
    }
    match end == word.len() {
        true => word.to_owned(),
        false => format!("{}…", &word[..end]),
    }
}

/// The arguments of a call: each is what its [`Kind`] says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// A text, if it was given.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// A text that the tool requires; an empty one where it does not.
    pub fn needed_text(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// A number, if it was given.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }

    /// Yes or no, if it was given.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.0.get(name)?.as_bool()
    }

    /// The same with one more number.
    pub fn with_number(&self, name: &str, number: u64) -> Arguments {
        let mut all = self.0.clone();
        all.insert(name.to_owned(), number.into());
        Arguments(all)
    }
}
