//! Mail: sends what is due through the operator's SMTP server. Nothing requires it.

mod texts;

use std::time::Duration;

use leitai_store::values::secret::random_token;
use leitai_store::{ClaimedMail, MailKind, NewLink, Store, StoreError, Timestamp, TokenHash};
use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};

/// How often it is looked what is due.
const LOOK: Duration = Duration::from_secs(1);
/// How long a server holds a mail: longer than an attempt lasts.
const HOLD: Duration = Duration::from_secs(120);
/// The longest time that the SMTP server may take for one mail.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a link works that confirms an address.
const CONFIRM: Duration = Duration::from_secs(24 * 3600);
/// How long a link works that sets a password.
const RESET: Duration = Duration::from_secs(3600);
/// The longest address, as RFC 5321 has it.
const LONGEST: usize = 254;

/// Sends mail. Clones share it.
#[derive(Clone, Debug)]
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    /// Where the arena's pages are, without a slash at the end.
    origin: String,
}

/// What the operator wrote cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MailConfigError {
    /// The server.
    #[error(
        "{0} is not the address of an SMTP server; write smtps://USER:PASSWORD@HOST, \
         smtp://HOST:587?tls=required, or smtp://HOST:25 for a server of your own network"
    )]
    Server(String),
    /// The sender.
    #[error("{0} is not the address of a sender; write for example `Leitai <arena@example.org>`")]
    Sender(String),
}

impl Mailer {
    /// A mailer for this server and sender; links in mails begin with `origin`.
    pub fn new(server: &str, from: &str, origin: &str) -> Result<Mailer, MailConfigError> {
        // It may be installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(server);
        let transport = transport.map_err(|_| MailConfigError::Server(hide_password(server)))?;
        let sender = || MailConfigError::Sender(from.to_owned());
        Ok(Mailer {
            transport: transport.timeout(Some(PATIENCE)).build(),
            from: from.parse().map_err(|_| sender())?,
            origin: origin.trim_end_matches('/').to_owned(),
        })
    }

    /// Sends what is due until the future is dropped.
    pub async fn run(self, store: Store) {
        loop {
            match self.send_due(&store, Timestamp::now).await {
                Ok(0) => tokio::time::sleep(LOOK).await,
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(%error, "mails cannot be looked up; tried again in a moment");
                    tokio::time::sleep(LOOK).await;
                }
            }
        }
    }

    /// Sends the mail that is longest due; returns the number of attempts, 0 or 1.
    pub async fn send_due(
        &self,
        store: &Store,
        now: impl Fn() -> Timestamp,
    ) -> Result<usize, StoreError> {
        // The secret is in no row: a mail that is tried again gets another.
        let (token, at) = (random_token(), now());
        let link = |kind| NewLink {
            hash: TokenHash::from_token(&token),
            until: at.after(match kind {
                MailKind::Reset => RESET,
                _ => CONFIRM,
            }),
        };
        let Some(claimed) = store.claim_mail(link, at, HOLD).await? else {
            return Ok(0);
        };
        let (problem, lasting) = match self.send(&claimed, &token).await {
            Ok(()) => (None, false),
            Err((problem, lasting)) => (Some(problem), lasting),
        };
        store
            .end_mail(&claimed.mail, problem, lasting, now())
            .await?;
        Ok(1)
    }

    /// Sends a mail; else the problem in a word, and whether it lasts.
    async fn send(&self, claimed: &ClaimedMail, token: &str) -> Result<(), (&'static str, bool)> {
        let text = texts::write_mail(claimed, &self.origin, token);
        let to = parse_address(&claimed.to.address).ok_or(("address", true))?;
        let message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(text.subject)
            .header(ContentType::TEXT_PLAIN)
            .body(text.body)
            .map_err(|_| ("address", true))?;
        match self.transport.send(message).await {
            Ok(_) => Ok(()),
            Err(error) if is_untrusted(&error) => {
                tracing::warn!(
                    %error,
                    mail = claimed.mail.id,
                    "a mail was not sent: the certificate of the SMTP server is not valid for its name, or its \
                     authority is not trusted; add the authority to the system's, or name a file with it in \
                     SSL_CERT_FILE"
                );
                Err(("untrusted", false))
            }
            Err(error) => {
                tracing::warn!(%error, mail = claimed.mail.id, "a mail was not sent");
                match error.is_permanent() {
                    true => Err(("refused", true)),
                    false => Err(("unreachable", false)),
                }
            }
        }
    }
}

/// Whether the certificate of the server was refused.
fn is_untrusted(error: &lettre::transport::smtp::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let wrapped = error.downcast_ref::<std::io::Error>();
        let wrapped = wrapped.and_then(std::io::Error::get_ref);
        let tls = wrapped.and_then(|inner| inner.downcast_ref::<rustls::Error>());
        if let Some(rustls::Error::InvalidCertificate(_)) = tls {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The address, if it is one.
pub fn parse_address(text: &str) -> Option<Address> {
    let text = text.trim();
    let is_short = text.len() <= LONGEST && text.is_ascii();
    text.parse().ok().filter(|_| is_short)
}

fn hide_password(url: &str) -> String {
    match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(host)) if scheme + 3 < host => {
            format!("{}…{}", &url[..scheme + 3], &url[host..])
        }
        _ => url.to_owned(),
    }
}
