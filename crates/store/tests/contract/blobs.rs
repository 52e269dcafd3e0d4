//! Sources and replays are stored whole or not at all.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use leitai_store::{BlobKey, BlobStore, BlobStoreError, MatchId};

use crate::s3::S3Server;
use crate::weak_bucket::WeakBucket;

async fn open(folder: &Path) -> BlobStore {
    ok!(BlobStore::open_url(&format!("file://{}", folder.display())))
}

#[test]
fn names_are_checked() {
    let ours = [BlobKey::new_source(), BlobKey::new_replay(MatchId(12_345))];
    let long = format!("sources/{}", "a".repeat(500));
    let rows = [
        ("sources/ab/0f3d", true),
        ("replays/12/12345-ab.zst", true),
        (ours[0].as_str(), true),
        (ours[1].as_str(), true),
        ("sources/../../etc/passwd", false),
        ("sources/a/../b", false),
        ("/etc/passwd", false),
        ("sources//a", false),
        ("sources/", false),
        ("sources", false),
        ("other/a", false),
        ("sources/.lock", false),
        ("sources/a#1", false),
        ("sources/A", false),
        ("sources/a b", false),
        ("sources/a\\b", false),
        ("sources/a%2f", false),
        ("sources/字", false),
        (&long, false),
    ];
    for (text, fine) in rows {
        assert_eq!(BlobKey::parse(text).is_ok(), fine, "{text}");
    }
}

#[tokio::test]
async fn a_blob_is_found_until_it_is_deleted() {
    let folder = tempfile::tempdir().expect("a folder");
    let blobs = open(folder.path()).await;
    let replay = "{\"steps\": \"1 2 3\"}".repeat(1000).into_bytes();
    for (key, bytes) in [
        (BlobKey::new_source(), vec![0, 255, 7]),
        (BlobKey::new_source(), vec![]),
        (BlobKey::new_replay(MatchId(7)), replay),
    ] {
        assert!(
            matches!(blobs.read_blob(&key).await, Err(BlobStoreError::Missing(_))),
            "{key}"
        );
        blobs.put_blob(&key, bytes.clone()).await.expect("put");
        let again = open(folder.path()).await;
        assert_eq!(again.read_blob(&key).await.expect("found"), bytes, "{key}");
        let on_disk = fs::metadata(folder.path().join(key.as_str()))
            .expect("a file")
            .len();
        assert!(on_disk <= bytes.len() as u64, "{key}: {on_disk} bytes");
        blobs.delete_blob(&key).await.expect("deleted");
        ok!(blobs.delete_blob(&key));
        assert!(
            matches!(blobs.read_blob(&key).await, Err(BlobStoreError::Missing(_))),
            "{key}"
        );
    }
}

#[tokio::test]
async fn blobs_over_the_size_limit_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let blobs = open(folder.path()).await;
    let key = BlobKey::new_source();
    let put = blobs
        .put_blob(
            &key,
            vec![0; leitai_store::blobs::blobs::LONGEST_SOURCE + 1],
        )
        .await;
    fits!(put => Err(BlobStoreError::TooLong { .. }));
    // A compressed file that unpacks to a large one.
    let bomb = zstd::encode_all(
        std::io::repeat(0).take(leitai_store::blobs::blobs::LONGEST_REPLAY as u64 + 9),
        3,
    );
    let key = BlobKey::new_replay(MatchId(1));
    blobs.put_blob(&key, vec![1]).await.expect("put");
    fs::write(folder.path().join(key.as_str()), bomb.expect("compressed")).expect("exchanged");
    fits!(blobs.read_blob(&key).await => Err(BlobStoreError::TooLong { .. }));
    fs::write(folder.path().join(key.as_str()), "no zstd").expect("exchanged");
    fits!(blobs.read_blob(&key).await => Err(BlobStoreError::Damaged(..)));
}

#[tokio::test]
async fn unfinished_files_are_removed_unless_a_store_may_be_writing_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let blobs = open(folder.path()).await;
    let key = BlobKey::new_replay(MatchId(1));
    blobs.put_blob(&key, vec![1]).await.expect("put");
    let half = folder.path().join(format!("{key}#1"));
    fs::write(&half, "half").expect("written");
    let other = open(folder.path()).await;
    assert!(half.exists(), "the first store may still be writing it");
    drop((blobs, other));
    let blobs = open(folder.path()).await;
    assert!(!half.exists());
    assert_eq!(blobs.read_blob(&key).await.expect("found"), [1]);
}

#[tokio::test]
async fn addresses_are_checked() {
    for (address, says) in [
        ("nowhere", "no place"),
        ("ftp://x", "no place"),
        ("s3://", "no place"),
        ("s3:///folder", "no place"),
        ("file:///proc/nothing", "cannot use"),
    ] {
        let error = BlobStore::open_url(address)
            .await
            .expect_err(address)
            .to_string();
        assert!(error.contains(says), "{address}: {error}");
    }
}

#[tokio::test]
async fn a_bucket_keeps_blobs_as_a_folder_does_and_is_named_when_it_cannot_be_used() {
    let Some(server) = S3Server::start() else {
        return;
    };
    server.make_bucket("arena");
    keeps_blobs(&server).await;
    says_why_it_cannot_be_used(&server).await;
}

async fn keeps_blobs(server: &S3Server) {
    let open = async |url: &str| {
        let variables = server.variables("any", "any");
        BlobStore::open_url_with(url, variables).await
    };
    let first = open("s3://arena/spring/2027").await.expect("it opens");
    let elsewhere = open("s3://arena").await.expect("it opens");
    let replay = "{\"steps\": \"1 2 3\"}".repeat(1000).into_bytes();
    for (key, bytes) in [
        (BlobKey::new_source(), vec![0, 255, 7]),
        (BlobKey::new_source(), vec![]),
        (BlobKey::new_source(), vec![7; 9_000_000]),
        (BlobKey::new_replay(MatchId(7)), replay),
    ] {
        let missing = first.read_blob(&key).await;
        assert!(
            matches!(missing, Err(BlobStoreError::Missing(_))),
            "{key}: {missing:?}"
        );
        assert_eq!(first.blob_size(&key).await.expect("asked"), None);
        first.put_blob(&key, bytes.clone()).await.expect("put");
        let again = open("s3://arena/spring/2027/").await.expect("it opens");
        assert_eq!(again.read_blob(&key).await.expect("found"), bytes, "{key}");
        let size = again.blob_size(&key).await.expect("asked");
        assert!(size.is_some_and(|size| size <= bytes.len() as u64), "{key}");
        let other = elsewhere.read_blob(&key).await;
        assert!(matches!(other, Err(BlobStoreError::Missing(_))), "{key}");
        first.delete_blob(&key).await.expect("deleted");
        first.delete_blob(&key).await.expect("no error twice");
        let gone = again.read_blob(&key).await;
        assert!(matches!(gone, Err(BlobStoreError::Missing(_))), "{key}");
    }
}

async fn says_why_it_cannot_be_used(server: &S3Server) {
    let (id, secret) = server.require_keys();
    let open = async |url: &str, id: &str, secret: &str| {
        let opened = BlobStore::open_url_with(url, server.variables(id, secret)).await;
        opened.map(drop).map_err(|error| error.to_string())
    };
    open("s3://arena/x", &id, &secret).await.expect("it opens");
    for (url, id, secret, says) in [
        (
            "s3://arena/x",
            id.as_str(),
            "wrong",
            "SignatureDoesNotMatch",
        ),
        ("s3://arena/x", "nobody", &secret, "InvalidAccessKeyId"),
        ("s3://other/x", &id, &secret, "NoSuchBucket"),
    ] {
        let error = open(url, id, secret).await.expect_err(url);
        assert!(
            error.contains(says) && error.contains(url) && error.contains("AWS_ENDPOINT"),
            "{url}: {error}"
        );
    }
}

/// What docs/operating.md says: operations that fail are tried again for 20 s, those of a request for
/// 3 s; a bucket that says nothing costs 10 s an attempt, or 5 s.
#[tokio::test]
async fn a_bucket_that_fails_is_tried_again() {
    let check = async |failures: usize, silent: bool, request: bool, least: f64, well: bool| {
        let row = format!("{failures} failures, silent: {silent}, request: {request}");
        let server = WeakBucket::start();
        let store = ok!(BlobStore::open_url_with("s3://arena", server.variables()));
        let store = match request {
            true => store.for_requests(),
            false => store.patient(),
        };
        server.fail(failures, silent);
        let begun = Instant::now();
        let put = store.put_blob(&BlobKey::new_source(), vec![7; 100]).await;
        let took = begun.elapsed().as_secs_f64();
        assert_eq!(put.is_ok(), well, "{row}: {put:?}");
        // On a machine that is busy it may take longer.
        assert!(least <= took && took < 60.0, "{row}: {took} s");
    };
    tokio::join!(
        // Ten attempts, as many as the library makes by itself, may be over after 2 s.
        check(12, false, false, 0.1, true),
        check(usize::MAX, false, true, 3.0, false),
        check(1, true, false, 10.0, true),
        check(usize::MAX, true, true, 5.0, false),
    );
}
