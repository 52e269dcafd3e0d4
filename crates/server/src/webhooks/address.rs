//! To which addresses webhooks may point: to no machine of the arena's own network, unless the
//! operator allows it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The longest address of a webhook, in bytes.
pub const LONGEST: usize = 500;

/// Whether private addresses are reached, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only addresses of the internet.
    Public,
    /// Every address.
    Everywhere,
}

/// Why an address cannot be a webhook's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressProblem {
    /// It is not an address of http or https, or is too long.
    Malformed,
    /// It has a name or password before the host.
    Credentials,
    /// Its host is a private address.
    Private,
}

/// Reads the address of a webhook. Names are looked up when something is sent, each time.
pub fn parse_address(text: &str, reach: Reach) -> Result<Url, AddressProblem> {
    let url = Url::parse(text.trim()).map_err(|_| AddressProblem::Malformed)?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
    if !is_web || url.as_str().len() > LONGEST {
        return Err(AddressProblem::Malformed);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressProblem::Credentials);
    }
    match literal_address(&url) {
        Some(address) if !may_reach(address, reach) => Err(AddressProblem::Private),
        _ => Ok(url),
    }
}

/// The address in numbers that stands as the host.
fn literal_address(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.parse().ok()
}

/// Whether something may be sent to this address.
pub fn may_reach(address: IpAddr, reach: Reach) -> bool {
    reach == Reach::Everywhere
        || match address {
            IpAddr::V4(address) => is_public_v4(address),
            IpAddr::V6(address) => is_public_v6(address),
        }
}

/// Whether the IANA registry of special addresses says that it is of the internet.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || a == 0
        // Shared by the customers of a provider.
        || (a == 100 && (64..128).contains(&b))
        || (a, b, c) == (192, 0, 0)
        || (a, b, c) == (192, 88, 99)
        // Benchmarks.
        || (a == 198 && (18..20).contains(&b))
        // Multicast, reserved, broadcast.
        || a >= 224;
    !is_special
}

/// Only 2000::/3 is of the internet, without what carries IPv4 addresses or is special in it.
fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    let [first, second, ..] = address.segments();
    let is_global = first & 0xe000 == 0x2000;
    let is_special = (first == 0x2001 && (second < 0x0200 || second == 0x0db8))
        // 6to4, and documentation.
        || first == 0x2002
        || (first == 0x3fff && second < 0x1000);
    is_global && !is_special
}

/// Looks names up and returns only addresses that may be reached. The connection is made to one of
/// these, so that a name cannot mean another machine a moment later.
#[derive(Clone, Copy, Debug)]
pub struct CheckedLookup(pub Reach);

/// The name has only private addresses.
#[derive(Debug, thiserror::Error)]
#[error("the name has only private addresses")]
pub struct OnlyPrivate;

impl Resolve for CheckedLookup {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found
                .filter(|address| may_reach(address.ip(), reach))
                .collect();
            if allowed.is_empty() {
                return Err(OnlyPrivate.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}
