//! Libraries for bots, from the operator's list to a worker on another machine.

use std::io::{Cursor, Write};

use leitai_judge::build::LibraryList;
use leitai_judge::build::libraries::{Library, LibraryKind, hash_of};
use leitai_server::libraries::publish_libraries;
use leitai_store::{BlobKey, VersionState};
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use crate::kit::Kit;
use crate::worker_kit::{By, FIRST_LEGAL, WorkerKit};

fn packed(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default())
            .expect("it can be written");
        zip.write_all(text.as_bytes()).expect("it can be written");
    }
    zip.finish().expect("it can be written").into_inner()
}

/// The list with snakes 1.0, and its package.
fn snakes() -> (LibraryList, Vec<u8>) {
    let wheel = packed(&[("snakes/__init__.py", "def choose(legal): return legal[0]\n")]);
    let library = Library {
        kind: LibraryKind::Python,
        name: "snakes".to_owned(),
        version: "1.0".to_owned(),
        sha256: hash_of(&wheel),
        size: wheel.len() as u64,
        origin: None,
    };
    (
        LibraryList {
            libraries: vec![library],
        },
        wheel,
    )
}

/// A worker that knows the arena by its address alone builds with what the list names, and says what a
/// bot asks for beyond it.
#[test]
fn a_worker_elsewhere_fetches_libraries_and_names_what_is_missing() {
    let worker_kit = WorkerKit::new();
    let (list, wheel) = snakes();
    let blobs = &worker_kit.app.blobs;
    let key = BlobKey::of_library(&list.libraries[0].sha256);
    let put = blobs.put_blob(&key, wheel);
    worker_kit.ok(put);
    worker_kit.ok(publish_libraries(blobs, &list));
    let bot = FIRST_LEGAL.replace("import json, sys", "import json, sys, snakes");
    let bot = bot.replace("message[\"legal\"][0]", "snakes.choose(message[\"legal\"])");
    let upload = |name: &str, requirements: &str| {
        let zip = packed(&[("main.py", &bot), ("requirements.txt", requirements)]);
        worker_kit.upload_bytes("kob", name, "bot.zip", &zip).1
    };
    let there = upload("there", "snakes==1.*\n");
    let missing = upload("missing", "snakes>=2\n");
    worker_kit.work_until(By::Http, || {
        worker_kit.is_checked(&there) && worker_kit.is_checked(&missing)
    });
    let there = worker_kit.version(&there);
    assert_eq!(there.state, VersionState::Ready, "{:?}", there.failure);
    assert!(there.log.contains("snakes 1.0"), "{}", there.log);
    let missing = worker_kit.version(&missing);
    assert_eq!(missing.state, VersionState::Failed);
    let failure: Value = missing.failure.expect("a reason");
    let (en, zh) = (failure["en"].as_str(), failure["zh"].as_str());
    assert!(
        en.is_some_and(|said| said.contains("snakes>=2; there are: snakes 1.0")),
        "{failure}"
    );
    assert!(
        zh.is_some_and(|said| said.contains("snakes>=2；现有：snakes 1.0")),
        "{failure}"
    );
}

#[tokio::test]
async fn the_list_is_public_and_packages_are_for_accounts() {
    let kit = Kit::new().await;
    let empty = kit.guest().get("/api/libraries").await.ok();
    assert_eq!(empty["libraries"], json!([]));
    let tools = empty["tools"].as_array().expect("a list");
    assert!(
        tools.iter().any(|tool| tool["name"] == "python3"),
        "{tools:?}"
    );
    let (list, wheel) = snakes();
    let hash = list.libraries[0].sha256.clone();
    ok!(kit
        .app
        .blobs
        .put_blob(&BlobKey::of_library(&hash), wheel.clone()));
    ok!(publish_libraries(&kit.app.blobs, &list));
    let listed = kit.guest().get("/api/libraries").await.ok();
    has!(listed["libraries"][0], {"kind": "python", "name": "snakes", "version": "1.0", "sha256": hash});
    let path = format!("/api/libraries/{hash}/file");
    kit.guest().get(&path).await.refused(401, "login");
    let ada = kit.person("ada").await;
    assert_eq!(ada.get(&path).await.bytes, wheel);
    for other in ["0".repeat(64), "..%2Flist".to_owned(), "list".to_owned()] {
        let path = format!("/api/libraries/{other}/file");
        ada.get(&path).await.refused(404, "not-found");
    }
}
