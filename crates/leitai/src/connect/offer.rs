//! A program of this machine that waits in an arena for opponents, as long as its command runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::bail;
use leitai_store::values::secret::random_token;
use serde_json::{Value, json};

use crate::files::print_stderr;
use crate::lang::{Localizer, format_error};
use crate::remote::ArenaClient;
use crate::remote::api::Refusal;

/// How often an interruption is looked for.
const LOOK: Duration = Duration::from_millis(100);
/// The pause before an arena that did not answer is asked again, or that says that a match goes on.
const PAUSE: Duration = Duration::from_secs(2);

/// A program that is offered.
pub struct Offer {
    lang: Localizer,
    api: Arc<ArenaClient>,
    game: String,
    name: String,
    protocol: String,
    session: String,
    rated: bool,
    /// Whether the arena has answered once.
    is_known: bool,
    /// Whether it was said that the arena does not answer.
    is_away: bool,
}

/// A match that waits for the program.
pub struct Call {
    /// `{"match", "seat", "token"}`, as for a match that the program asked for.
    pub seat: Value,
}

impl Offer {
    /// A program that is not offered yet.
    pub fn new(lang: Localizer, api: Arc<ArenaClient>, program: [&str; 3], rated: bool) -> Offer {
        let [game, name, protocol] = program.map(str::to_owned);
        Offer {
            lang,
            api,
            game,
            name,
            protocol,
            session: random_token(),
            rated,
            is_known: false,
            is_away: false,
        }
    }

    /// Offers the program until somebody comes; `None` after an interruption, which withdraws it.
    pub fn wait(&mut self, stop: &AtomicBool) -> anyhow::Result<Option<Call>> {
        let token = random_token();
        loop {
            let Some(answer) = self.ask(&token, stop) else {
                self.withdraw();
                return Ok(None);
            };
            match answer {
                Ok(said) => {
                    self.note_answer();
                    match said["state"].as_str() {
                        Some("called") => {
                            let (id, seat) = (&said["match"], &said["seat"]);
                            let seat = json!({"match": id, "seat": seat, "token": token});
                            return Ok(Some(Call { seat }));
                        }
                        Some("busy") => pause(PAUSE, stop),
                        _ => {}
                    }
                }
                Err(error) => self.bear(error, stop)?,
            }
        }
    }

    /// Asks on a thread of its own, because the arena answers only after a while; `None` if there was
    /// an interruption meanwhile.
    fn ask(&self, token: &str, stop: &AtomicBool) -> Option<anyhow::Result<Value>> {
        let body = json!({
            "game": self.game, "name": self.name, "protocol": self.protocol,
            "session": self.session, "begins": !self.is_known, "token": token,
            "rated": self.rated,
        });
        let (done, answer) = mpsc::channel();
        let api = self.api.clone();
        // Nobody listens any more after an interruption.
        std::thread::spawn(move || _ = done.send(api.put_json("/api/home-bots", &body)));
        while !stop.load(Ordering::Relaxed) {
            if let Ok(answer) = answer.recv_timeout(LOOK) {
                return Some(answer);
            }
        }
        None
    }

    fn note_answer(&mut self) {
        let lang = self.lang;
        if !self.is_known {
            let list = self.api.page_url(&format!("/play/{}", self.game));
            print_stderr(&lang.fill(
                "{} is offered for {} and waits for opponents ({}); Ctrl-C withdraws it",
                &[&self.name, &self.game, &list],
            ));
        } else if self.is_away {
            print_stderr(lang.label("the arena answers again; the program is offered"));
        }
        (self.is_known, self.is_away) = (true, false);
    }

    /// Waits after what passes by itself; gives back what does not.
    fn bear(&mut self, error: anyhow::Error, stop: &AtomicBool) -> anyhow::Result<()> {
        let refusal = error.downcast_ref::<Refusal>();
        let passes = refusal.map_or(self.is_known, |it| it.status == 429 || it.status >= 500);
        if !passes {
            bail!(error);
        }
        let wait = refusal.and_then(|it| it.wait).unwrap_or(PAUSE);
        if !self.is_away {
            self.is_away = true;
            print_stderr(&format_error(self.lang, &error));
            print_stderr(self.lang.label("it is tried again until it succeeds"));
        }
        pause(wait, stop);
        Ok(())
    }

    /// Withdraws the program; where that fails, the offer ends by itself in a few seconds.
    pub fn withdraw(&self) {
        let body = json!({
            "game": self.game, "name": self.name, "protocol": self.protocol,
            "session": self.session, "token": random_token(), "withdraw": true,
        });
        if self.is_known && self.api.put_json("/api/home-bots", &body).is_ok() {
            print_stderr(&self.lang.fill("{} is withdrawn", &[&self.name]));
        }
    }
}

/// Sleeps for so long, unless there is an interruption.
fn pause(time: Duration, stop: &AtomicBool) {
    let end = Instant::now() + time;
    while Instant::now() < end && !stop.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK);
    }
}
