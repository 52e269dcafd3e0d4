//! Where a request comes from.

use std::net::{IpAddr, Ipv6Addr};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_household_is_one_address() {
        let of = |text: &str| ClientAddress::of(text.parse().expect("an address"));
        assert_eq!(of("2001:db8:1:2:3::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:1.2.3.4"), of("1.2.3.4"));
        assert_ne!(of("1.2.3.4"), of("1.2.3.5"));
    }
}
