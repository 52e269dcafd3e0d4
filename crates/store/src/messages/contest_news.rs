//! What people are told of contests in the page: who plays there, and who follows the contest, one of
//! its bots or their people.

use std::collections::HashSet;

use crate::database::prelude::*;
use crate::messages::bot_people::BotPeople;
use crate::messages::follows::followers_of;
use crate::messages::notifications::News;
use crate::tables::contests::Entity;
use crate::tables::follows::FollowKind;
use crate::{BotId, Contest, ContestId, NotificationKind, UserId};

/// What is told to whom.
#[derive(Clone, Copy)]
pub(crate) struct ContestKinds {
    /// To the people of its bots.
    pub own: NotificationKind,
    /// To who follows one of its bots or their people.
    pub followed_bot: Option<NotificationKind>,
    /// To who follows the contest.
    pub followed: NotificationKind,
    /// Whether who follows a bot may not know it at this time.
    pub hides_bots: fn(&Contest, Timestamp) -> bool,
}

/// What the people of these bots are told of their contest, and each who follows some of the bots or
/// their people, of the first of those, and who follows the contest.
pub(crate) async fn tell_contest(
    change: &Change,
    id: ContestId,
    kinds: ContestKinds,
    bots: Vec<(BotId, Option<i32>)>,
    at: Timestamp,
) -> Result<Vec<(UserId, News)>> {
    let Some(contest) = find(change, id).await? else {
        return Ok(Vec::new());
    };
    let followed_bot = kinds.followed_bot;
    let followed_bot = followed_bot.filter(|_| !(kinds.hides_bots)(&contest, at));
    let known = BotPeople::of_bots(change, bots.iter().map(|(bot, _)| *bot)).await?;
    let keys: Vec<i64> = bots.iter().map(|(bot, _)| bot.0).collect();
    let of_bots = followers_of(change, FollowKind::Bot, &keys).await?;
    let people = bots.iter().flat_map(|(bot, _)| known.people(*bot));
    let people: Vec<i64> = people.map(|user| user.0).collect();
    let of_people = followers_of(change, FollowKind::Player, &people).await?;
    let mut told: HashSet<UserId> = HashSet::new();
    let mut news = Vec::new();
    for (bot, place) in bots {
        let people = known.people(bot);
        let one = about_contest(kinds.own, id, (Some(bot), place), at);
        news.extend(people.iter().map(|user| (*user, one.clone())));
        let Some(kind) = followed_bot else { continue };
        let one = about_contest(kind, id, (Some(bot), place), at);
        let followers = of_bots.get(&bot.0).into_iter().flatten();
        let mut reached: Vec<(UserId, News)> = followers.map(|user| (*user, one.clone())).collect();
        for player in people {
            let one = News {
                player: Some(*player),
                ..one.clone()
            };
            let followers = of_people.get(&player.0).into_iter().flatten();
            reached.extend(followers.map(|user| (*user, one.clone())));
        }
        // Who plays with this bot knows it.
        reached.retain(|(user, _)| !people.contains(user) && told.insert(*user));
        news.append(&mut reached);
    }
    // Who follows a private one may not see it any more.
    if !contest.private {
        told.extend(people.iter().map(|user| UserId(*user)));
        let one = about_contest(kinds.followed, id, (None, None), at);
        let followers = followers_of(change, FollowKind::Contest, &[id.0]).await?;
        let followers = followers.into_values().flatten();
        let others = followers.filter(|user| told.insert(*user));
        news.extend(others.map(|user| (user, one.clone())));
    }
    Ok(news)
}

/// The contest, unless it is gone by now.
pub(crate) async fn find(change: &Change, id: ContestId) -> Result<Option<Contest>> {
    Ok(Entity::find_by_id(id).one(change).await?)
}

/// Something about a contest, or about a bot in it.
fn about_contest(
    kind: NotificationKind,
    contest: ContestId,
    (bot, place): (Option<BotId>, Option<i32>),
    at: Timestamp,
) -> News {
    News {
        bot,
        contest: Some(contest),
        place,
        // A contest that goes on after its end ends again.
        ..News::new(kind, format!("{kind:?} {contest} {}", at.0))
    }
}
