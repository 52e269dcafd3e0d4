//! The doors for coding agents, over the Model Context Protocol: one set of documents and tools, which
//! `leitai mcp` offers over stdio and the server at `/mcp`.
//!
//! | module | content |
//! |---|---|
//! | [`documents`] | games, rules, guides, protocols, templates as Markdown, for addresses and resources |
//! | [`tool`] | what a tool is, and its arguments, read and bounded once |
//! | [`arena_tools`] | the tools that ask an arena, whichever way |
//! | [`match_report`] | what a match was, and why it was lost, in a few lines |
//! | [`short`] | keeps every answer short |
//! | [`handler`] | the protocol's side: lists, calls, refusals |
//!
//! What agents read is English, as the protocol is; messages of the arena keep the caller's language.

/// The path of the server's door.
pub const PATH: &str = "/mcp";

pub mod arena_tools;
pub mod documents;
pub mod handler;
pub mod match_report;
pub mod short;
pub mod tool;
