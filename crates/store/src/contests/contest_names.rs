//! Whom the names in contests' files mean: organisers, invited accounts, and the group.
//!
//! A name means who has it when a file with it is published, for good: rights hang on the key that
//! is noted here, so that whoever takes the name later has none of them. An update notes only the
//! names that are new in it.

use std::collections::{HashMap, HashSet};

use crate::database::prelude::*;
use crate::database::skeletons::fold_name;
use crate::tables::contest_names::{ActiveModel, Column, Entity, Model, NameKind};
use crate::tables::contests::lock_contest;
use crate::{Contest, ContestId, ContestState, GroupId, UserId, tables};

/// A name in a contest's file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileName {
    /// What it names.
    pub kind: NameKind,
    /// The name as it is written.
    pub name: String,
}

impl FileName {
    fn key(&self) -> NameKey {
        (self.kind, fold_name(&self.name))
    }
}

type NameKey = (NameKind, String);

/// Whom the names in a contest's file mean, and how they are called today.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContestNames {
    targets: HashMap<NameKey, Option<i64>>,
    /// Of those that are there still.
    today: HashMap<(NameKind, i64), String>,
}

impl ContestNames {
    /// The account that the file means by a name.
    pub fn account(&self, name: &str) -> Option<UserId> {
        self.target(NameKind::Account, name).map(UserId)
    }

    /// The group that the file means by a name.
    pub fn group(&self, name: &str) -> Option<GroupId> {
        self.target(NameKind::Group, name).map(GroupId)
    }

    /// Today's name of what the file means by a name; `None` if it is deleted, or was never there.
    pub fn today(&self, kind: NameKind, name: &str) -> Option<&str> {
        let target = self.target(kind, name)?;
        self.today.get(&(kind, target)).map(String::as_str)
    }

    /// Whether the file has meant something by this name since it was published, deleted or not.
    pub fn is_known(&self, kind: NameKind, name: &str) -> bool {
        self.targets.contains_key(&(kind, fold_name(name)))
    }

    fn target(&self, kind: NameKind, name: &str) -> Option<i64> {
        self.targets
            .get(&(kind, fold_name(name)))
            .copied()
            .flatten()
    }
}

impl Store {
    /// The contests whose files name this account, whatever for.
    pub async fn contests_naming(&self, user: UserId) -> Result<Vec<Contest>> {
        let named = Entity::find()
            .filter(Column::Kind.eq(NameKind::Account))
            .filter(Column::Target.eq(user.0))
            .select_only()
            .column(Column::Contest);
        Ok(tables::contests::Entity::find()
            .filter(tables::contests::Column::Id.in_subquery(named.into_query()))
            .all(&self.readers)
            .await?)
    }

    /// Whom the names in a contest's file mean. Those of a file that a server of an earlier version
    /// published are noted now, as far as it can be told whom they meant then.
    pub async fn contest_names(
        &self,
        contest: &Contest,
        names: &[FileName],
    ) -> Result<ContestNames> {
        let mut rows = rows_of(&self.readers, contest.id).await?;
        let known: HashSet<NameKey> = rows.iter().map(key_of).collect();
        if names.iter().any(|name| !known.contains(&name.key())) {
            let change = self.begin_write().await?;
            note_earlier(&change, contest.id, names).await?;
            change.commit().await?;
            rows = rows_of(&self.readers, contest.id).await?;
        }
        complete(&self.readers, rows).await
    }

    /// Whom names in a file would mean if it was published now, as this contest's or, with `None`,
    /// as a new one's. A name that nothing has is not known then.
    pub async fn preview_contest_names(
        &self,
        contest: Option<&Contest>,
        names: &[FileName],
    ) -> Result<ContestNames> {
        let noted = match contest {
            Some(contest) => self.contest_names(contest, &[]).await?,
            None => ContestNames::default(),
        };
        let mut rows = Vec::new();
        for name in names {
            let (kind, folded) = name.key();
            let target = match noted.targets.get(&(kind, folded.clone())) {
                Some(target) => *target,
                None => match find_named(&self.readers, name).await? {
                    Some(target) => Some(target),
                    None => continue,
                },
            };
            rows.push(Model {
                contest: ContestId(0),
                kind,
                folded,
                target,
            });
        }
        complete(&self.readers, rows).await
    }

    /// The contests that are not over and whose file means this group.
    pub async fn count_group_contests(&self, group: GroupId) -> Result<u64> {
        let of_group = Entity::find()
            .select_only()
            .column(Column::Contest)
            .filter(Column::Kind.eq(NameKind::Group))
            .filter(Column::Target.eq(group.0));
        let open = tables::contests::Entity::find()
            .filter(
                tables::contests::Column::State.is_in([ContestState::Open, ContestState::Running]),
            )
            .filter(
                tables::contests::Column::Id.in_subquery(sea_orm::QueryTrait::into_query(of_group)),
            );
        Ok(open.count(&self.readers).await?)
    }

    /// All contests, oldest first: for what a new version has to note of them.
    pub async fn all_contests(&self) -> Result<Vec<Contest>> {
        let all = tables::contests::Entity::find().order_by_asc(tables::contests::Column::Id);
        Ok(all.all(&self.readers).await?)
    }
}

fn key_of(row: &Model) -> NameKey {
    (row.kind, row.folded.clone())
}

async fn rows_of(place: &impl ConnectionTrait, contest: ContestId) -> Result<Vec<Model>> {
    let own = Entity::find().filter(Column::Contest.eq(contest));
    Ok(own.all(place).await?)
}

async fn complete(place: &impl ConnectionTrait, rows: Vec<Model>) -> Result<ContestNames> {
    let of_kind = |kind| {
        let own = rows.iter().filter(move |row: &&Model| row.kind == kind);
        own.filter_map(|row| row.target).collect::<Vec<i64>>()
    };
    let mut today = HashMap::new();
    for some in of_kind(NameKind::Account).chunks(500) {
        let accounts = tables::users::Entity::find()
            .filter(tables::users::Column::Id.is_in(some.iter().copied()));
        for user in accounts.all(place).await? {
            today.insert((NameKind::Account, user.id.0), user.name);
        }
    }
    for some in of_kind(NameKind::Group).chunks(500) {
        let groups = tables::groups::Entity::find()
            .filter(tables::groups::Column::Id.is_in(some.iter().copied()));
        for group in groups.all(place).await? {
            today.insert((NameKind::Group, group.id.0), group.name);
        }
    }
    let targets = rows.iter().map(|row| (key_of(row), row.target)).collect();
    Ok(ContestNames { targets, today })
}

/// Who has this name today.
async fn find_named(place: &impl ConnectionTrait, name: &FileName) -> Result<Option<i64>> {
    let folded = fold_name(&name.name);
    Ok(match name.kind {
        NameKind::Account => {
            let named =
                tables::users::Entity::find().filter(tables::users::Column::Folded.eq(folded));
            named.one(place).await?.map(|user| user.id.0)
        }
        NameKind::Group => {
            let named =
                tables::groups::Entity::find().filter(tables::groups::Column::Folded.eq(folded));
            named.one(place).await?.map(|group| group.id.0)
        }
    })
}

async fn insert(
    change: &Change,
    contest: ContestId,
    (kind, folded): NameKey,
    target: Option<i64>,
) -> Result<()> {
    let row = ActiveModel {
        contest: Set(contest),
        kind: Set(kind),
        folded: Set(folded),
        target: Set(target),
    };
    insert_row(change, row).await
}

/// Notes whom the names of a file that is published mean, forgets those that it has no more, and
/// leaves the others. [`StoreError::Missing`] for a name that nothing has.
pub(crate) async fn note(change: &Change, contest: ContestId, names: &[FileName]) -> Result<()> {
    let wanted: HashSet<NameKey> = names.iter().map(FileName::key).collect();
    let mut known = HashSet::new();
    for row in rows_of(change, contest).await? {
        match wanted.contains(&key_of(&row)) {
            true => _ = known.insert(key_of(&row)),
            false => _ = row.delete(change).await?,
        }
    }
    for name in names {
        if !known.insert(name.key()) {
            continue;
        }
        let target = find_named(change, name).await?;
        let missing = || StoreError::row_missing(name.kind.as_str(), &name.name);
        let target = target.ok_or_else(missing)?;
        insert(change, contest, name.key(), Some(target)).await?;
    }
    Ok(())
}

/// Notes that names in the file of a contest that came from another arena mean nobody, unless it is noted
/// whom they mean.
pub(crate) async fn note_nobody(
    change: &Change,
    contest: ContestId,
    names: &[FileName],
) -> Result<()> {
    let mut known: HashSet<NameKey> = rows_of(change, contest).await?.iter().map(key_of).collect();
    for name in names {
        if known.insert(name.key()) {
            insert(change, contest, name.key(), None).await?;
        }
    }
    Ok(())
}

/// Notes the names of a file that a server of an earlier version published, as whom they meant then.
async fn note_earlier(change: &Change, id: ContestId, names: &[FileName]) -> Result<()> {
    let contest = lock_contest(change, id).await?;
    // Another server may have been faster.
    let mut known: HashSet<NameKey> = rows_of(change, id).await?.iter().map(key_of).collect();
    for name in names {
        if !known.insert(name.key()) {
            continue;
        }
        let target = match name.kind {
            NameKind::Account => find_earlier_account(change, &contest, name).await?,
            NameKind::Group => find_earlier_group(change, &contest, name).await?,
        };
        if target.is_none() {
            tracing::warn!(
                contest = contest.name,
                name = name.name,
                "nobody has this name of an earlier version's contest: take it out, then put today's name in"
            );
        }
        insert(change, id, name.key(), target).await?;
    }
    Ok(())
}

/// The account that the file of an earlier version means: accounts were never renamed, so who was
/// there at the publication is meant. Of a younger account that may be an heir of the name: it is
/// meant only if no account was deleted in between.
async fn find_earlier_account(
    change: &Change,
    contest: &Contest,
    name: &FileName,
) -> Result<Option<i64>> {
    let named = tables::users::Entity::find()
        .filter(tables::users::Column::Folded.eq(fold_name(&name.name)));
    let Some(user) = named.one(change).await? else {
        return Ok(None);
    };
    if user.created > contest.created {
        let deleted = tables::audit_log::Entity::find()
            .filter(tables::audit_log::Column::Action.eq("user.delete"))
            .filter(tables::audit_log::Column::At.gte(contest.created))
            .filter(tables::audit_log::Column::At.lte(user.created));
        if deleted.one(change).await?.is_some() {
            return Ok(None);
        }
    }
    Ok(Some(user.id.0))
}

/// The group that the file of an earlier version means: the one that had the name when the file was
/// published, or when the last update wrote who may enter, by the audit log.
async fn find_earlier_group(
    change: &Change,
    contest: &Contest,
    name: &FileName,
) -> Result<Option<i64>> {
    let folded = fold_name(&name.name);
    let written = find_writing(change, contest).await?;
    let actions = ["group.create", "group.change", "group.delete"];
    let mut history = tables::audit_log::Entity::find()
        .filter(tables::audit_log::Column::Action.is_in(actions))
        .order_by_asc(tables::audit_log::Column::Id);
    history = match written {
        Some(line) => history.filter(tables::audit_log::Column::Id.lt(line)),
        None => history.filter(tables::audit_log::Column::At.lte(contest.created)),
    };
    let (mut names, mut gone) = (HashMap::<i64, String>::new(), HashSet::new());
    for line in history.all(change).await? {
        let Some((id, called)) = parse_subject(&line.subject) else {
            continue;
        };
        names.insert(id, fold_name(called));
        if line.action == "group.delete" {
            gone.insert(id);
        }
    }
    let had =
        |(id, called): (&i64, &String)| (*called == folded && !gone.contains(id)).then_some(*id);
    if let Some(id) = names.iter().find_map(had) {
        return Ok(Some(id));
    }
    // A group that the audit log does not know had no other name.
    let named = tables::groups::Entity::find().filter(tables::groups::Column::Folded.eq(folded));
    let group = named.one(change).await?;
    let group = group.filter(|group| !names.contains_key(&group.id.0));
    let group = group.filter(|group| group.created <= contest.created);
    Ok(group.map(|group| group.id.0))
}

/// The line of the audit log with which who may enter the contest was last written.
async fn find_writing(change: &Change, contest: &Contest) -> Result<Option<crate::AuditId>> {
    let own = tables::audit_log::Entity::find()
        .filter(tables::audit_log::Column::Subject.eq(format!("contest {}", contest.name)))
        .filter(tables::audit_log::Column::Action.is_in(["contest.publish", "contest.update"]))
        .order_by_desc(tables::audit_log::Column::Id);
    let wrote = |line: &tables::audit_log::Audit| {
        let changes = line.detail["changes"].as_array();
        line.action == "contest.publish"
            || changes.is_some_and(|changes| changes.iter().any(|one| one["key"] == "entry"))
    };
    let lines = own.all(change).await?;
    Ok(lines.iter().find(|line| wrote(line)).map(|line| line.id))
}

/// The key and the name in `group 3 (AI 2026)`.
fn parse_subject(subject: &str) -> Option<(i64, &str)> {
    let (id, name) = subject.strip_prefix("group ")?.split_once(" (")?;
    Some((id.parse().ok()?, name.strip_suffix(')')?))
}
