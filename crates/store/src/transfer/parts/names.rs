//! What the names of a part become here: each stays if it is free, else it gets a number.

use std::collections::BTreeSet;

use sea_orm::sea_query::{Alias, ExprTrait, Query};

use crate::NameKind;
use crate::accounts::freed_names;
use crate::database::prelude::*;
use crate::database::skeletons::{fold_name, skeleton};

/// Characters in a name of an account or a bot.
pub const LONGEST_NAME: usize = 24;

/// Names that are taken here, and by rows that came before.
#[derive(Default)]
pub struct Names(BTreeSet<(String, String)>);

/// A table with names.
#[derive(Clone, Copy)]
pub struct Named<'n> {
    pub table: &'static str,
    /// The column with the name as it is compared.
    pub folded: &'static str,
    /// The game within which names differ.
    pub game: Option<&'n str>,
    pub longest: usize,
}

impl Names {
    /// The name if it is free, and no other looks like it; else the first that is, with a number.
    pub async fn choose(
        &mut self,
        change: &Change,
        of: Named<'_>,
        name: &str,
        (kept, at): (std::time::Duration, Timestamp),
    ) -> Result<String> {
        let mut number = 1;
        loop {
            let tried = with_number(name, number, of.longest);
            let scope = format!("{} {}", of.table, of.game.unwrap_or_default());
            let is_new = !self.0.contains(&(scope.clone(), skeleton(&tried)));
            if is_new && is_free(change, of, &tried).await? {
                let freed = match of.table {
                    "users" => {
                        freed_names::check(change, NameKind::Account, &tried, None, (kept, at))
                            .await
                    }
                    _ => Ok(()),
                };
                if freed.is_ok() {
                    self.0.insert((scope, skeleton(&tried)));
                    return Ok(tried);
                }
            }
            number += 1;
        }
    }
}

async fn is_free(change: &Change, of: Named<'_>, name: &str) -> Result<bool> {
    let col = |name: &'static str| Expr::col(Alias::new(name));
    let same = col(of.folded).eq(fold_name(name));
    let mut query = Query::select();
    query
        .expr(Expr::val(1))
        .from(Alias::new(of.table))
        .and_where(same.or(col("skeleton").eq(skeleton(name))))
        .limit(1);
    if let Some(game) = of.game {
        query.and_where(col("game").eq(game));
    }
    Ok(change.query_one(&query).await?.is_none())
}

/// A name with a number, but for the first, within a length.
pub fn with_number(name: &str, number: u32, longest: usize) -> String {
    if number == 1 {
        return name.to_owned();
    }
    let end = format!("-{number}");
    let begin: String = name.chars().take(longest - end.len()).collect();
    format!("{}{end}", begin.trim_end_matches('-'))
}

/// A contest's file with another id.
pub fn with_id(file: &str, id: &str) -> String {
    let mut is_done = false;
    let lines = file.split_inclusive('\n').map(|line| {
        let is_id = line.trim_start().strip_prefix("id").map(str::trim_start);
        if is_done || !is_id.is_some_and(|rest| rest.starts_with('=')) {
            return line.to_owned();
        }
        is_done = true;
        let comment = line.find('#').map_or("", |at| line[at..].trim_end());
        let space = if comment.is_empty() { "" } else { " " };
        format!("id = \"{id}\"{space}{comment}\n")
    });
    lines.collect()
}
