//! Passkeys: registered, asked for, removed; and answers that are not theirs.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use leitai_server::accounts::passkey::challenge_of_login;
use leitai_server::config::SecondFactorRule;
use leitai_store::{ChallengeKind, PasskeyChallenge, Timestamp};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};

use crate::kit::{Answer, Kit, PASSWORD, Person};
use crate::second_factor::{code_of, now, set_up};

const ORIGIN: &str = "http://localhost:8080";
const PASSKEYS: &str = "/api/me/passkeys";
const FACTOR: &str = "/api/me/second-factor";

/// An authenticator with one passkey, as a browser at some origin shows it.
struct Authenticator {
    id: [u8; 16],
    pair: EcdsaKeyPair,
    count: u32,
    origin: &'static str,
}

fn write(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Authenticator {
    fn new(id: u8) -> Authenticator {
        let random = SystemRandom::new();
        let (kind, why) = (&ECDSA_P256_SHA256_ASN1_SIGNING, "a key");
        let made = EcdsaKeyPair::generate_pkcs8(kind, &random).expect(why);
        let pair = EcdsaKeyPair::from_pkcs8(kind, made.as_ref(), &random).expect(why);
        Authenticator {
            id: [id; 16],
            pair,
            count: 0,
            origin: ORIGIN,
        }
    }

    fn client_data(&self, options: &Value, kind: &str) -> Vec<u8> {
        let challenge = &options["options"]["challenge"];
        let data = json!({"type": kind, "challenge": challenge, "origin": self.origin,
            "crossOrigin": false});
        data.to_string().into_bytes()
    }

    /// What precedes a key in both answers: the hash of the name of the arena, flags, the count.
    fn data(&self, flags: u8) -> Vec<u8> {
        let host = digest(&SHA256, b"localhost");
        [host.as_ref(), &[flags], &self.count.to_be_bytes()].concat()
    }

    fn answer(&self, response: &Value) -> Value {
        json!({"id": write(&self.id), "rawId": write(&self.id), "type": "public-key",
            "response": response, "clientExtensionResults": {}})
    }

    /// A passkey as a browser makes it, without attestation.
    fn make(&self, options: &Value) -> Value {
        let point = &self.pair.public_key().as_ref()[1..];
        let key = [
            &b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20"[..],
            &point[..32],
            b"\x22\x58\x20",
            &point[32..],
        ];
        let data = [
            &self.data(0x41)[..],
            &[0; 16],
            &[0, 16],
            &self.id,
            &key.concat(),
        ]
        .concat();
        let length = u8::try_from(data.len()).expect("short");
        let object = [
            b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58",
            &[length][..],
            &data,
        ];
        self.answer(&json!({
            "clientDataJSON": write(&self.client_data(options, "webauthn.create")),
            "attestationObject": write(&object.concat()), "transports": ["internal"]}))
    }

    /// Its signature under a challenge.
    fn sign(&mut self, options: &Value) -> Value {
        self.count += 1;
        let (data, client) = (self.data(1), self.client_data(options, "webauthn.get"));
        let signed = [&data[..], digest(&SHA256, &client).as_ref()].concat();
        let signature = self
            .pair
            .sign(&SystemRandom::new(), &signed)
            .expect("signed");
        self.answer(
            &json!({"clientDataJSON": write(&client), "authenticatorData": write(&data),
            "signature": write(signature.as_ref())}),
        )
    }
}

async fn arena(second_factor: SecondFactorRule) -> Kit {
    Kit::changed(|to| {
        to.public_url = Some(ORIGIN.to_owned());
        to.second_factor = second_factor;
    })
    .await
}

/// What the browser of a person without a second factor is asked to make.
async fn begin(person: &Person) -> Value {
    begin_with(person, json!({"password": PASSWORD})).await
}

/// What the person's browser is asked to make.
async fn begin_with(person: &Person, proof: Value) -> Value {
    let begun = person.post(&format!("{PASSKEYS}/options"), proof).await;
    assert_eq!(begun.header("cache-control"), "no-store");
    begun.ok()
}

async fn keep(person: &Person, made: Value) -> Answer {
    let kept = json!({"name": "laptop", "credential": made});
    person.post(PASSKEYS, kept).await
}

async fn register(person: &Person, key: &Authenticator) -> Vec<String> {
    let kept = keep(person, key.make(&begin(person).await)).await.ok();
    serde_json::from_value(kept["recovery_codes"].clone()).expect("words")
}

/// The password and a signature of this passkey.
async fn proved(kit: &Kit, name: &str, key: &mut Authenticator) -> Value {
    let answer = key.sign(&ask(kit, name).await);
    json!({"password": PASSWORD, "passkey": answer})
}

/// What a browser is asked when somebody logs in.
async fn ask(kit: &Kit, name: &str) -> Value {
    let asked = json!({"name": name, "password": PASSWORD});
    kit.guest().post("/api/login/passkey", asked).await.ok()
}

async fn log_in(kit: &Kit, name: &str, (field, proof): (&str, Value)) -> Answer {
    let asked = json!({"name": name, "password": PASSWORD, field: proof});
    kit.guest().post("/api/login", asked).await
}

#[tokio::test]
async fn a_passkey_opens_the_account_after_the_password() {
    let kit = arena(SecondFactorRule::Required).await;
    let root = kit.admin().await;
    refused!(root.get("/api/admin/users") => 403, "second-factor-required");
    let wrong = json!({"password": "wrong horse"});
    refused!(root.post(&format!("{PASSKEYS}/options"), wrong.clone()) => 422, "wrong-password");
    let mut laptop = Authenticator::new(1);
    let recovery = register(&root, &laptop).await;
    assert_eq!(recovery.len(), 10);
    root.get("/api/admin/users").await.ok();
    let proof = proved(&kit, "root", &mut laptop).await;
    let made = Authenticator::new(2).make(&begin_with(&root, proof).await);
    let second = keep(&root, made).await.ok();
    assert_eq!(second["recovery_codes"], json!([]));

    let missing = log_in(&kit, "root", ("code", Value::Null)).await;
    missing.refused(401, "second-factor");
    assert_eq!(missing.json()["error"]["field"], "passkey");
    let asked = ask(&kit, "root").await;
    let allowed = &asked["options"]["allowCredentials"];
    assert_eq!(allowed.as_array().map(Vec::len), Some(2), "{asked}");
    log_in(&kit, "root", ("passkey", laptop.sign(&asked)))
        .await
        .ok();
    log_in(&kit, "root", ("code", json!(recovery[0])))
        .await
        .ok();

    let shown = root.get(FACTOR).await.ok();
    has!(shown, {"enabled": true, "since": null});
    let own = &shown["passkeys"];
    assert!(
        own[0]["used"].is_string() && own[1]["used"].is_null(),
        "{own}"
    );
    let anew = json!({"password": PASSWORD});
    // New recovery codes want a code or a passkey, however young the session is.
    let replace = format!("{FACTOR}/recovery-codes");
    refused!(root.post(&replace, anew.clone()) => 422, "wrong-code");
    let proof = proved(&kit, "root", &mut laptop).await;
    let codes = root.post(&replace, proof.clone()).await;
    refused!(root.post(&replace, proof) => 422, "passkey-over");
    assert_eq!(
        codes.ok()["recovery_codes"].as_array().map(Vec::len),
        Some(10)
    );
    let paths = [1, 0].map(|one: usize| format!("{PASSKEYS}/{}", own[one]["id"]));
    let other = kit.person("eve").await;
    for path in &paths {
        refused!(other.send("DELETE", path, Some(anew.clone())) => 404, "not-found");
        refused!(root.send("DELETE", path, Some(wrong.clone())) => 422, "wrong-password");
        let proof = proved(&kit, "root", &mut laptop).await;
        answers!(root.send("DELETE", path, Some(proof)) => 204);
    }
    refused!(root.get("/api/admin/users") => 403, "second-factor-required");
    assert_eq!(root.get(FACTOR).await.ok()["recovery_codes"], 0);
    let told = root.get("/api/me/notifications").await.ok();
    let told = told["items"].as_array().expect("a list").iter();
    let told: Vec<&Value> = told.rev().map(|one| &one["kind"]).collect();
    let (added, removed) = ("passkey-added", "passkey-removed");
    let between = ["recovery-code-used", "recovery-codes-made"];
    assert_eq!(
        told,
        [added, added, between[0], between[1], removed, removed]
    );
}

#[tokio::test]
async fn answers_to_other_questions_open_nothing() {
    let kit = arena(SecondFactorRule::Offered).await;
    let (ada, eve) = (kit.person("ada").await, kit.person("eve").await);
    let (mut own, mut others) = (Authenticator::new(1), Authenticator::new(2));
    let recovery = register(&ada, &own).await;
    let codes_of_eve = register(&eve, &others).await;
    let by_code = |code: &str| json!({"password": PASSWORD, "code": code});
    let refuse = async |answer: Value, code: &str| {
        refused!(log_in(&kit, "ada", ("passkey", answer)) => 422, code);
    };
    // Seen once, and sent again.
    let asked = ask(&kit, "ada").await;
    let right = own.sign(&asked);
    log_in(&kit, "ada", ("passkey", right.clone())).await.ok();
    refuse(right, "passkey-over").await;
    refuse(own.sign(&asked), "passkey-over").await;
    // Another account's passkey, under either account's challenge.
    refuse(others.sign(&ask(&kit, "ada").await), "wrong-passkey").await;
    refuse(others.sign(&ask(&kit, "eve").await), "passkey-over").await;
    // Another key under the name of the right one.
    let mut forged = Authenticator::new(1);
    refuse(forged.sign(&ask(&kit, "ada").await), "wrong-passkey").await;
    // Another site, to which somebody was lured.
    own.origin = "http://localhost:8081";
    refuse(own.sign(&ask(&kit, "ada").await), "wrong-passkey").await;
    own.origin = ORIGIN;
    // A challenge that was made to register, and one that nobody made.
    let asked = begin_with(&ada, by_code(&recovery[0])).await;
    refuse(own.sign(&asked), "passkey-over").await;
    let invented = json!({"options": {"challenge": write(&[7; 16])}});
    refuse(own.sign(&invented), "passkey-over").await;
    // A wrong answer uses its challenge up, too.
    let asked = ask(&kit, "ada").await;
    refuse(others.sign(&asked), "wrong-passkey").await;
    refuse(own.sign(&asked), "passkey-over").await;
    // A copy of the authenticator, which is behind in counting.
    own.count = 0;
    refuse(own.sign(&ask(&kit, "ada").await), "wrong-passkey").await;
    for nonsense in [json!({}), json!([]), json!("x"), json!({"id": 1})] {
        refuse(nonsense, "wrong-passkey").await;
    }
    own.count = 20;
    log_in(&kit, "ada", ("passkey", own.sign(&ask(&kit, "ada").await)))
        .await
        .ok();

    // Nor is a passkey registered by the answer to a login, twice, or by somebody else.
    refused!(keep(&ada, Authenticator::new(3).make(&ask(&kit, "ada").await)) => 422, "passkey-over");
    let asked = begin_with(&ada, by_code(&recovery[1])).await;
    refused!(keep(&eve, Authenticator::new(3).make(&asked)) => 422, "passkey-over");
    let asked = begin_with(&eve, by_code(&codes_of_eve[0])).await;
    refused!(keep(&eve, own.make(&asked)) => 409, "passkey-taken");
    let program = ada.post("/api/me/tokens", json!({"name": "laptop"})).await;
    let program = Person {
        token: program.ok()["token"].as_str().map(str::to_owned),
        ..kit.guest()
    };
    let begun = json!({"password": PASSWORD});
    refused!(program.post(&format!("{PASSKEYS}/options"), begun) => 403, "session-only");
}

#[tokio::test]
async fn a_challenge_is_answered_at_any_server_within_five_minutes() {
    let kit = arena(SecondFactorRule::Offered).await;
    let (ada, mut key) = (kit.person("ada").await, Authenticator::new(1));
    let router = kit.second_server().await;
    let there = Person {
        router: router.clone(),
        ..ada.clone()
    };
    let asked = begin(&ada).await;
    keep(&there, key.make(&asked)).await.ok();
    let answer = key.sign(&ask(&kit, "ada").await);
    let log_in_there = json!({"name": "ada", "password": PASSWORD, "passkey": answer});
    let guest = Person {
        router,
        ..kit.guest()
    };
    guest.post("/api/login", log_in_there).await.ok();
    refused!(log_in(&kit, "ada", ("passkey", answer)) => 422, "passkey-over");

    let store = &kit.app.store;
    let user = ada.id.expect("an account");
    let kind = (user, ChallengeKind::LogIn);
    for (seconds, waits) in [(299, true), (301, false)] {
        // It is made between the two moments, however long that takes.
        let before = Timestamp::now();
        let hash = challenge_of_login(&key.sign(&ask(&kit, "ada").await)).expect("an answer");
        let since = if waits { before } else { Timestamp::now() };
        let later = since.after(Duration::from_secs(seconds));
        let taken = store.take_passkey_challenge(&hash, kind, later).await;
        let taken = taken.expect("the database answers");
        assert_eq!(taken.is_some(), waits, "after {seconds} s");
    }
    // The same where the answer comes.
    for (left, opens) in [(3_600_000, true), (-1, false)] {
        let answer = key.sign(&ask(&kit, "ada").await);
        let (hash, now) = (
            challenge_of_login(&answer).expect("an answer"),
            Timestamp::now(),
        );
        let state = ok!(store.take_passkey_challenge(&hash, kind, now)).expect("it waits");
        let moved = PasskeyChallenge {
            hash,
            user,
            kind: ChallengeKind::LogIn,
            state,
            until: Timestamp(now.0 + left),
        };
        ok!(store.keep_passkey_challenge(moved, Timestamp(0)));
        let answered = log_in(&kit, "ada", ("passkey", answer)).await;
        match opens {
            true => drop(answered.ok()),
            false => answered.refused(422, "passkey-over"),
        }
    }
}

#[tokio::test]
async fn whoever_changes_a_factor_gives_one() {
    let kit = arena(SecondFactorRule::Offered).await;
    let ada = kit.person("ada").await;
    // What was begun by the password alone ends with the first factor.
    let begun = ada.post(FACTOR, json!({"password": PASSWORD})).await.ok();
    let secret = begun["secret"].as_str().expect("shown").to_owned();
    let mut key = Authenticator::new(1);
    let asked = begin(&ada).await;
    let recovery = register(&ada, &key).await;
    let confirm = format!("{FACTOR}/confirm");
    let code = json!({"code": code_of(&secret, now())});
    refused!(ada.post(&confirm, code) => 409, "second-factor-over");
    refused!(keep(&ada, Authenticator::new(2).make(&asked)) => 422, "passkey-over");

    let id = ada.get(FACTOR).await.ok()["passkeys"][0]["id"].clone();
    let remove = format!("{PASSKEYS}/{id}");
    let (options, anew) = (
        format!("{PASSKEYS}/options"),
        format!("{FACTOR}/recovery-codes"),
    );
    let changes = [
        ("POST", FACTOR),
        ("POST", &*options),
        ("POST", &anew),
        ("DELETE", &remove),
    ];
    let mut other = Authenticator::new(1);
    for (method, path) in changes {
        let forged = other.sign(&ask(&kit, "ada").await);
        let forged = json!({"password": PASSWORD, "passkey": forged});
        refused!(ada.send(method, path, Some(forged)) => 422, "wrong-passkey");
        let alone = ada.send(method, path, Some(json!({"password": PASSWORD})));
        alone.await.refused(422, "wrong-code");
    }
    // With either kind of factor it goes, and the app is one from then on.
    let proof = proved(&kit, "ada", &mut key).await;
    let begun = ada.post(FACTOR, proof).await.ok();
    let secret = begun["secret"].as_str().expect("shown").to_owned();
    let step = now();
    let code = json!({"code": code_of(&secret, step)});
    ada.post(&confirm, code).await.ok();
    let code = code_of(&secret, step + 1);
    let asked = begin_with(&ada, json!({"password": PASSWORD, "code": code})).await;
    keep(&ada, Authenticator::new(3).make(&asked)).await.ok();
    let old = json!({"password": PASSWORD, "code": recovery[0]});
    refused!(ada.send("DELETE", &remove, Some(old)) => 422, "wrong-code");
    let proof = proved(&kit, "ada", &mut key).await;
    answers!(ada.send("DELETE", &remove, Some(proof)) => 204);
    // Nor is a passkey that was begun before the app was there.
    let bob = kit.person("bob").await;
    let asked = begin(&bob).await;
    set_up(&bob, now()).await;
    refused!(keep(&bob, Authenticator::new(4).make(&asked)) => 422, "passkey-over");
}

#[tokio::test]
async fn an_arena_without_a_name_says_that_it_has_no_passkeys() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    assert_eq!(ada.get(FACTOR).await.ok()["no_passkeys"], "no-public-url");
    let begun = json!({"password": PASSWORD});
    refused!(ada.post(&format!("{PASSKEYS}/options"), begun) => 409, "passkeys-unavailable");
    let asked = json!({"name": "ada", "password": PASSWORD});
    refused!(kit.guest().post("/api/login/passkey", asked) => 409, "no-passkey");
}
