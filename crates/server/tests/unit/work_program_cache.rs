//! Tests of `work::program_cache`.

use leitai_judge::Sandbox;
use leitai_judge::build::ReadyEntrant;
use leitai_server::work::program_cache::*;
use leitai_server::work::source::SourceTask;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn cache(most: usize) -> ProgramCache {
    ProgramCache::new(
        Some(Sandbox::without_isolation()),
        most,
        PathBuf::from("/proc/self/exe"),
    )
}

fn source(version: i64) -> SourceTask {
    let (game, name) = ("kob".to_owned(), format!("bot{version}"));
    SourceTask {
        version,
        game,
        name,
        file_name: "main.py".to_owned(),
        libraries: None,
    }
}

fn folder(ready: &ReadyEntrant) -> PathBuf {
    ready
        .built
        .as_ref()
        .expect("Python needs no compiler")
        .program
        .dir
        .clone()
}

#[test]
fn names_that_lead_out_of_the_folder_are_refused() {
    let check = |asked: &str, expected: &str| assert_eq!(file_name(asked), expected, "{asked:?}");
    check("main.py", "main.py");
    check("我的.cpp", "我的.cpp");
    check("../main.py", "program");
    check("/etc/passwd", "program");
    check("a/b.py", "program");
    check("", "program");
    check("..", "program");
    check(&"a".repeat(300), "program");
}

#[test]
fn two_threads_never_build_one_version_twice() {
    let (cache, fetched) = (cache(4), AtomicUsize::new(0));
    let game = leitai_games::ALL[0];
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let fetch = || {
                    fetched.fetch_add(1, Ordering::Relaxed);
                    Ok(b"print(1)\n".to_vec())
                };
                cache
                    .ready_program(game, &source(1), &BuildWatch::default(), fetch)
                    .expect("it is Python")
                    .player
                    .name
                    .clone()
            });
        }
    });
    assert_eq!(fetched.load(Ordering::Relaxed), 1);
}

#[test]
fn the_least_recently_used_program_is_removed_when_it_is_idle() {
    let (cache, game) = (cache(2), leitai_games::ALL[0]);
    let get = |version: i64| {
        let fetch = || Ok(b"print(1)\n".to_vec());
        cache
            .ready_program(game, &source(version), &BuildWatch::default(), fetch)
            .expect("it is Python")
    };
    let (one, two) = (get(1), folder(&get(2)));
    let again = get(1);
    assert!(Arc::ptr_eq(&one, &again));
    get(3);
    assert!(!two.exists(), "2 was not used for longest");
    let kept = folder(&one);
    get(4);
    get(5);
    assert!(kept.exists(), "somebody still plays 1");
    drop((one, again));
    assert!(!kept.exists());
}

#[test]
fn without_isolation_uploads_are_refused() {
    let cache = ProgramCache::new(None, 2, PathBuf::new());
    let refused = cache
        .ready_program(
            leitai_games::ALL[0],
            &source(1),
            &BuildWatch::default(),
            || Ok(Vec::new()),
        )
        .err();
    assert!(matches!(refused, Some(ProgramCacheError::NoIsolation)));
}
