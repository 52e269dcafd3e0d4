//! Groups, teams, and lists of members.

use leitai_store::*;

use crate::arena::*;

async fn group(store: &Store, name: &str, organiser: &User, team_size: i32) -> Group {
    let new = new_group(name, team_size, Some(organiser.id));
    let made = store.create_group(new, Some(organiser.id), at(1)).await;
    made.expect("the name is free")
}

fn entry(name: &str, team: &str) -> MemberEntry {
    MemberEntry {
        name: name.to_owned(),
        password: Some("phc".to_owned()),
        team: (!team.is_empty()).then(|| team.to_owned()),
    }
}

async fn names(store: &Store, team: TeamId) -> Vec<String> {
    let members = store.members_of_team(team).await.expect("found");
    members.into_iter().map(|member| member.name).collect()
}

async fn actions(store: &Store) -> Vec<String> {
    let page = store.list_audit(&PageQuery::default()).await.expect("read");
    page.items.into_iter().map(|line| line.action).collect()
}

pub async fn a_member_list_is_imported_whole_or_not_at_all(store: Store) {
    let ada = user(&store, "ada").await;
    let class = group(&store, "AI 2026", &ada, 2).await;
    let bob = user(&store, "Bob").await;
    let list = [
        ("cara", "Red"),
        ("dora", "red"),
        ("bob", ""),
        ("ella", "Red"),
    ];
    let list = list.map(|(name, team)| entry(name, team));
    refuses!(store.import_members(class.id, &list, Some(ada.id), at(2)) => "may have 2");
    assert!(store.user_by_name("cara").await.expect("asked").is_none());
    assert_eq!(ok!(store.members_of_group(class.id)).len(), 1);
    let done = ok!(store.import_members(class.id, &list[..3], Some(ada.id), at(3)));
    let created: Vec<bool> = done.iter().map(|member| member.created).collect();
    assert_eq!(created, [true, true, false]);
    assert_eq!((done[2].user, done[2].invited), (bob.id, Some(bob.created)));
    ok!(store.accept_invitation(class.id, bob.id, at(3)));
    let members = store.members_of_group(class.id).await.expect("found");
    for (member, (name, is_new)) in members.iter().zip([
        ("ada", false),
        ("Bob", false),
        ("cara", true),
        ("dora", true),
    ]) {
        fields!(member, {name: name, password_temporary: is_new, team.is_some(): is_new});
    }
    assert_eq!(members.len(), 4);
    // The same list again changes nothing.
    let again = ok!(store.import_members(class.id, &list[..3], Some(ada.id), at(4)));
    assert!(again.iter().all(|member| !member.created));
    assert_eq!(ok!(store.members_of_group(class.id)).len(), 4);
    let cara = done[0].user;
    ok!(store.set_password(cara, "another", PasswordEnds::Everything));
    assert!(!ok!(store.find_user(cara)).password_temporary);
    ok!(store.issue_password(class.id, cara, "phc2", Some(ada.id), at(5)));
    assert!(ok!(store.find_user(cara)).password_temporary);
    let issued = store.issue_password(class.id, bob.id, "phc2", Some(ada.id), at(5));
    refuses!(issued => "was not created for");
    assert!(actions(&store).await.contains(&"group.import".to_owned()));
}

pub async fn teams_have_one_captain_and_few_members(store: Store) {
    let [ada, bob, cara] = users(&store, ["ada", "bob", "cara"]).await;
    let new = |name: &str, group| new_team(name, group);
    let red = ok!(store.create_team(new("Red", None), ada.id, at(1)));
    fails!(store.create_team(new("RED", None), bob.id, at(1)) => Taken { .. });
    ok!(store.join_team(&red.code, bob.id, at(2)));
    refuses!(store.join_team(&red.code, bob.id, at(2)) => "already a member");
    refuses!(store.join_team(&red.code, cara.id, at(2)) => "may have 2");
    fails!(store.join_team("nonsense", cara.id, at(2)) => Missing { .. });
    refuses!(store.leave_team(red.id, ada.id, Some(ada.id), at(3)) => "hand the captaincy over");
    refuses!(store.hand_over_team(red.id, cara.id, Some(ada.id), at(3)) => "not a member");
    let red = ok!(store.hand_over_team(red.id, bob.id, Some(ada.id), at(3)));
    assert_eq!(red.captain, bob.id);
    ok!(store.leave_team(red.id, ada.id, Some(ada.id), at(4)));
    assert_eq!(names(&store, red.id).await, ["bob"]);
    let renewed = ok!(store.renew_team_code(red.id, Some(bob.id), at(4)));
    assert_ne!(renewed.code, red.code);
    assert!(store.join_team(&red.code, cara.id, at(5)).await.is_err());
    // In a group: members only, one team each, of the group's size.
    let class = group(&store, "class", &ada, 3).await;
    refuses!(store.create_team(new("Red", Some(class.id)), bob.id, at(5)) => "do not belong");
    let blue = ok!(store.create_team(new("Red", Some(class.id)), ada.id, at(5)));
    assert_eq!((blue.size, blue.group()), (3, Some(class.id)));
    refuses!(store.create_team(new("Blue", Some(class.id)), ada.id, at(5)) => "has a team");
    // Somebody has taken the names that it would get without its group.
    for taken in ["red.{}", "RED.{}.2"] {
        let taken = taken.replace("{}", &blue.id.to_string());
        ok!(store.create_team(new(&taken, None), bob.id, at(5)));
    }
    ok!(store.delete_group(class.id, Some(ada.id), at(6)));
    let released = store.find_team(blue.id).await.expect("it stays");
    let expected = format!("Red.{}.3", blue.id);
    assert_eq!((released.name, released.scope), (expected, 0));
    ok!(store.leave_team(red.id, bob.id, Some(bob.id), at(7)));
    assert!(store.find_team(red.id).await.is_err());
}

pub async fn organisers_manage_their_group(store: Store) {
    let (ada, bob) = (user(&store, "ada").await, user(&store, "bob").await);
    let class = group(&store, "class", &ada, 0).await;
    refuses!(store.set_organiser(class.id, ada.id, false, None, at(2)) => "only organiser");
    refuses!(store.remove_group_member(class.id, ada.id, None, at(2)) => "only organiser");
    ok!(store.set_organiser(class.id, bob.id, true, Some(ada.id), at(2)));
    ok!(store.set_organiser(class.id, ada.id, false, Some(bob.id), at(3)));
    let role = async |user: &User| store.group_role(class.id, user.id).await.expect("asked");
    assert_eq!(
        (role(&ada).await, role(&bob).await),
        (Some(GroupRole::Member), Some(GroupRole::Organiser))
    );
    assert_eq!(store.groups_of(ada.id).await.expect("asked").len(), 1);
    ok!(store.remove_group_member(class.id, ada.id, Some(bob.id), at(4)));
    assert_eq!(role(&ada).await, None);
    let new = GroupChange {
        name: Some("Class".to_owned()),
        team_size: Some(4),
        about: None,
    };
    let changed = ok!(store.change_group(class.id, new, Some(bob.id), at(5)));
    assert_eq!((changed.name.as_str(), changed.team_size), ("Class", 4));
    let log = actions(&store).await;
    let actions = "group.create group.organiser.add group.organiser.remove group.member.remove
        group.change";
    for action in actions.split_whitespace() {
        assert!(
            log.iter().any(|line| line == action),
            "{action} is not in {log:?}"
        );
    }
}

async fn team_of_two(store: &Store) -> (User, User, Team, Bot) {
    let (ada, bob) = (user(store, "ada").await, user(store, "bob").await);
    let new = new_team("Red", None);
    let team = store.create_team(new, ada.id, at(1)).await.expect("made");
    ok!(store.join_team(&team.code, bob.id, at(2)));
    let new = new_bot("kob", "viper", bob.id);
    let bot = store.create_bot(new, at(3)).await.expect("made");
    let unlimited = &Quota::UNLIMITED;
    let given = store.set_bot_team(bot.id, Some(team.id), ada.id, unlimited, at(4));
    refuses!(given => "belongs to somebody else");
    let none = Quota {
        bots: 0,
        ..Quota::UNLIMITED
    };
    fails!(store.set_bot_team(bot.id, Some(team.id), bob.id, &none, at(4)) => Quota(_));
    let bot = ok!(store.set_bot_team(bot.id, Some(team.id), bob.id, unlimited, at(4)));
    (ada, bob, team, bot)
}

pub async fn bots_of_a_team_belong_to_all_members(store: Store) {
    let (ada, bob, team, bot) = team_of_two(&store).await;
    let cara = user(&store, "cara").await;
    assert_eq!(
        (bot.owner, bot.team),
        (Some(ada.id), Some(team.id)),
        "the captain owns it"
    );
    for (user, owns) in [(&ada, true), (&bob, true), (&cara, false)] {
        assert_eq!(store.owns_bot(&bot, user.id).await.expect("asked"), owns);
        let listed = store.bots_of(user.id).await.expect("asked");
        assert_eq!(listed.len(), usize::from(owns), "{}", user.name);
    }
    ok!(store.hand_over_team(team.id, bob.id, Some(ada.id), at(5)));
    let bot = store.find_bot(bot.id).await.expect("found");
    assert_eq!(bot.owner, Some(bob.id));
    let alone = ok!(store.set_bot_team(bot.id, None, bob.id, &Quota::UNLIMITED, at(6)));
    assert!(!store.owns_bot(&alone, ada.id).await.expect("asked"));
}

pub async fn a_deleted_account_leaves_its_team_to_the_others(store: Store) {
    let (ada, bob, team, bot) = team_of_two(&store).await;
    let class = group(&store, "class", &bob, 2).await;
    ok!(store.import_members(class.id, &[entry("ada", "Red")], Some(bob.id), at(4)));
    let joined = store.accept_invitation(class.id, ada.id, at(5)).await;
    assert!(joined.expect("she was asked"), "into the team, too");
    let deletion = |by| DeletionRequest { by, at: at(9) };
    ok!(store.delete_user(ada.id, deletion(Some(ada.id))));
    let bot = store.find_bot(bot.id).await.expect("it stays");
    assert_eq!((bot.owner, bot.team), (Some(bob.id), Some(team.id)));
    assert_eq!(names(&store, team.id).await, ["bob"]);
    let teams = store.teams_of_group(class.id).await.expect("asked");
    assert!(teams.is_empty(), "a team of nobody ends");
    ok!(store.delete_user(bob.id, deletion(None)));
    assert!(store.find_team(team.id).await.is_err());
    fails!(store.find_bot(bot.id) => Deleted { .. });
}
