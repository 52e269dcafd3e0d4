//! Rights hang on keys: names of contests' files, names that were given up, invitations, passwords
//! that others set, tokens.

use leitai_store::accounts::freed_names::KEPT;
use leitai_store::*;

use crate::arena::*;
use crate::seen::says;

const fn arena(seconds: i64) -> ContestActor {
    by_operator(at(seconds))
}

async fn group(store: &Store, name: &str, organiser: Option<UserId>) -> GroupId {
    let new = new_group(name, 2, organiser);
    let made = store.create_group(new, None, at(1)).await;
    made.expect("the name is free").id
}

async fn rename(store: &Store, id: GroupId, name: &str, seconds: i64) -> Result<Group, StoreError> {
    let new = GroupChange {
        name: Some(name.to_owned()),
        ..GroupChange::default()
    };
    store.change_group(id, new, None, at(seconds)).await
}

async fn delete(store: &Store, user: UserId, seconds: i64) {
    let deletion = deletion_by(None, at(seconds));
    ok!(store.delete_user(user, deletion));
}

pub async fn names_in_files_mean_who_had_them(store: Store) {
    let later = async || {
        let late = at(400 * 24 * 3600);
        store.sweep_freed_names(late).await.expect("swept");
    };
    let (ann, bob) = (user(&store, "ann").await, user(&store, "bob").await);
    let class = group(&store, "AI 2026", None).await;
    let names = [
        account_name("Ann"),
        account_name("bob"),
        group_name("AI 2026"),
    ];
    let new = |names: &[FileName]| new_contest("spring", names);
    let nobody = [account_name("nobody")];
    fails!(store.create_contest(new(&nobody), arena(2)) => Missing { .. });
    let spring = store.create_contest(new(&names), arena(2)).await;
    let spring = spring.expect("the name is free");

    // Others take all three names.
    ok!(rename(&store, class, "AI 2027", 3));
    later().await;
    let heirs = group(&store, "AI 2026", None).await;
    delete(&store, bob.id, 4).await;
    later().await;
    let stranger = store.create_user(new_user("bob"), at(5)).await;
    let stranger = stranger.expect("the name is free").id;
    let meant = store.contest_names(&spring, &names).await.expect("asked");
    assert_eq!(meant.account("ann"), Some(ann.id));
    assert_eq!(meant.account("bob"), Some(bob.id), "who is nobody any more");
    assert_eq!(meant.today(NameKind::Account, "bob"), None);
    assert_eq!(meant.group("ai 2026"), Some(class));
    assert_eq!(meant.today(NameKind::Group, "AI 2026"), Some("AI 2027"));
    let count = async |group| store.count_group_contests(group).await.expect("asked");
    assert_eq!((count(class).await, count(heirs).await), (1, 0));

    // An update looks only for the names that are new in the file; one that was taken out is new.
    let update = async |names: &[FileName], seconds| {
        let seen = store.contest_by_name("spring").await.expect("it is there");
        let file = (
            format!("# {seconds}"),
            ContestPrivacy::PUBLIC,
            names,
            Vec::new(),
        );
        ok!(store.update_contest_file(&seen, 0, file, Json::Null, arena(seconds)));
        store.contest_names(&seen, names).await.expect("asked")
    };
    let today = [names[1].clone(), group_name("AI 2027")];
    let meant = update(&today, 6).await;
    assert_eq!(meant.account("bob"), Some(bob.id));
    assert_eq!(meant.group("AI 2027"), Some(class));
    let is_known = |name| meant.is_known(NameKind::Account, name);
    assert_eq!(["Bob", "ann"].map(is_known), [true, false]);
    let preview = store.preview_contest_names(Some(&spring), &names).await;
    let preview = preview.expect("asked");
    assert_eq!(preview.account("bob"), Some(bob.id));
    assert_eq!(preview.group("AI 2026"), Some(heirs));
    update(&[], 7).await;
    let meant = update(&names, 8).await;
    assert_eq!(meant.account("bob"), Some(stranger));
    assert_eq!(meant.group("AI 2026"), Some(heirs));
}

pub async fn names_that_were_given_up_are_nobodys(store: Store) {
    let (ann, class) = (
        user(&store, "Ann").await,
        group(&store, "AI 2026", None).await,
    );
    let other = group(&store, "Chess", None).await;
    delete(&store, ann.id, 10).await;
    ok!(rename(&store, class, "AI 2027", 10));
    let day = 24 * 3600;
    let kept = (KEPT.as_secs() / day) as i64;
    assert_eq!(kept, 180);
    for days in [0, kept - 1] {
        let seconds = 11 + days * day as i64;
        let taken = store.create_user(new_user("ANN"), at(seconds)).await;
        let refused =
            |error| matches!(error, StoreError::Freed { until, .. } if until == at(10).after(KEPT));
        assert!(taken.is_err_and(refused), "{days}");
        let early = store.check_account_name("ann", at(seconds)).await;
        assert!(early.is_err_and(refused), "{days}");
        let taken = rename(&store, other, "ai 2026", seconds).await;
        assert!(taken.is_err_and(refused), "{days}");
        let entry = MemberEntry {
            name: "ann".to_owned(),
            password: Some("phc".to_owned()),
            team: None,
        };
        let imported = store
            .import_members(class, &[entry], None, at(seconds))
            .await;
        assert!(imported.is_err_and(refused), "{days}");
    }
    // The group itself goes back to its name, and then nobody may take the other.
    rename(&store, class, "AI 2026", 12).await.expect("its own");
    assert!(rename(&store, other, "AI 2027", 13).await.is_err());
    ok!(store.delete_group(class, None, at(14)));
    assert!(rename(&store, other, "AI 2026", 15).await.is_err());
    let late = at(15 + kept * day as i64);
    assert_eq!(ok!(store.sweep_freed_names(late)), 6, "and skeletons");
    ok!(store.create_user(new_user("ann"), at(16)));
    ok!(rename(&store, other, "AI 2026", 16));
}

/// Takes a name of this kind anew.
async fn take(store: &Store, kind: &str, name: &str) -> Result<(), StoreError> {
    let (name, owner) = (name.to_owned(), UserId(1));
    match kind {
        "account" => store.create_user(new_user(&name), at(5)).await.map(drop),
        "member" => {
            let (password, team) = (Some("phc".to_owned()), None);
            let entry = [MemberEntry {
                name,
                password,
                team,
            }];
            let done = store.import_members(GroupId(1), &entry, None, at(5));
            done.await.map(drop)
        }
        "group" => {
            let new = new_group(&name, 2, None);
            store.create_group(new, None, at(5)).await.map(drop)
        }
        "renamed group" => rename(store, GroupId(1), &name, 5).await.map(drop),
        "team" => {
            let new = new_team(&name, None);
            store.create_team(new, owner, at(5)).await.map(drop)
        }
        "bot" => {
            let new = new_bot("kob", &name, owner);
            store.create_bot(new, at(5)).await.map(drop)
        }
        _ => {
            let new = new_contest(&name, &[]);
            store.create_contest(new, arena(5)).await.map(drop)
        }
    }
}

pub async fn names_that_look_alike_are_refused(store: Store) {
    let (one, two) = (user(&store, "one").await, user(&store, "two").await);
    assert_eq!(
        (one.id, group(&store, "first", None).await),
        (UserId(1), GroupId(1))
    );
    // Who had it, who comes, whether the name that it looks like is told. The last of a kind is free.
    for (kind, had, comes, refused) in [
        ("account", "Ivan1", "lvanI", true),
        ("account", "tom", "torn", true),
        ("account", "m0rn", "rnOm", true),
        ("member", "class1", "classl", true),
        ("account", "classI", "class2", false),
        ("group", "coop", "соор", true),
        ("renamed group", "Спорт", "Сnopт", false),
        ("renamed group", "Спорт-2", "C\u{43f}о\u{440}т-2", true),
        ("team", "red0", "redO", true),
        ("bot", "space1", "spacel", true),
        ("bot", "spaceI", "space2", false),
        ("contest", "spring-1", "spring-l", true),
    ] {
        let had_kind = kind.trim_start_matches("renamed ");
        let done = take(&store, had_kind, had).await;
        let is_second = matches!(&done, Err(StoreError::Alike { .. }));
        assert!(done.is_ok() || is_second, "{had}: {done:?}");
        let done = take(&store, kind, comes).await;
        match refused {
            false => done.expect(comes),
            true => {
                let said = done.expect_err(comes).to_string();
                let looks = format!("`{comes}` looks like `{had}`, which is taken");
                assert!(said.contains(&looks), "{said}");
            }
        }
    }
    // Another game's bots and another group's teams are others.
    let new = new_bot("snakego", "spacel", two.id);
    let other = store.create_bot(new, at(6)).await.expect("another game");
    // A deleted bot's name is free, one that looks like it too.
    let deletion = deletion_by(None, at(7));
    store.delete_bot(other.id, deletion).await.expect("deleted");
    let new = new_bot("snakego", "space1", two.id);
    store.create_bot(new, at(8)).await.expect("free again");
    // What was given up is nobody's, and neither is what looks like it; its owner may take both.
    let class = group(&store, "Al 2026", None).await;
    rename(&store, class, "AI 2027", 9).await.expect("free");
    let other = group(&store, "chess", None).await;
    fails!(rename(&store, other, "AI 2026", 10) => FreedAlike { .. });
    rename(&store, class, "AI 2026", 11).await.expect("its own");
    delete(&store, two.id, 12).await;
    fails!(store.create_user(new_user("tw0"), at(13)) => FreedAlike { .. });
    // A group whose team would get a name that somebody has is deleted all the same.
    let teams = group(&store, "with teams", Some(one.id)).await;
    let new = |name: &str, group: Option<GroupId>| new_team(name, group);
    let team = store
        .create_team(new("blue", Some(teams)), one.id, at(14))
        .await;
    let team = team.expect("free").id;
    let squatted = format!("blue.{team}");
    ok!(store.create_team(new(&squatted, None), one.id, at(14)));
    ok!(store.delete_group(teams, None, at(15)));
    let kept = store.find_team(team).await.expect("it stays").name;
    assert_eq!(kept, format!("blue.{team}.{team}"));
    // Who was asked into a team whose name looks like another's by now joins the group alone.
    let asked = user(&store, "asked").await;
    let teams = group(&store, "asking", Some(one.id)).await;
    let entry = [MemberEntry {
        name: "asked".to_owned(),
        password: None,
        team: Some("green1".to_owned()),
    }];
    ok!(store.import_members(teams, &entry, None, at(15)));
    ok!(store.create_team(new("greenl", Some(teams)), one.id, at(16)));
    let joined = store.accept_invitation(teams, asked.id, at(17)).await;
    assert!(!joined.expect("it joins"));
    // A group's description changes beside its name.
    let same = GroupChange {
        name: Some("AI 2026".to_owned()),
        about: Some("of this year".to_owned()),
        team_size: None,
    };
    ok!(store.change_group(class, same, None, at(14)));
}

pub async fn accounts_of_others_are_asked_to_join(store: Store) {
    let (ann, bob) = (user(&store, "ann").await, user(&store, "bob").await);
    let class = group(&store, "class", Some(ann.id)).await;
    let entry = |team: Option<&str>| MemberEntry {
        name: "BOB".to_owned(),
        password: None,
        team: team.map(str::to_owned),
    };
    let import = async |team| {
        let by = Some(ann.id);
        let done = store.import_members(class, &[entry(team)], by, at(3)).await;
        done.expect("imported").remove(0)
    };
    let role = async || store.group_role(class, bob.id).await.expect("asked");
    let told = async || {
        let told = store.notifications_of(bob.id).await.expect("asked");
        let told = told.into_iter().map(|one| (one.kind, one.group));
        told.collect::<Vec<_>>()
    };
    let listed = import(Some("Red")).await;
    assert_eq!((listed.created, listed.invited), (false, Some(bob.created)));
    assert_eq!(
        (role().await, ok!(store.teams_of_group(class)).len()),
        (None, 0)
    );
    let invited = store.invitations_of(bob.id).await.expect("asked");
    assert_eq!(invited, store.invitations_to(class).await.expect("asked"));
    assert_eq!(
        (invited[0].group, invited[0].inviter.as_deref()),
        (class, Some("ann"))
    );
    let news = vec![(
        NotificationKind::GroupInvited,
        Some((class, "class".to_owned())),
    )];
    assert_eq!(told().await, news);

    let (by, now) = (Some(bob.id), at(4));
    ok!(store.remove_invitation(class, bob.id, by, now));
    fails!(store.accept_invitation(class, bob.id, now) => Missing { .. });
    import(Some("Red")).await;
    assert_eq!(told().await, news, "once");
    assert!(ok!(store.accept_invitation(class, bob.id, at(5))));
    assert_eq!(role().await, Some(GroupRole::Member));
    assert!(ok!(store.invitations_of(bob.id)).is_empty());
    assert_eq!(import(None).await.invited, None, "a member stays one");
}

pub async fn organisers_set_no_password_of_who_holds_more(store: Store) {
    let ann = user(&store, "ann").await;
    let (class, other) = (
        group(&store, "class", Some(ann.id)).await,
        group(&store, "other", Some(ann.id)).await,
    );
    let by = Some(ann.id);
    let issued = async |name: &str| {
        let entry = MemberEntry {
            name: name.to_owned(),
            password: Some("phc".to_owned()),
            team: None,
        };
        let done = store.import_members(class, &[entry], by, at(2)).await;
        done.expect("imported").remove(0).user
    };
    let set = async |user| store.issue_password(class, user, "phc2", by, at(9)).await;

    // Whoever lost a password gets one; sessions and tokens end, and the holder is told.
    let plain = issued("plain").await;
    let session = TokenHash::from_token("session");
    ok!(store.create_session(plain, session.clone(), at(3), at(99)));
    new_token(&store, plain, "token").await.expect("made");
    set(plain).await.expect("it holds nothing else");
    assert!(ok!(store.find_session(&session, at(9))).is_none());
    assert!(store.tokens_of(plain).await.expect("asked").is_empty());
    let told = store.notifications_of(plain).await.expect("asked");
    assert_eq!(told[0].kind, NotificationKind::PasswordIssued);
    assert_eq!(told[0].group.as_ref().map(|(id, _)| *id), Some(class));

    let member = issued("member").await;
    ok!(store.set_organiser(other, member, true, by, at(4)));
    refuses!(set(member) => "another group");
    let former = issued("former").await;
    for organises in [true, false] {
        ok!(store.set_organiser(class, former, organises, by, at(4)));
    }
    refuses!(set(former) => "was not created for");
    let named = issued("named").await;
    let new = new_contest("spring", &[account_name("named")]);
    store.create_contest(new, arena(4)).await.expect("free");
    refuses!(set(named) => "named in a contest");
    let teamed = issued("teamed").await;
    let team = new_team("Red", None);
    store.create_team(team, teamed, at(4)).await.expect("free");
    refuses!(set(teamed) => "a team outside");
    let linked = issued("linked").await;
    ok!(store.link_identity(linked, "school", "https://idp", "7", at(4)));
    refuses!(set(linked) => "at a provider");
    let guarded = issued("guarded").await;
    let begun = store.begin_second_factor(guarded, "SECRET", at(4)).await;
    assert!(begun.expect("begun"));
    let (hash, seen) = (
        TokenHash::from_token("guarded"),
        ok!(store.second_factor(guarded)),
    );
    let session = store.create_session(guarded, hash, at(4), at(99)).await;
    let session = session.expect("logged in").id;
    let seen = seen.expect("kept");
    let done = store.confirm_second_factor(&seen, 1, &[], (session, at(4)));
    assert!(done.await.expect("confirmed"));
    refuses!(set(guarded) => "a second factor");
}

async fn new_token(store: &Store, user: UserId, token: &str) -> Result<ApiToken, StoreError> {
    let new = NewToken {
        user: Some(user),
        kind: TokenKind::Author,
        name: token.to_owned(),
        hash: TokenHash::from_token(token),
        scopes: TokenScopes::default(),
        until: None,
    };
    store.create_token(new, at(0)).await
}

pub async fn an_account_has_50_tokens_also_at_the_same_time(store: Store) {
    let ann = user(&store, "ann").await;
    for number in 0..48 {
        ok!(new_token(&store, ann.id, &number.to_string()));
    }
    let at_once = (48..56).map(|number: i32| {
        let store = store.clone();
        tokio::spawn(async move { new_token(&store, ann.id, &number.to_string()).await })
    });
    let (mut made, at_once) = (0, at_once.collect::<Vec<_>>());
    for one in at_once {
        match one.await.expect("it ends") {
            Ok(_) => made += 1,
            Err(StoreError::Refused(why)) => says(&why, &["50 tokens"]),
            other => panic!("not refused: {other:?}"),
        }
    }
    assert_eq!(made, 2);
    assert_eq!(store.revoke_tokens(ann.id).await.expect("revoked"), 50);
}

pub async fn browsers_are_known_until_the_password_changes(store: Store) {
    let (ann, bob) = (user(&store, "ann").await, user(&store, "bob").await);
    let browser = TokenHash::from_token("browser");
    let known = async |user, seconds| {
        let known = store.knows_browser(&browser, user, at(seconds)).await;
        known.expect("asked")
    };
    for _ in 0..2 {
        ok!(store.note_browser(&browser, ann.id, at(1)));
    }
    assert!(known(ann.id, 2).await && !known(bob.id, 2).await);
    assert!(!known(ann.id, 400 * 24 * 3600).await);
    ok!(store.set_password(ann.id, "new", PasswordEnds::Everything));
    assert!(!known(ann.id, 2).await);
}

pub async fn replays_are_signed_with_the_newest_sound_key(store: Store) {
    let key = |name: &str| NewSigningKey {
        public: name.to_owned(),
        secret: format!("secret of {name}"),
    };
    let current = async |name: &str, arena: Option<&'static str>| {
        let current = store.current_signing_key(|| key(name), arena, at(1)).await;
        let current = current.expect("read");
        assert!(!format!("{current:?}").contains("secret"));
        (current.public, current.arena)
    };
    let here = Some("https://a.example.org");
    assert_eq!(current("one", None).await, ("one".to_owned(), None));
    let named = ("one".to_owned(), here.map(str::to_owned));
    assert_eq!(current("two", here).await, named, "the address is kept");
    assert_eq!(current("two", None).await, named);
    ok!(store.rotate_signing_key(key("three"), at(2)));
    assert_eq!(current("four", None).await.0, "three");
    for (public, is_known) in [("three", true), ("five", false)] {
        let revoked = store.revoke_signing_key(public, "stolen", at(3)).await;
        assert_eq!(revoked.is_ok(), is_known, "{public}");
    }
    assert_eq!(current("four", None).await.0, "four");
    let all = store.signing_keys().await.expect("read");
    let shown: Vec<_> = all
        .iter()
        .map(|key| (&*key.public, key.retired, key.revoked))
        .collect();
    let expected = [
        ("four", None, None),
        ("three", None, Some(at(3))),
        ("one", Some(at(2)), None),
    ];
    assert_eq!(shown, expected);
}
