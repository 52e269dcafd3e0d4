//! What the page tells people: written in the transaction that makes it happen, as for webhooks and
//! mail. Matches of the ladder are never told: there are too many.

use std::collections::HashSet;

use crate::database::availability::DatabaseTransaction;
use crate::messages::bot_people::BotPeople;
use crate::messages::follows::followers_of;
use crate::messages::notifications::{News, tell};
use crate::tables::follows::FollowKind;
use crate::{
    BotId, Contest, LadderId, MatchId, NotificationKind, StoreError, Timestamp, UserId, Version,
    VersionState,
};

/// The least change of a rating in a recount, in Elo, of which people are told.
pub(crate) const TOLD: f64 = 1.0;

/// The people of a version that failed are told, and who follows its bot of one that may play:
/// once, however often it is checked.
pub(crate) async fn tell_checked(
    change: &DatabaseTransaction,
    version: &Version,
    at: Timestamp,
) -> Result<(), StoreError> {
    let bot = version.bot;
    let (kind, key) = match version.state {
        VersionState::Failed => (
            NotificationKind::VersionFailed,
            format!("failed {} {}", version.id, at.0),
        ),
        VersionState::Ready => (
            NotificationKind::BotVersion,
            format!("version {}", version.id),
        ),
        _ => return Ok(()),
    };
    let known = BotPeople::of_bots(change, [bot]).await?;
    let own = known.people(bot);
    let people = match kind {
        NotificationKind::VersionFailed => own.to_vec(),
        _ => {
            let mut followers = followers_of(change, FollowKind::Bot, &[bot.0]).await?;
            let mut followers = followers.remove(&bot.0).unwrap_or_default();
            followers.retain(|user| !own.contains(user));
            followers
        }
    };
    let news = News {
        bot: Some(bot),
        version: Some(version.number),
        ..News::new(kind, key)
    };
    let news: Vec<_> = people
        .into_iter()
        .map(|user| (user, news.clone()))
        .collect();
    tell(change, &news, at).await
}

/// The people of bots that rest since these matches are told.
pub(crate) async fn tell_rested(
    change: &DatabaseTransaction,
    rested: &[(BotId, MatchId)],
    at: Timestamp,
) -> Result<(), StoreError> {
    if rested.is_empty() {
        return Ok(());
    }
    let known = BotPeople::of_bots(change, rested.iter().map(|(bot, _)| *bot)).await?;
    let mut news = Vec::new();
    for (bot, since) in rested {
        let one = News {
            bot: Some(*bot),
            ..News::new(NotificationKind::BotRests, format!("rests {bot} {since}"))
        };
        let people = known.people(*bot).iter();
        news.extend(people.map(|user| (*user, one.clone())));
    }
    tell(change, &news, at).await
}

/// The people of bots whose ratings changed by at least [`TOLD`] in a recount are told, once, with
/// the rating before and after.
pub(crate) async fn tell_recounted(
    change: &DatabaseTransaction,
    ladder: &LadderId,
    ratings: &[(BotId, [f64; 2])],
    at: Timestamp,
) -> Result<(), StoreError> {
    let told = ratings
        .iter()
        .filter(|(_, [before, after])| (before - after).abs() >= TOLD);
    let known = BotPeople::of_bots(change, told.clone().map(|(bot, _)| *bot)).await?;
    let mut news = Vec::new();
    for (bot, ratings) in told {
        let one = News {
            bot: Some(*bot),
            ladder: Some(ladder.clone()),
            ratings: Some(*ratings),
            ..News::new(
                NotificationKind::RatingRecounted,
                format!("recount {bot} {ladder}"),
            )
        };
        let people = known.people(*bot).iter();
        news.extend(people.map(|user| (*user, one.clone())));
    }
    tell(change, &news, at).await
}

/// Bots stand higher on a ladder than ever, at these places: their people are told, and who
/// follows them or their people.
pub(crate) async fn tell_best_ranks(
    change: &DatabaseTransaction,
    ladder: &LadderId,
    ranked: &[(BotId, i32)],
    at: Timestamp,
) -> Result<(), StoreError> {
    if ranked.is_empty() {
        return Ok(());
    }
    let bots = ranked.iter().map(|(bot, _)| *bot);
    let known = BotPeople::of_bots(change, bots.clone()).await?;
    let keys: Vec<i64> = bots.clone().map(|bot| bot.0).collect();
    let of_bots = followers_of(change, FollowKind::Bot, &keys).await?;
    let people: HashSet<i64> = bots
        .flat_map(|bot| known.people(bot))
        .map(|user| user.0)
        .collect();
    let people: Vec<i64> = people.into_iter().collect();
    let of_people = followers_of(change, FollowKind::Player, &people).await?;
    let mut news = Vec::new();
    for (bot, rank) in ranked {
        let key = match ladder.is_standard() {
            true => format!("best rank {bot} {rank}"),
            false => format!("best rank {bot} {rank} {ladder}"),
        };
        let one = News {
            bot: Some(*bot),
            place: Some(*rank),
            ladder: Some(ladder.clone()),
            ..News::new(NotificationKind::BestRank, key)
        };
        let own = known.people(*bot);
        let of_own = own.iter().filter_map(|user| of_people.get(&user.0));
        let followers = of_bots.get(&bot.0).into_iter().chain(of_own).flatten();
        let told: HashSet<UserId> = own.iter().chain(followers).copied().collect();
        news.extend(told.into_iter().map(|user| (user, one.clone())));
    }
    tell(change, &news, at).await
}

/// A contest begins: who plays in it is told, and who follows one of its bots or their people.
pub(crate) async fn tell_beginning(
    change: &DatabaseTransaction,
    contest: &Contest,
    playing: &[BotId],
    at: Timestamp,
) -> Result<(), StoreError> {
    let bots: Vec<(BotId, Option<i32>)> = playing.iter().map(|bot| (*bot, None)).collect();
    let (own, followed) = (
        NotificationKind::ContestBegun,
        NotificationKind::FollowedPlays,
    );
    tell_contest(change, contest, (own, followed), &bots, at).await
}

/// A contest is over, and these bots have these places, best first: who plays in it is told, and
/// who follows one of its bots or their people, if everybody sees the standings now.
pub(crate) async fn tell_result(
    change: &DatabaseTransaction,
    contest: &Contest,
    placed: &[(BotId, Option<i32>)],
    at: Timestamp,
) -> Result<(), StoreError> {
    let (own, followed) = (
        NotificationKind::ContestEnded,
        NotificationKind::FollowedPlaced,
    );
    tell_contest(change, contest, (own, followed), placed, at).await
}

/// A contest was annulled: who plays in it is told, and who follows it.
pub(crate) async fn tell_annulment(
    change: &DatabaseTransaction,
    contest: &Contest,
    playing: &[BotId],
    at: Timestamp,
) -> Result<(), StoreError> {
    let known = BotPeople::of_bots(change, playing.iter().copied()).await?;
    let kind = NotificationKind::ContestAnnulled;
    let mut news = Vec::new();
    for bot in playing {
        let own = about_contest(kind, contest, (*bot, None), at);
        news.extend(known.people(*bot).iter().map(|user| (*user, own.clone())));
    }
    let mut told = news.iter().map(|(user, _)| *user).collect();
    news.extend(of_followers(change, kind, contest, &mut told, at).await?);
    tell(change, &news, at).await
}

/// Tells the people of these bots something of their contest, and each who follows some of the
/// bots or their people something of the first of those.
async fn tell_contest(
    change: &DatabaseTransaction,
    contest: &Contest,
    (own, followed): (NotificationKind, NotificationKind),
    bots: &[(BotId, Option<i32>)],
    at: Timestamp,
) -> Result<(), StoreError> {
    let known = BotPeople::of_bots(change, bots.iter().map(|(bot, _)| *bot)).await?;
    let keys: Vec<i64> = bots.iter().map(|(bot, _)| bot.0).collect();
    let of_bots = followers_of(change, FollowKind::Bot, &keys).await?;
    let people = bots.iter().flat_map(|(bot, _)| known.people(*bot));
    let people: Vec<i64> = people.map(|user| user.0).collect();
    let of_people = followers_of(change, FollowKind::Player, &people).await?;
    let mut told: HashSet<UserId> = HashSet::new();
    let mut news = Vec::new();
    // That somebody plays in a public contest is no secret; how somebody was placed may be one.
    let hides = match own {
        NotificationKind::ContestBegun => contest.private,
        _ => {
            let over = Contest {
                ended: Some(at),
                ..contest.clone()
            };
            over.hides_matches(at)
        }
    };
    for place in bots {
        let people = known.people(place.0);
        let one = about_contest(own, contest, *place, at);
        news.extend(people.iter().map(|user| (*user, one.clone())));
        let one = about_contest(followed, contest, *place, at);
        if hides {
            continue;
        }
        let followers = of_bots.get(&place.0.0).into_iter().flatten();
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
    let kind = match own {
        NotificationKind::ContestBegun => NotificationKind::FollowedBegun,
        _ => NotificationKind::FollowedEnded,
    };
    told.extend(people.iter().map(|user| UserId(*user)));
    news.extend(of_followers(change, kind, contest, &mut told, at).await?);
    tell(change, &news, at).await
}

/// What the followers of a contest are told, but for those who were told otherwise. Of a private one
/// they are told nothing: they may not see it any more.
async fn of_followers(
    change: &DatabaseTransaction,
    kind: NotificationKind,
    contest: &Contest,
    told: &mut HashSet<UserId>,
    at: Timestamp,
) -> Result<Vec<(UserId, News)>, StoreError> {
    if contest.private {
        return Ok(Vec::new());
    }
    let one = News {
        contest: Some(contest.id),
        ..News::new(kind, format!("{kind:?} {} {}", contest.id, at.0))
    };
    let mut followers = followers_of(change, FollowKind::Contest, &[contest.id.0]).await?;
    let followers = followers.remove(&contest.id.0).unwrap_or_default();
    let others = followers.into_iter().filter(|user| told.insert(*user));
    Ok(others.map(|user| (user, one.clone())).collect())
}

fn about_contest(
    kind: NotificationKind,
    contest: &Contest,
    (bot, place): (BotId, Option<i32>),
    at: Timestamp,
) -> News {
    News {
        bot: Some(bot),
        contest: Some(contest.id),
        place,
        // A contest that goes on after its end ends again.
        ..News::new(kind, format!("{kind:?} {} {}", contest.id, at.0))
    }
}
