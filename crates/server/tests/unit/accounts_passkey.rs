//! Tests of `accounts::passkey`.

use leitai_server::accounts::passkey::*;

#[test]
fn passkeys_need_a_name_and_https_or_the_same_machine() {
    use NoPasskeys::*;
    for (url, why) in [
        (None, Some(NoPublicUrl)),
        (Some("https://arena.example.org"), None),
        (Some("https://arena.example.org:8443"), None),
        (Some("https://擂台.example.org"), None),
        (Some("http://localhost:8080"), None),
        (Some("http://arena.localhost:8080"), None),
        (Some("http://arena.example.org"), Some(NotHttps)),
        (Some("http://127.0.0.1:8080"), Some(IpAddress)),
        (Some("https://192.0.2.7"), Some(IpAddress)),
        (Some("https://[2001:db8::7]"), Some(IpAddress)),
    ] {
        assert_eq!(RelyingParty::at(url).err(), why, "{url:?}");
    }
}
