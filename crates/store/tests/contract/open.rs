//! Opening databases, and the messages of failures.

use leitai_store::{LadderId, Store, StoreError, Timestamp};

#[tokio::test]
async fn addresses_are_checked_and_passwords_are_not_shown() {
    for (address, says) in [
        ("mysql://a:secret@host/x", "mysql://…@host/x"),
        ("leitai.db", "leitai.db"),
    ] {
        let error = Store::open_url(address).await.expect_err(address);
        assert!(matches!(error, StoreError::Address(_)), "{error}");
        let text = error.to_string();
        assert!(text.contains(says) && !text.contains("secret"), "{text}");
    }
}

#[tokio::test]
async fn an_unreachable_postgres_is_reported_at_once() {
    let free = format!("127.0.0.1:{}", crate::ports::find_port());
    for address in [
        format!("postgres://me:se@cret@{free}/leitai"),
        format!("postgresql://me@{free}/leitai?password=secret&application_name=leitai"),
    ] {
        // The connection pool alone would try for half a minute, and then say that it waited.
        let opened = Store::open_url(&address).await;
        let error = opened.expect_err("nobody is there");
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
        let text = error.to_string();
        let parts = [&*free, "refused", "check that it runs"];
        assert!(
            parts.iter().all(|part| text.contains(part)) && !text.contains("cret"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn two_processes_may_write_at_the_same_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/leitai.db", folder.path().display());
    let stores = [ok!(Store::open_url(&url)), ok!(Store::open_url(&url))];
    let writing = (0..60).map(|number| {
        let store = stores[number % 2].clone();
        tokio::spawn(async move {
            store
                .ensure_built_in("kob", &format!("b{number}"), "", Timestamp(0))
                .await
        })
    });
    for written in writing.collect::<Vec<_>>() {
        written.await.expect("it ends").expect("never locked");
    }
    assert_eq!(
        stores[0]
            .ladder_size(&LadderId::standard("kob"))
            .await
            .expect("asked"),
        60
    );
}

#[tokio::test]
async fn a_copy_is_whole_while_others_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = |name: &str| format!("sqlite://{}/{name}", folder.path().display());
    let store = Store::open_url(&url("leitai.db")).await.expect("opens");
    ok!(store.ensure_built_in("kob", "one", "", Timestamp(0)));
    let change = tokio::spawn({
        let store = store.clone();
        async move { store.ensure_built_in("kob", "two", "", Timestamp(0)).await }
    });
    let copy = folder.path().join("copy 'of it'.db");
    store.copy_into(&copy).await.expect("copied");
    change.await.expect("it ends").expect("made");
    let copied = ok!(Store::open_url(&url("copy 'of it'.db")));
    assert!(ok!(copied.bot_by_name("kob", "one")).is_some());
    assert!(
        store.copy_into(&copy).await.is_err(),
        "an existing file is not overwritten"
    );
}

#[test]
fn timestamps_are_read_and_written() {
    let row = |text: &str| serde_json::from_str::<Timestamp>(&format!("\"{text}\"")).expect(text);
    assert_eq!(row("1970-01-01T00:00:01.5Z"), Timestamp(1500));
    assert_eq!(row("1970-01-01T02:00:00+02:00"), Timestamp(0));
    assert_eq!(
        serde_json::to_string(&Timestamp(1500)).expect("JSON"),
        "\"1970-01-01T00:00:01.5Z\""
    );
    assert!(serde_json::from_str::<Timestamp>("\"yesterday\"").is_err());
    assert_eq!(Timestamp(i64::MAX).to_string(), "9999-12-31T23:59:59Z");
}
