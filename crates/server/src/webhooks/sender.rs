//! Sends one event to one webhook.

use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use leitai_store::{AttemptOutcome, DeliveryId, EventKind, Timestamp};
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Request};

use crate::webhooks::address::{AddressProblem, CheckedLookup, OnlyPrivate, Reach, parse_address};
use crate::webhooks::signature::sign_body;

/// The longest time that a receiver may take to answer.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The header with the event's name.
pub const EVENT: HeaderName = HeaderName::from_static("leitai-event");
/// The header with the delivery's number, the same in every attempt.
pub const DELIVERY: HeaderName = HeaderName::from_static("leitai-delivery");
/// The header with the time of the attempt, in seconds since 1970.
pub const TIMESTAMP: HeaderName = HeaderName::from_static("leitai-timestamp");
/// The header with the signature.
pub const SIGNATURE: HeaderName = HeaderName::from_static("leitai-signature");

/// Sends events. Clones share it.
#[derive(Clone, Debug)]
pub struct WebhookSender {
    reach: Reach,
    client: Arc<OnceLock<Option<Client>>>,
}

/// What is sent, and where.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    /// The address.
    pub url: &'a str,
    /// The secret that signs.
    pub secret: &'a str,
    /// The event.
    pub event: EventKind,
    /// The delivery's number.
    pub delivery: DeliveryId,
    /// The body, JSON.
    pub body: Vec<u8>,
    /// When it is sent.
    pub at: Timestamp,
}

impl WebhookSender {
    /// A sender that reaches these addresses.
    pub fn new(reach: Reach) -> WebhookSender {
        WebhookSender {
            reach,
            client: Arc::default(),
        }
    }

    /// Which addresses it reaches.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// Sends a message once. Why it failed is one of a few words, because an author reads it: what
    /// a machine answers is not shown.
    pub async fn send_message(&self, message: Message<'_>) -> AttemptOutcome {
        let failed = |why: &str| AttemptOutcome::Failed {
            status: None,
            why: why.to_owned(),
        };
        let Some(client) = self.client() else {
            return failed("no-tls");
        };
        let request = match self.build_request(message) {
            Ok(request) => request,
            Err(AddressProblem::Private) => return failed("private"),
            Err(_) => return failed("address"),
        };
        // The body of the answer is not read.
        match client.execute(request).await {
            Ok(answer) if answer.status().is_success() => {
                AttemptOutcome::Delivered(answer.status().as_u16())
            }
            Ok(answer) => AttemptOutcome::Failed {
                status: Some(answer.status().as_u16()),
                why: match answer.status().is_redirection() {
                    true => "redirect".to_owned(),
                    false => "status".to_owned(),
                },
            },
            Err(error) => failed(name_problem(&error)),
        }
    }

    fn build_request(&self, message: Message<'_>) -> Result<Request, AddressProblem> {
        // The operator may have changed what is allowed since the webhook was made.
        let url = parse_address(message.url, self.reach)?;
        let seconds = message.at.0.div_euclid(1000);
        let signature = sign_body(message.secret, seconds, &message.body);
        let event = serde_json::to_value(message.event).unwrap_or_default();
        let event = event.as_str().unwrap_or_default();
        let mut request = Request::new(reqwest::Method::POST, url);
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let text = |text: &str| HeaderValue::from_str(text).expect("printable ASCII");
        headers.insert(EVENT, text(event));
        headers.insert(DELIVERY, HeaderValue::from(message.delivery.0));
        headers.insert(TIMESTAMP, HeaderValue::from(seconds));
        headers.insert(SIGNATURE, text(&signature));
        *request.body_mut() = Some(message.body.into());
        Ok(request)
    }

    /// The client, which needs the machine's certificates; `None` if there are none.
    fn client(&self) -> Option<&Client> {
        let made = self.client.get_or_init(|| {
            let client = build_client(self.reach);
            if let Err(error) = &client {
                tracing::error!(%error, "webhooks cannot be sent; are there certificates of authorities on this machine?");
            }
            client.ok()
        });
        made.as_ref()
    }
}

fn build_client(reach: Reach) -> reqwest::Result<Client> {
    // It may be installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .user_agent(concat!("Leitai/", env!("CARGO_PKG_VERSION")))
        .dns_resolver(Arc::new(CheckedLookup(reach)))
        .redirect(Policy::none())
        // A proxy would look names up again.
        .no_proxy()
        .pool_max_idle_per_host(0)
        .timeout(PATIENCE)
        .build()
}

/// The word for an error without an answer.
fn name_problem(error: &reqwest::Error) -> &'static str {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(this) = cause {
        if this.is::<OnlyPrivate>() {
            return "private";
        }
        cause = this.source();
    }
    if error.is_timeout() {
        "timeout"
    } else if error.is_connect() {
        "connect"
    } else {
        "broken"
    }
}
