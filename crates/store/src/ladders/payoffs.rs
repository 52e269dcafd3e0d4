//! Who beat whom on a ladder.

use std::collections::HashMap;

use leitai_ladder::ScoreTally;

use crate::database::prelude::*;
use crate::tables::history::rivals;
use crate::{BotId, GroupId, LadderId, LadderPart, LadderRow, PageQuery};

/// Rows that are read together.
const TOGETHER: u64 = 100;

impl Store {
    /// The rows of a ladder, best first, at most so many, and what each (row) has taken from each other one
    /// (column) in its matches there. With a group, of its bots alone.
    pub async fn ladder_payoffs(
        &self,
        ladder: &LadderId,
        (group, part): (Option<GroupId>, LadderPart),
        most: usize,
    ) -> Result<(Vec<LadderRow>, Vec<Vec<ScoreTally>>)> {
        let (mut rows, mut ask) = (Vec::new(), PageQuery::first_page(TOGETHER));
        loop {
            let page = match group {
                Some(group) => self.list_group_ladder(group, ladder, part, &ask).await?,
                None => self.list_ladder_part(ladder, part, &ask).await?,
            };
            rows.extend(page.items);
            match page.next {
                Some(next) if rows.len() < most => ask = PageQuery::page_after(next, TOGETHER),
                _ => break,
            }
        }
        rows.truncate(most);
        let places: HashMap<BotId, usize> = rows.iter().map(|row| row.bot.id).zip(0..).collect();
        let met = rivals::Entity::find()
            .filter(rivals::Column::Ladder.eq(ladder))
            .all(&self.readers)
            .await?;
        let mut tallies = vec![vec![ScoreTally::default(); rows.len()]; rows.len()];
        for one in met {
            let both = (places.get(&one.bot), places.get(&one.rival));
            if let (Some(bot), Some(rival)) = both {
                let count = |count: i64| u32::try_from(count).unwrap_or(0);
                tallies[*bot][*rival] = ScoreTally {
                    wins: count(one.wins),
                    draws: count(one.draws),
                    losses: count(one.losses),
                };
            }
        }
        Ok((rows, tallies))
    }
}
