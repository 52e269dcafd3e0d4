//! Matches of the bots that come with a game file, before it is published.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leitai_game::{ByEntrant, GameHandle, Replay};
use leitai_judge::{MatchSpec, NoHumans, Player, Sandbox, play_match};
use leitai_store::Json;

use super::play_match::with_arena_terms;
use super::program_cache::{BuildWatch, ProgramCache, make_program_cache};
use super::source::EntrantSource;
use crate::game_files::judge_check::ProgramRunner;

/// Where previews are played.
struct Previews {
    sandbox: Sandbox,
    stop: Arc<AtomicBool>,
}

/// Where previews are played on a machine whose programs are these, until `stop` is set; `None` if it runs none.
pub fn previews_of(
    programs: &ProgramCache,
    stop: Arc<AtomicBool>,
) -> Option<Arc<dyn ProgramRunner>> {
    let sandbox = programs.program_sandbox()?.clone();
    Some(Arc::new(Previews { sandbox, stop }))
}

impl ProgramRunner for Previews {
    fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn play_bots(&self, game: &GameHandle, bots: [&str; 2]) -> Result<Replay, String> {
        // A file that is refused may come again with other bots under the same names: nothing is kept.
        let programs = make_program_cache(Some(self.sandbox.clone()));
        let mut kept = Vec::new();
        let mut player = |name: &str| {
            let (source, watch) = (
                EntrantSource::BuiltIn(name.to_owned()),
                BuildWatch::default(),
            );
            let made = programs.make_entrant(&**game, &source, &watch, |_| Ok(Vec::new()));
            let (kind, ready) = made.map_err(|why| why.to_string())?;
            kept.extend(ready);
            let name = name.to_owned();
            Ok::<_, String>(Player { name, kind })
        };
        let players = ByEntrant::new(player(bots[0])?, player(bots[1])?);
        let config = game.read_config(&Json::Null);
        let config = config.map_err(|why| why.to_string())?;
        let spec = MatchSpec::new(game, config, 1, players).map_err(|why| why.to_string())?;
        let spec = with_arena_terms(spec, &Json::Null, Some(&self.sandbox));
        let played = play_match(&spec, &mut NoHumans, &mut (), &self.stop);
        let played = played.map_err(|why| why.to_string())?;
        match &played.void {
            Some(void) => Err(void.why.clone()),
            None => Ok(played.replay),
        }
    }
}
