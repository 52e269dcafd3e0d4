//! An arena that moves into another database, of either kind, and another blob store.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use leitai_store::*;

use crate::arena::*;

/// An arena with people, of whom the last one is gone, bots, rated matches, sources and replays.
async fn fill(store: &Store, blobs: &BlobStore) {
    let ada = user(store, "ada").await;
    let [viper, asp] = [bot(store, "viper").await, bot(store, "asp").await];
    for winner in [MatchWinner::A, MatchWinner::B, MatchWinner::A] {
        play(store, &viper, &asp, winner).await;
    }
    store.set_admin(ada.id, true).await.expect("known");
    let gone = user(store, "gone").await;
    let deletion = DeletionRequest {
        by: None,
        at: at(50),
    };
    store.delete_user(gone.id, deletion).await.expect("deleted");
    for (key, bytes) in [
        (BlobKey::new_source(), b"print(1)".as_slice()),
        (BlobKey::new_replay(MatchId(1)), b"{}"),
    ] {
        ok!(blobs.put_blob(&key, bytes.to_vec()));
    }
}

/// The rows of an exported table, in any order, and its last key.
fn tables(folder: &Path) -> BTreeMap<String, (Vec<String>, serde_json::Value)> {
    let text = fs::read_to_string(folder.join("arena.json")).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let all = manifest["tables"].as_array().expect("a list");
    let table = |one: &serde_json::Value| {
        let name = one["name"].as_str().expect("a name").to_owned();
        let rows = fs::read_to_string(folder.join(format!("tables/{name}.ndjson")));
        let mut rows: Vec<String> = rows.expect("rows").lines().map(str::to_owned).collect();
        rows.sort();
        (name, (rows, one["last_key"].clone()))
    };
    all.iter().map(table).collect()
}

async fn blobs_at(folder: &Path) -> BlobStore {
    let url = format!("file://{}", folder.display());
    BlobStore::open_url(&url).await.expect("a folder")
}

async fn export(store: &Store, blobs: &BlobStore, to: &Path) -> Moved {
    let moved = store.export_arena(blobs, to, |_| {}).await;
    moved.expect("exported")
}

/// The arena moves from the first of these databases to each in turn, and everywhere it is the same.
pub async fn along(urls: &[String]) {
    let home = tempfile::tempdir().expect("a folder");
    let place = |number: usize, what: &str| home.path().join(format!("{number}-{what}"));
    let store = Store::open_url(&urls[0]).await.expect("it opens");
    let mut blobs = blobs_at(&place(0, "blobs")).await;
    fill(&store, &blobs).await;
    let (first, rated) = (place(0, "export"), ratings_are_right(&store).await);
    let moved = export(&store, &blobs, &first).await;
    assert_eq!((moved.blobs, moved.blobs_there), (2, 0));
    let again = export(&store, &blobs, &first).await;
    assert_eq!(
        again,
        Moved {
            blobs_there: 2,
            ..moved
        },
        "it goes on"
    );
    store.close_store().await.expect("closed");
    for (number, url) in urls.iter().enumerate().skip(1) {
        let (from, to) = (place(number - 1, "export"), place(number, "export"));
        let store = Store::open_url(url).await.expect("it opens");
        blobs = blobs_at(&place(number, "blobs")).await;
        gives!(store.import_arena(&blobs, &from, |_| {}) => moved);
        assert_eq!(export(&store, &blobs, &to).await, moved);
        let (from, to) = (tables(&from), tables(&to));
        assert_eq!(
            from.keys().collect::<Vec<_>>(),
            to.keys().collect::<Vec<_>>()
        );
        for (name, (rows, last)) in &to {
            assert_eq!(rows, &from[name].0, "{name} into {url}");
            // PostgreSQL counts fewer keys.
            let both = !last.is_null() && !from[name].1.is_null();
            assert!(!both || *last == from[name].1, "{name} into {url}: {last}");
        }
        let twice = store.import_arena(&blobs, &first, |_| {}).await;
        assert!(matches!(twice, Err(TransferError::NotEmpty { .. })));
        assert_eq!(ratings_are_right(&store).await, rated);
        store.close_store().await.expect("closed");
    }
    // Nobody gets the key of an account that is gone.
    let store = Store::open_url(urls.last().expect("one")).await;
    let store = store.expect("it opens");
    let bob = user(&store, "bob").await;
    let users = &tables(&first)["users"];
    assert_eq!(Some(bob.id.0 - 1), users.1.as_i64(), "{users:?}");
    store.close_store().await.expect("closed");
}

/// What is not whole is refused in a sentence, leaves the arena empty, and goes on where it stopped.
pub async fn stopped(url: &str, target: &str) {
    let home = tempfile::tempdir().expect("a folder");
    let store = Store::open_url(url).await.expect("it opens");
    let blobs = blobs_at(&home.path().join("blobs")).await;
    fill(&store, &blobs).await;
    let folder = home.path().join("export");
    let moved = export(&store, &blobs, &folder).await;
    let target = Store::open_url(target).await.expect("it opens");
    let there = blobs_at(&home.path().join("there")).await;
    let list = fs::read_to_string(folder.join("blobs.ndjson")).expect("a list");
    let last: serde_json::Value =
        serde_json::from_str(list.lines().last().expect("a line")).expect("JSON");
    let blob = format!("blobs/{}", last["key"].as_str().expect("a key"));
    for (file, said) in [
        ("arena.json", "holds no finished export"),
        ("tables/users.ndjson", "is damaged"),
        (blob.as_str(), "is damaged"),
    ] {
        let (path, away) = (folder.join(file), folder.join("away"));
        fs::rename(&path, &away).expect("moved");
        if file.starts_with("tables") {
            fs::write(&path, "{\"id\":1,\"admin\":true}\n").expect("written");
        }
        let refused = target.import_arena(&there, &folder, |_| {}).await;
        let refused = refused.expect_err(file).to_string();
        assert!(refused.contains(said), "{file}: {refused}");
        assert_eq!(target.user_by_name("ada").await.expect("asked"), None);
        fs::rename(&away, &path).expect("moved back");
    }
    let done = target.import_arena(&there, &folder, |_| {}).await;
    let there = Moved {
        blobs_there: 1,
        ..moved
    };
    assert_eq!(done.expect("imported"), there, "one blob was there");
}
