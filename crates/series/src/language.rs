//! The language of reports.

/// A language and the catalogue of every message that a report may quote: reasons of the rules,
/// errors of the judge, see [`crate::messages::catalogue`].
pub type Language<'a> = leitai_game::lang::Localizer<'a>;
