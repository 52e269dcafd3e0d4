//! Texts of a resource file in both languages, read when first needed.

use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use crate::text::Text;

/// The texts of a JSON file that lies beside the crate: sections by name, each with the English
/// texts and their translations. `{}` is a value; the Chinese text takes the values in order with
/// `{}`, or by number, from 0, with `{0}`. Nothing is read as long as nobody needs Chinese.
///
/// ```
/// use leitai_game::lang::Texts;
///
/// static ANSWERS: Texts = Texts::new(r#"{"Answers": {"answer {} of {}": "共 {1} 个，第 {0} 个"}}"#);
/// assert_eq!(ANSWERS[0].zh, "共 {1} 个，第 {0} 个");
/// ```
pub struct Texts {
    json: &'static str,
    read: OnceLock<Vec<Text>>,
}

impl Texts {
    /// No texts.
    pub const NOTHING: &'static Texts = {
        static NOTHING: Texts = Texts::new("{}");
        &NOTHING
    };

    /// The texts of this file: `Texts::new(include_str!("../messages.json"))`.
    pub const fn new(json: &'static str) -> Texts {
        Texts {
            json,
            read: OnceLock::new(),
        }
    }
}

impl Deref for Texts {
    type Target = [Text];

    fn deref(&self) -> &[Text] {
        let read = || -> Vec<Text> {
            let file: Sections = serde_json::from_str(self.json).expect("a test reads each file");
            file.0
        };
        self.read.get_or_init(read)
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Texts of {} bytes", self.json.len())
    }
}

/// The texts of all sections, in their order.
struct Sections(Vec<Text>);
/// The texts of one section.
struct Section(Vec<Text>);
/// A part of the file, or a copy that is never freed where the file has an escape.
struct Word(&'static str);

impl Deserialize<'static> for Sections {
    fn deserialize<D: Deserializer<'static>>(reader: D) -> Result<Sections, D::Error> {
        let all = read_map(reader, |all, (_, section): (Word, Section)| {
            all.extend(section.0);
        });
        all.map(Sections)
    }
}

impl Deserialize<'static> for Section {
    fn deserialize<D: Deserializer<'static>>(reader: D) -> Result<Section, D::Error> {
        let all = read_map(reader, |all, (en, zh): (Word, Word)| {
            all.push(Text { en: en.0, zh: zh.0 });
        });
        all.map(Section)
    }
}

fn read_map<D, V>(reader: D, add: fn(&mut Vec<Text>, (Word, V))) -> Result<Vec<Text>, D::Error>
where
    D: Deserializer<'static>,
    V: Deserialize<'static>,
{
    struct Entries<V>(fn(&mut Vec<Text>, (Word, V)));

    impl<V: Deserialize<'static>> Visitor<'static> for Entries<V> {
        type Value = Vec<Text>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'static>>(self, mut map: A) -> Result<Vec<Text>, A::Error> {
            let mut all = Vec::new();
            while let Some(entry) = map.next_entry()? {
                (self.0)(&mut all, entry);
            }
            Ok(all)
        }
    }

    reader.deserialize_map(Entries(add))
}

impl Deserialize<'static> for Word {
    fn deserialize<D: Deserializer<'static>>(reader: D) -> Result<Word, D::Error> {
        struct Words;

        impl Visitor<'static> for Words {
            type Value = Word;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'static str) -> Result<Word, E> {
                Ok(Word(text))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Word, E> {
                Ok(Word(Box::leak(text.into())))
            }
        }

        reader.deserialize_str(Words)
    }
}
