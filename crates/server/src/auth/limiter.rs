//! How often things may be done, by address or by account.

use std::convert::Infallible;
use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, RateLimiter};
use leitai_store::UserId;

use crate::app::App;
use crate::config::RateLimits;
use crate::error::ApiError;

/// Entries in one table before those that no longer matter are dropped.
const MANY: usize = 10_000;

/// How often things may be done.
#[derive(Clone, Debug)]
pub struct RateLimiters {
    tables: Arc<LimiterTables>,
}

#[derive(Debug)]
struct LimiterTables {
    login: DefaultKeyedRateLimiter<ClientAddress>,
    account: DefaultKeyedRateLimiter<String>,
    register: DefaultKeyedRateLimiter<ClientAddress>,
    guest: DefaultKeyedRateLimiter<ClientAddress>,
    play: DefaultKeyedRateLimiter<UserId>,
    upload: DefaultKeyedRateLimiter<UserId>,
    friendly: DefaultKeyedRateLimiter<UserId>,
}

impl RateLimiters {
    /// Nobody has done anything yet.
    pub fn new(rates: &RateLimits) -> RateLimiters {
        let tables = LimiterTables {
            login: RateLimiter::keyed(rates.login),
            account: RateLimiter::keyed(rates.account),
            register: RateLimiter::keyed(rates.register),
            guest: RateLimiter::keyed(rates.guest),
            play: RateLimiter::keyed(rates.play),
            upload: RateLimiter::keyed(rates.upload),
            friendly: RateLimiter::keyed(rates.friendly),
        };
        RateLimiters {
            tables: Arc::new(tables),
        }
    }

    /// An attempt to log in to an account from an address.
    pub fn allow_login(&self, from: ClientAddress, name: &str) -> Result<(), ApiError> {
        check_rate(&self.tables.login, &from)?;
        check_rate(
            &self.tables.account,
            &name.trim().to_lowercase().chars().take(64).collect(),
        )
    }

    /// A new account from an address.
    pub fn allow_register(&self, from: ClientAddress) -> Result<(), ApiError> {
        check_rate(&self.tables.register, &from)
    }

    /// Something that needs no account and costs us work: counted by account, of guests by address.
    pub fn play(&self, by: Option<UserId>, from: ClientAddress) -> Result<(), ApiError> {
        match by {
            Some(user) => check_rate(&self.tables.play, &user),
            None => check_rate(&self.tables.guest, &from),
        }
    }

    /// A new version.
    pub fn allow_upload(&self, by: UserId) -> Result<(), ApiError> {
        check_rate(&self.tables.upload, &by)
    }

    /// A match on demand.
    pub fn allow_friendly(&self, by: UserId) -> Result<(), ApiError> {
        check_rate(&self.tables.friendly, &by)
    }
}

fn check_rate<K: Hash + Eq + Clone>(
    table: &DefaultKeyedRateLimiter<K>,
    key: &K,
) -> Result<(), ApiError> {
    if table.len() > MANY {
        table.retain_recent();
    }
    table
        .check_key(key)
        .map_err(|until| ApiError::too_often(until.wait_time_from(DefaultClock::default().now())))
}

/// Where a request comes from: an IPv4 address, or the /64 network of an IPv6 address, which is one
/// household's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// Of the other side of a connection.
    pub fn of(address: IpAddr) -> ClientAddress {
        ClientAddress(match address.to_canonical() {
            IpAddr::V6(six) => IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() >> 64 << 64)),
            four => four,
        })
    }
}

impl FromRequestParts<App> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<ClientAddress, Infallible> {
        let forwarded = app
            .options
            .trust_proxy
            .then(|| forwarded_for(&parts.headers))
            .flatten();
        let connected = || {
            parts
                .extensions
                .get::<ConnectInfo<SocketAddr>>()
                .map(|info| info.0.ip())
        };
        // A server without addresses is one in a test.
        Ok(ClientAddress::of(
            forwarded
                .or_else(connected)
                .unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        ))
    }
}

/// What the proxy next to us has written; what stands before it, anybody may have.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?;
    last.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_forwarded_address_counts() {
        for (values, expected) in [
            (&["1.2.3.4"][..], Some("1.2.3.4")),
            (&["9.9.9.9, 1.2.3.4"], Some("1.2.3.4")),
            (&["9.9.9.9", "1.2.3.4"], Some("1.2.3.4")),
            (&["2001:db8::1"], Some("2001:db8::1")),
            (&["nonsense"], None),
            (&[], None),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append("x-forwarded-for", value.parse().expect("a header"));
            }
            let expected = expected.map(|text| text.parse().expect("an address"));
            assert_eq!(forwarded_for(&headers), expected, "{values:?}");
        }
    }

    #[test]
    fn a_household_is_one_address() {
        let of = |text: &str| ClientAddress::of(text.parse().expect("an address"));
        assert_eq!(of("2001:db8:1:2:3::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:1.2.3.4"), of("1.2.3.4"));
        assert_ne!(of("1.2.3.4"), of("1.2.3.5"));
    }
}
