//! Tests of `oidc::config`.

use leitai_server::oidc::config::*;

use crate::kit::{says, table};

const SOUND: &str = r#"
[[provider]]
id = "campus"
name = "Campus"
issuer = "https://login.example.org"
client_id = "leitai"
"#;

fn read(text: &str) -> Result<Vec<ProviderConfig>, String> {
    let folder = tempfile::tempdir().expect("there is room");
    std::fs::write(folder.path().join("secret"), "hidden\n").expect("there is room");
    let file = folder.path().join("oidc.toml");
    std::fs::write(&file, text).expect("there is room");
    let variable = |name: &str| (name == "SECRET").then(|| "from outside".to_owned());
    read_providers(&file, variable).map_err(|error| error.to_string())
}

#[test]
fn a_provider_has_a_secret_of_a_file_or_of_the_environment() {
    for (line, secret) in [
        ("", None),
        ("client_secret_file = \"secret\"", Some("hidden")),
        ("client_secret_env = \"SECRET\"", Some("from outside")),
    ] {
        let read = read(&format!("{SOUND}{line}")).expect("it is sound");
        assert_eq!(read[0].secret.as_deref(), secret);
        assert_eq!(read[0].scopes, ["openid", "profile", "email"]);
        let shown = format!("{read:?}");
        assert!(!shown.contains("hidden") && !shown.contains("from outside"));
    }
}

#[test]
fn what_cannot_be_used_is_said() {
    // What is replaced, or added at the end.
    for [from, to, said] in table(
        r#"
campus | Campus! | a-z, 0-9
https://login | http://login | must begin with https://
https://login.example.org | login | is no address
example.org | example.org/?a=b | without ?
 | secret = "x" | unknown field
 | client_secret_file = "none" | cannot be read
 | client_secret_env = "OTHER" | no variable OTHER
 | scopes = ["email"] | needs "openid"
 | email_domains = ["*@a.org"] | email_domains
"#,
    ) {
        let text = match from {
            "" => format!("{SOUND}{to}"),
            from => SOUND.replace(from, to),
        };
        let refused = read(&text).expect_err(&text);
        assert!(refused.contains(said), "{refused}");
    }
    for (text, said) in [
        (String::new(), "no [[provider]]"),
        (format!("{SOUND}{SOUND}"), "two with this id"),
    ] {
        says(&read(&text).expect_err(&text), &[said]);
    }
    let own = SOUND.replace("https://login.example.org", "http://127.0.0.1:9400");
    assert!(read(&own).is_ok(), "within this machine");
}
