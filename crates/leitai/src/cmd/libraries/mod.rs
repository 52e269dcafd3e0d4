//! `leitai libraries`: the list of libraries that bots may use.

mod packages;

use leitai_judge::build::libraries::{LibraryKind, LibrarySet, MOST_LIBRARIES, MOST_OF_LIST};
use leitai_judge::build::{LibraryList, libraries::normal_name};
use leitai_server::libraries::{current_libraries, publish_libraries};
use leitai_store::{BlobKey, BlobStore};

use crate::arena::DataDir;
use crate::cli::{
    LibrariesCommand, LibraryAddArgs, LibraryGetArgs, LibraryListArgs, LibraryPlaceArgs,
    LibraryRemoveArgs,
};
use crate::prelude::*;
use crate::width;
use packages::Package;

/// Runs a command.
pub fn run(lang: Localizer, command: &LibrariesCommand) -> Result<ExitCode> {
    match command {
        LibrariesCommand::List(args) => list(lang, args),
        LibrariesCommand::Add(args) => add(lang, args),
        LibrariesCommand::Remove(args) => remove(lang, args),
        LibrariesCommand::Get(args) => get(lang, args),
    }
}

fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(work)
}

async fn open_folder(folder: &Path) -> Result<BlobStore> {
    let folder = std::path::absolute(folder)?;
    let folder = folder
        .to_str()
        .with_context(|| format!("{} is not UTF-8", folder.display()))?;
    Ok(BlobStore::open_url(&format!("file://{folder}")).await?)
}

async fn open_place(args: &LibraryPlaceArgs) -> Result<BlobStore> {
    match &args.folder {
        Some(folder) => open_folder(folder).await,
        None => DataDir::find_existing(&args.place)?.open_blobs().await,
    }
}

fn kind_named(word: &str) -> Option<LibraryKind> {
    LibraryKind::ALL
        .into_iter()
        .find(|kind| kind.name() == word)
}

/// What is listed, as a table and as JSON.
fn answer(lang: Localizer, name: &str, supplies: &Value) -> Answer {
    let mut table = width::table_with_heads(lang, ["", "name", "version", "bytes"]);
    let rows = |key: &str| supplies[key].as_array().cloned().unwrap_or_default();
    for tool in rows("tools") {
        table.add_row([
            String::new(),
            text(&tool["name"]),
            text(&tool["version"]),
            String::new(),
        ]);
    }
    for library in rows("libraries") {
        let size = library["size"].as_u64().unwrap_or_default().to_string();
        table.add_row([
            text(&library["kind"]),
            text(&library["name"]),
            text(&library["version"]),
            size,
        ]);
    }
    Answer::new(name, supplies.clone(), table.trim_fmt())
}

fn list(lang: Localizer, args: &LibraryListArgs) -> Result<ExitCode> {
    let supplies = match &args.folder {
        Some(folder) => {
            let set = crate::libraries::open_set(lang, folder)?;
            json!({"libraries": set.list().libraries, "hash": set.hash()})
        }
        None => ArenaClient::for_reading(lang)?.get("/api/libraries")?,
    };
    answer(lang, "libraries-list", &supplies).print(args.form.json)
}

fn add(lang: Localizer, args: &LibraryAddArgs) -> Result<ExitCode> {
    let fetched = tempfile::tempdir()?;
    let files = match args.words.split_first() {
        Some((kind, names)) if kind_named(kind).is_some() => packages::fetch(
            lang,
            kind_named(kind).expect("asked above"),
            names,
            fetched.path(),
        )?,
        _ => args.words.iter().map(Into::into).collect(),
    };
    let packages = files.iter().map(|file| Package::read(lang, file));
    let packages = packages.collect::<Result<Vec<_>>>()?;
    let list = block_on(async {
        let blobs = open_place(&args.place).await?;
        let mut list = current_libraries(&blobs).await?;
        for package in &packages {
            let key = BlobKey::of_library(&package.library.sha256);
            blobs.put_blob(&key, package.bytes.clone()).await?;
            list.put(package.library.clone());
        }
        let total: u64 = list.libraries.iter().map(|one| one.size).sum();
        ensure!(
            total <= MOST_OF_LIST && list.libraries.len() <= MOST_LIBRARIES,
            lang.fill(
                "a list has at most {} libraries of {} MiB together",
                &[&MOST_LIBRARIES, &(MOST_OF_LIST >> 20)]
            )
        );
        publish_libraries(&blobs, &list).await?;
        Ok(list)
    })?;
    let missing = missing_needs(&packages, &list);
    for (library, needed) in &missing {
        let note = lang.fill("{} needs {}, which is not on the list", &[library, needed]);
        crate::files::print_stderr(&note);
    }
    let missing: Vec<&String> = missing.iter().map(|(_, needed)| needed).collect();
    let supplies = json!({"libraries": list.libraries, "missing": missing});
    answer(lang, "libraries-add", &supplies).print(args.place.form.json)
}

/// What the new libraries need and the list does not have.
fn missing_needs(packages: &[Package], list: &LibraryList) -> Vec<(String, String)> {
    let mut missing = Vec::new();
    for Package { library, needs, .. } in packages {
        let there = |name: &String| list.of_kind(library.kind).any(|one| one.name == *name);
        let absent = needs.iter().filter(|name| !there(name));
        missing.extend(absent.map(|name| {
            (
                format!("{} {}", library.name, library.version),
                name.clone(),
            )
        }));
    }
    missing
}

fn remove(lang: Localizer, args: &LibraryRemoveArgs) -> Result<ExitCode> {
    let kind = kind_named(&args.kind);
    let kind =
        kind.with_context(|| lang.label("the kinds are python, java, javascript and rust"))?;
    let list = block_on(async {
        let blobs = open_place(&args.place).await?;
        let mut list = current_libraries(&blobs).await?;
        let mut taken = Vec::new();
        for name in &args.names {
            let Some(library) = list.take(kind, name) else {
                bail!(lang.fill("{} is not on the list", &[&normal_name(kind, name)]));
            };
            taken.push(library);
        }
        publish_libraries(&blobs, &list).await?;
        for library in taken {
            blobs
                .delete_blob(&BlobKey::of_library(&library.sha256))
                .await?;
        }
        Ok(list)
    })?;
    answer(
        lang,
        "libraries-remove",
        &json!({"libraries": list.libraries}),
    )
    .print(args.place.form.json)
}

/// Takes the libraries of an arena home. They are a stranger's: each is unpacked once, by its hash,
/// before anything is written.
fn get(lang: Localizer, args: &LibraryGetArgs) -> Result<ExitCode> {
    let api = ArenaClient::for_reading(lang)?;
    let supplies = api.get("/api/libraries")?;
    let list = json!({"libraries": supplies["libraries"]});
    let list = LibraryList::parse(list.to_string().as_bytes());
    let list = list.with_context(|| lang.label("the arena sent no list of libraries"))?;
    let mut packages = Vec::new();
    let set = LibrarySet::unpack(list, |one| {
        let bytes = api.get_bytes(&format!("/api/libraries/{}/file", one.sha256))?;
        packages.push((one.sha256.clone(), bytes.clone()));
        Ok::<_, anyhow::Error>(bytes)
    });
    let set = set.map_err(|error| anyhow::anyhow!("{}", lang.say(&error.to_string())))?;
    block_on(async {
        let blobs = open_folder(&args.folder).await?;
        for (hash, bytes) in packages {
            blobs.put_blob(&BlobKey::of_library(&hash), bytes).await?;
        }
        Ok(publish_libraries(&blobs, set.list()).await?)
    })?;
    let supplies = json!({"libraries": set.list().libraries, "hash": set.hash()});
    answer(lang, "libraries-get", &supplies).print(args.form.json)
}
