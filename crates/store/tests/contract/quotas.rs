//! Quotas that groups set for their members.

use std::time::Duration;

use leitai_store::*;

use crate::arena::*;

/// An arena with the group `class` of `ada`; `bob` is its only plain member, `cara` does not belong
/// to it.
struct Class {
    store: Store,
    group: GroupId,
    ada: User,
    bob: User,
    cara: User,
}

impl Class {
    async fn new(store: Store) -> Class {
        let mut people = Vec::new();
        for name in ["ada", "bob", "cara"] {
            people.push(user(&store, name).await);
        }
        let [ada, bob, cara] = people.try_into().expect("three people");
        let new = new_group("class", 0, Some(ada.id));
        let group = ok!(store.create_group(new, None, at(0))).id;
        let class = Class {
            store,
            group,
            ada,
            bob,
            cara,
        };
        class.join(group).await;
        class
    }

    /// `bob` joins a group.
    async fn join(&self, group: GroupId) {
        let bob = MemberEntry {
            name: "bob".to_owned(),
            password: None,
            team: None,
        };
        ok!(self.store.import_members(group, &[bob], None, at(0)));
        ok!(self.store.accept_invitation(group, self.bob.id, at(0)));
    }

    async fn set(&self, group: GroupId, quota: GroupQuota, seconds: i64) {
        let set = self
            .store
            .set_group_quota(group, quota, Some(self.ada.id), at(seconds));
        set.await.expect("set");
    }

    async fn bot(&self, owner: &User, name: &str) -> Bot {
        let new = new_bot("kob", name, owner.id);
        let made = self.store.create_bot(new, at(0)).await;
        made.expect("the name is free")
    }

    async fn upload(
        &self,
        by: &User,
        bot: &Bot,
        source: (u64, &str),
        seconds: i64,
    ) -> Result<Version, StoreError> {
        let new = NewVersion {
            bot: bot.id,
            source: BlobKey::new_source().as_str().to_owned(),
            file_name: "bot".to_owned(),
            bytes: source.0 as i64,
            notes: String::new(),
            activates: false,
        };
        let by = Uploader {
            user: by.id,
            languages: SourceLanguages::from_known(source.1),
        };
        self.store
            .create_version_within(new, &Quota::UNLIMITED, by, at(seconds))
            .await
    }

    async fn friendly(&self, by: &User, seconds: i64) -> Result<Match, StoreError> {
        let (a, b) = (bot(&self.store, "a").await, bot(&self.store, "b").await);
        let pair = [a, b].map(|bot| self.store.bot_entrant(bot.id));
        let [a, b] = pair;
        let (a, b) = (a.await.expect("a"), b.await.expect("b"));
        let new = new_match(a, b, MatchKind::Friendly);
        self.store
            .create_friendly(new, &Quota::UNLIMITED, by.id, at(seconds))
            .await
    }

    async fn used(&self, by: &User, seconds: i64) -> ActionUse {
        let limits = self.store.member_quota(&[by.id], &Quota::UNLIMITED).await;
        let limits = limits.expect("asked");
        let used = self.store.action_use(by.id, &limits, at(seconds)).await;
        used.expect("asked")
    }
}

fn over<T: std::fmt::Debug>(result: Result<T, StoreError>) -> OverQuota {
    match result {
        Err(StoreError::Quota(over)) => over,
        other => panic!("not refused: {other:?}"),
    }
}

fn class() -> Option<String> {
    Some("class".to_owned())
}

pub async fn uploads_keep_to_the_quotas_of_groups(store: Store) {
    let class = Class::new(store).await;
    let quota = GroupQuota {
        hourly_uploads: Some(2),
        versions: Some(3),
        source_bytes: Some(100),
        languages: SourceLanguages::from_names(["python", "c"]).ok(),
        ..GroupQuota::default()
    };
    class.set(class.group, quota, 1).await;
    assert_eq!(ok!(class.store.group_quota(class.group)), quota);
    let bots = [
        class.bot(&class.ada, "teacher").await,
        class.bot(&class.bob, "pupil").await,
        class.bot(&class.cara, "stranger").await,
    ];
    let python = (100, "python");
    for (who, bot) in [(&class.ada, &bots[0]), (&class.cara, &bots[2])] {
        for (number, source) in [(1, (101, "cpp")), (2, python), (3, python), (4, python)] {
            let free = class.upload(who, bot, source, number).await;
            assert!(free.is_ok(), "{} is free: {free:?}", who.name);
        }
    }
    let bob = &class.bob;
    assert_eq!(
        over(class.upload(bob, &bots[1], (100, "cpp"), 2).await),
        OverQuota::Language {
            refused: SourceLanguages::from_known("cpp"),
            allowed: quota.languages.expect("set above"),
            group: self::class(),
        }
    );
    assert_eq!(
        over(class.upload(bob, &bots[1], (101, "c"), 2).await),
        OverQuota::SourceSize {
            bytes: 101,
            allowed: 100,
            group: self::class(),
        }
    );
    ok!(class.upload(bob, &bots[1], python, 2));
    // Two at once: one fits.
    let (one, other) = tokio::join!(
        class.upload(bob, &bots[1], python, 10),
        class.upload(bob, &bots[1], python, 10)
    );
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
    let next = at(2).after(Duration::from_secs(3_600));
    assert_eq!(
        over(class.upload(bob, &bots[1], python, 20).await),
        OverQuota::HourlyUploads {
            used: 2,
            allowed: 2,
            next: Some(next),
            group: self::class(),
        }
    );
    let used = class.used(bob, 20).await;
    assert_eq!((used.uploads, used.next_upload), (2, Some(next)));
    // The uploader's and the author's groups both have a say.
    ok!(class.upload(&class.cara, &bots[1], python, 20));
    assert_eq!(
        over(class.upload(&class.cara, &bots[1], (1, "rust"), 21).await),
        OverQuota::Language {
            refused: SourceLanguages::from_known("rust"),
            allowed: quota.languages.expect("set above"),
            group: self::class(),
        }
    );
    assert_eq!(
        over(class.upload(bob, &bots[1], python, 3_603).await),
        OverQuota::Versions {
            bot: bots[1].id,
            used: 3,
            allowed: 3,
            group: self::class(),
        }
    );
    let another = class.bot(bob, "another").await;
    ok!(class.upload(bob, &another, python, 3_603));
    // Who leaves the group has the arena's quota.
    ok!(class
        .store
        .remove_group_member(class.group, bob.id, None, at(3_604)));
    for number in 0..3 {
        ok!(class.upload(bob, &bots[1], (200, "cpp"), 3_605 + number));
    }
}

pub async fn friendly_matches_keep_to_the_quotas_of_groups(store: Store) {
    let class = Class::new(store).await;
    let quota = GroupQuota {
        daily_friendlies: Some(3),
        daily_cpu_seconds: Some(12),
        ..GroupQuota::default()
    };
    class.set(class.group, quota, 1).await;
    let bob = &class.bob;
    class.friendly(bob, 10).await.expect("the first");
    assert_eq!(class.used(bob, 10).await.cpu_seconds, 10, "it is not over");
    let taken = acquire(&class.store, 11).await.expect("a job");
    let done = MatchResult {
        cpu_us: 3_500_000,
        ..result(MatchWinner::A)
    };
    ok!(class.store.finish_match(&taken.lease, done, at(12)));
    assert_eq!(class.used(bob, 12).await.cpu_seconds, 4);
    let second = class.friendly(bob, 20).await.expect("the second");
    let day = Duration::from_secs(86_400);
    assert_eq!(
        over(class.friendly(bob, 21).await),
        OverQuota::DailyCpu {
            used: 14,
            allowed: 12,
            next: Some(at(10).after(day)),
            group: self::class(),
        }
    );
    // The arena's failure costs nobody anything.
    ok!(class.store.void_match(second.id, "broken", at(22)));
    assert_eq!(class.used(bob, 23).await.friendlies, 1);
    let more = GroupQuota {
        daily_cpu_seconds: None,
        ..quota
    };
    class.set(class.group, more, 24).await;
    for seconds in [30, 31] {
        class.friendly(bob, seconds).await.expect("there is room");
    }
    assert_eq!(
        over(class.friendly(bob, 32).await),
        OverQuota::DailyFriendlies {
            used: 3,
            allowed: 3,
            next: Some(at(10).after(day)),
            group: self::class(),
        }
    );
    ok!(class.friendly(bob, 86_411));
    for seconds in 0..5 {
        for free in [&class.ada, &class.cara] {
            class.friendly(free, seconds).await.expect("no quota");
        }
    }
    // With none allowed there is no moment to wait for.
    let none = GroupQuota {
        daily_friendlies: Some(0),
        ..more
    };
    class.set(class.group, none, 33).await;
    let never = over(class.friendly(bob, 500_000).await);
    assert!(
        never.to_string().contains("ask an organiser"),
        "{never}: {never:?}"
    );
}

pub async fn quotas_of_groups_go_with_group_and_account(store: Store) {
    let class = Class::new(store).await;
    let new = new_group("club", 0, Some(class.ada.id));
    let club = class.store.create_group(new, None, at(0)).await;
    let club = club.expect("the name is free").id;
    class.join(club).await;
    let quota = |hourly_uploads| GroupQuota {
        hourly_uploads: Some(hourly_uploads),
        ..GroupQuota::default()
    };
    class.set(class.group, quota(5), 1).await;
    class.set(class.group, quota(5), 2).await;
    class.set(club, quota(3), 3).await;
    let page = class.store.list_audit(&PageQuery::default()).await;
    let lines: Vec<Audit> = page.expect("read").items;
    let lines: Vec<&Audit> = lines
        .iter()
        .filter(|line| line.action == "group.quota")
        .collect();
    assert_eq!(lines.len(), 2, "the same quota again changes nothing");
    assert_eq!(lines[1].detail["before"]["hourly_uploads"], Json::Null);
    assert_eq!(lines[1].detail["after"]["hourly_uploads"], 5);

    let strictest = |arena: Quota| {
        let (store, bob) = (class.store.clone(), class.bob.id);
        async move {
            let own = store.member_quota(&[bob], &arena).await;
            let own = own.expect("asked").hourly_uploads;
            (own.allowed, own.group.map(|(_, name)| name), own.looser)
        }
    };
    let arena = Quota {
        hourly_uploads: 4,
        ..Quota::UNLIMITED
    };
    assert_eq!(strictest(arena).await, (3, Some("club".to_owned()), false));
    ok!(class.store.delete_group(club, None, at(4)));
    // The class may not be looser than the arena until an administrator says so.
    assert_eq!(strictest(arena).await, (4, None, false));
    let looser = GroupQuota {
        looser: true,
        ..quota(5)
    };
    class.set(class.group, looser, 5).await;
    assert_eq!(strictest(arena).await, (5, self::class(), true));

    let pupil = class.bot(&class.bob, "pupil").await;
    ok!(class.upload(&class.bob, &pupil, (1, "c"), 6));
    let gone = deletion_by(Some(class.bob.id), at(7));
    ok!(class.store.delete_user(class.bob.id, gone));
    assert_eq!(class.used(&class.bob, 8).await, ActionUse::default());
    class.friendly(&class.cara, 9).await.expect("no quota");
    assert_eq!(ok!(class.store.sweep_counted_actions(at(10))), 0);
    gives!(class.store.sweep_counted_actions(at(90_000)) => 1);
}
