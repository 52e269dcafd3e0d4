//! The rows of a checked part come in: with new keys, names that are free, and no rights.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use sea_orm::sea_query::SimpleExpr;
use sea_orm::{DbBackend, DbErr, RuntimeErr, Statement};
use serde_json::{Value, json};

use super::check::{ReadContest, number, text};
use super::folder::Part;
use super::moved::{Keys, MOVED, Row, has_key, visit_keys};
use super::names::{LONGEST_NAME, Named, Names, with_id, with_number};
use super::part::{Comes, PartName, PartRules};
use super::readable::check_readable;
use crate::contests::contest_names;
use crate::database::prelude::*;
use crate::database::skeletons::{fold_name, skeleton};
use crate::removal::erasure::bot_name;
use crate::standings::{rating_turns, standings};
use crate::tables::users::NO_PASSWORD;
use crate::transfer::blobs::hash;
use crate::transfer::error::TransferError;
use crate::transfer::tables::{AT_ONCE, Table, insert_rows, row_values};
use crate::{BotId, ContestId, LadderId, UserId, tables};

/// The name of a standard ladder that becomes a further one.
const IMPORTED: &str = "imported";
/// Letters of a ladder's name, and of a contest's.
const LONGEST_LADDER: usize = 32;
const LONGEST_CONTEST: usize = 40;

/// What is known while the rows come in.
struct Arrival<'a> {
    change: &'a Change,
    tables: &'a [Table],
    rules: &'a PartRules<'a>,
    /// For how long nobody takes a name that was given up.
    kept: Duration,
    part: String,
    arena: String,
    rows: BTreeMap<&'static str, Vec<Row>>,
    contests: HashMap<i64, ReadContest>,
    /// The new keys by the old ones.
    keys: BTreeMap<&'static str, HashMap<i64, i64>>,
    ladders: HashMap<String, String>,
    names: Names,
    /// The names of bots, and of contests, by their old keys.
    bots: HashMap<i64, String>,
    renamed: HashMap<i64, String>,
    said: Vec<PartName>,
}

/// Writes the rows of a part; gives how what came is called here.
pub async fn bring(
    change: &Change,
    part: Part,
    contests: HashMap<i64, ReadContest>,
    (tables, rules, kept): (&[Table], &PartRules<'_>, Duration),
) -> Result<Vec<PartName>, TransferError> {
    let mut own = Arrival {
        change,
        tables,
        rules,
        kept,
        part: part.manifest.id,
        arena: part.manifest.arena,
        rows: part.rows,
        contests,
        keys: BTreeMap::new(),
        ladders: HashMap::new(),
        names: Names::default(),
        bots: HashMap::new(),
        renamed: HashMap::new(),
        said: Vec::new(),
    };
    own.bring_accounts().await?;
    own.find_built_ins().await?;
    own.take_keys().await?;
    own.name_bots().await?;
    own.name_contests().await?;
    own.name_ladders().await?;
    for (table, _) in MOVED.iter().filter(|(table, _)| *table != "users") {
        own.write_table(table).await?;
    }
    own.name_nobody().await?;
    let ladders: Vec<String> = own.ladders.values().cloned().collect();
    check_readable(change, &own.keys, &ladders).await?;
    own.join_ladders().await?;
    Ok(own.said)
}

impl Arrival<'_> {
    fn rows(&self, table: &str) -> &[Row] {
        self.rows.get(table).map_or(&[], Vec::as_slice)
    }

    fn say(&mut self, what: &str, was: &str, name: &str, comes: Comes) {
        self.said.push(PartName {
            what: what.to_owned(),
            was: was.to_owned(),
            name: name.to_owned(),
            comes,
            keys: None,
        });
    }

    /// Each account is the one that the operator names, or a closed one: never one that happens to
    /// have the same name.
    async fn bring_accounts(&mut self) -> Result<(), TransferError> {
        let accounts = self.rows("users").to_vec();
        let mut taken = HashSet::new();
        for (_, here) in &self.rules.accounts {
            if !taken.insert(fold_name(here)) {
                let why = format!("--account: {here} stands for two accounts; name one for each");
                return Err(StoreError::Refused(why).into());
            }
        }
        for (was, _) in &self.rules.accounts {
            let is_it = |row: &Row| fold_name(text(row, "name")) == fold_name(was);
            if !accounts.iter().any(is_it) {
                let known: Vec<&str> = accounts.iter().map(|row| text(row, "name")).collect();
                return Err(TransferError::NotInPart {
                    name: was.clone(),
                    known: known.join(", "),
                });
            }
        }
        for row in accounts {
            let was = text(&row, "name").to_owned();
            let mut mapped = self.rules.accounts.iter();
            let mapped = mapped.find(|(name, _)| fold_name(name) == fold_name(&was));
            let (id, name, comes) = match mapped {
                Some((_, here)) => {
                    let user = self.find_account(here).await?;
                    (user.id, user.name, Comes::Known)
                }
                None => {
                    let old = number(&row, "id").unwrap_or_default();
                    let known = self.find_closed(old, &was).await?;
                    let (id, name) = match known {
                        Some(user) => (user.id, user.name),
                        None => self.close_account(&was).await?,
                    };
                    (id, name, Comes::Closed)
                }
            };
            let old = number(&row, "id").unwrap_or_default();
            self.keys.entry("users").or_default().insert(old, id.0);
            self.say("account", &was, &name, comes);
            if let Some(said) = self.said.last_mut() {
                said.keys = Some([old, id.0]);
            }
        }
        Ok(())
    }

    async fn find_account(&self, name: &str) -> Result<crate::User, TransferError> {
        use tables::users::{Column, Entity};
        let named = Entity::find().filter(Column::Folded.eq(fold_name(name)));
        let found = named.one(self.change).await.map_err(StoreError::from)?;
        found.ok_or_else(|| TransferError::NoAccount(name.to_owned()))
    }

    /// The closed account that came for this one with an earlier part of the same arena, if it is closed
    /// still.
    async fn find_closed(&self, old: i64, was: &str) -> Result<Option<crate::User>, TransferError> {
        use tables::parts::{Column, Entity};
        let earlier = Entity::find().filter(Column::Arena.eq(&self.arena));
        let earlier = earlier
            .order_by_asc(Column::Imported)
            .all(self.change)
            .await;
        let earlier = earlier.map_err(StoreError::from)?.into_iter();
        let said = earlier.flat_map(|part| {
            serde_json::from_value::<Vec<PartName>>(part.said).unwrap_or_default()
        });
        let same = said.filter(|said| said.what == "account" && said.comes == Comes::Closed);
        let mut same = same
            .filter(|said| said.was == was)
            .filter_map(|said| said.keys);
        let Some([_, here]) = same.find(|[there, _]| *there == old) else {
            return Ok(None);
        };
        let found = tables::users::Entity::find_by_id(UserId(here));
        let found = found.one(self.change).await.map_err(StoreError::from)?;
        Ok(found.filter(|user| user.disabled && !user.admin && !user.has_password()))
    }

    /// An account that nobody can use: without a password, and disabled.
    async fn close_account(&mut self, was: &str) -> Result<(UserId, String), TransferError> {
        let of = Named {
            table: "users",
            folded: "folded",
            game: None,
            longest: LONGEST_NAME,
        };
        let when = (self.kept, self.rules.at);
        let name = self.names.choose(self.change, of, was, when).await?;
        let row = tables::users::ActiveModel {
            id: NotSet,
            name: Set(name.clone()),
            folded: Set(fold_name(&name)),
            skeleton: Set(Some(skeleton(&name))),
            password: Set(NO_PASSWORD.to_owned()),
            admin: Set(false),
            disabled: Set(true),
            created: Set(self.rules.at),
            password_temporary: Set(false),
        };
        let made = row.insert(self.change).await.map_err(StoreError::from)?;
        Ok((made.id, name))
    }

    /// Built-in bots are those of this arena, with the version that they play here.
    async fn find_built_ins(&mut self) -> Result<(), TransferError> {
        use tables::bots::{Column, Entity};
        let is_built_in = |row: &Row| !row.contains_key("owner") && !row.contains_key("deleted");
        let mut bots = self.rows.remove("bots").unwrap_or_default();
        let own: Vec<Row> = bots.extract_if(.., |row| is_built_in(row)).collect();
        self.rows.insert("bots", bots);
        let mut here: HashMap<i64, crate::Bot> = HashMap::new();
        for row in own {
            let (game, name) = (text(&row, "game"), text(&row, "name"));
            let named = Entity::find()
                .filter(Column::Game.eq(game))
                .filter(Column::Folded.eq(fold_name(name)));
            let found = named.one(self.change).await.map_err(StoreError::from)?;
            let found = found.filter(|bot| bot.built_in() && bot.active.is_some());
            let found = found.ok_or_else(|| TransferError::NoBuiltIn {
                name: name.to_owned(),
                game: game.to_owned(),
            })?;
            let old = number(&row, "id").unwrap_or_default();
            self.keys.entry("bots").or_default().insert(old, found.id.0);
            here.insert(old, found);
        }
        let mut versions = self.rows.remove("versions").unwrap_or_default();
        let keys = self.keys.entry("versions").or_default();
        versions.retain(|row| {
            let bot = here.get(&number(row, "bot").unwrap_or_default());
            let active = bot.and_then(|bot| bot.active);
            if let Some(active) = active {
                keys.insert(number(row, "id").unwrap_or_default(), active.0);
            }
            active.is_none()
        });
        self.rows.insert("versions", versions);
        Ok(())
    }

    /// Takes new keys for the rows that have one, in the order of the old ones.
    async fn take_keys(&mut self) -> Result<(), TransferError> {
        for (table, _) in MOVED {
            if !has_key(table) || *table == "users" {
                continue;
            }
            let mut old: Vec<i64> = self
                .rows(table)
                .iter()
                .filter_map(|row| number(row, "id"))
                .collect();
            old.sort_unstable();
            let new = next_keys(self.change, table, old.len()).await?;
            self.keys
                .entry(table)
                .or_default()
                .extend(old.into_iter().zip(new));
        }
        Ok(())
    }

    async fn name_bots(&mut self) -> Result<(), TransferError> {
        let when = (self.kept, self.rules.at);
        for row in self.rows("bots").to_vec() {
            let old = number(&row, "id").unwrap_or_default();
            if row.contains_key("deleted") {
                let new = BotId(self.keys["bots"][&old]);
                self.bots.insert(old, bot_name(new));
                continue;
            }
            let (was, game) = (text(&row, "name"), text(&row, "game"));
            let of = Named {
                table: "bots",
                folded: "folded",
                game: Some(game),
                longest: LONGEST_NAME,
            };
            let name = self.names.choose(self.change, of, was, when).await?;
            let comes = match row.get("retired") == Some(&json!(true)) {
                true => Comes::Retired,
                false => Comes::New,
            };
            self.say(
                "bot",
                &format!("{game}/{was}"),
                &format!("{game}/{name}"),
                comes,
            );
            self.bots.insert(old, name);
        }
        Ok(())
    }

    async fn name_contests(&mut self) -> Result<(), TransferError> {
        let when = (self.kept, self.rules.at);
        for row in self.rows("contests").to_vec() {
            let was = text(&row, "name");
            let of = Named {
                table: "contests",
                folded: "name",
                game: None,
                longest: LONGEST_CONTEST,
            };
            let name = self.names.choose(self.change, of, was, when).await?;
            let comes = match is_under_way(&row) {
                true => Comes::Paused,
                false => Comes::New,
            };
            self.say("contest", was, &name, comes);
            self.renamed
                .insert(number(&row, "id").unwrap_or_default(), name);
        }
        Ok(())
    }

    /// A ladder is a further one here, whatever it was: ratings of two scales do not mix.
    async fn name_ladders(&mut self) -> Result<(), TransferError> {
        let known = rating_turns::all_ladders(self.change).await?;
        let mut taken: HashSet<String> = known.iter().map(ToString::to_string).collect();
        for row in self.rows("ladders").to_vec() {
            let (was, game) = (text(&row, "ladder"), text(&row, "game"));
            let name = was.split_once('/').map_or(IMPORTED, |(_, name)| name);
            let mut numbers = 1..;
            let id = loop {
                let number = numbers.next().unwrap_or_default();
                let id =
                    LadderId::new(game, &with_number(name, number, LONGEST_LADDER)).to_string();
                if taken.insert(id.clone()) {
                    break id;
                }
            };
            self.say("ladder", was, &id, Comes::Closed);
            self.ladders.insert(was.to_owned(), id);
        }
        Ok(())
    }

    async fn write_table(&mut self, table: &'static str) -> Result<(), TransferError> {
        let schema = self.tables.iter().find(|own| own.name == table);
        let schema =
            schema.ok_or_else(|| TransferError::wrong_row(table, "there is no such table"))?;
        let rows = self
            .rows
            .get_mut(table)
            .map(std::mem::take)
            .unwrap_or_default();
        for some in rows.chunks(AT_ONCE) {
            let mut values: Vec<Vec<SimpleExpr>> = Vec::new();
            for row in some {
                let row = self.translate(table, row.clone())?;
                let row = row_values(&row, schema);
                let wrong = || TransferError::wrong_row(table, "a value is not of its kind");
                values.push(row.ok_or_else(wrong)?);
            }
            let written = insert_rows(self.change, schema, &mut values).await;
            written.map_err(|error| blame_row(table, error))?;
        }
        Ok(())
    }

    /// A row as it is here.
    fn translate(&self, table: &str, mut row: Row) -> Result<Row, TransferError> {
        let old = number(&row, "id").unwrap_or_default();
        visit_keys(table, &mut row, &mut NewKeys(self))?;
        if let Some(new) = self.keys.get(table).and_then(|keys| keys.get(&old)) {
            set(&mut row, "id", json!(new));
        }
        match table {
            "bots" => {
                let name = self.bots[&old].clone();
                if row.contains_key("deleted") {
                    set(&mut row, "folded", json!(name));
                } else {
                    set(&mut row, "folded", json!(fold_name(&name)));
                    set(&mut row, "skeleton", json!(skeleton(&name)));
                }
                set(&mut row, "name", json!(name));
                // Its author agreed to that elsewhere.
                set(&mut row, "fetchable", json!(false));
            }
            "matches" => {
                set(&mut row, "part", json!(self.part));
                self.move_blob(&mut row, "replay");
            }
            "versions" => self.move_blob(&mut row, "source"),
            "contests" => {
                let name = self.renamed[&old].clone();
                let paused = is_under_way(&row);
                set(&mut row, "skeleton", json!(skeleton(&name)));
                set(&mut row, "paused", json!(paused));
                if name != text(&row, "name") {
                    self.rename_contest(&mut row, &name)?;
                }
            }
            "ladders" => set(&mut row, "open", json!(false)),
            _ => {}
        }
        Ok(row)
    }

    fn move_blob(&self, row: &mut Row, column: &str) {
        if row.contains_key(column) {
            let key = new_blob_key(&self.part, text(row, column));
            set(row, column, json!(key));
        }
    }

    /// The file says the id, too.
    fn rename_contest(&self, row: &mut Row, name: &str) -> Result<(), TransferError> {
        let file = with_id(text(row, "file"), name);
        let exact = row.get("rules").and_then(Value::as_str);
        let read = (self.rules.read_contest)(text(row, "game"), exact, &file);
        let is_named = read.is_ok_and(|(id, _)| id == name);
        if !is_named {
            let why =
                format!("its id cannot be changed to {name:?}, and the one that it has is taken");
            return Err(TransferError::wrong_row("contests", &why));
        }
        set(row, "name", json!(name));
        set(row, "file", json!(file));
        Ok(())
    }

    /// A name in a contest's file that was noted for nobody means nobody: never who has it here.
    async fn name_nobody(&self) -> Result<(), TransferError> {
        for (old, read) in &self.contests {
            let contest = ContestId(self.keys["contests"][old]);
            contest_names::note_nobody(self.change, contest, &read.names).await?;
        }
        Ok(())
    }

    /// Bots that may play join the ladders of their game, as newcomers.
    async fn join_ladders(&self) -> Result<(), TransferError> {
        let mut new: Vec<BotId> = Vec::new();
        for old in self.bots.keys() {
            new.push(BotId(self.keys["bots"][old]));
        }
        new.sort_unstable();
        for some in new.chunks(500) {
            use tables::bots::{Column, Entity};
            let these = Entity::find().filter(Column::Id.is_in(some.iter().copied()));
            let these = these.order_by_asc(Column::Game).order_by_asc(Column::Id);
            for bot in these.all(self.change).await.map_err(StoreError::from)? {
                if bot.owner.is_some() && bot.is_listed() {
                    standings::list_bot(self.change, &bot).await?;
                }
            }
        }
        Ok(())
    }
}

fn set(row: &mut Row, name: &str, value: Value) {
    row.insert(name.to_owned(), value);
}

/// Whether a contest is neither finished nor annulled: then it comes paused.
fn is_under_way(contest: &Row) -> bool {
    ["open", "running"].contains(&text(contest, "state"))
}

/// The place of a blob of this part here, the same at each attempt.
pub fn new_blob_key(part: &str, old: &str) -> String {
    let name = &hash(format!("{part} {old}").as_bytes())[..32];
    match old.starts_with("replays/") {
        true => format!("replays/parts/{}/{name}.zst", &name[..2]),
        false => format!("sources/{}/{name}", &name[..2]),
    }
}

/// The new keys of rows and ladders.
struct NewKeys<'a>(&'a Arrival<'a>);

impl Keys for NewKeys<'_> {
    fn meet_row(
        &mut self,
        table: &'static str,
        key: i64,
        _: bool,
    ) -> Result<Option<i64>, TransferError> {
        let new = self.0.keys.get(table).and_then(|keys| keys.get(&key));
        let wrong = || TransferError::wrong_row(table, &format!("there is no key {key}"));
        new.copied().map(Some).ok_or_else(wrong)
    }

    fn meet_ladder(&mut self, id: &str) -> Result<Option<String>, TransferError> {
        let wrong = || TransferError::wrong_row("ladders", &format!("there is no ladder {id}"));
        self.0.ladders.get(id).cloned().map(Some).ok_or_else(wrong)
    }
}

/// The next keys of a table, ascending.
async fn next_keys(change: &Change, table: &str, count: usize) -> Result<Vec<i64>, TransferError> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let backend = change.get_database_backend();
    let query = match backend {
        // Nobody else writes until the end of this transaction.
        DbBackend::Sqlite => format!(
            "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{table}'), 0) AS last"
        ),
        _ => format!(
            "SELECT nextval(pg_get_serial_sequence('{table}', 'id')) AS last
             FROM generate_series(1, {count})"
        ),
    };
    let rows = change
        .query_all_raw(Statement::from_string(backend, query))
        .await;
    let rows = rows.map_err(StoreError::from)?;
    let mut keys = Vec::with_capacity(count);
    for row in rows {
        keys.push(row.try_get::<i64>("", "last").map_err(StoreError::from)?);
    }
    if backend == DbBackend::Sqlite {
        let last = keys.pop().unwrap_or_default();
        keys = (last + 1..).take(count).collect();
    }
    keys.sort_unstable();
    Ok(keys)
}

/// What a database says of a row that does not fit is the part's fault; all else is the database's.
fn blame_row(table: &str, error: StoreError) -> TransferError {
    let said = match &error {
        StoreError::Database(DbErr::Exec(RuntimeErr::SqlxError(why))) => {
            why.as_database_error().map(|why| why.message().to_owned())
        }
        _ => None,
    };
    match said {
        Some(why) => TransferError::wrong_row(table, &why),
        None => error.into(),
    }
}
