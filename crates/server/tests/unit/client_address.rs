//! Tests of `client_address`.

use leitai_server::client_address::*;

#[test]
fn addresses_of_one_ipv6_network_count_as_one() {
    let of = |text: &str| ClientAddress::from_ip(text.parse().expect("an address"));
    assert_eq!(of("2001:db8:1:2:3::1"), of("2001:db8:1:2:ffff::9"));
    assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
    assert_eq!(of("::ffff:1.2.3.4"), of("1.2.3.4"));
    assert_ne!(of("1.2.3.4"), of("1.2.3.5"));
}
