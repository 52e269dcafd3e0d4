//! A message for people as data: its English template, which is its id, and its values.

use std::borrow::Cow;
use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use super::{Catalogue, DEEPEST, Lang, fill_template, has_letters};

/// A message, made by [`say!`](crate::lang::say). It displays as its English sentence; a
/// [`Catalogue`] says it in Chinese by its id, so that nobody has to recognise the sentence.
///
/// ```
/// use leitai_game::lang::{Catalogue, Lang, Texts, say};
///
/// static ALL: Texts = Texts::new(
///     r#"{"Answers": {"sent {}, which {}": "发送了 {}，它{}", "is over {}": "大于 {}"}}"#,
/// );
/// let why = say!("is over {}", 3);
/// let message = say!("sent {:?}, which {why}", "7");
/// assert_eq!(message.to_string(), "sent \"7\", which is over 3");
/// assert_eq!(Catalogue::new([&ALL]).tell(Lang::Zh, &message), "发送了 \"7\"，它大于 3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    id: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<Value>,
}

/// A value of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number, a name, what a program sent; or a sentence of which only the words are known,
    /// such as one of the system. The catalogue tries to recognise it.
    Text(String),
    /// A message.
    Message(Message),
}

impl Message {
    /// A message with the values of its template; [`say!`](crate::lang::say) calls it.
    pub fn new(id: &'static str, values: Vec<Value>) -> Message {
        Message {
            id: Cow::Borrowed(id),
            values,
        }
    }

    /// Its template, or `{}` for a sentence of which only the words are known.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The message of a record that has the sentence too. A file may be anybody's: what it says in
    /// one language it says in the other.
    pub fn recorded(said: Option<&Message>, sentence: &str) -> Message {
        said.filter(|said| said.to_string() == sentence)
            .map_or_else(|| sentence.into(), Message::clone)
    }

    /// What a record keeps beside the sentence: nothing if only its words are known.
    pub fn into_record(self) -> Option<Message> {
        self.as_words().is_none().then_some(self)
    }

    /// The words, if it is no more than these.
    fn as_words(&self) -> Option<&str> {
        match &self.values[..] {
            [Value::Text(words)] if self.id == "{}" => Some(words),
            _ => None,
        }
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values.iter().map(|value| match value {
            Value::Text(text) => Cow::Borrowed(&**text),
            Value::Message(message) => Cow::Owned(message.to_string()),
        });
        f.write_str(&fill_template(&self.id, &values.collect::<Vec<_>>()))
    }
}

impl From<Message> for String {
    fn from(message: Message) -> String {
        message.to_string()
    }
}

impl From<String> for Message {
    fn from(words: String) -> Message {
        Message::new("{}", vec![Value::Text(words)])
    }
}

impl From<&str> for Message {
    fn from(words: &str) -> Message {
        Message::from(words.to_owned())
    }
}

impl From<Value> for Message {
    fn from(value: Value) -> Message {
        match value {
            Value::Text(words) => words.into(),
            Value::Message(message) => message,
        }
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<Message> for Value {
    fn from(message: Message) -> Value {
        match message.as_words() {
            Some(words) => Value::Text(words.to_owned()),
            None => Value::Message(message),
        }
    }
}

/// Has a message for people. `#[derive(Say)]` makes it from the sentences of thiserror.
pub trait Say {
    /// The message; what it displays is its English sentence.
    fn to_message(&self) -> Message;
}

impl Say for Message {
    fn to_message(&self) -> Message {
        self.clone()
    }
}

impl Say for str {
    fn to_message(&self) -> Message {
        self.into()
    }
}

impl Say for String {
    fn to_message(&self) -> Message {
        (&**self).into()
    }
}

impl<T: Say + ?Sized> Say for &T {
    fn to_message(&self) -> Message {
        (**self).to_message()
    }
}

/// A value on its way into a message: `(&Shown(&value)).value()` takes its message if it has one,
/// else what it displays.
#[doc(hidden)]
pub struct Shown<'v, T: ?Sized>(pub &'v T);

#[doc(hidden)]
pub trait SaidValue {
    fn value(&self) -> Value;
}

impl<T: Say + ?Sized> SaidValue for Shown<'_, T> {
    fn value(&self) -> Value {
        self.0.to_message().into()
    }
}

#[doc(hidden)]
pub trait ShownValue {
    fn value(&self) -> Value;
}

impl<T: Display + ?Sized> ShownValue for &Shown<'_, T> {
    fn value(&self) -> Value {
        Value::Text(self.0.to_string())
    }
}

impl Catalogue {
    /// The message in the language of the reader, found by its id.
    pub fn tell(&self, lang: Lang, message: &(impl Say + ?Sized)) -> String {
        let message = message.to_message();
        match lang {
            Lang::En => message.to_string(),
            Lang::Zh => self
                .find(&message, DEEPEST)
                .unwrap_or_else(|| message.to_string()),
        }
    }

    /// The Chinese sentence, if there is one for the message or for a value of it. A sentence of
    /// which only the words are known is recognised by them.
    fn find(&self, message: &Message, depth: usize) -> Option<String> {
        let is_fixed = has_letters(&message.id);
        let is_words = |value: &Value| matches!(value, Value::Text(_));
        if !is_fixed && message.values.iter().all(is_words) {
            return self.translate(&message.to_string(), depth);
        }
        let mut is_known = false;
        let mut tell = |value: &Value| {
            let (told, english) = match value {
                Value::Text(text) => (self.translate(text, depth.saturating_sub(1)), text.clone()),
                Value::Message(inner) => (self.find(inner, depth), inner.to_string()),
            };
            is_known |= told.is_some();
            Cow::Owned(told.unwrap_or(english))
        };
        let values: Vec<Cow<'_, str>> = message.values.iter().map(&mut tell).collect();
        if let Some(text) = self.messages().find(|text| text.en == message.id) {
            return Some(fill_template(text.zh, &values));
        }
        if is_fixed {
            return self.translate(&message.to_string(), depth);
        }
        let joined = || message.id.replace("; ", "；").replace(": ", "：");
        is_known.then(|| fill_template(&joined(), &values))
    }
}
