use leitai_store::values::secret::random_token;
use leitai_store::*;

use crate::arena::*;

/// A bot of this person and its active version.
async fn uploaded(store: &Store, owner: &User, name: &str) -> (Bot, Version) {
    let (game, about) = ("kob".to_owned(), "about it".to_owned());
    let new = NewBot {
        game,
        name: name.to_owned(),
        owner: owner.id,
        about,
    };
    let bot = ok!(store.create_bot(new, at(0)));
    let version = another(store, &bot, &format!("sources/aa/{name}")).await;
    (store.find_bot(bot.id).await.expect("known"), version)
}

/// One more version of a bot, ready and active.
async fn another(store: &Store, bot: &Bot, source: &str) -> Version {
    let (file_name, notes) = ("bot.py".to_owned(), "my notes".to_owned());
    let source = source.to_owned();
    let new = NewVersion {
        bot: bot.id,
        source,
        file_name,
        bytes: 100,
        notes,
        activates: true,
    };
    let version = store.create_version(new, at(1)).await.expect("a version");
    let taken = acquire(store, 1).await.expect("its job");
    ok!(store.finish_version(&taken.lease, ready(), at(2)));
    store.find_version(version.id).await.expect("known")
}

fn by(user: &User) -> DeletionRequest {
    deletion_by(Some(user.id), at(1_000))
}

fn is_deleted<T: std::fmt::Debug>(result: Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Deleted { .. }))
}

async fn erase_all(store: &Store) {
    while store.erase_names().await.expect("the database answers") {}
}

pub async fn a_deleted_bot_leaves_its_matches_behind(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, version) = uploaded(&store, &ada, "viper").await;
    let rival = self::bot(&store, "rival").await;
    let other = self::bot(&store, "other").await;
    let past = play(&store, &bot, &rival, MatchWinner::A).await;
    play(&store, &rival, &other, MatchWinner::A).await;
    let stale = store.bot_entrant(bot.id).await.expect("it plays");
    let running = queue(&store, &rival, &bot, MatchKind::Ladder).await;
    let taken = acquire(&store, 5).await.expect("a job");
    let waiting = queue(&store, &bot, &rival, MatchKind::Friendly).await;
    let before = store.find_standing(rival.id, &kob()).await.expect("asked");
    let pin = NewPin {
        bot: bot.id,
        match_id: past.id,
        moment: (1, 3),
        entrant: 0,
        played: nothing(),
        why: "my secret plan".to_owned(),
    };
    ok!(store.add_pin(pin, at(10)));
    assert_eq!(ok!(store.pins_of(bot.id)).len(), 1);

    store.delete_bot(bot.id, by(&ada)).await.expect("deleted");
    assert!(
        is_deleted(store.find_bot(bot.id).await)
            && is_deleted(store.find_version(version.id).await)
    );
    assert!(is_deleted(store.delete_bot(bot.id, by(&ada)).await));
    assert!(is_deleted(
        store.activate_version(bot.id, version.id, at(1_001)).await
    ));
    assert!(
        ok!(store.pins_of(bot.id)).is_empty(),
        "its author wrote them"
    );
    assert!(store.bots_of(ada.id).await.expect("asked").is_empty());
    // The pending matches of the bot end; their worker learns that the lease is lost.
    for id in [running.id, waiting.id] {
        assert_eq!(ok!(store.match_by_id(id)).state, MatchState::Cancelled);
    }
    gives!(store.renew_lease(&taken.lease, at(1_100)) => LeaseState::Lost);
    let late = ok!(store.finish_match(&taken.lease, result(MatchWinner::A), at(1_100)));
    assert_eq!(late, RecordOutcome::Lost);
    assert!(
        acquire(&store, 1_200).await.is_none(),
        "no job of the bot is left"
    );
    // An entrant that was read before the deletion cannot be used any more.
    let built_in = store.bot_entrant(rival.id).await.expect("it plays");
    assert!(is_deleted(
        store
            .create_match(new_match(stale, built_in, MatchKind::Ladder), at(1_100))
            .await
    ));
    assert!(is_deleted(store.rerun_match(past.id, at(1_100)).await));
    // Results and the ratings of other bots are unchanged.
    assert_eq!(ok!(store.find_standing(rival.id, &kob())), before);
    assert_eq!(ratings_are_right(&store).await, 2);
    assert!(ok!(store.bot_by_name("kob", "viper")).is_none());
    let ladder = ok!(store.list_ladder(&kob(), &PageQuery::default())).items;
    assert_eq!(
        ladder
            .iter()
            .map(|row| row.bot.name.as_str())
            .collect::<Vec<_>>(),
        ["rival", "other"]
    );

    erase_all(&store).await;
    let kept = store.match_by_id(past.id).await.expect("kept");
    let entrant = kept.a.expect("it played");
    assert_eq!(
        (kept.winner, entrant.name.as_str()),
        (Some(MatchWinner::A), &*format!("deleted bot {}", bot.id))
    );
    assert!(entrant.is_deleted() && entrant.user.is_none() && entrant.user_name.is_none());
    assert!(
        kept.b
            .is_some_and(|entrant| entrant.name == "rival" && !entrant.is_deleted())
    );
    assert_eq!(store.replays_to_rewrite().await.expect("asked").len(), 1);
    let rivals = store.head_to_head(rival.id, &kob()).await.expect("asked");
    assert!(
        rivals
            .iter()
            .any(|one| one.rival.name.starts_with("deleted bot") && !one.rival.built_in)
    );

    // The name can be taken again, and its new owner inherits nothing.
    let (again, _) = uploaded(&store, &ada, "viper").await;
    assert_eq!(
        ok!(store.find_standing(again.id, &kob())).map(|standing| standing.games),
        Some(0)
    );
    fails!(store.delete_bot(rival.id, by(&ada)) => Refused(_));
}

pub async fn deleted_versions_leave_their_numbers(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, first) = uploaded(&store, &ada, "viper").await;
    fails!(store.delete_version(first.id, by(&ada)) => Refused(_));
    let second = another(&store, &bot, "sources/aa/viper").await;
    let third = another(&store, &bot, "sources/aa/third").await;
    let entrant = ok!(store.entrant_of_version(first.id));
    let rival = ok!(store.bot_entrant(self::bot(&store, "rival").await.id));
    let new = new_match(entrant, rival.clone(), MatchKind::Friendly);
    let of_first = store.create_match(new, at(3)).await.expect("made");
    let entrant = ok!(store.entrant_of_version(second.id));
    let new = new_match(entrant, rival, MatchKind::Friendly);
    let of_second = store.create_match(new, at(3)).await.expect("made");

    ok!(store.delete_version(first.id, by(&ada)));
    assert_eq!(
        ok!(store.match_by_id(of_first.id)).state,
        MatchState::Cancelled
    );
    assert_eq!(
        ok!(store.match_by_id(of_second.id)).state,
        MatchState::Queued
    );
    let left = store.versions_of(bot.id).await.expect("asked");
    assert_eq!(
        left.iter()
            .map(|version| version.number)
            .collect::<Vec<_>>(),
        [3, 2]
    );
    assert!(ok!(store.version_by_number(bot.id, 1)).is_none());
    // The second version has the same file: the blob stays until no version refers to it.
    assert!(ok!(store.claim_discards(at(2_000))).is_empty());
    ok!(store.delete_version(second.id, by(&ada)));
    assert_eq!(ok!(store.claim_discards(at(2_000))), ["sources/aa/viper"]);

    let next = source(&store, &bot, false).await;
    assert_eq!(next.number, 4, "numbers are not reused");
    let building = acquire(&store, 5).await.expect("its job");
    ok!(store.delete_version(next.id, by(&ada)));
    let late = ok!(store.finish_version(&building.lease, ready(), at(6)));
    assert_eq!(late, RecordOutcome::Lost);
    assert_eq!(ok!(store.find_bot(bot.id)).active, Some(third.id));
}

async fn login(store: &Store, user: &User) -> TokenHash {
    let hash = TokenHash::from_token(&random_token());
    ok!(store.create_session(user.id, hash.clone(), at(0), at(9_000)));
    hash
}

pub async fn a_deleted_account_leaves_nothing_of_a_person(store: Store) {
    let ada = user(&store, "ada").await;
    let bob = user(&store, "bob").await;
    let (bot, _) = uploaded(&store, &ada, "viper").await;
    let rival = ok!(store.bot_entrant(self::bot(&store, "rival").await.id));
    let session = login(&store, &ada).await;
    let hash = TokenHash::from_token(&random_token());
    let (kind, name) = (TokenKind::Author, "laptop".to_owned());
    let scopes = TokenScopes::default();
    let new = NewToken {
        user: Some(ada.id),
        kind,
        name,
        hash: hash.clone(),
        scopes,
        until: None,
    };
    store.create_token(new, at(0)).await.expect("made");
    let person = |user: &User| MatchEntrant::human_entrant(user.name.clone(), Some(user.id));
    let past = new_match(person(&ada), person(&bob), MatchKind::Human);
    let past = store.create_match(past, at(1)).await.expect("made");
    let taken = ok!(store.acquire_match(past.id, "tables", at(1), LEASE)).expect("queued");
    ok!(store.finish_match(&taken.lease, result(MatchWinner::B), at(2)));
    let open = new_match(person(&ada), rival, MatchKind::Human);
    let open = store.create_match(open, at(3)).await.expect("made");
    let action = |subject: String| AuditedAction::new(None, "user.disable", subject, nothing());
    ok!(store.write_audit(action(format!("user {} (ada)", ada.id)), at(4)));
    ok!(store.write_audit(action(format!("bot {} (viper)", bot.id)), at(4)));

    // Before, all of it is given to its owner, without secrets and in words that people read.
    let kept = store.personal_data(ada.id).await.expect("asked");
    let tables: Vec<_> = kept.iter().map(|one| one.table).collect();
    let expected = "users sessions api_tokens match_people bots versions";
    assert_eq!(tables.join(" "), expected);
    let text = format!("{kept:?}");
    for secret in [session.as_str(), hash.as_str(), &ada.password] {
        assert!(!text.contains(secret), "{text}");
    }
    assert_eq!(kept[2].rows[0]["name"], "laptop");
    assert_eq!(kept[2].rows[0]["created"], at(0).to_string());
    assert_eq!(kept[4].rows[0]["retired"], false);
    assert_eq!(kept[5].rows[0]["notes"], "my notes");
    let of_bob = store.personal_data(bob.id).await.expect("asked");
    assert_eq!(of_bob.len(), 2, "{of_bob:?}");

    store.delete_user(ada.id, by(&ada)).await.expect("deleted");
    let left = store.personal_data(ada.id).await.expect("asked");
    let left: Vec<_> = left.iter().map(|one| one.table).collect();
    assert_eq!(left, ["audit"], "what she did stays on record by her key");
    fails!(store.find_user(ada.id) => Missing { .. });
    assert!(ok!(store.find_session(&session, at(1_001))).is_none());
    assert!(ok!(store.find_token(&hash, at(1_001))).is_none());
    assert!(is_deleted(store.find_bot(bot.id).await));
    assert_eq!(ok!(store.match_by_id(open.id)).state, MatchState::Cancelled);
    let stale = new_match(person(&ada), person(&bob), MatchKind::Human);
    fails!(store.create_match(stale, at(5)) => Missing { .. });

    erase_all(&store).await;
    let kept = store.match_by_id(past.id).await.expect("kept");
    assert_eq!(kept.winner, Some(MatchWinner::B));
    let [a, b] = [kept.a.expect("she played"), kept.b.expect("he played")];
    fields!(a, {name.as_str(): "deleted account", user: None, user_name: None});
    assert_eq!((b.name.as_str(), b.user), ("bob", Some(bob.id)));
    let lines = ok!(store.list_audit(&PageQuery::default())).items;
    assert!(
        lines
            .iter()
            .all(|line| !line.subject.contains("ada") && !line.subject.contains("viper"))
    );
    let late = at(400 * 24 * 3600);
    assert_eq!(store.sweep_freed_names(late).await.expect("swept"), 2);
    user(&store, "ada").await;
}

pub async fn the_last_administrator_stays(store: Store) {
    let (ada, bob) = (user(&store, "ada").await, user(&store, "bob").await);
    store.set_admin(ada.id, true).await.expect("known");
    fails!(store.delete_user(ada.id, by(&ada)) => Refused(_));
    store.set_admin(bob.id, true).await.expect("known");
    // Both are deleted at once: one of them stays.
    let (one, other) = (store.clone(), store.clone());
    let (first, second) = (by(&ada), by(&bob));
    let (one, other) = tokio::join!(
        one.delete_user(ada.id, first),
        other.delete_user(bob.id, second)
    );
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
    assert!(store.has_admin().await.expect("asked"));
}

fn over<T: std::fmt::Debug>(result: Result<T, StoreError>) -> OverQuota {
    match result {
        Err(StoreError::Quota(over)) => over,
        other => panic!("uploads over the quota are refused: {other:?}"),
    }
}

pub async fn quotas_hold_also_at_the_same_time(store: Store) {
    let ada = user(&store, "ada").await;
    let quota = Quota {
        bytes: 1_000,
        bots: 2,
        versions: 3,
        ..Quota::UNLIMITED
    };
    let bot = |name: &str| {
        let (game, name) = ("kob".to_owned(), name.to_owned());
        store.create_bot_within(new_bot(&game, &name, ada.id), &quota, at(0))
    };
    let (one, two) = (ok!(bot("one")), ok!(bot("two")));
    assert_eq!(
        over(bot("three").await),
        OverQuota::Bots {
            used: 2,
            allowed: 2
        }
    );
    let ada_id = ada.id;
    let version = |bot: BotId, bytes: i64| {
        let new = NewVersion {
            bytes,
            ..version_of(bot)
        };
        let store = store.clone();
        async move {
            store
                .create_version_within(new, &quota, uploader(ada_id), at(1))
                .await
        }
    };
    let too_large = OverQuota::Bytes {
        used: 0,
        more: 1_001,
        allowed: 1_000,
    };
    assert_eq!(over(version(one.id, 1_001).await), too_large);
    // Four uploads of 300 bytes at once, to two bots: three fit.
    let at_once = [one.id, two.id, one.id, two.id].map(|bot| tokio::spawn(version(bot, 300)));
    let mut kept = Vec::new();
    for one in at_once {
        kept.extend(one.await.expect("it ran"));
    }
    assert_eq!(kept.len(), 3);
    let used = store.account_usage(ada.id).await.expect("asked");
    assert_eq!(
        used,
        Usage {
            bytes: 900,
            bots: 2,
            versions: 3
        }
    );
    for (bytes, has_room) in [(901, true), (900, false)] {
        let quota = Quota {
            bytes,
            ..Quota::UNLIMITED
        };
        let room = store.check_room(one.id, &quota, ada.id, at(1)).await;
        assert_eq!(room.is_ok(), has_room, "900 of {bytes} bytes are used");
    }
    // Deletion frees quota.
    ok!(store.delete_version(kept[0].id, by(&ada)));
    assert_eq!(store.account_usage(ada.id).await.expect("asked").bytes, 600);
    let third = NewVersion {
        bytes: 1,
        ..version_of(kept[1].bot)
    };
    let left = store.versions_of(kept[1].bot).await.expect("asked").len() as u64;
    let small = Quota {
        versions: left,
        ..quota
    };
    let full = store
        .create_version_within(third, &small, uploader(ada.id), at(2))
        .await;
    assert_eq!(
        over(full),
        OverQuota::Versions {
            bot: kept[1].bot,
            used: left,
            allowed: left,
            group: None
        }
    );

    // A bot and its first version are created together or not at all.
    let new = new_bot("snakego", "both", ada.id);
    let first = |bytes| NewSource {
        key: BlobKey::new_source().as_str().to_owned(),
        file_name: "bot.py".to_owned(),
        bytes,
        notes: String::new(),
    };
    let roomy = Quota { bots: 9, ..quota };
    let refused = store
        .create_bot_with_version(new.clone(), first(900), &roomy, uploader(ada.id), at(3))
        .await;
    assert_eq!(
        over(refused),
        OverQuota::Bytes {
            used: 600,
            more: 900,
            allowed: 1_000
        }
    );
    assert!(ok!(store.bot_by_name("snakego", "both")).is_none());
    let (bot, made) =
        ok!(store.create_bot_with_version(new, first(9), &roomy, uploader(ada.id), at(3)));
    assert_eq!((made.bot, made.number), (bot.id, 1));
}

fn version_of(bot: BotId) -> NewVersion {
    let source = BlobKey::new_source().as_str().to_owned();
    let (file_name, notes) = ("bot.py".to_owned(), String::new());
    NewVersion {
        bot,
        source,
        file_name,
        bytes: 100,
        notes,
        activates: false,
    }
}

pub async fn files_are_removed_unless_somebody_names_them(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, _) = uploaded(&store, &ada, "viper").await;
    let keys = [BlobKey::new_source(), BlobKey::new_source()];
    for key in &keys {
        ok!(store.schedule_removal(key, at(100)));
    }
    assert!(ok!(store.claim_discards(at(99))).is_empty());
    let new = |key: &BlobKey| NewVersion {
        bot: bot.id,
        source: key.as_str().to_owned(),
        file_name: "bot.py".to_owned(),
        bytes: 1,
        notes: String::new(),
        activates: false,
    };
    ok!(store.create_version(new(&keys[0]), at(50)));
    gives!(store.claim_discards(at(100)) => [keys[1].as_str().to_owned()]);
    // The blob is being removed: a later reference is refused.
    let late = store.create_version(new(&keys[1]), at(101)).await;
    assert!(matches!(late, Err(StoreError::Refused(_))), "{late:?}");
    ok!(store.forget_discards(&[keys[1].as_str().to_owned()]));
    assert!(ok!(store.claim_discards(at(1_000))).is_empty());
}

pub async fn with_replay(store: &Store, kind: MatchKind, bots: [&Bot; 2], finished: i64) -> Match {
    let made = queue(store, bots[0], bots[1], kind).await;
    let taken = acquire(store, finished).await.expect("a job");
    let replay = Some(BlobKey::new_replay(made.id).as_str().to_owned());
    let result = MatchResult {
        replay,
        ..result(MatchWinner::Draw)
    };
    ok!(store.finish_match(&taken.lease, result, at(finished)));
    store.match_by_id(made.id).await.expect("kept")
}

pub async fn old_replays_go_and_results_stay(store: Store) {
    let bots = [bot(&store, "a").await, bot(&store, "b").await];
    let bots = [&bots[0], &bots[1]];
    let show = with_replay(&store, MatchKind::Exhibition, bots, 10).await;
    let old = with_replay(&store, MatchKind::Ladder, bots, 20).await;
    let new = with_replay(&store, MatchKind::Ladder, bots, 500).await;
    let mut measured = store.unmeasured_replays().await.expect("asked");
    assert_eq!(measured.len(), 3);
    measured
        .iter_mut()
        .for_each(|one| one.replay_bytes = Some(100));
    store.note_replay_bytes(&measured).await.expect("noted");
    assert!(store.unmeasured_replays().await.expect("asked").is_empty());
    assert_eq!(store.replay_bytes().await.expect("asked"), 300);

    let minutes = |minutes: u64| Some(std::time::Duration::from_secs(60 * minutes));
    gives!(store.remove_old_replays(&Retention::FOREVER, at(900)) => 0);
    let kept = Retention {
        ladder: minutes(10),
        ..Retention::FOREVER
    };
    assert_eq!(ok!(store.remove_old_replays(&kept, at(900))), 1);
    let gone = store.match_by_id(old.id).await.expect("kept");
    fields!(gone, {replay: None, replay_removed: Some(at(900)), winner: Some(MatchWinner::Draw)});
    gives!(store.claim_discards(at(900)) => [old.replay.expect("it had one")]);

    // Too many bytes: replays of exhibitions are deleted first.
    let kept = Retention {
        bytes: Some(150),
        ..Retention::FOREVER
    };
    assert_eq!(ok!(store.remove_old_replays(&kept, at(901))), 1);
    assert!(ok!(store.match_by_id(show.id)).replay.is_none());
    assert!(ok!(store.match_by_id(new.id)).replay.is_some());
    assert_eq!(ok!(store.remove_old_replays(&kept, at(902))), 0);
    assert_eq!(ratings_are_right(&store).await, 2);

    // A rewritten replay replaces the old one once.
    let (first, second) = (BlobKey::new_replay(new.id), BlobKey::new_replay(new.id));
    let was = new.replay.expect("it had one");
    for key in [&first, &second] {
        ok!(store.schedule_removal(key, at(5_000)));
        ok!(store.finish_rewrite(new.id, Some((&was, key)), at(903)));
    }
    assert_eq!(
        ok!(store.match_by_id(new.id)).replay.as_deref(),
        Some(first.as_str())
    );
    let mut gone = store.claim_discards(at(903)).await.expect("asked");
    gone.retain(|key| *key == was || *key == second.as_str());
    assert_eq!(gone.len(), 2);
}

pub async fn deleting_and_playing_at_the_same_time(store: Store) {
    let ada = user(&store, "ada").await;
    let rival = bot(&store, "rival").await;
    for round in 0..5 {
        let (own, _) = uploaded(&store, &ada, &format!("viper-{round}")).await;
        let entrants = [
            ok!(store.bot_entrant(own.id)),
            ok!(store.bot_entrant(rival.id)),
        ];
        let mut tasks = Vec::new();
        for _ in 0..8 {
            let (store, [a, b]) = (store.clone(), entrants.clone());
            tasks.push(tokio::spawn(async move {
                let made = store
                    .create_match(new_match(a, b, MatchKind::Ladder), at(5))
                    .await;
                if made.is_ok()
                    && let Some(taken) = acquire(&store, 5).await
                {
                    ok!(store.finish_match(&taken.lease, result(MatchWinner::A), at(6)));
                }
            }));
        }
        let (deleting, deletion) = (store.clone(), by(&ada));
        let deleted = tokio::spawn(async move { deleting.delete_bot(own.id, deletion).await });
        for task in tasks {
            task.await.expect("no task fails");
        }
        deleted.await.expect("it ran").expect("deleted");
        let open = |state| MatchFilter {
            bot: Some(own.id),
            state: Some(state),
            ..MatchFilter::default()
        };
        for state in [MatchState::Queued, MatchState::Running] {
            let left = ok!(store.list_matches(&open(state), &PageQuery::default())).items;
            assert!(left.is_empty(), "{left:?}");
        }
    }
    ratings_are_right(&store).await;
}

pub async fn games_that_nobody_plays_are_found_all(store: Store) {
    let rival = ok!(store.bot_entrant(bot(&store, "rival").await.id));
    let guest = || MatchEntrant::human_entrant("guest", None);
    let made = |seconds: i64, count: usize| {
        let new = vec![new_match(guest(), rival.clone(), MatchKind::Human); count];
        store.create_matches(new, at(seconds))
    };
    let old = made(10, 3).await.expect("made");
    made(500, 150).await.expect("made");
    let found = store.unplayed_people(at(100)).await.expect("asked");
    assert_eq!(found, old.iter().map(|own| own.id).collect::<Vec<_>>());
    ok!(store.cancel_match(old[0].id, "nobody came", at(600)));
    assert_eq!(ok!(store.unplayed_people(at(100))).len(), 2);
}
