//! Connections to [NATS](https://nats.io): addresses, user and password, and errors that say what to
//! do. The bus between servers and batches on many machines use them.

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

use std::str::FromStr;
use std::time::Duration;

use async_nats::{Client, ConnectErrorKind, ConnectOptions, ServerAddr};

/// The time limit of the first connection.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// The longest pause between two attempts to connect again.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Errors of the first connection.
#[derive(Debug, thiserror::Error)]
pub enum NatsError {
    /// Not an address of a NATS server.
    #[error(
        "{0} is not the address of a NATS server ({1}); write for example \
         nats://USER:PASSWORD@bus.internal:4222, or several with commas"
    )]
    Address(String, String),
    /// Nobody answers there.
    #[error(
        "no NATS server answers at {0} ({1}); look whether nats-server runs there and whether \
         this machine reaches its port"
    )]
    Unreachable(String, String),
    /// The server refuses the name or the password.
    #[error(
        "the NATS server at {0} refuses the user or the password; compare both with the \
         `authorization` or `accounts` in its configuration"
    )]
    Refused(String),
    /// No secured connection.
    #[error(
        "no secured connection to {0} ({1}); its certificate must be valid for this name, and \
         SSL_CERT_FILE may name a file with an authority of your own"
    )]
    Insecure(String, String),
    /// The server has no certificate.
    #[error(
        "the NATS server at {0} takes no secured connection ({1}); give its configuration a `tls` with \
         `cert_file` and `key_file`, or, in a network of your own, write nats:// for an open one"
    )]
    Open(String, String),
    /// The user may not use the subjects.
    #[error(
        "the user at {0} may not use the subject {1}; allow it to publish and subscribe to \
         `leitai.>` and `_INBOX.>`"
    )]
    Forbidden(String, String),
}

/// Connects to the servers at these addresses, separated by commas; user and password are in them.
/// Must be called in a runtime.
///
/// # Errors
/// [`NatsError`], without any password.
pub async fn connect(addresses: &str, options: ConnectOptions) -> Result<Client, NatsError> {
    let shown = show_addresses(addresses);
    let servers = read_addresses(addresses, &shown)?;
    let mut options = options
        .connection_timeout(PATIENCE)
        .reconnect_delay_callback(pause_before);
    if let Some((user, password)) = find_credentials(&servers) {
        options = match password {
            Some(password) => options.user_and_password(user, password),
            None => options.token(user),
        };
    }
    let connected = tokio::time::timeout(2 * PATIENCE, options.connect(&servers[..])).await;
    match connected {
        Ok(Ok(client)) => Ok(client),
        Ok(Err(error)) => Err(explain(&error, shown)),
        Err(_) => Err(NatsError::Unreachable(shown, "timed out".to_owned())),
    }
}

fn read_addresses(addresses: &str, shown: &str) -> Result<Vec<ServerAddr>, NatsError> {
    let wrong = |why: String| NatsError::Address(shown.to_owned(), why);
    let mut servers = Vec::new();
    for address in addresses.split(',').map(str::trim) {
        let server = ServerAddr::from_str(address).map_err(|error| wrong(error.to_string()))?;
        // The library panics without a host.
        let has_host = address.split("://").last().is_some_and(|rest| {
            let rest = rest.rsplit_once('@').map_or(rest, |(_, after)| after);
            !rest.starts_with([':', '/']) && !rest.is_empty()
        });
        if !has_host {
            return Err(wrong("it names no host".to_owned()));
        }
        if !matches!(server.scheme(), "nats" | "tls") {
            return Err(wrong(
                "it begins with neither nats:// nor tls://".to_owned(),
            ));
        }
        servers.push(server);
    }
    Ok(servers)
}

/// The user and the password of the first address that has them; without a password it is a token.
fn find_credentials(servers: &[ServerAddr]) -> Option<(String, Option<String>)> {
    servers.iter().find_map(|server| {
        let user = server.username().map(decode_percent)?;
        Some((user, server.password().map(decode_percent)))
    })
}

fn decode_percent(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = (*first == b'%')
            .then(|| std::str::from_utf8(after.get(..2)?).ok())
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(byte) => (bytes.push(byte), rest = &after[2..]),
            None => (bytes.push(*first), rest = after),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Addresses without their passwords.
pub fn show_addresses(addresses: &str) -> String {
    let show = |address: &str| {
        let (scheme, rest) = address.split_once("://").unwrap_or(("nats", address));
        match rest.rsplit_once('@') {
            None => address.to_owned(),
            Some((who, host)) => match who.split_once(':') {
                Some((user, _)) => format!("{scheme}://{user}:…@{host}"),
                None => format!("{scheme}://…@{host}"),
            },
        }
    };
    let shown: Vec<String> = addresses.split(',').map(str::trim).map(show).collect();
    shown.join(",")
}

fn explain(error: &async_nats::ConnectError, shown: String) -> NatsError {
    let cause = std::error::Error::source(error)
        .map_or_else(|| error.kind().to_string(), ToString::to_string);
    match error.kind() {
        ConnectErrorKind::ServerParse => NatsError::Address(shown, cause),
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            NatsError::Refused(shown)
        }
        ConnectErrorKind::Tls => NatsError::Insecure(shown, cause),
        // The server answers the handshake with text.
        ConnectErrorKind::Io if cause.contains("corrupt message") => NatsError::Open(shown, cause),
        // What a handshake says arrives as an error of the connection.
        ConnectErrorKind::Io
            if cause.contains("certificate") || cause.contains("HandshakeFail") =>
        {
            NatsError::Insecure(shown, cause)
        }
        ConnectErrorKind::Dns
        | ConnectErrorKind::TimedOut
        | ConnectErrorKind::Io
        | ConnectErrorKind::MaxReconnects => NatsError::Unreachable(shown, cause),
    }
}

/// The pause before an attempt; the first one has none. Servers that lost the same bus come back
/// one after the other.
fn pause_before(attempt: usize) -> Duration {
    if attempt <= 1 {
        return Duration::ZERO;
    }
    let exponent = u32::try_from(attempt.min(8)).unwrap_or(8);
    let longest = Duration::from_millis(10 << exponent).min(LONGEST_PAUSE);
    longest.mul_f64(rand::random_range(0.5..=1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_shown_without_passwords() {
        let addresses = "nats://ann:a%40b:c@one:4222, tls://two";
        let shown = show_addresses(addresses);
        assert_eq!(shown, "nats://ann:…@one:4222,tls://two");
        let servers = read_addresses(addresses, &shown).expect("two servers");
        assert_eq!((servers.len(), servers[1].port()), (2, 4222));
        let password = Some("a@b:c".to_owned());
        assert_eq!(
            find_credentials(&servers),
            Some(("ann".to_owned(), password))
        );
        assert_eq!(show_addresses("secret@host"), "nats://…@host");
        assert_eq!(decode_percent("%e5%A5%bd%4"), "好%4");
        for wrong in [
            "",
            "http://x",
            "ws://x",
            "nats://",
            "nats://:4222",
            "nats://a:b@",
            "nats://x:y",
        ] {
            let refused = read_addresses(wrong, wrong);
            assert!(matches!(refused, Err(NatsError::Address(..))), "{wrong}");
        }
    }

    #[test]
    fn pauses_grow_to_two_seconds() {
        assert_eq!(pause_before(1), Duration::ZERO);
        for attempt in 2..40 {
            let pause = pause_before(attempt);
            assert!(pause >= Duration::from_millis(20) && pause <= LONGEST_PAUSE);
        }
        assert!(pause_before(30) >= LONGEST_PAUSE / 2);
    }
}
