//! Texts for people.

/// A text for people in both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// English.
    pub en: &'static str,
    /// 简体中文.
    pub zh: &'static str,
}
