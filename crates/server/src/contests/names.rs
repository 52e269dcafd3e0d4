//! Whom the names in contests' files mean, and how they are called today.

use leitai_contest::file::Contest as Rules;
use leitai_contest::names::{Named, rename_in_file};
use leitai_store::{Contest, ContestNames, FileName, NameKind, Store, StoreError};

fn kind_of(named: Named) -> NameKind {
    match named {
        Named::Account => NameKind::Account,
        Named::Group => NameKind::Group,
    }
}

/// The names in a file.
pub fn names_of(rules: &Rules) -> Vec<FileName> {
    let names = rules.names().into_iter();
    let names = names.map(|(named, name)| FileName {
        kind: kind_of(named),
        name: name.to_owned(),
    });
    names.collect()
}

/// Whom the names in the file of a published contest mean.
pub async fn find_names(
    store: &Store,
    contest: &Contest,
    rules: &Rules,
) -> Result<ContestNames, StoreError> {
    match names_of(rules) {
        none if none.is_empty() => Ok(ContestNames::default()),
        names => store.contest_names(contest, &names).await,
    }
}

/// The rules with today's names; deleted accounts are left out.
pub fn with_todays_names(rules: &Rules, names: &ContestNames) -> Rules {
    rules.with_names(|named, name| names.today(kind_of(named), name))
}

/// The file with today's names; those of deleted accounts and groups stay as they are written.
pub fn file_with_todays_names(file: &str, names: &ContestNames) -> String {
    rename_in_file(file, |named, name| names.today(kind_of(named), name))
}
