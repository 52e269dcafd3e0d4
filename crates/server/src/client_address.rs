//! Client addresses, for rate limits.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// The address of a client: an IPv4 address, or the /64 network of an IPv6 address, which belongs
/// to one household.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// The address of a connection's remote end.
    pub fn from_ip(address: IpAddr) -> ClientAddress {
        ClientAddress(match address.to_canonical() {
            IpAddr::V6(six) => IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() >> 64 << 64)),
            four => four,
        })
    }
}

impl fmt::Display for ClientAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
