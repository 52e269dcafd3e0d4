//! A person as a provider knows them, the secrets of a sign-in, and why one failed.

use leitai_store::values::secret::random_token;
use sha2::{Digest, Sha256};

/// A person as a provider knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The provider's issuer.
    pub issuer: String,
    /// The person, in the provider's terms.
    pub subject: String,
    /// The name that they have there, or their address.
    pub wanted_name: Option<String>,
}

/// The secrets of one sign-in.
#[derive(Clone)]
pub struct SignInSecrets {
    /// What the token must repeat.
    pub nonce: String,
    /// What the provider compares with the challenge (PKCE).
    pub verifier: String,
}

impl SignInSecrets {
    /// The secrets of the sign-in with this state by the browser with this cookie.
    pub fn derive(browser: &str, state: &str) -> SignInSecrets {
        let derive = |purpose: &str| {
            let digest = Sha256::new()
                .chain_update(purpose)
                .chain_update([0])
                .chain_update(browser)
                .chain_update([0])
                .chain_update(state)
                .finalize();
            hex::encode(digest)
        };
        SignInSecrets {
            nonce: derive("leitai oidc nonce"),
            verifier: derive("leitai oidc verifier"),
        }
    }
}

/// A new state.
pub fn make_state() -> String {
    random_token()
}

/// Why somebody could not sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInProblem {
    /// The person, or the provider, said no.
    Denied,
    /// The provider does not answer.
    Unreachable,
    /// The provider answered with something else: what, in a word for the log.
    Answer(&'static str),
    /// The sign-in is unknown, was used, is too old, or began in another browser.
    Expired,
    /// The clocks of provider and arena differ, or the token is too old.
    Clock,
    /// The answer is of another issuer.
    Issuer,
    /// The token is for somebody else.
    Audience,
    /// The token is of another sign-in.
    Nonce,
    /// No key of the provider has signed the token.
    Signature,
    /// The token is none: why, in a word for the log.
    Token(&'static str),
    /// The person's address is in none of the operator's domains, or not verified.
    Domain,
    /// The person has no account, and none may be opened.
    Closed,
    /// There is no administrator yet, who opens the first account.
    FirstAccount,
    /// The account is locked.
    Disabled,
    /// The identity opens another account.
    Taken,
    /// The account has too many identities.
    TooMany,
    /// The account that was to be linked is not the one that is logged in now.
    Session,
}

impl SignInProblem {
    /// The word for programs and for the page, which says it in both languages.
    pub fn code(self) -> &'static str {
        match self {
            SignInProblem::Denied => "denied",
            SignInProblem::Unreachable => "unreachable",
            SignInProblem::Expired => "expired",
            SignInProblem::Clock => "clock",
            SignInProblem::Issuer => "issuer",
            SignInProblem::Answer(_) => "answer",
            SignInProblem::Audience => "audience",
            SignInProblem::Nonce => "nonce",
            SignInProblem::Signature => "signature",
            SignInProblem::Token(_) => "token",
            SignInProblem::Domain => "domain",
            SignInProblem::Closed => "closed",
            SignInProblem::FirstAccount => "first-account",
            SignInProblem::Disabled => "disabled",
            SignInProblem::Taken => "linked",
            SignInProblem::TooMany => "too-many",
            SignInProblem::Session => "session",
        }
    }
}
