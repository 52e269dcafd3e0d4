//! Tags: short words by which matches are found. Who asked for a friendly match gives it tags, and
//! the organisers of a contest its matches; administrators all.

use std::collections::{BTreeSet, HashMap};

use serde_json::json;

use crate::database::audit_log;
use crate::database::prelude::*;
use crate::tables::match_tags::{ActiveModel, Column, Entity, askers};
use crate::{AuditedAction, MatchId, UserId, tables};

/// The tags of a match, in their order, each once: at most [`MatchTags::MOST`] of at most
/// [`MatchTags::LENGTH`] characters.
///
/// ```
/// use leitai_store::MatchTags;
/// let tags = MatchTags::parse(["#Final", " late game ", "final"]).expect("they are short");
/// assert_eq!(tags.words(), ["final", "late-game"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchTags(Vec<String>);

/// What is wrong with a tag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TagProblem {
    /// It has no letter and no digit.
    #[error("the tag {0:?} has neither a letter nor a digit; add one, or leave it out")]
    Empty(String),
    /// It is too long.
    #[error("the tag {tag:?} has {length} characters; write at most {most}", most = MatchTags::LENGTH)]
    Long {
        /// Its beginning.
        tag: String,
        /// Its length.
        length: usize,
    },
    /// It contains a character that is not allowed.
    #[error(
        "the tag {tag:?} has {found:?} in it; use letters, digits, - _ . and Chinese characters"
    )]
    Character {
        /// The tag.
        tag: String,
        /// The character.
        found: char,
    },
    /// There are too many.
    #[error("there are {0} tags; a match has at most {most}", most = MatchTags::MOST)]
    Many(usize),
}

impl MatchTags {
    /// The most tags of a match.
    pub const MOST: usize = 8;
    /// The most characters of a tag.
    pub const LENGTH: usize = 24;

    /// Cleans and checks tags as people write them.
    pub fn parse<'a>(written: impl IntoIterator<Item = &'a str>) -> Result<MatchTags, TagProblem> {
        let mut tags = BTreeSet::new();
        for tag in written {
            tags.insert(clean_tag(tag)?);
            if tags.len() > MatchTags::MOST {
                return Err(TagProblem::Many(tags.len()));
            }
        }
        Ok(MatchTags(tags.into_iter().collect()))
    }

    /// The tags.
    pub fn words(&self) -> &[String] {
        &self.0
    }
}

/// A tag as it is kept: in small letters, without `#`, with `-` for spaces.
pub fn clean_tag(written: &str) -> Result<String, TagProblem> {
    let written = written.trim().trim_start_matches('#');
    let length = written.chars().count();
    let beginning = || written.chars().take(MatchTags::LENGTH).collect();
    let long = |length| TagProblem::Long {
        tag: beginning(),
        length,
    };
    if length > MatchTags::LENGTH {
        return Err(long(length));
    }
    let words: Vec<&str> = written.split_whitespace().collect();
    let tag = words.join("-").to_lowercase();
    if let Some(found) = tag.chars().find(|c| !is_allowed(*c)) {
        return Err(TagProblem::Character { tag, found });
    }
    if !tag.chars().any(char::is_alphanumeric) {
        return Err(TagProblem::Empty(tag));
    }
    // Small letters can be more than the capital ones.
    match tag.chars().count() {
        length if length > MatchTags::LENGTH => Err(long(length)),
        _ => Ok(tag),
    }
}

fn is_allowed(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

impl Store {
    /// Replaces the tags of a match. `audited` is written into the audit log as who did it.
    pub async fn set_match_tags(
        &self,
        id: MatchId,
        tags: &MatchTags,
        audited: Option<UserId>,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        lock_row::<tables::matches::Entity>(&change, id, "match").await?;
        let before = of_matches(&change, &[id]).await?.remove(&id);
        let before = before.unwrap_or_default();
        if before == tags.0 {
            return Ok(());
        }
        delete_rows::<Entity>(&change, Column::MatchId.eq(id)).await?;
        insert_tags(&change, id, tags).await?;
        if audited.is_some() {
            let subject = format!("match {id}");
            let action = AuditedAction::new(
                audited,
                "match.tag",
                subject,
                json!({"from": before, "to": tags.0}),
            );
            audit_log::write(&change, action, at).await?;
        }
        Ok(change.commit().await?)
    }

    /// The tags of these matches, as far as they have some.
    pub async fn tags_of_matches(&self, ids: &[MatchId]) -> Result<HashMap<MatchId, Vec<String>>> {
        of_matches(&self.readers, ids).await
    }

    /// Whether this person asked for this friendly match.
    pub async fn asked_for_match(&self, id: MatchId, user: UserId) -> Result<bool> {
        let asker = askers::Entity::find_by_id(id).one(&self.readers).await?;
        Ok(asker.is_some_and(|asker| asker.user == user))
    }
}

async fn of_matches(
    place: &impl ConnectionTrait,
    ids: &[MatchId],
) -> Result<HashMap<MatchId, Vec<String>>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = Entity::find()
        .filter(Column::MatchId.is_in(ids.iter().copied()))
        .all(place)
        .await?;
    let mut tags: HashMap<MatchId, Vec<String>> = HashMap::new();
    for row in rows {
        tags.entry(row.match_id).or_default().push(row.tag);
    }
    // Databases order texts by rules of their own.
    tags.values_mut().for_each(|own| own.sort_unstable());
    Ok(tags)
}

/// Gives a match without tags these.
pub(crate) async fn insert_tags(change: &Change, id: MatchId, tags: &MatchTags) -> Result<()> {
    let rows = tags.0.iter().map(|tag| ActiveModel {
        tag: Set(tag.clone()),
        match_id: Set(id),
    });
    insert_rows(change, &rows.collect::<Vec<_>>()).await
}

/// Notes who asked for a friendly match.
pub(crate) async fn note_asker(change: &Change, id: MatchId, user: UserId) -> Result<()> {
    let row = askers::ActiveModel {
        match_id: Set(id),
        user: Set(user),
    };
    insert_row(change, row).await
}

/// Forgets what a person asked for.
pub(crate) async fn forget_person(change: &Change, user: UserId) -> Result<()> {
    delete_rows::<askers::Entity>(change, askers::Column::User.eq(user)).await?;
    Ok(())
}
